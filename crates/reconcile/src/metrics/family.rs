//! Families of series: one name, one set of labels, one value per combination of label values.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

/// What the series of a family are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// They only grow.
    Counter,
    /// They go up and down.
    Gauge,
    /// They count observations by size, with these upper bounds.
    Histogram(&'static [f64]),
}

/// The value of one series.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// Of a counter or gauge.
    Number(f64),
    /// Of a histogram.
    Distribution {
        /// Observations per bucket, the last one being beyond all bounds.
        counts: Box<[u64]>,
        /// The sum of all observations.
        sum: f64,
    },
}

/// One family; series are kept under their printed labels, so that a scrape only copies text.
#[derive(Debug)]
pub(super) struct Family {
    name: &'static str,
    help: &'static str,
    labels: &'static [&'static str],
    kind: Kind,
    series: Mutex<BTreeMap<Box<str>, Value>>,
}

impl Family {
    pub(super) fn new(
        name: &'static str,
        help: &'static str,
        labels: &'static [&'static str],
        kind: Kind,
    ) -> Self {
        Self { name, help, labels, kind, series: Mutex::default() }
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn help(&self) -> &'static str {
        self.help
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    /// A copy of all series, so that printing holds no lock.
    pub(super) fn series(&self) -> BTreeMap<Box<str>, Value> {
        self.series.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn update(&self, values: &[&str], change: impl FnOnce(&mut Value)) {
        let labels = self.printed(values);
        let mut series = self.series.lock().unwrap_or_else(PoisonError::into_inner);
        change(series.entry(labels.into()).or_insert_with(|| self.zero()));
    }

    fn remove(&self, values: &[&str]) {
        let labels = self.printed(values);
        self.series.lock().unwrap_or_else(PoisonError::into_inner).remove(labels.as_str());
    }

    fn zero(&self) -> Value {
        match self.kind {
            Kind::Counter | Kind::Gauge => Value::Number(0.0),
            Kind::Histogram(bounds) => {
                Value::Distribution { counts: vec![0; bounds.len() + 1].into(), sum: 0.0 }
            }
        }
    }

    /// The labels as they stand between the braces.
    fn printed(&self, values: &[&str]) -> String {
        debug_assert_eq!(self.labels.len(), values.len(), "{} takes {:?}", self.name, self.labels);
        let mut text = String::new();
        for (label, value) in self.labels.iter().zip(values) {
            let separator = if text.is_empty() { "" } else { "," };
            let value = value.replace('\\', "\\\\").replace('\n', "\\n").replace('"', "\\\"");
            write!(text, "{separator}{label}=\"{value}\"").expect("writing to a string can't fail");
        }
        text
    }
}

/// A family of counters.
#[derive(Clone, Debug)]
pub struct Counter(pub(super) Arc<Family>);

impl Counter {
    /// Adds one to the series with these label values.
    pub fn inc(&self, values: &[&str]) {
        self.add(values, 1.0);
    }

    /// Adds `amount`; zero makes the series visible.
    pub fn add(&self, values: &[&str], amount: f64) {
        self.0.update(values, |value| {
            if let Value::Number(number) = value {
                *number += amount;
            }
        });
    }

    /// Sets a count that something else keeps, such as the kernel.
    pub(super) fn set(&self, values: &[&str], count: f64) {
        Gauge(Arc::clone(&self.0)).set(values, count);
    }

    /// Forgets a series.
    pub fn remove(&self, values: &[&str]) {
        self.0.remove(values);
    }
}

/// A family of gauges.
#[derive(Clone, Debug)]
pub struct Gauge(pub(super) Arc<Family>);

impl Gauge {
    /// Sets the series with these label values.
    pub fn set(&self, values: &[&str], level: f64) {
        self.0.update(values, |value| *value = Value::Number(level));
    }

    /// Changes the series by `difference`.
    pub fn add(&self, values: &[&str], difference: f64) {
        Counter(Arc::clone(&self.0)).add(values, difference);
    }

    /// Forgets a series.
    pub fn remove(&self, values: &[&str]) {
        self.0.remove(values);
    }
}

/// A family of histograms.
#[derive(Clone, Debug)]
pub struct Histogram(pub(super) Arc<Family>);

impl Histogram {
    /// Counts one observation.
    pub fn observe(&self, values: &[&str], observed: f64) {
        let Kind::Histogram(bounds) = self.0.kind else { return };
        let bucket = bounds.partition_point(|bound| *bound < observed);
        self.0.update(values, |value| {
            if let Value::Distribution { counts, sum } = value {
                counts[bucket] += 1;
                *sum += observed;
            }
        });
    }

    /// Makes a series visible before its first observation.
    pub fn show(&self, values: &[&str]) {
        self.0.update(values, |_| {});
    }

    /// Forgets a series.
    pub fn remove(&self, values: &[&str]) {
        self.0.remove(values);
    }
}
