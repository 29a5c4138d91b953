//! `kustomize.toolkit.fluxcd.io`: what is applied to clusters.

pub mod v1;

/// The API group.
pub const GROUP: &str = "kustomize.toolkit.fluxcd.io";
