//! `Bucket`: content from an object store.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::crd::{AGE, Definition, READY, STATUS, Schemas, StatusSubresource};
use crate::meta::{Artifact, Condition, GoDuration, LocalObjectReference};
use crate::object::{custom_resource, reconcilable};
use crate::schema::{self, rules};

custom_resource! {
    /// Publishes the objects of a bucket.
    Bucket { spec: BucketSpec, status: BucketStatus }
    Definition {
        name: "buckets.source.toolkit.fluxcd.io",
        group: crate::source::GROUP,
        version: super::VERSION,
        kind: "Bucket",
        plural: "buckets",
        short_names: &[],
        category: "fluxcd-sources",
        component: "source-controller",
        columns: &[("Endpoint", "string", ".spec.endpoint"), AGE, READY, STATUS],
        status: StatusSubresource::Unobserved,
        schemas: Schemas::new::<Bucket, BucketSpec, BucketStatus>(),
    }
}
reconcilable!(Bucket, BucketStatus);

/// Which objects to fetch, how often, and what to leave out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = rules(&[
    (
        "self.provider == 'aws' || self.provider == 'generic' || !has(self.sts)",
        "STS configuration is only supported for the 'aws' and 'generic' Bucket providers",
    ),
    (
        "self.provider != 'aws' || !has(self.sts) || self.sts.provider == 'aws'",
        "'aws' is the only supported STS provider for the 'aws' Bucket provider",
    ),
    (
        "self.provider != 'generic' || !has(self.sts) || self.sts.provider == 'ldap'",
        "'ldap' is the only supported STS provider for the 'generic' Bucket provider",
    ),
    (
        "!has(self.sts) || self.sts.provider != 'aws' || !has(self.sts.secretRef)",
        "spec.sts.secretRef is not required for the 'aws' STS provider",
    ),
    (
        "!has(self.sts) || self.sts.provider != 'aws' || !has(self.sts.certSecretRef)",
        "spec.sts.certSecretRef is not required for the 'aws' STS provider",
    ),
    (
        "self.provider != 'generic' || !has(self.serviceAccountName)",
        "ServiceAccountName is not supported for the 'generic' Bucket provider",
    ),
    (
        "!has(self.secretRef) || !has(self.serviceAccountName)",
        "cannot set both .spec.secretRef and .spec.serviceAccountName",
    ),
])))]
pub struct BucketSpec {
    /// The kind of object store: `generic` is anything that speaks S3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "generic", "enum" = ["generic", "aws", "gcp", "azure"]))]
    pub provider: Option<String>,
    /// Name of the bucket.
    pub bucket_name: String,
    /// Address of the object store, without scheme.
    pub endpoint: String,
    /// A service that hands out temporary credentials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sts: Option<BucketSts>,
    /// Whether to talk to the endpoint without TLS.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub insecure: bool,
    /// The region of the endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Only objects whose key starts with this are fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// A Secret with credentials of the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<LocalObjectReference>,
    /// The ServiceAccount whose identity logs in to the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_account_name: Option<String>,
    /// A Secret with a client certificate (`tls.crt`, `tls.key`) and the authority that signed the server's
    /// (`ca.crt`). Only for the `generic` provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cert_secret_ref: Option<LocalObjectReference>,
    /// A Secret with the `address` of a proxy and, if it needs them, `username` and `password`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy_secret_ref: Option<LocalObjectReference>,
    /// How often to look for changes. A little jitter is added.
    #[schemars(extend("pattern" = schema::INTERVAL))]
    pub interval: GoDuration,
    /// How long fetching may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = schema::TIMEOUT, "default" = "60s"))]
    pub timeout: Option<GoDuration>,
    /// Patterns in the notation of `.gitignore` for what to leave out. Replaces the default patterns, also if empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignore: Option<String>,
    /// Whether to leave the bucket alone for now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspend: bool,
}

/// A security token service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BucketSts {
    /// The kind of service: `aws` for the provider of that name, `ldap` for `generic`.
    #[schemars(extend("enum" = ["aws", "ldap"]))]
    pub provider: String,
    /// Address of the service.
    #[schemars(extend("pattern" = "^(http|https)://.*$"))]
    pub endpoint: String,
    /// A Secret with `username` and `password`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<LocalObjectReference>,
    /// A Secret with a client certificate (`tls.crt`, `tls.key`) and the authority that signed the server's (`ca.crt`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cert_secret_ref: Option<LocalObjectReference>,
}

/// What was fetched and how that went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BucketStatus {
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
    /// The content that was last fetched with success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<Artifact>,
    /// The ignore patterns with which `artifact` was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_ignore: Option<String>,
    /// The value of the reconcile-request annotation that was handled last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_handled_reconcile_at: Option<String>,
}
