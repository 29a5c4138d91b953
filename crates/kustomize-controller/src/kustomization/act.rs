//! The middle of a run: fetch, build, substitute, apply, prune, health. Contract: kustomize-controller §2.6, §3 – §6.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use millrace_api::kustomize::v1::{Kustomization, KustomizationSpec, Selector};
use millrace_api::meta::{Artifact, GoDuration, ResourceInventory, ResourceRef, Snapshot, record_snapshot};
use millrace_reconcile::Run;
use millrace_ssa::apply::{self, Applied, ApplyError, ApplyOptions, Host, LedgerError};
use millrace_ssa::client::Mask;
use millrace_ssa::drift::ignore::{IgnoreRules, Rule, Target};
use millrace_ssa::engine::Engine;
use millrace_ssa::inventory::{Inventory, StaleObjects, stale_objects};
use millrace_ssa::prune;
use millrace_yaml::Node;
use tokio::sync::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::compose::{Composed, blocking, compose, fetch};
use super::draft::Draft;
use super::halt::Halt;
use super::health;
use super::hints;
use super::report::origin_revision;
use super::work::{Phase, Work, timeout};
use crate::build;
use crate::controller::{Shared, own_client};
use crate::masking::{SecretValues, secrets_among};
use crate::reason;

/// Applies `artifact`; `draft` is changed on the way, whatever the outcome.
pub(crate) async fn act(
    shared: &Shared,
    run: &Run,
    object: &Kustomization,
    artifact: &Artifact,
    draft: &mut Draft,
) -> Result<(), Halt> {
    let work = Work { run, object, artifact, timeout: timeout(object), draft: Mutex::new(draft.clone()) };
    let outcome = Box::pin(chain(shared, &work)).await;
    *draft = work.draft.into_inner();
    outcome
}

async fn chain(shared: &Shared, work: &Work<'_>) -> Result<(), Halt> {
    let began = Instant::now();
    work.begin(Phase::Fetching).await;
    let tree = work.watched(fetch(shared, work)).await??;
    work.draft.lock().await.status.last_attempted_revision = Some(work.revision().to_owned());

    work.begin(Phase::Building).await;
    let Composed { resources, digest, secrets } =
        work.watched(Box::pin(compose(shared, work, tree))).await??;

    work.begin(Phase::DetectingDrift).await;
    let secrets = Arc::new(secrets);
    let hiding = Arc::clone(&secrets);
    let engine = shared.engine(work.object, Mask::new(move |text| hiding.mask(text)));
    // Boxed: what applying needs is given back before the wait for health begins.
    let wanted = Wanted { resources, secrets: &secrets };
    let applied = match work.watched(Box::pin(applied(shared, work, &engine, wanted))).await? {
        Ok(applied) => applied,
        Err(halt) => return Err(work.record(halt, "ReconciliationFailed", &digest, began).await),
    };
    if let Err(halt) = prune_stale(shared, work, &secrets, &applied).await {
        return Err(work.record(halt, "PruneFailed", &digest, began).await);
    }
    if let Err(halt) = health::check(shared, work, &engine, &applied.applied).await {
        return Err(work.record(halt, "HealthCheckFailed", &digest, began).await);
    }
    let mut draft = work.draft.lock().await;
    draft.status.last_applied_revision = Some(work.revision().to_owned());
    draft.status.last_applied_origin_revision = origin_revision(work.artifact).map(str::to_owned);
    drop(draft);
    work.snapshot("ReconciliationSucceeded", &digest, began).await;
    Ok(())
}

/// What is to be applied, and what must not be shown of it.
struct Wanted<'s> {
    resources: Vec<Node>,
    secrets: &'s SecretValues,
}

/// What an apply leaves for the steps after it.
struct AppliedOver {
    applied: Applied,
    previous: Inventory,
}

async fn applied(
    shared: &Shared,
    work: &Work<'_>,
    engine: &Engine,
    wanted: Wanted<'_>,
) -> Result<AppliedOver, Halt> {
    let Wanted { resources, secrets } = wanted;
    let failed = |error: &dyn std::error::Error| Halt::error(reason::RECONCILIATION_FAILED, error);
    let previous = previous(work.object).map_err(|error| failed(&error))?;
    let ignore = IgnoreRules::compile(&rules(&work.object.spec));
    let ignore = ignore
        .map_err(|error| Halt::failed(reason::RECONCILIATION_FAILED, ApplyError::from(error).to_string()))?;
    let (owner, spec) = (build::owner(work.object), work.object.spec.clone());
    let normalized = work.run.blocking(move |_| build::label_and_normalize(resources, &owner, &spec)).await;
    let objects = blocking(normalized, secrets)?.map_err(|encrypted| {
        let hint = "this version does not decrypt yet: leave this Kustomization to Flux until it does";
        Halt::failed(reason::RECONCILIATION_FAILED, hints::below(&encrypted.to_string(), hint))
    })?;

    let stopped = CancellationToken::new();
    let mut host = RunHost { work, owned: previous.clone(), stopped: stopped.clone() };
    let options = ApplyOptions { force: work.object.spec.force, ignore };
    let applied = tokio::select! {
        applied = apply::all(engine, objects, &options, &mut host) => applied,
        () = stopped.cancelled() => return Err(Halt::Shutdown),
    };
    let applied = match applied {
        Ok(applied) => applied,
        Err(error) => return Err(refused(shared, work, &error).await),
    };
    let inventory = owned_until_pruned(work.object.spec.prune, &previous, applied.inventory());
    work.draft.lock().await.status.inventory = Some(stored(&inventory));
    log_changes(shared, work, &applied);
    Ok(AppliedOver { applied, previous })
}

/// What a failed apply says. Nobody may do anything in the name of a ServiceAccount that doesn't exist, which is not what the
/// API server says.
async fn refused(shared: &Shared, work: &Work<'_>, error: &ApplyError) -> Halt {
    let mut message = error.to_string();
    if error.is_forbidden()
        && let Some(hint) = hints::missing_account(shared, work).await
    {
        message = hints::below(&message, &hint);
    }
    Halt::failed(reason::RECONCILIATION_FAILED, message)
}

/// What stands in the inventory while pruning goes on: what is stale stays until it is gone, or a cut in between would forget
/// it.
fn owned_until_pruned(prune: bool, previous: &Inventory, applied: &Inventory) -> Inventory {
    if prune { previous.union(applied) } else { applied.clone() }
}

fn log_changes(shared: &Shared, work: &Work<'_>, applied: &Applied) {
    let changes = applied.changes();
    let output = if shared.settings.group_change_log {
        let by_action = changes.by_action().into_iter();
        serde_json::to_string(
            &by_action
                .map(|(action, subjects)| (action.as_str(), subjects))
                .collect::<std::collections::BTreeMap<_, _>>(),
        )
    } else {
        let by_subject = changes.by_subject();
        serde_json::to_string(
            &by_subject
                .map(|(subject, action)| (subject, action.as_str()))
                .collect::<std::collections::BTreeMap<_, _>>(),
        )
    };
    tracing::info!(
        output = output.unwrap_or_default(),
        revision = work.revision(),
        "server-side apply completed"
    );
    let writes = changes.writes();
    if !writes.is_empty() {
        work.tell(lines(writes.changes()));
    }
}

/// One line per object.
pub(super) fn lines(changes: &[millrace_ssa::changes::Change]) -> String {
    changes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// What this object owned when the run began.
pub(super) fn previous(object: &Kustomization) -> Result<Inventory, millrace_ssa::id::ObjectIdError> {
    let stored = object.status.as_ref().and_then(|status| status.inventory.as_ref());
    let entries = stored.map(|inventory| inventory.entries.as_slice()).unwrap_or_default();
    Inventory::parse(entries.iter().map(|entry| (entry.id.as_str(), entry.v.as_str())))
}

/// An inventory as it is stored.
pub(super) fn stored(inventory: &Inventory) -> ResourceInventory {
    let entry = |entry: &millrace_ssa::inventory::Entry| ResourceRef {
        id: entry.id.to_string(),
        v: entry.version.clone(),
    };
    ResourceInventory { entries: inventory.entries().iter().map(entry).collect() }
}

fn rules(spec: &KustomizationSpec) -> Vec<Rule> {
    let rule = |rule: &millrace_api::kustomize::v1::IgnoreRule| Rule {
        paths: rule.paths.clone(),
        target: rule.target.as_ref().map(target),
    };
    spec.ignore.iter().map(rule).collect()
}

fn target(selector: &Selector) -> Target {
    let Selector { group, version, kind, namespace, name, annotation_selector, label_selector } =
        selector.clone();
    Target {
        group: group.unwrap_or_default(),
        version: version.unwrap_or_default(),
        kind: kind.unwrap_or_default(),
        name: name.unwrap_or_default(),
        namespace: namespace.unwrap_or_default(),
        annotation_selector: annotation_selector.unwrap_or_default(),
        label_selector: label_selector.unwrap_or_default(),
    }
}

/// Deletes what Git no longer has, after everything it has was applied.
async fn prune_stale(
    shared: &Shared,
    work: &Work<'_>,
    secrets: &Arc<SecretValues>,
    done: &AppliedOver,
) -> Result<(), Halt> {
    let AppliedOver { applied, previous } = done;
    let stale = stale_objects(previous, applied.inventory());
    if !work.object.spec.prune || stale.is_empty() {
        work.draft.lock().await.status.inventory = Some(stored(applied.inventory()));
        return Ok(());
    }
    let owner = build::owner(work.object);
    let engine = pruning_engine(shared, work, Arc::clone(secrets), &stale).await;
    let pruned = prune::prune(&engine, &stale, &owner, applied);
    match work.watched(pruned).await? {
        Ok(changes) => {
            work.draft.lock().await.status.inventory = Some(stored(applied.inventory()));
            let text = lines(changes.changes());
            tracing::info!(revision = work.revision(), "garbage collection completed: {text}");
            work.tell(text);
            Ok(())
        }
        Err(error) => {
            let kept = applied.inventory().union(&error.kept);
            work.draft.lock().await.status.inventory = Some(stored(&kept));
            Err(Halt::failed(reason::PRUNE_FAILED, error.to_string()))
        }
    }
}

/// The engine that prunes: nothing that was built tells what the Secrets hold that are to go, and what the API server may quote.
async fn pruning_engine(
    shared: &Shared,
    work: &Work<'_>,
    mut secrets: Arc<SecretValues>,
    stale: &StaleObjects,
) -> Engine {
    let names: BTreeSet<_> = secrets_among(stale.entries()).collect();
    if !names.is_empty() {
        let known = Arc::make_mut(&mut secrets);
        known.add_stored(own_client(work.run), names, shared.settings.concurrent_ssa).await;
    }
    shared.engine(work.object, Mask::new(move |text| secrets.mask(text)))
}

/// The run as the apply engine sees it: the keeper of the ledger, and of the worker slot.
struct RunHost<'w, 'r> {
    work: &'w Work<'r>,
    owned: Inventory,
    /// The process is ending while the engine waits.
    stopped: CancellationToken,
}

impl Host for RunHost<'_, '_> {
    /// Persists the inventory with `planned` added, unless all of it is in there.
    async fn extend_ledger(&mut self, planned: &Inventory) -> Result<(), LedgerError> {
        if self.owned.covers(planned) {
            return Ok(());
        }
        self.owned = self.owned.union(planned);
        self.work.draft.lock().await.status.inventory = Some(stored(&self.owned));
        self.work.show().await.map_err(|unshown| LedgerError(unshown.into()))
    }

    async fn pause<T: Send>(&mut self, wait: impl Future<Output = T> + Send) -> T {
        if let Ok(outcome) = self.work.run.wait(wait).await {
            return outcome;
        }
        self.stopped.cancel();
        std::future::pending().await
    }
}

impl Work<'_> {
    /// Adds a failed attempt to the history and passes the failure on.
    async fn record(&self, halt: Halt, status: &str, digest: &str, began: Instant) -> Halt {
        if matches!(halt, Halt::Failed { .. }) {
            self.snapshot(status, digest, began).await;
        }
        halt
    }

    /// Adds an attempt to the history.
    async fn snapshot(&self, status: &str, digest: &str, began: Instant) {
        let now: Timestamp = self.run.now();
        let mut metadata =
            std::collections::BTreeMap::from([("revision".to_owned(), self.revision().to_owned())]);
        if let Some(origin) = origin_revision(self.artifact) {
            metadata.insert("originRevision".to_owned(), origin.to_owned());
        }
        let time = millrace_api::meta::time::whole_seconds(now);
        let snapshot = Snapshot {
            digest: digest.to_owned(),
            first_reconciled: time.clone(),
            last_reconciled: time,
            last_reconciled_duration: GoDuration::from(began.elapsed()),
            last_reconciled_status: status.to_owned(),
            total_reconciliations: 1,
            metadata,
        };
        record_snapshot(&mut self.draft.lock().await.status.history, snapshot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_object_is_not_forgotten_before_it_is_deleted() {
        let inventory = |ids: &[&str]| Inventory::parse(ids.iter().map(|id| (*id, "v1"))).expect("ids");
        let (previous, applied) =
            (inventory(&["ns_a__ConfigMap", "ns_b__ConfigMap"]), inventory(&["ns_b__ConfigMap"]));
        assert_eq!(owned_until_pruned(true, &previous, &applied), previous);
        assert_eq!(owned_until_pruned(false, &previous, &applied), applied);
    }
}
