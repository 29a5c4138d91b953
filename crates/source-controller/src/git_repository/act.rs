//! Publishes the files of a commit.
//!
//! Contract: source-controller §2.5 (artifact), §3.4, §7.7.

use std::collections::BTreeMap;
use std::io;

use jiff::Timestamp;
use millrace_api::meta::{Artifact, time};
use millrace_artifact::archive::{self, Written};
use millrace_artifact::ignore::Rules;
use millrace_artifact::storage::{InvalidPath, Location, PublishError, Storage, Stored};
use millrace_git::Checkout;
use millrace_reconcile::failure::chain;
use millrace_reconcile::permits::Interrupt;
use millrace_reconcile::{Failure, Reason};

use super::include::{self, IncludeError, OpenInclude};
use super::interruptible::Interruptible;
use super::tree::{CommitTree, Selection};
use super::work::{Stop, Work};
use super::work_tree::WorkTree;
use crate::trouble::Trouble;
use crate::vocabulary::{
    ARCHIVE_OPERATION_FAILED, DIRECTORY_CREATION_FAILED, FAILED, SOURCE_IGNORE_ERROR,
    STORAGE_OPERATION_FAILED,
};

/// A commit to be published.
pub(crate) struct Publication {
    pub(crate) storage: Storage,
    pub(crate) location: Location,
    pub(crate) checkout: Checkout,
    pub(crate) revision: String,
    /// `spec.ignore`.
    pub(crate) ignore: Option<String>,
    /// What of the commit is taken.
    pub(crate) selection: Selection,
    /// What is added to it.
    pub(crate) includes: Vec<OpenInclude>,
}

/// Why a commit isn't published.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArchiveError {
    #[error(transparent)]
    Include(#[from] IncludeError),
    #[error("failed to load source ignore patterns from repository")]
    Ignore(#[source] io::Error),
    #[error(transparent)]
    Path(#[from] InvalidPath),
    #[error(transparent)]
    Publish(PublishError),
}

/// Writes the artifact. It appears at once or not at all; what was there before stays until then. Cut short, it leaves
/// nothing behind.
pub(crate) async fn publish(work: &Work<'_>, publication: Publication) -> Result<Artifact, Stop> {
    let archived = work.local(move |interrupt| archive(&publication, interrupt)).await?;
    let (artifact, written) = archived.map_err(refused)?;
    if written.skipped_links > 0 {
        // Builds that need them fail later, far from here (trap T11).
        tracing::debug!(links = written.skipped_links, "symbolic links are not part of the artifact");
    }
    Ok(artifact)
}

fn archive(publication: &Publication, interrupt: &Interrupt) -> Result<(Artifact, Written), ArchiveError> {
    let Publication { storage, location, checkout, revision, ignore, selection, includes } = publication;
    let mut tree = WorkTree::new(CommitTree { checkout, selection });
    include::place(&mut tree, includes)?;
    let tree = Interruptible { tree, interrupt };
    let rules = Rules::load(&tree, ignore.as_deref()).map_err(ArchiveError::Ignore)?;
    let path = location.file(&format!("{}.tar.gz", checkout.commit().id))?;
    let fill = |out: &mut dyn io::Write| archive::write(&tree, &rules, out).map(|(_, written)| written);
    let (stored, written) = storage.publish(&path, fill).map_err(ArchiveError::Publish)?;
    Ok((artifact_of(storage, stored, revision), written))
}

fn artifact_of(storage: &Storage, stored: Stored, revision: &str) -> Artifact {
    let Stored { path, digest, size, modified } = stored;
    // A file system whose clock is beyond the range of timestamps has other troubles.
    let written_at = Timestamp::try_from(modified).unwrap_or(Timestamp::UNIX_EPOCH);
    Artifact {
        digest: digest.to_string(),
        last_update_time: time::whole_seconds(written_at),
        metadata: BTreeMap::new(),
        url: storage.url(&path),
        path: path.to_string(),
        revision: revision.to_owned(),
        size: i64::try_from(size).ok(),
    }
}

fn refused(error: ArchiveError) -> Trouble {
    let at = |reason: Reason, message: String| Trouble::retry(STORAGE_OPERATION_FAILED, reason, message);
    match error {
        ArchiveError::Include(error) => include::refused(error),
        // Upstream sets no condition here and leaves a stale text in `Ready` (trap T18).
        ArchiveError::Ignore(_) => at(SOURCE_IGNORE_ERROR, chain(&error)),
        ArchiveError::Publish(PublishError::Folder(_)) => at(DIRECTORY_CREATION_FAILED, chain(&error)),
        ArchiveError::Publish(PublishError::Lock(_)) => Trouble::unseen(Failure::transient(FAILED, error)),
        ArchiveError::Path(_) | ArchiveError::Publish(PublishError::Write(_) | PublishError::Path(_)) => {
            at(ARCHIVE_OPERATION_FAILED, format!("unable to archive artifact to storage: {}", chain(&error)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SC-113, the condition; and the other rows of §7.7 that a Git source can meet.
    #[test]
    fn every_storage_failure_has_its_reason_and_its_words() {
        let full = || io::Error::other("no space left on device");
        let rows = [
            (
                ArchiveError::Publish(PublishError::Write(full())),
                Some(STORAGE_OPERATION_FAILED),
                ARCHIVE_OPERATION_FAILED,
                "unable to archive artifact to storage: no space left on device",
            ),
            (
                ArchiveError::Publish(PublishError::Folder(full())),
                Some(STORAGE_OPERATION_FAILED),
                DIRECTORY_CREATION_FAILED,
                "failed to create artifact directory: no space left on device",
            ),
            (
                ArchiveError::Publish(PublishError::Lock(full())),
                None,
                FAILED,
                "failed to acquire lock for artifact: no space left on device",
            ),
            (
                ArchiveError::Ignore(full()),
                Some(STORAGE_OPERATION_FAILED),
                SOURCE_IGNORE_ERROR,
                "failed to load source ignore patterns from repository: no space left on device",
            ),
        ];
        for (error, condition, reason, message) in rows {
            let trouble = refused(error);
            assert_eq!((trouble.condition, trouble.failure.reason()), (condition, reason));
            assert_eq!(trouble.failure.message(), message);
        }
    }
}
