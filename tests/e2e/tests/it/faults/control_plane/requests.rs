//! Requests and connections that fail.

use anyhow::{Result, ensure};
use millrace_e2e::tenants;
use millrace_harness::proxy::{Match, Refusal, Side, Verb};

use super::{GIT_REPOSITORY, KUSTOMIZATION, MATRIX, condition_under_way, recovers, settled};
use crate::faults::site::Site;
use crate::faults::world::{RECOVERY, World, steps};
use crate::faults::world_or_skip;

const RETRY_AFTER_SECONDS: u32 = 2;

/// All watches end, and the next ones learn that their version is too old.
async fn watches_expire(world: &World, site: &mut Site, answer: Refusal, value: &'static str) -> Result<()> {
    let watches = Match::any().verb(Verb::Watch);
    let fault = world.proxy.on(watches.clone()).first(4).refuse(answer);
    ensure!(world.proxy.end_watches(&watches) > 0, "there was no watch to end");
    fault.reached(RECOVERY).await?;
    recovers(world, site, value).await
}

/// The first writes and reads of a run are refused.
async fn refused(world: &World, site: &mut Site, answer: Refusal, value: &'static str) -> Result<()> {
    let reads = world
        .proxy
        .on(Match::any().verb(Verb::Get).namespace(&world.namespace))
        .first(2)
        .refuse(answer.clone());
    let writes = world.proxy.on(steps()).first(4).refuse(answer);
    recovers(world, site, value).await?;
    ensure!(reads.hits() + writes.hits() > 0, "nothing was refused");
    Ok(())
}

/// Every write of a run breaks on one side, once.
async fn lost(world: &World, site: &mut Site, when: Side, value: &'static str) -> Result<()> {
    let fault = world.proxy.on(steps()).first(3).lose(when);
    recovers(world, site, value).await?;
    ensure!(fault.hits() > 0, "nothing was lost");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_fail_are_repeated_and_nothing_is_lost() -> Result<()> {
    let world = world_or_skip!("faults");
    let mut matrix = tenants::matrix(MATRIX);
    let mut site = settled(&world, "site").await?;
    let (world, site) = (&world, &mut site);
    matrix.row("watches expire, in the stream", watches_expire(world, site, Refusal::expired(), "2").await);
    matrix.row("watches expire, as an answer", watches_expire(world, site, Refusal::gone(), "3").await);
    let throttled = Refusal::too_many_requests(RETRY_AFTER_SECONDS);
    matrix.row("requests are throttled", refused(world, site, throttled, "4").await);
    matrix.row("internal errors", refused(world, site, Refusal::internal_error(), "5").await);
    matrix.row("the server is unavailable", refused(world, site, Refusal::unavailable(), "6").await);
    let conflicts = world.proxy.on(steps()).first(2).refuse(Refusal::conflict());
    matrix.row("conflicts", recovers(world, site, "7").await);
    drop(conflicts);
    matrix.row("writes are lost", lost(world, site, Side::Before, "8").await);
    matrix.row("answers are lost", lost(world, site, Side::After, "9").await);
    let outcome = condition_under_way(world, site, GIT_REPOSITORY, "10").await;
    matrix.row("a foreign condition of a source", outcome);
    let outcome = condition_under_way(world, site, KUSTOMIZATION, "11").await;
    matrix.row("a foreign condition of a Kustomization", outcome);
    ensure!(world.proxy.cut() > 0, "there was no connection to cut");
    matrix.row("connections are cut", recovers(world, site, "12").await);
    Ok(matrix.finish()?)
}

#[tokio::test(flavor = "multi_thread")]
async fn frozen_connections_are_noticed_and_replaced() -> Result<()> {
    let world = world_or_skip!("faults");
    let mut matrix = tenants::matrix(MATRIX);
    let mut site = settled(&world, "site").await?;
    ensure!(world.proxy.freeze() > 0, "there was no connection to freeze");
    matrix.row("connections freeze", recovers(&world, &mut site, "2").await);
    let fault = world.proxy.on(steps()).nth(2).freeze();
    matrix.row("a connection freezes in the middle of a run", recovers(&world, &mut site, "3").await);
    ensure!(fault.hits() == 1, "no connection was frozen");
    Ok(matrix.finish()?)
}
