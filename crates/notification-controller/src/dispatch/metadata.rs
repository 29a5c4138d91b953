//! The metadata a provider sees: the event's, the alert's, and who wins.
//!
//! Contract: notification-controller §2.8.

use std::collections::BTreeMap;

use millrace_api::notification::v1beta3::AlertSpec;
use serde::Serialize;

use crate::event::{EVENT_GROUP, Event};

const ANNOTATIONS: &str = "involved object annotations";
const EVENT_METADATA: &str = "Alert object .spec.eventMetadata";
const SUMMARY: &str = "Alert object .spec.summary";
const CONTROLLER: &str = "involved object controller metadata";

/// A key that more than one source sets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// The key.
    pub key: String,
    /// Who sets it, the winner last.
    pub sources: Vec<&'static str>,
}

/// Replaces the metadata of `event` by what a provider should see, and returns the keys in dispute, sorted.
///
/// Later sources win: annotations of the object, the alert's `eventMetadata`, its `summary`, the controller.
pub(super) fn combine(event: &mut Event, alert: &AlertSpec) -> Vec<Conflict> {
    let mut values = BTreeMap::new();
    let mut sources: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
    let mut put = |key: &str, value: &str, source| {
        values.insert(key.to_owned(), value.to_owned());
        sources.entry(key.to_owned()).or_default().push(source);
    };
    let own = format!("{}/", event.involved_object.group());
    for (key, value) in prefixed(&event.metadata, &format!("{EVENT_GROUP}/")) {
        put(key, value, ANNOTATIONS);
    }
    for (key, value) in &alert.event_metadata {
        put(key, value, EVENT_METADATA);
    }
    if let Some(summary) = alert.summary.as_deref().filter(|summary| !summary.is_empty()) {
        put("summary", summary, SUMMARY);
    }
    for (key, value) in prefixed(&event.metadata, &own) {
        put(key, value, CONTROLLER);
    }
    event.metadata = values;
    sources
        .into_iter()
        .filter(|(_, sources)| sources.len() > 1)
        .map(|(key, sources)| Conflict { key, sources })
        .collect()
}

fn prefixed<'a>(
    metadata: &'a BTreeMap<String, String>,
    prefix: &'a str,
) -> impl Iterator<Item = (&'a str, &'a str)> {
    metadata.iter().filter_map(move |(key, value)| Some((key.strip_prefix(prefix)?, value.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::fixtures::{D1, e1};

    fn alert(pairs: &[(&str, &str)], summary: Option<&str>) -> AlertSpec {
        AlertSpec {
            event_metadata: pairs
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
                .collect(),
            summary: summary.map(str::to_owned),
            ..AlertSpec::default()
        }
    }

    #[test]
    fn the_example_event_and_alert_give_the_example_notification() {
        let mut event = e1();
        assert_eq!(combine(&mut event, &alert(&[("cluster", "prod-1")], None)), []);
        assert_eq!(String::from_utf8(event.encode()).unwrap(), D1);
    }

    /// NC-036, NC-037, NC-038
    #[test]
    fn the_later_source_wins_and_the_conflict_is_told() {
        let mut event = e1();
        event.metadata.insert("event.toolkit.fluxcd.io/env".into(), "x".into());
        let alert = alert(&[("env", "y"), ("revision", "z"), ("summary", "T")], Some("S"));
        let conflicts = combine(&mut event, &alert);
        let told: Vec<_> = conflicts.iter().map(|c| (c.key.as_str(), c.sources.join(", "))).collect();
        assert_eq!(
            told,
            [
                ("env", "involved object annotations, Alert object .spec.eventMetadata".to_owned()),
                (
                    "revision",
                    "Alert object .spec.eventMetadata, involved object controller metadata".to_owned()
                ),
                ("summary", "Alert object .spec.eventMetadata, Alert object .spec.summary".to_owned()),
            ]
        );
        assert_eq!(event.metadata["env"], "y");
        assert_eq!(event.metadata["summary"], "S");
        assert!(event.metadata["revision"].starts_with("main@"));
    }

    /// NC-039
    #[test]
    fn without_any_source_there_is_no_metadata() {
        let mut event = e1();
        event.metadata.clear();
        combine(&mut event, &alert(&[], None));
        assert!(!String::from_utf8(event.encode()).unwrap().contains("metadata"));
    }

    #[test]
    fn only_the_first_prefix_is_taken_off() {
        let mut event = e1();
        event.metadata = [("kustomize.toolkit.fluxcd.io/aa/bb".to_owned(), "v".to_owned())].into();
        combine(&mut event, &alert(&[], None));
        assert_eq!(event.metadata.keys().collect::<Vec<_>>(), ["aa/bb"]);
    }
}
