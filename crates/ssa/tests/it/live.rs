//! The engine against a real API server.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use millrace_harness::ControlPlane;
use millrace_ssa::apply::{self, Applied, ApplyError, ApplyOptions};
use millrace_ssa::client::{Cluster, Discovery};
use millrace_ssa::engine::{Engine, Settings, Shared};
use millrace_ssa::inventory::stale_objects;
use millrace_ssa::normalize::normalize;
use millrace_ssa::policy::Owner;
use millrace_ssa::prune::{prune, wait_for_termination};
use millrace_ssa::wait::WaitOptions;
use tokio_util::task::TaskTracker;

use crate::apply::Recorder;
use crate::manifests::objects;

/// One control plane for all stories: it takes longer to start than they take.
#[tokio::test]
async fn the_engine_keeps_its_promises_against_a_real_api_server() {
    if let Err(error) = millrace_harness::tools::program("kube-apiserver") {
        eprintln!("skipped: {error}");
        return;
    }
    let plane = ControlPlane::shared().await.expect("a control plane");
    objects_are_applied_awaited_left_alone_corrected_and_pruned(&plane).await;
    a_definition_and_its_object_are_applied_in_one_pass(&plane).await;
    objects_of_kubectl_are_taken_over_and_immutable_ones_recreated(&plane).await;
}

const PATIENCE: WaitOptions = WaitOptions { timeout: Duration::from_mins(1), fail_fast: true };

/// An engine for a control plane, and a namespace for one story.
struct Bench<'p> {
    plane: &'p ControlPlane,
    engine: Engine,
    namespace: String,
}

impl<'p> Bench<'p> {
    async fn new(plane: &'p ControlPlane) -> Self {
        let namespace = plane.namespace("ssa").await.expect("a namespace").name().to_owned();
        let client = plane.client();
        let discovery = Arc::new(Discovery::new(client.clone()));
        let cluster = Cluster::new(client, discovery, "test", "kustomize-controller");
        let shared = Shared::new(Settings::default(), Arc::new(Timestamp::now), TaskTracker::new());
        Self { plane, engine: Engine::new(cluster, shared), namespace }
    }

    fn owner(&self) -> Owner {
        Owner {
            group: "kustomize.toolkit.fluxcd.io".to_owned(),
            name: "app".to_owned(),
            namespace: self.namespace.clone(),
        }
    }

    /// Applies manifests in which `NS` stands for the namespace.
    async fn apply(&self, manifests: &str, options: &ApplyOptions) -> Result<Applied, ApplyError> {
        let mut manifests = objects(&manifests.replace("NS", &self.namespace));
        for manifest in &mut manifests {
            self.owner().label(manifest);
            normalize(manifest);
        }
        apply::all(&self.engine, manifests, options, &mut Recorder::default()).await
    }

    async fn apply_well(&self, manifests: &str) -> Applied {
        self.apply(manifests, &ApplyOptions::default()).await.expect("applies")
    }

    /// Changes as text, the namespace being `NS` again.
    fn changes(&self, applied: &Applied) -> String {
        applied.changes().to_string().replace(&self.namespace, "NS")
    }

    /// What runs in the meantime on the API server, by verb and resource, for objects of the namespace.
    fn requests_since(&self, mark: millrace_harness::control_plane::Mark) -> Vec<String> {
        let events = self.plane.audit().since(mark).expect("an audit log");
        let own = events.into_iter().filter(|event| {
            event.object_ref.as_ref().is_some_and(|object| object.namespace == self.namespace)
                && event.stage == "ResponseComplete"
        });
        own.map(|event| {
            let resource = event.object_ref.as_ref().map_or("", |object| object.resource.as_str());
            format!("{}{} {resource}", event.verb, if event.is_dry_run() { " (dry run)" } else { "" })
        })
        .collect()
    }
}

const APP: &str = "
apiVersion: v1
kind: ServiceAccount
metadata: {name: app, namespace: NS}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: app, namespace: NS}
data: {key: value}
---
apiVersion: v1
kind: Service
metadata: {name: app, namespace: NS}
spec: {selector: {app: app}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: app, namespace: NS}
spec:
  replicas: 0
  selector: {matchLabels: {app: app}}
  template:
    metadata: {labels: {app: app}}
    spec: {containers: [{name: app, image: app, ports: [{containerPort: 80}], resources: {limits: {cpu: 0.5}}}]}
";

const CREATED: &str = "ServiceAccount/NS/app created\nConfigMap/NS/app created\nService/NS/app created\n\
                       Deployment/NS/app created";

// KC-055, KC-056, KC-061, KC-071, KC-079 against the real API server.
async fn objects_are_applied_awaited_left_alone_corrected_and_pruned(plane: &ControlPlane) {
    let bench = Bench::new(plane).await;
    let mark = bench.plane.audit().mark().expect("an audit log");
    let first = bench.apply_well(APP).await;
    assert_eq!(bench.changes(&first), CREATED);
    bench.engine.wait(first.watched(), &PATIENCE).await.expect("becomes healthy");
    let requests = bench.requests_since(mark);
    let ours = |request: &&String| request.starts_with("patch") || request.starts_with("get");
    assert_eq!(requests.iter().filter(ours).count(), 8, "a dry run and an apply each: {requests:#?}");

    let mark = bench.plane.audit().mark().expect("an audit log");
    let second = bench.apply_well(APP).await;
    assert!(second.changes().writes().is_empty(), "{}", second.changes());
    bench.engine.wait(second.watched(), &PATIENCE).await.expect("is healthy");
    let requests = bench.requests_since(mark);
    let dry_runs = requests.iter().filter(|request| request.contains("dry run")).count();
    let reads = requests.iter().filter(|request| request.starts_with("get")).count();
    assert!(dry_runs == 4 && reads <= 1, "only what a controller has written since is read: {requests:#?}");

    let edit = r#"{"data":{"key":"edited"}}"#;
    let namespace = bench.namespace.as_str();
    bench.plane.kubectl(&["-n", namespace, "patch", "configmap", "app", "-p", edit]).expect("patches");
    let third = bench.apply_well(APP).await;
    assert_eq!(third.changes().writes().to_string().replace(namespace, "NS"), "ConfigMap/NS/app configured");

    let rest = APP.split_once("---").expect("several documents").1;
    let fourth = bench.apply_well(rest).await;
    let stale = stale_objects(third.inventory(), fourth.inventory());
    let pruned = prune(&bench.engine, &stale, &bench.owner(), &fourth).await.expect("prunes");
    assert_eq!(pruned.to_string().replace(namespace, "NS"), "ServiceAccount/NS/app deleted");
    wait_for_termination(&bench.engine, &pruned, Duration::from_secs(30)).await.expect("goes");
}

// KC-057: a definition, a namespace and what needs them, in one pass.
async fn a_definition_and_its_object_are_applied_in_one_pass(plane: &ControlPlane) {
    let bench = Bench::new(plane).await;
    let group = format!("{}.example.com", bench.namespace);
    let manifests = format!(
        "
apiVersion: {group}/v1
kind: Widget
metadata: {{name: w, namespace: NS-b}}
spec: {{size: 1}}
---
apiVersion: v1
kind: Namespace
metadata: {{name: NS-b}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: widgets.{group}}}
spec:
  group: {group}
  scope: Namespaced
  names: {{kind: Widget, plural: widgets}}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {{openAPIV3Schema: {{type: object, x-kubernetes-preserve-unknown-fields: true}}}}
"
    );
    let applied = bench.apply_well(&manifests).await;
    let expected = format!(
        "CustomResourceDefinition/widgets.{group} created\nNamespace/NS-b created\nWidget/NS-b/w created"
    );
    assert_eq!(bench.changes(&applied), expected.replace(&bench.namespace, "NS"));
    bench.engine.wait(applied.watched(), &PATIENCE).await.expect("becomes healthy");
    let again = bench.apply_well(&manifests).await;
    assert!(again.changes().writes().is_empty(), "{}", again.changes());
}

// KC-066, KC-068: what kubectl has made is taken over; an immutable field needs force.
async fn objects_of_kubectl_are_taken_over_and_immutable_ones_recreated(plane: &ControlPlane) {
    let bench = Bench::new(plane).await;
    let namespace = bench.namespace.as_str();
    let file = tempfile::NamedTempFile::new().expect("a file");
    let made = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {key: value, other: value}\n";
    std::fs::write(file.path(), made).expect("writes");
    let path = file.path().to_str().expect("UTF-8");
    bench.plane.kubectl(&["-n", namespace, "apply", "-f", path]).expect("applies");
    let manifest =
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: NS}, data: {key: value}}";
    let taken = bench.apply_well(manifest).await;
    assert_eq!(bench.changes(&taken), "ConfigMap/NS/c configured");
    let live = bench.plane.kubectl(&[
        "-n",
        namespace,
        "get",
        "configmap",
        "c",
        "-o",
        "json",
        "--show-managed-fields",
    ]);
    let live = live.expect("reads");
    for gone in ["last-applied-configuration", "\"other\"", "\"manager\": \"kubectl"] {
        assert!(!live.contains(gone), "{gone} is still in {live}");
    }
    assert_eq!(bench.changes(&bench.apply_well(manifest).await), "ConfigMap/NS/c unchanged");

    let secret = |value: &str| {
        format!(
            "{{apiVersion: v1, kind: Secret, metadata: {{name: s, namespace: NS}}, immutable: true, stringData: {{k: {value}}}}}"
        )
    };
    bench.apply_well(&secret("old")).await;
    let error =
        bench.apply(&secret("new"), &ApplyOptions::default()).await.expect_err("is immutable").to_string();
    assert!(error.starts_with(&format!("Secret/{namespace}/s dry-run failed (Invalid): ")), "{error}");
    assert!(error.contains("field is immutable") && error.ends_with('\n'), "{error}");
    let force = ApplyOptions { force: true, ..ApplyOptions::default() };
    let recreated = bench.apply(&secret("new"), &force).await.expect("recreates");
    assert_eq!(bench.changes(&recreated), "Secret/NS/s created");
}
