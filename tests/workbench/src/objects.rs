//! What the toolkit's objects say about themselves.

use kube::api::DynamicObject;

/// API version of sources.
pub(crate) const SOURCE: &str = "source.toolkit.fluxcd.io/v1";
/// API version of Kustomizations.
pub(crate) const KUSTOMIZE: &str = "kustomize.toolkit.fluxcd.io/v1";
/// API version of Receivers.
pub(crate) const RECEIVER: &str = "notification.toolkit.fluxcd.io/v1";

/// The patch that requests a reconcile.
pub(crate) fn requested(token: &str) -> serde_json::Value {
    serde_json::json!({"metadata": {"annotations": {"reconcile.fluxcd.io/requestedAt": token}}})
}

/// A text in an object, empty where there is none.
pub(crate) fn text<'a>(object: &'a DynamicObject, pointer: &str) -> &'a str {
    object.data.pointer(pointer).and_then(serde_json::Value::as_str).unwrap_or_default()
}

/// Status and message of the `Ready` condition; `-` where there is none.
pub(crate) fn readiness(object: &DynamicObject) -> (&str, &str) {
    let conditions = object.data.pointer("/status/conditions").and_then(serde_json::Value::as_array);
    let ready = conditions.into_iter().flatten().find(|condition| condition["type"] == "Ready");
    let field = |name: &str| ready.and_then(|condition| condition[name].as_str());
    (field("status").unwrap_or("-"), field("message").unwrap_or("-"))
}

/// Whether an object is ready as its present spec wants it.
pub(crate) fn is_ready(object: &DynamicObject) -> bool {
    let observed = object.data.pointer("/status/observedGeneration").and_then(serde_json::Value::as_i64);
    readiness(object).0 == "True" && observed == object.metadata.generation
}

/// The revision that an object has reached.
pub(crate) fn revision(object: &DynamicObject) -> &str {
    let applied = text(object, "/status/lastAppliedRevision");
    if applied.is_empty() { text(object, "/status/artifact/revision") } else { applied }
}
