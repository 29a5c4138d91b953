//! Writing what was planned, object after object.

use std::time::Duration;

use millrace_yaml::Node;

use super::Recorded;
use super::error::StageError;
use super::plan::{Effect, Plan, Step, entry};
use crate::changes::{Change, ChangeSet};
use crate::client::Target;
use crate::engine::Engine;
use crate::failure::DryRunError;
use crate::id::ObjectId;
use crate::inventory::Inventory;
use crate::wait::{DELETION_POLL, Watched};

/// What was done with a stage.
#[derive(Debug)]
pub struct Done {
    pub(super) changes: ChangeSet,
    pub(super) inventory: Inventory,
    pub(super) watched: Vec<Watched>,
}

impl Done {
    /// What was done to which object, in apply order.
    pub fn changes(&self) -> &ChangeSet {
        &self.changes
    }

    /// What the stage adds to the inventory.
    pub fn inventory(&self) -> &Inventory {
        &self.inventory
    }

    /// The objects whose health counts.
    pub fn watched(&self) -> &[Watched] {
        &self.watched
    }
}

/// Performs a plan in apply order and stops at the first error. An object that has to be recreated is deleted and created
/// back to back.
pub async fn act(engine: &Engine, plan: Plan, _recorded: Recorded) -> Result<Done, StageError> {
    let inventory = plan.steps.iter().map(|step| entry(&step.change)).collect();
    let mut done = Done { changes: ChangeSet::default(), inventory, watched: Vec::new() };
    for Step { change, effect } in plan.steps {
        if let Some(live) = perform(engine, &change, effect).await? {
            let mut watched = Watched::applied(engine, &live, change.action.is_write());
            watched.id = change.id.clone();
            done.watched.push(watched);
        }
        done.changes.push(change);
    }
    Ok(done)
}

/// The live object afterwards, unless it is left alone.
async fn perform(engine: &Engine, change: &Change, effect: Effect) -> Result<Option<Node>, StageError> {
    match effect {
        Effect::Skip => Ok(None),
        Effect::Keep { answer } => Ok(Some(*answer)),
        Effect::Apply { target, cleanup, payload } => {
            if !cleanup.is_empty() {
                let cleaned = engine.cluster.patch(&target, cleanup).await;
                cleaned.map_err(|source| StageError::Cleanup { subject: change.id.subject(), source })?;
            }
            apply(engine, &change.id, &target, &payload).await.map(Some)
        }
        Effect::Recreate { target, payload } => {
            delete(engine, &change.id, &target).await?;
            let refusal =
                |source| StageError::Recreate(DryRunError { id: Box::new(change.id.clone()), source });
            engine.cluster.dry_run(&target, &payload).await.map_err(refusal)?;
            apply(engine, &change.id, &target, &payload).await.map(Some)
        }
    }
}

async fn apply(engine: &Engine, id: &ObjectId, target: &Target, payload: &Node) -> Result<Node, StageError> {
    let applied = engine.cluster.apply(target, payload).await;
    let live = applied.map_err(|source| StageError::Apply { subject: id.subject(), source })?;
    engine.remember(&live);
    Ok(live)
}

/// Deletes an object and waits until it is gone, finalizers and all.
async fn delete(engine: &Engine, id: &ObjectId, target: &Target) -> Result<(), StageError> {
    match engine.cluster.delete(target).await {
        Err(source) if !source.is_not_found() => {
            return Err(StageError::Delete { subject: id.subject(), source });
        }
        Ok(()) | Err(_) => {}
    }
    let stuck = |message: String| StageError::Deletion { subject: id.subject(), message };
    let gone = until_gone(engine, target, DELETION_POLL);
    match tokio::time::timeout(engine.settings().deletion_timeout, gone).await {
        Ok(gone) => gone.map_err(stuck),
        Err(_) => Err(stuck("context deadline exceeded".to_owned())),
    }
}

/// Polls until the object is gone; any other error than that ends it.
pub(crate) async fn until_gone(engine: &Engine, target: &Target, interval: Duration) -> Result<(), String> {
    loop {
        match engine.cluster.fetch_metadata(target).await {
            Err(error) if error.is_not_found() => return Ok(()),
            Err(error) => return Err(error.to_string()),
            Ok(_) => tokio::time::sleep(interval).await,
        }
    }
}
