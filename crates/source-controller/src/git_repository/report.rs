//! Turns the outcome of a run into status, events and the next run, without I/O.
//!
//! Contract: source-controller §2.3, §5.2.

use std::collections::BTreeMap;

use millrace_api::meta::conditions::{READY, RECONCILING, STALLED, is_true};
use millrace_api::meta::{Artifact, Condition, RECONCILE_REQUEST_ANNOTATION};
use millrace_api::source::v1::{GitRepository, GitRepositoryStatus};
use millrace_reconcile::events::{Event, Severity};
use millrace_reconcile::failure::Remedy;
use millrace_reconcile::report::Finalizer;
use millrace_reconcile::{Failure, Report};

use crate::conclude::{Conclusion, Ending, conclude};
use crate::draft::Draft;
use crate::stored::event;
use crate::trouble::Trouble;
use crate::vocabulary::{
    ARTIFACT_IN_STORAGE, ARTIFACT_OUTDATED, ARTIFACT_UP_TO_DATE, FETCH_FAILED, GIT_OPERATION_SUCCEEDED,
    INCLUDE_UNAVAILABLE, NEW_ARTIFACT, SOURCE_VERIFIED, STORAGE_OPERATION_FAILED, SUCCEEDED,
};

/// The conditions that count for `Ready`, most telling first.
const PRIORITY: &[&str] = &[
    STORAGE_OPERATION_FAILED,
    FETCH_FAILED,
    INCLUDE_UNAVAILABLE,
    ARTIFACT_OUTDATED,
    ARTIFACT_IN_STORAGE,
    SOURCE_VERIFIED,
    STALLED,
    RECONCILING,
];

/// The condition types that this controller owns.
pub(crate) const OWNED: &[&str] = &[
    READY,
    STORAGE_OPERATION_FAILED,
    FETCH_FAILED,
    INCLUDE_UNAVAILABLE,
    ARTIFACT_OUTDATED,
    ARTIFACT_IN_STORAGE,
    SOURCE_VERIFIED,
    STALLED,
    RECONCILING,
];

/// Whoever saw one of these true is told when it is over.
const ALARMING: [&str; 3] = [FETCH_FAILED, INCLUDE_UNAVAILABLE, STORAGE_OPERATION_FAILED];

/// The longest part of a commit's subject that an event repeats, in characters.
const SUBJECT_LIMIT: usize = 50;

/// How the work ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// The object is suspended.
    Suspended,
    /// A listing of the remote told that nothing is new.
    Kept { revision: String },
    /// Upstream would have checked out and found nothing new.
    UpToDate { revision: String },
    /// An artifact was stored.
    Published { message: String },
}

/// Writes the report of a run; `before` is the object as read, `events` what happened on the way.
pub(crate) fn report(
    before: &GitRepository,
    mut draft: Draft<GitRepositoryStatus>,
    result: Result<Done, Trouble>,
    mut events: Vec<Event>,
) -> (Report<GitRepositoryStatus>, Option<String>) {
    let ending = match result {
        Ok(Done::Suspended) => Ending::Suspended,
        Ok(done) => {
            success_events(before, &draft, &done, &mut events);
            Ending::Done
        }
        Err(Trouble { condition, failure }) => {
            if let Some(condition) = condition {
                draft.mark_true(condition, failure.reason(), failure.message());
            }
            events.push(failure_event(&failure));
            Ending::Failed(failure)
        }
    };
    let request = before.metadata.annotations.as_ref().and_then(|all| all.get(RECONCILE_REQUEST_ANNOTATION));
    let interval = before.spec.interval.as_std();
    let Conclusion { next, outcome, error } =
        conclude(&mut draft, PRIORITY, &ending, request.map(String::as_str), interval);
    let report = Report { status: Some(draft.status), events, finalizer: Finalizer::Keep, next, outcome };
    (report, error)
}

fn failure_event(failure: &Failure) -> Event {
    let severity = match failure.remedy() {
        Remedy::Edit | Remedy::Retry => Severity::Error,
        Remedy::Wait(_) => Severity::Trace,
    };
    event(severity, failure.reason(), failure.message().to_owned())
}

/// What to tell about a success: nothing but traces, unless the content is new or a failure is over.
fn success_events(
    before: &GitRepository,
    draft: &Draft<GitRepositoryStatus>,
    done: &Done,
    events: &mut Vec<Event>,
) {
    let subject = match done {
        Done::Suspended => return,
        Done::Kept { revision } | Done::UpToDate { revision } => revision.clone(),
        Done::Published { message } => short_subject(message),
    };
    if let Done::UpToDate { revision } = done {
        let message = format!("artifact up-to-date with remote revision: '{revision}'");
        events.push(event(Severity::Trace, ARTIFACT_UP_TO_DATE, message));
    }
    let old = before.status.as_ref();
    if let Some(artifact) = &draft.status.artifact {
        let old_digest =
            old.and_then(|status| status.artifact.as_ref()).map(|artifact| artifact.digest.as_str());
        let recovered =
            old.is_some_and(|old| is_alarming(&old.conditions)) && !is_alarming(&draft.status.conditions);
        let reason = match old_digest {
            Some(digest) if artifact.has_digest(digest) => recovered.then_some(SUCCEEDED),
            Some(_) | None => Some(NEW_ARTIFACT),
        };
        if let Some(reason) = reason {
            let message = format!("stored artifact for commit '{subject}'");
            events.push(Event { severity: Severity::Info, reason, message, metadata: metadata(artifact) });
        }
    }
    if let Done::Kept { revision } = done {
        events.push(event(Severity::Trace, GIT_OPERATION_SUCCEEDED, no_changes(revision)));
    }
}

fn no_changes(revision: &str) -> String {
    format!("no changes since last reconciliation: observed revision '{revision}'")
}

fn is_alarming(list: &[Condition]) -> bool {
    ALARMING.iter().any(|type_| is_true(list, type_))
}

/// The revision and digest that travel with events about content.
fn metadata(artifact: &Artifact) -> BTreeMap<String, String> {
    let key = |name: &str| format!("{}/{name}", millrace_api::source::GROUP);
    BTreeMap::from([(key("revision"), artifact.revision.clone()), (key("digest"), artifact.digest.clone())])
}

/// The first line of a commit message, cut after 50 characters.
fn short_subject(message: &str) -> String {
    let subject = message.split('\n').next().unwrap_or_default();
    match subject.char_indices().nth(SUBJECT_LIMIT) {
        Some((end, _)) => format!("{}...", &subject[..end]),
        None => subject.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use millrace_api::meta::Time;
    use millrace_api::meta::conditions::{self, Status};
    use millrace_reconcile::Next;
    use millrace_reconcile::report::Outcome;
    use serde_json::json;

    use super::*;
    use crate::vocabulary::{
        AUTHENTICATION_FAILED, EMPTY_GIT_REPOSITORY, GIT_OPERATION_FAILED, NEW_REVISION, URL_INVALID,
    };

    const C1: &str = "main@sha1:5394cb7f48332b2de7c17dd8b8384bbc84b7e738";
    const C2: &str = "main@sha1:731f7eaddfb6af01cb2173e18f0f75b0ba780ef1";

    fn object(status: GitRepositoryStatus) -> GitRepository {
        let mut object: GitRepository = serde_json::from_value(json!({
            "metadata": { "name": "app", "namespace": "t", "generation": 1 },
            "spec": { "url": "https://example.com/r", "interval": "1m" },
        }))
        .unwrap();
        object.status = Some(status);
        object
    }

    fn artifact(revision: &str, digest: &str) -> Artifact {
        Artifact {
            digest: digest.to_owned(),
            last_update_time: Time(Timestamp::UNIX_EPOCH),
            metadata: BTreeMap::new(),
            path: "p".to_owned(),
            revision: revision.to_owned(),
            size: Some(1),
            url: "http://sc.test/p".to_owned(),
        }
    }

    fn draft(status: GitRepositoryStatus) -> Draft<GitRepositoryStatus> {
        let mut draft = Draft::new(status, 1, Timestamp::UNIX_EPOCH);
        draft.begin(None);
        draft
    }

    /// A status that holds an artifact and says so.
    fn healthy(revision: &str, digest: &str) -> GitRepositoryStatus {
        let status = GitRepositoryStatus {
            artifact: Some(artifact(revision, digest)),
            observed_generation: Some(1),
            ..Default::default()
        };
        let mut draft = Draft::new(status, 1, Timestamp::UNIX_EPOCH);
        draft.stored(revision);
        draft.set(READY, Status::True, SUCCEEDED, &format!("stored artifact for revision '{revision}'"));
        draft.status
    }

    fn states(status: &GitRepositoryStatus) -> Vec<(&str, &str, &str, &str)> {
        let conditions = status.conditions.iter();
        conditions
            .map(|c| (c.type_.as_str(), c.status.as_str(), c.reason.as_str(), c.message.as_str()))
            .collect()
    }

    fn told(events: &[Event]) -> Vec<(Severity, &str, &str)> {
        events.iter().map(|e| (e.severity, e.reason.as_str(), e.message.as_str())).collect()
    }

    // SC-008 and SC-016, the end of the run.
    #[test]
    fn a_first_artifact_makes_the_object_ready_and_is_told() {
        let subject = "x".repeat(60);
        let before = object(GitRepositoryStatus { observed_generation: Some(-1), ..Default::default() });
        let mut draft = draft(before.status.clone().unwrap());
        draft.status.artifact = Some(artifact(C1, "sha256:1"));
        draft.stored(C1);
        let done = Done::Published { message: format!("{subject}\n\nbody") };
        let (report, error) = report(&before, draft, Ok(done), vec![]);
        let status = report.status.unwrap();
        let message = format!("stored artifact for revision '{C1}'");
        assert_eq!(
            states(&status),
            [
                ("Ready", "True", "Succeeded", &*message),
                ("ArtifactInStorage", "True", "Succeeded", &*message)
            ]
        );
        assert_eq!((status.observed_generation, error), (Some(1), None));
        assert_eq!(report.next, Next::Interval(std::time::Duration::from_mins(1)));
        assert_eq!(report.outcome, Outcome::RequeueAfter);
        let text = format!("stored artifact for commit '{}...'", "x".repeat(50));
        assert_eq!(told(&report.events), [(Severity::Info, "NewArtifact", &*text)]);
        let metadata = &report.events[0].metadata;
        assert_eq!(metadata["source.toolkit.fluxcd.io/revision"], C1);
        assert_eq!(metadata["source.toolkit.fluxcd.io/digest"], "sha256:1");
    }

    // SC-011: nothing in the status moves, and only Kubernetes is told.
    #[test]
    fn a_run_without_news_changes_nothing_and_leaves_a_trace() {
        let before = object(healthy(C1, "sha256:1"));
        let mut draft = draft(before.status.clone().unwrap());
        draft.stored(C1);
        let (report, _) = report(&before, draft, Ok(Done::Kept { revision: C1.to_owned() }), vec![]);
        assert_eq!(report.status, before.status);
        let text = format!("no changes since last reconciliation: observed revision '{C1}'");
        assert_eq!(told(&report.events), [(Severity::Trace, "GitOperationSucceeded", &*text)]);
    }

    // SC-018: what a failing object shows; the artifact of another branch of §2.12 stays, as in SC-022.
    #[test]
    fn a_failure_shows_in_ready_and_keeps_the_artifact() {
        let text = "failed to checkout and determine revision: unable to clone 'u': couldn't find remote ref \"refs/heads/nope\"";
        let trouble = || Trouble::retry(FETCH_FAILED, GIT_OPERATION_FAILED, text);
        let before = object(GitRepositoryStatus { observed_generation: Some(-1), ..Default::default() });
        let new = draft(before.status.clone().unwrap());
        let (first, error) = report(&before, new, Err(trouble()), vec![]);
        let status = first.status.unwrap();
        assert_eq!(status.observed_generation, Some(-1));
        let seen = states(&status);
        assert_eq!((seen[0].0, seen[0].1, seen[0].2), ("Reconciling", "True", "ProgressingWithRetry"));
        assert_eq!(seen[1], ("Ready", "False", "GitOperationFailed", text));
        assert_eq!(seen[2], ("FetchFailed", "True", "GitOperationFailed", text));
        assert_eq!(told(&first.events), [(Severity::Error, "GitOperationFailed", text)]);
        assert!(first.events[0].metadata.is_empty());
        assert_eq!((first.next, error.as_deref()), (Next::Backoff, Some(text)));

        let before = object(healthy(C1, "sha256:1"));
        let (second, _) = report(&before, draft(before.status.clone().unwrap()), Err(trouble()), vec![]);
        let status = second.status.unwrap();
        assert!(status.artifact.is_some() && is_true(&status.conditions, ARTIFACT_IN_STORAGE));
    }

    // SC-021: the end of the failure is told once, under the name of the revision.
    #[test]
    fn recovery_without_new_content_is_told() {
        let mut failing = healthy(C1, "sha256:1");
        let mut earlier = Draft::new(failing.clone(), 1, Timestamp::UNIX_EPOCH);
        earlier.mark_true(FETCH_FAILED, GIT_OPERATION_FAILED, "refused");
        failing.conditions = earlier.status.conditions;
        let before = object(failing);
        let mut draft = draft(before.status.clone().unwrap());
        draft.delete(FETCH_FAILED);
        draft.stored(C1);
        let (report, _) = report(&before, draft, Ok(Done::Kept { revision: C1.to_owned() }), vec![]);
        let text = format!("stored artifact for commit '{C1}'");
        assert_eq!(told(&report.events)[0], (Severity::Info, "Succeeded", &*text));
        assert_eq!(report.events.len(), 2);
    }

    #[test]
    fn an_up_to_date_checkout_has_words_of_its_own() {
        let before = object(healthy(C1, "sha256:1"));
        let mut draft = draft(before.status.clone().unwrap());
        draft.stored(C1);
        let (report, _) = report(&before, draft, Ok(Done::UpToDate { revision: C1.to_owned() }), vec![]);
        let text = format!("artifact up-to-date with remote revision: '{C1}'");
        assert_eq!(told(&report.events), [(Severity::Trace, "ArtifactUpToDate", &*text)]);
    }

    // SC-025: a rebuild with the same digest is silent.
    #[test]
    fn a_rebuild_of_the_same_content_is_not_told() {
        let before = object(healthy(C1, "sha256:1"));
        let mut draft = draft(before.status.clone().unwrap());
        draft.stored(C1);
        let (report, _) = report(&before, draft, Ok(Done::Published { message: "one".to_owned() }), vec![]);
        assert_eq!(told(&report.events), []);
    }

    #[test]
    fn a_failure_that_only_an_edit_mends_stalls() {
        let before = object(GitRepositoryStatus::default());
        let trouble = Trouble::stalled(FETCH_FAILED, URL_INVALID, "failed to parse url 'x': no");
        let (report, error) = report(&before, draft(GitRepositoryStatus::default()), Err(trouble), vec![]);
        let status = report.status.unwrap();
        let types: Vec<_> = states(&status).iter().map(|state| (state.0, state.1, state.2)).collect();
        assert_eq!(
            types,
            [
                ("Stalled", "True", "URLInvalid"),
                ("Ready", "False", "URLInvalid"),
                ("FetchFailed", "True", "URLInvalid")
            ]
        );
        assert_eq!((report.next, error, status.observed_generation), (Next::Done, None, Some(1)));
    }

    // SC-023, the status.
    #[test]
    fn a_suspended_object_handles_its_request_and_stays_ready() {
        let mut before = object(healthy(C1, "sha256:1"));
        before.metadata.annotations =
            Some([(RECONCILE_REQUEST_ANNOTATION.to_owned(), "r3".to_owned())].into());
        let draft = Draft::new(before.status.clone().unwrap(), 2, Timestamp::UNIX_EPOCH);
        let (report, _) = report(&before, draft, Ok(Done::Suspended), vec![]);
        let status = report.status.unwrap();
        assert_eq!(status.last_handled_reconcile_at.as_deref(), Some("r3"));
        assert_eq!(status.observed_generation, Some(2));
        assert!(is_true(&status.conditions, READY));
        assert_eq!((report.next, report.events.len()), (Next::Done, 0));
    }

    // The rows of §7.2 that differ in nothing but condition, reason and text.
    #[test]
    fn every_fetch_failure_is_retried_and_mirrored_by_ready() {
        for reason in [AUTHENTICATION_FAILED, GIT_OPERATION_FAILED, EMPTY_GIT_REPOSITORY] {
            let before = object(GitRepositoryStatus::default());
            let trouble = Trouble::retry(FETCH_FAILED, reason, "text");
            let (report, error) =
                report(&before, draft(GitRepositoryStatus::default()), Err(trouble), vec![]);
            let status = report.status.unwrap();
            let ready = conditions::get(&status.conditions, READY).unwrap();
            assert_eq!((ready.reason.as_str(), ready.message.as_str()), (reason.as_str(), "text"));
            assert_eq!((report.next, error.as_deref()), (Next::Backoff, Some("text")), "{reason}");
        }
    }

    // Part of SC-012: an outdated artifact leaves no mark once the new one is stored.
    #[test]
    fn a_new_revision_replaces_the_old_marks() {
        let before = object(healthy(C1, "sha256:1"));
        let mut draft = draft(before.status.clone().unwrap());
        draft.mark_true(ARTIFACT_OUTDATED, NEW_REVISION, &format!("new upstream revision '{C2}'"));
        draft.status.artifact = Some(artifact(C2, "sha256:2"));
        draft.stored(C2);
        let (report, _) = report(&before, draft, Ok(Done::Published { message: "two".to_owned() }), vec![]);
        let status = report.status.unwrap();
        assert!(conditions::get(&status.conditions, ARTIFACT_OUTDATED).is_none());
        assert_eq!(
            told(&report.events),
            [(Severity::Info, "NewArtifact", "stored artifact for commit 'two'")]
        );
    }
}
