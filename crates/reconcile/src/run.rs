//! One run of one object: its cancellation, its worker slot, and the progress it shows.

use std::future::Future;
use std::panic::resume_unwind;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ObjectReference;
use tokio::sync::{Mutex, OwnedSemaphorePermit};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;
use uuid::Uuid;

use crate::context::Context;
use crate::events::Event;
use crate::key::Key;
use crate::permits::{BlockingError, Interrupt, Workers};
use crate::queue::Lane;
use crate::reconciler::{Object, StatusOf};
use crate::slot::Slot;
use crate::status::{self, Observed, StatusError, Writer};

/// The process is ending; the run returns what it has, without a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

/// What a reconciler gets besides the object.
pub struct Run {
    context: Context,
    id: Uuid,
    lane: Lane,
    writer: Writer,
    observed: Arc<Mutex<Observed>>,
    about: ObjectReference,
    annotations: std::collections::BTreeMap<String, String>,
    changed: CancellationToken,
    slot: Slot,
}

/// What the runner knows when a run begins.
pub(crate) struct Start {
    pub(crate) context: Context,
    pub(crate) id: Uuid,
    pub(crate) lane: Lane,
    pub(crate) writer: Writer,
    pub(crate) changed: CancellationToken,
    pub(crate) workers: Workers,
    pub(crate) slot: OwnedSemaphorePermit,
}

impl Run {
    pub(crate) fn new<O: Object>(start: Start, object: &O) -> Self {
        let Start { context, id, lane, writer, changed, workers, slot } = start;
        let observed = Arc::new(Mutex::new(Observed::of(object)));
        let resource_version = object.meta().resource_version.clone();
        let about = ObjectReference { resource_version, ..object.object_ref(&()) };
        let annotations = object.meta().annotations.clone().unwrap_or_default();
        let slot = Slot::new(workers, slot, context.tasks.clone());
        Self { context, id, lane, writer, observed, about, annotations, changed, slot }
    }

    /// The services of the process.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The identifier of this run in logs.
    pub fn id(&self) -> Uuid {
        self.id
    }

    /// The namespace of the object.
    pub fn namespace(&self) -> &str {
        self.about.namespace.as_deref().unwrap_or_default()
    }

    /// Why the object runs.
    pub fn lane(&self) -> Lane {
        self.lane
    }

    /// The current time.
    pub fn now(&self) -> jiff::Timestamp {
        self.context.clock.now()
    }

    /// Cancelled as soon as something happens to the object, or to what it depends on, after the run began.
    pub fn changed(&self) -> &CancellationToken {
        &self.changed
    }

    /// Cancelled when the process is to end.
    pub fn shutdown(&self) -> &CancellationToken {
        self.context.tasks.shutdown()
    }

    /// Runs CPU-bound work on the process's bounded pool.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Interrupt) -> T + Send + 'static,
    ) -> Result<T, BlockingError> {
        self.context.cpu.run(self.shutdown(), work).await
    }

    /// Waits for `condition` without holding a worker: the slot is given back and taken again afterwards, also if this
    /// future is dropped.
    pub async fn wait<T>(&self, condition: impl Future<Output = T> + Send) -> Result<T, Cancelled> {
        let away = self.slot.leave();
        let outcome = tokio::select! {
            // First: what the end of the process has cut short comes back as an error of its own, which nobody caused.
            biased;
            () = self.shutdown().cancelled() => Err(Cancelled),
            outcome = condition => Ok(outcome),
        };
        away.back().await;
        outcome
    }

    /// Writes a status while the run goes on, at the points the contract names.
    ///
    /// A write that has begun goes on if this future is dropped, and the next one waits for it.
    pub async fn progress<O: Object>(&self, object: &O, status: &StatusOf<O>) -> Result<(), StatusError> {
        self.write_status(object, status).await
    }

    /// Sends an event about the object at once; events of the outcome belong into the report.
    pub fn event(&self, event: Event) {
        self.context.events.record(&self.about, &self.annotations, event);
    }

    pub(crate) async fn write_status<O: Object>(
        &self,
        object: &O,
        status: &StatusOf<O>,
    ) -> Result<(), StatusError> {
        // One that still waits for its turn may be cut: it has not begun.
        let mut observed = Arc::clone(&self.observed).lock_owned().await;
        let (client, writer) = (self.context.client.clone(), self.writer);
        let (key, status) = (Key::of(object), status.clone());
        let write = async move { status::write::<O>(&client, &writer, &key, &mut observed, &status).await };
        let task = self.context.tasks.spawn(write.in_current_span());
        task.await.unwrap_or_else(|error| match error.try_into_panic() {
            Ok(payload) => resume_unwind(payload),
            Err(_) => Err(StatusError::Interrupted),
        })
    }

    /// Brings what was read of `object` up to the version that this run has written, so that the next write of it doesn't
    /// meet a conflict of our own making.
    pub(crate) async fn refresh<O: Object>(&self, object: &mut O) {
        self.observed.lock().await.refresh(object);
    }
}
