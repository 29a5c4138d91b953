//! Metrics under the names that dashboards use.
//!
//! Owns the process's families and the text that `/metrics` serves. Names, help, labels and buckets are those of the
//! original controllers, and so is the text format, down to how numbers are printed: see `text` for why it
//! is written here. Contract: cli §B3.1, source-controller §6.2, kustomize-controller §8.6.

pub(crate) mod background;
mod family;
mod process;
mod standard;
pub(crate) mod text;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use family::{Counter, Gauge, Histogram};
use family::{Family, Kind};
use standard::Standard;
pub(crate) use text::CONTENT_TYPE;

use crate::key::Key;
use crate::report::Outcome;

/// Kinds whose runs upstream doesn't time per object.
const UNTIMED_KINDS: [&str; 2] = ["Alert", "Provider"];

/// Counters and histograms of one process; clones share them.
#[derive(Clone, Debug)]
pub struct Metrics {
    registry: Registry,
    standard: Arc<Standard>,
}

/// The families of a process, in the order of their names.
#[derive(Clone, Debug, Default)]
struct Registry(Arc<Mutex<Vec<Arc<Family>>>>);

impl Registry {
    /// Adds a family; the one of that name is returned if there is one already.
    fn family(
        &self,
        name: &'static str,
        help: &'static str,
        labels: &'static [&'static str],
        kind: Kind,
    ) -> Arc<Family> {
        let mut families = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match families.binary_search_by(|family| family.name().cmp(name)) {
            Ok(at) => Arc::clone(&families[at]),
            Err(at) => {
                let family = Arc::new(Family::new(name, help, labels, kind));
                families.insert(at, Arc::clone(&family));
                family
            }
        }
    }
}

impl Default for Metrics {
    fn default() -> Self {
        let registry = Registry::default();
        let standard = Arc::new(Standard::register(&registry));
        Self { registry, standard }
    }
}

impl Metrics {
    /// Adds a family of counters; `name` ends in `_total`, `labels` are sorted.
    pub fn counter(
        &self,
        name: &'static str,
        help: &'static str,
        labels: &'static [&'static str],
    ) -> Counter {
        Counter(self.registry.family(name, help, labels, Kind::Counter))
    }

    /// Adds a family of gauges; `labels` are sorted.
    pub fn gauge(&self, name: &'static str, help: &'static str, labels: &'static [&'static str]) -> Gauge {
        Gauge(self.registry.family(name, help, labels, Kind::Gauge))
    }

    /// Adds a family of histograms with these upper bounds, `+Inf` excluded; `labels` are sorted.
    pub fn histogram(
        &self,
        name: &'static str,
        help: &'static str,
        labels: &'static [&'static str],
        bounds: &'static [f64],
    ) -> Histogram {
        Histogram(self.registry.family(name, help, labels, Kind::Histogram(bounds)))
    }

    /// Shows a controller with all its series at zero, before its first run.
    pub fn controller(&self, controller: &'static str, max_concurrent: usize) {
        self.standard.controller(controller, max_concurrent);
    }

    /// Counts a finished run.
    pub fn reconciled(
        &self,
        controller: &'static str,
        kind: &str,
        key: &Key,
        outcome: Outcome,
        took: Duration,
    ) {
        self.standard.reconciled(controller, key, outcome, took);
        if !UNTIMED_KINDS.contains(&kind) {
            self.standard
                .reconcile_duration
                .observe(&[kind, key.name(), key.namespace()], took.as_secs_f64());
        }
    }

    /// Counts a run that ended in a panic, besides [`Self::reconciled`].
    pub fn panicked(&self, controller: &'static str) {
        self.standard.panics.inc(&[controller]);
    }

    /// Counts a failure that only an edit can mend and that is reported as an error, besides [`Self::reconciled`].
    pub fn terminal_error(&self, controller: &'static str) {
        self.standard.terminal_errors.inc(&[controller]);
    }

    /// Shows how long the queue is and how many runs are under way.
    pub fn queue(&self, controller: &'static str, depth: usize, running: usize) {
        self.standard.queue(controller, depth, running);
    }

    /// Counts a key that was put into the queue; `retry` if it waits out a delay first.
    pub fn queued(&self, controller: &'static str, retry: bool) {
        self.standard.queued(controller, retry);
    }

    /// Notes that a run begins after its key had waited for `waited`; [`Self::reconciled`] notes its end.
    pub fn started(&self, controller: &'static str, key: &Key, waited: Duration) {
        self.standard.started(controller, key, waited);
    }

    /// Forgets the series of a deleted object.
    pub fn forget(&self, controller: &'static str, kind: &str, key: &Key) {
        self.standard.ended(controller, key);
        self.standard.reconcile_duration.remove(&[kind, key.name(), key.namespace()]);
    }

    /// Counts a request to an API server; `code` is the status, or `<error>` without an answer.
    pub fn api_request(&self, code: &str, host: &str, method: &str) {
        self.standard.api_requests.inc(&[code, host, method]);
    }

    /// Shows whether this process holds the lease `name`.
    pub fn leader(&self, name: &str, leading: bool) {
        self.standard.leader.set(&[name], f64::from(u8::from(leading)));
    }

    /// Everything, in the Prometheus text format.
    pub fn render(&self) -> String {
        self.standard.refresh();
        let families = self.registry.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        text::render(&families)
    }
}

#[cfg(test)]
mod tests;
