//! Condition types and reasons of the source kinds. Contract: source-controller §0.1, §0.2.

use millrace_reconcile::Reason;

/// The local file system failed.
pub(crate) const STORAGE_OPERATION_FAILED: &str = "StorageOperationFailed";
/// The upstream, or the way to it, failed.
pub(crate) const FETCH_FAILED: &str = "FetchFailed";
/// An included source is missing or has no artifact.
pub(crate) const INCLUDE_UNAVAILABLE: &str = "IncludeUnavailable";
/// Upstream is newer than what is stored.
pub(crate) const ARTIFACT_OUTDATED: &str = "ArtifactOutdated";
/// There is an artifact.
pub(crate) const ARTIFACT_IN_STORAGE: &str = "ArtifactInStorage";
/// What came of verifying signatures: true or false.
pub(crate) const SOURCE_VERIFIED: &str = "SourceVerified";

/// Everything is as the spec asks.
pub(crate) const SUCCEEDED: Reason = Reason::new("Succeeded");
/// It failed, and no other reason fits.
pub(crate) const FAILED: Reason = Reason::new("Failed");
/// A run is under way.
pub(crate) const PROGRESSING: Reason = Reason::new("Progressing");
/// The run failed and another one follows.
pub(crate) const PROGRESSING_WITH_RETRY: Reason = Reason::new("ProgressingWithRetry");
/// The spec uses something that a closed gate guards.
pub(crate) const FEATURE_GATE_DISABLED: Reason = Reason::new("FeatureGateDisabled");
/// The spec uses a field that this program doesn't support yet. Not upstream's.
pub(crate) const UNSUPPORTED_FIELD: Reason = Reason::new("UnsupportedField");
/// The address can't be parsed.
pub(crate) const URL_INVALID: Reason = Reason::new("URLInvalid");
/// Credentials are missing or make no sense.
pub(crate) const AUTHENTICATION_FAILED: Reason = Reason::new("AuthenticationFailed");
/// Provider and credentials don't fit together.
pub(crate) const INVALID_PROVIDER_CONFIGURATION: Reason = Reason::new("InvalidProviderConfiguration");
/// The folder of the artifact can't be made.
pub(crate) const DIRECTORY_CREATION_FAILED: Reason = Reason::new("DirectoryCreationFailed");
/// The artifact can't be written.
pub(crate) const ARCHIVE_OPERATION_FAILED: Reason = Reason::new("ArchiveOperationFailed");
/// A status in the middle of a run was refused.
pub(crate) const PATCH_OPERATION_FAILED: Reason = Reason::new("PatchOperationFailed");
/// What is stored is what is upstream.
pub(crate) const ARTIFACT_UP_TO_DATE: Reason = Reason::new("ArtifactUpToDate");
/// A Git operation told that nothing is new.
pub(crate) const GIT_OPERATION_SUCCEEDED: Reason = Reason::new("GitOperationSucceeded");
/// A Git operation failed.
pub(crate) const GIT_OPERATION_FAILED: Reason = Reason::new("GitOperationFailed");
/// The remote has no commit.
pub(crate) const EMPTY_GIT_REPOSITORY: Reason = Reason::new("EmptyGitRepository");
/// An ignore file can't be read.
pub(crate) const SOURCE_IGNORE_ERROR: Reason = Reason::new("SourceIgnoreError");
/// Upstream has a revision that isn't stored.
pub(crate) const NEW_REVISION: Reason = Reason::new("NewRevision");
/// An included source doesn't exist.
pub(crate) const NOT_FOUND: Reason = Reason::new("NotFound");
/// An included source has no artifact yet.
pub(crate) const NO_ARTIFACT: Reason = Reason::new("NoArtifact");
/// An included source has another artifact than before.
pub(crate) const INCLUDE_CHANGE: Reason = Reason::new("IncludeChange");
/// The place for an included source can't be determined.
pub(crate) const ILLEGAL_PATH: Reason = Reason::new("IllegalPath");
/// The files of an included source can't be had, or don't fit in.
pub(crate) const COPY_FAILURE: Reason = Reason::new("CopyFailure");
/// An artifact with another digest was stored.
pub(crate) const NEW_ARTIFACT: Reason = Reason::new("NewArtifact");
/// Old files were removed.
pub(crate) const GARBAGE_COLLECTION_SUCCEEDED: Reason = Reason::new("GarbageCollectionSucceeded");
/// The files of a deleted object could not be removed.
pub(crate) const GARBAGE_COLLECTION_FAILED: Reason = Reason::new("GarbageCollectionFailed");
/// A stored file isn't what its status says.
pub(crate) const ARTIFACT_VERIFICATION_FAILED: Reason = Reason::new("ArtifactVerificationFailed");
