//! Leases: two processes take turns, never write side by side, and don't believe each other's clocks.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use millrace_e2e::tenants;
use millrace_harness::millrace::Options;
use millrace_harness::proxy::{Match, Side};
use millrace_harness::{ApiProxy, ControlPlane, Millrace, tools};
use serde_json::{Value, json};

use super::{MATRIX, applied, recovers, settled};
use crate::faults::site::Site;
use crate::faults::world::{RECOVERY, World, program};

pub(super) const LEASES: &str = "coordination.k8s.io/v1";
const LEASE_SECONDS: u32 = 6;
/// How often a living holder renews, and how many times it does so in these tests: far longer than one lease lasts.
const RENEWAL: Duration = Duration::from_millis(1500);
const RENEWALS: u32 = 8;
pub(super) const CONTROLLERS: [&str; 3] =
    ["source-controller", "kustomize-controller", "notification-controller"];

/// Flags of a process that takes leases.
pub(super) fn electing(options: Options) -> Options {
    options
        .arg("--enable-leader-election")
        .arg(format!("--leader-election-lease-duration={LEASE_SECONDS}s"))
        .arg("--leader-election-renew-deadline=4s")
        .arg("--leader-election-retry-period=1s")
}

/// A second process beside the one of the world.
pub(super) struct Second {
    proxy: ApiProxy,
    millrace: Millrace,
}

impl Second {
    pub(super) async fn start(world: &World, flags: impl FnOnce(Options) -> Options) -> Result<Self> {
        let access = tenants::access(&world.cluster).await?;
        let proxy = ApiProxy::start(&access.kubeconfig).await?;
        let options = electing(program(&proxy, &world.namespace));
        let millrace = Millrace::start(flags(options)).await?;
        Ok(Self { proxy, millrace })
    }

    /// Artifacts are served under one address, as behind a Service: only the leader listens on it.
    pub(super) async fn at_the_same_address(
        world: &World,
        flags: impl FnOnce(Options) -> Options,
    ) -> Result<Self> {
        let artifacts = world.millrace.storage_url();
        let artifacts = artifacts.trim_start_matches("http://");
        let same = |options: Options| {
            let options = options.arg(format!("--storage-addr={artifacts}"));
            flags(options.arg(format!("--storage-adv-addr={artifacts}")))
        };
        Self::start(world, same).await
    }

    /// Fails if this process has begun to write before the world's own one has ended to.
    pub(super) fn has_waited(&self, world: &World) -> Result<()> {
        first_led(&self.proxy).map_or(Ok(()), |begins| is_silent_since(world, begins))
    }
}

/// Writes that only a leader may make: everything but leases, and Events, which tell who leads.
fn led() -> Match {
    Match::writes().except("leases").except("events")
}

/// Waits until the second process writes, and returns when it began. Work comes all the time, so that a process that may not
/// write is tempted to.
pub(super) async fn taken_over(world: &World, site: &Site, second: &Second) -> Result<Instant> {
    let writes = async |world: &World| {
        site.request(world).await?;
        first_led(&second.proxy).context("the second process does not write yet")
    };
    world.until("the second process to take over", writes).await
}

/// Fails if the first process has written since then.
pub(super) fn is_silent_since(world: &World, then: Instant) -> Result<()> {
    match world.proxy.seen().iter().find(|seen| led().fits(seen) && seen.at >= then) {
        Some(seen) => bail!("the first process still writes ({seen}) when the second has begun"),
        None => Ok(()),
    }
}

/// The first process can't renew any more: it stops writing before the second one begins.
async fn lost_lease(world: &mut World, site: &mut Site) -> Result<()> {
    let second = Second::at_the_same_address(world, |options| options).await?;
    let fault = world.proxy.on(Match::any().resource("leases")).lose(Side::Before);
    let begins = taken_over(world, site, &second).await?;
    fault.reached(RECOVERY).await?;
    is_silent_since(world, begins)?;
    recovers(world, site, "2").await?;
    // A process that has lost its lease ends, and a new one waits for its turn.
    drop(second.millrace);
    drop(fault);
    world.kill()?;
    world.millrace.restart().await?;
    recovers(world, site, "3").await
}

/// The first process sleeps through the end of its lease, and is as sure of itself as before when it wakes.
async fn sleeping_leader(world: &mut World, site: &Site) -> Result<()> {
    // With an address of its own: the one that sleeps keeps its port.
    let second = Second::start(world, |options| options).await?;
    world.millrace.signal("STOP")?;
    taken_over(world, site, &second).await?;
    let wakes = Instant::now();
    world.millrace.signal("CONT")?;
    let gives_up = async |world: &World| {
        site.request(world).await?;
        ensure!(world.millrace.log().contains("leader election lost"), "it has not given up yet");
        Ok(())
    };
    world.until("the first process to give up", gives_up).await?;
    is_silent_since(world, wakes)
}

/// When the second process has written first, if it has.
fn first_led(proxy: &ApiProxy) -> Option<Instant> {
    proxy.seen().iter().find(|seen| led().fits(seen)).map(|seen| seen.at)
}

/// Writes a controller's lease as its holder does; nobody holds it if the holder has no name.
pub(super) async fn hold(
    world: &World,
    controller: &str,
    holder: &str,
    seconds: u32,
    renewed: &str,
) -> Result<()> {
    let lease = json!({
        "apiVersion": LEASES, "kind": "Lease",
        "metadata": { "name": format!("{controller}-leader-election") },
        "spec": {
            "holderIdentity": holder, "leaseDurationSeconds": seconds,
            "acquireTime": renewed, "renewTime": renewed, "leaseTransitions": 1,
        },
    });
    world.apply(&lease.to_string()).await
}

/// Writes the leases of all controllers as another holder whose clock is wrong.
async fn hold_all(world: &World, holder: &str, renewed: &str) -> Result<()> {
    for controller in CONTROLLERS {
        hold(world, controller, holder, LEASE_SECONDS, renewed).await?;
    }
    Ok(())
}

/// The holder is dead, and by its clock it has renewed an hour from now.
async fn fast_clock(world: &World, site: &mut Site) -> Result<()> {
    let world_ends = "2099-01-01T00:00:00.000000Z";
    hold_all(world, "fast", world_ends).await?;
    recovers(world, site, "2").await
}

/// The holder lives, and by its clock its lease ran out long ago: nobody writes beside it, until it goes.
async fn slow_clock(world: &World, site: &mut Site) -> Result<()> {
    hold_all(world, "slow", "2001-01-01T00:00:00.000000Z").await?;
    world.proxy.clear();
    for second in 1..=RENEWALS {
        site.request(world).await?;
        tokio::time::sleep(RENEWAL).await;
        hold_all(world, "slow", &format!("2001-01-01T00:00:{second:02}.000000Z")).await?;
    }
    let written = world.proxy.seen().into_iter().find(|seen| led().fits(seen));
    ensure!(written.is_none(), "it wrote while another process held the lease: {written:?}");
    let lease: Value = world.get(LEASES, "Lease", "source-controller-leader-election").await?;
    ensure!(lease["spec"]["holderIdentity"] == "slow", "it took a lease that was held: {}", lease["spec"]);
    recovers(world, site, "3").await
}

/// Starts the program anew after the leases were given to somebody else.
async fn behind(world: &mut World, holder: &str) -> Result<()> {
    world.kill()?;
    hold_all(world, holder, "2001-01-01T00:00:00.000000Z").await?;
    world.millrace.restart().await
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_take_turns_and_never_write_side_by_side() -> Result<()> {
    if !tools::available(millrace_e2e::TOOLS) {
        return Ok(());
    }
    let mut matrix = tenants::matrix(MATRIX);
    let mut world = World::begin_on(ControlPlane::shared().await?, "faults", electing).await?;
    let mut site = settled(&world, "site").await?;
    let outcome = lost_lease(&mut world, &mut site).await;
    matrix.row("a lease can't be renewed", outcome);
    // The message of the first loss must not be taken for one of the second.
    let mut world = World::begin_on(ControlPlane::shared().await?, "faults", electing).await?;
    let site = settled(&world, "site").await?;
    let outcome = sleeping_leader(&mut world, &site).await;
    matrix.row("a leader sleeps through the end of its lease", outcome);
    Ok(matrix.finish()?)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clock_of_another_holder_is_not_believed() -> Result<()> {
    if !tools::available(millrace_e2e::TOOLS) {
        return Ok(());
    }
    let mut matrix = tenants::matrix(MATRIX);
    let mut world = World::begin_on(ControlPlane::shared().await?, "faults", electing).await?;
    let mut site = settled(&world, "site").await?;
    behind(&mut world, "fast").await?;
    matrix.row("a dead holder's clock is ahead", fast_clock(&world, &mut site).await);
    behind(&mut world, "slow").await?;
    matrix.row("a living holder's clock is behind", slow_clock(&world, &mut site).await);
    applied(&world, &site).await?;
    Ok(matrix.finish()?)
}
