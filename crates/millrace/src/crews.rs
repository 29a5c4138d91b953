//! Who works in the process, and in which order they end.
//!
//! What controllers do last is tell what they did. So they end first, then their events are sent, and only then those end
//! who deliver events. Everything is over before a pod's grace period of ten seconds is.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use millrace_reconcile::events::Recorder;
use millrace_reconcile::tasks::Tasks;
use tokio::time::Instant;

/// When the controllers have ended at the latest, counted from the beginning of the end.
const CONTROLLED_BY: Duration = Duration::from_secs(5);

/// When their events have been sent.
const TOLD_BY: Duration = Duration::from_millis(6500);

/// When everything has been delivered.
const DELIVERED_BY: Duration = Duration::from_millis(8200);

/// When the events about that have been sent.
const ALL_TOLD_BY: Duration = Duration::from_millis(8700);

/// When the leases have been given up.
pub(crate) const RELEASED_BY: Duration = Duration::from_millis(9500);

/// Who ends together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Those who change clusters and stores.
    Control,
    /// Those who deliver what the others record.
    Delivery,
}

/// The tasks of a stage, and the recorders of the events about them.
#[derive(Default)]
pub(crate) struct Crew {
    tasks: Tasks,
    recorders: Mutex<Vec<Recorder>>,
}

/// All crews of the process.
#[derive(Default)]
pub(crate) struct Crews {
    control: Crew,
    delivery: Crew,
}

impl Crew {
    /// What runs in the background for this crew.
    pub(crate) fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// Sees to it that what `recorder` holds is sent before the process ends.
    pub(crate) fn add(&self, recorder: Recorder) {
        self.recorders.lock().unwrap_or_else(PoisonError::into_inner).push(recorder);
    }

    /// Ends the tasks, and then sends what they have recorded.
    async fn end(&self, ended_by: Instant, told_by: Instant) {
        if tokio::time::timeout_at(ended_by, self.tasks.finish()).await.is_err() {
            tracing::error!(logger = "setup", error = "not everything had ended in time", "shutting down");
        }
        let recorders = std::mem::take(&mut *self.recorders.lock().unwrap_or_else(PoisonError::into_inner));
        let grace = told_by.saturating_duration_since(Instant::now());
        futures::future::join_all(recorders.iter().map(|recorder| recorder.finish(grace))).await;
    }
}

impl Crews {
    /// The crew of a stage.
    pub(crate) fn of(&self, stage: Stage) -> &Crew {
        match stage {
            Stage::Control => &self.control,
            Stage::Delivery => &self.delivery,
        }
    }

    /// Ends all, one stage after the other; `began` is when the process was asked to end.
    pub(crate) async fn end(&self, began: Instant) {
        self.control.end(began + CONTROLLED_BY, began + TOLD_BY).await;
        self.delivery.end(began + DELIVERED_BY, began + ALL_TOLD_BY).await;
    }
}
