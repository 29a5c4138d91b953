//! A parsed document before its scalars are resolved: a flat list, so that nothing is copied but what escapes demand.

use std::borrow::Cow;

use crate::Style;

/// One value of a document; a collection's items follow it.
#[derive(Debug)]
pub(super) struct Event<'a> {
    pub(super) kind: EventKind<'a>,
    /// From 0, in the document's text.
    pub(super) line: usize,
    /// The tag, its handle resolved.
    pub(super) tag: Option<Box<str>>,
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
    },
    /// Keys and values alternate.
    Map {
        /// The index after the last value's last event.
        end: usize,
    },
    Alias {
        name: &'a str,
        target: usize,
    },
}

impl Event<'_> {
    /// Whether the scalar stands without quotes and so may be something other than a string.
    pub(super) fn is_implicit(&self) -> bool {
        match (&self.kind, self.tag.as_deref()) {
            (EventKind::Scalar { style, .. }, None) => *style == Style::Plain,
            (EventKind::Scalar { .. }, Some("!")) => true,
            (
                EventKind::Scalar { .. }
                | EventKind::List { .. }
                | EventKind::Map { .. }
                | EventKind::Alias { .. },
                _,
            ) => false,
        }
    }

    /// Whether this is a `<<` key.
    pub(super) fn is_merge_key(&self) -> bool {
        let EventKind::Scalar { text, .. } = &self.kind else { return false };
        text == "<<" && (self.is_implicit() || self.tag.as_deref() == Some("tag:yaml.org,2002:merge"))
    }
}
