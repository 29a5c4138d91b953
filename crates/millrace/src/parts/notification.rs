//! The notification-controller as a part of the process.

use std::io;

use millrace_notification_controller::args::GATES;
use millrace_notification_controller::{Args, Config, NotificationController};
use millrace_reconcile::args::ConfigError;
use millrace_reconcile::events::Destination;
use millrace_reconcile::gates::Gates;
use millrace_reconcile::http::listen;
use millrace_reconcile::pflag::FlagSet;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::{Broken, Kind, Line, Neighbours, Part, gates};
use crate::args::check_listen;
use crate::services::Services;

/// Where events come in when this controller shares a process: 9090 is the artifacts' there.
const SHARED_EVENTS_ADDR: &str = ":9091";

/// Its flags, checked.
pub(super) struct Checked {
    args: Args,
    config: Config,
}

pub(super) fn flag_set(prefix: Option<&'static str>) -> FlagSet {
    let set = FlagSet::of::<Args>(prefix);
    // To every other controller `--events-addr` is where events are sent to, not where they come in.
    if prefix.is_some() { set.with_own("events-addr", SHARED_EVENTS_ADDR) } else { set }
}

pub(super) fn check(mut args: Args, line: &Line<'_>) -> Result<Checked, ConfigError> {
    gates::keep_own(&mut args.controller, &GATES, line.kinds)?;
    check_listen("events-addr", &args.events_addr, "Event server crashed")?;
    check_listen("receiverAddr", &args.receiver_addr, "Receiver server crashed")?;
    let config = args.config(line.environment)?;
    Gates::announce(&args.controller.feature_gates);
    Ok(Checked { args, config })
}

impl Checked {
    /// Puts the controller together, opens its doors and shows the others the way in.
    pub(super) async fn build(
        self,
        services: &Services,
        neighbours: &mut Neighbours,
    ) -> Result<Part, Broken> {
        // Its own events are for Kubernetes alone: posted, they would come back to it.
        let context = services.context(Kind::Notification, Destination::None);
        let controller = NotificationController::new(context, self.config, services.egress.clone());
        neighbours.sink = Some(controller.sink());
        let (events_addr, receiver_addr) = (&self.args.events_addr, &self.args.receiver_addr);
        tracing::info!(logger = "setup", addr = events_addr, "starting event server");
        let events = listen(events_addr).await?.map(|listener| controller.serve_events(listener));
        tracing::info!(logger = "setup", addr = receiver_addr, "starting webhook receiver server");
        let hooks = listen(receiver_addr).await?.map(|listener| controller.serve_hooks(listener));
        let (ready, leader) = oneshot::channel();
        Ok(Part {
            stage: Kind::Notification.stage(),
            serve: Box::pin(async move {
                // The other half waits for this one, or is gone because the process ends.
                let _ = ready.send(controller.start());
                futures::try_join!(
                    watch(events, "Event server crashed"),
                    watch(hooks, "Receiver server crashed")
                )?;
                Ok(())
            }),
            lead: Box::pin(async move {
                if let Ok(leader) = leader.await {
                    leader.lead().await;
                }
                Ok(())
            }),
        })
    }
}

/// Waits for a server, which ends before the process only if it breaks.
async fn watch(server: Option<JoinHandle<io::Result<()>>>, crash: &str) -> Result<(), Broken> {
    let Some(server) = server else { return Ok(()) };
    let ended = server.await?;
    Ok(ended.inspect_err(|error| tracing::error!(logger = "setup", error = error.to_string(), "{crash}"))?)
}
