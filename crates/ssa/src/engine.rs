//! The engine: a cluster, how it is treated, and what all runs share.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use millrace_yaml::Node;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::client::Cluster;
use crate::drift::managers::Cleanup;
use crate::known::{Facts, Known};
use crate::policy::Policies;
use crate::stages::GroupKind;
use crate::wait::Watches;

/// How clusters are treated: what the operator chose for the whole process.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which marks mean what.
    pub policies: Policies,
    /// What is removed from live objects.
    pub cleanup: Cleanup,
    /// How many objects of a run are validated at a time.
    pub concurrency: usize,
    /// Kinds of the custom stage.
    pub custom_stage_kinds: Vec<GroupKind>,
    /// Whether managed fields follow the manifest's API version.
    pub migrate_api_version: bool,
    /// How long a stage may take to become healthy.
    pub stage_timeout: Duration,
    /// How long a recreated object may take to go.
    pub deletion_timeout: Duration,
    /// How many live objects are remembered.
    pub remembered_objects: usize,
}

impl Default for Settings {
    /// The kustomize-controller's defaults.
    fn default() -> Self {
        Self {
            policies: Policies::of_group("kustomize.toolkit.fluxcd.io"),
            cleanup: Cleanup::for_kustomize_controller(&[]),
            concurrency: 4,
            custom_stage_kinds: Vec::new(),
            migrate_api_version: false,
            stage_timeout: Duration::from_mins(1),
            deletion_timeout: Duration::from_mins(5),
            remembered_objects: 100_000,
        }
    }
}

/// Tells the time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// What all runs of the process share: settings, what is known of live objects, and open watches.
pub struct Shared {
    pub(crate) settings: Settings,
    pub(crate) known: Known,
    pub(crate) watches: Watches,
    pub(crate) clock: Clock,
}

impl Shared {
    /// Watches run on `tasks`, and end by themselves some seconds after the last wait.
    pub fn new(settings: Settings, clock: Clock, tasks: TaskTracker) -> Arc<Self> {
        Self::until(CancellationToken::new(), settings, clock, tasks)
    }

    /// Like [`Shared::new`]; watches end at once when `shutdown` is cancelled, so that `tasks` can be finished.
    pub fn until(
        shutdown: CancellationToken,
        settings: Settings,
        clock: Clock,
        tasks: TaskTracker,
    ) -> Arc<Self> {
        let known = Known::with_capacity(settings.remembered_objects);
        Arc::new(Self { settings, known, watches: Watches::new(tasks, shutdown), clock })
    }

    /// Remembers an object that a cluster has answered, which `manager` applies.
    pub(crate) fn remember(&self, live: &Node, manager: &str) -> Facts {
        let facts = Facts::of(live, &self.settings, manager);
        self.known.remember(live, facts);
        facts
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Shared").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// Applies, waits and prunes in one cluster under one identity. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Engine {
    pub(crate) cluster: Cluster,
    pub(crate) shared: Arc<Shared>,
}

impl Engine {
    /// An engine for `cluster`.
    pub fn new(cluster: Cluster, shared: Arc<Shared>) -> Self {
        Self { cluster, shared }
    }

    /// The cluster.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.shared.clock)()
    }

    pub(crate) fn remember(&self, live: &Node) -> Facts {
        self.shared.remember(live, self.cluster.manager())
    }
}
