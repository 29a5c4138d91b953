//! Cleans up behind an object that is being deleted.
//!
//! Contract: source-controller §2.10.

use millrace_api::source::v1::{GitRepository, GitRepositoryStatus};
use millrace_reconcile::events::{Event, Severity};
use millrace_reconcile::report::{Finalizer, Outcome};
use millrace_reconcile::status::StatusError;
use millrace_reconcile::{Next, Report, Run};

use super::work::Stop;
use super::{GitRepositories, location, log, unwritten};
use crate::stored::event;
use crate::vocabulary::{GARBAGE_COLLECTION_FAILED, GARBAGE_COLLECTION_SUCCEEDED};

/// Removes everything stored for the object. First it advertises nothing any more: whoever reads the status of an object
/// that is on its way out must not be sent to a file that is gone.
pub(super) async fn finalize(
    controller: &GitRepositories,
    run: &Run,
    object: &GitRepository,
) -> Report<GitRepositoryStatus> {
    let Ok(location) = location(object) else { return removed(object, false) };
    if let Some(status) = withdrawn(object) {
        match run.progress(object, &status).await {
            Ok(()) => {}
            Err(StatusError::Interrupted) => return Report::quiet(Next::Now),
            Err(error @ (StatusError::Api { .. } | StatusError::Encode { .. })) => {
                return not_removed(&unwritten(&error), Vec::new());
            }
        }
    }
    let work = controller.work(run, &location);
    let (storage, cache) = (controller.settings.storage.clone(), work.cache.clone());
    let outcome = work.local(move |_| {
        // The cache is only a cache: what stays of it costs space until the process is moved.
        let _ = std::fs::remove_dir_all(cache);
        storage.remove_all(&location)
    });
    match outcome.await {
        Ok(Ok(existed)) => removed(object, existed),
        Ok(Err(error)) => stuck(&format!("garbage collection for deleted resource failed: {error}")),
        Err(Stop::Trouble(trouble)) => stuck(trouble.failure.message()),
        Err(Stop::Cancelled) => Report::quiet(Next::Now),
    }
}

/// Everything stored for the object is gone, and so may it be.
fn removed(object: &GitRepository, existed: bool) -> Report<GitRepositoryStatus> {
    let message = "garbage collected artifacts for deleted resource".to_owned();
    let events =
        Vec::from_iter(existed.then(|| event(Severity::Trace, GARBAGE_COLLECTION_SUCCEEDED, message)));
    let status = withdrawn(object);
    let report =
        Report { status, events, finalizer: Finalizer::Remove, next: Next::Done, outcome: Outcome::Success };
    log(&report, None, None);
    report
}

/// The status without what it advertises.
fn withdrawn(object: &GitRepository) -> Option<GitRepositoryStatus> {
    object.status.clone().map(|status| GitRepositoryStatus { artifact: None, ..status })
}

/// Something stored for the object can't be removed, which is told.
fn stuck(message: &str) -> Report<GitRepositoryStatus> {
    not_removed(message, vec![event(Severity::Error, GARBAGE_COLLECTION_FAILED, message.to_owned())])
}

fn not_removed(message: &str, events: Vec<Event>) -> Report<GitRepositoryStatus> {
    let report = Report {
        status: None,
        events,
        finalizer: Finalizer::Keep,
        next: Next::Backoff,
        outcome: Outcome::Error,
    };
    log(&report, Some(message), None);
    report
}
