//! Keys that stand twice in a map of an object.
//!
//! The reference finds them when it makes JSON of an object, and tells their lines in the text that it prints for that.

use std::rc::Rc;

use millrace_yaml::Node;
use millrace_yaml::read::{DuplicateKey, ReadError};

use crate::syntax;

/// That an object came with a key that stands twice. Steps may have taken it away since, or brought more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repeated {
    in_text: Rc<[Commented]>,
}

/// Two equal keys in the text that an object was read from.
#[derive(Debug)]
struct Commented {
    key: String,
    /// How many lines of comments stand before the later one, and before the first one.
    lines: (usize, usize),
}

impl Repeated {
    /// What an object and the duplicates in its text come to.
    pub(crate) fn of(node: &Node, in_text: &[DuplicateKey]) -> Option<Self> {
        if in_text.is_empty() {
            return None;
        }
        let bare = syntax::repeated_keys(node);
        let commented = in_text.iter().enumerate().map(|(index, found)| {
            let bare = bare.get(index).filter(|bare| bare.key == found.key).unwrap_or(found);
            let later = found.line.saturating_sub(bare.line);
            let first = found.first_line.saturating_sub(bare.first_line);
            Commented { key: found.key.clone(), lines: (later, first) }
        });
        Some(Self { in_text: commented.collect() })
    }

    /// Whether a key stood twice in the text itself, and not only in what was merged into the object.
    pub(crate) fn is_in_text(&self, key: &str) -> bool {
        self.in_text.iter().any(|commented| commented.key == key)
    }

    /// The keys that stand twice now, with their lines.
    pub(crate) fn keys(&self, node: &Node) -> Vec<DuplicateKey> {
        let mut keys = syntax::repeated_keys(node);
        for (key, commented) in keys.iter_mut().zip(&*self.in_text) {
            if key.key == commented.key {
                key.line += commented.lines.0;
                key.first_line += commented.lines.1;
            }
        }
        keys
    }

    /// The error for an object that is to become JSON now, if a key still stands twice.
    pub(crate) fn error(&self, node: &Node) -> Option<ReadError> {
        let keys = self.keys(node);
        (!keys.is_empty()).then(|| ReadError::duplicates(&keys))
    }
}
