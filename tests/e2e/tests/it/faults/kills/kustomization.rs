//! A Kustomization is created, updated, pruned, renamed in, and deleted.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use millrace_e2e::tenants;
use millrace_harness::proxy::Seen;

use super::{Cut, MATRIX, cuts, reached, record};
use crate::faults::site::{Change, Site};
use crate::faults::world::{KUSTOMIZE, SOURCE, World, steps};
use crate::faults::world_or_skip;

/// What happens in a case.
#[derive(Clone, Copy)]
enum Event {
    /// The Kustomization is created.
    Create,
    /// A commit is pushed.
    Commit(&'static [Change]),
    /// The Kustomization is deleted.
    Delete,
}

struct Case {
    name: &'static str,
    event: Event,
    /// What Git drops where it moves while the program is down: something that the event added, if it added something.
    dropped: &'static str,
}

/// What every case begins with.
const BASE: &[Change] = &[("a", Some("1")), ("b", Some("1")), ("c", Some("1"))];

impl Case {
    /// Tries the rows of the case.
    async fn run(&self, mut world: World) -> Result<()> {
        let mut matrix = tenants::matrix(MATRIX);
        let steps = self.count(&world).await.context("without a kill")?;
        for (number, cut) in cuts(steps, true).into_iter().enumerate() {
            let outcome = self.row(&mut world, &format!("row{number}"), cut).await;
            let failed = outcome.is_err();
            record(&mut matrix, &cut.name(self.name), outcome);
            if failed {
                // What a failed row leaves behind must not spoil the next one.
                world = World::begin("kills").await?;
            }
        }
        Ok(matrix.finish()?)
    }

    /// How many writes it takes.
    async fn count(&self, world: &World) -> Result<usize> {
        let mut site = self.prepare(world, "count").await?;
        world.proxy.clear();
        self.begin(world, &mut site).await?;
        self.converged(world, &site).await?;
        let steps = world.proxy.count(&steps());
        self.clean(world, &site).await?;
        anyhow::ensure!(steps > 0, "{} takes no step at all", self.name);
        Ok(steps)
    }

    async fn row(&self, world: &mut World, name: &str, cut: Cut) -> Result<Option<Seen>> {
        let mut site = self.prepare(world, name).await?;
        let before = site.identities(world).await?;
        let fault = cut.arm(world);
        self.begin(world, &mut site).await?;
        let held = reached(&fault, self.converged(world, &site)).await?;
        if let Some(held) = &held {
            world.kill()?;
            fault.abort();
            let survives = self.survives(world, &mut site, cut, &before);
            survives.await.with_context(|| format!("cut at {held}"))?;
        }
        self.clean(world, &site).await?;
        Ok(held)
    }

    /// What must be true from the kill on.
    async fn survives(
        &self,
        world: &mut World,
        site: &mut Site,
        cut: Cut,
        before: &BTreeMap<String, String>,
    ) -> Result<()> {
        site.nothing_is_untracked(world).await.context("at the kill")?;
        if cut.git_moves {
            site.commit(&[(self.dropped, None)])?;
        }
        world.millrace.restart().await?;
        site.artifact_is_served(world).await.context("at the restart")?;
        self.converged(world, site).await?;
        if !matches!(self.event, Event::Delete) {
            site.nothing_was_lost(world, before).await?;
        }
        site.nothing_is_untracked(world).await
    }

    /// Brings a site to where the event finds it.
    async fn prepare(&self, world: &World, name: &str) -> Result<Site> {
        let site = Site::create(world, name, BASE)?;
        site.apply_source(world).await?;
        world.until("the source", async |world: &World| site.source_is_current(world).await).await?;
        if !matches!(self.event, Event::Create) {
            site.apply_kustomization(world).await?;
            world.until("the Kustomization", async |world: &World| site.is_applied(world).await).await?;
        }
        Ok(site)
    }

    async fn begin(&self, world: &World, site: &mut Site) -> Result<()> {
        match self.event {
            Event::Create => site.apply_kustomization(world).await,
            Event::Commit(changes) => {
                site.commit(changes)?;
                site.request(world).await
            }
            Event::Delete => site.delete(world, KUSTOMIZE, "Kustomization").await,
        }
    }

    async fn converged(&self, world: &World, site: &Site) -> Result<()> {
        let is_over = async |world: &World| match self.event {
            Event::Create | Event::Commit(_) => {
                site.source_is_current(world).await?;
                site.is_applied(world).await
            }
            Event::Delete => site.is_gone(world).await,
        };
        world.until("everything to converge", is_over).await
    }

    /// Leaves nothing that a later start would have to write about.
    async fn clean(&self, world: &World, site: &Site) -> Result<()> {
        site.delete(world, KUSTOMIZE, "Kustomization").await?;
        world.until("the end of the Kustomization", async |world: &World| site.is_gone(world).await).await?;
        site.delete(world, SOURCE, "GitRepository").await?;
        world.until("the end of the source", async |world: &World| site.source_is_gone(world).await).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kustomization_that_is_created_survives_a_kill_at_every_step() -> Result<()> {
    let world = world_or_skip!("kills");
    Case { name: "create", event: Event::Create, dropped: "c" }.run(world).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kustomization_that_is_updated_survives_a_kill_at_every_step() -> Result<()> {
    let world = world_or_skip!("kills");
    let event = Event::Commit(&[("a", Some("2")), ("d", Some("1"))]);
    Case { name: "update", event, dropped: "d" }.run(world).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kustomization_that_is_pruned_survives_a_kill_at_every_step() -> Result<()> {
    let world = world_or_skip!("kills");
    Case { name: "prune", event: Event::Commit(&[("b", None)]), dropped: "c" }.run(world).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kustomization_with_a_renamed_object_survives_a_kill_at_every_step() -> Result<()> {
    let world = world_or_skip!("kills");
    let event = Event::Commit(&[("b", None), ("e", Some("1"))]);
    Case { name: "rename", event, dropped: "e" }.run(world).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kustomization_that_is_deleted_survives_a_kill_at_every_step() -> Result<()> {
    let world = world_or_skip!("kills");
    Case { name: "delete", event: Event::Delete, dropped: "c" }.run(world).await
}
