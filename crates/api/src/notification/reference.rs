//! References to the objects of the toolkit.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kinds that may be referred to. The position of the enum in the CRD is part of the contract.
const KINDS: &[&str] = &[
    "Bucket",
    "GitRepository",
    "Kustomization",
    "HelmRelease",
    "HelmChart",
    "HelmRepository",
    "ImageRepository",
    "ImagePolicy",
    "ImageUpdateAutomation",
    "OCIRepository",
    "ArtifactGenerator",
    "ExternalArtifact",
];

/// One object of the toolkit, or all of a kind that have certain labels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrossNamespaceObjectReference {
    /// API version of the object; not needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_version: Option<String>,
    /// Kind of the object.
    #[schemars(extend("enum" = KINDS))]
    pub kind: String,
    /// Name of the object, or `*` for every one of the kind in the namespace.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
    /// Namespace of the object; the namespace of the referring object if empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub namespace: Option<String>,
    /// Labels that the object must have. Needs the name `*`.
    // Present but empty isn't absent: an alert then asks for the object's existence, a receiver for all of the kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_labels: Option<BTreeMap<String, String>>,
}
