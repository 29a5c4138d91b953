//! The JSON that notifications are posted as.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp, TimestampRound, Unit};
use k8s_openapi::api::core::v1::ObjectReference;
use serde::Serialize;

use super::Severity;
use crate::failure::Reason;

/// What is to be told.
pub(super) struct Facts<'a> {
    pub(super) about: &'a ObjectReference,
    pub(super) severity: Severity,
    pub(super) reason: Reason,
    pub(super) message: &'a str,
    pub(super) metadata: &'a BTreeMap<String, String>,
    pub(super) now: Timestamp,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    involved_object: InvolvedObject<'a>,
    severity: &'static str,
    timestamp: String,
    message: &'a str,
    reason: &'static str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metadata: &'a BTreeMap<String, String>,
    reporting_controller: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    reporting_instance: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InvolvedObject<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uid: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    api_version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_version: Option<&'a str>,
}

impl Facts<'_> {
    /// The body as the intake of the notification controller reads it.
    pub(super) fn into_json(self, component: &str, instance: &str) -> Vec<u8> {
        let about = self.about;
        let body = Body {
            involved_object: InvolvedObject {
                kind: about.kind.as_deref(),
                namespace: about.namespace.as_deref(),
                name: about.name.as_deref(),
                uid: about.uid.as_deref(),
                api_version: about.api_version.as_deref(),
                resource_version: about.resource_version.as_deref(),
            },
            severity: match self.severity {
                Severity::Trace => "trace",
                Severity::Info => "info",
                Severity::Error => "error",
            },
            timestamp: whole_seconds(self.now).to_string(),
            message: self.message,
            reason: self.reason.as_str(),
            metadata: self.metadata,
            reporting_controller: component,
            reporting_instance: instance,
        };
        serde_json::to_vec(&body).expect("a struct of texts is valid JSON")
    }
}

/// What the intake would refuse the object for.
pub(super) fn missing(about: &ObjectReference) -> Option<&'static str> {
    let absent = |field: &Option<String>| field.as_deref().unwrap_or_default().is_empty();
    [("kind", &about.kind), ("name", &about.name), ("namespace", &about.namespace)]
        .into_iter()
        .find_map(|(what, field)| absent(field).then_some(what))
}

/// The time without its fraction, which Kubernetes' times don't have.
pub(super) fn whole_seconds(time: Timestamp) -> Timestamp {
    let round = TimestampRound::new().smallest(Unit::Second).mode(jiff::RoundMode::Floor);
    time.round(round)
        .unwrap_or_else(|_| time - SignedDuration::from_nanos(i64::from(time.subsec_nanosecond())))
}
