//! Value types that the API groups share: conditions, durations, revisions, digests, references, artifacts.

mod artifact;
pub mod conditions;
mod digest;
mod duration;
mod history;
mod inventory;
mod reference;
mod revision;
pub mod time;

pub use artifact::Artifact;
pub use digest::{Algorithm, Digest, ParseDigestError};
pub use duration::{GoDuration, ParseDurationError};
pub use history::{HISTORY_LIMIT, Snapshot, record_snapshot};
pub use inventory::{ResourceInventory, ResourceRef};
pub use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
pub use reference::{
    KubeConfigReference, LocalObjectReference, NamespacedObjectKindReference, NamespacedObjectReference,
    ObjectRef, SecretKeyReference,
};
pub use revision::Revision;

/// The annotation whose value, when it changes, asks for a reconciliation at once.
pub const RECONCILE_REQUEST_ANNOTATION: &str = "reconcile.fluxcd.io/requestedAt";
/// The finalizer that every Flux controller puts on its objects.
pub const FINALIZER: &str = "finalizers.fluxcd.io";
/// Annotations with this prefix travel with every event about their object.
pub const EVENT_ANNOTATION_PREFIX: &str = "event.toolkit.fluxcd.io/";
/// The label by which a ConfigMap or Secret asks that its change wakes the objects that refer to it.
pub const WATCH_LABEL: &str = "reconcile.fluxcd.io/watch";

/// Returns the text if there is any.
///
/// The original programs don't tell an absent string field from an empty one, apart from the few that are pointers.
pub fn non_empty(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str).filter(|text| !text.is_empty())
}
