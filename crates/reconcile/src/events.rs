//! Events: to Kubernetes, correlated as client-go does it, and to the notification controller.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::ObjectReference;

use crate::failure::Reason;

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

/// Records events about objects.
#[derive(Clone)]
pub struct Recorder {
    #[expect(dead_code, reason = "filled by the services owner")]
    sink: Option<Arc<dyn EventSink>>,
}

impl Recorder {
    /// Records `event` about the object; `annotations` are the object's, of which `event.toolkit.fluxcd.io/*` are added.
    ///
    /// Never fails and never waits for the network: what can't be delivered is logged.
    pub fn record(&self, about: &ObjectReference, annotations: &BTreeMap<String, String>, event: Event) {
        let _ = (about, annotations, event);
    }
}
