//! `Alert`: which events go to a provider.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CrossNamespaceObjectReference;
use crate::crd::{AGE, Definition, Schemas, StatusSubresource};
use crate::meta::LocalObjectReference;
use crate::object::custom_resource;

custom_resource! {
    /// Sends the events of certain objects to a Provider.
    Alert { spec: AlertSpec }
    Definition {
        name: "alerts.notification.toolkit.fluxcd.io",
        group: crate::notification::GROUP,
        version: super::VERSION,
        kind: "Alert",
        plural: "alerts",
        short_names: &[],
        category: "fluxcd-notifications",
        component: "notification-controller",
        columns: &[AGE],
        status: StatusSubresource::None,
        schemas: Schemas::without_status::<Alert, AlertSpec>(),
    }
}

/// Which events go where.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlertSpec {
    /// The Provider that receives the events; in the same namespace.
    pub provider_ref: LocalObjectReference,
    /// The least severity: `info` lets everything through, `error` only failures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "info", "enum" = ["info", "error"]))]
    pub event_severity: Option<String>,
    /// The objects whose events are sent.
    pub event_sources: Vec<CrossNamespaceObjectReference>,
    /// Regular expressions (Go syntax), one of which the message must match. Everything passes if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inclusion_list: Vec<String>,
    /// More metadata for every event. What objects say in their annotations goes before it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub event_metadata: BTreeMap<String, String>,
    /// Regular expressions (Go syntax); a message that matches one is dropped, also if it is on the inclusion list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclusion_list: Vec<String>,
    /// A short description for the receivers. `eventMetadata` with the key `summary` replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 255))]
    pub summary: Option<String>,
    /// Whether to send nothing for now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspend: bool,
}
