//! Scalars without quotes.

use std::borrow::Cow;

use super::{Fault, Scanner, TokenKind};
use crate::Style;

/// Text that is borrowed until a line is folded.
#[derive(Debug)]
pub(super) struct Folded<'a> {
    borrowed: Option<&'a str>,
    owned: String,
}

impl<'a> Folded<'a> {
    pub(super) fn new() -> Self {
        Self { borrowed: None, owned: String::new() }
    }

    pub(super) fn push_str(&mut self, text: &'a str) {
        match self.borrowed {
            None if self.owned.is_empty() => self.borrowed = Some(text),
            _ => self.owned_mut().push_str(text),
        }
    }

    pub(super) fn push(&mut self, character: char) {
        self.owned_mut().push(character);
    }

    /// Joins lines: one break becomes a blank, of more the first is dropped.
    pub(super) fn fold(&mut self, first: &str, others: &str) {
        let owned = self.owned_mut();
        if first.starts_with('\n') {
            owned.push_str(if others.is_empty() { " " } else { others });
        } else {
            owned.push_str(first);
            owned.push_str(others);
        }
    }

    pub(super) fn finish(self) -> Cow<'a, str> {
        match self.borrowed {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(self.owned),
        }
    }

    fn owned_mut(&mut self) -> &mut String {
        if let Some(text) = self.borrowed.take() {
            self.owned.push_str(text);
        }
        &mut self.owned
    }
}

impl<'a> Scanner<'a> {
    pub(super) fn plain(&mut self) -> Result<(), Fault> {
        self.save_key()?;
        self.keys.allowed = false;
        let start = self.cursor.mark();
        let mut text = Folded::new();
        let mut folded = false;
        loop {
            if self.cursor.at_document_indicator() || self.cursor.byte(0) == b'#' {
                break;
            }
            let line = self.plain_line();
            text.push_str(line);
            let Some((first, others)) = self.plain_breaks(start)? else { break };
            folded = true;
            let shallow = self.cursor.mark().column.cast_signed() < self.indent + 1;
            if (self.flow_level == 0 && shallow) || !self.plain_continues() {
                break;
            }
            text.fold(first, &others);
            folded = false;
        }
        if folded {
            self.keys.allowed = true;
        }
        self.push(TokenKind::Scalar { text: text.finish(), style: Style::Plain }, start);
        Ok(())
    }

    /// Whether text of the same scalar stands here.
    fn plain_continues(&self) -> bool {
        let cursor = &self.cursor;
        cursor.first().is_some()
            && !cursor.at_document_indicator()
            && cursor.byte(0) != b'#'
            && !self.ends_plain(0)
    }

    /// Whether the character that many bytes ahead ends a plain scalar.
    fn ends_plain(&self, ahead: usize) -> bool {
        match self.cursor.byte(ahead) {
            b':' => self.cursor.is_blank_or_end(ahead + 1),
            b',' | b'?' | b'[' | b']' | b'{' | b'}' => self.flow_level > 0,
            _ => false,
        }
    }

    /// The rest of the scalar on this line, without blanks at its end. Leaves the cursor after those.
    fn plain_line(&mut self) -> &'a str {
        let start = self.cursor.offset();
        let (mut ahead, mut length) = (0, 0);
        loop {
            match self.cursor.byte(ahead) {
                b' ' | b'\t' => {
                    ahead += 1;
                    if self.cursor.byte(ahead) == b'#' {
                        break;
                    }
                    continue;
                }
                0 | b'\n' | b'\r' => break,
                0xc2 | 0xe2 if self.cursor.break_length(ahead) > 0 => break,
                b':' | b',' | b'?' | b'[' | b']' | b'{' | b'}' if self.ends_plain(ahead) => break,
                _ => {}
            }
            ahead += 1;
            length = ahead;
        }
        self.cursor.skip_to(start + ahead);
        self.cursor.slice(start, start + length)
    }

    /// Moves over line breaks and blanks; `None` where no line break follows.
    fn plain_breaks(&mut self, start: super::Mark) -> Result<Option<(&'a str, String)>, Fault> {
        if !self.cursor.is_break() {
            return Ok(None);
        }
        let first = self.cursor.read_break();
        let mut others = String::new();
        loop {
            if self.cursor.is_blank() {
                let shallow = self.cursor.mark().column.cast_signed() < self.indent + 1;
                if shallow && self.cursor.byte(0) == b'\t' {
                    return Err(self.fault(Some(start), "found a tab character that violates indentation"));
                }
                self.cursor.skip_ascii(1);
            } else if self.cursor.is_break() {
                others.push_str(self.cursor.read_break());
            } else {
                return Ok(Some((first, others)));
            }
        }
    }
}
