//! From tokens to a tree that remembers how it was written.
//!
//! The grammar is that of [`super::parse`]; here each node also takes the comments that go-yaml gives it. Which those are
//! depends on when go-yaml's parser looks at the next token, so that order is kept.

mod block;
mod flow;
mod pending;

use std::collections::HashSet;

use pending::Pending;

use super::budget::Budget;
use super::parse::{Context, Handles, Stop};
use super::scan::{Fault, Mark, Scanner, TokenKind, first_control_character};
use super::{Limits, ReadError, Resolver};
use crate::Style;
use crate::styled::{Comments, Content, Document, Node, Tag};

/// Reads the first document of a text; `None` where there is none.
pub(crate) fn styled(text: &str, limits: &Limits) -> Result<Option<Document>, ReadError> {
    if text.len() > limits.text_bytes {
        return Err(ReadError::too_large(text.len(), limits));
    }
    if first_control_character(text).is_some() {
        return Err(ReadError::syntax(None, "control characters are not allowed"));
    }
    let budget = Budget::new(limits);
    let depth = budget.limits().depth;
    let mut composer = Composer {
        scanner: Scanner::with_comments(text, depth),
        pending: Pending::default(),
        anchors: HashSet::new(),
        handles: Handles::default(),
        depth,
        budget,
    };
    composer.document().map_err(|stop| stop.report(Resolver::Kustomize))
}

struct Composer<'a> {
    scanner: Scanner<'a>,
    pending: Pending,
    anchors: HashSet<&'a str>,
    handles: Handles<'a>,
    depth: usize,
    budget: Budget,
}

/// What may stand before a node's content.
#[derive(Default)]
struct Properties {
    anchor: Option<Box<str>>,
    tag: Option<Tag>,
    /// A `!` alone, which says nothing.
    bare_tag: bool,
}

impl Properties {
    fn is_none(&self) -> bool {
        self.anchor.is_none() && self.tag.is_none() && !self.bare_tag
    }

    /// The node with them; `tag` is its type where none is written.
    fn node(self, content: Content, tag: Tag) -> Node {
        let mut node = Node::new(content, Some(self.tag.unwrap_or(tag)));
        node.anchor = self.anchor;
        node
    }
}

impl<'a> Composer<'a> {
    /// The next token; its comments become pending.
    #[inline(never)]
    fn peek(&mut self) -> Result<&TokenKind<'a>, Fault> {
        self.scanner.peek()?;
        while let Some(comment) = self.scanner.take_comment() {
            self.pending.add(&comment);
        }
        Ok(&self.scanner.peek()?.kind)
    }

    #[inline(never)]
    fn mark(&mut self) -> Result<Mark, Fault> {
        Ok(self.scanner.peek()?.start)
    }

    /// Takes the token that [`Self::peek`] has shown.
    fn take(&mut self) -> TokenKind<'a> {
        self.scanner.take().map_or(TokenKind::StreamEnd, |token| token.kind)
    }

    fn document(&mut self) -> Result<Option<Document>, Stop> {
        let explicit = match self.peek()? {
            TokenKind::StreamEnd => return Ok(None),
            TokenKind::VersionDirective { .. }
            | TokenKind::TagDirective { .. }
            | TokenKind::DocumentStart => true,
            _ => false,
        };
        self.handles.read(&mut self.scanner)?;
        let (head, root) = if explicit {
            (String::new(), self.explicit_root()?)
        } else {
            (self.pending.document_head(), self.node(Context::Block, 0)?)
        };
        self.peek()?;
        let Comments { head: last, foot, .. } = self.pending.take();
        Ok(Some(Document { head, root, foot: if foot.is_empty() { last } else { foot } }))
    }

    fn explicit_root(&mut self) -> Result<Node, Stop> {
        if *self.peek()? != TokenKind::DocumentStart {
            let problem = "did not find expected <document start>";
            return Err(Fault::parser(Mark::default(), self.mark()?, problem).into());
        }
        self.take();
        match self.peek()? {
            TokenKind::VersionDirective { .. }
            | TokenKind::TagDirective { .. }
            | TokenKind::DocumentStart
            | TokenKind::DocumentEnd
            | TokenKind::StreamEnd => Ok(Node::absent()),
            _ => self.node(Context::Block, 0),
        }
    }

    /// Collections are read in functions of their own, so that a level of nesting costs little stack.
    fn node(&mut self, context: Context, depth: usize) -> Result<Node, Stop> {
        self.count(depth)?;
        if let TokenKind::Alias(_) = self.peek()? {
            return self.alias();
        }
        let start = self.mark()?;
        let properties = self.properties(start)?;
        let block = context != Context::Flow;
        match self.peek()? {
            TokenKind::Scalar { .. } => Ok(self.scalar(properties)),
            TokenKind::BlockEntry if context == Context::BlockOrIndentless => {
                self.indentless_list(properties, depth)
            }
            TokenKind::FlowListStart => self.flow_list(properties, depth),
            TokenKind::FlowMapStart => self.flow_map(properties, depth),
            TokenKind::BlockListStart if block => self.block_list(properties, depth),
            TokenKind::BlockMapStart if block => self.block_map(properties, depth),
            _ if !properties.is_none() => {
                let nothing = Content::Scalar { text: "".into(), style: Style::Plain };
                Ok(properties.node(nothing, Tag::of("", Style::Plain)))
            }
            _ => Err(Fault::parser(start, self.mark()?, "did not find expected node content").into()),
        }
    }

    #[inline(never)]
    fn count(&mut self, depth: usize) -> Result<(), Stop> {
        match self.budget.value(depth) {
            Ok(()) => Ok(()),
            Err(problem) => Err(self.exceeded(problem)),
        }
    }

    /// A value that the text leaves out.
    fn absent(&mut self, depth: usize) -> Result<Node, Stop> {
        self.count(depth)?;
        Ok(Node::absent())
    }

    #[cold]
    fn exceeded(&mut self, problem: String) -> Stop {
        match self.mark() {
            Ok(mark) => Fault::parser(mark, mark, problem).of_limit().into(),
            Err(fault) => fault.into(),
        }
    }

    fn deeper(&mut self, depth: usize) -> Result<usize, Stop> {
        if depth >= self.depth {
            return Err(self.exceeded(format!("exceeded max depth of {}", self.depth)));
        }
        Ok(depth + 1)
    }

    #[inline(never)]
    fn alias(&mut self) -> Result<Node, Stop> {
        let mark = self.mark()?;
        let comments = self.pending.take();
        let TokenKind::Alias(name) = self.take() else { return Ok(Node::absent()) };
        if !self.anchors.contains(name) {
            return Err(Stop::unknown_anchor(name, mark));
        }
        let mut node = Node::new(Content::Alias(name.into()), None);
        node.set_comments(comments);
        Ok(node)
    }

    #[inline(never)]
    fn scalar(&mut self, properties: Properties) -> Node {
        let comments = self.pending.take();
        let TokenKind::Scalar { text, style } = self.take() else { return Node::absent() };
        let tag = Tag::of(&text, style);
        let mut node = properties.node(Content::Scalar { text: text.into(), style }, tag);
        node.set_comments(comments);
        node
    }

    /// An anchor and a tag, in either order.
    #[inline(never)]
    fn properties(&mut self, start: Mark) -> Result<Properties, Stop> {
        let mut properties = Properties::default();
        loop {
            match self.peek()? {
                TokenKind::Anchor(_) if properties.anchor.is_none() => {
                    let TokenKind::Anchor(name) = self.take() else { continue };
                    self.anchors.insert(name);
                    properties.anchor = Some(name.into());
                }
                TokenKind::Tag { .. } if properties.tag.is_none() && !properties.bare_tag => {
                    properties.tag = self.tag(start)?;
                    properties.bare_tag = properties.tag.is_none();
                }
                _ => return Ok(properties),
            }
        }
    }

    /// A tag; `!` alone is none.
    fn tag(&mut self, start: Mark) -> Result<Option<Tag>, Stop> {
        let mark = self.mark()?;
        let TokenKind::Tag { handle, suffix } = self.take() else { return Ok(None) };
        let prefix = self.handles.prefix(handle, start, mark)?;
        if matches!((prefix, &*suffix), ("" | "!", "") | ("", "!")) {
            return Ok(None);
        }
        let tag = Tag::written(prefix, &suffix);
        // A prefix may be long, and stand behind many handles.
        match self.budget.repeat(prefix.len()) {
            Ok(()) => Ok(Some(tag)),
            Err(problem) => Err(self.exceeded(problem)),
        }
    }
}
