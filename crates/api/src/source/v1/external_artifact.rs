//! `ExternalArtifact`: content that somebody else's controller publishes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::crd::{AGE, Definition, READY, STATUS, Schemas, StatusSubresource};
use crate::meta::{Artifact, Condition};
use crate::object::custom_resource;
use crate::schema;

custom_resource! {
    /// Stands for content that a controller outside the toolkit publishes. Nothing here reconciles it.
    ExternalArtifact { spec: ExternalArtifactSpec, status: ExternalArtifactStatus }
    Definition {
        name: "externalartifacts.source.toolkit.fluxcd.io",
        group: crate::source::GROUP,
        version: super::VERSION,
        kind: "ExternalArtifact",
        plural: "externalartifacts",
        short_names: &["ea"],
        category: "fluxcd-sources",
        component: "source-controller",
        columns: &[AGE, READY, STATUS, ("Source", "string", ".spec.sourceRef.name")],
        status: StatusSubresource::Plain,
        schemas: Schemas::new::<ExternalArtifact, ExternalArtifactSpec, ExternalArtifactStatus>(),
    }
}

/// Whose content it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExternalArtifactSpec {
    /// The object from which the content was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_ref: Option<ExternalArtifactSourceReference>,
}

/// An object of any kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExternalArtifactSourceReference {
    /// API version of the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_version: Option<String>,
    /// Kind of the object.
    pub kind: String,
    /// Name of the object.
    pub name: String,
    /// Namespace of the object; the namespace of the ExternalArtifact if empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// What is published.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExternalArtifactStatus {
    /// The content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<Artifact>,
    /// The state of the object, one entry per aspect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schema::conditions")]
    pub conditions: Vec<Condition>,
}
