use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use millrace_api::kustomize::v1::{Kustomization, KustomizationStatus};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::*;
use crate::client::scripted::{self, Requests};
use crate::clock::SystemClock;
use crate::events::Recorder;
use crate::metrics::Metrics;
use crate::permits::CpuPool;
use crate::report::Finalizer;
use crate::tasks::Tasks;

/// Objects by name, answered as an API server would.
fn cluster(objects: &[(&str, Value)]) -> (Context, Requests) {
    let mut objects: BTreeMap<String, Value> = objects
        .iter()
        .map(|(name, metadata)| {
            let mut metadata = metadata.clone();
            metadata["name"] = json!(name);
            metadata["namespace"] = json!("apps");
            metadata["resourceVersion"] = json!("1");
            let object = json!({
                "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": metadata,
                "spec": { "interval": "1m", "prune": true, "sourceRef": { "kind": "GitRepository", "name": "site" } },
            });
            ((*name).to_owned(), object)
        })
        .collect();
    let (client, requests) = scripted::client(move |seen| {
        let path = seen.uri.split('?').next().unwrap_or_default();
        let path =
            path.strip_prefix("/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/apps/kustomizations/")?;
        let name = path.trim_end_matches("/status");
        let Some(object) = objects.get_mut(name) else {
            let status = json!({ "kind": "Status", "status": "Failure", "reason": "NotFound", "message": "gone", "code": 404 });
            return Some((404, status.to_string()));
        };
        if seen.method == http::Method::PATCH {
            merge(object, &seen.json());
        }
        Some((200, object.to_string()))
    });
    let tasks = Tasks::new();
    let context = Context {
        client,
        clock: Arc::new(SystemClock),
        events: Recorder::capturing(Arc::new(SystemClock)).0,
        metrics: Metrics::default(),
        cpu: CpuPool::new(1, tasks.clone()),
        tasks,
    };
    (context, requests)
}

fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    for (key, value) in patch {
        if value.is_null() {
            target.as_object_mut().expect("a map").remove(key);
        } else {
            merge(&mut target[key], value);
        }
    }
}

/// Waits on a gate if the object's name starts with `wait`, panics if it starts with `panic`.
struct Scripted {
    gate: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    done: tokio::sync::mpsc::Sender<String>,
}

impl Reconciler for Scripted {
    type Object = Kustomization;

    const CONTROLLER: &'static str = "kustomization";
    const FIELD_MANAGER: &'static str = "test-manager";
    const OWNED_CONDITIONS: &'static [&'static str] = &["Ready"];

    async fn reconcile(&self, run: &Run, object: &Kustomization) -> Report<KustomizationStatus> {
        let name = object.metadata.name.clone().unwrap_or_default();
        assert!(!name.starts_with("panic") || run.lane() == Lane::Retry, "boom");
        let mut told = "quiet";
        if name.starts_with("wait") {
            self.waiting.fetch_add(1, Ordering::SeqCst);
            let gate = async {
                tokio::select! {
                    permit = self.gate.acquire() => { permit.expect("open").forget(); "opened" }
                    () = run.changed().cancelled() => "changed",
                }
            };
            told = run.wait(gate).await.unwrap_or("cancelled");
        }
        let status = KustomizationStatus { observed_generation: Some(1), ..KustomizationStatus::default() };
        self.done.send(format!("{name} {told}")).await.expect("a listener");
        Report { status: Some(status), ..Report::quiet(Next::Done) }
    }

    async fn finalize(&self, _: &Run, object: &Kustomization) -> Report<KustomizationStatus> {
        let name = object.metadata.name.clone().unwrap_or_default();
        self.done.send(format!("{name} finalized")).await.expect("a listener");
        Report { finalizer: Finalizer::Remove, ..Report::quiet(Next::Done) }
    }
}

struct Bench {
    handle: Handle,
    gate: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    done: tokio::sync::mpsc::Receiver<String>,
    requests: Requests,
    tasks: Tasks,
}

fn start(objects: &[(&str, Value)]) -> Bench {
    let (context, requests) = cluster(objects);
    let (sender, done) = tokio::sync::mpsc::channel(1000);
    let (gate, waiting) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicUsize::new(0)));
    let reconciler = Scripted { gate: Arc::clone(&gate), waiting: Arc::clone(&waiting), done: sender };
    let options = Options { concurrent: 1, backoff: Backoff::default(), interval_jitter_percentage: 5 };
    let tasks = context.tasks.clone();
    let runner = Runner::new(context, reconciler, options);
    let handle = runner.handle();
    tasks.spawn(runner.run());
    Bench { handle, gate, waiting, done, requests, tasks }
}

fn key(name: &str) -> Key {
    Key::new("apps", name)
}

fn with_finalizer() -> Value {
    json!({ "finalizers": ["finalizers.fluxcd.io"] })
}

#[tokio::test(start_paused = true)]
async fn objects_that_wait_hold_no_worker() {
    let names: Vec<String> = (0..100).map(|n| format!("wait-{n}")).collect();
    let mut objects: Vec<(&str, Value)> =
        names.iter().map(|name| (name.as_str(), with_finalizer())).collect();
    objects.push(("other", with_finalizer()));
    let mut bench = start(&objects);
    for name in &names {
        bench.handle.request(&key(name), Lane::Change);
    }
    while bench.waiting.load(Ordering::SeqCst) < 100 {
        tokio::task::yield_now().await;
    }
    bench.handle.request(&key("other"), Lane::Change);
    assert_eq!(bench.done.recv().await.as_deref(), Some("other quiet"));
    bench.gate.add_permits(100);
    for _ in 0..100 {
        assert!(bench.done.recv().await.expect("a run").ends_with("opened"));
    }
    bench.tasks.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_running_object_is_told_of_a_change_and_runs_again() {
    let mut bench = start(&[("wait", with_finalizer())]);
    bench.handle.request(&key("wait"), Lane::Change);
    while bench.waiting.load(Ordering::SeqCst) < 1 {
        tokio::task::yield_now().await;
    }
    bench.handle.request(&key("wait"), Lane::Request);
    assert_eq!(bench.done.recv().await.as_deref(), Some("wait changed"));
    bench.gate.add_permits(1);
    assert_eq!(bench.done.recv().await.as_deref(), Some("wait opened"));
    bench.tasks.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_that_objects_error_and_it_is_tried_again() {
    let mut bench = start(&[("panic", with_finalizer()), ("other", with_finalizer())]);
    bench.handle.request(&key("panic"), Lane::Change);
    bench.handle.request(&key("other"), Lane::Change);
    assert_eq!(bench.done.recv().await.as_deref(), Some("other quiet"));
    assert_eq!(bench.done.recv().await.as_deref(), Some("panic quiet"));
    bench.tasks.finish().await;
}

#[tokio::test(start_paused = true)]
async fn the_finalizer_comes_first_and_the_status_is_one_patch() {
    let mut bench = start(&[("new", json!({}))]);
    bench.handle.request(&key("new"), Lane::Change);
    assert_eq!(bench.done.recv().await.as_deref(), Some("new quiet"));
    bench.tasks.finish().await;
    let seen: Vec<_> =
        bench.requests.all().iter().map(|seen| format!("{} {}", seen.method, seen.uri)).collect();
    let path = "/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/apps/kustomizations/new";
    let expected = [
        format!("GET {path}"),
        format!("PATCH {path}?&fieldManager=test-manager"),
        format!("PATCH {path}/status?&fieldManager=test-manager"),
    ];
    assert_eq!(seen, expected);
    let patches = bench.requests.all();
    assert_eq!(patches[1].json()["metadata"]["finalizers"], json!(["finalizers.fluxcd.io"]));
    assert_eq!(
        patches[2].json(),
        json!({ "metadata": { "resourceVersion": "1" }, "status": { "observedGeneration": 1 } })
    );
}

#[tokio::test(start_paused = true)]
async fn a_deleted_object_is_finalized_and_let_go_and_one_that_is_gone_costs_nothing() {
    let deleted = json!({ "finalizers": ["other", "finalizers.fluxcd.io"], "deletionTimestamp": "2026-01-01T00:00:00Z" });
    let mut bench = start(&[("deleted", deleted)]);
    bench.handle.request(&key("missing"), Lane::Change);
    bench.handle.request(&key("deleted"), Lane::Change);
    assert_eq!(bench.done.recv().await.as_deref(), Some("deleted finalized"));
    bench.tasks.finish().await;
    let last = bench.requests.all().pop().expect("a request");
    assert_eq!(last.json()["metadata"]["finalizers"], json!(["other"]));
}
