//! Runs the parts of the process: leads while the leases are held, and lets everything end in order.

use futures::stream::{FuturesUnordered, StreamExt as _};
use millrace_reconcile::leader::{Acquired, Election, Lease, Lost};
use millrace_reconcile::tasks::Tasks;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::crews::{Crews, RELEASED_BY, Stage};
use crate::parts::{Broken, Part};

type Running = FuturesUnordered<JoinHandle<Result<(), Broken>>>;

/// Runs `parts` until the process is to end or something breaks.
///
/// A lost lease ends everything at once, as upstream's programs do it: another process may be at work already.
pub(crate) async fn work(
    parts: Vec<Part>,
    leases: Option<(Election, Vec<Lease>)>,
    crews: &Crews,
) -> Result<(), Broken> {
    // Leases outlive the runs they guard.
    let keepers = Tasks::new();
    let mut outcome = lead(parts, leases, crews, &keepers).await;
    if outcome.as_ref().is_err_and(|broken| broken.is::<Lost>()) {
        return outcome;
    }
    let began = Instant::now();
    crews.end(began).await;
    let released = tokio::time::timeout_at(began + RELEASED_BY, keepers.finish()).await;
    if released.is_err() && outcome.is_ok() {
        outcome = Err("leases could not be given up in time".into());
    }
    outcome
}

async fn lead(
    parts: Vec<Part>,
    leases: Option<(Election, Vec<Lease>)>,
    crews: &Crews,
    keepers: &Tasks,
) -> Result<(), Broken> {
    let shutdown = crews.of(Stage::Control).tasks().shutdown();
    let mut running = Running::new();
    let mut leading = Vec::new();
    for Part { stage, serve, lead } in parts {
        let tasks = crews.of(stage).tasks();
        running.push(tasks.spawn(serve));
        leading.push((tasks, lead));
    }
    if let Some((election, leases)) = leases {
        let acquired = tokio::select! {
            acquired = election.acquire(leases, shutdown) => acquired?,
            broken = first_failure(&mut running) => return Err(broken),
            gone = vital(crews) => return Err(gone),
        };
        let (held, is_over) = match acquired {
            Acquired::All(held) => (held, false),
            Acquired::Cut(held) => (held, true),
        };
        for lease in held {
            let done = keepers.shutdown().clone();
            running.push(keepers.spawn(async move { lease.keep(&done).await.map_err(Broken::from) }));
        }
        if is_over {
            return Ok(());
        }
    }
    running.extend(leading.into_iter().map(|(tasks, lead)| tasks.spawn(lead)));
    tokio::select! {
        () = shutdown.cancelled() => Ok(()),
        broken = first_failure(&mut running) => Err(broken),
        gone = vital(crews) => Err(gone),
    }
}

/// Waits for the first part that ends with an error or a panic; parts that simply end are fine.
async fn first_failure(running: &mut Running) -> Broken {
    loop {
        match running.next().await {
            Some(Ok(Ok(()))) => {}
            Some(Ok(Err(broken))) => return broken,
            Some(Err(panicked)) => return panicked.into(),
            None => std::future::pending().await,
        }
    }
}

/// Waits for the end of a task without which the process is of no use.
async fn vital(crews: &Crews) -> Broken {
    let gone = |stage| crews.of(stage).tasks().broken();
    tokio::select! {
        gone = gone(Stage::Control) => gone.into(),
        gone = gone(Stage::Delivery) => gone.into(),
    }
}

#[cfg(test)]
mod tests;
