//! From the outcome of a run to status, events and the next run, without I/O.
//!
//! Contract: kustomize-controller §2.3, §7.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use millrace_api::kustomize::v1::{Kustomization, KustomizationStatus};
use millrace_api::meta::conditions::{self, READY, Status};
use millrace_api::meta::{Artifact, GoDuration};
use millrace_reconcile::events::{Event, Severity};
use millrace_reconcile::report::{Finalizer, Outcome};
use millrace_reconcile::{Next, Reason, Report};

use super::draft::Draft;
use super::halt::Halt;
use crate::reason;

/// The prefix of our event metadata.
const PREFIX: &str = "kustomize.toolkit.fluxcd.io";
/// The artifact metadata that names the revision it was made from.
const ORIGIN_REVISION: &str = "org.opencontainers.image.revision";

/// What a run knew and how it ended.
pub(crate) struct Ended<'a> {
    pub(crate) object: &'a Kustomization,
    pub(crate) draft: Draft,
    pub(crate) artifact: Option<&'a Artifact>,
    pub(crate) outcome: Result<(), Halt>,
    pub(crate) took: Duration,
    pub(crate) requeue_dependency: GoDuration,
    pub(crate) now: Timestamp,
}

/// The revision that the source's own content was made from, if the artifact says so.
pub(crate) fn origin_revision(artifact: &Artifact) -> Option<&str> {
    artifact.metadata.get(ORIGIN_REVISION).map(String::as_str).filter(|revision| !revision.is_empty())
}

/// The metadata of an event about a revision.
pub(crate) fn revision_metadata(revision: &str, origin: Option<&str>) -> BTreeMap<String, String> {
    let mut metadata = BTreeMap::new();
    if !revision.is_empty() {
        metadata.insert(format!("{PREFIX}/revision"), revision.to_owned());
    }
    if let Some(origin) = origin.filter(|origin| !origin.is_empty()) {
        metadata.insert(format!("{PREFIX}/originRevision"), origin.to_owned());
    }
    metadata
}

/// The report of a suspended object: nothing but the acknowledgement of a request.
pub(crate) fn suspended(draft: Draft) -> Report<KustomizationStatus> {
    Report { status: Some(draft.finish()), ..Report::quiet(Next::Done) }
}

/// The report of a run.
pub(crate) fn report(ended: Ended<'_>) -> Report<KustomizationStatus> {
    let Ended { object, draft, artifact, outcome, took, requeue_dependency, now } = ended;
    let revision = artifact.map(|artifact| artifact.revision.clone()).unwrap_or_default();
    let metadata = revision_metadata(&revision, artifact.and_then(origin_revision));
    let turn = Turn { object, draft, metadata, requeue_dependency, now };
    match outcome {
        Ok(()) => turn.succeeded(took, &revision),
        Err(halt) => turn.halted(halt, took, &revision),
    }
}

/// The event of an object that is Ready, with the revision that is applied.
pub(crate) fn success_event(
    object: &Kustomization,
    status: Option<&KustomizationStatus>,
    took: Duration,
) -> Event {
    let applied = status.and_then(|status| status.last_applied_revision.as_deref()).unwrap_or_default();
    let origin = status.and_then(|status| status.last_applied_origin_revision.as_deref());
    let mut metadata = revision_metadata(applied, origin);
    metadata.insert(format!("{PREFIX}/commit_status"), "update".to_owned());
    let (took, interval) = (GoDuration::from(took), object.spec.interval);
    let message = format!("Reconciliation finished in {took}, next run in {interval}");
    Event { severity: Severity::Info, reason: reason::RECONCILIATION_SUCCEEDED, message, metadata }
}

struct Turn<'a> {
    object: &'a Kustomization,
    draft: Draft,
    metadata: BTreeMap<String, String>,
    requeue_dependency: GoDuration,
    now: Timestamp,
}

impl Turn<'_> {
    fn succeeded(mut self, took: Duration, revision: &str) -> Report<KustomizationStatus> {
        let message = format!("Applied revision: {revision}");
        self.draft.ready(Status::True, reason::RECONCILIATION_SUCCEEDED, &message, self.now);
        let interval = self.object.spec.interval;
        let status = self.draft.finish();
        let event = success_event(self.object, Some(&status), took);
        tracing::info!(revision, "{}", event.message);
        Report {
            status: Some(status),
            events: vec![event],
            finalizer: Finalizer::Keep,
            next: Next::Interval(interval.into()),
            outcome: Outcome::RequeueAfter,
        }
    }

    fn halted(self, halt: Halt, took: Duration, revision: &str) -> Report<KustomizationStatus> {
        let wait = self.requeue_dependency;
        match halt {
            Halt::Stalled { reason, message, observed } => self.stalled(reason, &message, observed),
            Halt::SourceNotFound { message, source } => {
                tracing::info!("Source '{source}' not found");
                let retry = self.retry_interval();
                self.not_ready(reason::ARTIFACT_FAILED, &message, Next::After(retry.into()))
            }
            Halt::SourceUnreadable(message) => {
                tracing::error!(error = %message, "Reconciler error");
                let mut report = self.not_ready(reason::ARTIFACT_FAILED, &message, Next::Backoff);
                report.outcome = Outcome::Error;
                report
            }
            Halt::NoArtifact { hint } => {
                let mut message = format!("Source artifact not found, retrying in {wait}");
                tracing::info!(hint, "{message}");
                if let Some(hint) = hint {
                    message = format!("{message}\n{hint}");
                }
                self.not_ready(reason::ARTIFACT_FAILED, &message, Next::After(wait.into()))
            }
            Halt::ArtifactNotServed => {
                let message = format!("Source is not ready, artifact not found, retrying in {wait}");
                tracing::info!("{message}");
                self.not_ready(reason::ARTIFACT_FAILED, &message, Next::After(wait.into()))
            }
            Halt::Dependency(message) => self.dependency(&message),
            Halt::Failed { reason, message, event } => self.failed(reason, &message, event, took, revision),
            Halt::Unshown(unshown) => self.unshown(&unshown.to_string(), took, revision),
            Halt::Canceled => self.canceled(),
            Halt::SourceMoved => {
                tracing::info!(
                    revision,
                    "the source or the object has changed while something was fetched, starting over"
                );
                Report { outcome: Outcome::Requeue, ..Report::quiet(Next::Now) }
            }
            Halt::Shutdown => Report::quiet(Next::Done),
        }
    }

    fn stalled(mut self, reason: Reason, message: &str, observed: bool) -> Report<KustomizationStatus> {
        tracing::error!(error = message, "{}", "reconciliation is stalled until the object is changed");
        self.draft.stall(reason, message, self.now);
        if observed {
            self.draft.observe_generation();
        }
        let event = self.event(Severity::Error, reason, message);
        let mut report = self.not_ready(reason, message, Next::Done);
        report.events = vec![event];
        report.outcome = Outcome::Error;
        report
    }

    fn dependency(self, message: &str) -> Report<KustomizationStatus> {
        let text =
            format!("Dependencies do not meet ready condition, retrying in {}", self.requeue_dependency);
        tracing::info!(reason = message, "{text}");
        let event = self.event(Severity::Info, reason::DEPENDENCY_NOT_READY, &text);
        let next = Next::After(self.requeue_dependency.into());
        let mut report = self.not_ready(reason::DEPENDENCY_NOT_READY, message, next);
        report.events = vec![event];
        report
    }

    fn failed(
        self,
        reason: Reason,
        message: &str,
        event: Option<String>,
        took: Duration,
        revision: &str,
    ) -> Report<KustomizationStatus> {
        let retry = self.retry_interval();
        let text = event.unwrap_or_else(|| message.to_owned());
        self.log_failure(&text, took, revision);
        let event = self.event(Severity::Error, reason, &text);
        let mut report = self.not_ready(reason, message, Next::After(retry.into()));
        report.events = vec![event];
        report
    }

    /// The status could not be written in the middle of the run, so that nothing is known to be wrong with the object:
    /// `Ready` stays Unknown.
    fn unshown(mut self, text: &str, took: Duration, revision: &str) -> Report<KustomizationStatus> {
        self.log_failure(text, took, revision);
        let event = self.event(Severity::Error, reason::PROGRESSING, text);
        self.draft.ready(Status::Unknown, reason::PROGRESSING, "Reconciliation in progress", self.now);
        let next = Next::After(self.retry_interval().into());
        Report {
            status: Some(self.draft.finish()),
            events: vec![event],
            finalizer: Finalizer::Keep,
            next,
            outcome: Outcome::RequeueAfter,
        }
    }

    fn log_failure(&self, error: &str, took: Duration, revision: &str) {
        let (took, retry) = (GoDuration::from(took), self.retry_interval());
        tracing::error!(error, revision, "Reconciliation failed after {took}, next try in {retry}");
    }

    fn canceled(self) -> Report<KustomizationStatus> {
        let Kustomization { metadata, .. } = self.object;
        let name = format!(
            "Kustomization/{}/{}",
            metadata.namespace.as_deref().unwrap_or_default(),
            metadata.name.as_deref().unwrap_or_default()
        );
        let text = format!("Health checks canceled due to new reconciliation triggered by {name}");
        let event = self.event(Severity::Info, reason::HEALTH_CHECK_CANCELED, &text);
        let message = format!("New reconciliation triggered by {name}");
        let mut report = self.not_ready(reason::HEALTH_CHECK_CANCELED, &message, Next::Now);
        report.events = vec![event];
        report.outcome = Outcome::Requeue;
        report
    }

    fn not_ready(mut self, reason: Reason, message: &str, next: Next) -> Report<KustomizationStatus> {
        self.draft.ready(Status::False, reason, message, self.now);
        Report {
            status: Some(self.draft.finish()),
            events: Vec::new(),
            finalizer: Finalizer::Keep,
            next,
            outcome: if next == Next::Done { Outcome::Success } else { Outcome::RequeueAfter },
        }
    }

    fn event(&self, severity: Severity, reason: Reason, message: &str) -> Event {
        Event { severity, reason, message: message.to_owned(), metadata: self.metadata.clone() }
    }

    fn retry_interval(&self) -> GoDuration {
        self.object.spec.retry_interval.unwrap_or(self.object.spec.interval)
    }
}

/// The reason that stands in `Ready`, for events of a phase that sets none of its own.
pub(crate) fn ready_reason(draft: &Draft) -> Option<Reason> {
    let stored = conditions::get(draft.conditions(), READY)?;
    reason::ALL.into_iter().find(|known| known.as_str() == stored.reason)
}
