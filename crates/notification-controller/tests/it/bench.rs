//! The whole controller, reconcilers included, over a scripted cluster.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{Router, body::Body};
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use millrace_net::EgressPolicy;
use millrace_notification_controller::{Config, Leader, NotificationController, dispatch::Policy};
use millrace_reconcile::{
    Context,
    clock::SystemClock,
    events::{Captured, EventSink, Recorder},
    metrics::Metrics,
    permits::CpuPool,
    queue::Backoff,
    tasks::Tasks,
};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tower::ServiceExt as _;

use crate::cluster::Cluster;

pub(crate) const ALERTS: &str = "/apis/notification.toolkit.fluxcd.io/v1beta3/alerts";
pub(crate) const PROVIDERS: &str = "/apis/notification.toolkit.fluxcd.io/v1beta3/providers";
pub(crate) const RECEIVERS: &str = "/apis/notification.toolkit.fluxcd.io/v1/receivers";
pub(crate) const GIT_REPOSITORIES: &str = "/apis/source.toolkit.fluxcd.io/v1/gitrepositories";
pub(crate) const KUSTOMIZATIONS: &str = "/apis/kustomize.toolkit.fluxcd.io/v1/kustomizations";

/// E1 of the contract.
pub(crate) const E1: &str = r#"{"involvedObject":{"kind":"Kustomization","namespace":"apps","name":"webapp","uid":"7d0cdc51-ddcf-4743-b223-83ca5c699632","apiVersion":"kustomize.toolkit.fluxcd.io/v1"},"severity":"error","timestamp":"2026-01-02T03:04:05Z","message":"Health check failed\nDeployment/apps/webapp <3/5> not ready","reason":"HealthCheckFailed","metadata":{"kustomize.toolkit.fluxcd.io/revision":"main@sha1:731f7eaddfb6af01cb2173e18f0f75b0ba780ef1"},"reportingController":"kustomize-controller","reportingInstance":"kustomize-controller-7c7b47f5f-8bhrp"}"#;

/// A running controller.
pub(crate) struct Bench {
    pub(crate) cluster: Cluster,
    pub(crate) metrics: Metrics,
    pub(crate) sink: Arc<dyn EventSink>,
    events: Router,
    hooks: Router,
    captured: Captured,
    tasks: Tasks,
    answers: Mutex<Vec<String>>,
    /// Where the event endpoint and the webhook endpoint are served.
    pub(crate) addresses: [SocketAddr; 2],
}

/// What a caller got.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }
}

pub(crate) fn config() -> Config {
    Config {
        namespace: None,
        concurrent: 2,
        backoff: Backoff { base: Duration::from_millis(50), cap: Duration::from_secs(1) },
        rate_limit_interval: Duration::from_mins(5),
        export_http_path_metrics: false,
        policy: Policy::default(),
        watched_secrets: Some("reconcile.fluxcd.io/watch=Enabled".parse().expect("a selector")),
    }
}

impl Bench {
    pub(crate) async fn start(cluster: Cluster) -> Self {
        Self::start_with(cluster, config()).await
    }

    pub(crate) async fn start_with(cluster: Cluster, config: Config) -> Self {
        let (bench, leader) = Self::follow(cluster, config).await;
        bench.tasks.spawn(leader.lead());
        bench
    }

    /// Starts a replica that does not lead.
    pub(crate) async fn follow(cluster: Cluster, config: Config) -> (Self, Leader) {
        Self::follow_within(cluster, config, EgressPolicy::default()).await
    }

    /// Starts a replica that does not lead and sends only where `egress` lets it.
    pub(crate) async fn follow_within(
        cluster: Cluster,
        config: Config,
        egress: EgressPolicy,
    ) -> (Self, Leader) {
        let (context, captured) = context(&cluster);
        let (tasks, metrics) = (context.tasks.clone(), context.metrics.clone());
        let controller = NotificationController::new(context, config, Arc::new(egress));
        let listeners = [listen().await, listen().await];
        let addresses = listeners.each_ref().map(|listener| listener.local_addr().expect("it is bound"));
        let [for_events, for_hooks] = listeners;
        controller.serve_events(for_events);
        controller.serve_hooks(for_hooks);
        let (events, hooks) = (controller.event_router(), controller.hook_router());
        let sink = controller.sink();
        let leader = controller.start();
        let answers = Mutex::default();
        let bench = Self { cluster, metrics, sink, events, hooks, captured, tasks, answers, addresses };
        // An answer means that the watches know the cluster.
        assert_eq!(bench.call("/hook/none", "").await.status, StatusCode::NOT_FOUND);
        (bench, leader)
    }

    /// Posts an event.
    pub(crate) async fn post(&self, body: impl Into<Body>) -> Answer {
        self.request(Method::POST, "/", body).await
    }

    /// Sends a request to the event endpoint.
    pub(crate) async fn request(&self, method: Method, path: &str, body: impl Into<Body>) -> Answer {
        let request = Request::builder().method(method).uri(path).body(body.into()).expect("a request");
        self.note(answer(&self.events, request).await)
    }

    /// Posts to the webhook endpoint.
    pub(crate) async fn call(&self, path: &str, body: &str) -> Answer {
        let request = Request::post(path).body(Body::from(body.to_owned())).expect("a request");
        self.hook(request).await
    }

    /// Sends a request to the webhook endpoint.
    pub(crate) async fn hook(&self, request: Request<Body>) -> Answer {
        self.note(answer(&self.hooks, request).await)
    }

    fn note(&self, answer: Answer) -> Answer {
        self.answers.lock().unwrap().push(format!("{answer:?}"));
        answer
    }

    /// The answers so far.
    pub(crate) fn answers(&self) -> Vec<String> {
        self.answers.lock().unwrap().clone()
    }

    /// The events recorded about anything, with all that they carry.
    pub(crate) fn everything_recorded(&self) -> Vec<String> {
        self.captured.all().iter().map(|(about, event)| format!("{about:?} {event:?}")).collect()
    }

    /// The events recorded about objects of this name, as `Severity Reason Message`.
    pub(crate) fn events_about(&self, name: &str) -> Vec<String> {
        let about = self.captured.all().into_iter().filter(|(about, _)| about.name.as_deref() == Some(name));
        about.map(|(_, event)| format!("{:?} {} {}", event.severity, event.reason, event.message)).collect()
    }

    /// The annotations of the first event with this reason.
    pub(crate) fn annotations_of(&self, reason: &str) -> Value {
        let found = self.captured.all().into_iter().find(|(_, event)| event.reason.as_str() == reason);
        found.map_or(Value::Null, |(_, event)| json!(event.metadata))
    }

    /// Waits for an event about `name` that contains `text`.
    pub(crate) async fn wait_for_event(&self, name: &str, text: &str) -> String {
        eventually(text, || self.events_about(name).into_iter().find(|event| event.contains(text))).await
    }

    /// Waits until an object satisfies a condition.
    pub(crate) async fn wait_for(&self, path: &str, what: &str, check: impl Fn(&Value) -> bool) -> Value {
        eventually(what, || Some(self.cluster.get(path)).filter(|object| check(object))).await
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.tasks.shutdown().cancel();
    }
}

/// What a controller of this cluster works with, and the events it records.
pub(crate) fn context(cluster: &Cluster) -> (Context, Captured) {
    millrace_net::install_crypto_provider();
    let clock = Arc::new(SystemClock);
    let (events, captured) = Recorder::capturing(clock.clone());
    let tasks = Tasks::new();
    let context = Context {
        client: cluster.client(),
        clock,
        events,
        metrics: Metrics::default(),
        cpu: CpuPool::new(1, tasks.clone()),
        tasks,
    };
    (context, captured)
}

async fn listen() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").await.expect("a loopback port")
}

async fn answer(router: &Router, request: Request<Body>) -> Answer {
    let (parts, body) = router.clone().oneshot(request).await.expect("an answer").into_parts();
    let body = body.collect().await.expect("a body").to_bytes();
    let body = String::from_utf8(body.to_vec()).expect("text");
    Answer { status: parts.status, headers: parts.headers, body }
}

/// Lets everything happen that is going to: in a test with paused time, the clock moves only when nothing is left to do.
pub(crate) async fn settle() {
    tokio::time::sleep(Duration::from_secs(1)).await;
}

/// Tries until there is a result, for at most ten seconds.
pub(crate) async fn eventually<T>(what: &str, mut attempt: impl FnMut() -> Option<T>) -> T {
    for _ in 0..1000 {
        if let Some(result) = attempt() {
            return result;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("not within ten seconds: {what}");
}

/// A1 of the contract with other fields of its spec.
pub(crate) fn alert(name: &str, provider: &str, fields: Value) -> Value {
    let mut spec = json!({
        "providerRef": { "name": provider }, "eventMetadata": { "cluster": "prod-1" },
        "eventSources": [{ "kind": "Kustomization", "name": "*" }],
    });
    for (key, value) in fields.as_object().expect("fields") {
        spec[key] = value.clone();
    }
    json!({
        "apiVersion": "notification.toolkit.fluxcd.io/v1beta3", "kind": "Alert",
        "metadata": { "namespace": "apps", "name": name }, "spec": spec,
    })
}

pub(crate) fn provider(name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": "notification.toolkit.fluxcd.io/v1beta3", "kind": "Provider",
        "metadata": { "namespace": "apps", "name": name }, "spec": spec,
    })
}
