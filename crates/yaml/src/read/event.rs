//! A parsed document before its scalars are resolved: a flat list, so that nothing is copied but what escapes demand.

use std::borrow::Cow;

use crate::styled;
use crate::{ScalarKind, Style};

/// One value of a document; a collection's items follow it.
#[derive(Debug)]
pub(super) struct Event<'a> {
    pub(super) kind: EventKind<'a>,
    /// From 0, in the document's text.
    pub(super) line: usize,
    pub(super) tag: Option<Tag>,
}

/// What a tag says, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// `!`
    NonSpecific,
    /// A core type that scalars resolve to.
    Kind(ScalarKind),
    /// `!!binary`
    Binary,
    /// `!!merge`
    Merge,
    /// None was written, nor anything else: a value that a flow collection leaves out.
    Absent,
    /// Any other: a scalar is a string.
    Other,
}

const CORE_TAGS: &str = "tag:yaml.org,2002:";
/// Longer tags are not shown.
const LONGEST_KEPT: usize = 256;
/// Longer tags are none of the known ones.
const LONGEST_KNOWN: usize = CORE_TAGS.len() + 16;

impl Tag {
    /// The tag that a handle's prefix and a suffix make; `None` where both are empty.
    pub(super) fn of(prefix: &str, suffix: &str) -> Option<Self> {
        let length = prefix.len() + suffix.len();
        if length > LONGEST_KNOWN {
            return Some(Self::Other);
        }
        let text = format!("{prefix}{suffix}");
        let Some(core) = text.strip_prefix(CORE_TAGS) else {
            return match text.as_str() {
                "" => None,
                "!" => Some(Self::NonSpecific),
                _ => Some(Self::Other),
            };
        };
        Some(match core {
            "null" => Self::Kind(ScalarKind::Null),
            "str" => Self::Kind(ScalarKind::Str),
            "bool" => Self::Kind(ScalarKind::Bool),
            "int" => Self::Kind(ScalarKind::Int),
            "float" => Self::Kind(ScalarKind::Float),
            "timestamp" => Self::Kind(ScalarKind::Timestamp),
            "binary" => Self::Binary,
            "merge" => Self::Merge,
            _ => Self::Other,
        })
    }
}

/// The tags that are none of the known ones, by the events that have them.
#[derive(Debug, Default)]
pub(super) struct Tags(Vec<(usize, Box<str>)>);

impl Tags {
    /// Takes note of the tag of an event behind those that have one already. One that is very long is not kept, as aliases may
    /// repeat it, nor one that a prefix makes longer than it stands there, as it may stand at every value.
    pub(super) fn note(&mut self, at: usize, handle: &str, prefix: &str, suffix: &str) {
        if prefix.len() <= handle.len().max(CORE_TAGS.len()) {
            let name = styled::Tag::written(prefix, suffix).name;
            if name.len() <= (handle.len() + suffix.len()).min(LONGEST_KEPT) {
                self.0.push((at, name.into()));
            }
        }
    }

    /// The tag of an event.
    pub(super) fn of(&self, at: usize) -> Option<&str> {
        let found = self.0.binary_search_by_key(&at, |(at, _)| *at).ok()?;
        Some(&self.0[found].1)
    }
}

#[derive(Debug)]
pub(super) enum EventKind<'a> {
    Scalar {
        text: Cow<'a, str>,
        style: Style,
    },
    List {
        /// The index after the last item's last event.
        end: usize,
        /// Whether it stands in brackets.
        flow: bool,
    },
    /// Keys and values alternate.
    Map {
        /// The index after the last value's last event.
        end: usize,
        /// Whether it stands in braces, or without them as an item between brackets.
        flow: bool,
    },
    Alias {
        name: &'a str,
        target: usize,
    },
}

impl Event<'_> {
    /// Whether the scalar stands without quotes and so may be something other than a string.
    pub(super) fn is_implicit(&self) -> bool {
        match (&self.kind, self.tag) {
            (EventKind::Scalar { style, .. }, None) => *style == Style::Plain,
            (EventKind::Scalar { .. }, Some(Tag::NonSpecific)) => true,
            (
                EventKind::Scalar { .. }
                | EventKind::List { .. }
                | EventKind::Map { .. }
                | EventKind::Alias { .. },
                _,
            ) => false,
        }
    }

    /// Whether this is a `<<` that would merge as a key.
    pub(super) fn is_merge_key(&self) -> bool {
        self.has_text_of_merge_key() && (self.is_implicit() || self.tag == Some(Tag::Merge))
    }

    /// Whether this is a `<<`, also in quotes.
    pub(super) fn has_text_of_merge_key(&self) -> bool {
        matches!(&self.kind, EventKind::Scalar { text, .. } if text == "<<")
    }
}
