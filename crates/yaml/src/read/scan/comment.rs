//! Comments: what text says beside its values.
//!
//! go-yaml decides while it scans whether a comment heads what follows, belongs to its line, or closes what stands before.
//! Its rules look at columns, blank lines and a window of bytes ahead; they are followed to the letter, oddities included,
//! because they decide where a comment stands once the text is printed again.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::{Mark, Scanner, TokenKind};

/// How many bytes ahead comments are looked for.
const WINDOW: usize = 512;

/// Where a comment goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::read) enum CommentKind {
    /// Above what follows.
    Head,
    /// At the end of a line.
    Line,
    /// Below what stands before.
    Foot,
}

/// A comment, perhaps of several lines, each with its `#`.
#[derive(Debug)]
pub(in crate::read) struct Comment<'a> {
    pub(in crate::read) kind: CommentKind,
    pub(in crate::read) text: Cow<'a, str>,
    /// The token that starts here, or the first one after, has the comment.
    token: Mark,
    /// Where the search began that found it.
    scan: Mark,
    start: Mark,
    end: Mark,
}

/// The comments that no token has taken yet, in order.
#[derive(Debug, Default)]
pub(super) struct Comments<'a>(VecDeque<Comment<'a>>);

impl<'a> Comments<'a> {
    /// The next comment, if the token that starts at `index` has it. Ends of blocks have no head.
    fn next_for(&mut self, index: usize, is_block_end: bool) -> Option<Comment<'a>> {
        let is_due = |comment: &Comment<'_>| {
            index >= comment.token.index && !(is_block_end && comment.kind == CommentKind::Head)
        };
        if self.0.front().is_some_and(is_due) { self.0.pop_front() } else { None }
    }

    /// Where a block of that indentation ends: before the comments that are no deeper, if they directly precede `end`.
    fn block_end(&self, mut end: Mark, indent: isize) -> Mark {
        let mut stop = end.index;
        for comment in self.0.iter().rev() {
            if comment.end.index < stop {
                break;
            }
            if comment.start.column.cast_signed() == indent + 1 {
                end = comment.start;
            }
            stop = comment.scan.index;
        }
        end
    }
}

/// A run of comments that is being read.
struct Run {
    text: String,
    scan: Mark,
    token: Mark,
    start: Mark,
}

impl Run {
    /// The comment up to `end`, after which another one may follow.
    fn cut<'a>(&mut self, kind: CommentKind, token: Mark, end: Mark) -> Comment<'a> {
        let text = Cow::Owned(std::mem::take(&mut self.text));
        let comment = Comment { kind, text, token, scan: self.scan, start: self.start, end };
        (self.scan, self.token) = (end, end);
        comment
    }
}

impl<'a> Scanner<'a> {
    /// The next comment that belongs to the token which [`Self::peek`] shows.
    pub(in crate::read) fn take_comment(&mut self) -> Option<Comment<'a>> {
        let token = self.queue.front()?;
        let (index, is_block_end) = (token.start.index, token.kind == TokenKind::BlockEnd);
        self.comments.as_mut()?.next_for(index, is_block_end)
    }

    /// Where the block ends that is closed here; `end` is where the one inside of it ended.
    pub(super) fn block_end(&self, end: Mark) -> Mark {
        self.comments.as_ref().map_or(end, |comments| comments.block_end(end, self.indent))
    }

    /// The token that a comment behind the one that starts with `first` belongs to.
    pub(super) fn comment_owner(&self, first: u8) -> Mark {
        let closes = if self.flow_level > 0 { b',' } else { b':' };
        match self.queue.back() {
            Some(last) if first == closes => last.start,
            Some(_) | None => self.cursor.mark(),
        }
    }

    /// Like [`Self::skip_to_token`], with an eye on comments.
    pub(super) fn read_to_token(&mut self) {
        let scan = self.cursor.mark();
        loop {
            self.skip_separation();
            self.head_first_item();
            if self.cursor.byte(0) == b'#' {
                self.read_comments(scan);
            }
            if !self.skip_line_break() {
                return;
            }
        }
    }

    /// A comment behind a key whose list begins on the next line heads the list's first item.
    fn head_first_item(&mut self) {
        let mut last = self.queue.iter().rev().map(|token| &token.kind);
        let begins =
            last.next() == Some(&TokenKind::BlockEntry) && last.next() == Some(&TokenKind::BlockListStart);
        let comment = self.comments.as_mut().and_then(|comments| comments.0.back_mut());
        if let Some(comment) = comment.filter(|comment| begins && comment.kind == CommentKind::Line)
            && !self.cursor.is_break()
        {
            comment.kind = CommentKind::Head;
            if comment.start.line + 1 == self.cursor.mark().line {
                comment.token = self.cursor.mark();
            }
        }
    }

    /// Reads a comment at the end of this line.
    pub(super) fn read_line_comment(&mut self, token: Mark) {
        if self.comments.is_none() || self.cursor.breaks_behind() > 0 {
            return;
        }
        let blanks = (0..WINDOW).take_while(|ahead| matches!(self.cursor.byte(*ahead), b' ' | b'\t')).count();
        if blanks == WINDOW || self.cursor.byte(blanks) != b'#' {
            return;
        }
        self.cursor.skip_ascii(blanks);
        let start = self.cursor.mark();
        let text = self.comment_line();
        let (kind, none) = (CommentKind::Line, Mark::default());
        self.add_comment(Comment { kind, text: text.into(), token, scan: none, start, end: none });
    }

    fn comment_line(&mut self) -> &'a str {
        let (start, end) = (self.cursor.offset(), self.cursor.line_end());
        self.cursor.skip_to(end);
        self.cursor.slice(start, end)
    }

    fn add_comment(&mut self, comment: Comment<'a>) {
        if let Some(comments) = &mut self.comments {
            comments.0.push_back(comment);
        }
    }

    /// Reads the comments from here on that stand on lines of their own, and tells heads from feet.
    fn read_comments(&mut self, scan: Mark) {
        let (token, after_value) = self.token_before();
        let mut run = Run { text: String::new(), scan, token, start: Mark::default() };
        let breaks = self.cursor.breaks_behind();
        let foot_line = self.foot_line(scan, breaks);
        let (mut first_empty, mut recent_empty) = (breaks <= 1, false);
        // The bytes that are looked at ahead of the cursor, and where they are; columns count from 1.
        let (mut peek, Mark { mut line, mut column, .. }) = (0, self.cursor.mark());
        while peek < WINDOW {
            column += 1;
            let byte = self.cursor.byte(peek);
            if matches!(byte, b' ' | b'\t') {
                peek += 1;
                continue;
            }
            let here = Mark { index: self.cursor.mark().index + peek, line, column };
            let closes = self.flow_level > 0 && matches!(byte, b']' | b'}');
            let breaks = self.cursor.break_length(peek) > 0;
            if closes || breaks || byte == 0 {
                let near = run.start.line.cast_signed() == foot_line && !after_value;
                if closes || (!recent_empty && first_empty && (near || self.is_dedented(run.start.column))) {
                    let token = if self.is_dedented(run.start.column) { run.start } else { run.token };
                    self.end_foot(&mut run, token, here);
                } else if !recent_empty && !run.text.is_empty() && byte != 0 {
                    run.text.push('\n');
                }
                if !breaks {
                    break;
                }
                (first_empty, recent_empty) = (false, true);
                (column, line, peek) = (0, line + 1, peek + 1);
                continue;
            }
            if self.is_dedented(column) && column != run.start.column {
                let token = run.token;
                self.end_foot(&mut run, token, here);
            }
            if byte != b'#' {
                break;
            }
            if run.text.is_empty() {
                run.start = here;
            } else {
                run.text.push('\n');
            }
            recent_empty = false;
            self.skip_bytes(peek);
            run.text.push_str(self.comment_line());
            // go-yaml goes on behind the first byte of the line break, but counts the line as this one.
            (peek, column, line) = (1, 0, self.cursor.mark().line);
        }
        if !run.text.is_empty() {
            let here = self.cursor.mark().index + peek;
            let (token, end) = (run.start, Mark { index: here - 1, line, column });
            let comment = run.cut(CommentKind::Head, token, end);
            self.add_comment(comment);
        }
    }

    /// Where the token starts that a foot would belong to, and whether it is a `:`.
    fn token_before(&self) -> (Mark, bool) {
        let mut last = self.queue.iter().rev();
        let mut token = last.next();
        if let (Some(TokenKind::FlowEntry), Some(before)) = (token.map(|token| &token.kind), last.next()) {
            token = Some(before);
        }
        token.map_or((Mark::default(), false), |token| (token.start, token.kind == TokenKind::Value))
    }

    /// The line on which a comment must start to be a foot of what stands before; -1 where nothing does.
    fn foot_line(&self, scan: Mark, breaks: usize) -> isize {
        if scan.line == 0 {
            return -1;
        }
        let mark = self.cursor.mark();
        let line = (mark.line + 1).cast_signed() - breaks.cast_signed();
        line + isize::from(breaks == 0 && mark.column > 1)
    }

    /// Whether a column, from 1, lies left of the current block.
    fn is_dedented(&self, column: usize) -> bool {
        column.cast_signed() - 1 < self.indent.max(0)
    }

    fn end_foot(&mut self, run: &mut Run, token: Mark, end: Mark) {
        if !run.text.is_empty() {
            let comment = run.cut(CommentKind::Foot, token, end);
            self.add_comment(comment);
        }
    }

    /// Moves over blanks and line breaks.
    fn skip_bytes(&mut self, count: usize) {
        let end = self.cursor.offset() + count;
        while self.cursor.offset() < end {
            if !self.cursor.skip_break() {
                self.cursor.skip_ascii(1);
            }
        }
    }
}
