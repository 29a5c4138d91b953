//! Faults of the control plane: whatever it does, the program recovers within a minute, writes nothing beside another leader,
//! and loses no condition that others have written.

mod leases;
mod requests;
mod servers;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::site::Site;
use super::world::{KUSTOMIZE, SOURCE, World};

/// The name of the matrix.
const MATRIX: &str = "control plane faults";

/// A condition that nobody but these tests writes.
const FOREIGN: &str = "bench.millrace.dev/Seen";

/// A site with everything applied, and a foreign condition on its objects.
async fn settled(world: &World, name: &str) -> Result<Site> {
    let site = Site::create(world, name, &[("a", Some("1")), ("b", Some("1"))])?;
    site.apply_source(world).await?;
    site.apply_kustomization(world).await?;
    applied(world, &site).await?;
    for (api_version, kind) in [(SOURCE, "GitRepository"), (KUSTOMIZE, "Kustomization")] {
        mark(world, api_version, kind, name).await?;
    }
    Ok(site)
}

/// Adds the foreign condition to an object, as another controller would.
async fn mark(world: &World, api_version: &str, kind: &str, name: &str) -> Result<()> {
    let object = world.get(api_version, kind, name).await?;
    let mut conditions = object["status"]["conditions"].as_array().cloned().unwrap_or_default();
    conditions.retain(|condition| condition["type"] != FOREIGN);
    conditions.push(json!({
        "type": FOREIGN, "status": "True", "reason": "Seen", "message": "by a test",
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

async fn keeps_foreign_conditions(world: &World, site: &Site) -> Result<()> {
    for (api_version, kind) in [(SOURCE, "GitRepository"), (KUSTOMIZE, "Kustomization")] {
        let object: Value = world.get(api_version, kind, &site.name).await?;
        let conditions = object["status"]["conditions"].as_array();
        let kept = conditions.into_iter().flatten().any(|condition| condition["type"] == FOREIGN);
        ensure!(kept, "{kind}/{} has lost the condition of another writer", site.name);
    }
    Ok(())
}
