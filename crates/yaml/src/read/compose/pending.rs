//! Comments that wait for the node that has them.

use crate::read::scan::{Comment, CommentKind};
use crate::styled::Comments;

/// Comments that have been read, and that no node has yet.
#[derive(Default)]
pub(super) struct Pending {
    head: String,
    line: String,
    foot: String,
    /// The head of a list's item that is a block itself.
    stem: String,
}

impl Pending {
    pub(super) fn add(&mut self, comment: &Comment<'_>) {
        let text = match comment.kind {
            CommentKind::Head => &mut self.head,
            CommentKind::Line => &mut self.line,
            CommentKind::Foot => &mut self.foot,
        };
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&comment.text);
    }

    /// The comments of the node that is read now.
    pub(super) fn take(&mut self) -> Comments {
        let Self { head, line, foot, .. } = std::mem::take(self);
        Comments { head, line, foot }
    }

    /// The head of the block that is read now.
    pub(super) fn take_stem(&mut self) -> String {
        std::mem::take(&mut self.stem)
    }

    pub(super) fn head_length(&self) -> usize {
        self.head.len()
    }

    /// The first `length` bytes of the head belong to the block that begins now, the rest to its first value.
    pub(super) fn split_stem(&mut self, length: usize) {
        let rest = self.head.get(length + 1..).unwrap_or_default().to_owned();
        self.head.truncate(length);
        self.stem = std::mem::replace(&mut self.head, rest);
    }

    /// The part of the head before its last blank line: it belongs to the document.
    pub(super) fn document_head(&mut self) -> String {
        let Some(at) = self.head.rfind('\n').filter(|at| at + 1 == self.head.len()) else {
            let Some(at) = self.head.rfind("\n\n") else { return String::new() };
            let rest = self.head.split_off(at + 2);
            self.head.truncate(at);
            return std::mem::replace(&mut self.head, rest);
        };
        self.head.truncate(at);
        std::mem::take(&mut self.head)
    }
}
