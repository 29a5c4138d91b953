//! After the storm: everything has to come to what Git holds, by itself.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use kube::api::{DynamicObject, ListParams};
use millrace_harness::until;

use super::verify::verify;
use super::world::{World, name};
use crate::objects::{is_ready, readiness, revision, text};
use crate::say::say;

/// When it counts as never. What is usual is printed: a busy machine must not look like a loss.
const LIMIT: Duration = Duration::from_mins(5);
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How many of those that did not make it are shown.
const SHOWN: usize = 5;
/// Who takes longer than this is named.
const SLOW: Duration = Duration::from_secs(20);

/// Repairs what Git holds, waits until every Kustomization is ready with it, and looks at every object. Returns how long that took.
///
/// # Errors
/// When it takes too long.
pub(super) async fn settle(world: &World, token: &str) -> Result<Duration> {
    let started = Instant::now();
    let repair = world.model.borrow_mut().repair();
    let commit = world.push("repair", repair)?;
    world.request_source(token).await?;
    let sources = world.sources().await?;
    until("the source to have the last commit", LIMIT, async || {
        let all = sources.list(&ListParams::default()).await.ok()?;
        all.items.iter().all(|source| is_ready(source) && revision(source).ends_with(&commit)).then_some(())
    })
    .await?;
    let fetched = started.elapsed();
    world.request_all(token).await?;
    let last = wait(world, token, &commit).await?;
    let took = started.elapsed();
    if took > SLOW {
        say!("slow: the source took {:.1} s; the last that came:{last}", fetched.as_secs_f64());
    }
    world.check_deletions()?;
    let (wanted, bystanders) = (world.model.borrow().wanted(), world.bystanders.borrow().clone());
    let mut findings = world.findings.take();
    verify(&world.cluster, &wanted, &bystanders, &mut findings).await?;
    world.findings.replace(findings);
    Ok(took)
}

/// Waits for all Kustomizations, and returns what the last of them said before they were there.
async fn wait(world: &World, token: &str, commit: &str) -> Result<String> {
    let kustomizations = world.kustomizations().await?;
    let mut wanted: Vec<String> = world.model.borrow().apps().map(name).collect();
    wanted.sort();
    let started = Instant::now();
    let mut last = String::new();
    loop {
        let mut all = kustomizations.list(&ListParams::default()).await?.items;
        all.sort_by(|left, right| left.metadata.name.cmp(&right.metadata.name));
        let names = all.iter().filter_map(|object| object.metadata.name.as_ref());
        let is_done = |object: &DynamicObject| {
            is_ready(object)
                && revision(object).ends_with(commit)
                && text(object, "/status/lastHandledReconcileAt") == token
        };
        if names.eq(&wanted) && all.iter().all(is_done) {
            return Ok(last);
        }
        let late: Vec<&DynamicObject> = all.iter().filter(|object| !is_done(object)).collect();
        last = shown(&late);
        if started.elapsed() > LIMIT {
            bail!("after {} s {} are not there yet:{last}", LIMIT.as_secs(), late.len());
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

fn shown(late: &[&DynamicObject]) -> String {
    let line = |object: &&DynamicObject| {
        let (ready, message) = readiness(object);
        let name = object.metadata.name.as_deref().unwrap_or_default();
        format!("\n  {name}: Ready is {ready} at {}: {message}", revision(object))
    };
    late.iter().take(SHOWN).map(line).collect()
}
