//! What a run begins with: the source's artifact, and dependencies that are ready.
//!
//! Contract: kustomize-controller §2.4, §2.5.

use kube::{Api, Client};
use millrace_api::Reconcilable as _;
use millrace_api::kustomize::v1::{DependencyReference, Kustomization};
use millrace_api::meta::conditions::{self, READY};
use millrace_api::meta::{Artifact, non_empty};
use millrace_reconcile::Key;
use millrace_reconcile::client::error_text;

use super::halt::Halt;
use crate::controller::Shared;
use crate::reason;
use crate::sources::{SourceId, SourceKind, UnknownSourceKind};
use crate::triggers::source_of;

/// The artifact that `object` is to be built from.
pub(crate) async fn resolve_source(
    shared: &Shared,
    client: &Client,
    object: &Kustomization,
) -> Result<Artifact, Halt> {
    let reference = &object.spec.source_ref;
    let Some(source) = source_of(object) else {
        let unknown = UnknownSourceKind { kind: reference.kind.clone(), name: reference.name.clone() };
        return Err(Halt::SourceUnreadable(unknown.to_string()));
    };
    check_access(shared, object, &source)?;
    let artifact = if shared.settings.direct_source_fetch {
        fetch_artifact(client, &source, object).await?
    } else {
        let state = shared.sources.get(&source);
        state
            .ok_or_else(|| {
                not_found(
                    object,
                    format!("{}.source.toolkit.fluxcd.io {:?} not found", source.kind, source.key.name()),
                )
            })?
            .artifact
    };
    artifact.ok_or(Halt::NoArtifact { hint: source.kind.hint() })
}

fn check_access(shared: &Shared, object: &Kustomization, source: &SourceId) -> Result<(), Halt> {
    let denied = |message| Err(Halt::Stalled { reason: reason::ACCESS_DENIED, message, observed: false });
    let own = object.metadata.namespace.as_deref().unwrap_or_default();
    if shared.settings.no_cross_namespace_refs && source.key.namespace() != own {
        return denied(format!("can't access '{source}', cross-namespace references have been blocked"));
    }
    if source.kind == SourceKind::ExternalArtifact && !shared.settings.external_artifacts {
        return denied(format!("can't access '{source}', ExternalArtifact feature gate is disabled"));
    }
    Ok(())
}

fn not_found(object: &Kustomization, message: String) -> Halt {
    let reference = &object.spec.source_ref;
    let source = match non_empty(reference.namespace.as_ref()) {
        Some(namespace) => format!("{}/{namespace}/{}", reference.kind, reference.name),
        None => format!("{}/{}", reference.kind, reference.name),
    };
    Halt::SourceNotFound { message, source }
}

/// Reads the source from the API server instead of the cache.
async fn fetch_artifact(
    client: &Client,
    source: &SourceId,
    object: &Kustomization,
) -> Result<Option<Artifact>, Halt> {
    #[derive(serde::Deserialize)]
    struct Source {
        #[serde(default)]
        status: SourceStatus,
    }
    #[derive(Default, serde::Deserialize)]
    struct SourceStatus {
        artifact: Option<Artifact>,
    }
    let plural = match source.kind {
        SourceKind::GitRepository => "gitrepositories",
        SourceKind::OciRepository => "ocirepositories",
        SourceKind::Bucket => "buckets",
        SourceKind::ExternalArtifact => "externalartifacts",
    };
    let path = format!(
        "/apis/source.toolkit.fluxcd.io/v1/namespaces/{}/{plural}/{}",
        source.key.namespace(),
        source.key.name()
    );
    let unreadable = |error: &dyn std::fmt::Display| {
        Halt::SourceUnreadable(format!("unable to get source '{}': {error}", source.key))
    };
    let request = http::Request::get(path).body(Vec::new()).map_err(|error| unreadable(&error))?;
    match client.request::<Source>(request).await {
        Ok(found) => Ok(found.status.artifact),
        Err(kube::Error::Api(status)) if status.code == 404 => Err(not_found(object, status.message.clone())),
        Err(error) => Err(unreadable(&error_text(&error))),
    }
}

/// Checks the dependencies in order; the first that is not ready ends the run.
pub(crate) async fn check_dependencies(
    client: &Client,
    object: &Kustomization,
    artifact: &Artifact,
) -> Result<(), Halt> {
    for reference in &object.spec.depends_on {
        let own = object.metadata.namespace.as_deref().unwrap_or_default();
        let key = Key::new(non_empty(reference.namespace.as_ref()).unwrap_or(own), reference.name.as_str());
        let api: Api<Kustomization> = Api::namespaced(client.clone(), key.namespace());
        let dependency = match api.get(key.name()).await {
            Ok(dependency) => dependency,
            Err(error) => {
                return Err(Halt::Dependency(format!(
                    "dependency '{key}' not found: {}",
                    error_text(&error)
                )));
            }
        };
        refuse_ready_expr(reference)?;
        judge(&key, object, &dependency, &artifact.revision).map_err(Halt::Dependency)?;
    }
    if !object.spec.depends_on.is_empty() {
        tracing::info!("All dependencies are ready, proceeding with reconciliation");
    }
    Ok(())
}

/// Until expressions can be evaluated, an object that has one must not pass as if it had none.
fn refuse_ready_expr(reference: &DependencyReference) -> Result<(), Halt> {
    match non_empty(reference.ready_expr.as_ref()) {
        None => Ok(()),
        Some(_) => Err(Halt::Stalled {
            reason: reason::INVALID_CEL_EXPRESSION,
            message: format!(
                "Reconciliation failed terminally due to configuration error: spec.dependsOn[{}].readyExpr is not supported yet",
                reference.name
            ),
            observed: true,
        }),
    }
}

/// Whether `dependency` is far enough for `object`, which is to apply `revision`.
fn judge(
    key: &Key,
    object: &Kustomization,
    dependency: &Kustomization,
    revision: &str,
) -> Result<(), String> {
    let not_ready = || Err(format!("dependency '{key}' is not ready"));
    let Some(status) = dependency.status() else { return not_ready() };
    let current = status.observed_generation == dependency.metadata.generation;
    if status.conditions.is_empty() || !current || !conditions::is_true(&status.conditions, READY) {
        return not_ready();
    }
    let same_source = source_of(dependency).is_some_and(|source| Some(source) == source_of(object));
    if same_source && status.last_applied_revision.as_deref() != Some(revision) {
        return Err(format!("dependency '{key}' revision is not up to date"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use millrace_api::kustomize::v1::{KustomizationSpec, KustomizationStatus};
    use millrace_api::meta::conditions::{Entry, Status};

    use super::*;

    fn kustomization(namespace: &str, name: &str, source: &str) -> Kustomization {
        let mut object = Kustomization::new(name, KustomizationSpec::default());
        object.metadata.namespace = Some(namespace.to_owned());
        object.metadata.generation = Some(3);
        "GitRepository".clone_into(&mut object.spec.source_ref.kind);
        source.clone_into(&mut object.spec.source_ref.name);
        object
    }

    fn applied(mut object: Kustomization, observed: i64, ready: Status, revision: &str) -> Kustomization {
        let mut status = KustomizationStatus {
            observed_generation: Some(observed),
            last_applied_revision: Some(revision.to_owned()),
            ..KustomizationStatus::default()
        };
        let entry = Entry { type_: READY, status: ready, reason: "Test", message: "" };
        conditions::set(&mut status.conditions, entry, observed, Timestamp::UNIX_EPOCH);
        object.status = Some(status);
        object
    }

    #[test]
    fn a_dependency_is_ready_at_its_generation_and_with_the_same_source_at_the_same_revision() {
        let own = kustomization("apps", "web", "site");
        let same = || kustomization("apps", "db", "site");
        let other = || kustomization("infra", "db", "site");
        let cases = [
            ("no status", same(), Err("dependency 'apps/db' is not ready")),
            (
                "old generation",
                applied(same(), 2, Status::True, "r2"),
                Err("dependency 'apps/db' is not ready"),
            ),
            ("not ready", applied(same(), 3, Status::False, "r2"), Err("dependency 'apps/db' is not ready")),
            (
                "old revision",
                applied(same(), 3, Status::True, "r1"),
                Err("dependency 'apps/db' revision is not up to date"),
            ),
            ("ready", applied(same(), 3, Status::True, "r2"), Ok(())),
            ("another source's revision", applied(other(), 3, Status::True, "r1"), Ok(())),
        ];
        for (what, dependency, expected) in cases {
            let judged = judge(&Key::new("apps", "db"), &own, &dependency, "r2");
            assert_eq!(judged, expected.map_err(str::to_owned), "{what}");
        }
    }
}
