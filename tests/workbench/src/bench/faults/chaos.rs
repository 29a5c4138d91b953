//! Everything that goes wrong at once: commits, hand edits, faults of the API server, and kills, each at its own pace.

use std::ops::Range;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use kube::api::{DeleteParams, Patch, PatchParams};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use serde_json::json;

use super::manifest::{Key, Kind};
use super::strike::strike;
use super::world::{NAMESPACE, World, name};

/// Milliseconds between two of a kind.
const COMMITS: Range<u64> = 300..3_000;
const EDITS: Range<u64> = 50..600;
const FAULTS: Range<u64> = 300..4_000;
const KILLS: Range<u64> = 1_000..12_000;
/// Milliseconds that a fault lasts.
const FAULT_LASTS: Range<u64> = 200..3_000;
/// One commit in so many replaces a Kustomization, one kill is a friendly one, one edit makes an object of nobody.
const REPLACE: u32 = 8;
const FRIENDLY: u32 = 5;
const BYSTANDER: u32 = 20;
const SAMPLE_EVERY: Duration = Duration::from_secs(2);

/// What a round does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Round {
    pub(super) seed: u64,
    pub(super) length: Duration,
    /// Whether the program is killed; if not, its memory is watched.
    pub(super) kills: bool,
}

/// Lets everything go wrong for a while. At the end no fault is in force and the program runs.
pub(super) async fn rage(world: &World, round: Round, started: Instant) -> Result<()> {
    let until = Instant::now() + round.length;
    let source = |number: u64| StdRng::seed_from_u64(round.seed.wrapping_add(number));
    tokio::try_join!(
        commits(world, source(1), until),
        edits(world, source(2), until),
        faults(world, source(3), until),
        async {
            if round.kills {
                kills(world, source(4), until).await
            } else {
                watch(world, started, until).await
            }
        },
    )?;
    Ok(())
}

/// Waits for a random time. False when the round is over.
async fn pause(rng: &mut StdRng, milliseconds: Range<u64>, until: Instant) -> bool {
    let wake = Instant::now() + Duration::from_millis(rng.random_range(milliseconds));
    tokio::time::sleep_until(wake.min(until).into()).await;
    Instant::now() < until
}

async fn commits(world: &World, mut rng: StdRng, until: Instant) -> Result<()> {
    while pause(&mut rng, COMMITS, until).await {
        // What was deleted until now was deleted under what Git holds until now.
        world.check_deletions()?;
        if rng.random_ratio(1, REPLACE) {
            replace(world, &mut rng).await?;
        } else {
            let change = world.model.borrow_mut().change(&mut rng);
            world.push("change", change)?;
        }
        world.request_source(&format!("push-{}", rng.random::<u32>())).await?;
        world.counts.borrow_mut().commits += 1;
    }
    Ok(())
}

/// Deletes a Kustomization and its folder, and makes new ones.
async fn replace(world: &World, rng: &mut StdRng) -> Result<()> {
    let Some((old, new, change)) = world.model.borrow_mut().replace(rng) else { return Ok(()) };
    world.kustomizations().await?.delete(&name(old), &DeleteParams::default()).await?;
    world.push("replace", change)?;
    world.create(new).await
}

async fn edits(world: &World, mut rng: StdRng, until: Instant) -> Result<()> {
    while pause(&mut rng, EDITS, until).await {
        if rng.random_ratio(1, BYSTANDER) {
            bystander(world, &mut rng).await?;
        } else {
            edit(world, &mut rng).await?;
        }
        world.counts.borrow_mut().edits += 1;
    }
    Ok(())
}

/// Makes an object that is nobody's.
async fn bystander(world: &World, rng: &mut StdRng) -> Result<()> {
    let key = Key { kind: Kind::ConfigMap, name: format!("by-hand-{}", rng.random::<u32>()) };
    world.cluster.apply(NAMESPACE, &key.manifest(0).to_string()).await?;
    world.bystanders.borrow_mut().insert(key);
    Ok(())
}

/// Changes or deletes an object that Git holds.
async fn edit(world: &World, rng: &mut StdRng) -> Result<()> {
    let Some(key) = world.model.borrow().any(rng).cloned() else { return Ok(()) };
    let api = world.cluster.api(key.kind.api_version(), key.kind.name(), NAMESPACE).await?;
    let value = rng.random_range(1..4_u32);
    let patch = match key.kind {
        Kind::ConfigMap => json!({"data": {"value": format!("by hand {value}")}}),
        Kind::Deployment => json!({"spec": {"replicas": value}}),
        Kind::Service | Kind::ServiceAccount => {
            json!({"metadata": {"annotations": {super::manifest::VALUE: value.to_string()}}})
        }
    };
    let by_hand = PatchParams { field_manager: Some("by-hand".to_owned()), ..PatchParams::default() };
    let outcome = if rng.random_ratio(1, 4) {
        api.delete(&key.name, &DeleteParams::default()).await.map(drop)
    } else {
        api.patch(&key.name, &by_hand, &Patch::Merge(patch)).await.map(drop)
    };
    match outcome {
        // Not applied yet, or deleted by hand before.
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
        other => Ok(other?),
    }
}

async fn faults(world: &World, mut rng: StdRng, until: Instant) -> Result<()> {
    while pause(&mut rng, FAULTS, until).await {
        let fault = strike(&world.proxy, &mut rng);
        world.counts.borrow_mut().faults += 1;
        pause(&mut rng, FAULT_LASTS, until).await;
        drop(fault);
        // The book about requests is of no use here.
        world.proxy.clear();
    }
    Ok(())
}

async fn kills(world: &World, mut rng: StdRng, until: Instant) -> Result<()> {
    while pause(&mut rng, KILLS, until).await {
        let mut program = world.program.lock().await;
        program.memory_kib().context("the program ended by itself")?;
        if rng.random_ratio(1, FRIENDLY) {
            program.stop().await?;
        } else {
            program.kill()?;
        }
        world.counts.borrow_mut().kills += 1;
        world.restart(&mut program).await?;
    }
    Ok(())
}

async fn watch(world: &World, started: Instant, until: Instant) -> Result<()> {
    while Instant::now() < until {
        world.sample(started.elapsed()).await?;
        tokio::time::sleep_until((Instant::now() + SAMPLE_EVERY).min(until).into()).await;
    }
    Ok(())
}
