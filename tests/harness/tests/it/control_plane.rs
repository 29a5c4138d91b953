//! The control plane behaves like a cluster: RBAC, workloads, audit log, custom resources.

use std::time::Duration;

use millrace_harness::control_plane::{Description, OUTCOME_LABEL};
use millrace_harness::{ControlPlane, Profile, tools, until};

const LIMIT: Duration = Duration::from_mins(1);

const CRD: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: mills.bench.millrace.dev}
spec:
  group: bench.millrace.dev
  scope: Namespaced
  names: {kind: Mill, plural: mills, singular: mill, listKind: MillList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
";

fn deployment(name: &str, outcome: &str) -> String {
    format!(
        "apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}}}
spec:
  replicas: 2
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}, {OUTCOME_LABEL}: {outcome}}}}}
    spec: {{containers: [{{name: c, image: any}}]}}
"
    )
}

async fn available(control_plane: &ControlPlane, namespace: &str, name: &str) -> Option<i64> {
    let found = control_plane.find("apps/v1", "Deployment", namespace, name).await.unwrap()?;
    found.data["status"]["availableReplicas"].as_i64()
}

#[tokio::test]
async fn deployments_become_available_and_namespaces_end() {
    if !tools::available(tools::CONTROL_PLANE) {
        return;
    }
    let control_plane = ControlPlane::shared().await.unwrap();
    let namespace = control_plane.namespace("harness").await.unwrap();
    let name = namespace.name().to_owned();
    control_plane
        .apply(&name, &format!("{}---\n{}", deployment("good", "none"), deployment("bad", "crash")))
        .await
        .unwrap();
    until("two replicas", LIMIT, async || {
        (available(&control_plane, &name, "good").await == Some(2)).then_some(())
    })
    .await
    .unwrap();
    let restarts = control_plane
        .kubectl(&[
            "get",
            "pods",
            "-n",
            &name,
            "-l",
            "app=bad",
            "-o",
            "jsonpath={.items[0].status.containerStatuses[0].restartCount}",
        ])
        .unwrap();
    assert_eq!(restarts, "5");
    assert_eq!(available(&control_plane, &name, "bad").await, None);
    namespace.delete(&control_plane).await.unwrap();
    let gone =
        async || control_plane.find("v1", "Namespace", "", &name).await.unwrap().is_none().then_some(());
    until("the end of the namespace", LIMIT, gone).await.unwrap();
}

#[tokio::test]
async fn an_account_has_the_rights_it_was_given_and_its_requests_are_in_the_audit_log() {
    if !tools::available(tools::CONTROL_PLANE) {
        return;
    }
    let control_plane = ControlPlane::shared().await.unwrap();
    let namespace = control_plane.namespace("harness").await.unwrap();
    let objects = "
apiVersion: v1
kind: ServiceAccount
metadata: {name: reader}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: ServiceAccount, name: reader}]
";
    control_plane.apply(namespace.name(), objects).await.unwrap();
    let access = control_plane.access(namespace.name(), "reader").await.unwrap();
    let mark = control_plane.audit().mark().unwrap();
    // The API server notices a new RoleBinding by a watch, a moment later.
    let list = async || {
        tools::run("kubectl", &access.kubeconfig, &["get", "configmaps"])
            .unwrap()
            .status
            .success()
            .then_some(())
    };
    until("the right to list", LIMIT, list).await.unwrap();
    let denied = tools::run("kubectl", &access.kubeconfig, &["create", "configmap", "x"]).unwrap();
    assert!(String::from_utf8_lossy(&denied.stderr).contains("forbidden"));
    let seen = control_plane.audit().by_user(mark, &access.user).unwrap();
    let code = |verb: &str| {
        let of_verb = |event: &&millrace_harness::control_plane::AuditEvent| {
            event.verb == verb
                && event.object_ref.as_ref().is_some_and(|object| object.resource == "configmaps")
        };
        seen.iter().rfind(of_verb).and_then(|event| event.response_status.as_ref()).map(|status| status.code)
    };
    assert_eq!((code("list"), code("create")), (Some(200), Some(403)));
}

#[tokio::test]
async fn a_bare_control_plane_serves_custom_resources_and_leaves_deployments_alone() {
    if !tools::available(&["etcd", "kube-apiserver"]) {
        return;
    }
    let control_plane = ControlPlane::start(Profile::Bare).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mills.yaml"), CRD).unwrap();
    control_plane.install_crds_from(folder.path()).await.unwrap();
    let mill = "apiVersion: bench.millrace.dev/v1\nkind: Mill\nmetadata: {name: one}\nspec: {stones: 2}\n";
    control_plane.apply("default", mill).await.unwrap();
    let found = control_plane.find("bench.millrace.dev/v1", "Mill", "default", "one").await.unwrap().unwrap();
    assert_eq!(found.data["spec"]["stones"], 2);
    control_plane.apply("default", &deployment("idle", "none")).await.unwrap();
    let idle = control_plane.find("apps/v1", "Deployment", "default", "idle").await.unwrap().unwrap();
    assert!(idle.data["status"].get("observedGeneration").is_none());
    control_plane.delete("bench.millrace.dev/v1", "Mill", "default", "one").await.unwrap();
}

#[tokio::test]
async fn installed_crds_are_in_the_discovery_at_once() {
    if !tools::available(&["etcd", "kube-apiserver"]) {
        return;
    }
    let control_plane = ControlPlane::start(Profile::Bare).await.unwrap();
    for group in 0..30 {
        let group = format!("bench{group}.millrace.dev");
        let folder = tempfile::tempdir().unwrap();
        let definition = CRD.replace("bench.millrace.dev", &group);
        std::fs::write(folder.path().join("mills.yaml"), definition).unwrap();
        control_plane.install_crds_from(folder.path()).await.unwrap();
        control_plane.api(&format!("{group}/v1"), "Mill", "default").await.unwrap();
        let discovery = control_plane.client().list_api_groups_aggregated().await.unwrap();
        let listed = discovery.items.iter().filter_map(|item| item.metadata.as_ref()?.name.as_deref());
        assert!(
            listed.clone().any(|name| name == group),
            "{group} is not in {:?}",
            listed.collect::<Vec<_>>()
        );
    }
}

#[tokio::test]
async fn another_process_can_attach_by_the_description() {
    if !tools::available(&["etcd", "kube-apiserver"]) {
        return;
    }
    let control_plane = ControlPlane::start(Profile::Bare).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cluster.json");
    control_plane.description().write(&path).unwrap();
    assert_eq!(&Description::read(&path).unwrap(), control_plane.description());
    let attached = ControlPlane::attach(&path).await.unwrap();
    assert_eq!(attached.get("/readyz").await.unwrap(), "ok");
    let discovery = attached.client().list_api_groups_aggregated().await.unwrap();
    assert!(!discovery.items.is_empty());
}

#[tokio::test]
async fn a_killed_api_server_comes_back_at_the_same_address_with_what_it_had() {
    if !tools::available(&["etcd", "kube-apiserver"]) {
        return;
    }
    let mut control_plane = ControlPlane::start(Profile::Bare).await.unwrap();
    let kept = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kept}\n";
    control_plane.apply("default", kept).await.unwrap();
    control_plane.kill_api_server().unwrap();
    assert!(control_plane.get("/readyz").await.is_err());
    control_plane.start_api_server().await.unwrap();
    assert!(control_plane.find("v1", "ConfigMap", "default", "kept").await.unwrap().is_some());
    let error = control_plane.signal("kube-scheduler", "STOP").unwrap_err();
    assert_eq!(error.to_string(), "no kube-scheduler is ours");
}
