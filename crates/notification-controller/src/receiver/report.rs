//! What a pass over a Receiver leaves in its status, and when the next one comes.
//!
//! Pure. Contract: notification-controller §1.6.

use std::{collections::BTreeMap, time::Duration};

use jiff::Timestamp;
use millrace_api::{
    meta::{
        GoDuration, RECONCILE_REQUEST_ANNOTATION,
        conditions::{self, Entry, READY, RECONCILING, STALLED, Status},
    },
    notification::v1::{Receiver, ReceiverStatus},
};
use millrace_reconcile::{
    Next, Reason, Report,
    events::{Event, Severity},
    report::{Finalizer, Outcome},
};

use super::observe::Observed;

const DEFAULT_INTERVAL: Duration = Duration::from_mins(10);
const SUCCEEDED: Reason = Reason::new("Succeeded");
const FAILED: Reason = Reason::new("Failed");
const TOKEN_NOT_FOUND: &str = "TokenNotFound";
const PROGRESSING_WITH_RETRY: &str = "ProgressingWithRetry";

/// Turns what was found out into status, events and the next run.
pub(super) fn report(receiver: &Receiver, observed: &Observed, now: Timestamp) -> Report<ReceiverStatus> {
    let mut pass = Pass { receiver, now, status: receiver.status.clone().unwrap_or_default() };
    let requested =
        receiver.metadata.annotations.as_ref().and_then(|all| all.get(RECONCILE_REQUEST_ANNOTATION));
    if let Some(requested) = requested {
        pass.status.last_handled_reconcile_at = Some(requested.clone());
    }
    match observed {
        Observed::Suspended => pass.suspended(),
        Observed::Invalid { reason, message } => pass.invalid(*reason, message),
        Observed::NoToken { message } => pass.no_token(message),
        Observed::Callable { path } => pass.callable(path),
    }
}

/// The report on a Receiver that is being deleted: nothing outside the cluster belongs to it.
pub(super) fn gone(receiver: &Receiver) -> Report<ReceiverStatus> {
    let ready = receiver.status.as_ref().is_some_and(|status| conditions::is_true(&status.conditions, READY));
    let events = if ready { vec![finished(receiver)] } else { Vec::new() };
    Report { events, finalizer: Finalizer::Remove, ..Report::quiet(Next::Done) }
}

struct Pass<'a> {
    receiver: &'a Receiver,
    now: Timestamp,
    status: ReceiverStatus,
}

impl Pass<'_> {
    fn generation(&self) -> i64 {
        self.receiver.metadata.generation.unwrap_or_default()
    }

    fn set(&mut self, type_: &str, status: Status, reason: &str, message: &str) {
        let generation = self.generation();
        conditions::set(
            &mut self.status.conditions,
            Entry { type_, status, reason, message },
            generation,
            self.now,
        );
    }

    fn report(self, events: Vec<Event>, next: Next, outcome: Outcome) -> Report<ReceiverStatus> {
        Report { status: Some(self.status), events, finalizer: Finalizer::Keep, next, outcome }
    }

    /// Leaves everything as it is; a suspended Receiver that was ready counts as seen.
    fn suspended(mut self) -> Report<ReceiverStatus> {
        tracing::info!("Reconciliation is suspended for this object");
        let generation = self.generation();
        if conditions::is_true(&self.status.conditions, READY) {
            self.status.observed_generation = Some(generation);
        }
        if let Some(reconciling) = self.status.conditions.iter_mut().find(|found| found.type_ == RECONCILING)
        {
            reconciling.observed_generation = Some(generation);
        }
        self.report(Vec::new(), Next::Done, Outcome::Success)
    }

    fn invalid(mut self, reason: Reason, message: &str) -> Report<ReceiverStatus> {
        let text = format!("Reconciliation failed terminally due to configuration error: {message}");
        tracing::error!(error = message, "Reconciliation failed terminally due to configuration error");
        conditions::mark_stalled(
            &mut self.status.conditions,
            reason.as_str(),
            &text,
            self.receiver.metadata.generation.unwrap_or_default(),
            self.now,
        );
        self.set(READY, Status::False, reason.as_str(), &text);
        self.status.observed_generation = Some(self.generation());
        self.report(vec![event(Severity::Error, reason, text)], Next::Done, Outcome::Success)
    }

    fn no_token(mut self, message: &str) -> Report<ReceiverStatus> {
        tracing::error!(error = message, "Reconciler error");
        conditions::mark_reconciling(
            &mut self.status.conditions,
            PROGRESSING_WITH_RETRY,
            "Reconciliation in progress",
            self.receiver.metadata.generation.unwrap_or_default(),
            self.now,
        );
        self.set(READY, Status::False, TOKEN_NOT_FOUND, message);
        self.status.webhook_path = None;
        self.report(vec![event(Severity::Error, FAILED, message.to_owned())], Next::Backoff, Outcome::Error)
    }

    fn callable(mut self, path: &str) -> Report<ReceiverStatus> {
        let text = format!("Receiver initialized for path: {path}");
        if self.status.webhook_path.as_deref() != Some(path) {
            tracing::info!("{text}");
        }
        conditions::delete(&mut self.status.conditions, STALLED);
        conditions::delete(&mut self.status.conditions, RECONCILING);
        self.set(READY, Status::True, SUCCEEDED.as_str(), &text);
        self.status.webhook_path = Some(path.to_owned());
        self.status.observed_generation = Some(self.generation());
        let finished = finished(self.receiver);
        tracing::info!("{}", finished.message);
        let next = Next::After(interval(self.receiver).as_std());
        self.report(vec![finished], next, Outcome::RequeueAfter)
    }
}

fn interval(receiver: &Receiver) -> GoDuration {
    receiver.spec.interval.unwrap_or_else(|| DEFAULT_INTERVAL.into())
}

fn finished(receiver: &Receiver) -> Event {
    let text = format!("Reconciliation finished, next run in {}", interval(receiver));
    event(Severity::Info, SUCCEEDED, text)
}

fn event(severity: Severity, reason: Reason, message: String) -> Event {
    Event { severity, reason, message, metadata: BTreeMap::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receiver(status: &str) -> Receiver {
        let json = format!(
            r#"{{"metadata":{{"namespace":"apps","name":"rcv","generation":3,
                "annotations":{{"reconcile.fluxcd.io/requestedAt":"r1"}}}},
                "spec":{{"type":"generic","resources":[],"secretRef":{{"name":"token"}}}},"status":{status}}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    const READY_STATUS: &str = r#"{"observedGeneration":2,"webhookPath":"/hook/old","conditions":[
        {"type":"Ready","status":"True","reason":"Succeeded","message":"m","lastTransitionTime":"2026-01-02T03:04:05Z"}]}"#;

    fn shown(status: &ReceiverStatus) -> Vec<String> {
        status
            .conditions
            .iter()
            .map(|c| {
                format!(
                    "{}={} {} {} @{}",
                    c.type_,
                    c.status,
                    c.reason,
                    c.message,
                    c.observed_generation.unwrap_or(-9)
                )
            })
            .collect()
    }

    fn pass(status: &str, observed: &Observed) -> (ReceiverStatus, Vec<String>, Next) {
        let report = report(&receiver(status), observed, "2026-01-02T03:04:05Z".parse().unwrap());
        let events =
            report.events.iter().map(|e| format!("{:?} {} {}", e.severity, e.reason, e.message)).collect();
        (report.status.unwrap(), events, report.next)
    }

    /// NC-107
    #[test]
    fn a_callable_receiver_is_ready_and_runs_again_after_its_interval() {
        let (status, events, next) =
            pass(r#"{"observedGeneration":-1}"#, &Observed::Callable { path: "/hook/x".into() });
        assert_eq!(shown(&status), ["Ready=True Succeeded Receiver initialized for path: /hook/x @3"]);
        assert_eq!(status.webhook_path.as_deref(), Some("/hook/x"));
        assert_eq!(status.observed_generation, Some(3));
        assert_eq!(status.last_handled_reconcile_at.as_deref(), Some("r1"));
        assert_eq!(events, ["Info Succeeded Reconciliation finished, next run in 10m0s"]);
        assert_eq!(next, Next::After(Duration::from_mins(10)));
    }

    /// NC-108
    #[test]
    fn without_a_token_the_path_goes_and_the_pass_is_retried() {
        let message = "unable to read token from secret 'apps/token' error: secrets \"token\" not found";
        let (status, events, next) = pass(READY_STATUS, &Observed::NoToken { message: message.into() });
        assert_eq!(
            shown(&status),
            [
                "Reconciling=True ProgressingWithRetry Reconciliation in progress @3".to_owned(),
                format!("Ready=False TokenNotFound {message} @3"),
            ]
        );
        assert_eq!((status.webhook_path, status.observed_generation), (None, Some(2)));
        assert_eq!(events, [format!("Error Failed {message}")]);
        assert_eq!(next, Next::Backoff);
    }

    #[test]
    fn a_bad_spec_stalls_until_the_next_trigger() {
        let invalid =
            Observed::Invalid { reason: Reason::new("InvalidCELExpression"), message: "why".into() };
        let (status, events, next) = pass(READY_STATUS, &invalid);
        let text = "InvalidCELExpression Reconciliation failed terminally due to configuration error: why";
        assert_eq!(shown(&status), [format!("Stalled=True {text} @3"), format!("Ready=False {text} @3")]);
        assert_eq!(
            (status.webhook_path.as_deref(), status.observed_generation),
            (Some("/hook/old"), Some(3))
        );
        assert_eq!(events, [format!("Error {text}")]);
        assert_eq!(next, Next::Done);
        let stalled = serde_json::to_string(&status).unwrap();
        let (status, ..) = pass(&stalled, &Observed::Callable { path: "/hook/x".into() });
        assert_eq!(shown(&status).len(), 1);
    }

    /// NC-113
    #[test]
    fn suspending_changes_nothing_but_what_was_seen() {
        let (status, events, next) = pass(READY_STATUS, &Observed::Suspended);
        assert_eq!(
            (status.webhook_path.as_deref(), status.observed_generation),
            (Some("/hook/old"), Some(3))
        );
        assert_eq!(
            (shown(&status), events.len(), next),
            (vec!["Ready=True Succeeded m @-9".to_owned()], 0, Next::Done)
        );
        let (fresh, ..) = pass(r#"{"observedGeneration":-1}"#, &Observed::Suspended);
        assert_eq!(
            (fresh.conditions.len(), fresh.webhook_path, fresh.observed_generation),
            (0, None, Some(-1))
        );
        assert_eq!(fresh.last_handled_reconcile_at.as_deref(), Some("r1"));
    }
}
