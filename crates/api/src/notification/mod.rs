//! `notification.toolkit.fluxcd.io`: who hears of what happens, and who may wake a source.

mod reference;
pub mod v1;
pub mod v1beta3;

pub use reference::CrossNamespaceObjectReference;

/// The API group.
pub const GROUP: &str = "notification.toolkit.fluxcd.io";
