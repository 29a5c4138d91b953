//! A status while a run works on it.
//!
//! Pure: conditions change by the rules of `api`, at a time that the run sets. What a draft says is written by the
//! run's progress patches and, at the end, by its report.

use jiff::Timestamp;
use millrace_api::ConditionedStatus;
use millrace_api::meta::conditions::{self, Entry, READY, RECONCILING, STALLED, Status};
use millrace_reconcile::Reason;

use crate::vocabulary::{ARTIFACT_IN_STORAGE, ARTIFACT_OUTDATED, PROGRESSING, SUCCEEDED};

/// The status as this run would write it now.
#[derive(Clone, Debug)]
pub(crate) struct Draft<S> {
    /// The status itself; conditions change through the methods.
    pub(crate) status: S,
    generation: i64,
    now: Timestamp,
}

impl<S: ConditionedStatus> Draft<S> {
    /// Starts from the status as read.
    pub(crate) fn new(status: S, generation: i64, now: Timestamp) -> Self {
        Self { status, generation, now }
    }

    /// Moves the time that transitions get.
    pub(crate) fn set_time(&mut self, now: Timestamp) {
        self.now = now;
    }

    /// The generation that the run works on.
    pub(crate) fn generation(&self) -> i64 {
        self.generation
    }

    /// Says that something is so.
    pub(crate) fn mark_true(&mut self, type_: &str, reason: Reason, message: &str) {
        self.set(type_, Status::True, reason, message);
    }

    /// Sets a condition.
    pub(crate) fn set(&mut self, type_: &str, status: Status, reason: Reason, message: &str) {
        self.set_entry(Entry { type_, status, reason: reason.as_str(), message });
    }

    /// Sets a condition whose reason comes from another one.
    pub(crate) fn set_entry(&mut self, entry: Entry<'_>) {
        conditions::set(self.status.conditions_mut(), entry, self.generation, self.now);
    }

    /// Removes a condition.
    pub(crate) fn delete(&mut self, type_: &str) {
        conditions::delete(self.status.conditions_mut(), type_);
    }

    /// Says that the run is at work; `Ready` says the same where it didn't say true or false.
    pub(crate) fn working(&mut self, message: &str) {
        let undecided = conditions::get(self.status.conditions(), READY)
            .is_none_or(|ready| Status::of(ready) == Status::Unknown);
        if undecided {
            self.set(READY, Status::Unknown, PROGRESSING, message);
        }
        self.delete(STALLED);
        self.mark_true(RECONCILING, PROGRESSING, message);
    }

    /// Says that a new artifact is being made, whatever `Ready` said before.
    pub(crate) fn building(&mut self, message: &str) {
        self.set(READY, Status::Unknown, PROGRESSING, message);
        self.working(message);
    }

    /// Starts the run, and says whether that is to be written at once: for a new generation or a new request.
    ///
    /// An absent request is none, other than upstream, where removing the annotation makes every later run write
    /// (trap T66).
    pub(crate) fn begin(&mut self, request: Option<&str>) -> bool {
        self.working("reconciliation in progress");
        let observed = self.status.observed_generation().unwrap_or(0);
        if observed != self.generation {
            self.working(&format!("processing object: new generation {observed} -> {}", self.generation));
            return true;
        }
        request.is_some_and(|request| request != self.status.last_handled_reconcile_at().unwrap_or_default())
    }

    /// Says that the artifact of a revision is in the store and is what the spec asks for.
    pub(crate) fn stored(&mut self, revision: &str) {
        self.delete(ARTIFACT_OUTDATED);
        let message = format!("stored artifact for revision '{revision}'");
        self.mark_true(ARTIFACT_IN_STORAGE, SUCCEEDED, &message);
    }
}

#[cfg(test)]
mod tests {
    use millrace_api::source::v1::GitRepositoryStatus;

    use super::*;

    fn draft(observed: i64, generation: i64) -> Draft<GitRepositoryStatus> {
        let status = GitRepositoryStatus {
            observed_generation: Some(observed),
            last_handled_reconcile_at: Some("r1".to_owned()),
            ..GitRepositoryStatus::default()
        };
        Draft::new(status, generation, Timestamp::UNIX_EPOCH)
    }

    fn said(draft: &Draft<GitRepositoryStatus>) -> Vec<(&str, &str, &str)> {
        let conditions = draft.status.conditions.iter();
        conditions.map(|c| (c.type_.as_str(), c.status.as_str(), c.message.as_str())).collect()
    }

    #[test]
    fn a_run_is_announced_for_a_new_generation_or_a_new_request() {
        let cases = [
            ("new object", draft(-1, 1), None, true, "processing object: new generation -1 -> 1"),
            ("nothing new", draft(1, 1), Some("r1"), false, "reconciliation in progress"),
            ("new request", draft(1, 1), Some("r2"), true, "reconciliation in progress"),
            ("blank request", draft(1, 1), Some("  "), true, "reconciliation in progress"),
            ("request removed", draft(1, 1), None, false, "reconciliation in progress"),
        ];
        for (what, mut draft, request, announced, message) in cases {
            assert_eq!(draft.begin(request), announced, "{what}");
            assert_eq!(said(&draft), [(RECONCILING, "True", message), (READY, "Unknown", message)], "{what}");
        }
    }

    // Part of SC-022: the old verdict stands until there is a new one.
    #[test]
    fn a_ready_object_stays_ready_while_its_new_generation_is_worked_on() {
        let mut draft = draft(1, 2);
        draft.set(READY, Status::True, SUCCEEDED, "stored");
        draft.mark_true(STALLED, PROGRESSING, "gone at once");
        draft.begin(None);
        let message = "processing object: new generation 1 -> 2";
        assert_eq!(said(&draft), [(RECONCILING, "True", message), (READY, "True", "stored")]);
        draft.building("building artifact");
        assert_eq!(
            said(&draft),
            [(RECONCILING, "True", "building artifact"), (READY, "Unknown", "building artifact")]
        );
    }
}
