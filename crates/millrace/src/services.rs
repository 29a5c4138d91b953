//! What the controllers of one process share.

use std::sync::Arc;

use millrace_net::EgressPolicy;
use millrace_reconcile::Context;
use millrace_reconcile::args::host_name;
use millrace_reconcile::client::Stack;
use millrace_reconcile::clock::{Clock, SystemClock};
use millrace_reconcile::events::{Destination, Recorder, Settings};
use millrace_reconcile::metrics::Metrics;
use millrace_reconcile::permits::CpuPool;
use millrace_reconcile::pflag::Environment;

use crate::crews::{Crews, Stage};
use crate::parts::Kind;

/// The services of the process.
pub(crate) struct Services {
    pub(crate) stack: Stack,
    pub(crate) metrics: Metrics,
    pub(crate) crews: Crews,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) egress: Arc<EgressPolicy>,
    pub(crate) environment: Environment,
    pub(crate) host: String,
    cpu: CpuPool,
}

impl Services {
    pub(crate) fn new(
        stack: Stack,
        metrics: Metrics,
        egress: EgressPolicy,
        environment: Environment,
    ) -> Self {
        let crews = Crews::default();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            stack,
            metrics,
            cpu: CpuPool::new(threads, crews.of(Stage::Control).tasks().clone()),
            crews,
            clock: Arc::new(SystemClock),
            egress: Arc::new(egress),
            host: host_name(&environment),
            environment,
        }
    }

    /// The services as one controller sees them: requests and events carry its name.
    pub(crate) fn context(&self, kind: Kind, destination: Destination) -> Context {
        let client = self.stack.named(kind.name()).client();
        let settings = Settings {
            component: kind.name().to_owned(),
            field_manager: kind.name().to_owned(),
            instance: self.host.clone(),
            destination,
        };
        let events = Recorder::start(Some(client.clone()), settings, Arc::clone(&self.clock));
        let crew = self.crews.of(kind.stage());
        crew.add(events.clone());
        Context {
            client,
            clock: Arc::clone(&self.clock),
            events,
            metrics: self.metrics.clone(),
            cpu: self.cpu.clone(),
            tasks: crew.tasks().clone(),
        }
    }
}
