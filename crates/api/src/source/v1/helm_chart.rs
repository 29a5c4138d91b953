//! `HelmChart`: a chart, packaged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::OidcIdentityMatch;
use crate::crd::{AGE, Column, Definition, READY, STATUS, Schemas, StatusSubresource};
use crate::meta::{Artifact, Condition, GoDuration, LocalObjectReference};
use crate::object::{custom_resource, reconcilable};
use crate::schema::{self, rules};

const CHART: Column = ("Chart", "string", ".spec.chart");
const CHART_VERSION: Column = ("Version", "string", ".spec.version");
const SOURCE_KIND: Column = ("Source Kind", "string", ".spec.sourceRef.kind");
const SOURCE_NAME: Column = ("Source Name", "string", ".spec.sourceRef.name");

custom_resource! {
    /// Publishes a Helm chart from a chart repository, a Git repository or a bucket.
    HelmChart { spec: HelmChartSpec, status: HelmChartStatus }
    Definition {
        name: "helmcharts.source.toolkit.fluxcd.io",
        group: crate::source::GROUP,
        version: super::VERSION,
        kind: "HelmChart",
        plural: "helmcharts",
        short_names: &["hc"],
        category: "fluxcd-sources",
        component: "source-controller",
        columns: &[CHART, CHART_VERSION, SOURCE_KIND, SOURCE_NAME, AGE, READY, STATUS],
        status: StatusSubresource::Unobserved,
        schemas: Schemas::new::<HelmChart, HelmChartSpec, HelmChartStatus>(),
    }
}
reconcilable!(HelmChart, HelmChartStatus);

/// Which chart, in which version, from where.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = rules(&[(
    "!has(self.verify) || self.sourceRef.kind == 'HelmRepository'",
    "spec.verify is only supported when spec.sourceRef.kind is 'HelmRepository'",
)])))]
pub struct HelmChartSpec {
    /// The name of the chart in its repository, or its folder in the other sources.
    pub chart: String,
    /// A version or a range of versions. Counts only for charts from a HelmRepository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "*"))]
    pub version: Option<String>,
    /// The source of the chart, in the same namespace.
    pub source_ref: LocalHelmChartSourceReference,
    /// How often to look for changes. A little jitter is added.
    #[schemars(extend("pattern" = schema::INTERVAL))]
    pub interval: GoDuration,
    /// What makes a new artifact: another version in the chart (`ChartVersion`) or another revision of the source
    /// (`Revision`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "ChartVersion", "enum" = ["ChartVersion", "Revision"]))]
    pub reconcile_strategy: Option<String>,
    /// Files with values, merged in this order in place of the chart's own. Relative to the chart, or to the root of
    /// the source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values_files: Vec<String>,
    /// Whether files of `valuesFiles` may be missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignore_missing_values_files: bool,
    /// Whether to leave the chart alone for now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspend: bool,
    /// Which signatures to demand, for charts in a registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<HelmChartVerification>,
}

/// The source of a chart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LocalHelmChartSourceReference {
    /// API version of the source; not needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_version: Option<String>,
    /// Kind of the source.
    #[schemars(extend("enum" = ["HelmRepository", "GitRepository", "Bucket"]))]
    pub kind: String,
    /// Name of the source.
    pub name: String,
}

/// Who must have signed the chart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HelmChartVerification {
    /// The kind of signature.
    #[schemars(extend("default" = "cosign", "enum" = ["cosign", "notation"]))]
    pub provider: String,
    /// A Secret with the public keys of everybody who may sign; without it, signing without keys is expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<LocalObjectReference>,
    /// The identities that may sign without a key; one has to match.
    #[serde(default, rename = "matchOIDCIdentity", skip_serializing_if = "Vec::is_empty")]
    pub match_oidc_identity: Vec<OidcIdentityMatch>,
}

/// What was packaged and how that went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HelmChartStatus {
    /// The last generation that was reconciled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The revision of the source from which `artifact` was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_source_artifact_revision: Option<String>,
    /// The name that the chart gives itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_chart_name: Option<String>,
    /// The files with values that `artifact` was made with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed_values_files: Vec<String>,
    /// The state of the object, one entry per aspect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schema::conditions")]
    pub conditions: Vec<Condition>,
    /// A link that always leads to the newest artifact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The chart that was last packaged with success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<Artifact>,
    /// The value of the reconcile-request annotation that was handled last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_handled_reconcile_at: Option<String>,
}
