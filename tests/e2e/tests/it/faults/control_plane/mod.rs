//! Faults of the control plane: whatever it does, the program recovers within a minute, writes nothing beside another leader,
//! and loses no condition that others have written.

mod ending;
mod etcd;
mod leases;
mod requests;
mod servers;

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use millrace_harness::proxy::{Match, Side};
use serde_json::{Value, json};

use super::site::Site;
use super::world::{KUSTOMIZE, RECOVERY, SOURCE, World, steps};

/// The name of the matrix.
const MATRIX: &str = "control plane faults";

/// Kinds as [`condition_under_way`] takes them.
const GIT_REPOSITORY: (&str, &str, &str) = (SOURCE, "GitRepository", "gitrepositories");
const KUSTOMIZATION: (&str, &str, &str) = (KUSTOMIZE, "Kustomization", "kustomizations");

/// A condition that nobody but these tests writes.
const FOREIGN: &str = "bench.millrace.dev/Seen";

/// A site with everything applied, and a foreign condition on its objects.
async fn settled(world: &World, name: &str) -> Result<Site> {
    let site = Site::create(world, name, &[("a", Some("1")), ("b", Some("1"))])?;
    site.apply_source(world).await?;
    site.apply_kustomization(world).await?;
    applied(world, &site).await?;
    for (api_version, kind) in [(SOURCE, "GitRepository"), (KUSTOMIZE, "Kustomization")] {
        mark(world, api_version, kind, name, "settled").await?;
    }
    Ok(site)
}

/// Writes the foreign condition of an object, as another controller would.
async fn mark(world: &World, api_version: &str, kind: &str, name: &str, message: &str) -> Result<()> {
    let object = world.get(api_version, kind, name).await?;
    let mut conditions = object["status"]["conditions"].as_array().cloned().unwrap_or_default();
    conditions.retain(|condition| condition["type"] != FOREIGN);
    conditions.push(json!({
        "type": FOREIGN, "status": "True", "reason": "Seen", "message": message,
        "lastTransitionTime": "2024-01-01T00:00:00Z",
    }));
    let version = &object["metadata"]["resourceVersion"];
    let patch = json!({ "metadata": { "resourceVersion": version }, "status": { "conditions": conditions } });
    world.patch_status(api_version, kind, name, &patch).await.context("cannot add a condition")
}

/// Waits until the head is applied.
async fn applied(world: &World, site: &Site) -> Result<()> {
    let is_applied = async |world: &World| {
        site.source_is_current(world).await?;
        site.is_applied(world).await
    };
    world.until("the head to be applied", is_applied).await
}

/// Commits a new value, and waits until it is applied and the foreign conditions are still there.
async fn recovers(world: &World, site: &mut Site, value: &'static str) -> Result<()> {
    site.commit(&[("a", Some(value))])?;
    site.request(world).await?;
    applied(world, site).await?;
    keeps_foreign_conditions(world, site).await
}

/// Stops etcd in the middle of a run, for some time.
async fn freeze_etcd(world: &mut World, site: &mut Site, time: Duration) -> Result<()> {
    let fault = world.proxy.on(steps()).nth(1).hold(Side::Before);
    site.commit(&[("a", Some("4"))])?;
    site.request(world).await?;
    fault.reached(RECOVERY).await?;
    world.cluster.signal("etcd", "STOP")?;
    fault.release();
    // The fault is that nothing happens.
    tokio::time::sleep(time).await;
    world.cluster.signal("etcd", "CONT")
}

/// What the foreign condition of an object says.
async fn marked(world: &World, api_version: &str, kind: &str, name: &str) -> Result<String> {
    let object: Value = world.get(api_version, kind, name).await?;
    let conditions = object["status"]["conditions"].as_array();
    let foreign = conditions.into_iter().flatten().find(|condition| condition["type"] == FOREIGN);
    let foreign =
        foreign.with_context(|| format!("{kind}/{name} has lost the condition of another writer"))?;
    Ok(foreign["message"].as_str().unwrap_or_default().to_owned())
}

async fn keeps_foreign_conditions(world: &World, site: &Site) -> Result<()> {
    for (api_version, kind) in [(SOURCE, "GitRepository"), (KUSTOMIZE, "Kustomization")] {
        marked(world, api_version, kind, &site.name).await?;
    }
    Ok(())
}

/// Somebody writes a condition while ours is on its way.
async fn condition_under_way(
    world: &World,
    site: &mut Site,
    (api_version, kind, resource): (&str, &str, &str),
    value: &'static str,
) -> Result<()> {
    let status = Match::writes().resource(resource).subresource("status").name(&site.name);
    let fault = world.proxy.on(status).first(1).hold(Side::Before);
    site.commit(&[("a", Some(value))])?;
    site.request(world).await?;
    fault.reached(RECOVERY).await?;
    // Another message each time: what changes nothing disturbs nobody.
    mark(world, api_version, kind, &site.name, value).await?;
    fault.release();
    applied(world, site).await?;
    let message = marked(world, api_version, kind, &site.name).await?;
    ensure!(message == value, "{kind}/{} has the condition of before: {message}", site.name);
    keeps_foreign_conditions(world, site).await
}
