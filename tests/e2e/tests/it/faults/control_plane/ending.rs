//! The process is asked to end while it can't work yet.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use millrace_e2e::tenants;
use millrace_harness::millrace::Options;
use millrace_harness::proxy::{Match, Side, Verb};
use millrace_harness::{ControlPlane, tools};
use serde_json::Value;

use super::MATRIX;
use super::leases::{CONTROLLERS, LEASES, hold};
use crate::faults::world::{RECOVERY, World};

/// What a pod has from the request to end until it is killed.
const GRACE: Duration = Duration::from_secs(10);
const LONG_AGO: &str = "2001-01-01T00:00:00.000000Z";

/// The first lease is held, a later one is another's for an hour, and a renewal of the first one is never answered.
async fn ends_while_it_waits(world: &mut World) -> Result<()> {
    world.kill()?;
    let [first, second, third] = CONTROLLERS;
    for (controller, holder) in [(first, ""), (second, "another"), (third, "another")] {
        hold(world, controller, holder, 3600, LONG_AGO).await?;
    }
    let name = format!("{first}-leader-election");
    // The first write takes the lease.
    let renewal = Match::any().verb(Verb::Update).resource("leases").name(&name);
    let fault = world.proxy.on(renewal).nth(2).hold(Side::Before);
    world.millrace.restart().await?;
    fault.reached(RECOVERY).await?;
    let began = Instant::now();
    let status = world.millrace.stop().await?;
    let took = began.elapsed();
    ensure!(status.success() && took < GRACE, "{status} after {took:?}");
    let lease: Value = world.get(LEASES, "Lease", &name).await?;
    let holder = lease["spec"]["holderIdentity"].as_str().context("a lease without a holder")?;
    ensure!(holder.is_empty(), "{name} is left to {holder}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_waits_for_a_lease_ends_within_its_grace_period() -> Result<()> {
    if !tools::available(millrace_e2e::TOOLS) {
        return Ok(());
    }
    let mut matrix = tenants::matrix(MATRIX);
    let electing =
        |options: Options| options.arg("--enable-leader-election").arg("--leader-election-retry-period=1s");
    let mut world = World::begin_on(ControlPlane::shared().await?, "faults", electing).await?;
    let outcome = ends_while_it_waits(&mut world).await;
    matrix.row("the process ends while a later lease is another's and a renewal hangs", outcome);
    Ok(matrix.finish()?)
}
