//! Lines of values, found on demand: trees don't pay for positions.

use super::event::EventKind;
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
    let events = parse(&piece.text, resolver, &Limits::default()).ok()??;
    let after = |at: usize| match events[at].kind {
        EventKind::List { end } | EventKind::Map { end } => end,
        EventKind::Scalar { .. } | EventKind::Alias { .. } => at + 1,
    };
    let (mut at, mut line) = (0, events.first()?.line);
    for step in path {
        if let EventKind::Alias { target, .. } = events[at].kind {
            at = target;
        }
        let mut child = at + 1;
        match (step, &events[at].kind) {
            (Step::Index(index), EventKind::List { end }) => {
                for _ in 0..*index {
                    child = if child < *end { after(child) } else { return None };
                }
                if child >= *end {
                    return None;
                }
                (at, line) = (child, events[child].line);
            }
            (Step::Key(key), EventKind::Map { end }) => loop {
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
