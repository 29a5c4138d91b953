//! The kustomize-controller as a part of the process.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use millrace_artifact::fetch::{Fetcher, Options};
use millrace_artifact::tree::Trees;
use millrace_kustomize_controller::args::{Args, GATES};
use millrace_kustomize_controller::{Controller, LocalStore, Needs};
use millrace_net::HttpClient;
use millrace_reconcile::args::{ConfigError, Selector};
use millrace_reconcile::gates::Gates;
use millrace_reconcile::impersonation::Impersonator;
use millrace_reconcile::pflag::FlagSet;

use super::{Broken, Kind, Line, Neighbours, Part, check_events, gates};
use crate::args::EventsArgs;
use crate::services::Services;

/// Bytes of artifacts that are kept open although nobody builds from them right now; on disk, not in memory.
const CACHED_TREE_BYTES: u64 = 1 << 30;

/// How long a server may say nothing while an artifact is downloaded.
const ARTIFACT_READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Its flags.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Flags {
    #[command(flatten)]
    own: Args,
    #[command(flatten)]
    events: EventsArgs,
}

/// Its flags, as far as they can be checked without a cluster.
pub(super) struct Checked {
    flags: Flags,
    pub(super) selector: Selector,
}

pub(super) fn flag_set(prefix: Option<&'static str>) -> FlagSet {
    FlagSet::of::<Flags>(prefix)
}

pub(super) fn check(mut flags: Flags, line: &Line<'_>) -> Result<Checked, ConfigError> {
    let Flags { own, events } = &mut flags;
    gates::keep_own(&mut own.controller, GATES, line.kinds)?;
    check_events(events, line.is_upstreams)?;
    // Putting the controller together checks the same once more, but by then the cluster has been contacted.
    own.settings()?;
    own.controller.configs_selector()?;
    own.shard.jitter()?;
    let selector = own.shard.selector()?;
    Gates::announce(&own.controller.feature_gates);
    Ok(Checked { flags, selector })
}

impl Checked {
    /// Puts the controller together.
    pub(super) fn build(self, services: &Services, neighbours: &Neighbours) -> Result<Part, Broken> {
        let Flags { own, events } = self.flags;
        let destination = neighbours.destination(&events)?;
        let stack = services.stack.named(Kind::Kustomize.name());
        let local_store = neighbours.store.clone().map(|(base_url, folder)| LocalStore { base_url, folder });
        let needs = Needs {
            context: services.context(Kind::Kustomize, destination),
            impersonator: Impersonator::new(stack, own.controller.default_service_account()),
            fetcher: fetcher(services, own.http_retry)?,
            egress: Arc::clone(&services.egress),
            local_store,
            environment: services.environment.clone(),
        };
        let controller = Controller::new(&own, needs)?;
        Ok(Part {
            stage: Kind::Kustomize.stage(),
            serve: Box::pin(std::future::ready(Ok(()))),
            lead: Box::pin(async move {
                controller.run().await;
                Ok(())
            }),
        })
    }
}

/// Opens artifacts from wherever the sources' URLs lead: those come from the cluster's source-controllers.
fn fetcher(services: &Services, retries: u32) -> Result<Fetcher, Broken> {
    let variable = |name: &str| services.environment.get(name).filter(|value| !value.is_empty()).cloned();
    let options = Options {
        retries,
        source_controller_host: variable("SOURCE_CONTROLLER_LOCALHOST"),
        source_watcher_host: variable("SOURCE_WATCHER_LOCALHOST"),
        ..Options::default()
    };
    let folder = PathBuf::from(variable("TMPDIR").unwrap_or_else(|| "/tmp".to_owned()));
    // A server that falls silent must not hold a worker; a download of any length that goes on may.
    let options_of_client = millrace_net::Options {
        egress: services.egress.clone(),
        read_timeout: Some(ARTIFACT_READ_TIMEOUT),
        ..Default::default()
    };
    let client = HttpClient::new(&options_of_client)?;
    Ok(Fetcher::new(client, Trees::new(folder, CACHED_TREE_BYTES), options))
}
