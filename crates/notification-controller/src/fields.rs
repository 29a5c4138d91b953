//! The fields that log lines about events and hooks share.

use millrace_api::notification::v1beta3::Alert;
use serde_json::json;

use crate::event::InvolvedObject;

/// The object an event is about, as JSON.
pub(crate) fn object(object: &InvolvedObject) -> String {
    serde_json::to_string(object).expect("strings are JSON")
}

/// An alert and its Provider, as JSON.
pub(crate) fn alert(alert: &Alert) -> String {
    json!({
        "name": alert.metadata.name,
        "namespace": alert.metadata.namespace,
        "providerName": alert.spec.provider_ref.name,
    })
    .to_string()
}
