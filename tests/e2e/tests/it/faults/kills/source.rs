//! A GitRepository is created, updated and deleted: the writes of its phases.

use anyhow::{Context as _, Result, ensure};
use millrace_e2e::tenants;
use millrace_harness::proxy::Seen;

use super::{Cut, MATRIX, cuts, reached, record};
use crate::faults::site::Site;
use crate::faults::world::{SOURCE, World, steps};
use crate::faults::world_or_skip;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Create,
    /// A new commit: fetch, archive, publish, collection of the old artifact, status.
    Update,
    Delete,
}

impl Case {
    fn name(self) -> &'static str {
        match self {
            Self::Create => "source create",
            Self::Update => "source update",
            Self::Delete => "source delete",
        }
    }

    async fn run(self, mut world: World) -> Result<()> {
        let mut matrix = tenants::matrix(MATRIX);
        let steps = self.count(&world).await.context("without a kill")?;
        // A source that is being deleted looks at Git no more.
        for (number, cut) in cuts(steps, self != Self::Delete).into_iter().enumerate() {
            let outcome = self.row(&mut world, &format!("row{number}"), cut).await;
            let failed = outcome.is_err();
            record(&mut matrix, &cut.name(self.name()), outcome);
            if failed {
                world = World::begin("kills").await?;
            }
        }
        Ok(matrix.finish()?)
    }

    async fn count(self, world: &World) -> Result<usize> {
        let mut site = self.prepare(world, "count").await?;
        world.proxy.clear();
        self.begin(world, &mut site).await?;
        self.converged(world, &site).await?;
        let steps = world.proxy.count(&steps());
        self.clean(world, &site).await?;
        ensure!(steps > 0, "{} takes no step at all", self.name());
        Ok(steps)
    }

    async fn row(self, world: &mut World, name: &str, cut: Cut) -> Result<Option<Seen>> {
        let mut site = self.prepare(world, name).await?;
        let fault = cut.arm(world);
        self.begin(world, &mut site).await?;
        let held = reached(&fault, self.converged(world, &site)).await?;
        if let Some(held) = &held {
            world.kill()?;
            fault.abort();
            let survives = self.survives(world, &mut site, cut);
            survives.await.with_context(|| format!("cut at {held}"))?;
        }
        self.clean(world, &site).await?;
        Ok(held)
    }

    /// What must be true from the kill on.
    async fn survives(self, world: &mut World, site: &mut Site, cut: Cut) -> Result<()> {
        if cut.git_moves {
            site.commit(&[("c", None)])?;
        }
        world.millrace.restart().await?;
        site.artifact_is_served(world).await.context("at the restart")?;
        self.converged(world, site).await
    }

    async fn prepare(self, world: &World, name: &str) -> Result<Site> {
        let site = Site::create(world, name, &[("a", Some("1")), ("c", Some("1"))])?;
        if self != Self::Create {
            site.apply_source(world).await?;
            world.until("the source", async |world: &World| site.source_is_current(world).await).await?;
        }
        Ok(site)
    }

    async fn begin(self, world: &World, site: &mut Site) -> Result<()> {
        match self {
            Self::Create => site.apply_source(world).await,
            Self::Update => {
                site.commit(&[("a", Some("2"))])?;
                site.request(world).await
            }
            Self::Delete => site.delete(world, SOURCE, "GitRepository").await,
        }
    }

    async fn converged(self, world: &World, site: &Site) -> Result<()> {
        let is_over = async |world: &World| match self {
            Self::Create | Self::Update => site.source_is_current(world).await,
            Self::Delete => site.source_is_gone(world).await,
        };
        world.until("everything to converge", is_over).await
    }

    async fn clean(self, world: &World, site: &Site) -> Result<()> {
        site.delete(world, SOURCE, "GitRepository").await?;
        world.until("the end of the source", async |world: &World| site.source_is_gone(world).await).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_is_created_survives_a_kill_at_every_step() -> Result<()> {
    Case::Create.run(world_or_skip!("kills")).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_with_a_new_commit_survives_a_kill_at_every_step() -> Result<()> {
    Case::Update.run(world_or_skip!("kills")).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_is_deleted_survives_a_kill_at_every_step() -> Result<()> {
    Case::Delete.run(world_or_skip!("kills")).await
}
