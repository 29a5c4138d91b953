//! What the scanner yields.

use std::borrow::Cow;

use super::Mark;
use crate::Style;

/// A token and where it starts.
#[derive(Debug)]
pub(in crate::read) struct Token<'a> {
    pub(in crate::read) kind: TokenKind<'a>,
    pub(in crate::read) start: Mark,
}

#[derive(Debug, PartialEq, Eq)]
pub(in crate::read) enum TokenKind<'a> {
    StreamEnd,
    VersionDirective {
        major: u32,
        minor: u32,
    },
    TagDirective {
        handle: &'a str,
        prefix: Box<str>,
    },
    DocumentStart,
    DocumentEnd,
    BlockListStart,
    BlockMapStart,
    BlockEnd,
    FlowListStart,
    FlowListEnd,
    FlowMapStart,
    FlowMapEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(&'a str),
    Anchor(&'a str),
    /// A verbatim tag has an empty handle.
    Tag {
        handle: &'a str,
        suffix: Box<str>,
    },
    Scalar {
        text: Cow<'a, str>,
        style: Style,
    },
}

/// A syntax error; boxed, so that results are small and a level of nesting costs little stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::read) struct Fault(Box<FaultParts>);

/// The two places that go-yaml's versions choose from, and more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::read) struct FaultParts {
    pub(in crate::read) problem: String,
    /// Where the construct began; line 0 where there is none.
    pub(in crate::read) context: Mark,
    pub(in crate::read) place: Mark,
    /// Whether the scanner found it: its lines are counted from 1, the parser's from 0.
    pub(in crate::read) scanner: bool,
    /// Whether a limit of ours is behind it.
    pub(in crate::read) limit: bool,
}

impl Fault {
    #[cold]
    pub(super) fn scanner(context: Mark, place: Mark, problem: impl Into<String>) -> Self {
        Self(Box::new(FaultParts { problem: problem.into(), context, place, scanner: true, limit: false }))
    }

    /// An error of the parser, inside a construct that began at `context`.
    #[cold]
    pub(in crate::read) fn parser(context: Mark, place: Mark, problem: impl Into<String>) -> Self {
        Self(Box::new(FaultParts { problem: problem.into(), context, place, scanner: false, limit: false }))
    }

    /// The same error with a limit of ours behind it.
    pub(in crate::read) fn of_limit(mut self) -> Self {
        self.0.limit = true;
        self
    }

    pub(in crate::read) fn parts(&self) -> &FaultParts {
        &self.0
    }
}
