//! Collections in brackets and braces.

use super::block::with_foot_at_key;
use super::{Composer, Properties};
use crate::read::parse::{Context, Stop};
use crate::read::scan::{Fault, Mark, TokenKind};
use crate::styled::{Comments, Content, Node, Tag};

impl<'a> Composer<'a> {
    #[inline(never)]
    pub(super) fn flow_list(&mut self, properties: Properties, depth: usize) -> Result<Node, Stop> {
        let depth = self.deeper(depth)?;
        let head = self.pending.take().head;
        let start = self.mark()?;
        self.take();
        let mut items = Vec::new();
        let mut first = true;
        while self.flow_goes_on(&TokenKind::FlowListEnd, std::mem::take(&mut first), start)? {
            items.push(match self.peek()? {
                TokenKind::Key => self.flow_pair(depth)?,
                _ => self.node(Context::Flow, depth)?,
            });
        }
        Ok(self.flow_end(properties.node(Content::List { items, flow: true }, Tag::LIST), head))
    }

    #[inline(never)]
    pub(super) fn flow_map(&mut self, properties: Properties, depth: usize) -> Result<Node, Stop> {
        let depth = self.deeper(depth)?;
        let head = self.pending.take().head;
        let start = self.mark()?;
        self.take();
        let mut entries = Vec::new();
        let mut first = true;
        while self.flow_goes_on(&TokenKind::FlowMapEnd, std::mem::take(&mut first), start)? {
            let (key, value) = if *self.peek()? == TokenKind::Key {
                self.take();
                let key = match self.peek()? {
                    TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowMapEnd => self.absent(depth)?,
                    _ => self.node(Context::Flow, depth)?,
                };
                (key, self.flow_value(&TokenKind::FlowMapEnd, depth)?)
            } else {
                (self.node(Context::Flow, depth)?, self.absent(depth)?)
            };
            entries.push(with_foot_at_key(key, value));
        }
        Ok(self.flow_end(properties.node(Content::Map { entries, flow: true }, Tag::MAP), head))
    }

    /// Whether another entry follows; its comma is taken.
    fn flow_goes_on(&mut self, end: &TokenKind<'a>, first: bool, start: Mark) -> Result<bool, Stop> {
        let next = self.peek()?;
        if next == end {
            return Ok(false);
        }
        if first {
            return Ok(true);
        }
        if *next != TokenKind::FlowEntry {
            let bracket = if *end == TokenKind::FlowListEnd { ']' } else { '}' };
            let problem = format!("did not find expected ',' or '{bracket}'");
            return Err(Fault::parser(start, self.mark()?, problem).into());
        }
        self.take();
        Ok(self.peek()? != end)
    }

    /// Takes the bracket at the end; what stands behind and below it belongs to the collection.
    fn flow_end(&mut self, mut node: Node, head: String) -> Node {
        let comments = self.pending.take();
        self.take();
        node.set_comments(Comments { head, ..comments });
        node
    }

    /// A map of one entry, written without braces in a flow list.
    #[inline(never)]
    fn flow_pair(&mut self, depth: usize) -> Result<Node, Stop> {
        let depth = self.deeper(depth)?;
        self.take();
        let key = match self.peek()? {
            TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowListEnd => {
                // libyaml drops this token, and so every parser after it.
                self.take();
                self.absent(depth)?
            }
            _ => self.node(Context::Flow, depth)?,
        };
        let value = self.flow_value(&TokenKind::FlowListEnd, depth)?;
        let entries = vec![with_foot_at_key(key, value)];
        Ok(Properties::default().node(Content::Map { entries, flow: true }, Tag::MAP))
    }

    /// A value of a flow collection that ends with `end`, or nothing.
    fn flow_value(&mut self, end: &TokenKind<'a>, depth: usize) -> Result<Node, Stop> {
        if *self.peek()? == TokenKind::Value {
            self.take();
            let next = self.peek()?;
            if *next != TokenKind::FlowEntry && next != end {
                return self.node(Context::Flow, depth);
            }
        }
        self.absent(depth)
    }
}
