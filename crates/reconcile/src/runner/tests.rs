use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use millrace_api::kustomize::v1::{Kustomization, KustomizationStatus};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::*;
use crate::client::scripted::{self, Reply, Requests};
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
    let (client, requests) = scripted::timed_client(move |seen| {
        let path = seen.uri.split('?').next().unwrap_or_default();
        let path = path.strip_prefix("/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/apps/kustomizations/");
        let name = path.expect("a Kustomization").trim_end_matches("/status");
        let Some(object) = objects.get_mut(name) else {
            return Reply::Now(Some(scripted::refusal(404, "NotFound")));
        };
        if seen.method != http::Method::PATCH {
            return Reply::Now(Some((200, object.to_string())));
        }
        let answer = Some(scripted::patch(object, &seen.json()));
        if name.starts_with("slow") { Reply::After(5 * SECOND, answer) } else { Reply::Now(answer) }
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

const SECOND: Duration = Duration::from_secs(1);

/// What it does depends on the object's name: see the cases.
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
        let told = match name.split('-').next().unwrap_or_default() {
            "wait" => self.wait(run).await,
            "drop" => {
                let dropped = tokio::time::timeout(SECOND, run.wait(std::future::pending::<()>())).await;
                assert!(dropped.is_err());
                self.hold().await
            }
            "hold" => self.hold().await,
            "slow" => {
                let shown =
                    KustomizationStatus { observed_generation: Some(7), ..KustomizationStatus::default() };
                let cut = tokio::time::timeout(SECOND, run.progress(object, &shown)).await;
                assert!(cut.is_err(), "the answer takes longer");
                "cut"
            }
            _ => "quiet",
        };
        let status = KustomizationStatus { observed_generation: Some(1), ..KustomizationStatus::default() };
        self.done.send(format!("{name} {told}")).await.expect("a listener");
        let next = if name.starts_with("fail") { Next::Backoff } else { Next::Done };
        Report { status: Some(status), ..Report::quiet(next) }
    }

    async fn finalize(&self, _: &Run, object: &Kustomization) -> Report<KustomizationStatus> {
        let name = object.metadata.name.clone().unwrap_or_default();
        self.done.send(format!("{name} finalized")).await.expect("a listener");
        let status = KustomizationStatus { observed_generation: Some(1), ..KustomizationStatus::default() };
        let status = Some(status).filter(|_| name.ends_with("told"));
        Report { status, finalizer: Finalizer::Remove, ..Report::quiet(Next::Done) }
    }
}

impl Scripted {
    /// Waits on the gate without a slot, until something happens to the object.
    async fn wait(&self, run: &Run) -> &'static str {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let gate = async {
            tokio::select! {
                permit = self.gate.acquire() => { permit.expect("open").forget(); "opened" }
                () = run.changed().cancelled() => "changed",
            }
        };
        run.wait(gate).await.unwrap_or("cancelled")
    }

    /// Waits on the gate with the slot.
    async fn hold(&self) -> &'static str {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        self.gate.acquire().await.expect("open").forget();
        "held"
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

impl Bench {
    /// Waits until so many runs are at the gate.
    async fn wait_for_waiting(&self, count: usize) {
        while self.waiting.load(Ordering::SeqCst) < count {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
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
        json!({ "metadata": { "resourceVersion": "2" }, "status": { "observedGeneration": 1 } })
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

#[tokio::test(start_paused = true)]
async fn after_the_beginning_of_the_end_nothing_new_is_started() {
    for _ in 0..32 {
        let bench = start(&[("due", with_finalizer())]);
        bench.handle.request(&key("due"), Lane::Request);
        bench.tasks.shutdown().cancel();
        bench.tasks.finish().await;
        assert!(bench.requests.all().is_empty(), "something was due and a worker free, but it was too late");
    }
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_becomes_free_at_the_end_starts_nothing_either() {
    let mut bench = start(&[("hold", with_finalizer()), ("due", with_finalizer())]);
    bench.handle.request(&key("hold"), Lane::Change);
    bench.wait_for_waiting(1).await;
    bench.handle.request(&key("due"), Lane::Request);
    bench.tasks.shutdown().cancel();
    bench.gate.add_permits(1);
    bench.tasks.finish().await;
    assert_eq!(bench.done.recv().await.as_deref(), Some("hold held"), "what runs may finish");
    assert_eq!(bench.done.recv().await, None);
}

/// What the end has cut short is ready at the same moment, with an error that nobody caused.
#[tokio::test(start_paused = true)]
async fn a_wait_at_the_end_is_cancelled_whatever_else_is_ready() {
    for _ in 0..32 {
        let mut bench = start(&[("wait", with_finalizer())]);
        bench.handle.request(&key("wait"), Lane::Change);
        bench.wait_for_waiting(1).await;
        bench.tasks.shutdown().cancel();
        bench.gate.add_permits(1);
        bench.tasks.finish().await;
        assert_eq!(bench.done.recv().await.as_deref(), Some("wait cancelled"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_is_cut_short_takes_its_worker_back() {
    let mut bench = start(&[("drop", with_finalizer()), ("other", with_finalizer())]);
    bench.handle.request(&key("drop"), Lane::Change);
    bench.wait_for_waiting(1).await;
    bench.handle.request(&key("other"), Lane::Request);
    assert!(tokio::time::timeout(10 * SECOND, bench.done.recv()).await.is_err(), "the only worker works");
    bench.gate.add_permits(1);
    assert_eq!(bench.done.recv().await.as_deref(), Some("drop held"));
    assert_eq!(bench.done.recv().await.as_deref(), Some("other quiet"));
    bench.tasks.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_status_write_that_has_begun_is_not_cut_and_the_next_one_builds_on_it() {
    let mut bench = start(&[("slow", with_finalizer())]);
    bench.handle.request(&key("slow"), Lane::Change);
    assert_eq!(bench.done.recv().await.as_deref(), Some("slow cut"));
    bench.tasks.finish().await;
    let patches: Vec<_> =
        bench.requests.all().iter().skip(1).map(|seen| (seen.method.to_string(), seen.json())).collect();
    let patch = |version: &str, generation: i64| {
        let body = json!({ "metadata": { "resourceVersion": version }, "status": { "observedGeneration": generation } });
        ("PATCH".to_owned(), body)
    };
    assert_eq!(patches, [patch("1", 7), patch("2", 1)], "no conflict, and no second look");
}

#[tokio::test(start_paused = true)]
async fn the_finalizer_goes_without_a_conflict_after_the_last_status() {
    let deleted =
        json!({ "finalizers": ["finalizers.fluxcd.io"], "deletionTimestamp": "2026-01-01T00:00:00Z" });
    let mut bench = start(&[("deleted-told", deleted)]);
    bench.handle.request(&key("deleted-told"), Lane::Change);
    assert_eq!(bench.done.recv().await.as_deref(), Some("deleted-told finalized"));
    bench.tasks.finish().await;
    let methods: Vec<_> = bench.requests.all().iter().map(|seen| seen.method.to_string()).collect();
    assert_eq!(methods, ["GET", "PATCH", "PATCH"]);
    let last = bench.requests.all().pop().expect("a request").json();
    assert_eq!(last, json!({ "metadata": { "resourceVersion": "2", "finalizers": [] } }));
}

/// Part of SC-019: adding the finalizer uses up the first step of the backoff, as upstream's requeue does.
#[tokio::test(start_paused = true)]
async fn an_object_that_fails_from_its_first_pass_on_waits_as_long_as_upstream_lets_it() {
    for (metadata, expected) in
        [(json!({}), [1500, 3000, 6000, 12000]), (with_finalizer(), [750, 1500, 3000, 6000])]
    {
        let mut bench = start(&[("fail", metadata)]);
        bench.handle.request(&key("fail"), Lane::Change);
        bench.done.recv().await.expect("the first run");
        let mut gaps = Vec::new();
        for _ in expected {
            let before = Instant::now();
            bench.done.recv().await.expect("another run");
            gaps.push(before.elapsed().as_millis());
        }
        // Paused time moves in whole milliseconds, always up.
        for (gap, expected) in gaps.iter().zip(expected) {
            assert!((expected..expected + 5).contains(gap), "{gaps:?}");
        }
        bench.tasks.finish().await;
    }
}
