//! Version `v1` of `kustomize.toolkit.fluxcd.io`.

mod build;
mod kustomization;

pub use build::{CommonMetadata, Decryption, Image, Patch, PostBuild, Selector, SubstituteReference};
pub use kustomization::{
    CrossNamespaceSourceReference, CustomHealthCheck, DependencyReference, IgnoreRule, Kustomization,
    KustomizationSpec, KustomizationStatus,
};

/// The version.
pub const VERSION: &str = "v1";
