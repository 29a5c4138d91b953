//! Waiting until what was applied is healthy. Contract: kustomize-controller §6.1, §6.2, §2.8.

use millrace_api::kustomize::v1::Kustomization;
use millrace_api::meta::conditions::Status;
use millrace_api::meta::{GoDuration, NamespacedObjectKindReference, non_empty};
use millrace_ssa::apply::Applied;
use millrace_ssa::engine::Engine;
use millrace_ssa::id::ObjectId;
use millrace_ssa::wait::{WaitOptions, Watched};
use tokio::time::Instant;

use super::halt::{Halt, Unshown};
use super::work::{Phase, Work};
use crate::controller::Shared;
use crate::reason;

/// Checks health if the spec asks for it.
pub(super) async fn check(
    shared: &Shared,
    work: &Work<'_>,
    engine: &Engine,
    applied: &Applied,
) -> Result<(), Halt> {
    let mut watched = match chosen(work.object, applied) {
        Ok(watched) => watched,
        Err(message) => return Err(Halt::failed(reason::HEALTH_CHECK_FAILED, message)),
    };
    if watched.is_empty() {
        work.draft.lock().await.drop_healthy();
        return Ok(());
    }
    watched.retain(|watched| !is_self(work.object, &watched.id));
    let was_healthy = work.draft.lock().await.is_healthy();
    work.begin(Phase::CheckingHealth).await;
    let began = Instant::now();
    let options = WaitOptions { timeout: work.timeout.into(), fail_fast: shared.settings.fail_fast };
    let waited = work.watched(wait(shared, work, engine, &watched, &options)).await;
    let waited = waited.map_err(|Unshown(error)| {
        let message = format!("unable to update the healthy status to progressing: {error}");
        Halt::failed(reason::HEALTH_CHECK_FAILED, message)
    })??;
    let took = GoDuration::from(began.elapsed());
    let now = work.run.now();
    match waited {
        Ok(()) => {
            let message = format!("Health check passed in {took}");
            let status = &work.object.status;
            let known = status.as_ref().and_then(|status| status.last_applied_revision.as_deref());
            let changed = known != Some(work.revision()) && !applied.changes().writes().is_empty();
            work.draft.lock().await.healthy(Status::True, reason::SUCCEEDED, &message, now);
            if !was_healthy || changed {
                tracing::info!(revision = work.revision(), "{message}");
                work.tell(message);
            }
            Ok(())
        }
        Err(error) => {
            let error = error.to_string();
            work.draft.lock().await.healthy(Status::False, reason::HEALTH_CHECK_FAILED, &error, now);
            Err(Halt::failed(
                reason::HEALTH_CHECK_FAILED,
                format!("health check failed after {took}: {error}"),
            ))
        }
    }
}

/// Waits without a worker slot; a change ends the wait early where the gate is open.
async fn wait(
    shared: &Shared,
    work: &Work<'_>,
    engine: &Engine,
    watched: &[Watched],
    options: &WaitOptions,
) -> Result<Result<(), millrace_ssa::wait::WaitError>, Halt> {
    let canceled = async {
        if shared.settings.cancel_health_check {
            work.run.changed().cancelled().await;
        } else {
            std::future::pending::<()>().await;
        }
    };
    let waiting = async {
        tokio::select! {
            biased;
            () = canceled => None,
            outcome = engine.wait(watched, options) => Some(outcome),
        }
    };
    if let Some(outcome) = work.run.wait(waiting).await? {
        return Ok(outcome);
    }
    tracing::info!("New reconciliation triggered, canceling health checks");
    Err(Halt::Canceled)
}

/// What to wait for: all that was applied, or what the spec lists.
fn chosen(object: &Kustomization, applied: &Applied) -> Result<Vec<Watched>, String> {
    if object.spec.wait {
        return Ok(applied.watched().to_vec());
    }
    object.spec.health_checks.iter().map(named).collect()
}

fn named(reference: &NamespacedObjectKindReference) -> Result<Watched, String> {
    let api_version = non_empty(reference.api_version.as_ref()).unwrap_or("apps/v1");
    let (group, version) = match api_version.split('/').collect::<Vec<_>>()[..] {
        [version] => ("", version),
        [group, version] => (group, version),
        _ => return Err(format!("unexpected GroupVersion string: {api_version}")),
    };
    let id = ObjectId {
        namespace: reference.namespace.clone().unwrap_or_default(),
        name: reference.name.clone(),
        group: group.to_owned(),
        kind: reference.kind.clone(),
    };
    Ok(Watched::named(id, version))
}

/// A Kustomization that applies itself must not wait for itself.
fn is_self(object: &Kustomization, id: &ObjectId) -> bool {
    id.kind == "Kustomization"
        && Some(&id.name) == object.metadata.name.as_ref()
        && Some(&id.namespace) == object.metadata.namespace.as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference(api_version: Option<&str>) -> NamespacedObjectKindReference {
        NamespacedObjectKindReference {
            api_version: api_version.map(str::to_owned),
            kind: "Deployment".to_owned(),
            name: "web".to_owned(),
            namespace: Some("apps".to_owned()),
        }
    }

    #[test]
    fn a_health_check_without_an_api_version_is_for_apps() {
        for (given, group, version) in [
            (None, "apps", "v1"),
            (Some(""), "apps", "v1"),
            (Some("v1"), "", "v1"),
            (Some("example.com/v2"), "example.com", "v2"),
        ] {
            let watched = named(&reference(given)).expect("a health check");
            assert_eq!((watched.id.group.as_str(), watched.version.as_str()), (group, version), "{given:?}");
        }
        let error = named(&reference(Some("a/b/c"))).expect_err("malformed");
        assert_eq!(error, "unexpected GroupVersion string: a/b/c");
    }
}
