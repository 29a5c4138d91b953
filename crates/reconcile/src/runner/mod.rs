//! Runs a reconciler: takes keys from the queue, drives one run each, and writes what it reports.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use kube::{Api, Resource as _};
use tokio::sync::{Notify, OwnedSemaphorePermit};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;
use uuid::Uuid;

use crate::context::Context;
use crate::failure::panic_text;
use crate::finalizer;
use crate::key::Key;
use crate::metrics::Metrics;
use crate::permits::Workers;
use crate::queue::{Backoff, Lane, Moment, Queue, Step};
use crate::reconciler::Reconciler;
use crate::report::{Finalizer, Next, Outcome, Report};
use crate::run::{Run, Start};
use crate::status::{StatusError, Writer};

/// How a controller paces itself.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Runs at a time (`--concurrent`).
    pub concurrent: usize,
    /// Delays of failing objects (`--min-retry-delay`, `--max-retry-delay`).
    pub backoff: Backoff,
    /// How far intervals vary, in percent (`--interval-jitter-percentage`).
    pub interval_jitter_percentage: u8,
}

/// Asks a running controller for runs; cheap to clone.
#[derive(Clone)]
pub struct Handle(Arc<Shared>);

/// Runs one controller.
pub struct Runner<R: Reconciler> {
    inner: Arc<Inner<R>>,
}

struct Inner<R> {
    context: Context,
    reconciler: R,
    options: Options,
    workers: Workers,
    shared: Arc<Shared>,
}

struct Shared {
    controller: &'static str,
    metrics: Metrics,
    started: Instant,
    state: Mutex<State>,
    wake: Notify,
}

struct State {
    queue: Queue,
    /// Told when something happens to the key of a run under way.
    changed: HashMap<Key, CancellationToken>,
    /// Since when keys have been asked for.
    requested: HashMap<Key, Moment>,
}

impl Shared {
    fn now(&self) -> Moment {
        self.started.elapsed()
    }

    fn with<T>(&self, change: impl FnOnce(&mut State, Moment) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner), self.now())
    }
}

impl Handle {
    /// Asks for a run of `key`; a run under way is told.
    pub fn request(&self, key: &Key, lane: Lane) {
        self.0.with(|state, now| {
            state.requested.entry(key.clone()).or_insert(now);
            if state.queue.request(key, lane)
                && let Some(changed) = state.changed.get(key)
            {
                changed.cancel();
            }
        });
        self.0.metrics.queued(self.0.controller, false);
        self.0.wake.notify_one();
    }

    /// Forgets an object that is gone.
    pub fn forget(&self, key: &Key) {
        self.0.with(|state, _| {
            state.requested.remove(key);
            state.queue.forget(key);
        });
    }
}

impl<R: Reconciler> Runner<R> {
    /// A runner that does nothing before [`Self::run`].
    pub fn new(context: Context, reconciler: R, options: Options) -> Self {
        let queue = Queue::new(options.backoff);
        let shared = Shared {
            controller: R::CONTROLLER,
            metrics: context.metrics.clone(),
            started: Instant::now(),
            state: Mutex::new(State { queue, changed: HashMap::new(), requested: HashMap::new() }),
            wake: Notify::new(),
        };
        let workers = Workers::new(options.concurrent);
        Self { inner: Arc::new(Inner { context, reconciler, options, workers, shared: Arc::new(shared) }) }
    }

    /// A handle for watches and other triggers.
    pub fn handle(&self) -> Handle {
        Handle(Arc::clone(&self.inner.shared))
    }

    /// The reconciler.
    pub fn reconciler(&self) -> &R {
        &self.inner.reconciler
    }

    /// Runs until the process is to end. Runs under way are tracked by the context's tasks and may outlive this call.
    pub async fn run(self) {
        let inner = self.inner;
        inner.context.metrics.controller(R::CONTROLLER, inner.options.concurrent);
        let shutdown = inner.context.tasks.shutdown().clone();
        loop {
            let due = inner.shared.with(|state, now| state.queue.due(now).map(|due| due.saturating_sub(now)));
            let ready = async {
                match due {
                    Some(Duration::ZERO) => true,
                    Some(after) => {
                        tokio::select! { () = tokio::time::sleep(after) => {} () = inner.shared.wake.notified() => {} }
                        false
                    }
                    None => {
                        inner.shared.wake.notified().await;
                        false
                    }
                }
            };
            // The slot is taken only once there is something to run: an idle loop must not starve runs that come back from a wait.
            let slot = tokio::select! {
                biased;
                () = shutdown.cancelled() => return,
                slot = async { if ready.await { Some(inner.workers.acquire().await) } else { None } } => slot,

            };
            if let Some(slot) = slot {
                Inner::start(&inner, slot);
            }
        }
    }
}

impl<R: Reconciler> Inner<R> {
    /// Starts the next run, if it is still wanted.
    fn start(self: &Arc<Self>, slot: OwnedSemaphorePermit) {
        let changed = CancellationToken::new();
        let next = self.shared.with(|state, now| match state.queue.next(now) {
            Step::Run(key, lane) => {
                state.changed.insert(key.clone(), changed.clone());
                let waited =
                    state.requested.remove(&key).map_or(Duration::ZERO, |since| now.saturating_sub(since));
                Some((key, lane, waited))
            }
            Step::SleepUntil(_) | Step::Idle => None,
        });
        let Some((key, lane, waited)) = next else { return };
        self.context.metrics.started(R::CONTROLLER, &key, waited);
        self.report_queue();
        let id = Uuid::new_v4();
        let kind = R::Object::kind(&());
        let span = tracing::info_span!(
            "reconcile", controller = R::CONTROLLER, group = %R::Object::group(&()), kind = %kind, namespace = key.namespace(), name = key.name(), reconcile_id = %id
        );
        let start = Start {
            context: self.context.clone(),
            id,
            lane,
            writer: Writer { manager: R::FIELD_MANAGER, owned: R::OWNED_CONDITIONS },
            changed,
            workers: self.workers.clone(),
            slot,
        };
        let inner = Arc::clone(self);
        self.context.tasks.spawn(async move { inner.supervise(&key, start).await }.instrument(span));
    }

    /// Drives one run to its end, whatever happens in it.
    async fn supervise(&self, key: &Key, start: Start) {
        let began = Instant::now();
        let Ended { next, outcome, gone } =
            match AssertUnwindSafe(self.drive(key, start)).catch_unwind().await {
                Ok(ended) => ended,
                Err(payload) => {
                    let panic = panic_text(payload.as_ref());
                    tracing::error!(error = format!("panic: {panic} [recovered]"), "Reconciler error");
                    self.context.metrics.panicked(R::CONTROLLER);
                    Ended::failed()
                }
            };
        let next = self.jittered(next);
        self.shared.with(|state, now| {
            state.changed.remove(key);
            state.queue.finished(key, next, now);
        });
        self.shared.wake.notify_one();
        self.count(key, next, outcome, began.elapsed());
        if gone {
            self.context.metrics.forget(R::CONTROLLER, &R::Object::kind(&()), key);
        }
        self.report_queue();
    }

    fn count(&self, key: &Key, next: Next, outcome: Outcome, took: Duration) {
        let metrics = &self.context.metrics;
        metrics.reconciled(R::CONTROLLER, &R::Object::kind(&()), key, outcome, took);
        match next {
            Next::Done if outcome == Outcome::Error => metrics.terminal_error(R::CONTROLLER),
            Next::Done => {}
            Next::Now => metrics.queued(R::CONTROLLER, false),
            Next::Interval(_) | Next::After(_) | Next::Backoff => metrics.queued(R::CONTROLLER, true),
        }
    }

    async fn drive(&self, key: &Key, start: Start) -> Ended {
        match self.observe(key).await {
            Ok(Some(object)) => self.reconcile(object, start).await,
            Ok(None) => Ended { next: Next::Done, outcome: Outcome::Success, gone: true },
            Err(error) => {
                tracing::error!(error = %crate::failure::chain(&error), "Reconciler error");
                Ended::failed()
            }
        }
    }

    /// Reads the object and sees to its finalizer; `None` if there is nothing to do for it.
    async fn observe(&self, key: &Key) -> Result<Option<R::Object>, kube::Error> {
        let api: Api<R::Object> = Api::namespaced(self.context.client.clone(), key.namespace());
        let Some(object) = api.get_opt(key.name()).await? else { return Ok(None) };
        match (object.meta().deletion_timestamp.is_some(), finalizer::is_present(&object)) {
            (true, false) => Ok(None),
            (_, true) => Ok(Some(object)),
            (false, false) => {
                let adopted = finalizer::add(&self.context.client, R::FIELD_MANAGER, object).await?;
                // Upstream ends the pass here and comes back through the rate limiter. We go straight on, but the gaps after
                // failures are those that a user knows. Contract: source-controller §2.1, kustomize-controller §2.3.
                self.shared.with(|state, _| state.queue.charge(key));
                Ok(adopted)
            }
        }
    }

    async fn reconcile(&self, mut object: R::Object, start: Start) -> Ended {
        let run = Run::new(start, &object);
        let deleting = object.meta().deletion_timestamp.is_some();
        let report = if deleting {
            self.reconciler.finalize(&run, &object).await
        } else {
            self.reconciler.reconcile(&run, &object).await
        };
        let Report { status, events, finalizer, next, outcome } = report;
        let written = match status {
            Some(status) => run.write_status(&object, &status).await,
            None => Ok(()),
        };
        for event in events {
            run.event(event);
        }
        let removed = match finalizer {
            Finalizer::Keep => Ok(None),
            Finalizer::Remove => {
                run.refresh(&mut object).await;
                finalizer::remove(&self.context.client, R::FIELD_MANAGER, object).await
            }
        };
        match (ignore_gone(written, deleting), removed) {
            (Ok(()), Ok(_)) => Ended { next, outcome, gone: finalizer == Finalizer::Remove },
            (Err(error), _) => failed(&error, "failed to update status"),
            (_, Err(error)) => failed(&error, "failed to remove the finalizer"),
        }
    }

    /// Varies an interval by the jitter flag, so that objects with equal intervals spread out; an interval of zero is none.
    fn jittered(&self, next: Next) -> Next {
        match next {
            Next::Interval(Duration::ZERO) | Next::After(Duration::ZERO) => Next::Done,
            Next::Interval(interval) => {
                let share = f64::from(self.options.interval_jitter_percentage.min(100)) / 100.0;
                Next::Interval(interval.mul_f64(1.0 + share * (2.0 * rand::random::<f64>() - 1.0)))
            }
            Next::Done | Next::After(_) | Next::Backoff | Next::Now => next,
        }
    }

    fn report_queue(&self) {
        let (depth, running) = self.shared.with(|state, _| (state.queue.depth(), state.queue.running()));
        self.context.metrics.queue(R::CONTROLLER, depth, running);
    }
}

/// How a run ended.
struct Ended {
    next: Next,
    outcome: Outcome,
    /// The object is no more; so go its series.
    gone: bool,
}

impl Ended {
    /// With an error that the backoff answers.
    fn failed() -> Self {
        Self { next: Next::Backoff, outcome: Outcome::Error, gone: false }
    }
}

fn failed(error: &dyn std::error::Error, what: &'static str) -> Ended {
    tracing::error!(error = format!("{what}: {}", crate::failure::chain(error)), "Reconciler error");
    Ended::failed()
}

/// An object that is being deleted may be gone before its last status arrives.
fn ignore_gone(written: Result<(), StatusError>, deleting: bool) -> Result<(), StatusError> {
    match written {
        Err(StatusError::Api { error }) if deleting && is_not_found(&error) => Ok(()),
        other => other,
    }
}

fn is_not_found(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 404)
}

#[cfg(test)]
mod tests;
