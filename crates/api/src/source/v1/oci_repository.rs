//! `OCIRepository`: content from a container registry.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::OidcIdentityMatch;
use crate::crd::{AGE, Definition, READY, STATUS, Schemas, StatusSubresource};
use crate::meta::{Artifact, Condition, GoDuration, LocalObjectReference};
use crate::object::{custom_resource, reconcilable};
use crate::schema;

custom_resource! {
    /// Publishes a layer of an image in a container registry.
    OCIRepository { spec: OCIRepositorySpec, status: OCIRepositoryStatus }
    Definition {
        name: "ocirepositories.source.toolkit.fluxcd.io",
        group: crate::source::GROUP,
        version: super::VERSION,
        kind: "OCIRepository",
        plural: "ocirepositories",
        short_names: &["ocirepo"],
        category: "fluxcd-sources",
        component: "source-controller",
        columns: &[("URL", "string", ".spec.url"), READY, STATUS, AGE],
        status: StatusSubresource::Unobserved,
        schemas: Schemas::new::<OCIRepository, OCIRepositorySpec, OCIRepositoryStatus>(),
    }
}
reconcilable!(OCIRepository, OCIRepositoryStatus);

/// What to pull, how often, and which layer to take.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OCIRepositorySpec {
    /// The address of the image, without tag: `oci://<host>/<repository>`.
    #[schemars(extend("pattern" = "^oci://.*$"))]
    pub url: String,
    /// Which image to pull; the tag `latest` if empty.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    #[schemars(rename = "ref")]
    pub reference: Option<OCIRepositoryRef>,
    /// Which layer to take; the first one if empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer_selector: Option<OCIRepositoryLayerSelector>,
    /// Who logs in: `generic` with Secrets, the others with an identity of that provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "generic", "enum" = ["generic", "aws", "azure", "gcp"]))]
    pub provider: Option<String>,
    /// A Secret of the type `kubernetes.io/dockerconfigjson` with credentials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<LocalObjectReference>,
    /// Which signatures to demand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<OCIRepositoryVerification>,
    /// The ServiceAccount whose pull secrets, or whose identity, log in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_account_name: Option<String>,
    /// A Secret with a client certificate (`tls.crt`, `tls.key`) and the authority that signed the server's (`ca.crt`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cert_secret_ref: Option<LocalObjectReference>,
    /// A Secret with the `address` of a proxy and, if it needs them, `username` and `password`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy_secret_ref: Option<LocalObjectReference>,
    /// How often to look for changes. A little jitter is added.
    #[schemars(extend("pattern" = schema::INTERVAL))]
    pub interval: GoDuration,
    /// How long the registry operations may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = schema::TIMEOUT, "default" = "60s"))]
    pub timeout: Option<GoDuration>,
    /// Patterns in the notation of `.gitignore` for what to leave out. Replaces the default patterns, also if empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignore: Option<String>,
    /// Whether to accept a registry without TLS.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub insecure: bool,
    /// Whether to leave the image alone for now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspend: bool,
}

/// Which image to pull. If several are given, the order is: digest, semver, tag.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OCIRepositoryRef {
    /// A digest, `sha256:<hex>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// A range of versions; the highest tag in it is pulled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub semver: Option<String>,
    /// A regular expression (Go syntax) for the tags that `semver` considers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub semver_filter: Option<String>,
    /// A tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
}

/// Which layer to take and what to do with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OCIRepositoryLayerSelector {
    /// The media type of the layer; the first layer that has it is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// `extract` (the default) repacks the content, `copy` keeps the layer as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["extract", "copy"]))]
    pub operation: Option<String>,
}

/// Who must have signed the image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OCIRepositoryVerification {
    /// The kind of signature.
    #[schemars(extend("default" = "cosign", "enum" = ["cosign", "notation"]))]
    pub provider: String,
    /// A Secret with the public keys of everybody who may sign; without it, signing without keys is expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<LocalObjectReference>,
    /// The identities that may sign without a key; one has to match.
    #[serde(default, rename = "matchOIDCIdentity", skip_serializing_if = "Vec::is_empty")]
    pub match_oidc_identity: Vec<OidcIdentityMatch>,
    /// A Secret whose key `trusted_root.json` replaces the public Sigstore instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted_root_secret_ref: Option<LocalObjectReference>,
}

/// What was pulled and how that went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OCIRepositoryStatus {
    /// The last generation that was reconciled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The state of the object, one entry per aspect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schema::conditions")]
    pub conditions: Vec<Condition>,
    /// A link that always leads to the newest artifact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The content that was last pulled with success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<Artifact>,
    /// The ignore patterns with which `artifact` was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_ignore: Option<String>,
    /// The layer selector with which `artifact` was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_layer_selector: Option<OCIRepositoryLayerSelector>,
    /// The value of the reconcile-request annotation that was handled last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_handled_reconcile_at: Option<String>,
}
