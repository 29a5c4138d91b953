//! Events in the cluster: `core/v1` Events, written one after the other, so that repeats find what they repeat.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Event, EventSource, ObjectReference};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::body::whole_seconds;
use super::correlator::{Correlated, Correlator};
use crate::client::error_text;
use crate::clock::Clock;

/// How often the writing of one Event is tried while the API server can't be reached.
const MAX_TRIES: u32 = 12;

/// The pause between two tries; the first one is shorter by chance, so that clients spread out.
const RETRY_PAUSE: Duration = Duration::from_secs(10);

/// The longest name Kubernetes takes.
const NAME_LIMIT: usize = 253;

/// An Event before correlation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Draft {
    pub(super) name: String,
    pub(super) component: String,
    pub(super) about: ObjectReference,
    pub(super) annotations: BTreeMap<String, String>,
    pub(super) warning: bool,
    pub(super) reason: &'static str,
    pub(super) message: String,
    pub(super) at: Timestamp,
}

impl Draft {
    /// The type as the API names it.
    pub(super) fn kind(&self) -> &'static str {
        if self.warning { "Warning" } else { "Normal" }
    }

    /// Cluster-wide objects have their Events in the default namespace.
    fn namespace(&self) -> &str {
        self.about.namespace.as_deref().filter(|namespace| !namespace.is_empty()).unwrap_or("default")
    }
}

/// `<object>.<hex nanoseconds>`, or a random name where that is too long.
pub(super) fn event_name(about: &ObjectReference, nanos: i128) -> String {
    let name = format!("{}.{nanos:x}", about.name.as_deref().unwrap_or_default());
    if name.len() <= NAME_LIMIT { name } else { uuid::Uuid::new_v4().to_string() }
}

/// Writes drafts.
pub(super) struct Writer {
    client: Client,
    field_manager: String,
    clock: Arc<dyn Clock>,
    correlator: Correlator,
}

/// What became of a write.
enum Written {
    /// It is done, or there is no point in trying again.
    Settled,
    /// The API server could not be reached.
    Unreachable(kube::Error),
}

impl Writer {
    pub(super) fn new(client: Client, field_manager: String, clock: Arc<dyn Clock>) -> Self {
        Self { client, field_manager, clock, correlator: Correlator::new() }
    }

    /// Writes what comes in until `closing`, then what is queued.
    pub(super) async fn run(mut self, mut drafts: mpsc::Receiver<Draft>, closing: CancellationToken) {
        loop {
            let draft = tokio::select! {
                biased;
                draft = drafts.recv() => draft,
                () = closing.cancelled(), if !drafts.is_closed() => {
                    drafts.close();
                    continue;
                }
            };
            let Some(draft) = draft else { return };
            if let Some(correlated) = self.correlator.correlate(draft, self.clock.now()) {
                self.write_patiently(&correlated, &closing).await;
            }
        }
    }

    /// Everything waits while the API server is away, as in client-go.
    async fn write_patiently(&self, event: &Correlated, closing: &CancellationToken) {
        for tried in 1..=MAX_TRIES {
            let error = match self.write(event).await {
                Written::Settled => return,
                Written::Unreachable(error) => error,
            };
            tracing::debug!(error = error_text(&error), event = event.draft.name, "failed to write event");
            let share = if tried == 1 { rand::random::<f64>() } else { 1.0 };
            tokio::select! {
                () = tokio::time::sleep(RETRY_PAUSE.mul_f64(share)) => {}
                () = closing.cancelled() => break,
            }
        }
        tracing::error!(
            event = event.draft.name,
            error = "the API server can't be reached",
            "unable to record event"
        );
    }

    async fn write(&self, event: &Correlated) -> Written {
        let api: Api<Event> = Api::namespaced(self.client.clone(), event.draft.namespace());
        let mut outcome = Err(not_found());
        if event.count > 1 {
            let params =
                PatchParams { field_manager: Some(self.field_manager.clone()), ..PatchParams::default() };
            let patch = json!({
                "count": event.count,
                "lastTimestamp": Time(whole_seconds(event.draft.at)),
                "message": event.draft.message,
            });
            outcome = api.patch(&event.draft.name, &params, &Patch::Strategic(patch)).await;
        }
        // Events go after an hour, and then a repeat makes them anew.
        if outcome.as_ref().is_err_and(is_not_found) {
            let params =
                PostParams { field_manager: Some(self.field_manager.clone()), ..PostParams::default() };
            outcome = api.create(&params, &object(event)).await;
        }
        match outcome {
            Ok(_) => Written::Settled,
            Err(kube::Error::Api(status)) => {
                tracing::debug!(
                    error = status.message,
                    event = event.draft.name,
                    "the API server refused an event"
                );
                Written::Settled
            }
            Err(error @ (kube::Error::BuildRequest(_) | kube::Error::SerdeError(_))) => {
                tracing::error!(
                    error = error_text(&error),
                    event = event.draft.name,
                    "unable to record event"
                );
                Written::Settled
            }
            Err(error) => Written::Unreachable(error),
        }
    }
}

fn not_found() -> kube::Error {
    kube::Error::Api(Box::new(kube::core::Status::failure("", "NotFound").with_code(404)))
}

fn is_not_found(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 404)
}

/// The Event as it is created.
fn object(event: &Correlated) -> Event {
    let Correlated { draft, count, first, folded } = event;
    Event {
        metadata: ObjectMeta {
            name: Some(draft.name.clone()),
            namespace: Some(draft.namespace().to_owned()),
            annotations: Some(draft.annotations.clone()).filter(|annotations| !annotations.is_empty()),
            ..ObjectMeta::default()
        },
        involved_object: draft.about.clone(),
        reason: Some(draft.reason.to_owned()),
        message: Some(draft.message.clone()),
        type_: Some(draft.kind().to_owned()),
        count: Some(*count),
        first_timestamp: Some(Time(whole_seconds(*first))),
        last_timestamp: Some(Time(whole_seconds(draft.at))),
        source: Some(EventSource { component: Some(draft.component.clone()), host: None }),
        reporting_component: (!folded).then(|| draft.component.clone()),
        ..Event::default()
    }
}
