//! From text to tokens: the YAML 1.1 scanner as go-yaml has it, with its error texts.

mod block;
mod comment;
mod cursor;
mod plain;
mod quoted;
mod simple_key;
mod tag;
mod token;

use std::collections::VecDeque;

use comment::Comments;
pub(super) use comment::{Comment, CommentKind};
use cursor::Cursor;
pub(super) use cursor::{Mark, first_control_character};
use simple_key::SimpleKeys;
pub(super) use token::{Fault, Token, TokenKind};

use super::Resolver;

/// Makes tokens of text, as many ahead as simple keys demand.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    cursor: Cursor<'a>,
    queue: VecDeque<Token<'a>>,
    /// How many tokens have left the queue.
    taken: usize,
    /// How many tokens the queue holds at least before one is shown: go-yaml v3 looks further ahead than v2.
    lookahead: usize,
    keys: SimpleKeys,
    indent: isize,
    indents: Vec<isize>,
    flow_level: usize,
    depth: usize,
    /// Where comments matter: those that belong to tokens to come.
    comments: Option<Comments<'a>>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str, resolver: Resolver, depth: usize) -> Self {
        let lookahead = match resolver {
            Resolver::Kubernetes => 1,
            Resolver::Kustomize => 3,
        };
        Self {
            cursor: Cursor::new(text),
            queue: VecDeque::with_capacity(8),
            taken: 0,
            lookahead,
            keys: SimpleKeys::new(),
            indent: -1,
            indents: Vec::new(),
            flow_level: 0,
            depth,
            comments: None,
        }
    }

    /// One that keeps comments, as go-yaml v3 does, and closes blocks before those that follow them.
    pub(super) fn with_comments(text: &'a str, depth: usize) -> Self {
        Self { comments: Some(Comments::default()), ..Self::new(text, Resolver::Kustomize, depth) }
    }

    /// The next token; after the last one, the end of the stream again and again.
    pub(super) fn peek(&mut self) -> Result<&Token<'a>, Fault> {
        while self.queue.len() < self.lookahead || self.keys.is_possible(self.taken, self.cursor.mark())? {
            self.fetch()?;
        }
        Ok(&self.queue[0])
    }

    /// Takes the token that [`Self::peek`] has shown.
    pub(super) fn take(&mut self) -> Option<Token<'a>> {
        self.taken += 1;
        self.queue.pop_front()
    }

    fn push(&mut self, kind: TokenKind<'a>, start: Mark) {
        self.queue.push_back(Token { kind, start });
    }

    fn next_number(&self) -> usize {
        self.taken + self.queue.len()
    }

    /// Appends at least one token.
    fn fetch(&mut self) -> Result<(), Fault> {
        let from = self.cursor.mark();
        if self.comments.is_some() {
            self.read_to_token();
        } else {
            self.skip_to_token();
        }
        let column = self.cursor.mark().column;
        self.unroll_to(column.cast_signed(), from);
        let Some(first) = self.cursor.first() else { return self.stream_end() };
        if column == 0 {
            if first == b'%' {
                return self.directive();
            }
            if self.cursor.at_document_indicator() {
                return self.document_indicator();
            }
        }
        let owner = self.comment_owner(first);
        self.fetch_token(first)?;
        // A comment behind a `-` heads the item.
        if self.queue.back().is_none_or(|last| last.kind != TokenKind::BlockEntry) {
            self.read_line_comment(owner);
        }
        Ok(())
    }

    /// Appends the token that starts here with `first`, and those that it makes of tokens before.
    fn fetch_token(&mut self, first: u8) -> Result<(), Fault> {
        let separate = self.cursor.is_blank_or_end(1);
        let flow = self.flow_level > 0;
        match first {
            b'[' => self.flow_start(TokenKind::FlowListStart),
            b'{' => self.flow_start(TokenKind::FlowMapStart),
            b']' => self.flow_end(TokenKind::FlowListEnd),
            b'}' => self.flow_end(TokenKind::FlowMapEnd),
            b',' => self.flow_entry(),
            b'-' if separate => self.block_entry(),
            b'?' if flow || separate => self.key(),
            b':' if flow || separate => self.value(),
            b'*' | b'&' => self.anchor(first == b'&'),
            b'!' => self.tag(),
            b'|' | b'>' if !flow => self.block_scalar(first == b'|'),
            b'\'' | b'"' => self.quoted(first == b'\''),
            b'#' | b'|' | b'>' | b'%' | b'@' | b'`' | b'\t' => {
                Err(self.fault(None, "found character that cannot start any token"))
            }
            // Also `-`, `?` and `:`, with something attached to them.
            _ => self.plain(),
        }
    }

    /// A scanner error at this place; `context` is where the construct began.
    #[cold]
    fn fault(&self, context: Option<Mark>, problem: impl Into<String>) -> Fault {
        let here = self.cursor.mark();
        Fault::scanner(context.unwrap_or(here), here, problem)
    }

    /// Skips blanks, comments and line breaks. A TAB counts as blank only where no key may start.
    fn skip_to_token(&mut self) {
        loop {
            self.skip_separation();
            self.cursor.skip_comment();
            if !self.skip_line_break() {
                return;
            }
        }
    }

    fn skip_separation(&mut self) {
        let tabs = self.flow_level > 0 || !self.keys.allowed;
        self.cursor.skip_while(|byte| byte == b' ' || (tabs && byte == b'\t'));
    }

    /// Skips a line break, after which a key may start; whether there was one.
    fn skip_line_break(&mut self) -> bool {
        let skipped = self.cursor.skip_break();
        if skipped && self.flow_level == 0 {
            self.keys.allowed = true;
        }
        skipped
    }

    /// Opens a block collection if the column is deeper than the current one; `number` is the token it goes before.
    fn roll_indent(&mut self, kind: TokenKind<'a>, number: Option<usize>, mark: Mark) -> Result<(), Fault> {
        let column = mark.column.cast_signed();
        if self.flow_level > 0 || self.indent >= column {
            return Ok(());
        }
        self.indents.push(self.indent);
        self.indent = column;
        if self.indents.len() > self.depth {
            return Err(self.fault(None, self.too_deep()).of_limit());
        }
        let token = Token { kind, start: mark };
        self.insert(number, token);
        Ok(())
    }

    /// Puts a token before the one of that number; at the end where that one is gone or none is given.
    fn insert(&mut self, number: Option<usize>, token: Token<'a>) {
        match number.and_then(|number| number.checked_sub(self.taken)) {
            Some(position) => self.queue.insert(position, token),
            None => self.queue.push_back(token),
        }
    }

    fn too_deep(&self) -> String {
        format!("exceeded max depth of {}", self.depth)
    }

    /// Closes block collections that are deeper than `column`; `from` is where the blanks and comments before it begin.
    fn unroll_to(&mut self, column: isize, from: Mark) {
        if self.flow_level > 0 {
            return;
        }
        let before = Mark { index: from.index.saturating_sub(1), ..from };
        let mut end = if self.comments.is_some() { before } else { self.cursor.mark() };
        while self.indent > column {
            end = self.block_end(end);
            self.push(TokenKind::BlockEnd, end);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    /// Closes all block collections.
    fn unroll_all(&mut self) {
        self.unroll_to(-1, self.cursor.mark());
    }

    fn save_key(&mut self) -> Result<(), Fault> {
        let mark = self.cursor.mark();
        let required = self.flow_level == 0 && self.indent == mark.column.cast_signed();
        let number = self.next_number();
        self.keys.save(required, number, mark)
    }

    fn remove_key(&mut self) -> Result<(), Fault> {
        let mark = self.cursor.mark();
        self.keys.remove(mark)
    }

    fn stream_end(&mut self) -> Result<(), Fault> {
        self.cursor.force_new_line();
        self.unroll_all();
        self.remove_key()?;
        self.keys.allowed = false;
        self.push(TokenKind::StreamEnd, self.cursor.mark());
        Ok(())
    }

    fn document_indicator(&mut self) -> Result<(), Fault> {
        self.unroll_all();
        self.remove_key()?;
        self.keys.allowed = false;
        let kind =
            if self.cursor.first() == Some(b'-') { TokenKind::DocumentStart } else { TokenKind::DocumentEnd };
        self.push(kind, self.cursor.mark());
        self.cursor.skip_ascii(3);
        Ok(())
    }

    fn directive(&mut self) -> Result<(), Fault> {
        self.unroll_all();
        self.remove_key()?;
        self.keys.allowed = false;
        self.scan_directive()
    }

    fn flow_start(&mut self, kind: TokenKind<'a>) -> Result<(), Fault> {
        self.save_key()?;
        self.keys.open(self.next_number(), self.cursor.mark());
        self.flow_level += 1;
        if self.flow_level > self.depth {
            return Err(self.fault(None, self.too_deep()).of_limit());
        }
        self.keys.allowed = true;
        self.indicator(kind);
        Ok(())
    }

    fn flow_end(&mut self, kind: TokenKind<'a>) -> Result<(), Fault> {
        self.remove_key()?;
        if self.flow_level > 0 {
            self.flow_level -= 1;
            self.keys.close();
        }
        self.keys.allowed = false;
        self.indicator(kind);
        Ok(())
    }

    fn flow_entry(&mut self) -> Result<(), Fault> {
        self.remove_key()?;
        self.keys.allowed = true;
        self.indicator(TokenKind::FlowEntry);
        Ok(())
    }

    fn block_entry(&mut self) -> Result<(), Fault> {
        if self.flow_level == 0 {
            if !self.keys.allowed {
                return Err(self.fault(None, "block sequence entries are not allowed in this context"));
            }
            self.roll_indent(TokenKind::BlockListStart, None, self.cursor.mark())?;
        }
        self.remove_key()?;
        self.keys.allowed = true;
        self.indicator(TokenKind::BlockEntry);
        Ok(())
    }

    fn key(&mut self) -> Result<(), Fault> {
        if self.flow_level == 0 {
            if !self.keys.allowed {
                return Err(self.fault(None, "mapping keys are not allowed in this context"));
            }
            self.roll_indent(TokenKind::BlockMapStart, None, self.cursor.mark())?;
        }
        self.remove_key()?;
        self.keys.allowed = self.flow_level == 0;
        self.indicator(TokenKind::Key);
        Ok(())
    }

    fn value(&mut self) -> Result<(), Fault> {
        let here = self.cursor.mark();
        if let Some((number, mark)) = self.keys.claim(here)? {
            self.insert(Some(number), Token { kind: TokenKind::Key, start: mark });
            self.roll_indent(TokenKind::BlockMapStart, Some(number), mark)?;
            self.keys.allowed = false;
        } else {
            if self.flow_level == 0 {
                if !self.keys.allowed {
                    return Err(self.fault(None, "mapping values are not allowed in this context"));
                }
                self.roll_indent(TokenKind::BlockMapStart, None, here)?;
            }
            self.keys.allowed = self.flow_level == 0;
        }
        self.indicator(TokenKind::Value);
        Ok(())
    }

    fn indicator(&mut self, kind: TokenKind<'a>) {
        self.push(kind, self.cursor.mark());
        self.cursor.skip_ascii(1);
    }
}
