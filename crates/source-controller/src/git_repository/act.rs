//! Publishes the files of a commit.
//!
//! Contract: source-controller §2.5 (artifact), §3.4, §7.7.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use millrace_api::meta::{Artifact, GoDuration, time};
use millrace_artifact::archive::{self, Written};
use millrace_artifact::ignore::Rules;
use millrace_artifact::storage::{ArtifactPath, InvalidPath, Location, Lock, PublishError, Storage, Stored};
use millrace_git::{Checkout, GitError, TreeError};
use millrace_reconcile::failure::chain;
use millrace_reconcile::permits::Interrupt;
use millrace_reconcile::{Failure, Reason};
use tokio::time::Instant;

use super::include::{self, IncludeError, OpenInclude};
use super::interruptible::Interruptible;
use super::tree::{CommitTree, Selection};
use super::visit;
use super::work::{Stop, Work};
use super::work_tree::WorkTree;
use crate::trouble::Trouble;
use crate::vocabulary::{
    ARCHIVE_OPERATION_FAILED, DIRECTORY_CREATION_FAILED, FAILED, SOURCE_IGNORE_ERROR,
    STORAGE_OPERATION_FAILED,
};

/// How long to wait before the next look at a lock that another process has: longer each time.
const LOCK_POLL: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(500));

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
    /// How long another process may keep the file locked: `spec.timeout`.
    pub(crate) timeout: Duration,
}

/// Why a commit isn't published.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArchiveError {
    #[error(transparent)]
    Include(#[from] IncludeError),
    #[error("failed to load source ignore patterns from repository")]
    Ignore(#[source] io::Error),
    #[error(transparent)]
    Tree(GitError),
    #[error(transparent)]
    Path(#[from] InvalidPath),
    #[error(
        "failed to acquire lock for artifact: '{}' has been locked by another process for {waited}",
        .file.display()
    )]
    Locked { file: PathBuf, waited: GoDuration },
    #[error(transparent)]
    Publish(PublishError),
}

/// Writes the artifact. It appears at once or not at all; what was there before stays until then. Cut short, it leaves
/// nothing behind.
pub(crate) async fn publish(work: &Work<'_>, publication: Publication) -> Result<Artifact, Stop> {
    let path = publication.path().map_err(|error| refused(error.into()))?;
    let lock = lock(work, publication.storage.clone(), path, publication.timeout).await?;
    let archived = work.local(move |interrupt| archive(&publication, lock, interrupt)).await?;
    let (artifact, written) = archived.map_err(refused)?;
    if written.skipped_links > 0 {
        // Builds that need them fail later, far from here (trap T11).
        tracing::debug!(links = written.skipped_links, "symbolic links are not part of the artifact");
    }
    Ok(artifact)
}

/// Locks the artifact's file, which another process may have for as long as `timeout`. Until then, neither a thread nor a
/// worker slot is held.
async fn lock(
    work: &Work<'_>,
    storage: Storage,
    path: ArtifactPath,
    timeout: Duration,
) -> Result<Lock, Stop> {
    let deadline = Instant::now() + timeout;
    let (mut pause, longest) = LOCK_POLL;
    loop {
        let (store, file) = (storage.clone(), path.clone());
        let locked = work.local(move |_| store.try_lock(&file)).await?;
        if let Some(lock) = locked.map_err(|error| refused(ArchiveError::Publish(error)))? {
            return Ok(lock);
        }
        let now = Instant::now();
        if now >= deadline {
            let (file, waited) = (storage.lock_file(&path), GoDuration::from(timeout));
            return Err(refused(ArchiveError::Locked { file, waited }).into());
        }
        let next = (now + pause).min(deadline);
        work.run.wait(tokio::time::sleep_until(next)).await.map_err(|_| Stop::Cancelled)?;
        pause = (pause * 2).min(longest);
    }
}

impl Publication {
    fn path(&self) -> Result<ArtifactPath, InvalidPath> {
        self.location.file(&format!("{}.tar.gz", self.checkout.commit().id))
    }
}

fn archive(
    publication: &Publication,
    lock: Lock,
    interrupt: &Interrupt,
) -> Result<(Artifact, Written), ArchiveError> {
    let Publication { storage, checkout, revision, ignore, selection, includes, .. } = publication;
    let mut tree = WorkTree::new(CommitTree { checkout, selection });
    include::place(&mut tree, includes)?;
    let tree = Interruptible { tree, interrupt };
    let rules = Rules::load(&tree, ignore.as_deref()).map_err(|error| unreadable(checkout, error))?;
    let fill = |out: &mut dyn io::Write| archive::write(&tree, &rules, out).map(|(_, written)| written);
    let (stored, written) = storage.publish(lock, fill).map_err(ArchiveError::Publish)?;
    Ok((artifact_of(storage, stored, revision), written))
}

/// Why the ignore files of a commit can't be found: mostly for their own sake, but they are the first that all folders are
/// listed for, and one may have an entry that leads out of the tree. Git doesn't check such a commit out.
fn unreadable(checkout: &Checkout, error: io::Error) -> ArchiveError {
    if TreeError::of(&error).is_none() {
        return ArchiveError::Ignore(error);
    }
    ArchiveError::Tree(GitError::Unreadable { commit: checkout.commit().id.clone(), source: error })
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
        ArchiveError::Tree(error) => visit::classify(error),
        ArchiveError::Publish(PublishError::Folder(_)) => at(DIRECTORY_CREATION_FAILED, chain(&error)),
        ArchiveError::Locked { .. } | ArchiveError::Publish(PublishError::Lock(_)) => {
            Trouble::unseen(Failure::transient(FAILED, error))
        }
        ArchiveError::Path(_) | ArchiveError::Publish(PublishError::Write(_) | PublishError::Path(_)) => {
            at(ARCHIVE_OPERATION_FAILED, format!("unable to archive artifact to storage: {}", chain(&error)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::{FETCH_FAILED, GIT_OPERATION_FAILED};

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
                ArchiveError::Locked {
                    file: "/data/a.tar.gz.lock".into(),
                    waited: GoDuration::from(Duration::from_mins(1)),
                },
                None,
                FAILED,
                "failed to acquire lock for artifact: '/data/a.tar.gz.lock' has been locked by another process for 1m0s",
            ),
            (
                ArchiveError::Tree(GitError::Unreadable { commit: "c1".to_owned(), source: full() }),
                Some(FETCH_FAILED),
                GIT_OPERATION_FAILED,
                "failed to checkout and determine revision: unable to read commit 'c1': no space left on device",
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
