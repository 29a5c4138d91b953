//! Collections that indentation makes.

use super::{Composer, Properties};
use crate::read::parse::{Context, Stop};
use crate::read::scan::{Fault, TokenKind};
use crate::styled::{Comments, Content, Node, Tag};

impl Composer<'_> {
    #[inline(never)]
    pub(super) fn block_list(&mut self, properties: Properties, depth: usize) -> Result<Node, Stop> {
        let depth = self.deeper(depth)?;
        let head = self.pending.take_stem();
        let start = self.mark()?;
        self.take();
        let mut items = Vec::new();
        loop {
            match self.peek()? {
                TokenKind::BlockEntry => {
                    self.block_entry()?;
                    items.push(match self.peek()? {
                        TokenKind::BlockEntry | TokenKind::BlockEnd => self.absent(depth)?,
                        _ => self.node(Context::Block, depth)?,
                    });
                }
                TokenKind::BlockEnd => break,
                _ => {
                    let problem = "did not find expected '-' indicator";
                    return Err(Fault::parser(start, self.mark()?, problem).into());
                }
            }
        }
        self.take();
        let mut node = properties.node(Content::List { items, flow: false }, Tag::LIST);
        node.set_comments(Comments { head, ..Comments::default() });
        Ok(node)
    }

    /// A list at the column of its key.
    #[inline(never)]
    pub(super) fn indentless_list(&mut self, properties: Properties, depth: usize) -> Result<Node, Stop> {
        let depth = self.deeper(depth)?;
        let mut items = Vec::new();
        while *self.peek()? == TokenKind::BlockEntry {
            self.block_entry()?;
            items.push(match self.peek()? {
                TokenKind::BlockEntry | TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                    self.absent(depth)?
                }
                _ => self.node(Context::Block, depth)?,
            });
        }
        Ok(properties.node(Content::List { items, flow: false }, Tag::LIST))
    }

    /// Takes a `-`. What stands above it belongs to the item, if that is a block, and not to the item's first value.
    fn block_entry(&mut self) -> Result<(), Fault> {
        let length = self.pending.head_length();
        self.take();
        if length == 0 {
            return Ok(());
        }
        match self.peek() {
            Ok(TokenKind::BlockListStart | TokenKind::BlockMapStart) => self.pending.split_stem(length),
            Ok(_) => {}
            // go-yaml looks again, and reports what it finds then.
            Err(fault) => return Err(self.peek().err().unwrap_or(fault)),
        }
        Ok(())
    }

    #[inline(never)]
    pub(super) fn block_map(&mut self, properties: Properties, depth: usize) -> Result<Node, Stop> {
        let depth = self.deeper(depth)?;
        let head = self.pending.take_stem();
        let start = self.mark()?;
        self.take();
        let mut entries: Vec<(Node, Node)> = Vec::new();
        loop {
            match self.peek()? {
                TokenKind::Key => {
                    let mut key = self.block_side(depth)?;
                    if let Some((last, _)) = entries.last_mut() {
                        // What stands below a value is found with the next key.
                        last.set_foot(key.take_foot());
                    }
                    let value = match self.peek()? {
                        TokenKind::Value => self.block_side(depth)?,
                        _ => self.absent(depth)?,
                    };
                    entries.push(with_foot_at_key(key, value));
                }
                TokenKind::BlockEnd => break,
                _ => {
                    return Err(Fault::parser(start, self.mark()?, "did not find expected key").into());
                }
            }
        }
        let Comments { line, foot, .. } = self.pending.take();
        self.take();
        if let Some((last, _)) = entries.last_mut() {
            last.set_foot(foot);
        }
        let mut node = properties.node(Content::Map { entries, flow: false }, Tag::MAP);
        node.set_comments(Comments { head, line, foot: String::new() });
        Ok(node)
    }

    /// Takes the token before a key or a value of a block map, and what follows it.
    fn block_side(&mut self, depth: usize) -> Result<Node, Stop> {
        self.take();
        match self.peek()? {
            TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => self.absent(depth),
            _ => self.node(Context::BlockOrIndentless, depth),
        }
    }
}

/// An entry; what stands below its value belongs to its key.
pub(super) fn with_foot_at_key(mut key: Node, mut value: Node) -> (Node, Node) {
    if key.comments().foot.is_empty() {
        key.set_foot(value.take_foot());
    }
    (key, value)
}
