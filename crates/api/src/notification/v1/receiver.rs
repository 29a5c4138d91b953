//! `Receiver`: a webhook that wakes objects.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CrossNamespaceObjectReference;
use crate::crd::{AGE, Definition, READY, STATUS, Schemas, StatusSubresource};
use crate::meta::{Condition, GoDuration, LocalObjectReference};
use crate::object::{custom_resource, reconcilable};
use crate::schema::{self, rules};

custom_resource! {
    /// Accepts webhook calls and asks the objects it lists to reconcile.
    Receiver { spec: ReceiverSpec, status: ReceiverStatus }
    Definition {
        name: "receivers.notification.toolkit.fluxcd.io",
        group: crate::notification::GROUP,
        version: super::VERSION,
        kind: "Receiver",
        plural: "receivers",
        short_names: &[],
        category: "fluxcd-notifications",
        component: "notification-controller",
        columns: &[AGE, READY, STATUS],
        status: StatusSubresource::Unobserved,
        schemas: Schemas::new::<Receiver, ReceiverSpec, ReceiverStatus>(),
    }
}
reconcilable!(Receiver, ReceiverStatus);

const TYPES: &[&str] = &[
    "generic",
    "generic-hmac",
    "generic-oidc",
    "github",
    "gitlab",
    "bitbucket",
    "harbor",
    "dockerhub",
    "quay",
    "gcr",
    "nexus",
    "acr",
    "cdevents",
];

/// Who may call and what a call wakes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = rules(&[
    (
        "self.type != 'generic-oidc' || (has(self.oidcProviders) && size(self.oidcProviders) > 0)",
        "generic-oidc receivers must define at least one oidcProvider",
    ),
    (
        "self.type == 'generic-oidc' || !has(self.oidcProviders) || size(self.oidcProviders) == 0",
        "oidcProviders can only be set when type is generic-oidc",
    ),
    (
        "self.type != 'generic-oidc' || !has(self.secretRef)",
        "secretRef cannot be set when type is generic-oidc",
    ),
    (
        "self.type == 'generic-oidc' || has(self.secretRef)",
        "secretRef is required when type is not generic-oidc",
    ),
])))]
pub struct ReceiverSpec {
    /// Who sends the calls; decides how they are checked and read.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = TYPES))]
    pub type_: String,
    /// How often to reconcile the Receiver itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = schema::INTERVAL, "default" = "10m"))]
    pub interval: Option<GoDuration>,
    /// The events to act on, such as `push` for GitHub or `Push Hook` for GitLab; all if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<String>,
    /// The objects to wake.
    pub resources: Vec<ReceiverResource>,
    /// A CEL expression over the object (`res`) and the call (`req`) that decides for each object whether it is woken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_filter: Option<String>,
    /// A Secret whose key `token` authenticates the caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<LocalObjectReference>,
    /// Issuers whose tokens authenticate the caller. Only for the type `generic-oidc`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["issuerURL"]))]
    pub oidc_providers: Vec<OidcProvider>,
    /// Whether to refuse calls for now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspend: bool,
}

/// Objects that a call wakes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReceiverResource {
    /// The object, or all of a kind that have certain labels.
    #[serde(flatten)]
    pub object: CrossNamespaceObjectReference,
    /// A CEL expression that decides for each object whether it is woken, in addition to `spec.resourceFilter`. It sees
    /// the metadata of the object (`res`), the body of the call (`req`) and, for `generic-oidc`, the token's `claims`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
}

/// An issuer of tokens and the claims it has to make.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OidcProvider {
    /// The URL of the issuer, exactly as its tokens name it.
    #[serde(rename = "issuerURL")]
    #[schemars(extend("pattern" = "^https?://"))]
    pub issuer_url: String,
    /// The audience that tokens must be for; if empty, one made from the Receiver's namespace and name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
    /// Names for expressions over the claims, for use in `validations`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<OidcVariable>,
    /// Conditions that a token must meet, every one of them.
    #[schemars(length(min = 1))]
    pub validations: Vec<OidcValidation>,
}

/// A name for an expression.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OidcVariable {
    /// The name, used as `vars.<name>`.
    pub name: String,
    /// A CEL expression over the claims.
    pub expression: String,
}

/// A condition that a token must meet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OidcValidation {
    /// A CEL expression over claims and variables that must be true.
    pub expression: String,
    /// What to say when it is false.
    pub message: String,
}

/// Where calls go.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReceiverStatus {
    /// The value of the reconcile-request annotation that was handled last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_handled_reconcile_at: Option<String>,
    /// The state of the object, one entry per aspect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schema::conditions")]
    pub conditions: Vec<Condition>,
    /// The path of the webhook: `/hook/<checksum of token, name and namespace>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook_path: Option<String>,
    /// The last generation that was reconciled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
}
