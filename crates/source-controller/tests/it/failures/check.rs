//! Compares what an object shows with its row.

use millrace_api::source::v1::GitRepository;
use millrace_harness::until;
use millrace_reconcile::events::Severity;

use super::rows::{Class, Row};
use crate::bench::{Bench, LIMIT};

/// The attempts that show that an object is tried again.
const ATTEMPTS: usize = 3;

/// Waits until an object shows what its row says.
pub(super) async fn row(bench: &Bench, row: &Row) -> Result<(), String> {
    let api = bench.api();
    let mut last = String::new();
    let shown = until(&row.name, LIMIT, async || {
        let object = api.get(&row.name).await.unwrap();
        last = differences(bench, row, &object).join(", ");
        last.is_empty().then_some(())
    });
    let outcome = shown.await;
    outcome.map_err(|_| last)
}

fn differences(bench: &Bench, row: &Row, object: &GitRepository) -> Vec<String> {
    let mut differences = Vec::new();
    let mut equal = |what: &str, seen: String, expected: String| {
        if seen != expected {
            differences.push(format!("{what} is {seen}, not {expected}"));
        }
    };
    let status = object.status.clone().unwrap_or_default();
    let conditions = status.conditions.iter().filter(|condition| condition.type_ != "Reconciling");
    let mut seen: Vec<_> = conditions
        .map(|condition| {
            (&*condition.type_, format!("{} {}: {}", condition.status, condition.reason, condition.message))
        })
        .collect();
    seen.sort_unstable();
    let failed = format!("{}: {}", row.reason, row.message);
    let mut expected = match row.condition {
        Some(condition) => vec![(condition, format!("True {failed}")), ("Ready", format!("False {failed}"))],
        None => vec![("Ready", format!("False ProgressingWithRetry: {}", row.progress))],
    };
    if row.class == Class::Stalled {
        expected.push(("Stalled", format!("True {failed}")));
    }
    expected.sort_unstable();
    equal("the list of conditions", format!("{seen:?}"), format!("{expected:?}"));

    let reconciling = status.conditions.iter().find(|condition| condition.type_ == "Reconciling");
    let reconciling = reconciling.map(|condition| (&*condition.status, &*condition.reason));
    let (retrying, observed) = match row.class {
        Class::Stalled => (None, object.metadata.generation),
        Class::Retried | Class::Waiting => (Some(("True", "ProgressingWithRetry")), Some(-1)),
    };
    equal("Reconciling", format!("{reconciling:?}"), format!("{retrying:?}"));
    equal("observedGeneration", format!("{:?}", status.observed_generation), format!("{observed:?}"));
    equal("artifact", format!("{:?}", status.artifact), "None".to_owned());

    let events = bench.events(&row.name);
    let (severity, count) = match row.class {
        Class::Stalled => (Severity::Error, 1),
        Class::Retried => (Severity::Error, events.len().max(ATTEMPTS)),
        Class::Waiting => (Severity::Trace, events.len().max(ATTEMPTS)),
    };
    equal("the number of events", events.len().to_string(), count.to_string());
    let expected = (severity, row.reason, &*row.message);
    let other = events.iter().map(|event| (event.severity, event.reason.as_str(), &*event.message));
    if let Some(other) = other.into_iter().find(|told| *told != expected) {
        equal("an event", format!("{other:?}"), format!("{expected:?}"));
    }
    if let Some(event) = events.iter().find(|event| !event.metadata.is_empty()) {
        equal("the metadata of an event", format!("{:?}", event.metadata), "empty".to_owned());
    }
    differences
}
