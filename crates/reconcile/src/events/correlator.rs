//! What becomes of similar events, as client-go decides it: repeats raise a count, a series is folded into one, and floods
//! are cut off. Pure: time is an argument.

use std::collections::VecDeque;

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use super::core::Draft;
use super::recent::Recent;

/// Objects, series and messages that are remembered, each.
const REMEMBERED: usize = 4096;

/// From so many different messages of one reason on, a series is folded.
const SERIES_LIMIT: usize = 10;

/// A series ends when nothing happens for so long.
const SERIES_PAUSE_SECONDS: f64 = 600.0;

/// Events about one object that are let through at once.
const BURST: f64 = 25.0;

/// Events about one object that are let through in the long run.
const PER_SECOND: f64 = 1.0 / 300.0;

/// What a folded event's message begins with.
const FOLDED_PREFIX: &str = "(combined from similar events): ";

/// A digest of what makes events equal, similar, or of one object.
type Key = u128;

/// An event after correlation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Correlated {
    /// What to write; its name is that of the first of its kind.
    pub(super) draft: Draft,
    /// How often it has happened; the first is created, further ones change it.
    pub(super) count: i32,
    /// When it happened first.
    pub(super) first: Timestamp,
    /// Whether it stands for a series; then it names no reporting controller.
    pub(super) folded: bool,
}

/// The memory about past events.
#[derive(Debug)]
pub(super) struct Correlator {
    series: Recent<Key, Series>,
    known: Recent<Key, Known>,
    buckets: Recent<Key, Bucket>,
}

/// Events that differ by their message alone.
#[derive(Debug, Default)]
struct Series {
    messages: VecDeque<Key>,
    last: Option<Timestamp>,
}

/// An Event that was written.
#[derive(Debug, Default)]
struct Known {
    count: i32,
    first: Option<Timestamp>,
    name: String,
}

#[derive(Debug)]
struct Bucket {
    tokens: f64,
    filled: Timestamp,
}

impl Correlator {
    pub(super) fn new() -> Self {
        Self {
            series: Recent::new(REMEMBERED),
            known: Recent::new(REMEMBERED),
            buckets: Recent::new(REMEMBERED),
        }
    }

    /// Decides what to write for an event; `None` if it is one too many.
    pub(super) fn correlate(&mut self, draft: Draft, now: Timestamp) -> Option<Correlated> {
        let (draft, key, folded) = self.fold(draft, now);
        let correlated = self.count(draft, key, folded);
        self.let_through(&correlated.draft, now).then_some(correlated)
    }

    /// Replaces an event that continues a series by the one that stands for it.
    fn fold(&mut self, mut draft: Draft, now: Timestamp) -> (Draft, Key, bool) {
        let similar = similar_key(&draft);
        let message = digest(&[&draft.message]);
        let series = self.series.entry(similar, Series::default);
        if series.last.is_none_or(|last| seconds_between(last, now) > SERIES_PAUSE_SECONDS) {
            series.messages.clear();
        }
        if !series.messages.contains(&message) {
            series.messages.push_back(message);
        }
        series.last = Some(now);
        if series.messages.len() < SERIES_LIMIT {
            let key = equal_key(&draft);
            return (draft, key, false);
        }
        series.messages.pop_front();
        draft.message.insert_str(0, FOLDED_PREFIX);
        draft.annotations.clear();
        (draft, similar, true)
    }

    /// Counts the event; a repeat takes over name and first time of the first.
    fn count(&mut self, mut draft: Draft, key: Key, folded: bool) -> Correlated {
        let known = self.known.entry(key, Known::default);
        known.count = known.count.saturating_add(1);
        let first = *known.first.get_or_insert(draft.at);
        if known.count > 1 {
            draft.name.clone_from(&known.name);
        } else {
            known.name.clone_from(&draft.name);
        }
        Correlated { draft, count: known.count, first, folded }
    }

    fn let_through(&mut self, draft: &Draft, now: Timestamp) -> bool {
        let bucket = self.buckets.entry(object_key(draft), || Bucket { tokens: BURST, filled: now });
        let gained = seconds_between(bucket.filled, now).max(0.0) * PER_SECOND;
        bucket.tokens = (bucket.tokens + gained).min(BURST);
        bucket.filled = now;
        if bucket.tokens < 1.0 {
            return false;
        }
        bucket.tokens -= 1.0;
        true
    }
}

fn seconds_between(from: Timestamp, to: Timestamp) -> f64 {
    to.duration_since(from).as_secs_f64()
}

/// Equal events are one Event with a count.
fn equal_key(draft: &Draft) -> Key {
    let field_path = draft.about.field_path.as_deref().unwrap_or_default();
    digest(&[&object_key(draft).to_string(), field_path, draft.reason, &draft.message])
}

/// Similar events, which differ by message, are one series.
fn similar_key(draft: &Draft) -> Key {
    digest(&[&object_key(draft).to_string(), draft.reason])
}

/// Source, object and type: what a flood is measured by.
fn object_key(draft: &Draft) -> Key {
    let about = &draft.about;
    let text = |field: &'_ Option<String>| field.clone().unwrap_or_default();
    digest(&[
        &draft.component,
        &text(&about.kind),
        &text(&about.namespace),
        &text(&about.name),
        &text(&about.uid),
        &text(&about.api_version),
        draft.kind(),
    ])
}

fn digest(parts: &[&str]) -> Key {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let bytes = hash.finalize();
    bytes.iter().take(16).fold(0, |key, byte| key << 8 | Key::from(*byte))
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use k8s_openapi::api::core::v1::ObjectReference;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_secs(1_700_000_000 + seconds)
    }

    fn draft(number: usize, message: &str, seconds: i64) -> Draft {
        Draft {
            name: format!("apps.{number}"),
            component: "kustomize-controller".to_owned(),
            about: ObjectReference {
                kind: Some("Kustomization".to_owned()),
                namespace: Some("t1".to_owned()),
                name: Some("apps".to_owned()),
                uid: Some("u".to_owned()),
                ..ObjectReference::default()
            },
            annotations: [("k".to_owned(), number.to_string())].into(),
            warning: false,
            reason: "ReconciliationSucceeded",
            message: message.to_owned(),
            at: at(seconds),
        }
    }

    fn correlate(
        correlator: &mut Correlator,
        number: usize,
        message: &str,
        seconds: i64,
    ) -> Option<Correlated> {
        correlator.correlate(draft(number, message, seconds), at(seconds))
    }

    #[test]
    fn a_repeat_raises_the_count_of_the_first_and_keeps_its_name() {
        let mut correlator = Correlator::new();
        let first = correlate(&mut correlator, 1, "same", 0).expect("first");
        let second = correlate(&mut correlator, 2, "same", 60).expect("second");
        assert_eq!((first.count, first.draft.name.as_str()), (1, "apps.1"));
        assert_eq!((second.count, second.draft.name.as_str(), second.first), (2, "apps.1", at(0)));
        assert_eq!(second.draft.at, at(60));
    }

    #[test]
    fn another_type_reason_or_object_is_another_event() {
        let mut correlator = Correlator::new();
        correlator.correlate(draft(1, "same", 0), at(0)).expect("first");
        let variants: [fn(&mut Draft); 4] = [
            |draft| draft.warning = true,
            |draft| draft.reason = "Progressing",
            |draft| draft.about.uid = Some("other".to_owned()),
            |draft| draft.component = "source-controller".to_owned(),
        ];
        for change in variants {
            let mut other = draft(2, "same", 0);
            change(&mut other);
            assert_eq!(correlator.correlate(other, at(0)).expect("other").count, 1);
        }
    }

    #[test]
    fn the_tenth_message_of_a_reason_folds_the_series() {
        let mut correlator = Correlator::new();
        for number in 1..10 {
            let plain = correlate(&mut correlator, number, &format!("took {number}ms"), 0).expect("plain");
            assert!(!plain.folded, "{number}");
        }
        let tenth = correlate(&mut correlator, 10, "took 10ms", 5).expect("tenth");
        assert!(tenth.folded && tenth.draft.annotations.is_empty());
        assert_eq!(tenth.draft.message, "(combined from similar events): took 10ms");
        assert_eq!((tenth.count, tenth.draft.name.as_str()), (1, "apps.10"));
        let eleventh = correlate(&mut correlator, 11, "took 11ms", 6).expect("eleventh");
        assert_eq!((eleventh.count, eleventh.draft.name.as_str(), eleventh.first), (2, "apps.10", at(5)));
        assert_eq!(eleventh.draft.message, "(combined from similar events): took 11ms");
    }

    #[test]
    fn a_series_ends_after_ten_quiet_minutes() {
        let mut correlator = Correlator::new();
        for number in 1..=9 {
            correlate(&mut correlator, number, &format!("{number}"), 0).expect("plain");
        }
        let within = correlator.correlate(draft(10, "ten", 600), at(600)).expect("within");
        assert!(within.folded);
        let after = correlator.correlate(draft(11, "eleven", 1201), at(1201)).expect("after");
        assert!(!after.folded);
    }

    #[test]
    fn a_flood_is_cut_off_after_25_and_then_one_passes_per_5_minutes() {
        let mut correlator = Correlator::new();
        let passed =
            (0..40).filter(|number| correlate(&mut correlator, *number, "same", 0).is_some()).count();
        assert_eq!(passed, 25);
        assert!(correlate(&mut correlator, 41, "same", 299).is_none());
        // What was cut off has been counted all the same.
        assert_eq!(correlate(&mut correlator, 42, "same", 300).expect("one more").count, 42);
        assert!(correlate(&mut correlator, 43, "same", 301).is_none());
        let mut warning = draft(44, "other type", 301);
        warning.warning = true;
        assert!(correlator.correlate(warning, at(301)).is_some());
    }
}
