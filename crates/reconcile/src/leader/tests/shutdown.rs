//! The process is to end while it waits for a lease, or while a renewal is under way.

use super::*;

/// How long an end may take when nothing has to be waited for.
const PROMPTLY: Duration = Duration::from_millis(100);

/// Two leases: one that is free, and one that another process renews until the end of the test.
struct Pair {
    free: Cluster,
    taken: Cluster,
    _other: JoinHandle<Result<(), Lost>>,
}

async fn pair() -> Pair {
    let (free, taken) = (Cluster::default(), Cluster::default());
    let other = lead(&election("other_1"), &taken).await;
    let other = tasks().spawn(async move { other.keep(&CancellationToken::new()).await });
    Pair { free, taken, _other: other }
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_ends_the_wait_for_a_later_lease_though_a_renewal_hangs() {
    for (name, waits) in [("before a renewal", 4), ("during one", 8), ("when it is tried again", 24)] {
        let Pair { free, taken, _other } = pair().await;
        let (own, shutdown) = (election("own_2"), CancellationToken::new());
        let waiting = own.acquire(vec![lease(&free), lease(&taken)], &shutdown);
        tokio::pin!(waiting);
        assert!(timeout(Duration::from_mins(1), &mut waiting).await.is_err(), "{name}");
        free.freeze();
        assert!(timeout(Duration::from_secs(waits), &mut waiting).await.is_err(), "{name}");
        shutdown.cancel();
        let ended = timeout(PROMPTLY, waiting).await;
        assert!(matches!(ended, Ok(Ok(_))), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_lease_is_given_up_though_its_renewal_hangs() {
    let (cluster, election) = (Cluster::default(), election("host_1"));
    let held = lead(&election, &cluster).await;
    let done = CancellationToken::new();
    let keeping = held.keep(&done);
    tokio::pin!(keeping);
    cluster.freeze_writes(1);
    assert!(timeout(TIMING.retry_period + PROMPTLY, &mut keeping).await.is_err());
    done.cancel();
    timeout(PROMPTLY, keeping).await.expect("at once").expect("not lost");
    assert_eq!(cluster.spec()["holderIdentity"], "");
    assert!(!election.fence.is_open());
}
