//! `Provider`: a service that receives events.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::crd::{AGE, Definition, Schemas, StatusSubresource};
use crate::meta::{GoDuration, LocalObjectReference};
use crate::object::custom_resource;
use crate::schema::{self, rules};

custom_resource! {
    /// A chat, a Git host, an incident service or another receiver of events.
    Provider { spec: ProviderSpec }
    Definition {
        name: "providers.notification.toolkit.fluxcd.io",
        group: crate::notification::GROUP,
        version: super::VERSION,
        kind: "Provider",
        plural: "providers",
        short_names: &[],
        category: "fluxcd-notifications",
        component: "notification-controller",
        columns: &[AGE],
        status: StatusSubresource::None,
        schemas: Schemas::without_status::<Provider, ProviderSpec>(),
    }
}

const TYPES: &[&str] = &[
    "slack",
    "discord",
    "msteams",
    "rocket",
    "generic",
    "generic-hmac",
    "github",
    "gitlab",
    "gitea",
    "giteapullrequestcomment",
    "bitbucketserver",
    "bitbucket",
    "azuredevops",
    "googlechat",
    "googlepubsub",
    "webex",
    "sentry",
    "azureeventhub",
    "telegram",
    "lark",
    "matrix",
    "opsgenie",
    "alertmanager",
    "grafana",
    "githubdispatch",
    "githubpullrequestcomment",
    "gitlabmergerequestcomment",
    "pagerduty",
    "datadog",
    "nats",
    "zulip",
    "otel",
    "zoom",
    "incident.io",
];

/// How to reach the service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = rules(&[(
    "self.type == 'github' || self.type == 'gitlab' || self.type == 'gitea' || self.type == 'bitbucketserver' \
     || self.type == 'bitbucket' || self.type == 'azuredevops' || !has(self.commitStatusExpr)",
    "spec.commitStatusExpr is only supported for the 'github', 'gitlab', 'gitea', 'bitbucketserver', 'bitbucket', \
     'azuredevops' provider types",
)])))]
pub struct ProviderSpec {
    /// The service.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = TYPES))]
    pub type_: String,
    /// Not used any more; kept so that old objects stay valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = schema::INTERVAL))]
    pub interval: Option<GoDuration>,
    /// The channel, room or topic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2048))]
    pub channel: Option<String>,
    /// The name under which messages appear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2048))]
    pub username: Option<String>,
    /// The address of the service: a URL in most cases, whatever the service takes in others. An address in the Secret
    /// goes before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2048))]
    pub address: Option<String>,
    /// How long sending one event may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = schema::TIMEOUT))]
    pub timeout: Option<GoDuration>,
    /// The URL of a proxy. Outdated: use `proxySecretRef`, which can hold credentials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2048), extend("pattern" = "^(http|https)://.*$"))]
    pub proxy: Option<String>,
    /// A Secret with the `address` of a proxy and, if it needs them, `username` and `password`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy_secret_ref: Option<LocalObjectReference>,
    /// A Secret with the credentials of the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<LocalObjectReference>,
    /// The ServiceAccount whose identity logs in to a cloud service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_account_name: Option<String>,
    /// A Secret with a client certificate (`tls.crt`, `tls.key`) and the authority that signed the server's (`ca.crt`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cert_secret_ref: Option<LocalObjectReference>,
    /// Whether to send nothing for now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspend: bool,
    /// A CEL expression over `event`, `alert` and `provider` that gives the id of the commit status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit_status_expr: Option<String>,
}
