//! The families that every controller process has.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::Registry;
use super::background::Background;
use super::family::{Counter, Gauge, Histogram, Kind};
use super::process::Process;
use crate::key::Key;
use crate::report::Outcome;

/// Ten steps from 10 ms to half an hour.
const RECONCILE_BOUNDS: &[f64] = &[
    0.01,
    0.038_363_583_488_692_544,
    0.147_176_453_809_388_3,
    0.564_621_617_328_616_9,
    2.166_090_855_590_701,
    8.309_900_738_254_731,
    31.879_757_075_478_317,
    122.302_172_216_434_93,
    469.194_959_467_365_44,
    1_799.999_999_999_998_6,
];

/// Bounds of `controller_runtime_reconcile_time_seconds`.
const RUN_BOUNDS: &[f64] = &[
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25,
    1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 20.0, 25.0, 30.0, 40.0,
    50.0, 60.0,
];

/// Bounds of the work queue's histograms, rounding errors of the original included: they are part of the series' names.
const QUEUE_BOUNDS: &[f64] = &[
    1e-08,
    1e-07,
    1e-06,
    9.999_999_999_999_999e-06,
    9.999_999_999_999_999e-05,
    0.001,
    0.01,
    0.1,
    1.0,
    10.0,
    100.0,
    1000.0,
];

/// Families that stay at zero here but that every original process shows.
const ALWAYS_ZERO: [(&str, &str, Kind); 6] = [
    ("certwatcher_read_certificate_errors_total", "Total number of certificate read errors", Kind::Counter),
    ("certwatcher_read_certificate_total", "Total number of certificate reads", Kind::Counter),
    (
        "controller_runtime_conversion_webhook_panics_total",
        "Total number of conversion webhook panics",
        Kind::Counter,
    ),
    ("controller_runtime_webhook_panics_total", "Total number of webhook panics", Kind::Counter),
    ("gotk_token_cache_evictions_total", "Total number of cache evictions.", Kind::Counter),
    ("gotk_token_cached_items", "Total number of items in the cache.", Kind::Gauge),
];

/// The standard families.
#[derive(Debug)]
pub(super) struct Standard {
    pub(super) reconcile_duration: Histogram,
    pub(super) panics: Counter,
    pub(super) terminal_errors: Counter,
    pub(super) api_requests: Counter,
    pub(super) leader: Gauge,
    active: Gauge,
    max_concurrent: Gauge,
    results: Counter,
    errors: Counter,
    timeouts: Counter,
    run_time: Histogram,
    depth: Gauge,
    adds: Counter,
    retries: Counter,
    queue_time: Histogram,
    work_time: Histogram,
    unfinished: Gauge,
    longest: Gauge,
    background: Background,
    process: Process,
    running: Mutex<HashMap<&'static str, HashMap<Key, Instant>>>,
}

impl Standard {
    #[expect(clippy::too_many_lines, reason = "a flat table of families")]
    pub(super) fn register(registry: &Registry) -> Self {
        let counter = |name, help, labels| Counter(registry.family(name, help, labels, Kind::Counter));
        let gauge = |name, help, labels| Gauge(registry.family(name, help, labels, Kind::Gauge));
        let histogram = |name, help, labels, bounds| {
            Histogram(registry.family(name, help, labels, Kind::Histogram(bounds)))
        };
        for (name, help, kind) in ALWAYS_ZERO {
            Gauge(registry.family(name, help, &[], kind)).set(&[], 0.0);
        }
        Self {
            reconcile_duration: histogram(
                "gotk_reconcile_duration_seconds",
                "The duration in seconds of a GitOps Toolkit resource reconciliation.",
                &["kind", "name", "namespace"],
                RECONCILE_BOUNDS,
            ),
            panics: counter(
                "controller_runtime_reconcile_panics_total",
                "Total number of reconciliation panics per controller",
                &["controller"],
            ),
            terminal_errors: counter(
                "controller_runtime_terminal_reconcile_errors_total",
                "Total number of terminal reconciliation errors per controller",
                &["controller"],
            ),
            api_requests: counter(
                "rest_client_requests_total",
                "Number of HTTP requests, partitioned by status code, method, and host.",
                &["code", "host", "method"],
            ),
            leader: gauge(
                "leader_election_master_status",
                "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates \
                 master. 'name' is the string used to identify the lease. Please make sure to group by name.",
                &["name"],
            ),
            active: gauge(
                "controller_runtime_active_workers",
                "Number of currently used workers per controller",
                &["controller"],
            ),
            max_concurrent: gauge(
                "controller_runtime_max_concurrent_reconciles",
                "Maximum number of concurrent reconciles per controller",
                &["controller"],
            ),
            results: counter(
                "controller_runtime_reconcile_total",
                "Total number of reconciliations per controller",
                &["controller", "result"],
            ),
            errors: counter(
                "controller_runtime_reconcile_errors_total",
                "Total number of reconciliation errors per controller",
                &["controller"],
            ),
            timeouts: counter(
                "controller_runtime_reconcile_timeouts_total",
                "Total number of reconciliation timeouts per controller",
                &["controller"],
            ),
            run_time: histogram(
                "controller_runtime_reconcile_time_seconds",
                "Length of time per reconciliation per controller",
                &["controller"],
                RUN_BOUNDS,
            ),
            depth: gauge(
                "workqueue_depth",
                "Current depth of workqueue by workqueue and priority",
                &["controller", "name", "priority"],
            ),
            adds: counter(
                "workqueue_adds_total",
                "Total number of adds handled by workqueue",
                &["controller", "name"],
            ),
            retries: counter(
                "workqueue_retries_total",
                "Total number of items added to the workqueue with a non-zero delay (rate-limited requeues, explicit \
                 RequeueAfter or AddAfter calls)",
                &["controller", "name"],
            ),
            queue_time: histogram(
                "workqueue_queue_duration_seconds",
                "How long in seconds an item stays in workqueue before being requested",
                &["controller", "name"],
                QUEUE_BOUNDS,
            ),
            work_time: histogram(
                "workqueue_work_duration_seconds",
                "How long in seconds processing an item from workqueue takes.",
                &["controller", "name"],
                QUEUE_BOUNDS,
            ),
            unfinished: gauge(
                "workqueue_unfinished_work_seconds",
                "How many seconds of work has been done that is in progress and hasn't been observed by \
                 work_duration. Large values indicate stuck threads. One can deduce the number of stuck threads by \
                 observing the rate at which this increases.",
                &["controller", "name"],
            ),
            longest: gauge(
                "workqueue_longest_running_processor_seconds",
                "How many seconds has the longest running processor for workqueue been running.",
                &["controller", "name"],
            ),
            background: Background::register(registry),
            process: Process::register(registry),
            running: Mutex::default(),
        }
    }

    pub(super) fn controller(&self, controller: &'static str, max_concurrent: usize) {
        for outcome in [Outcome::Success, Outcome::Error, Outcome::Requeue, Outcome::RequeueAfter] {
            self.results.add(&[controller, result(outcome)], 0.0);
        }
        for counter in [&self.errors, &self.panics, &self.terminal_errors, &self.timeouts] {
            counter.add(&[controller], 0.0);
        }
        self.run_time.show(&[controller]);
        self.active.set(&[controller], 0.0);
        self.max_concurrent.set(&[controller], count(max_concurrent));
        let queue = [controller, controller];
        self.adds.add(&queue, 0.0);
        self.retries.add(&queue, 0.0);
        self.queue_time.show(&queue);
        self.work_time.show(&queue);
        self.running.lock().unwrap_or_else(PoisonError::into_inner).entry(controller).or_default();
    }

    pub(super) fn reconciled(&self, controller: &'static str, key: &Key, outcome: Outcome, took: Duration) {
        let seconds = took.as_secs_f64();
        self.results.inc(&[controller, result(outcome)]);
        if outcome == Outcome::Error {
            self.errors.inc(&[controller]);
        }
        self.run_time.observe(&[controller], seconds);
        self.work_time.observe(&[controller, controller], seconds);
        self.ended(controller, key);
    }

    pub(super) fn queue(&self, controller: &'static str, depth: usize, running: usize) {
        self.depth.set(&[controller, controller, "0"], count(depth));
        self.active.set(&[controller], count(running));
    }

    pub(super) fn queued(&self, controller: &'static str, retry: bool) {
        let counter = if retry { &self.retries } else { &self.adds };
        counter.inc(&[controller, controller]);
    }

    pub(super) fn started(&self, controller: &'static str, key: &Key, waited: Duration) {
        self.queue_time.observe(&[controller, controller], waited.as_secs_f64());
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.entry(controller).or_default().insert(key.clone(), Instant::now());
    }

    pub(super) fn ended(&self, controller: &'static str, key: &Key) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(keys) = running.get_mut(controller) {
            keys.remove(key);
        }
    }

    /// Brings the values up to date that nobody reports when they change.
    pub(super) fn refresh(&self) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        for (controller, keys) in running.iter() {
            let ages = || keys.values().map(|since| since.elapsed().as_secs_f64());
            self.unfinished.set(&[controller, controller], ages().sum());
            self.longest.set(&[controller, controller], ages().fold(0.0, f64::max));
        }
        drop(running);
        self.background.refresh();
        self.process.refresh();
    }
}

fn result(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Success => "success",
        Outcome::Error => "error",
        Outcome::RequeueAfter => "requeue_after",
        Outcome::Requeue => "requeue",
    }
}

/// Counts of keys and workers are far below the integers that an `f64` can't hold.
pub(super) fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::from(u32::MAX), f64::from)
}
