//! Version `v1` of `notification.toolkit.fluxcd.io`.

mod receiver;

pub use super::CrossNamespaceObjectReference;
pub use receiver::{
    OidcProvider, OidcValidation, OidcVariable, Receiver, ReceiverResource, ReceiverSpec, ReceiverStatus,
};

/// The version.
pub const VERSION: &str = "v1";
