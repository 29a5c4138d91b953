//! The status as it will be: changed by the run, written by the runner.
//!
//! Contract: kustomize-controller §2.2, §2.3 (E1–E3), §1.5.

use jiff::Timestamp;
use millrace_api::Reconcilable as _;
use millrace_api::kustomize::v1::{Kustomization, KustomizationStatus};
use millrace_api::meta::conditions::{self, Entry, HEALTHY, READY, RECONCILING, STALLED, Status};
use millrace_api::meta::{Condition, RECONCILE_REQUEST_ANNOTATION};
use millrace_reconcile::Reason;

use crate::reason;

/// The condition types of this controller.
pub(crate) const OWNED: &[&str] = &[READY, HEALTHY, RECONCILING, STALLED];

/// A status in the making.
///
/// A phase that was never shown leaves no trace in transition times: a pass that ends as it began keeps them.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    /// The fields that are not conditions, for the run to change.
    pub(crate) status: KustomizationStatus,
    shown: Vec<Condition>,
    generation: i64,
    requested_at: Option<String>,
}

impl Draft {
    /// The status of `object` as it was read.
    pub(crate) fn of(object: &Kustomization) -> Self {
        let status = object.status().cloned().unwrap_or_default();
        let annotations = object.metadata.annotations.as_ref();
        Self {
            shown: status.conditions.clone(),
            status,
            generation: object.metadata.generation.unwrap_or_default(),
            requested_at: annotations.and_then(|all| all.get(RECONCILE_REQUEST_ANNOTATION)).cloned(),
        }
    }

    /// The conditions as they are now.
    pub(crate) fn conditions(&self) -> &[Condition] {
        &self.status.conditions
    }

    /// Sets `Ready`.
    pub(crate) fn ready(&mut self, status: Status, reason: Reason, message: &str, now: Timestamp) {
        self.set(READY, status, reason, message, now);
    }

    /// Sets `Healthy`.
    pub(crate) fn healthy(&mut self, status: Status, reason: Reason, message: &str, now: Timestamp) {
        self.set(HEALTHY, status, reason, message, now);
    }

    /// Removes `Healthy`: nothing is checked.
    pub(crate) fn drop_healthy(&mut self) {
        conditions::delete(&mut self.status.conditions, HEALTHY);
    }

    /// Whether `Healthy` was True when the run began.
    pub(crate) fn is_healthy(&self) -> bool {
        conditions::is_true(&self.status.conditions, HEALTHY)
    }

    /// Whether the object is done with: `Ready` and nothing under way or stuck.
    pub(crate) fn is_ready(&self) -> bool {
        let is_true = |type_| conditions::is_true(&self.status.conditions, type_);
        is_true(READY) && !is_true(STALLED) && !is_true(RECONCILING)
    }

    /// Says what the run does at the moment.
    pub(crate) fn progress(&mut self, message: &str, now: Timestamp) {
        let reason = reason::PROGRESSING.as_str();
        conditions::mark_reconciling(&mut self.status.conditions, reason, message, self.generation, now);
    }

    /// Says that only an edit can help.
    pub(crate) fn stall(&mut self, reason: Reason, message: &str, now: Timestamp) {
        conditions::mark_stalled(&mut self.status.conditions, reason.as_str(), message, self.generation, now);
    }

    /// Notes that this generation was dealt with.
    pub(crate) fn observe_generation(&mut self) {
        self.status.observed_generation = Some(self.generation);
    }

    /// Notes that the status as it is now was written.
    pub(crate) fn was_shown(&mut self) {
        self.shown.clone_from(&self.status.conditions);
    }

    /// The status to write at the end of the run.
    pub(crate) fn finish(mut self) -> KustomizationStatus {
        if self.requested_at.is_some() {
            self.status.last_handled_reconcile_at = self.requested_at;
        }
        let is = |list: &[Condition], status| conditions::is(list, READY, status);
        if is(&self.status.conditions, Status::True) {
            conditions::delete(&mut self.status.conditions, RECONCILING);
            self.status.observed_generation = Some(self.generation);
        }
        if is(&self.status.conditions, Status::False) {
            let reconciling =
                self.status.conditions.iter_mut().find(|condition| condition.type_ == RECONCILING);
            if let Some(reconciling) = reconciling {
                reason::PROGRESSING_WITH_RETRY.as_str().clone_into(&mut reconciling.reason);
            }
        }
        for condition in &mut self.status.conditions {
            if let Some(before) = conditions::get(&self.shown, &condition.type_)
                && says_the_same(before, condition)
            {
                condition.last_transition_time = before.last_transition_time.clone();
            }
        }
        self.status
    }

    fn set(&mut self, type_: &str, status: Status, reason: Reason, message: &str, now: Timestamp) {
        let entry = Entry { type_, status, reason: reason.as_str(), message };
        conditions::set(&mut self.status.conditions, entry, self.generation, now);
    }
}

fn says_the_same(left: &Condition, right: &Condition) -> bool {
    (&left.status, &left.reason, &left.message) == (&right.status, &right.reason, &right.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a time")
    }

    fn object(status: KustomizationStatus) -> Kustomization {
        let mut object = Kustomization { status: Some(status), ..Kustomization::default() };
        object.metadata.generation = Some(2);
        object
    }

    #[test]
    fn an_unchanged_pass_keeps_the_transition_times() {
        let mut first = Draft::of(&object(KustomizationStatus::default()));
        first.ready(Status::True, reason::RECONCILIATION_SUCCEEDED, "Applied revision: main@sha1:1", at(1));
        let mut second = Draft::of(&object(first.finish()));
        second.progress("Fetching manifests", at(5));
        second.ready(Status::Unknown, reason::PROGRESSING, "Reconciliation in progress", at(5));
        second.ready(Status::True, reason::RECONCILIATION_SUCCEEDED, "Applied revision: main@sha1:1", at(6));
        let status = second.finish();
        assert_eq!(status.conditions.len(), 1);
        assert_eq!(status.conditions[0].last_transition_time.0, at(1));
        assert_eq!(status.observed_generation, Some(2));
    }

    /// A progress patch that users saw is a transition.
    #[test]
    fn a_shown_phase_counts_as_a_transition() {
        let mut first = Draft::of(&object(KustomizationStatus::default()));
        first.ready(Status::True, reason::RECONCILIATION_SUCCEEDED, "done", at(1));
        let mut second = Draft::of(&object(first.finish()));
        second.ready(Status::Unknown, reason::PROGRESSING, "Reconciliation in progress", at(5));
        second.was_shown();
        second.ready(Status::True, reason::RECONCILIATION_SUCCEEDED, "done", at(6));
        assert_eq!(second.finish().conditions[0].last_transition_time.0, at(6));
    }

    #[test]
    fn a_failure_turns_progress_into_progress_with_retry_and_leaves_the_generation_behind() {
        let mut draft = Draft::of(&object(KustomizationStatus::default()));
        draft.progress("Building manifests", at(1));
        draft.ready(Status::False, reason::BUILD_FAILED, "no", at(1));
        let status = draft.finish();
        let reconciling = conditions::get(&status.conditions, RECONCILING).expect("still there");
        assert_eq!(
            (reconciling.reason.as_str(), reconciling.message.as_str()),
            ("ProgressingWithRetry", "Building manifests")
        );
        assert_eq!(status.observed_generation, None);
    }

    #[test]
    fn a_request_is_acknowledged_at_the_end() {
        let mut object = object(KustomizationStatus::default());
        object.metadata.annotations =
            Some([(RECONCILE_REQUEST_ANNOTATION.to_owned(), "now".to_owned())].into_iter().collect());
        assert_eq!(Draft::of(&object).finish().last_handled_reconcile_at.as_deref(), Some("now"));
    }
}
