//! `source.toolkit.fluxcd.io`: where content comes from.

pub mod v1;

/// The API group.
pub const GROUP: &str = "source.toolkit.fluxcd.io";
