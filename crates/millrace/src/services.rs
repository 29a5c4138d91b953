//! What the controllers of one process share.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use millrace_net::EgressPolicy;
use millrace_reconcile::Context;
use millrace_reconcile::client::Stack;
use millrace_reconcile::clock::{Clock, SystemClock};
use millrace_reconcile::events::{Destination, Recorder, Settings};
use millrace_reconcile::metrics::Metrics;
use millrace_reconcile::permits::CpuPool;
use millrace_reconcile::pflag::Environment;
use millrace_reconcile::tasks::Tasks;

/// The services of the process.
pub(crate) struct Services {
    pub(crate) stack: Stack,
    pub(crate) metrics: Metrics,
    pub(crate) tasks: Tasks,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) egress: Arc<EgressPolicy>,
    pub(crate) environment: Environment,
    pub(crate) host: String,
    cpu: CpuPool,
    recorders: Mutex<Vec<Recorder>>,
}

impl Services {
    pub(crate) fn new(
        stack: Stack,
        metrics: Metrics,
        tasks: Tasks,
        egress: EgressPolicy,
        (environment, host): (Environment, String),
    ) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            stack,
            metrics,
            cpu: CpuPool::new(threads, tasks.clone()),
            tasks,
            clock: Arc::new(SystemClock),
            egress: Arc::new(egress),
            environment,
            host,
            recorders: Mutex::default(),
        }
    }

    /// The services as one controller sees them: requests and events carry its name.
    pub(crate) fn context(&self, controller: &str, destination: Destination) -> Context {
        let client = self.stack.named(controller).client();
        let settings = Settings {
            component: controller.to_owned(),
            field_manager: controller.to_owned(),
            instance: self.host.clone(),
            destination,
        };
        let events = Recorder::start(Some(client.clone()), settings, Arc::clone(&self.clock));
        self.recorders.lock().unwrap_or_else(PoisonError::into_inner).push(events.clone());
        Context {
            client,
            clock: Arc::clone(&self.clock),
            events,
            metrics: self.metrics.clone(),
            cpu: self.cpu.clone(),
            tasks: self.tasks.clone(),
        }
    }

    /// Sends what the controllers have recorded; to be called when they have ended.
    pub(crate) async fn flush(&self, grace: Duration) {
        let recorders = std::mem::take(&mut *self.recorders.lock().unwrap_or_else(PoisonError::into_inner));
        futures::future::join_all(recorders.iter().map(|recorder| recorder.finish(grace))).await;
    }
}
