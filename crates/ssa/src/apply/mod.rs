//! Applying objects: each stage is validated as a whole, planned, recorded in the ledger, and only then written.
//!
//! [`all`] is the chain; its links are public for those who have to do something in between.
//!
//! Contract: kustomize-controller §4.4.

mod act;
mod error;
mod observe;
mod plan;

use std::future::Future;
use std::time::Duration;

use millrace_yaml::Node;

pub(crate) use self::act::until_gone;
pub use self::act::{Done, act};
pub use self::error::{ApplyError, LedgerError, StageError};
pub use self::observe::{Seen, validate};
pub use self::plan::{Plan, plan};
use crate::changes::ChangeSet;
use crate::client::{ApiError, FRESH};
use crate::drift::ignore::IgnoreRules;
use crate::engine::Engine;
use crate::inventory::Inventory;
use crate::object::Gvk;
use crate::stages::{self, Stage, is_crd};
use crate::wait::{WaitOptions, Watched};

/// How long definitions may take to be served.
const SERVING_PATIENCE: Duration = Duration::from_secs(10);

/// What a run asks for beyond its objects.
#[derive(Clone, Debug, Default)]
pub struct ApplyOptions {
    /// Recreate objects whose immutable fields change.
    pub force: bool,
    /// Fields that others may change.
    pub ignore: IgnoreRules,
}

/// What the engine needs of the run that it works for.
pub trait Host: Send {
    /// Persists that the run owns `planned`, too; called before the first write of a stage. An implementation that finds
    /// all of it in its inventory has nothing to do.
    fn extend_ledger(&mut self, planned: &Inventory) -> impl Future<Output = Result<(), LedgerError>> + Send;

    /// Waits without holding what other runs need.
    fn pause<T: Send>(&mut self, wait: impl Future<Output = T> + Send) -> impl Future<Output = T> + Send {
        wait
    }
}

/// Proof that the ledger holds all that a plan will write. Only [`record`] makes one.
#[derive(Debug)]
pub struct Recorded(());

/// Proof that the API server accepted every object of a revision. Only [`all`] makes one.
#[derive(Debug)]
pub struct Applied {
    /// What was done.
    changes: ChangeSet,
    /// What the run owns now.
    inventory: Inventory,
    /// What a health check of the whole set waits for.
    watched: Vec<Watched>,
}

impl Applied {
    /// What was done to which object, in apply order.
    pub fn changes(&self) -> &ChangeSet {
        &self.changes
    }

    /// What is owned now, in apply order, skipped objects included.
    pub fn inventory(&self) -> &Inventory {
        &self.inventory
    }

    /// The objects to wait for where all applied objects count; skipped ones don't.
    pub fn watched(&self) -> &[Watched] {
        &self.watched
    }
}

/// Applies normalized objects, stage after stage.
///
/// Cut at any await, the ledger holds at least what was written.
pub async fn all(
    engine: &Engine,
    objects: Vec<Node>,
    options: &ApplyOptions,
    host: &mut impl Host,
) -> Result<Applied, ApplyError> {
    let mut applied =
        Applied { changes: ChangeSet::default(), inventory: Inventory::default(), watched: Vec::new() };
    for stage in stages::plan(objects, &engine.settings().custom_stage_kinds) {
        match apply_stage(engine, stage, options, host).await {
            Ok(done) => applied.extend(done),
            Err((error, done)) => {
                if let Some(done) = done {
                    applied.extend(done);
                }
                return Err(ApplyError { error, applied: applied.changes });
            }
        }
    }
    Ok(applied)
}

/// Applies one stage. A stage that was applied but did not become healthy is told along with the error.
async fn apply_stage(
    engine: &Engine,
    stage: Stage,
    options: &ApplyOptions,
    host: &mut impl Host,
) -> Result<Done, (StageError, Option<Done>)> {
    let written = async {
        let seen = validate(engine, &stage, options).await;
        let plan = plan(engine, &stage, seen, options)?;
        let recorded = record(&plan, host).await?;
        act(engine, plan, recorded).await
    };
    let done = written.await.map_err(|error| (error, None))?;
    if stage.defines_kinds() && !done.changes().writes().is_empty() {
        engine.cluster.discovery().invalidate();
    }
    if stage.is_awaited() {
        let options = WaitOptions { timeout: engine.settings().stage_timeout, fail_fast: false };
        let waited = host.pause(engine.wait(done.watched(), &options)).await;
        if let Err(error) = waited {
            return Err((error.into(), Some(done)));
        }
        if !done.changes().writes().is_empty() {
            until_served(engine, &stage).await;
        }
    }
    Ok(done)
}

/// Waits until the API serves the kinds that a stage defines: it begins to some time after it has established them. A
/// later stage tells what is still missing.
async fn until_served(engine: &Engine, stage: &Stage) {
    let served = async {
        for gvk in stage.objects().iter().flat_map(defined_kinds) {
            while let Err(ApiError::NoMatch(_)) = engine.cluster.discovery().mapping(&gvk).await {
                tokio::time::sleep(FRESH).await;
            }
        }
    };
    let _ = tokio::time::timeout(SERVING_PATIENCE, served).await;
}

/// The kinds in the versions that a definition has served.
fn defined_kinds(definition: &Node) -> Vec<Gvk> {
    if !is_crd(definition) {
        return Vec::new();
    }
    let text = |path: &[&str]| definition.str_at(path).unwrap_or_default().to_owned();
    let (group, kind) = (text(&["spec", "group"]), text(&["spec", "names", "kind"]));
    let versions = definition.at(&["spec", "versions"]).and_then(Node::as_list).unwrap_or_default();
    let served =
        versions.iter().filter(|version| version.get("served").and_then(Node::as_bool) == Some(true));
    let names = served.filter_map(|version| version.str_at(&["name"]));
    names
        .map(|version| Gvk { group: group.clone(), version: version.to_owned(), kind: kind.clone() })
        .collect()
}

/// Records what a plan will write; a plan without a write needs no record.
pub async fn record(plan: &Plan, host: &mut impl Host) -> Result<Recorded, StageError> {
    let writes = plan.writes();
    if !writes.is_empty() {
        host.extend_ledger(&writes).await?;
    }
    Ok(Recorded(()))
}

impl Applied {
    fn extend(&mut self, done: Done) {
        let Done { changes, inventory, watched } = done;
        self.inventory = self.inventory.entries().iter().chain(inventory.entries()).cloned().collect();
        self.changes.append(changes);
        self.watched.extend(watched);
    }
}
