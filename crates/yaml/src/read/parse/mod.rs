//! From tokens to events: the YAML 1.1 grammar with go-yaml's error texts.

mod directives;
mod flow;

use std::collections::HashMap;

pub(super) use directives::Handles;

use super::event::{Event, EventKind, Tag, Tags};
use super::scan::{Fault, Mark, Scanner, TokenKind, first_control_character};
use super::{Limits, ReadError, Resolver};
use crate::Style;

/// What stops parsing; boxed, so that a level of nesting costs little stack.
pub(super) enum Stop {
    Fault(Fault),
    UnknownAnchor(Box<ReadError>),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl Stop {
    /// Words the error as the resolver's version of go-yaml does.
    pub(super) fn report(self, resolver: Resolver) -> ReadError {
        match self {
            Self::Fault(fault) => report(&fault, resolver),
            Self::UnknownAnchor(err) => *err,
        }
    }

    /// For an alias without an anchor before it.
    pub(super) fn unknown_anchor(name: &str, mark: Mark) -> Self {
        let problem = format!("unknown anchor '{name}' referenced");
        Self::UnknownAnchor(Box::new(ReadError::value(mark.line + 1, &problem)))
    }
}

type Parsed = Result<(), Stop>;

/// Where a node may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    Flow,
    Block,
    /// Under a key, where a list may stand at the key's own column.
    BlockOrIndentless,
}

/// Parses the first document of a text; `None` where there is none.
pub(super) fn parse<'a>(
    text: &'a str,
    resolver: Resolver,
    limits: &Limits,
) -> Result<Option<(Vec<Event<'a>>, Tags)>, ReadError> {
    if first_control_character(text).is_some() {
        return Err(ReadError::syntax(None, "control characters are not allowed"));
    }
    let mut parser = Parser::new(text, resolver, limits);
    match parser.document() {
        Ok(true) => Ok(Some((parser.events, parser.tags))),
        Ok(false) => Ok(None),
        Err(stop) => Err(stop.report(resolver)),
    }
}

/// What stops the parser in the first document of a text; else the line (from 0) of what follows it without an end of it.
pub(super) fn parse_or_stop(text: &str, resolver: Resolver, limits: &Limits) -> Result<Option<usize>, Stop> {
    let mut parser = Parser::new(text, resolver, limits);
    parser.document()?;
    Ok(match parser.peek()? {
        TokenKind::StreamEnd
        | TokenKind::DocumentStart
        | TokenKind::DocumentEnd
        | TokenKind::VersionDirective { .. }
        | TokenKind::TagDirective { .. } => None,
        _ => Some(parser.mark()?.line),
    })
}

/// The versions of go-yaml differ in the line they name.
fn report(fault: &Fault, resolver: Resolver) -> ReadError {
    let fault = fault.parts();
    let from_one = usize::from(fault.scanner);
    let (context, place) = (fault.context.line, fault.place.line);
    let line = match resolver {
        Resolver::Kubernetes if place != 0 => place + from_one,
        Resolver::Kubernetes => context,
        Resolver::Kustomize if context != 0 => context + from_one,
        Resolver::Kustomize if place != 0 => place + from_one,
        Resolver::Kustomize => 0,
    };
    let line = (line != 0).then_some(line);
    if fault.limit { ReadError::limit(line, &fault.problem) } else { ReadError::syntax(line, &fault.problem) }
}

struct Parser<'a> {
    scanner: Scanner<'a>,
    events: Vec<Event<'a>>,
    tags: Tags,
    anchors: HashMap<&'a str, usize>,
    handles: Handles<'a>,
    depth: usize,
    values: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, resolver: Resolver, limits: &Limits) -> Self {
        let depth = limits.depth.min(Limits::MAX_DEPTH);
        Self {
            scanner: Scanner::new(text, resolver, depth),
            events: Vec::with_capacity(text.len() / 24),
            tags: Tags::default(),
            anchors: HashMap::new(),
            handles: Handles::default(),
            depth,
            values: limits.values,
        }
    }

    #[inline(never)]
    fn peek(&mut self) -> Result<&TokenKind<'a>, Fault> {
        Ok(&self.scanner.peek()?.kind)
    }

    #[inline(never)]
    fn mark(&mut self) -> Result<Mark, Fault> {
        Ok(self.scanner.peek()?.start)
    }

    #[inline(never)]
    fn take(&mut self) -> Result<(TokenKind<'a>, Mark), Fault> {
        let start = self.mark()?;
        Ok((self.scanner.take().map_or(TokenKind::StreamEnd, |token| token.kind), start))
    }

    /// Takes the next token if it is of that kind.
    #[inline(never)]
    fn accept(&mut self, kind: &TokenKind<'a>) -> Result<bool, Fault> {
        let accepted = self.peek()? == kind;
        if accepted {
            self.take()?;
        }
        Ok(accepted)
    }

    #[inline(never)]
    fn push(&mut self, kind: EventKind<'a>, mark: Mark, tag: Option<Tag>) {
        self.events.push(Event { kind, line: mark.line, tag });
    }

    #[inline(never)]
    fn empty(&mut self, mark: Mark) {
        self.push(EventKind::Scalar { text: "".into(), style: Style::Plain }, mark, None);
    }

    /// A value that a flow collection leaves out.
    #[inline(never)]
    fn absent(&mut self, mark: Mark) {
        self.push(EventKind::Scalar { text: "".into(), style: Style::Plain }, mark, Some(Tag::Absent));
    }

    /// Whether there is a document.
    fn document(&mut self) -> Result<bool, Stop> {
        let explicit = match self.peek()? {
            TokenKind::StreamEnd => return Ok(false),
            TokenKind::VersionDirective { .. }
            | TokenKind::TagDirective { .. }
            | TokenKind::DocumentStart => true,
            _ => false,
        };
        self.handles.read(&mut self.scanner)?;
        if explicit && !self.accept(&TokenKind::DocumentStart)? {
            return Err(Fault::parser(
                Mark::default(),
                self.mark()?,
                "did not find expected <document start>",
            )
            .into());
        }
        match self.peek()? {
            TokenKind::VersionDirective { .. }
            | TokenKind::TagDirective { .. }
            | TokenKind::DocumentStart
            | TokenKind::DocumentEnd
            | TokenKind::StreamEnd
                if explicit =>
            {
                let mark = self.mark()?;
                self.empty(mark);
            }
            _ => self.node(Context::Block, 0)?,
        }
        // What follows belongs to no document that is read, but it must have a beginning.
        self.peek()?;
        Ok(true)
    }

    fn node(&mut self, context: Context, depth: usize) -> Parsed {
        if self.events.len() > self.values {
            return Err(self.too_many());
        }
        if let TokenKind::Alias(_) = self.peek()? {
            return self.alias();
        }
        let start = self.mark()?;
        let (anchored, tag) = self.properties(start)?;
        let block = context != Context::Flow;
        match self.peek()? {
            TokenKind::Scalar { .. } => self.scalar(start, tag),
            TokenKind::BlockEntry if context == Context::BlockOrIndentless => {
                self.list(start, tag, depth, Self::indentless_items)
            }
            TokenKind::FlowListStart => self.list(start, tag, depth, Self::flow_items),
            TokenKind::FlowMapStart => self.map(start, tag, depth, Self::flow_entries),
            TokenKind::BlockListStart if block => self.list(start, tag, depth, Self::block_items),
            TokenKind::BlockMapStart if block => self.map(start, tag, depth, Self::block_entries),
            _ if anchored || tag.is_some() => {
                self.push(EventKind::Scalar { text: "".into(), style: Style::Plain }, start, tag);
                Ok(())
            }
            _ => Err(Fault::parser(start, self.mark()?, "did not find expected node content").into()),
        }
    }

    /// The loader counts again, aliases resolved; here the list itself is bounded.
    #[cold]
    fn too_many(&mut self) -> Stop {
        let problem = format!("text has more than {} values", self.values);
        match self.mark() {
            Ok(mark) => Fault::parser(mark, mark, problem).of_limit().into(),
            Err(fault) => fault.into(),
        }
    }

    #[inline(never)]
    fn alias(&mut self) -> Parsed {
        if let (TokenKind::Alias(name), mark) = self.take()? {
            let Some(&target) = self.anchors.get(name) else {
                return Err(Stop::unknown_anchor(name, mark));
            };
            self.push(EventKind::Alias { name, target }, mark, None);
        }
        Ok(())
    }

    #[inline(never)]
    fn scalar(&mut self, start: Mark, tag: Option<Tag>) -> Parsed {
        if let (TokenKind::Scalar { text, style }, _) = self.take()? {
            self.push(EventKind::Scalar { text, style }, start, tag);
        }
        Ok(())
    }

    /// An anchor and a tag, in either order; the anchor names the event that comes next.
    #[inline(never)]
    fn properties(&mut self, start: Mark) -> Result<(bool, Option<Tag>), Stop> {
        let (mut anchored, mut tag) = (false, None);
        loop {
            match self.peek()? {
                TokenKind::Anchor(_) if !anchored => {
                    if let (TokenKind::Anchor(name), _) = self.take()? {
                        self.anchors.insert(name, self.events.len());
                    }
                    anchored = true;
                }
                TokenKind::Tag { .. } if tag.is_none() => {
                    if let (TokenKind::Tag { handle, suffix }, mark) = self.take()? {
                        tag = Some(self.resolve_tag(handle, &suffix, start, mark)?);
                    }
                }
                _ => return Ok((anchored, tag.flatten())),
            }
        }
    }

    fn resolve_tag(
        &mut self,
        handle: &str,
        suffix: &str,
        start: Mark,
        mark: Mark,
    ) -> Result<Option<Tag>, Fault> {
        let prefix = self.handles.prefix(handle, start, mark)?;
        let tag = Tag::of(prefix, suffix);
        if tag == Some(Tag::Other) {
            self.tags.note(self.events.len(), handle, prefix, suffix);
        }
        Ok(tag)
    }

    fn list(
        &mut self,
        start: Mark,
        tag: Option<Tag>,
        depth: usize,
        items: fn(&mut Self, usize) -> Parsed,
    ) -> Parsed {
        let at = self.events.len();
        let flow = *self.peek()? == TokenKind::FlowListStart;
        self.push(EventKind::List { end: 0, flow }, start, tag);
        let depth = self.deeper(depth)?;
        items(self, depth)?;
        self.events[at].kind = EventKind::List { end: self.events.len(), flow };
        Ok(())
    }

    fn map(
        &mut self,
        start: Mark,
        tag: Option<Tag>,
        depth: usize,
        entries: fn(&mut Self, usize) -> Parsed,
    ) -> Parsed {
        let at = self.events.len();
        let flow = *self.peek()? != TokenKind::BlockMapStart;
        self.push(EventKind::Map { end: 0, flow }, start, tag);
        let depth = self.deeper(depth)?;
        entries(self, depth)?;
        self.events[at].kind = EventKind::Map { end: self.events.len(), flow };
        Ok(())
    }

    fn deeper(&mut self, depth: usize) -> Result<usize, Fault> {
        if depth >= self.depth {
            let problem = format!("exceeded max depth of {}", self.depth);
            let mark = self.mark()?;
            return Err(Fault::parser(mark, mark, problem).of_limit());
        }
        Ok(depth + 1)
    }

    fn block_items(&mut self, depth: usize) -> Parsed {
        let (_, start) = self.take()?;
        loop {
            let mark = self.mark()?;
            if self.accept(&TokenKind::BlockEnd)? {
                return Ok(());
            }
            if !self.accept(&TokenKind::BlockEntry)? {
                return Err(Fault::parser(start, mark, "did not find expected '-' indicator").into());
            }
            match self.peek()? {
                TokenKind::BlockEntry | TokenKind::BlockEnd => self.empty(mark),
                _ => self.node(Context::Block, depth)?,
            }
        }
    }

    fn indentless_items(&mut self, depth: usize) -> Parsed {
        loop {
            let mark = self.mark()?;
            if !self.accept(&TokenKind::BlockEntry)? {
                return Ok(());
            }
            match self.peek()? {
                TokenKind::BlockEntry | TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                    self.empty(mark);
                }
                _ => self.node(Context::Block, depth)?,
            }
        }
    }

    fn block_entries(&mut self, depth: usize) -> Parsed {
        let (_, start) = self.take()?;
        loop {
            let mark = self.mark()?;
            if self.accept(&TokenKind::BlockEnd)? {
                return Ok(());
            }
            if !self.accept(&TokenKind::Key)? {
                return Err(Fault::parser(start, mark, "did not find expected key").into());
            }
            self.block_side(mark, depth)?;
            let mark = self.mark()?;
            if self.accept(&TokenKind::Value)? {
                self.block_side(mark, depth)?;
            } else {
                self.empty(mark);
            }
        }
    }

    /// A key or a value of a block map, or nothing.
    fn block_side(&mut self, mark: Mark, depth: usize) -> Parsed {
        match self.peek()? {
            TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                self.empty(mark);
                Ok(())
            }
            _ => self.node(Context::BlockOrIndentless, depth),
        }
    }
}
