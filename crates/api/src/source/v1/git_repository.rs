//! `GitRepository`: content from a Git remote.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::crd::{AGE, Definition, READY, STATUS, Schemas, StatusSubresource};
use crate::meta::{Artifact, Condition, GoDuration, LocalObjectReference};
use crate::object::{custom_resource, reconcilable};
use crate::schema::{self, rules};

custom_resource! {
    /// Publishes the content of a Git repository at a branch, tag, version or commit.
    GitRepository { spec: GitRepositorySpec, status: GitRepositoryStatus }
    Definition {
        name: "gitrepositories.source.toolkit.fluxcd.io",
        group: crate::source::GROUP,
        version: super::VERSION,
        kind: "GitRepository",
        plural: "gitrepositories",
        short_names: &["gitrepo"],
        category: "fluxcd-sources",
        component: "source-controller",
        columns: &[("URL", "string", ".spec.url"), AGE, READY, STATUS],
        status: StatusSubresource::Unobserved,
        schemas: Schemas::new::<GitRepository, GitRepositorySpec, GitRepositoryStatus>(),
    }
}
reconcilable!(GitRepository, GitRepositoryStatus);

/// What to fetch, how often, and what to leave out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = rules(&[(
    "!has(self.serviceAccountName) || (has(self.provider) && (self.provider == 'azure' || self.provider == 'aws'))",
    "serviceAccountName can only be set when provider is 'azure' or 'aws'",
)])))]
pub struct GitRepositorySpec {
    /// The address of the repository; the short form of SSH addresses isn't understood.
    #[schemars(extend("pattern" = "^(http|https|ssh)://.*$"))]
    pub url: String,
    /// A Secret with credentials. HTTP(S): `username` and `password`, or `bearerToken`, and optionally `ca.crt`,
    /// `tls.crt`, `tls.key`. SSH: `identity`, `known_hosts` and optionally `password` for the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<LocalObjectReference>,
    /// Who logs in: `generic` (the default) with the Secret, the others with an identity of that provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["generic", "aws", "azure", "github"]))]
    pub provider: Option<String>,
    /// The ServiceAccount whose identity logs in, for the providers that can do that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_account_name: Option<String>,
    /// How often to look for changes. A little jitter is added.
    #[schemars(extend("pattern" = schema::INTERVAL))]
    pub interval: GoDuration,
    /// How long each Git operation may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = schema::TIMEOUT, "default" = "60s"))]
    pub timeout: Option<GoDuration>,
    /// What to check out; the branch `master` if empty.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    #[schemars(rename = "ref")]
    pub reference: Option<GitRepositoryRef>,
    /// Which signatures to demand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<GitRepositoryVerification>,
    /// A Secret with the `address` of a proxy and, if it needs them, `username` and `password`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy_secret_ref: Option<LocalObjectReference>,
    /// Patterns in the notation of `.gitignore` for what to leave out. Replaces the default patterns, also if empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignore: Option<String>,
    /// Whether to leave the repository alone for now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspend: bool,
    /// Whether to fetch submodules too, with the same credentials.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recurse_submodules: bool,
    /// Other repositories, by their GitRepository, whose content is copied into this one's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<GitRepositoryInclude>,
    /// The only folders to check out; everything if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sparse_checkout: Vec<String>,
}

/// Content of another GitRepository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GitRepositoryInclude {
    /// The other GitRepository, in the same namespace.
    pub repository: LocalObjectReference,
    /// The folder to copy; everything if empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_path: Option<String>,
    /// Where to put it; a folder with the name of the other GitRepository if empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_path: Option<String>,
}

/// What to check out. If several are given, the order is: commit, name, tag, semver, branch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct GitRepositoryRef {
    /// A branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// A tag; goes before `semver` and `branch`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// A range of versions; the highest tag in it is checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub semver: Option<String>,
    /// A full reference name such as `refs/pull/420/head`; goes before branch, tag and version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A commit; goes before everything else. With `branch`, the commit is looked for on that branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// Which Git objects must be signed, and by whom.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GitRepositoryVerification {
    /// What must be signed: the commit (`HEAD`), the tag (`Tag`), or both (`TagAndHEAD`). `head` is an old spelling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "HEAD", "enum" = ["head", "HEAD", "Tag", "TagAndHEAD"]))]
    pub mode: Option<String>,
    /// A Secret with the public keys of everybody who may sign.
    pub secret_ref: LocalObjectReference,
}

/// What was fetched and how that went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GitRepositoryStatus {
    /// The last generation that was reconciled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The state of the object, one entry per aspect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schema::conditions")]
    pub conditions: Vec<Condition>,
    /// The content that was last fetched with success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<Artifact>,
    /// The artifacts of the included repositories that are part of `artifact`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub included_artifacts: Vec<Artifact>,
    /// The ignore patterns with which `artifact` was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_ignore: Option<String>,
    /// Whether `artifact` was made with submodules.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub observed_recurse_submodules: bool,
    /// The includes with which `artifact` was made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed_include: Vec<GitRepositoryInclude>,
    /// The folders to which `artifact` was restricted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed_sparse_checkout: Vec<String>,
    /// What was verified to be signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_verification_mode: Option<String>,
    /// The value of the reconcile-request annotation that was handled last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_handled_reconcile_at: Option<String>,
}
