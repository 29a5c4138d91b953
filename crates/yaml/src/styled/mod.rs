//! Text that is changed in one place and written again: a tree that remembers how it was written.
//!
//! The object tree ([`crate::Node`]) keeps what a text means; this one also keeps comments, flow style, block scalars, anchors
//! and aliases, and tags, as go-yaml v3 keeps them in its node tree, and prints them as go-yaml's encoder does with an
//! indentation of two and lists at their keys' column. Blank lines, widths and a document's `---` are lost, as they are there.
//! Aliases are not resolved, so a tree is never larger than its text.
//!
//! Contract: kustomize-build §3.9.

mod node;
mod print;

pub(crate) use node::{Comments, Content, Tag};
pub use node::{Kind, Node};

use crate::read::{self, Limits, ReadError};

/// The first document of a text.
#[derive(Clone, Debug)]
pub struct Document {
    /// The comment above the root, a blank line between them.
    pub(crate) head: String,
    pub(crate) root: Node,
    /// The comment at the end.
    pub(crate) foot: String,
}

/// Text that would be larger than a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("text would exceed the limit of {0} bytes")]
pub struct TooLarge(usize);

/// Whether a text that is no key, and stands in no braces, may be printed as a block.
pub(crate) fn allows_block(text: &str) -> bool {
    print::allows_block(text)
}

impl Document {
    /// Reads the first document of a text; `None` where there is none, as in text of comments alone.
    ///
    /// # Errors
    ///
    /// If the text isn't YAML or exceeds the limits.
    pub fn read(text: &str, limits: &Limits) -> Result<Option<Self>, ReadError> {
        read::styled(text, limits)
    }

    /// The root.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The root, to change.
    pub fn root_mut(&mut self) -> &mut Node {
        &mut self.root
    }

    /// The document as text of at most so many bytes.
    ///
    /// # Errors
    ///
    /// If it would be longer.
    pub fn print(&self, limit: usize) -> Result<String, TooLarge> {
        print::document(&self.head, &self.root, &self.foot, limit).ok_or(TooLarge(limit))
    }
}

impl Node {
    /// The node and its comments as text of at most so many bytes.
    ///
    /// # Errors
    ///
    /// If it would be longer.
    pub fn print(&self, limit: usize) -> Result<String, TooLarge> {
        print::document("", self, "", limit).ok_or(TooLarge(limit))
    }
}
