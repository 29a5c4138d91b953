//! Brings the cluster in line with one `Kustomization`. Contract: kustomize-controller §2.

mod act;
mod compose;
mod draft;
mod finalize;
mod halt;
mod health;
mod hints;
mod observe;
mod report;
mod work;

use millrace_api::kustomize::v1::{Kustomization, KustomizationStatus};
use millrace_api::meta::{Artifact, non_empty};
use millrace_reconcile::{Report, Run};
use tokio::time::Instant;

use self::draft::Draft;
pub(crate) use self::finalize::finalize;
use self::halt::Halt;
use self::report::Ended;
use crate::controller::{Shared, own_client};
use crate::reason;

pub(crate) use self::draft::OWNED as OWNED_CONDITIONS;

/// One run.
pub(crate) async fn reconcile(
    shared: &Shared,
    run: &Run,
    object: &Kustomization,
) -> Report<KustomizationStatus> {
    let mut draft = Draft::of(object);
    if object.spec.suspend {
        tracing::info!("Reconciliation is suspended for this object");
        return report::suspended(draft);
    }
    let began = Instant::now();
    let mut artifact = None;
    let outcome = attempt(shared, run, object, &mut draft, &mut artifact).await;
    report::report(Ended {
        object,
        draft,
        artifact: artifact.as_ref(),
        outcome,
        took: began.elapsed(),
        requeue_dependency: shared.settings.requeue_dependency,
        now: run.now(),
    })
}

async fn attempt(
    shared: &Shared,
    run: &Run,
    object: &Kustomization,
    draft: &mut Draft,
    found: &mut Option<Artifact>,
) -> Result<(), Halt> {
    check_gates(shared, object)?;
    refuse_unsupported(object)?;
    let client = own_client(run);
    let artifact = found.insert(observe::resolve_source(shared, client, object).await?);
    observe::check_dependencies(client, object, artifact).await?;
    Box::pin(act::act(shared, run, object, artifact, draft)).await
}

/// What a closed gate guards stalls the object.
fn check_gates(shared: &Shared, object: &Kustomization) -> Result<(), Halt> {
    let account =
        object.spec.decryption.as_ref().and_then(|decryption| decryption.service_account_name.as_ref());
    if non_empty(account).is_none() || shared.settings.workload_identity {
        return Ok(());
    }
    Err(Halt::Stalled {
        reason: reason::FEATURE_GATE_DISABLED,
        message: "to use spec.decryption.serviceAccountName for decryption authentication please enable the \
                  ObjectLevelWorkloadIdentity feature gate in the controller"
            .to_owned(),
        observed: false,
    })
}

/// A field that is not supported yet is an error that names it: the object must not pass as if the field were not there.
fn refuse_unsupported(object: &Kustomization) -> Result<(), Halt> {
    let spec = &object.spec;
    let field = if !spec.health_check_exprs.is_empty() {
        Some((reason::INVALID_CEL_EXPRESSION, "spec.healthCheckExprs"))
    } else if spec.kube_config.is_some() {
        Some((reason::RECONCILIATION_FAILED, "spec.kubeConfig"))
    } else if spec.decryption.is_some() {
        Some((reason::BUILD_FAILED, "spec.decryption"))
    } else {
        None
    };
    match field {
        None => Ok(()),
        Some((reason, field)) => {
            let message = format!(
                "Reconciliation failed terminally due to configuration error: {field} is not supported yet"
            );
            Err(Halt::Stalled { reason, message, observed: true })
        }
    }
}
