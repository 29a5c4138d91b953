//! Reasons of conditions and events. Contract: kustomize-controller §2.2.

use millrace_reconcile::Reason;

/// A run is under way.
pub(crate) const PROGRESSING: Reason = Reason::new("Progressing");
/// The run failed and another one follows.
pub(crate) const PROGRESSING_WITH_RETRY: Reason = Reason::new("ProgressingWithRetry");
/// Everything is as the spec asks.
pub(crate) const RECONCILIATION_SUCCEEDED: Reason = Reason::new("ReconciliationSucceeded");
/// The client could not be made, or the apply failed.
pub(crate) const RECONCILIATION_FAILED: Reason = Reason::new("ReconciliationFailed");
/// Generating, building, substituting or parsing failed.
pub(crate) const BUILD_FAILED: Reason = Reason::new("BuildFailed");
/// The source, its artifact or the path in it is not there.
pub(crate) const ARTIFACT_FAILED: Reason = Reason::new("ArtifactFailed");
/// There is no place for temporary files.
pub(crate) const DIRECTORY_CREATION_FAILED: Reason = Reason::new("DirectoryCreationFailed");
/// A dependency is not ready.
pub(crate) const DEPENDENCY_NOT_READY: Reason = Reason::new("DependencyNotReady");
/// An object that Git no longer has could not be deleted.
pub(crate) const PRUNE_FAILED: Reason = Reason::new("PruneFailed");
/// Something is not healthy.
pub(crate) const HEALTH_CHECK_FAILED: Reason = Reason::new("HealthCheckFailed");
/// The health check was ended by something newer.
pub(crate) const HEALTH_CHECK_CANCELED: Reason = Reason::new("HealthCheckCanceled");
/// The object may not use what it refers to.
pub(crate) const ACCESS_DENIED: Reason = Reason::new("AccessDenied");
/// A CEL expression of the spec is wrong.
pub(crate) const INVALID_CEL_EXPRESSION: Reason = Reason::new("InvalidCELExpression");
/// The spec uses something that a closed gate guards.
pub(crate) const FEATURE_GATE_DISABLED: Reason = Reason::new("FeatureGateDisabled");
/// Everything that was applied is healthy.
pub(crate) const SUCCEEDED: Reason = Reason::new("Succeeded");

/// All of them, to find the one that a stored condition has.
pub(crate) const ALL: [Reason; 15] = [
    PROGRESSING,
    PROGRESSING_WITH_RETRY,
    RECONCILIATION_SUCCEEDED,
    RECONCILIATION_FAILED,
    BUILD_FAILED,
    ARTIFACT_FAILED,
    DIRECTORY_CREATION_FAILED,
    DEPENDENCY_NOT_READY,
    PRUNE_FAILED,
    HEALTH_CHECK_FAILED,
    HEALTH_CHECK_CANCELED,
    ACCESS_DENIED,
    INVALID_CEL_EXPRESSION,
    FEATURE_GATE_DISABLED,
    SUCCEEDED,
];
