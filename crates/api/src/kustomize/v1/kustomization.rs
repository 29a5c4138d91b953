//! `Kustomization`: a folder of a source, applied to a cluster.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::build::{CommonMetadata, Decryption, Image, Patch, PostBuild, Selector};
use crate::crd::{AGE, Definition, READY, STATUS, Schemas, StatusSubresource};
use crate::meta::{
    Condition, GoDuration, KubeConfigReference, NamespacedObjectKindReference, ResourceInventory, Snapshot,
};
use crate::object::{custom_resource, reconcilable};
use crate::schema;

custom_resource! {
    /// Builds a folder of a source and keeps a cluster in line with the result.
    Kustomization { spec: KustomizationSpec, status: KustomizationStatus }
    Definition {
        name: "kustomizations.kustomize.toolkit.fluxcd.io",
        group: crate::kustomize::GROUP,
        version: super::VERSION,
        kind: "Kustomization",
        plural: "kustomizations",
        short_names: &["ks"],
        category: "fluxcd-appliers",
        component: "kustomize-controller",
        columns: &[AGE, READY, STATUS],
        status: StatusSubresource::Unobserved,
        schemas: Schemas::new::<Kustomization, KustomizationSpec, KustomizationStatus>(),
    }
}
reconcilable!(Kustomization, KustomizationStatus);

/// What to build, how, and what to do with the result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KustomizationSpec {
    /// Labels and annotations for every applied object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub common_metadata: Option<CommonMetadata>,
    /// Kustomizations that must be ready before this one is reconciled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<DependencyReference>,
    /// How to decrypt Secrets and files before they are applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decryption: Option<Decryption>,
    /// How often to check the cluster. A little jitter is added.
    #[schemars(extend("pattern" = schema::INTERVAL))]
    pub interval: GoDuration,
    /// How long to wait after a failure; `interval` if empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = schema::INTERVAL))]
    pub retry_interval: Option<GoDuration>,
    /// The cluster to apply to, if it isn't this one. Together with `serviceAccountName`, that account is impersonated
    /// on the other cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kube_config: Option<KubeConfigReference>,
    /// The folder in the source, relative to its root; the root itself if empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What to do with the objects after the build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub post_build: Option<PostBuild>,
    /// Whether objects that left the source are deleted from the cluster.
    pub prune: bool,
    /// What happens to the applied objects when the Kustomization is deleted: `MirrorPrune` (the default) deletes them
    /// if `prune` is set, `Delete` and `WaitForTermination` delete them in any case, the latter waiting until they are
    /// gone, `Orphan` keeps them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["MirrorPrune", "Delete", "WaitForTermination", "Orphan"]))]
    pub deletion_policy: Option<String>,
    /// Objects whose health counts for the Kustomization's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub health_checks: Vec<NamespacedObjectKindReference>,
    /// A text put in front of every object's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub name_prefix: Option<String>,
    /// A text put behind every object's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub name_suffix: Option<String>,
    /// Patches to the built objects, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patches: Vec<Patch>,
    /// Replacements for image names, tags and digests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// The ServiceAccount to impersonate when applying.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_account_name: Option<String>,
    /// The source that holds the folder.
    pub source_ref: CrossNamespaceSourceReference,
    /// Whether to leave the cluster alone for now. What already runs goes on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspend: bool,
    /// The namespace for every object, whatever the manifests say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 63))]
    pub target_namespace: Option<String>,
    /// How long validation, apply and health checks may take together; `interval` if empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = schema::INTERVAL))]
    pub timeout: Option<GoDuration>,
    /// Whether to delete and create objects anew when an immutable field changes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("default" = false))]
    pub force: bool,
    /// Whether to wait until every applied object is healthy; `healthChecks` then count for nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wait: bool,
    /// Folders of kustomize Components to include, relative to `path`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub components: Vec<String>,
    /// Whether Components whose folder doesn't exist are skipped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignore_missing_components: bool,
    /// How to judge the health of custom resources, in CEL. Used only with `wait` or `healthChecks`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub health_check_exprs: Vec<CustomHealthCheck>,
    /// What kustomize notes about the origin of objects in their annotations: `originAnnotations`,
    /// `transformerAnnotations`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "build_metadata")]
    pub build_metadata: Vec<String>,
    /// Fields that are left to others: neither compared nor applied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<IgnoreRule>,
}

fn build_metadata(_: &mut SchemaGenerator) -> Schema {
    schema::list_of(&["originAnnotations", "transformerAnnotations"])
}

/// A Kustomization that has to be ready first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DependencyReference {
    /// Its name.
    pub name: String,
    /// Its namespace; the namespace of this Kustomization if empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// A CEL expression over `self` (this object) and `dep` (the dependency) that decides whether the dependency is
    /// ready, in place of the check of its `Ready` condition, or on top of it with the gate
    /// `AdditiveCELDependencyCheck`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_expr: Option<String>,
}

/// CEL expressions that judge the health of objects of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomHealthCheck {
    /// API version of the objects.
    pub api_version: String,
    /// Kind of the objects.
    // The reference CRD doesn't require it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// True while the object isn't there yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_progress: Option<String>,
    /// True when the object has failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// True when the object is what it should be.
    pub current: String,
}

/// Fields of objects that belong to somebody else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IgnoreRule {
    /// JSON pointers (RFC 6901) to the fields.
    pub paths: Vec<String>,
    /// The objects the rule is for; all if empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Selector>,
}

/// A source in this or another namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrossNamespaceSourceReference {
    /// API version of the source; not needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_version: Option<String>,
    /// Kind of the source.
    #[schemars(extend("enum" = ["OCIRepository", "GitRepository", "Bucket", "ExternalArtifact"]))]
    pub kind: String,
    /// Name of the source.
    pub name: String,
    /// Namespace of the source; the namespace of the Kustomization if empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// What was applied and how that went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KustomizationStatus {
    /// The value of the reconcile-request annotation that was handled last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_handled_reconcile_at: Option<String>,
    /// The last generation that was reconciled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The state of the object, one entry per aspect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schema::conditions")]
    pub conditions: Vec<Condition>,
    /// The revision of the source that was last applied with success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_applied_revision: Option<String>,
    /// The revision that the source itself names as the origin of what was last applied with success, such as the
    /// commit from which an OCI artifact was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_applied_origin_revision: Option<String>,
    /// The revision of the source that was last tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_attempted_revision: Option<String>,
    /// The objects that were applied and belong to this Kustomization.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inventory: Option<ResourceInventory>,
    /// The last outcomes, newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Snapshot>,
}
