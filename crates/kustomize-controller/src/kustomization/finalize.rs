//! Cleaning up behind a Kustomization that is being deleted. Contract: kustomize-controller §5.3.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ServiceAccount;
use kube::Api;
use millrace_api::kustomize::v1::{Kustomization, KustomizationStatus};
use millrace_api::meta::non_empty;
use millrace_reconcile::events::{Event, Severity};
use millrace_reconcile::report::{Finalizer, Outcome};
use millrace_reconcile::{Next, Report, Run};
use millrace_ssa::changes::ChangeSet;
use millrace_ssa::client::Mask;
use millrace_ssa::engine::Engine;
use millrace_ssa::inventory::{Inventory, StaleObjects};
use millrace_ssa::prune::{delete_all, wait_for_termination};
use tokio::time::Instant;

use super::act::{lines, previous};
use super::draft::Draft;
use super::report::{ready_reason, revision_metadata, success_event};
use super::work::timeout;
use crate::build;
use crate::controller::{Shared, own_client};
use crate::masking::{SecretValues, secrets_among};
use crate::reason;

/// What happens to the objects of a deleted Kustomization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Disposal {
    /// They stay.
    Orphan,
    /// They are deleted.
    Delete,
    /// They are deleted, and gone before the Kustomization is.
    DeleteAndWait,
    /// They are in a cluster that this version can't reach: whoever deletes objects of their names here deletes wrong ones.
    OutOfReach,
}

/// The finalizing run.
pub(crate) async fn finalize(
    shared: &Shared,
    run: &Run,
    object: &Kustomization,
) -> Report<KustomizationStatus> {
    let began = Instant::now();
    let draft = Draft::of(object);
    let was_ready = draft.is_ready();
    let mut ending = Ending { run, object, events: Vec::new(), draft };
    // An inventory that can't be read names nothing that could be deleted, as in the original.
    let inventory = previous(object).unwrap_or_default();
    let disposal = disposal(object);
    if disposal != Disposal::Orphan && !inventory.is_empty() {
        if disposal == Disposal::OutOfReach {
            tracing::error!(error = "spec.kubeConfig is not supported yet", "Reconciler error");
            return ending.report(Finalizer::Keep, Next::Backoff, Outcome::Error);
        }
        if ending.may_impersonate(shared).await {
            let secrets = ending.secret_values(shared, &inventory).await;
            let engine = shared.engine(object, Mask::new(move |text| secrets.mask(text)));
            if let Err(error) = ending.delete(&engine, &inventory, disposal).await {
                tracing::error!(error, "Reconciler error");
                return ending.report(Finalizer::Keep, Next::Backoff, Outcome::Error);
            }
        } else {
            ending.skip(&inventory);
        }
    }
    if was_ready && !object.spec.suspend {
        let event = success_event(object, object.status.as_ref(), began.elapsed());
        ending.events.push(event);
    }
    ending.report(Finalizer::Remove, Next::Done, Outcome::Success)
}

fn disposal(object: &Kustomization) -> Disposal {
    let spec = &object.spec;
    if spec.suspend {
        return Disposal::Orphan;
    }
    let wanted = match non_empty(spec.deletion_policy.as_ref()).unwrap_or("MirrorPrune") {
        "Delete" => Disposal::Delete,
        "WaitForTermination" => Disposal::DeleteAndWait,
        "MirrorPrune" if spec.prune => Disposal::Delete,
        _ => Disposal::Orphan,
    };
    if wanted != Disposal::Orphan && spec.kube_config.is_some() { Disposal::OutOfReach } else { wanted }
}

struct Ending<'r> {
    run: &'r Run,
    object: &'r Kustomization,
    events: Vec<Event>,
    draft: Draft,
}

impl Ending<'_> {
    /// Whether the ServiceAccount that applied the objects is still there, if one did.
    async fn may_impersonate(&self, shared: &Shared) -> bool {
        let Some(account) =
            shared.impersonator.service_account(self.object.spec.service_account_name.as_deref())
        else {
            return true;
        };
        let namespace = self.object.metadata.namespace.as_deref().unwrap_or_default();
        let api: Api<ServiceAccount> = Api::namespaced(own_client(self.run).clone(), namespace);
        api.get(account).await.is_ok()
    }

    /// What the API server may quote when it refuses to delete: the Secrets that variables came from, and those that were
    /// applied. Nothing is built any more, so that what was made of a variable is not known; nor is what can't be read.
    async fn secret_values(&self, shared: &Shared, inventory: &Inventory) -> SecretValues {
        let own = self.object.metadata.namespace.as_deref().unwrap_or_default();
        let references =
            self.object.spec.post_build.iter().flat_map(|post_build| &post_build.substitute_from);
        let variables = references.filter(|reference| reference.kind == "Secret");
        let variables = variables.map(|reference| (own, reference.name.as_str()));
        let names = variables.chain(secrets_among(inventory.entries())).collect();
        let mut values = SecretValues::default();
        values.add_stored(own_client(self.run), names, shared.settings.concurrent_ssa).await;
        values
    }

    async fn delete(
        &mut self,
        engine: &Engine,
        inventory: &Inventory,
        disposal: Disposal,
    ) -> Result<(), String> {
        let owner = build::owner(self.object);
        let deleted = match delete_all(engine, &StaleObjects::all(inventory), &owner).await {
            Ok(deleted) => deleted,
            Err(error) => {
                self.tell(Severity::Error, "pruning for deleted resource failed".to_owned());
                return Err(error.to_string());
            }
        };
        if !deleted.is_empty() {
            self.tell(Severity::Info, lines(deleted.changes()));
        }
        if disposal == Disposal::DeleteAndWait {
            self.wait(engine, &deleted).await;
        }
        Ok(())
    }

    async fn wait(&mut self, engine: &Engine, deleted: &ChangeSet) {
        let timeout = timeout(self.object).into();
        let waited = self.run.wait(wait_for_termination(engine, deleted, timeout)).await;
        if let Ok(Err(error)) = waited {
            tracing::error!(error = %error, "failed to wait for resources termination");
            self.tell(Severity::Error, "failed to wait for resources termination".to_owned());
        }
    }

    /// Nobody is left in whose name the objects could be deleted: they stay, and somebody should know.
    fn skip(&mut self, inventory: &Inventory) {
        let subjects: Vec<_> = inventory.entries().iter().map(|entry| entry.id.subject()).collect();
        tracing::error!(
            error = "service account not found",
            "skiping pruning, failed to find account to impersonate"
        );
        self.tell(Severity::Error, format!("unable to prune objects: \n{}", subjects.join("\n")));
    }

    fn tell(&mut self, severity: Severity, message: String) {
        let status = self.object.status.as_ref();
        let applied = status.and_then(|status| status.last_applied_revision.as_deref()).unwrap_or_default();
        let origin = status.and_then(|status| status.last_applied_origin_revision.as_deref());
        let metadata: BTreeMap<String, String> = revision_metadata(applied, origin);
        let reason = ready_reason(&self.draft).unwrap_or(reason::PROGRESSING);
        self.events.push(Event { severity, reason, message, metadata });
    }

    fn report(self, finalizer: Finalizer, next: Next, outcome: Outcome) -> Report<KustomizationStatus> {
        Report { status: Some(self.draft.finish()), events: self.events, finalizer, next, outcome }
    }
}

#[cfg(test)]
mod tests {
    use millrace_api::meta::KubeConfigReference;

    use super::*;

    /// KC §5.3: what is deleted follows from policy, `prune` and suspension.
    #[test]
    fn objects_go_as_the_policy_says() {
        let cases = [
            (None, true, false, Disposal::Delete),
            (None, false, false, Disposal::Orphan),
            (Some("MirrorPrune"), true, false, Disposal::Delete),
            (Some("Delete"), false, false, Disposal::Delete),
            (Some("WaitForTermination"), false, false, Disposal::DeleteAndWait),
            (Some("Orphan"), true, false, Disposal::Orphan),
            (Some("Delete"), true, true, Disposal::Orphan),
        ];
        for (policy, prune, suspend, expected) in cases {
            let mut object = Kustomization::default();
            object.spec.deletion_policy = policy.map(str::to_owned);
            object.spec.prune = prune;
            object.spec.suspend = suspend;
            assert_eq!(disposal(&object), expected, "{policy:?} prune={prune} suspend={suspend}");
            object.spec.kube_config = Some(KubeConfigReference::default());
            let elsewhere = if expected == Disposal::Orphan { expected } else { Disposal::OutOfReach };
            assert_eq!(disposal(&object), elsewhere, "{policy:?} with kubeConfig");
        }
    }
}
