//! Version `v1` of `source.toolkit.fluxcd.io`.

mod bucket;
mod external_artifact;
mod git_repository;
mod helm_chart;
mod helm_repository;
mod oci_repository;
mod verification;

pub use bucket::{Bucket, BucketSpec, BucketStatus, BucketSts};
pub use external_artifact::{
    ExternalArtifact, ExternalArtifactSourceReference, ExternalArtifactSpec, ExternalArtifactStatus,
};
pub use git_repository::{
    GitRepository, GitRepositoryInclude, GitRepositoryRef, GitRepositorySpec, GitRepositoryStatus,
    GitRepositoryVerification,
};
pub use helm_chart::{
    HelmChart, HelmChartSpec, HelmChartStatus, HelmChartVerification, LocalHelmChartSourceReference,
};
pub use helm_repository::{
    AccessFrom, HelmRepository, HelmRepositorySpec, HelmRepositoryStatus, NamespaceSelector,
};
pub use oci_repository::{
    OCIRepository, OCIRepositoryLayerSelector, OCIRepositoryRef, OCIRepositorySpec, OCIRepositoryStatus,
    OCIRepositoryVerification,
};
pub use verification::OidcIdentityMatch;

/// The version.
pub const VERSION: &str = "v1";
