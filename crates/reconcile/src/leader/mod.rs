//! Leader election by Leases, in the protocol of client-go, so that a process takes turns with running originals.
//!
//! A process takes the leases of all its controllers, in the order given, and works only while it holds every one of them.
//! Whether another's lease has expired is judged by when a change of it was last *seen*, not by the times in it, so clocks
//! need not agree.
//!
//! A held lease is good until the renew deadline after the beginning of its last renewal, which is before anybody else may
//! take it. From then on, and from the moment a lease is given up, the [`Fence`] holds back every write of the process.
//! client-go begins to count only when the next renewal is due; with the default timing its deadline then coincides with
//! the moment at which others take over.
//!
//! Contract: source-controller §6.4, cli §B1.7.

mod candidate;
mod lock;

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{FuturesUnordered, StreamExt as _};
use k8s_openapi::api::core::v1::ObjectReference;
use kube::Client;
use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use candidate::Candidate;
use lock::Lock;

use crate::args::{ConfigError, LeaderElectionArgs, Selector};
use crate::client::Fence;
use crate::clock::Clock;
use crate::events::{Destination, Event, Recorder, Settings, Severity};
use crate::failure::Reason;
use crate::metrics::Metrics;

/// The reason of the Events about a lease.
const REASON: Reason = Reason::new("LeaderElection");

/// How much longer than the retry period a candidate may wait, by chance, so that candidates don't move in step.
const JITTER: f64 = 0.2;

/// Timing of an election.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// How long a lease counts as held without a change.
    pub lease_duration: Duration,
    /// How long its holder counts on it after a renewal.
    pub renew_deadline: Duration,
    /// The pause between tries.
    pub retry_period: Duration,
    /// Whether the lease is given up on shutdown.
    pub release_on_cancel: bool,
}

impl Timing {
    /// The timing that the flags ask for.
    ///
    /// # Errors
    /// The durations don't leave room for a renewal.
    pub fn of_flags(flags: &LeaderElectionArgs) -> Result<Self, ConfigError> {
        let timing = Self {
            lease_duration: flags.leader_election_lease_duration.as_std(),
            renew_deadline: flags.leader_election_renew_deadline.as_std(),
            retry_period: flags.leader_election_retry_period.as_std(),
            release_on_cancel: flags.leader_election_release_on_cancel,
        };
        let wrong = |reason: &str, flag, value: String| ConfigError {
            message: "unable to start manager",
            reason: reason.to_owned(),
            flag,
            value,
        };
        if timing.retry_period.is_zero() {
            let value = flags.leader_election_retry_period.to_string();
            return Err(wrong(
                "retryPeriod must be greater than zero",
                "leader-election-retry-period",
                value,
            ));
        }
        if timing.renew_deadline <= timing.retry_period.mul_f64(1.0 + JITTER) {
            let value = flags.leader_election_renew_deadline.to_string();
            let reason = "renewDeadline must be greater than retryPeriod*JitterFactor";
            return Err(wrong(reason, "leader-election-renew-deadline", value));
        }
        if timing.lease_duration <= timing.renew_deadline {
            let value = flags.leader_election_lease_duration.to_string();
            let reason = "leaseDuration must be greater than renewDeadline";
            return Err(wrong(reason, "leader-election-lease-duration", value));
        }
        Ok(timing)
    }
}

/// The name of a controller's lease; a shard has one of its own.
pub fn lease_name(controller: &str, selector: &Selector) -> String {
    if selector.selects_all() {
        return format!("{controller}-leader-election");
    }
    let digest = Sha256::digest(selector.as_str());
    let shard = digest.iter().take(4).fold(0, |number: u32, byte| number << 8 | u32::from(*byte));
    format!("{controller}-leader-election-{shard:08x}")
}

/// A lease to take.
#[derive(Clone)]
pub struct Lease {
    /// Its name, as [`lease_name`] gives it.
    pub name: String,
    /// Who writes it: the controller's name.
    pub controller: String,
    /// The client to write it with, which the fence doesn't hold back.
    pub client: Client,
}

/// What all leases of a process have in common.
#[derive(Clone)]
pub struct Election {
    /// Where the leases are.
    pub namespace: String,
    /// Who holds them: `<host>_<uuid>`.
    pub identity: String,
    /// The timing.
    pub timing: Timing,
    /// The time that is written into leases.
    pub clock: Arc<dyn Clock>,
    /// Shows who leads.
    pub metrics: Metrics,
    /// Holds back what the process writes while it doesn't hold its leases.
    pub fence: Fence,
}

/// The identity of this process in elections.
pub fn identity(host: &str) -> String {
    format!("{host}_{}", Uuid::new_v4())
}

/// A lease could not be kept: another process may work from now on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("leader election lost")]
pub struct Lost {
    /// The lease.
    pub lease: String,
}

/// How a wait for leases ended.
pub enum Acquired {
    /// With all of them.
    All(Vec<Held>),
    /// By a shutdown that came first. What was held by then is to be given up: [`Held::keep`] does that.
    Cut(Vec<Held>),
}

/// A lease that this process wants.
struct Contender {
    candidate: Candidate,
    events: Recorder,
}

/// A lease that this process holds; [`Self::keep`] renews it.
pub struct Held {
    election: Election,
    candidate: Candidate,
    events: Recorder,
    /// When the last renewal that succeeded began.
    renewed: Instant,
}

impl Election {
    /// Takes all of `leases` in their order, waiting for each as long as it takes, but not for longer than until `shutdown`.
    ///
    /// What is held already is renewed meanwhile, and what comes later is watched, so that the leases of a process that died
    /// expire together.
    ///
    /// # Errors
    /// A lease that was already held was lost while waiting for the next one.
    pub async fn acquire(&self, leases: Vec<Lease>, shutdown: &CancellationToken) -> Result<Acquired, Lost> {
        let mut later: VecDeque<_> = leases.into_iter().map(|lease| self.contend(lease)).collect();
        let mut held = Vec::new();
        while let Some(contender) = later.pop_front() {
            let next = tokio::select! {
                next = self.wait_for(contender, &mut later) => next,
                lost = first_lost(&mut held) => return Err(lost),
                () = shutdown.cancelled() => return Ok(Acquired::Cut(held)),
            };
            held.push(next);
        }
        Ok(Acquired::All(held))
    }

    fn contend(&self, lease: Lease) -> Contender {
        let Lease { name, controller, client } = lease;
        self.metrics.leader(&name, false);
        let settings = Settings {
            component: self.identity.clone(),
            field_manager: controller.clone(),
            instance: String::new(),
            destination: Destination::None,
        };
        let events = Recorder::start(Some(client.clone()), settings, Arc::clone(&self.clock));
        let lock = Lock::new(client, &self.namespace, &name, &controller);
        Contender {
            candidate: Candidate::new(lock, self.identity.clone(), self.timing.lease_duration),
            events,
        }
    }

    async fn wait_for(&self, contender: Contender, later: &mut VecDeque<Contender>) -> Held {
        let Contender { mut candidate, events } = contender;
        let name = candidate.lock().name().to_owned();
        let described = format!("{}/{name}", self.namespace);
        tracing::info!(logger = "runtime", lock = described, "Attempting to acquire leader lease...");
        let renewed = loop {
            let began = Instant::now();
            let attempt = candidate.try_to_lead(&*self.clock);
            if timeout(self.timing.renew_deadline / 2, attempt).await.unwrap_or(false) {
                break began;
            }
            self.look_at(later, self.timing.retry_period.mul_f64(1.0 + JITTER * rand::random::<f64>())).await;
        };
        tracing::info!(logger = "runtime", lock = described, "Successfully acquired lease");
        self.metrics.leader(&name, true);
        self.fence.hold(&name, renewed + self.timing.renew_deadline);
        let held = Held { election: self.clone(), candidate, events, renewed };
        held.tell("became leader");
        held
    }

    /// Spends a pause with looking at the leases that come later.
    async fn look_at(&self, later: &mut VecDeque<Contender>, pause: Duration) {
        let end = Instant::now() + pause;
        for contender in later {
            // One that can't be read now will be when its turn comes.
            let _ = timeout_at(end, contender.candidate.look()).await;
        }
        sleep_until(end).await;
    }
}

impl Held {
    /// Renews the lease until `done`, then gives it up; to be called when everything it guards has ended.
    ///
    /// # Errors
    /// It could not be renewed in time: whatever it guards must end at once.
    pub async fn keep(mut self, done: &CancellationToken) -> Result<(), Lost> {
        tokio::select! {
            lost = self.lose() => return Err(lost),
            // A renewal that is under way is not waited for.
            () = done.cancelled() => {}
        }
        self.give_up().await;
        Ok(())
    }

    /// Renews the lease again and again until it is lost.
    async fn lose(&mut self) -> Lost {
        loop {
            sleep(self.election.timing.retry_period).await;
            if let Err(lost) = self.renew().await {
                return lost;
            }
        }
    }

    /// Renews the lease, trying until the deadline, which counts from the last renewal.
    async fn renew(&mut self) -> Result<(), Lost> {
        let Timing { renew_deadline, retry_period, .. } = self.election.timing;
        let deadline = self.renewed + renew_deadline;
        loop {
            let began = Instant::now();
            if began >= deadline {
                return Err(self.lost());
            }
            let attempt = self.candidate.try_to_lead(&*self.election.clock);
            let until = deadline.min(began + renew_deadline / 2);
            if timeout_at(until, attempt).await.unwrap_or(false) {
                self.renewed = began;
                self.election.fence.hold(self.candidate.lock().name(), began + renew_deadline);
                return Ok(());
            }
            sleep_until(deadline.min(Instant::now() + retry_period)).await;
        }
    }

    /// Sees to it that nothing is written any more, not even an Event that says so.
    fn lost(&self) -> Lost {
        self.election.fence.close();
        let lease = self.candidate.lock().name().to_owned();
        self.election.metrics.leader(&lease, false);
        tracing::info!(logger = "runtime", lock = lease, "Failed to renew lease");
        Lost { lease }
    }

    async fn give_up(mut self) {
        // Whoever takes the lease over must not meet a straggler of this process.
        self.election.fence.close();
        let Timing { renew_deadline, release_on_cancel, .. } = self.election.timing;
        self.election.metrics.leader(self.candidate.lock().name(), false);
        if release_on_cancel
            && let Ok(Err(error)) =
                timeout(renew_deadline, self.candidate.release(&*self.election.clock)).await
        {
            tracing::error!(
                logger = "runtime",
                error = crate::client::error_text(&error),
                "Failed to release lease"
            );
        }
        self.tell("stopped leading");
        self.events.finish(Duration::from_secs(2)).await;
    }

    fn tell(&self, what: &str) {
        let about = self.candidate.lock().reference();
        let message = format!("{} {what}", self.election.identity);
        let event = Event { severity: Severity::Info, reason: REASON, message, metadata: BTreeMap::new() };
        self.events.record(&about, &BTreeMap::new(), event);
    }
}

/// Renews all of these until the first one is lost; never ends where there are none.
async fn first_lost(held: &mut [Held]) -> Lost {
    let mut all: FuturesUnordered<_> = held.iter_mut().map(Held::lose).collect();
    match all.next().await {
        Some(lost) => lost,
        None => pending().await,
    }
}

/// The API version of leases, for references to them.
fn reference(
    name: &str,
    namespace: &str,
    uid: Option<String>,
    resource_version: Option<String>,
) -> ObjectReference {
    ObjectReference {
        api_version: Some("coordination.k8s.io/v1".to_owned()),
        kind: Some("Lease".to_owned()),
        name: Some(name.to_owned()),
        namespace: Some(namespace.to_owned()),
        uid,
        resource_version,
        field_path: None,
    }
}

#[cfg(test)]
mod tests;
