//! Objects in the cluster: pruned, deleted, waited for.

use anyhow::{Result, ensure};
use millrace_harness::until;
use serde_json::json;

use super::{config_map, ready, revise};
use crate::bench::{SOON, condition};
use crate::live::World;

pub(crate) async fn what_is_dropped_without_pruning_is_forgotten(w: &World) -> Result<()> {
    let (a, b) = (config_map("a", "1"), config_map("b", "1"));
    let files = [("a.yaml", a.as_str()), ("b.yaml", b.as_str())];
    let namespace = ready(w, "forgotten", &files, &json!({ "prune": false })).await?;
    revise(w, &namespace, "v2", &files[..1]).await?;
    w.bench.ready(&namespace, "v2").await?;
    w.bench.respec(&namespace, json!({ "prune": true })).await?;
    w.bench.ready(&namespace, "v2").await?;
    w.bench.reconcile(&namespace, "t1").await?;
    w.bench.get(&namespace, "ConfigMap/b").await.map(drop)
}

pub(crate) async fn deletion_does_as_the_policy_says(w: &World) -> Result<()> {
    for (spec, stays) in [
        (json!({}), false),
        (json!({ "prune": false }), true),
        (json!({ "deletionPolicy": "Orphan" }), true),
        (json!({ "suspend": true }), true),
    ] {
        let files = [("a.yaml", &*config_map("a", "1")), ("b.yaml", &*config_map("b", "1"))];
        let namespace = ready(w, "deleted", &files, &json!({})).await?;
        w.bench.respec(&namespace, spec.clone()).await?;
        if spec != json!({ "suspend": true }) {
            w.bench.ready(&namespace, "v1").await?;
        }
        w.bench.delete(&namespace, "Kustomization/app").await?;
        w.bench.gone(&namespace, "Kustomization/app").await?;
        let left = w.bench.names(&namespace, "ConfigMap").await?;
        ensure!(left.is_empty() != stays, "{spec}: {left:?}");
        if !stays {
            let lines = format!("ConfigMap/{namespace}/b deleted\nConfigMap/{namespace}/a deleted");
            let event = until("the event", SOON, async || {
                w.running.events(&namespace).into_iter().find(|event| event.message == lines)
            });
            ensure!(!event.await?.is_warning);
        }
    }
    Ok(())
}

pub(crate) async fn nobody_is_left_to_delete_them(w: &World) -> Result<()> {
    let namespace = w.bench.namespace("nobody").await?;
    let account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: deployer}\n---\napiVersion: \
                   rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: deployer}\nroleRef: {apiGroup: \
                   rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}\nsubjects: [{kind: ServiceAccount, name: \
                   deployer, namespace: '{ns}'}]\n";
    w.bench.apply(&namespace, account).await?;
    w.bench.source(&namespace, "v1", &w.bench.artifact(&[("a.yaml", &config_map("a", "1"))])?).await?;
    let spec = json!({ "serviceAccountName": "deployer", "retryInterval": "1s" });
    w.bench.kustomization(&namespace, "", &spec).await?;
    w.bench.ready(&namespace, "v1").await?;
    w.bench.delete(&namespace, "ServiceAccount/deployer").await?;
    w.bench.gone(&namespace, "ServiceAccount/deployer").await?;
    w.bench.delete(&namespace, "Kustomization/app").await?;
    w.bench.gone(&namespace, "Kustomization/app").await?;
    let expected = format!("unable to prune objects: \nConfigMap/{namespace}/a");
    let events = w.running.events(&namespace);
    ensure!(events.iter().any(|event| event.is_warning && event.message == expected), "{events:?}");
    w.bench.get(&namespace, "ConfigMap/a").await.map(drop)
}

pub(crate) async fn what_is_ignored_is_not_waited_for(w: &World) -> Result<()> {
    let ignored = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": { "name": "web", "annotations": { "kustomize.toolkit.fluxcd.io/ssa": "Ignore" } },
        "spec": {
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "web", "image": "web" }] },
            },
        },
    });
    let files = [("a.yaml", &*config_map("a", "1")), ("web.yaml", &*ignored.to_string())];
    let namespace = ready(w, "ignored", &files, &json!({ "wait": true })).await?;
    ensure!(w.bench.find(&namespace, "Deployment/web").await?.is_none());
    let app = w.bench.get(&namespace, "Kustomization/app").await?;
    ensure!(condition(&app, "Healthy").status == "True", "{:#}", app["status"]);
    w.bench.respec(&namespace, json!({ "wait": false })).await?;
    let app = w.bench.ready(&namespace, "v1").await?;
    ensure!(condition(&app, "Healthy").status.is_empty(), "{:#}", app["status"]);
    Ok(())
}

fn deployment(image: &str, replicas: Option<u32>) -> String {
    let mut deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" },
        "spec": {
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "web", "image": image, "ports": [{ "containerPort": 80 }] }] },
            },
        },
    });
    if let Some(replicas) = replicas {
        deployment["spec"]["replicas"] = json!(replicas);
    }
    deployment.to_string()
}

/// Ports without a protocol are sent with the one that the API server would put in.
pub(crate) async fn ports_without_a_protocol_are_no_drift(w: &World) -> Result<()> {
    let service = "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  selector:\n    app: web\n  ports:\n  - \
                   port: 80\n";
    let files = [("web.yaml", &*deployment("web:1", None)), ("service.yaml", service)];
    let namespace = ready(w, "ports", &files, &json!({})).await?;
    let mark = w.bench.plane.audit().mark()?;
    w.bench.reconcile(&namespace, "t1").await?;
    let writes = writes_in(w, mark, &namespace)?;
    ensure!(writes.is_empty(), "{writes:?}");
    Ok(())
}

/// What was written in a namespace besides the Kustomization itself, as `verb resource`.
fn writes_in(w: &World, mark: millrace_harness::control_plane::Mark, namespace: &str) -> Result<Vec<String>> {
    let events = w.bench.plane.audit().since(mark)?.into_iter();
    let writes =
        events.filter(|event| event.is_write() && !event.is_dry_run() && event.stage == "ResponseComplete");
    let written = writes.filter_map(|event| {
        let object = event.object_ref?;
        let ours = object.namespace == namespace && object.resource != "kustomizations";
        ours.then(|| format!("{} {}", event.verb, object.resource))
    });
    Ok(written.collect())
}

/// Others may scale; an image of ours still arrives; and whoever applies the field takes it over.
pub(crate) async fn an_ignored_field_is_left_to_others(w: &World) -> Result<()> {
    let spec = json!({ "ignore": [{ "paths": ["/spec/replicas"], "target": { "kind": "Deployment" } }] });
    let namespace = ready(w, "scaled", &[("web.yaml", &*deployment("web:1", Some(1)))], &spec).await?;
    w.bench.patch(&namespace, "Deployment/web", &json!({ "spec": { "replicas": 5 } })).await?;
    let mark = w.bench.plane.audit().mark()?;
    w.bench.reconcile(&namespace, "t1").await?;
    let writes = writes_in(w, mark, &namespace)?;
    ensure!(writes.is_empty(), "{writes:?}");
    revise(w, &namespace, "v2", &[("web.yaml", &*deployment("web:2", Some(1)))]).await?;
    w.bench.ready(&namespace, "v2").await?;
    let live = w.bench.get(&namespace, "Deployment/web").await?;
    let image = |live: &serde_json::Value| live["spec"]["template"]["spec"]["containers"][0]["image"].clone();
    ensure!(live["spec"]["replicas"] == 5 && image(&live) == "web:2", "{live:#}");

    let scaled = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" }, "spec": { "replicas": 7 },
    });
    w.bench.apply_as("scaler", &namespace, &scaled).await?;
    revise(w, &namespace, "v3", &[("web.yaml", &*deployment("web:3", Some(1)))]).await?;
    w.bench.ready(&namespace, "v3").await?;
    let live = w.bench.get(&namespace, "Deployment/web").await?;
    ensure!(live["spec"]["replicas"] == 7 && image(&live) == "web:3", "{live:#}");
    let managers = live["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    let ours = managers.iter().filter(|entry| entry["manager"] == "kustomize-controller");
    ensure!(
        ours.map(|entry| entry["fieldsV1"].to_string()).all(|fields| !fields.contains("f:replicas")),
        "{live:#}"
    );
    Ok(())
}

/// The controller runs with `--override-manager=bad`.
pub(crate) async fn a_manager_that_is_overridden_loses_its_fields(w: &World) -> Result<()> {
    let namespace = ready(w, "overridden", &[("a.yaml", &config_map("a", "1"))], &json!({})).await?;
    for manager in ["bad", "good"] {
        w.bench.patch_as(manager, &namespace, "ConfigMap/a", &json!({ "data": { manager: "1" } })).await?;
    }
    w.bench.reconcile(&namespace, "t1").await?;
    let live = w.bench.get(&namespace, "ConfigMap/a").await?;
    ensure!(live["data"] == json!({ "k": "1", "good": "1" }), "{live:#}");
    Ok(())
}

/// A definition, an object of it, a namespace and what is in it, a class, a workload and a webhook, in one pass.
pub(crate) async fn what_others_need_comes_first(w: &World) -> Result<()> {
    let namespace = w.bench.namespace("stages").await?;
    let manifests = STAGES.replace("{ns}", &namespace);
    w.bench.source(&namespace, "v1", &w.bench.artifact(&[("all.yaml", &manifests)])?).await?;
    let mark = w.bench.plane.audit().mark()?;
    w.bench.kustomization(&namespace, "", &json!({ "targetNamespace": null })).await?;
    let app = w.bench.ready(&namespace, "v1").await?;
    ensure!(app["status"]["history"][0]["totalReconciliations"] == 1, "{:#}", app["status"]);
    let events = w.bench.plane.audit().since(mark)?.into_iter();
    let patches = events
        .filter(|event| event.verb == "patch" && !event.is_dry_run() && event.stage == "ResponseComplete");
    let resources: Vec<String> = patches
        .filter_map(|event| event.object_ref)
        .filter(|object| object.name.contains(&namespace) && object.resource != "kustomizations")
        .map(|object| object.resource)
        .collect();
    let expected = [
        "customresourcedefinitions",
        "namespaces",
        "clusterroles",
        "ingressclasses",
        "configmaps",
        "deployments",
        "widgets",
        "validatingwebhookconfigurations",
    ];
    ensure!(resources == expected, "{resources:?}");
    let subjects = [
        format!("CustomResourceDefinition/widgets.{namespace}.example.com"),
        format!("Namespace/{namespace}-b"),
        format!("ClusterRole/{namespace}"),
        format!("IngressClass/{namespace}"),
        format!("ConfigMap/{namespace}-b/{namespace}"),
        format!("Deployment/{namespace}-b/{namespace}"),
        format!("Widget/{namespace}-b/{namespace}"),
        format!("ValidatingWebhookConfiguration/{namespace}"),
    ];
    let lines = subjects.map(|subject| format!("{subject} created")).join("\n");
    let events = w.running.events(&namespace);
    ensure!(events.iter().any(|event| event.message == lines), "{events:#?}");
    Ok(())
}

const STAGES: &str = "
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: '{ns}'}
webhooks: []
---
apiVersion: '{ns}.example.com/v1'
kind: Widget
metadata: {name: '{ns}', namespace: '{ns}-b'}
spec: {size: 1}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: '{ns}', namespace: '{ns}-b'}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: '{ns}', namespace: '{ns}-b'}
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: '{ns}'}
spec: {controller: example.com/x}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: '{ns}'}
rules: []
---
apiVersion: v1
kind: Namespace
metadata: {name: '{ns}-b'}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: 'widgets.{ns}.example.com'}
spec:
  group: '{ns}.example.com'
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
";
