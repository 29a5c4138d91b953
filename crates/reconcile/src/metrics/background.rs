//! Failures of what runs in the background, counted for the process as a whole, as the kernel counts its CPU time: a watch
//! knows its kind, but of no registry.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::Registry;
use super::family::{Counter, Kind};

/// Failures by task: a handful of names that are known at build time, and the watched kinds.
static FAILURES: Mutex<BTreeMap<String, u32>> = Mutex::new(BTreeMap::new());

/// Counts a task that panicked, or that ended although it shouldn't have.
pub(crate) fn count_failure(task: &str) {
    let mut failures = FAILURES.lock().unwrap_or_else(PoisonError::into_inner);
    let count = failures.entry(task.to_owned()).or_default();
    *count = count.saturating_add(1);
}

/// The family of these numbers.
#[derive(Debug)]
pub(super) struct Background(Counter);

impl Background {
    pub(super) fn register(registry: &Registry) -> Self {
        let (name, help) = (
            "millrace_background_failures_total",
            "Total number of background tasks that panicked, or that ended before the process.",
        );
        Self(Counter(registry.family(name, help, &["task"], Kind::Counter)))
    }

    /// Shows the current values.
    pub(super) fn refresh(&self) {
        for (task, count) in FAILURES.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            self.0.set(&[task], f64::from(*count));
        }
    }
}
