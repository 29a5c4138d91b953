//! Wires the reconcilers of this crate to watches, queue and artifact server.

use std::sync::Arc;

use kube::Api;
use kube::core::DeserializeGuard;
use kube::runtime::watcher;
use millrace_api::source::v1::GitRepository;
use millrace_artifact::server;
use millrace_artifact::storage::Storage;
use millrace_net::EgressPolicy;
use millrace_reconcile::args::{ConfigError, host_name};
use millrace_reconcile::http::{ListenError, listen};
use millrace_reconcile::pflag::Environment;
use millrace_reconcile::primary::{Watched, watch_primary};
use millrace_reconcile::watch::Index;
use millrace_reconcile::{Context, Key, Runner};

use crate::args::{Args, Config};
use crate::git_repository::{GitRepositories, Settings};

/// What the controller gets from the process.
pub struct Needs {
    /// The services of the process, with events recorded as `source-controller`.
    pub context: Context,
    /// Where Git remotes and proxies may be.
    pub egress: Arc<EgressPolicy>,
    /// The environment of the process.
    pub environment: Environment,
}

/// The source-controller: one artifact server, one reconciler for each kind.
pub struct Controller {
    context: Context,
    egress: Arc<EgressPolicy>,
    config: Config,
}

/// Why the controller ended before it was told to.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The artifact server can't listen.
    #[error("artifact server error")]
    Listen(#[from] ListenError),
    /// The artifact server broke.
    #[error("artifact server error")]
    Serve(#[source] std::io::Error),
}

impl Controller {
    /// A controller that does nothing before [`Self::run`]; opens the artifact store.
    ///
    /// # Errors
    /// A flag has a value that can't work.
    pub fn new(args: &Args, needs: Needs) -> Result<Self, ConfigError> {
        let Needs { context, egress, environment } = needs;
        let config = args.check(&environment, &host_name(&environment))?;
        Ok(Self { context, egress, config })
    }

    /// The artifact store, for controllers in the same process.
    pub fn storage(&self) -> &Storage {
        &self.config.storage
    }

    /// Serves artifacts and reconciles until the process is to end. To be called once the lease is held: a process
    /// that isn't the leader must refuse connections to the artifact port.
    ///
    /// # Errors
    /// The artifact server can't work; the process then exits.
    pub async fn run(self) -> Result<(), RunError> {
        let Self { context, egress, config } = self;
        let shutdown = context.tasks.shutdown().clone();
        let listener = listen(&config.storage_addr).await?;
        let serving = async {
            let Some(listener) = listener else { return Ok(()) };
            let stop = shutdown.clone().cancelled_owned();
            server::serve(listener, &config.storage, stop).await.map_err(RunError::Serve)
        };

        let settings = Settings {
            storage: config.storage.clone(),
            cache_path: config.git_cache_path.clone(),
            temp_path: config.temp_path.clone(),
            requeue_dependency: config.requeue_dependency,
            gates: config.gates.clone(),
            egress,
            concurrent: config.pace.concurrent,
        };
        let runner = Runner::new(context.clone(), GitRepositories::new(settings), config.pace);
        let handle = runner.handle();
        let index = Index::default();
        let api: Api<DeserializeGuard<GitRepository>> = match &config.namespace {
            Some(namespace) => Api::namespaced(context.client.clone(), namespace),
            None => Api::all(context.client.clone()),
        };
        let watched = Watched {
            api,
            config: watcher::Config::default().labels(config.selector.as_str()),
            index: &index,
        };
        let untold = |_: &Key, (): &(), (): &()| {};
        let watching = watch_primary(watched, |_: &GitRepository| (), untold, &handle, &shutdown);

        let reconciling = async {
            tokio::join!(watching, runner.run());
            Ok(())
        };
        tokio::try_join!(serving, reconciling).map(|((), ())| ())
    }
}
