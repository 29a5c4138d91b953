//! Deleting what is owned no longer.
//!
//! Contract: kustomize-controller §5.

use std::fmt;
use std::time::Duration;

use millrace_yaml::Node;

use crate::apply::{Applied, until_gone};
use crate::changes::{Action, Change, ChangeSet};
use crate::client::{ApiError, Target};
use crate::engine::Engine;
use crate::inventory::{Entry, Inventory, StaleObjects};
use crate::policy::Owner;
use crate::wait::DELETION_POLL;

/// Some objects could not be deleted. Prints all errors in one line.
#[derive(Debug)]
pub struct PruneError {
    /// What became of each object.
    pub changes: ChangeSet,
    /// The objects to try again next time.
    pub kept: Inventory,
    errors: Vec<String>,
}

impl fmt::Display for PruneError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("delete failed, errors: ")?;
        self.errors.iter().try_for_each(|error| write!(out, "{error};"))
    }
}

impl std::error::Error for PruneError {}

/// Deletes what a revision no longer has, once all that it has is applied.
pub async fn prune(
    engine: &Engine,
    stale: &StaleObjects,
    owner: &Owner,
    _after: &Applied,
) -> Result<ChangeSet, PruneError> {
    delete_all(engine, stale, owner).await
}

/// Deletes objects in the order given, one after the other, and goes on after errors. An object of another owner, or one
/// that is marked to be kept, is skipped. Does not wait until they are gone.
pub async fn delete_all(
    engine: &Engine,
    stale: &StaleObjects,
    owner: &Owner,
) -> Result<ChangeSet, PruneError> {
    let mut changes = ChangeSet::default();
    let mut kept = Vec::new();
    let mut errors = Vec::new();
    for entry in stale.entries() {
        let action = delete(engine, entry, owner).await.unwrap_or_else(|error| {
            errors.push(error);
            kept.push(entry.clone());
            Action::Unknown
        });
        changes.push(Change { id: entry.id.clone(), version: entry.version.clone(), action });
    }
    if errors.is_empty() {
        Ok(changes)
    } else {
        Err(PruneError { changes, kept: kept.into_iter().collect(), errors })
    }
}

async fn delete(engine: &Engine, entry: &Entry, owner: &Owner) -> Result<Action, String> {
    let subject = entry.id.subject();
    let query_failed = |error: ApiError| format!("{subject} query failed: {error}");
    let Some((target, live)) = find(engine, entry).await.map_err(query_failed)? else {
        return Ok(Action::Deleted);
    };
    if !owner.owns(&live) || engine.settings().policies.keep.matches(&live) {
        return Ok(Action::Skipped);
    }
    match engine.cluster.delete(&target).await {
        Ok(()) => Ok(Action::Deleted),
        // Somebody was faster.
        Err(error) if error.is_not_found() => Ok(Action::Deleted),
        Err(error) => Err(format!("{subject} delete failed: {error}")),
    }
}

/// The live object and where it is; none if it is gone. A kind that the API has lost took its objects with it; one that is
/// served in another version than it was applied in did not.
async fn find(engine: &Engine, entry: &Entry) -> Result<Option<(Target, Node)>, ApiError> {
    let Some(mut at) = target(engine, entry).await? else { return Ok(None) };
    match engine.cluster.fetch_metadata(&at).await {
        Err(error) if error.is_not_served() => {}
        Err(error) if error.is_not_found() => return Ok(None),
        found => return found.map(|live| Some((at, live))),
    }
    match engine.cluster.discovery().mapping_instead_of(&at.mapping).await? {
        Some(mapping) if mapping != at.mapping => at.mapping = mapping,
        // Still served, and yet nothing is there.
        Some(_) | None => return Ok(None),
    }
    match engine.cluster.fetch_metadata(&at).await {
        Err(error) if error.is_not_found() => Ok(None),
        found => found.map(|live| Some((at, live))),
    }
}

async fn target(engine: &Engine, entry: &Entry) -> Result<Option<Target>, ApiError> {
    let mapping = engine.cluster.discovery().mapping_of_any_version(&entry.id.gvk(&entry.version)).await?;
    mapping.map(|mapping| Target::new(mapping, &entry.id.namespace, &entry.id.name)).transpose()
}

/// An object did not go in time.
#[derive(Debug, thiserror::Error)]
#[error("{subject} termination timeout: {message}")]
pub struct TerminationError {
    subject: String,
    message: String,
}

/// Waits until all objects that were deleted are gone, one after the other.
///
/// Contract: kustomize-controller §5.3.
pub async fn wait_for_termination(
    engine: &Engine,
    deleted: &ChangeSet,
    timeout: Duration,
) -> Result<(), TerminationError> {
    let deadline = tokio::time::Instant::now() + timeout;
    for change in deleted.changes().iter().filter(|change| change.action == Action::Deleted) {
        let failed = |message: String| TerminationError { subject: change.id.subject(), message };
        let entry = Entry { id: change.id.clone(), version: change.version.clone() };
        let Some(target) = target(engine, &entry).await.map_err(|error| failed(error.to_string()))? else {
            continue;
        };
        match tokio::time::timeout_at(deadline, until_gone(engine, &target, DELETION_POLL)).await {
            Ok(gone) => gone.map_err(failed)?,
            Err(_) => return Err(failed("context deadline exceeded".to_owned())),
        }
    }
    Ok(())
}
