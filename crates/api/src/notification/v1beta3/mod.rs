//! Version `v1beta3` of `notification.toolkit.fluxcd.io`.

mod alert;
mod provider;

pub use super::CrossNamespaceObjectReference;
pub use alert::{Alert, AlertSpec};
pub use provider::{Provider, ProviderSpec};

/// The version.
pub const VERSION: &str = "v1beta3";
