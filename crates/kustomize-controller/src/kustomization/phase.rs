//! Showing progress: a phase that outlives a second is written into the status, a shorter one is not.
//!
//! Contract: kustomize-controller §2.6; design: status writes of an unchanged pass are one.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use millrace_api::kustomize::v1::Kustomization;
use millrace_api::meta::GoDuration;
use millrace_api::meta::conditions::Status;
use millrace_reconcile::Run;

use super::draft::Draft;
use super::halt::Halt;
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

/// What the phases of one run have in common.
pub(crate) struct Phases<'r> {
    pub(crate) run: &'r Run,
    pub(crate) object: &'r Kustomization,
    pub(crate) revision: &'r str,
    pub(crate) timeout: GoDuration,
}

impl Phases<'_> {
    /// Notes in `draft` that `phase` begins; nothing is written.
    pub(crate) fn begin(&self, draft: &mut Draft, phase: Phase) {
        let now = self.run.now();
        let message = format!("{} for revision {} with a timeout of {}", phase.text(), self.revision, self.timeout);
        draft.progress(&message, now);
        match phase {
            Phase::Fetching => draft.ready(Status::Unknown, reason::PROGRESSING, "Reconciliation in progress", now),
            Phase::CheckingHealth => draft.healthy(Status::Unknown, reason::PROGRESSING, &message, now),
            Phase::Building | Phase::DetectingDrift => {}
        }
    }

    /// Runs `work`, and writes `draft` if it takes longer than a second.
    pub(crate) async fn run<T>(&self, draft: &mut Draft, work: impl Future<Output = T>) -> Result<T, Halt> {
        let mut work = pin!(work);
        tokio::select! {
            outcome = &mut work => return Ok(outcome),
            () = tokio::time::sleep(UNSHOWN) => {}
        }
        self.show(draft).await?;
        Ok(work.await)
    }

    /// Writes `draft` now.
    pub(crate) async fn show(&self, draft: &mut Draft) -> Result<(), Halt> {
        let written = self.run.progress(self.object, &draft.status).await;
        written.map_err(|error| {
            Halt::failed(reason::PROGRESSING, format!("failed to update status: {error}"))
        })?;
        draft.was_shown();
        Ok(())
    }
}

/// The time that waits have: what the spec says, or the interval less 30 s, but never under 30 s.
pub(crate) fn timeout(object: &Kustomization) -> GoDuration {
    const LEAST: Duration = Duration::from_secs(30);
    let spec = &object.spec;
    let wanted = spec.timeout.map_or_else(
        || Duration::from(spec.interval).saturating_sub(LEAST),
        Duration::from,
    );
    GoDuration::from(wanted.max(LEAST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_timeout_is_the_specs_or_follows_from_the_interval() {
        for (interval, given, expected) in
            [("10m", None, "9m30s"), ("10m", Some("2m"), "2m0s"), ("10m", Some("5s"), "30s"), ("10s", None, "30s")]
        {
            let mut object = Kustomization::default();
            object.spec.interval = interval.parse().expect("a duration");
            object.spec.timeout = given.map(|text: &str| text.parse().expect("a duration"));
            assert_eq!(timeout(&object).to_string(), expected, "{interval} {given:?}");
        }
    }
}
