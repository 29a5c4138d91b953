//! Collections in brackets and braces.

use super::{Context, Parsed, Parser};
use crate::read::scan::{Fault, TokenKind};

impl<'a> Parser<'a> {
    pub(super) fn flow_items(&mut self, depth: usize) -> Parsed {
        let (_, start) = self.take()?;
        let mut first = true;
        while !self.accept(&TokenKind::FlowListEnd)? {
            let mark = self.mark()?;
            if !first && !self.accept(&TokenKind::FlowEntry)? {
                return Err(Fault::parser(start, mark, "did not find expected ',' or ']'").into());
            }
            first = false;
            let mark = self.mark()?;
            match self.peek()? {
                TokenKind::Key => self.map(mark, None, depth, Self::flow_pair)?,
                TokenKind::FlowListEnd => {}
                _ => self.node(Context::Flow, depth)?,
            }
        }
        Ok(())
    }

    /// A map of one entry, written without braces in a flow list.
    fn flow_pair(&mut self, depth: usize) -> Parsed {
        self.take()?;
        let mark = self.mark()?;
        match self.peek()? {
            TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowListEnd => {
                // libyaml drops this token, and so every parser after it.
                self.take()?;
                self.empty(mark);
            }
            _ => self.node(Context::Flow, depth)?,
        }
        self.flow_value(&TokenKind::FlowListEnd, depth)
    }

    pub(super) fn flow_entries(&mut self, depth: usize) -> Parsed {
        let (_, start) = self.take()?;
        let mut first = true;
        while !self.accept(&TokenKind::FlowMapEnd)? {
            let mark = self.mark()?;
            if !first && !self.accept(&TokenKind::FlowEntry)? {
                return Err(Fault::parser(start, mark, "did not find expected ',' or '}'").into());
            }
            first = false;
            if self.accept(&TokenKind::Key)? {
                let mark = self.mark()?;
                match self.peek()? {
                    TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowMapEnd => self.empty(mark),
                    _ => self.node(Context::Flow, depth)?,
                }
                self.flow_value(&TokenKind::FlowMapEnd, depth)?;
            } else if *self.peek()? != TokenKind::FlowMapEnd {
                self.node(Context::Flow, depth)?;
                let mark = self.mark()?;
                self.absent(mark);
            }
        }
        Ok(())
    }

    /// A value of a flow collection that ends with `end`, or nothing.
    fn flow_value(&mut self, end: &TokenKind<'a>, depth: usize) -> Parsed {
        let value = self.accept(&TokenKind::Value)?;
        let mark = self.mark()?;
        let next = self.peek()?;
        if value && *next != TokenKind::FlowEntry && next != end {
            return self.node(Context::Flow, depth);
        }
        self.absent(mark);
        Ok(())
    }
}
