//! Rules by which the condition list of a status changes.
//!
//! Pure: a list goes in, a list comes out; the time is an argument. Which condition follows from what is the
//! business of each controller.
//!
//! Contract: source-controller §2.3, kustomize-controller §2.2.

use std::cmp::Ordering;

use jiff::Timestamp;

use super::Condition;
use super::time::whole_seconds;

/// The summary of an object.
pub const READY: &str = "Ready";
/// Work is in progress or will be tried again; only present while true.
pub const RECONCILING: &str = "Reconciling";
/// Only an edit can help; only present while true.
pub const STALLED: &str = "Stalled";
/// Whether what a Kustomization applied is healthy.
pub const HEALTHY: &str = "Healthy";

/// The longest message in bytes that the CRDs accept.
pub const MAX_MESSAGE_BYTES: usize = 32_768;

/// The three values of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// It is so.
    True,
    /// It isn't so.
    False,
    /// Nobody knows yet.
    Unknown,
}

impl Status {
    /// The text in the object.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }

    /// The status of a condition; whatever isn't `True` or `False` is `Unknown`.
    pub fn of(condition: &Condition) -> Self {
        match condition.status.as_str() {
            "True" => Self::True,
            "False" => Self::False,
            _ => Self::Unknown,
        }
    }
}

/// What a condition should say; when and for which generation follows from [`set`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The type.
    pub type_: &'a str,
    /// The value.
    pub status: Status,
    /// The reason.
    pub reason: &'a str,
    /// The message, of any length.
    pub message: &'a str,
}

/// Returns the condition of a type.
pub fn get<'a>(conditions: &'a [Condition], type_: &str) -> Option<&'a Condition> {
    conditions.iter().find(|condition| condition.type_ == type_)
}

/// Whether the condition of a type is there and has this status.
pub fn is(conditions: &[Condition], type_: &str, status: Status) -> bool {
    get(conditions, type_).is_some_and(|condition| Status::of(condition) == status)
}

/// Whether the condition of a type is there and `True`.
pub fn is_true(conditions: &[Condition], type_: &str) -> bool {
    is(conditions, type_, Status::True)
}

/// Removes the condition of a type, if it is there.
pub fn delete(conditions: &mut Vec<Condition>, type_: &str) {
    conditions.retain(|condition| condition.type_ != type_);
}

/// Adds or replaces a condition and puts the list in order.
///
/// The condition gets the object's generation. Its transition time becomes `now`, cut to whole seconds, if status,
/// reason or message differ from before (the Kubernetes convention counts only the status; kstatus and the original
/// controllers' users rely on this). Too long messages are cut.
pub fn set(conditions: &mut Vec<Condition>, entry: Entry<'_>, generation: i64, now: Timestamp) {
    let message = cut_message(entry.message);
    let unchanged = |old: &Condition| {
        old.status == entry.status.as_str() && old.reason == entry.reason && old.message == message
    };
    let last_transition_time = match get(conditions, entry.type_) {
        Some(old) if unchanged(old) => old.last_transition_time.clone(),
        _ => whole_seconds(now),
    };
    let condition = Condition {
        last_transition_time,
        message,
        observed_generation: Some(generation),
        reason: entry.reason.to_owned(),
        status: entry.status.as_str().to_owned(),
        type_: entry.type_.to_owned(),
    };
    match conditions.iter_mut().find(|old| old.type_ == entry.type_) {
        Some(old) => *old = condition,
        None => conditions.push(condition),
    }
    sort(conditions);
}

/// Marks an object as being worked on; what was stalled no longer is.
pub fn mark_reconciling(
    conditions: &mut Vec<Condition>,
    reason: &str,
    message: &str,
    generation: i64,
    now: Timestamp,
) {
    delete(conditions, STALLED);
    set(conditions, Entry { type_: RECONCILING, status: Status::True, reason, message }, generation, now);
}

/// Marks an object as stuck until somebody edits it; nothing is in progress any more.
pub fn mark_stalled(
    conditions: &mut Vec<Condition>,
    reason: &str,
    message: &str,
    generation: i64,
    now: Timestamp,
) {
    delete(conditions, RECONCILING);
    set(conditions, Entry { type_: STALLED, status: Status::True, reason, message }, generation, now);
}

/// Puts a list in the order users see: `Stalled`, `Reconciling`, `Ready`, then newest generation first, then by type.
pub fn sort(conditions: &mut [Condition]) {
    conditions.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| tie(a, b)));
}

fn rank(condition: &Condition) -> u8 {
    match condition.type_.as_str() {
        STALLED => 0,
        RECONCILING => 1,
        READY => 2,
        _ => 3,
    }
}

fn tie(a: &Condition, b: &Condition) -> Ordering {
    let generation = |c: &Condition| c.observed_generation.unwrap_or(0);
    generation(b).cmp(&generation(a)).then_with(|| a.type_.cmp(&b.type_))
}

/// Cuts a message to what the CRDs accept, ending in `...` if something is missing.
///
/// The original cuts at the byte; here a character that doesn't fit whole is left out, for a status must be UTF-8.
pub fn cut_message(message: &str) -> String {
    if message.len() <= MAX_MESSAGE_BYTES {
        return message.to_owned();
    }
    let end = message.floor_char_boundary(MAX_MESSAGE_BYTES - 3);
    format!("{}...", &message[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_millisecond(second * 1000 + 700).unwrap()
    }

    fn ready(message: &str) -> Entry<'_> {
        Entry { type_: READY, status: Status::True, reason: "Succeeded", message }
    }

    #[test]
    fn an_equal_condition_keeps_its_transition_time_and_gets_the_new_generation() {
        let mut list = vec![];
        set(&mut list, ready("done"), 1, at(10));
        set(&mut list, ready("done"), 2, at(20));
        assert_eq!(list[0].last_transition_time, whole_seconds(at(10)));
        assert_eq!(list[0].observed_generation, Some(2));
    }

    #[test]
    fn another_message_alone_is_a_transition_in_whole_seconds() {
        let mut list = vec![];
        set(&mut list, ready("done"), 1, at(10));
        set(&mut list, ready("done again"), 1, at(20));
        assert_eq!(list[0].last_transition_time.0, Timestamp::from_second(20).unwrap());
    }

    #[test]
    fn the_list_is_ordered_by_rank_then_generation_then_type() {
        let mut list = vec![];
        let order = [("B", 1), ("A", 1), ("C", 2), (READY, 1), (RECONCILING, 1), (STALLED, 1)];
        for (type_, generation) in order {
            let entry = Entry { type_, status: Status::True, reason: "R", message: "" };
            set(&mut list, entry, generation, at(1));
        }
        let types: Vec<_> = list.iter().map(|c| c.type_.as_str()).collect();
        assert_eq!(types, [STALLED, RECONCILING, READY, "C", "A", "B"]);
    }

    #[test]
    fn stalled_and_reconciling_exclude_each_other() {
        let mut list = vec![];
        mark_reconciling(&mut list, "Progressing", "m", 1, at(1));
        mark_stalled(&mut list, "URLInvalid", "m", 1, at(2));
        assert_eq!(list.len(), 1);
        assert!(is_true(&list, STALLED));
        mark_reconciling(&mut list, "Progressing", "m", 1, at(3));
        assert_eq!(list.len(), 1);
        assert!(is_true(&list, RECONCILING));
    }

    #[test]
    fn long_messages_are_cut_between_characters() {
        let fits = "x".repeat(MAX_MESSAGE_BYTES);
        assert_eq!(cut_message(&fits), fits);
        let cut = cut_message(&"x".repeat(MAX_MESSAGE_BYTES + 1));
        assert_eq!(cut.len(), MAX_MESSAGE_BYTES);
        assert!(cut.ends_with("x..."));
        let cut = cut_message(&"é".repeat(MAX_MESSAGE_BYTES));
        assert_eq!(cut.len(), MAX_MESSAGE_BYTES - 1);
    }
}
