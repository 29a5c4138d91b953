//! The questions a guest asks before it comes in. None of them changes anything.

use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, ListParams, ObjectMeta};
use millrace_harness::ControlPlane;

use super::name;
use crate::demo::scene::NAMESPACE;

const ANSWER_LIMIT: Duration = Duration::from_secs(10);
/// Who would reconcile the demo's objects too.
const CONTROLLERS: [&str; 3] = ["source-controller", "kustomize-controller", "notification-controller"];
/// The Deployment of the chart's topology `single`.
const SINGLE: &str = "millrace";
const COMPONENT: &str = "app.kubernetes.io/component";

/// Whether the API server answers, and to this login.
pub(super) async fn answers(cluster: &ControlPlane) -> Result<()> {
    let server = cluster.server();
    let client = cluster.client();
    let Ok(answer) = tokio::time::timeout(ANSWER_LIMIT, client.apiserver_version()).await else {
        bail!("{server} does not answer within {} s", ANSWER_LIMIT.as_secs());
    };
    match answer {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if matches!(status.code, 401 | 403) => {
            bail!("{server} does not accept the login of {}", cluster.kubeconfig().display())
        }
        Err(error) => Err(error).with_context(|| format!("{server} can't be reached")),
    }
}

/// The definitions that the cluster lacks.
pub(super) async fn missing_definitions(cluster: &ControlPlane) -> Result<Vec<CustomResourceDefinition>> {
    let definitions: Api<CustomResourceDefinition> = Api::all(cluster.client());
    let there = definitions.list(&ListParams::default()).await.context("cannot list the cluster's CRDs")?;
    let mut missing = Vec::new();
    for wanted in millrace_api::crds() {
        match there.items.iter().find(|found| name(found) == name(&wanted)) {
            None => missing.push(wanted),
            Some(found) => serves_what_is_used(found, &wanted)?,
        }
    }
    Ok(missing)
}

/// Checks a definition of the cluster's, which stays as it is, against ours.
fn serves_what_is_used(found: &CustomResourceDefinition, wanted: &CustomResourceDefinition) -> Result<()> {
    for version in wanted.spec.versions.iter().filter(|version| version.storage) {
        let served = found.spec.versions.iter().any(|other| other.name == version.name && other.served);
        ensure!(
            served,
            "the cluster's CRD {} does not serve {}, which Millrace uses, and the demo changes no CRD of yours",
            name(found),
            version.name
        );
    }
    Ok(())
}

/// Whether the namespace of the sample is free.
pub(super) async fn namespace_is_free(cluster: &ControlPlane) -> Result<()> {
    let namespaces: Api<Namespace> = Api::all(cluster.client());
    let taken = namespaces.get_opt(NAMESPACE).await?.is_some();
    ensure!(
        !taken,
        "the cluster has a namespace {NAMESPACE:?}, which the demo would take over and delete: remove it first"
    );
    Ok(())
}

/// Whether the sample would have two masters: controllers that run in the cluster, or that hold their leases from elsewhere.
pub(super) async fn nobody_reconciles(cluster: &ControlPlane) -> Result<()> {
    let deployments: Api<Deployment> = Api::all(cluster.client());
    let all =
        deployments.list(&ListParams::default()).await.context("cannot list the cluster's Deployments")?;
    let running = all.items.iter().find(|found| is_controller(found));
    let leases: Api<Lease> = Api::all(cluster.client());
    let all = leases.list(&ListParams::default()).await.context("cannot list the cluster's Leases")?;
    let now = Timestamp::now();
    let held = all.items.iter().find(|found| is_held(found, now));
    let what = match (running, held) {
        (Some(deployment), _) => format!("runs Deployment/{}", path(&deployment.metadata)),
        (None, Some(lease)) => format!("has a controller that holds Lease/{}", path(&lease.metadata)),
        (None, None) => return Ok(()),
    };
    bail!(
        "the cluster {what}, which would reconcile the demo's objects too: stop it first, or use another cluster"
    )
}

fn is_controller(deployment: &Deployment) -> bool {
    let metadata = &deployment.metadata;
    let component = metadata.labels.as_ref().and_then(|labels| labels.get(COMPONENT));
    let component = component.map(String::as_str).unwrap_or_default();
    let name = metadata.name.as_deref().unwrap_or_default();
    let is_one = name == SINGLE || [name, component].iter().any(|found| CONTROLLERS.contains(found));
    is_one && deployment.spec.as_ref().and_then(|spec| spec.replicas) != Some(0)
}

fn is_held(lease: &Lease, now: Timestamp) -> bool {
    let name = lease.metadata.name.as_deref().unwrap_or_default();
    let ours =
        CONTROLLERS.iter().any(|controller| name.starts_with(&format!("{controller}-leader-election")));
    let Some(spec) = lease.spec.as_ref().filter(|_| ours) else { return false };
    let has_holder = spec.holder_identity.as_ref().is_some_and(|holder| !holder.is_empty());
    let (Some(renewed), Some(seconds)) = (&spec.renew_time, spec.lease_duration_seconds) else {
        return false;
    };
    has_holder && renewed.0 + SignedDuration::from_secs(seconds.into()) > now
}

fn path(metadata: &ObjectMeta) -> String {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    format!("{}/{}", text(&metadata.namespace), text(&metadata.name))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn controllers_are_known_by_name_and_by_component() {
        for (name, component, replicas, expected) in [
            ("kustomize-controller", "", Value::Null, true),
            ("kustomize-controller", "", json!(0), false),
            ("gitops-a", "source-controller", json!(1), true),
            ("millrace", "", json!(1), true),
            ("helm-controller", "helm-controller", json!(1), false),
            ("web", "", json!(1), false),
        ] {
            let deployment = json!({
                "metadata": {"name": name, "labels": {COMPONENT: component}},
                "spec": {"replicas": replicas, "selector": {}, "template": {}},
            });
            let deployment: Deployment = serde_json::from_value(deployment).unwrap();
            assert_eq!(is_controller(&deployment), expected, "{name} {component} {replicas}");
        }
    }

    #[test]
    fn a_lease_is_held_until_its_time_is_over() {
        let now: Timestamp = "2026-01-01T00:01:00Z".parse().unwrap();
        for (name, holder, renewed, expected) in [
            ("source-controller-leader-election", "a", "2026-01-01T00:00:30.000000Z", true),
            ("source-controller-leader-election-1a2b3c4d", "a", "2026-01-01T00:00:30.000000Z", true),
            ("source-controller-leader-election", "a", "2026-01-01T00:00:20.000000Z", false),
            ("source-controller-leader-election", "", "2026-01-01T00:00:30.000000Z", false),
            ("helm-controller-leader-election", "a", "2026-01-01T00:00:30.000000Z", false),
        ] {
            let lease = json!({
                "metadata": {"name": name},
                "spec": {"holderIdentity": holder, "renewTime": renewed, "leaseDurationSeconds": 35},
            });
            let lease: Lease = serde_json::from_value(lease).unwrap();
            assert_eq!(is_held(&lease, now), expected, "{name} {holder} {renewed}");
        }
    }
}
