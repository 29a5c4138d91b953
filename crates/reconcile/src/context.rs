//! What every run shares.

use std::sync::Arc;

use kube::Client;

use crate::clock::Clock;
use crate::events::Recorder;
use crate::metrics::Metrics;
use crate::permits::CpuPool;
use crate::tasks::Tasks;

/// The services of one controller process, cheap to clone.
#[derive(Clone)]
pub struct Context {
    /// The Kubernetes client with the controller's own identity.
    pub client: Client,
    /// Wall-clock time.
    pub clock: Arc<dyn Clock>,
    /// Sends events to Kubernetes and to the notification controller.
    pub events: Recorder,
    /// Counters and histograms.
    pub metrics: Metrics,
    /// Runs CPU-bound work on a bounded number of threads.
    pub cpu: CpuPool,
    /// Keeps track of everything that runs in the background.
    pub tasks: Tasks,
}
