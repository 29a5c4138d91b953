use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::*;
use crate::client::scripted::{self, Reply, Seen};

mod shutdown;

/// The part of an API server that leases need: one object, with versions.
#[derive(Clone, Default)]
struct Cluster {
    lease: Arc<Mutex<Option<Value>>>,
    down: Arc<Mutex<bool>>,
    frozen: CancellationToken,
    /// How many writes, from now on, are never answered.
    hanging: Arc<AtomicUsize>,
}

impl Cluster {
    fn client(&self) -> Client {
        let cluster = self.clone();
        let reply = move |request: &Seen| {
            let hangs = cluster.frozen.is_cancelled() || cluster.takes_hanging(request);
            if hangs { Reply::Never } else { Reply::Now(cluster.answer(request)) }
        };
        scripted::timed_client(reply).0
    }

    /// From now on nothing is answered.
    fn freeze(&self) {
        self.frozen.cancel();
    }

    /// The next writes of the lease are never answered.
    fn freeze_writes(&self, count: usize) {
        self.hanging.store(count, Ordering::Relaxed);
    }

    fn takes_hanging(&self, request: &Seen) -> bool {
        let is_write = request.method == http::Method::PUT;
        let one_less = |left: usize| left.checked_sub(1);
        is_write && self.hanging.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
    }

    fn answer(&self, request: &Seen) -> Option<(u16, String)> {
        if *self.down.lock().expect("lock") {
            return None;
        }
        if request.uri.contains("/events") {
            return Some((201, request.json().to_string()));
        }
        let mut lease = self.lease.lock().expect("lock");
        let failure = |code: u16, reason: &str| {
            let status = json!({"kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": reason});
            Some((code, status.to_string()))
        };
        let write = |lease: &mut Option<Value>| {
            let version = lease.as_ref().map_or(1, |lease| version(lease) + 1);
            let mut written = request.json();
            written["metadata"]["resourceVersion"] = version.to_string().into();
            *lease = Some(written.clone());
            Some((200, written.to_string()))
        };
        match (request.method.as_str(), lease.as_ref()) {
            ("GET", None) => failure(404, "NotFound"),
            ("GET", Some(lease)) => Some((200, lease.to_string())),
            ("POST", Some(_)) => failure(409, "AlreadyExists"),
            ("POST", None) => write(&mut lease),
            ("PUT", Some(stored)) if version(stored) == version(&request.json()) => write(&mut lease),
            _ => failure(409, "Conflict"),
        }
    }

    fn set_down(&self, down: bool) {
        *self.down.lock().expect("lock") = down;
    }

    fn spec(&self) -> Value {
        self.lease.lock().expect("lock").as_ref().expect("a lease")["spec"].clone()
    }
}

fn version(lease: &Value) -> u64 {
    lease["metadata"]["resourceVersion"].as_str().expect("version").parse().expect("number")
}

/// A clock that moves with the paused time of the test.
struct PausedClock {
    epoch: Timestamp,
    start: Instant,
}

impl Clock for PausedClock {
    fn now(&self) -> Timestamp {
        let elapsed = jiff::SignedDuration::try_from(self.start.elapsed()).expect("a short time");
        self.epoch + elapsed
    }
}

fn clock(epoch: &str) -> Arc<dyn Clock> {
    Arc::new(PausedClock { epoch: epoch.parse().expect("time"), start: Instant::now() })
}

const TIMING: Timing = Timing {
    lease_duration: Duration::from_secs(35),
    renew_deadline: Duration::from_secs(30),
    retry_period: Duration::from_secs(5),
    release_on_cancel: true,
};

fn election(identity: &str) -> Election {
    Election {
        namespace: "flux-system".to_owned(),
        identity: identity.to_owned(),
        timing: TIMING,
        clock: clock("1970-01-01T00:00:00Z"),
        metrics: Metrics::default(),
        fence: Fence::default(),
    }
}

fn lease(cluster: &Cluster) -> Lease {
    let name = lease_name("source-controller", &Selector::default());
    Lease { name, controller: "source-controller".to_owned(), client: cluster.client() }
}

async fn lead(election: &Election, cluster: &Cluster) -> Held {
    all(election.acquire(vec![lease(cluster)], &CancellationToken::new()).await).pop().expect("one lease")
}

/// The leases of a wait that no shutdown has cut short.
fn all(acquired: Result<Acquired, Lost>) -> Vec<Held> {
    match acquired.expect("not lost") {
        Acquired::All(held) => held,
        Acquired::Cut(_) => panic!("shut down"),
    }
}

fn tasks() -> crate::tasks::Tasks {
    crate::tasks::Tasks::new()
}

#[tokio::test(start_paused = true)]
async fn the_first_candidate_creates_the_lease_as_recorded() {
    let (cluster, election) = (Cluster::default(), election("host_1"));
    lead(&election, &cluster).await;
    let spec = cluster.spec();
    assert_eq!(spec["holderIdentity"], "host_1");
    assert_eq!(
        (spec["leaseDurationSeconds"].as_i64(), spec["leaseTransitions"].as_i64()),
        (Some(35), Some(0))
    );
    assert_eq!(spec["acquireTime"], "1970-01-01T00:00:00.000000Z");
    let metrics = election.metrics.render();
    assert!(
        metrics.contains("leader_election_master_status{name=\"source-controller-leader-election\"} 1\n")
    );
}

/// Part of SC-103.
#[tokio::test(start_paused = true)]
async fn a_second_candidate_waits_until_the_first_gives_up() {
    let cluster = Cluster::default();
    let first = lead(&election("first_1"), &cluster).await;
    let done = CancellationToken::new();
    let keeping = tasks().spawn({
        let done = done.clone();
        async move { first.keep(&done).await }
    });
    let second = election("second_2");
    let waiting = lead(&second, &cluster);
    tokio::pin!(waiting);
    assert!(timeout(Duration::from_mins(5), &mut waiting).await.is_err(), "the first renews all the time");
    done.cancel();
    keeping.await.expect("task").expect("kept to the end");
    let released = cluster.spec();
    assert_eq!(
        (released["holderIdentity"].as_str(), released["leaseDurationSeconds"].as_i64()),
        (Some(""), Some(1))
    );
    timeout(Duration::from_secs(10), waiting).await.expect("the second takes over within ten seconds");
    let spec = cluster.spec();
    assert_eq!(
        (spec["holderIdentity"].as_str(), spec["leaseTransitions"].as_i64()),
        (Some("second_2"), Some(1))
    );
}

#[tokio::test(start_paused = true)]
async fn a_lease_expires_by_when_it_was_last_seen_to_change_not_by_its_times() {
    let cluster = Cluster::default();
    drop(lead(&election("crashed_1"), &cluster).await);
    // The times in the lease are decades old for a clock that runs ahead; that alone must not matter.
    let mut second = election("second_2");
    second.clock = clock("2026-01-01T00:00:00Z");
    let start = Instant::now();
    lead(&second, &cluster).await;
    assert!(start.elapsed() >= TIMING.lease_duration, "{:?}", start.elapsed());
    assert!(start.elapsed() <= TIMING.lease_duration + Duration::from_secs(10), "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_cannot_be_renewed_is_lost_before_another_may_take_it() {
    let (cluster, election) = (Cluster::default(), election("host_1"));
    let held = lead(&election, &cluster).await;
    cluster.set_down(true);
    let start = Instant::now();
    let lost = held.keep(&CancellationToken::new()).await.expect_err("lost");
    assert_eq!(lost.to_string(), "leader election lost");
    assert_eq!(start.elapsed().as_secs(), TIMING.renew_deadline.as_secs());
    election.fence.hold(&lost.lease, Instant::now() + TIMING.lease_duration);
    assert!(!election.fence.is_open(), "nothing is written any more, whatever comes");
    assert!(
        election
            .metrics
            .render()
            .contains("leader_election_master_status{name=\"source-controller-leader-election\"} 0\n")
    );
}

/// The timing of client-go's own defaults.
const TIGHT: Timing = Timing {
    lease_duration: Duration::from_secs(15),
    renew_deadline: Duration::from_secs(10),
    retry_period: Duration::from_secs(2),
    release_on_cancel: true,
};

#[tokio::test(start_paused = true)]
async fn the_deadline_counts_from_the_last_renewal_that_succeeded() {
    for (renewals, frozen) in [(0, false), (0, true), (3, false), (3, true)] {
        let (cluster, election) = (Cluster::default(), Election { timing: TIGHT, ..election("host_1") });
        let held = lead(&election, &cluster).await;
        let start = Instant::now();
        let never = CancellationToken::new();
        let keeping = held.keep(&never);
        tokio::pin!(keeping);
        let last = TIGHT.retry_period * renewals;
        assert!(timeout(last + Duration::from_millis(500), &mut keeping).await.is_err());
        if frozen {
            cluster.freeze();
        } else {
            cluster.set_down(true);
        }
        let kept = timeout(Duration::from_mins(1), keeping).await.expect("an end");
        kept.expect_err("lost");
        let took = start.elapsed().as_secs_f64() - (last + TIGHT.renew_deadline).as_secs_f64();
        assert!((0.0..0.1).contains(&took), "{renewals} renewals, frozen: {frozen}: {:?}", start.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn a_process_that_was_frozen_past_the_deadline_neither_writes_nor_renews() {
    let (cluster, election) = (Cluster::default(), Election { timing: TIGHT, ..election("host_1") });
    let held = lead(&election, &cluster).await;
    let version_before = version(cluster.lease.lock().expect("lock").as_ref().expect("lease"));
    assert!(election.fence.is_open());
    // Nobody polls the keeper meanwhile, as in a process that is stopped.
    tokio::time::advance(TIGHT.renew_deadline).await;
    assert!(!election.fence.is_open(), "known before the keeper has run");
    let never = CancellationToken::new();
    let kept = timeout(Duration::from_mins(1), held.keep(&never)).await.expect("an end");
    let lost = kept.expect_err("lost");
    assert_eq!(lost.lease, "source-controller-leader-election");
    assert_eq!(version(cluster.lease.lock().expect("lock").as_ref().expect("lease")), version_before);
}

#[tokio::test(start_paused = true)]
async fn nothing_else_is_written_from_the_moment_a_lease_is_given_up() {
    let (cluster, election) = (Cluster::default(), election("host_1"));
    let held = lead(&election, &cluster).await;
    let done = CancellationToken::new();
    done.cancel();
    held.keep(&done).await.expect("kept to the end");
    assert!(!election.fence.is_open());
    assert_eq!(cluster.spec()["holderIdentity"], "");
}

#[tokio::test(start_paused = true)]
async fn a_short_outage_is_survived() {
    let cluster = Cluster::default();
    let held = lead(&election("host_1"), &cluster).await;
    let done = CancellationToken::new();
    let keeping = held.keep(&done);
    tokio::pin!(keeping);
    cluster.set_down(true);
    assert!(timeout(Duration::from_secs(20), &mut keeping).await.is_err());
    cluster.set_down(false);
    assert!(timeout(Duration::from_mins(2), &mut keeping).await.is_err());
    assert_eq!(cluster.spec()["leaseTransitions"], 0);
}

#[tokio::test(start_paused = true)]
async fn several_leases_are_taken_in_order_and_kept_while_waiting() {
    let (free, taken) = (Cluster::default(), Cluster::default());
    let other = lead(&election("other_1"), &taken).await;
    let done = CancellationToken::new();
    let keeping = tasks().spawn({
        let done = done.clone();
        async move { other.keep(&done).await }
    });
    let own = election("own_2");
    let shutdown = CancellationToken::new();
    let waiting = own.acquire(vec![lease(&free), lease(&taken)], &shutdown);
    tokio::pin!(waiting);
    assert!(timeout(Duration::from_secs(200), &mut waiting).await.is_err(), "the second lease is another's");
    let version_before = version(free.lease.lock().expect("lock").as_ref().expect("lease"));
    assert!(version_before > 20, "the first lease was renewed all the time: {version_before}");
    shutdown.cancel();
    let Ok(Acquired::Cut(mut held)) = waiting.await else { panic!("a shutdown before all were taken") };
    assert_eq!((held.len(), &free.spec()["holderIdentity"]), (1, &"own_2".into()));
    done.cancel();
    held.remove(0).keep(&done).await.expect("kept to the end");
    assert_eq!(free.spec()["holderIdentity"], "", "what was held can be given up");
    keeping.await.expect("task").expect("kept");
}

#[tokio::test(start_paused = true)]
async fn the_leases_of_a_process_that_died_expire_together() {
    let clusters = [Cluster::default(), Cluster::default(), Cluster::default()];
    let crashed = election("crashed_1");
    for cluster in &clusters {
        drop(lead(&crashed, cluster).await);
    }
    let start = Instant::now();
    let leases = clusters.iter().map(lease).collect();
    let held = all(election("second_2").acquire(leases, &CancellationToken::new()).await);
    assert_eq!(held.len(), 3);
    assert!(start.elapsed() <= TIMING.lease_duration + Duration::from_secs(10), "{:?}", start.elapsed());
}

/// Part of SC-104.
#[test]
fn a_shards_lease_carries_the_digest_of_its_selector() {
    let selector: Selector = "sharding.fluxcd.io/key=a".parse().expect("selector");
    let name = lease_name("source-controller", &selector);
    assert_eq!(name, "source-controller-leader-election-49d8d10c");
    assert_eq!(
        lease_name("kustomize-controller", &Selector::default()),
        "kustomize-controller-leader-election"
    );
}

#[test]
fn durations_that_leave_no_room_are_refused() {
    let flags = |lease: &str, renew: &str, retry: &str| LeaderElectionArgs {
        enable_leader_election: true,
        leader_election_release_on_cancel: true,
        leader_election_lease_duration: lease.parse().expect("duration"),
        leader_election_renew_deadline: renew.parse().expect("duration"),
        leader_election_retry_period: retry.parse().expect("duration"),
    };
    assert_eq!(Timing::of_flags(&flags("35s", "30s", "5s")), Ok(TIMING));
    for (lease, renew, retry, flag) in [
        ("30s", "30s", "5s", "leader-election-lease-duration"),
        ("35s", "5s", "5s", "leader-election-renew-deadline"),
        ("35s", "30s", "0s", "leader-election-retry-period"),
    ] {
        assert_eq!(Timing::of_flags(&flags(lease, renew, retry)).expect_err(flag).flag, flag);
    }
}
