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
    /// How many lines of comments stand before each pair of keys in the text the object was read from: before the later and
    /// the first one.
    comments: Rc<[(usize, usize)]>,
}

impl Repeated {
    /// What an object and the duplicates in its text come to.
    pub(crate) fn of(node: &Node, in_text: &[DuplicateKey]) -> Option<Self> {
        if in_text.is_empty() {
            return None;
        }
        let lines = |key: &DuplicateKey| (key.line, key.first_line);
        let bare = syntax::repeated_keys(node);
        let comments = in_text.iter().zip(&bare).map(|(commented, bare)| {
            let ((later, first), (bare_later, bare_first)) = (lines(commented), lines(bare));
            (later.saturating_sub(bare_later), first.saturating_sub(bare_first))
        });
        let is_same = bare.len() == in_text.len();
        Some(Self { comments: if is_same { comments.collect() } else { Rc::default() } })
    }

    /// The keys that stand twice now, with their lines.
    pub(crate) fn keys(&self, node: &Node) -> Vec<DuplicateKey> {
        let mut keys = syntax::repeated_keys(node);
        if keys.len() == self.comments.len() {
            for (key, (later, first)) in keys.iter_mut().zip(&*self.comments) {
                key.line += later;
                key.first_line += first;
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
