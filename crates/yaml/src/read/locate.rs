//! Lines of values, found on demand: trees don't pay for positions.

use super::event::{Event, EventKind};
use super::parse::parse;
use super::{Limits, Resolver, split};

/// One step from a value to one it contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'s> {
    /// The value under a key.
    Key(&'s str),
    /// An item of a list.
    Index(usize),
}

/// The line of the text (from 1) that the value at `path` stands on: its key's line, where it has a key.
///
/// Reads the text again, so it is for messages. `first_line` names the document, as [`super::Document::first_line`]
/// does. `None` where the path leads nowhere in the text, as for values that a merge brought.
pub fn locate(text: &str, resolver: Resolver, first_line: usize, path: &[Step<'_>]) -> Option<usize> {
    let pieces = split::pieces(text, resolver).into_iter();
    let piece = pieces.flatten().find(|piece| piece.first_line == first_line)?;
    let (events, _) = parse(&piece.text, resolver, &Limits::default()).ok()??;
    let after = |at: usize| match events[at].kind {
        EventKind::List { end, .. } | EventKind::Map { end, .. } => end,
        EventKind::Scalar { .. } | EventKind::Alias { .. } => at + 1,
    };
    let (mut at, mut line) = (0, events.first()?.line);
    for step in path {
        if let EventKind::Alias { target, .. } = events[at].kind {
            at = target;
        }
        let mut child = at + 1;
        match (step, &events[at].kind) {
            (Step::Index(index), EventKind::List { end, .. }) => {
                for _ in 0..*index {
                    child = if child < *end { after(child) } else { return None };
                }
                if child >= *end {
                    return None;
                }
                (at, line) = (child, events[child].line);
            }
            (Step::Key(key), EventKind::Map { end, .. }) => loop {
                if child >= *end {
                    return None;
                }
                let value = after(child);
                if matches!(&events[child].kind, EventKind::Scalar { text, .. } if text == key) {
                    (at, line) = (value, events[child].line);
                    break;
                }
                child = after(value);
            },
            _ => return None,
        }
    }
    Some(line + first_line)
}

/// A value with the line it stands on, for messages that name many places of one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lined {
    /// The line of the text, from 1: its key's line, where it has a key.
    pub line: usize,
    /// What stands there.
    pub value: LinedValue,
}

/// What stands on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinedValue {
    /// A scalar's text.
    Scalar(String),
    /// A list's items.
    List(Vec<Lined>),
    /// A map's keys, where they are scalars, and their values.
    Map(Vec<(String, Lined)>),
    /// What stands elsewhere.
    Alias,
}

/// The documents of a text with the lines of their values; those that don't read are left out.
pub fn lined(text: &str, resolver: Resolver) -> Vec<Lined> {
    let pieces = split::pieces(text, resolver).into_iter().flatten();
    let documents = pieces.filter_map(|piece| {
        let (events, _) = parse(&piece.text, resolver, &Limits::default()).ok()??;
        (!events.is_empty()).then(|| lined_at(&events, &mut 0, piece.first_line))
    });
    documents.collect()
}

/// The value at `at`, which moves behind it.
fn lined_at(events: &[Event<'_>], at: &mut usize, first_line: usize) -> Lined {
    let event = &events[*at];
    *at += 1;
    let value = match &event.kind {
        EventKind::Scalar { text, .. } => LinedValue::Scalar(text.to_string()),
        EventKind::Alias { .. } => LinedValue::Alias,
        EventKind::List { end, .. } => {
            let mut items = Vec::new();
            while *at < *end {
                items.push(lined_at(events, at, first_line));
            }
            LinedValue::List(items)
        }
        EventKind::Map { end, .. } => {
            let mut entries = Vec::new();
            while *at < *end {
                let key = lined_at(events, at, first_line);
                let value = lined_at(events, at, first_line);
                if let LinedValue::Scalar(text) = key.value {
                    entries.push((text, Lined { line: key.line, ..value }));
                }
            }
            LinedValue::Map(entries)
        }
    };
    Lined { line: event.line + first_line, value }
}

impl Lined {
    /// The value under a key, whatever its letters' case.
    pub fn key(&self, key: &str) -> Option<&Self> {
        let LinedValue::Map(entries) = &self.value else { return None };
        let exact = entries.iter().find(|(name, _)| name == key);
        exact
            .or_else(|| entries.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)))
            .map(|(_, value)| value)
    }

    /// The items of a list.
    pub fn items(&self) -> &[Self] {
        if let LinedValue::List(items) = &self.value { items } else { &[] }
    }

    /// The text of a scalar.
    pub fn text(&self) -> Option<&str> {
        if let LinedValue::Scalar(text) = &self.value { Some(text) } else { None }
    }
}
