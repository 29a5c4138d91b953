//! The servers themselves fail: on a control plane that this test has for itself.

use std::time::Duration;

use anyhow::Result;
use millrace_e2e::tenants;
use millrace_harness::proxy::Side;
use millrace_harness::{ControlPlane, Profile, tools};

use super::{MATRIX, applied, freeze_etcd, recovers, settled};
use crate::faults::site::Site;
use crate::faults::world::{RECOVERY, World, steps};

/// Longer than the API server's own patience with etcd for a read.
const STALL: Duration = Duration::from_secs(15);

/// The API server is killed while a write waits, and comes back later.
async fn restart(world: &mut World, site: &mut Site) -> Result<()> {
    let fault = world.proxy.on(steps()).nth(1).hold(Side::Before);
    site.commit(&[("a", Some("2"))])?;
    site.request(world).await?;
    fault.reached(RECOVERY).await?;
    world.cluster.kill_api_server()?;
    fault.release();
    world.cluster.start_api_server().await?;
    applied(world, site).await?;
    recovers(world, site, "3").await
}

/// etcd stops in the middle of a run, and goes on later.
async fn etcd_freezes(world: &mut World, site: &mut Site) -> Result<()> {
    freeze_etcd(world, site, STALL).await?;
    applied(world, site).await?;
    recovers(world, site, "5").await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_program_outlives_its_api_server() -> Result<()> {
    if !tools::available(millrace_e2e::TOOLS) {
        return Ok(());
    }
    let cluster = ControlPlane::start(Profile::Bare).await?;
    let mut world = World::begin_on(cluster, "faults", |options| options).await?;
    let mut matrix = tenants::matrix(MATRIX);
    let mut site = settled(&world, "site").await?;
    let outcome = restart(&mut world, &mut site).await;
    matrix.row("the API server is restarted", outcome);
    let outcome = etcd_freezes(&mut world, &mut site).await;
    matrix.row("etcd freezes for longer than the API server waits for it", outcome);
    Ok(matrix.finish()?)
}
