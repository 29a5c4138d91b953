//! etcd is slow, or frozen for longer than a lease lasts, on a control plane that this test has for itself.
//!
//! Two processes are there, of which one may write. Leases are written to the same etcd as everything else.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use millrace_e2e::tenants;
use millrace_harness::millrace::Options;
use millrace_harness::{ControlPlane, Profile, Relay, tools};

use super::leases::{Second, electing, is_silent_since, taken_over};
use super::{KUSTOMIZATION, MATRIX, condition_under_way, freeze_etcd, recovers, settled};
use crate::faults::site::Site;
use crate::faults::world::World;

/// How late each message between API server and etcd is: an answer takes twice as long.
const LATE: Duration = Duration::from_millis(300);
/// Longer than a lease of this test lasts.
const FROZEN: Duration = Duration::from_secs(9);

/// Leases that outlast renewals which take a second or two.
fn patient(options: Options) -> Options {
    electing(options).arg("--leader-election-lease-duration=8s").arg("--leader-election-renew-deadline=7s")
}

/// Everything gets through while etcd is slow, also what somebody else writes meanwhile; and faster afterwards.
async fn slow(world: &World, site: &mut Site, second: &Second, relay: &Relay) -> Result<()> {
    let before = site.identities(world).await?;
    relay.delay(LATE);
    let outcome = while_slow(world, site).await;
    relay.delay(Duration::ZERO);
    outcome.context("while it is slow")?;
    recovers(world, site, "3").await?;
    site.nothing_was_lost(world, &before).await?;
    second.has_waited(world)
}

async fn while_slow(world: &World, site: &mut Site) -> Result<()> {
    let began = Instant::now();
    site.request(world).await?;
    ensure!(began.elapsed() >= LATE * 2, "it answers in {:?}", began.elapsed());
    condition_under_way(world, site, KUSTOMIZATION, "2").await
}

/// The leader can neither work nor renew, and ends; the other takes over once etcd is back.
async fn frozen(world: &mut World, site: &mut Site, second: &Second) -> Result<()> {
    let before = site.identities(world).await?;
    freeze_etcd(world, site, FROZEN).await?;
    let begins = taken_over(world, site, second).await?;
    is_silent_since(world, begins)?;
    recovers(world, site, "5").await?;
    is_silent_since(world, begins)?;
    ensure!(world.millrace.log().contains("leader election lost"), "the first process has not given up");
    site.nothing_was_lost(world, &before).await
}

#[tokio::test(flavor = "multi_thread")]
async fn one_process_writes_at_a_time_while_etcd_is_slow_or_frozen() -> Result<()> {
    if !tools::available(millrace_e2e::TOOLS) {
        return Ok(());
    }
    let (cluster, relay) = ControlPlane::start_relayed(Profile::Bare).await?;
    let mut world = World::begin_on(cluster, "faults", patient).await?;
    let mut matrix = tenants::matrix(MATRIX);
    let mut site = settled(&world, "site").await?;
    let second = Second::at_the_same_address(&world, patient).await?;
    let outcome = slow(&world, &mut site, &second, &relay).await;
    matrix.row("etcd is slow by 300 ms a message", outcome);
    let outcome = frozen(&mut world, &mut site, &second).await;
    matrix.row("etcd freezes for longer than a lease", outcome);
    Ok(matrix.finish()?)
}
