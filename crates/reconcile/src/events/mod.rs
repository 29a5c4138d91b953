//! Events: to Kubernetes, correlated as client-go does it, and to the notification controller.
//!
//! Recording never waits: events go into bounded queues, and background tasks send them. Per object they keep their order;
//! what doesn't fit or can't be delivered is logged, never returned. Contract: source-controller §5.1, kustomize-controller
//! §7.1, cli §B1.7.

mod body;
mod core;
mod correlator;
mod recent;
mod webhook;

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::ObjectReference;
use kube::Client;
use millrace_api::meta::EVENT_ANNOTATION_PREFIX;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use webhook::Destination;

use crate::clock::Clock;
use crate::failure::Reason;

/// Events that may wait for the API server; as many as client-go lets wait.
const KUBERNETES_QUEUE: usize = 1000;

/// Tasks that send to the notification controller; events of one object go through one of them.
const LANES: usize = 4;

/// Events that may wait in one of them.
const LANE_QUEUE: usize = 512;

/// Something worth telling about an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// How much it matters.
    pub severity: Severity,
    /// The machine-readable reason.
    pub reason: Reason,
    /// The text.
    pub message: String,
    /// Metadata with its full keys, such as `source.toolkit.fluxcd.io/revision`.
    pub metadata: BTreeMap<String, String>,
}

/// How much an event matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// For Kubernetes only, as `Normal`.
    Trace,
    /// `Normal` in Kubernetes, `info` in notifications.
    Info,
    /// `Warning` in Kubernetes, `error` in notifications.
    Error,
}

/// Takes events in process, without HTTP: implemented by the notification controller when it runs here.
pub trait EventSink: Send + Sync + 'static {
    /// Takes one event in the JSON form that the HTTP intake takes; never blocks longer than its queue's bound allows.
    fn deliver(&self, body: Vec<u8>) -> BoxFuture<'_, ()>;
}

/// Who records events, and where they go besides Kubernetes.
pub struct Settings {
    /// The controller's name, as source and reporting controller.
    pub component: String,
    /// The field manager of the Events in Kubernetes.
    pub field_manager: String,
    /// The host's name, as reporting instance of notifications.
    pub instance: String,
    /// Where notifications go.
    pub destination: Destination,
}

/// Records events about objects; clones share queues.
#[derive(Clone)]
pub struct Recorder(Arc<Inner>);

struct Inner {
    component: String,
    instance: String,
    clock: Arc<dyn Clock>,
    kubernetes: Option<mpsc::Sender<core::Draft>>,
    lanes: Vec<mpsc::Sender<webhook::Post>>,
    last_name: Mutex<i128>,
    closing: CancellationToken,
    workers: TaskTracker,
    captured: Option<Captured>,
}

/// Events that a recorder for tests has recorded, with the objects they are about.
#[derive(Clone, Debug, Default)]
pub struct Captured(Arc<Mutex<Vec<(ObjectReference, Event)>>>);

impl Captured {
    /// All events so far, in order.
    pub fn all(&self) -> Vec<(ObjectReference, Event)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Recorder {
    /// Starts the tasks that send events; must be called within a runtime. Without a client nothing goes to Kubernetes.
    pub fn start(client: Option<Client>, settings: Settings, clock: Arc<dyn Clock>) -> Self {
        let Settings { component, field_manager, instance, destination } = settings;
        let (closing, workers) = (CancellationToken::new(), TaskTracker::new());
        let kubernetes = client.map(|client| {
            let (sender, receiver) = mpsc::channel(KUBERNETES_QUEUE);
            let writer = core::Writer::new(client, field_manager, Arc::clone(&clock));
            workers.spawn(writer.run(receiver, closing.clone()));
            sender
        });
        let lanes = destination.start(LANES, LANE_QUEUE, &workers, &closing);
        Self(Arc::new(Inner {
            component,
            instance,
            clock,
            kubernetes,
            lanes,
            last_name: Mutex::new(0),
            closing,
            workers,
            captured: None,
        }))
    }

    /// A recorder that keeps events instead of sending them; for tests.
    pub fn capturing(clock: Arc<dyn Clock>) -> (Self, Captured) {
        let captured = Captured::default();
        let recorder = Self(Arc::new(Inner {
            component: "test".to_owned(),
            instance: "test".to_owned(),
            clock,
            kubernetes: None,
            lanes: Vec::new(),
            last_name: Mutex::new(0),
            closing: CancellationToken::new(),
            workers: TaskTracker::new(),
            captured: Some(captured.clone()),
        }));
        (recorder, captured)
    }

    /// Records `event` about the object; `annotations` are the object's, of which `event.toolkit.fluxcd.io/*` are added.
    ///
    /// Never fails and never waits for the network: what can't be delivered is logged.
    pub fn record(&self, about: &ObjectReference, annotations: &BTreeMap<String, String>, event: Event) {
        let inner = &*self.0;
        if let Some(captured) = &inner.captured {
            captured.0.lock().unwrap_or_else(PoisonError::into_inner).push((about.clone(), event.clone()));
        }
        let Event { severity, reason, message, mut metadata } = event;
        let of_object = annotations.iter().filter(|(key, _)| key.starts_with(EVENT_ANNOTATION_PREFIX));
        metadata.extend(of_object.map(|(key, value)| (key.clone(), value.clone())));
        trace(about, severity, reason, &message, &metadata);
        let now = inner.clock.now();
        if severity != Severity::Trace && !inner.lanes.is_empty() {
            let facts = body::Facts { about, severity, reason, message: &message, metadata: &metadata, now };
            inner.post(about, facts);
        }
        if let Some(kubernetes) = &inner.kubernetes {
            let draft = core::Draft {
                name: core::event_name(about, inner.unique_nanos(now)),
                component: inner.component.clone(),
                about: about.clone(),
                annotations: metadata,
                warning: severity == Severity::Error,
                reason: reason.as_str(),
                message,
                at: now,
            };
            if kubernetes.try_send(draft).is_err() {
                tracing::error!(error = "too many queued events", "unable to record event");
            }
        }
    }

    /// Sends what is queued, for at most `grace`; later events are lost. To be called once all controllers have ended.
    pub async fn finish(&self, grace: Duration) {
        self.0.closing.cancel();
        self.0.workers.close();
        if tokio::time::timeout(grace, self.0.workers.wait()).await.is_err() {
            tracing::error!(
                error = "not all events were sent before the process ended",
                "unable to record event"
            );
        }
    }
}

impl Inner {
    fn post(&self, about: &ObjectReference, facts: body::Facts<'_>) {
        if let Some(missing) = body::missing(about) {
            tracing::error!(error = format!("failed to get object {missing}"), "unable to record event");
            return;
        }
        let post = webhook::Post {
            body: facts.into_json(&self.component, &self.instance),
            kind: about.kind.clone().unwrap_or_default(),
            namespace: about.namespace.clone().unwrap_or_default(),
            name: about.name.clone().unwrap_or_default(),
        };
        let object = (&post.kind, &post.namespace, &post.name);
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(object);
        let lane = usize::try_from(hash % self.lanes.len() as u64).unwrap_or(0);
        if let Err(error) = self.lanes[lane].try_send(post) {
            error.into_inner().lost("too many queued events");
        }
    }

    /// The time as a number that no other event of this recorder has: it tells Events of one object apart.
    fn unique_nanos(&self, now: Timestamp) -> i128 {
        let mut last = self.last_name.lock().unwrap_or_else(PoisonError::into_inner);
        *last = now.as_nanosecond().max(*last + 1);
        *last
    }
}

/// At trace level each event is a log line, too.
fn trace(
    about: &ObjectReference,
    severity: Severity,
    reason: Reason,
    message: &str,
    metadata: &BTreeMap<String, String>,
) {
    if tracing::enabled!(tracing::Level::TRACE) {
        tracing::trace!(
            name = about.name.as_deref(),
            namespace = about.namespace.as_deref(),
            "reconciler kind" = about.kind.as_deref(),
            reason = reason.as_str(),
            warning = (severity == Severity::Error).then_some(true),
            json.annotations = serde_json::json!(metadata).to_string(),
            "{message}"
        );
    }
}

#[cfg(test)]
mod tests;
