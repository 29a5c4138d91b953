//! How a run ends: what the summary says, and when the object runs again.
//!
//! Pure. Contract: source-controller §2.2, §2.3.

use std::time::Duration;

use millrace_api::ConditionedStatus;
use millrace_api::meta::Condition;
use millrace_api::meta::conditions::{self, READY, RECONCILING, STALLED, Status};
use millrace_reconcile::failure::Remedy;
use millrace_reconcile::report::Outcome;
use millrace_reconcile::{Failure, Next};

use crate::draft::Draft;
use crate::vocabulary::{ARTIFACT_IN_STORAGE, PROGRESSING_WITH_RETRY, SOURCE_VERIFIED};

/// How the work of a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The artifact is what the spec asks for.
    Done,
    /// It failed; the conditions already say where.
    Failed(Failure),
    /// There was nothing to do: the object is suspended.
    Suspended,
}

/// What follows from an ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conclusion {
    /// When the object runs again.
    pub(crate) next: Next,
    /// How the run counts.
    pub(crate) outcome: Outcome,
    /// What is returned to the runtime as an error, and logged as such.
    pub(crate) error: Option<String>,
}

/// Ends a run: settles `Stalled` and `Reconciling`, sums up in `Ready`, notes generation and request.
///
/// `priority` lists the condition types that count for `Ready`, most telling first.
pub(crate) fn conclude<S: ConditionedStatus>(
    draft: &mut Draft<S>,
    priority: &[&str],
    ending: &Ending,
    request: Option<&str>,
    interval: Duration,
) -> Conclusion {
    if let Some(request) = request {
        draft.status.set_last_handled_reconcile_at(request);
    }
    settle(draft, ending);
    summarize(draft, priority);
    let verdict = match ending {
        Ending::Done => not_ready(draft.status.conditions()).map_or(Ok(Next::Interval(interval)), Err),
        Ending::Suspended => Ok(Next::Done),
        Ending::Failed(failure) => match failure.remedy() {
            Remedy::Edit => Ok(Next::Done),
            Remedy::Wait(at_most) => Ok(Next::After(at_most)),
            Remedy::Retry => Err(failure.message().to_owned()),
        },
    };
    match verdict {
        Ok(next) => Conclusion { next, outcome: outcome_of(next), error: None },
        Err(error) => Conclusion { next: Next::Backoff, outcome: Outcome::Error, error: Some(error) },
    }
}

fn outcome_of(next: Next) -> Outcome {
    match next {
        Next::Done => Outcome::Success,
        Next::Interval(_) | Next::After(_) => Outcome::RequeueAfter,
        Next::Backoff | Next::Now => Outcome::Requeue,
    }
}

/// A run that got to its end without error and still isn't ready must not pass for a success.
fn not_ready(list: &[Condition]) -> Option<String> {
    match conditions::get(list, READY) {
        Some(ready) if Status::of(ready) != Status::True => Some(ready.message.clone()),
        Some(_) | None => None,
    }
}

fn settle<S: ConditionedStatus>(draft: &mut Draft<S>, ending: &Ending) {
    let generation = draft.generation();
    match ending {
        Ending::Done => {
            draft.delete(STALLED);
            draft.delete(RECONCILING);
            draft.status.set_observed_generation(generation);
        }
        Ending::Suspended => {
            draft.delete(STALLED);
            mark_retrying(draft);
            if !draft.status.conditions().is_empty() {
                draft.status.set_observed_generation(generation);
            }
        }
        Ending::Failed(failure) => match failure.remedy() {
            Remedy::Edit => {
                draft.delete(RECONCILING);
                draft.mark_true(STALLED, failure.reason(), failure.message());
                draft.status.set_observed_generation(generation);
            }
            Remedy::Wait(_) | Remedy::Retry => {
                draft.delete(STALLED);
                mark_retrying(draft);
            }
        },
    }
}

/// What was in progress is so still, in the next run.
fn mark_retrying<S: ConditionedStatus>(draft: &mut Draft<S>) {
    if let Some(reconciling) = conditions::get(draft.status.conditions(), RECONCILING) {
        let message = reconciling.message.clone();
        draft.mark_true(RECONCILING, PROGRESSING_WITH_RETRY, &message);
    }
}

/// Makes `Ready` repeat the most telling of the other conditions; leaves it alone if there is none.
fn summarize<S: ConditionedStatus>(draft: &mut Draft<S>, priority: &[&str]) {
    let list = draft.status.conditions();
    let unverified = conditions::get(list, SOURCE_VERIFIED)
        .filter(|verified| priority.contains(&SOURCE_VERIFIED) && Status::of(verified) == Status::False);
    let winner = match unverified {
        Some(unverified) => Some((Status::False, unverified)),
        None => most_telling(list, priority),
    };
    let Some((status, condition)) = winner else { return };
    let (reason, message) = (condition.reason.clone(), condition.message.clone());
    let entry = conditions::Entry { type_: READY, status, reason: &reason, message: &message };
    draft.set_entry(entry);
}

/// The first condition, by `priority`, of the group that decides, and what it decides.
fn most_telling<'a>(list: &'a [Condition], priority: &[&str]) -> Option<(Status, &'a Condition)> {
    let present = priority.iter().filter_map(|type_| conditions::get(list, type_));
    present
        .map(|condition| (rank(condition), condition))
        .min_by_key(|((rank, _), _)| *rank)
        .map(|((_, verdict), condition)| (verdict, condition))
}

/// Bad news first: what is wrong, what is not right, what is right, what is not wrong, what nobody knows.
fn rank(condition: &Condition) -> (u8, Status) {
    let positive = matches!(condition.type_.as_str(), ARTIFACT_IN_STORAGE | SOURCE_VERIFIED);
    match (Status::of(condition), positive) {
        (Status::True, false) => (0, Status::False),
        (Status::False, true) => (1, Status::False),
        (Status::True, true) => (2, Status::True),
        (Status::False, false) => (3, Status::True),
        (Status::Unknown, _) => (4, Status::Unknown),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use millrace_api::source::v1::GitRepositoryStatus;
    use millrace_reconcile::Reason;

    use super::*;
    use crate::vocabulary::{ARTIFACT_OUTDATED, FETCH_FAILED, STORAGE_OPERATION_FAILED, SUCCEEDED};

    const PRIORITY: &[&str] = &[
        STORAGE_OPERATION_FAILED,
        FETCH_FAILED,
        ARTIFACT_OUTDATED,
        ARTIFACT_IN_STORAGE,
        SOURCE_VERIFIED,
        STALLED,
        RECONCILING,
    ];
    const REASON: Reason = Reason::new("GitOperationFailed");
    const INTERVAL: Duration = Duration::from_mins(1);

    fn draft(conditions: &[(&str, Status, &str)]) -> Draft<GitRepositoryStatus> {
        let mut draft = Draft::new(GitRepositoryStatus::default(), 2, Timestamp::UNIX_EPOCH);
        for (type_, status, message) in conditions {
            draft.set(type_, *status, SUCCEEDED, message);
        }
        draft
    }

    /// Conditions, and what `Ready` then says.
    type Row<'a> = (&'a [(&'a str, Status, &'a str)], Option<(&'a str, &'a str)>);

    fn failed(remedy: Remedy) -> Ending {
        Ending::Failed(Failure::with_message(remedy, REASON, "no"))
    }

    fn ready(draft: &Draft<GitRepositoryStatus>) -> Option<(&str, &str)> {
        let ready = conditions::get(&draft.status.conditions, READY)?;
        Some((ready.status.as_str(), ready.message.as_str()))
    }

    #[test]
    fn ready_repeats_the_most_telling_condition() {
        let (t, f) = (Status::True, Status::False);
        let rows: &[Row<'_>] = &[
            (&[], None),
            (&[("Foreign", t, "x")], None),
            (&[(ARTIFACT_IN_STORAGE, t, "in")], Some(("True", "in"))),
            (&[(ARTIFACT_IN_STORAGE, t, "in"), (FETCH_FAILED, t, "no")], Some(("False", "no"))),
            (&[(FETCH_FAILED, t, "fetch"), (STORAGE_OPERATION_FAILED, t, "disk")], Some(("False", "disk"))),
            (&[(ARTIFACT_OUTDATED, t, "old"), (ARTIFACT_IN_STORAGE, t, "in")], Some(("False", "old"))),
            (&[(SOURCE_VERIFIED, f, "forged"), (FETCH_FAILED, t, "fetch")], Some(("False", "forged"))),
            (&[(ARTIFACT_IN_STORAGE, f, "out"), (SOURCE_VERIFIED, t, "ok")], Some(("False", "out"))),
            (&[(FETCH_FAILED, f, "fine")], Some(("True", "fine"))),
            (&[(FETCH_FAILED, Status::Unknown, "hm")], Some(("Unknown", "hm"))),
        ];
        for (conditions, expected) in rows {
            let mut draft = draft(conditions);
            summarize(&mut draft, PRIORITY);
            assert_eq!(ready(&draft), *expected, "{conditions:?}");
        }
    }

    /// The table of §2.2: next run, error, observed generation, `Stalled`, `Reconciling` with its reason.
    #[test]
    fn each_class_of_ending_has_its_consequences() {
        let stored = (ARTIFACT_IN_STORAGE, Status::True, "stored");
        let wait = Duration::from_secs(30);
        let rows = [
            (Ending::Done, Next::Interval(INTERVAL), None, Some(2), false, None),
            (failed(Remedy::Retry), Next::Backoff, Some("no"), None, false, Some("ProgressingWithRetry")),
            (failed(Remedy::Edit), Next::Done, None, Some(2), true, None),
            (failed(Remedy::Wait(wait)), Next::After(wait), None, None, false, Some("ProgressingWithRetry")),
            (Ending::Suspended, Next::Done, None, Some(2), false, Some("ProgressingWithRetry")),
        ];
        for (ending, next, error, observed, stalled, reconciling) in rows {
            let mut draft = draft(&[stored, (STALLED, Status::True, "old")]);
            draft.mark_true(RECONCILING, crate::vocabulary::PROGRESSING, "busy");
            let conclusion = conclude(&mut draft, PRIORITY, &ending, Some("r1"), INTERVAL);
            assert_eq!(conclusion.next, next, "{ending:?}");
            assert_eq!(conclusion.error.as_deref(), error, "{ending:?}");
            assert_eq!(draft.status.observed_generation, observed, "{ending:?}");
            assert_eq!(conditions::is_true(&draft.status.conditions, STALLED), stalled, "{ending:?}");
            let seen = conditions::get(&draft.status.conditions, RECONCILING).map(|c| c.reason.as_str());
            assert_eq!(seen, reconciling, "{ending:?}");
            assert_eq!(draft.status.last_handled_reconcile_at.as_deref(), Some("r1"), "{ending:?}");
        }
    }

    #[test]
    fn an_end_without_error_that_is_not_ready_is_an_error() {
        let mut draft = draft(&[(FETCH_FAILED, Status::True, "left behind")]);
        let conclusion = conclude(&mut draft, PRIORITY, &Ending::Done, None, INTERVAL);
        assert_eq!(conclusion.error.as_deref(), Some("left behind"));
        assert_eq!(conclusion.next, Next::Backoff);
    }

    #[test]
    fn an_untouched_suspended_object_stays_untouched() {
        let mut draft = draft(&[]);
        let conclusion = conclude(&mut draft, PRIORITY, &Ending::Suspended, None, INTERVAL);
        assert_eq!(draft.status, GitRepositoryStatus::default());
        assert_eq!(conclusion.outcome, Outcome::Success);
    }

    // SC-033: the value is kept as it is.
    #[test]
    fn a_blank_request_is_noted_verbatim() {
        let mut draft = draft(&[]);
        conclude(&mut draft, PRIORITY, &Ending::Done, Some("  "), INTERVAL);
        assert_eq!(draft.status.last_handled_reconcile_at.as_deref(), Some("  "));
    }
}
