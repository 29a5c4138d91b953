//! `HelmRepository`: an index of Helm charts.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::crd::{AGE, Definition, READY, STATUS, Schemas, StatusSubresource};
use crate::meta::{Artifact, Condition, GoDuration, LocalObjectReference};
use crate::object::{custom_resource, reconcilable};
use crate::schema;

custom_resource! {
    /// Publishes the index of a Helm chart repository, or stands for charts in a container registry.
    HelmRepository { spec: HelmRepositorySpec, status: HelmRepositoryStatus }
    Definition {
        name: "helmrepositories.source.toolkit.fluxcd.io",
        group: crate::source::GROUP,
        version: super::VERSION,
        kind: "HelmRepository",
        plural: "helmrepositories",
        short_names: &["helmrepo"],
        category: "fluxcd-sources",
        component: "source-controller",
        columns: &[("URL", "string", ".spec.url"), AGE, READY, STATUS],
        status: StatusSubresource::Unobserved,
        schemas: Schemas::new::<HelmRepository, HelmRepositorySpec, HelmRepositoryStatus>(),
    }
}
reconcilable!(HelmRepository, HelmRepositoryStatus);

/// Where the charts are and how to get in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HelmRepositorySpec {
    /// The address of the repository; for charts in a registry, `oci://<host>/<path>` without the chart's name.
    #[schemars(extend("pattern" = "^(http|https|oci)://.*$"))]
    pub url: String,
    /// A Secret with credentials: `username` and `password`, for a registry also of the type
    /// `kubernetes.io/dockerconfigjson`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<LocalObjectReference>,
    /// A Secret with a client certificate (`tls.crt`, `tls.key`) and the authority that signed the server's (`ca.crt`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cert_secret_ref: Option<LocalObjectReference>,
    /// Whether credentials also go to other hosts that the index names. They are lost to whoever runs those.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pass_credentials: bool,
    /// How often to fetch the index; a minute if empty. A little jitter is added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = schema::INTERVAL))]
    pub interval: Option<GoDuration>,
    /// Whether to accept a registry without TLS.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub insecure: bool,
    /// How long fetching may take; a minute if empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = schema::TIMEOUT))]
    pub timeout: Option<GoDuration>,
    /// Whether to leave the repository alone for now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspend: bool,
    /// Accepted for old objects; who may use a repository is decided elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_from: Option<AccessFrom>,
    /// `default` for a repository with an index, `oci` for a registry.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["default", "oci"]))]
    pub type_: Option<String>,
    /// Who logs in to a registry: `generic` with Secrets, the others with an identity of that provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "generic", "enum" = ["generic", "aws", "azure", "gcp"]))]
    pub provider: Option<String>,
}

/// Namespaces that may use an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccessFrom {
    /// One of these must match.
    pub namespace_selectors: Vec<NamespaceSelector>,
}

/// Chooses namespaces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NamespaceSelector {
    /// Labels that the namespace must have; every namespace if empty.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub match_labels: BTreeMap<String, String>,
}

/// What was fetched and how that went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HelmRepositoryStatus {
    /// The last generation that was reconciled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The state of the object, one entry per aspect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schema::conditions")]
    pub conditions: Vec<Condition>,
    /// A link that always leads to the newest index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The index that was last fetched with success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<Artifact>,
    /// The value of the reconcile-request annotation that was handled last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_handled_reconcile_at: Option<String>,
}
