//! The source-controller as a part of the process.

use millrace_artifact::storage::ArtifactPath;
use millrace_reconcile::args::{ConfigError, Selector, host_name};
use millrace_reconcile::pflag::FlagSet;
use millrace_source_controller::args::{Args, GATES};
use millrace_source_controller::{Controller, Needs};

use super::{Broken, Kind, Line, Neighbours, Part, check_events, gates};
use crate::args::{EventsArgs, check_listen};
use crate::services::Services;

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
    gates::keep_own(&mut own.controller, &GATES, line.kinds)?;
    check_listen("storage-addr", &own.storage.storage_addr, "artifact server error")?;
    check_events(events, line.is_upstreams)?;
    // Putting the controller together checks the same once more, but by then the cluster has been contacted.
    let config = own.check(line.environment, &host_name(line.environment))?;
    own.announce_gates();
    let selector = config.selector;
    Ok(Checked { flags, selector })
}

impl Checked {
    /// Puts the controller together and shows its store to the others.
    pub(super) fn build(self, services: &Services, neighbours: &mut Neighbours) -> Result<Part, Broken> {
        let destination = neighbours.destination(&self.flags.events)?;
        let needs = Needs {
            context: services.context(Kind::Source, destination),
            egress: services.egress.clone(),
            environment: services.environment.clone(),
        };
        let controller = Controller::new(&self.flags.own, needs)?;
        let storage = controller.storage();
        neighbours.store = Some((storage.url(&ArtifactPath::default()), storage.root().to_owned()));
        Ok(Part {
            stage: Kind::Source.stage(),
            serve: Box::pin(std::future::ready(Ok(()))),
            // The artifact server is the leader's alone: others refuse connections, which is their readiness.
            lead: Box::pin(async move { Ok(controller.run().await?) }),
        })
    }
}
