//! Showing progress: a phase that outlives a second is written into the status, a shorter one is not.
//!
//! Contract: kustomize-controller §2.6; design: status writes of an unchanged pass are one.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use millrace_api::kustomize::v1::Kustomization;
use millrace_api::meta::conditions::Status;
use millrace_api::meta::{Artifact, GoDuration};
use millrace_reconcile::Run;
use millrace_reconcile::events::{Event, Severity};
use tokio::sync::Mutex;

use super::draft::Draft;
use super::halt::Unshown;
use super::report::{origin_revision, revision_metadata};
use crate::reason;

/// How long a phase runs before it is shown.
const UNSHOWN: Duration = Duration::from_secs(1);

/// A phase of a run, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Fetching,
    Building,
    DetectingDrift,
    CheckingHealth,
}

impl Phase {
    fn text(self) -> &'static str {
        match self {
            Self::Fetching => "Fetching manifests",
            Self::Building => "Building manifests",
            Self::DetectingDrift => "Detecting drift",
            Self::CheckingHealth => "Running health checks",
        }
    }
}

/// One run on the way from its artifact to its end.
///
/// The draft has a lock of its own: a phase is shown while its work goes on.
pub(crate) struct Work<'r> {
    pub(crate) run: &'r Run,
    pub(crate) object: &'r Kustomization,
    pub(crate) artifact: &'r Artifact,
    pub(crate) timeout: GoDuration,
    pub(crate) draft: Mutex<Draft>,
}

impl Work<'_> {
    /// The revision that is applied.
    pub(crate) fn revision(&self) -> &str {
        &self.artifact.revision
    }

    /// Notes that `phase` begins; nothing is written.
    pub(crate) async fn begin(&self, phase: Phase) {
        let now = self.run.now();
        let message =
            format!("{} for revision {} with a timeout of {}", phase.text(), self.revision(), self.timeout);
        let mut draft = self.draft.lock().await;
        draft.progress(&message, now);
        match phase {
            Phase::Fetching => {
                draft.ready(Status::Unknown, reason::PROGRESSING, "Reconciliation in progress", now);
            }
            Phase::CheckingHealth => draft.healthy(Status::Unknown, reason::PROGRESSING, &message, now),
            Phase::Building | Phase::DetectingDrift => {}
        }
    }

    /// Runs a part of the phase, and shows the phase if that takes longer than a second.
    pub(crate) async fn watched<T>(&self, part: impl Future<Output = T> + Send) -> Result<T, Unshown> {
        let mut part = pin!(part);
        tokio::select! {
            outcome = &mut part => return Ok(outcome),
            () = tokio::time::sleep(UNSHOWN) => {}
        }
        // The part goes on while the status is on its way. A write that has begun is never cut: nobody would know whether it
        // arrived. One that fails ends the part.
        let mut shown = pin!(self.show());
        tokio::select! {
            outcome = &mut part => {
                shown.await?;
                Ok(outcome)
            }
            written = &mut shown => {
                written?;
                Ok(part.await)
            }
        }
    }

    /// Writes the draft now.
    pub(crate) async fn show(&self) -> Result<(), Unshown> {
        let mut draft = self.draft.lock().await;
        let written = self.run.progress(self.object, &draft.status).await;
        written.map_err(|error| Unshown(error.to_string()))?;
        draft.was_shown();
        Ok(())
    }

    /// Sends an event about what this run has done so far.
    pub(crate) fn tell(&self, message: String) {
        let metadata = self.metadata();
        self.run.event(Event { severity: Severity::Info, reason: reason::PROGRESSING, message, metadata });
    }

    fn metadata(&self) -> BTreeMap<String, String> {
        revision_metadata(self.revision(), origin_revision(self.artifact))
    }
}

/// The time that waits have: what the spec says, or the interval less 30 s, but never under 30 s.
pub(crate) fn timeout(object: &Kustomization) -> GoDuration {
    const LEAST: Duration = Duration::from_secs(30);
    let spec = &object.spec;
    let wanted =
        spec.timeout.map_or_else(|| Duration::from(spec.interval).saturating_sub(LEAST), Duration::from);
    GoDuration::from(wanted.max(LEAST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_timeout_is_the_specs_or_follows_from_the_interval() {
        for (interval, given, expected) in [
            ("10m", None, "9m30s"),
            ("10m", Some("2m"), "2m0s"),
            ("10m", Some("5s"), "30s"),
            ("10s", None, "30s"),
        ] {
            let mut object = Kustomization::default();
            object.spec.interval = interval.parse().expect("a duration");
            object.spec.timeout = given.map(|text: &str| text.parse().expect("a duration"));
            assert_eq!(timeout(&object).to_string(), expected, "{interval} {given:?}");
        }
    }
}
