//! Scalars in quotes.

use super::plain::Folded;
use super::{Fault, Mark, Scanner, TokenKind};
use crate::Style;

impl<'a> Scanner<'a> {
    pub(super) fn quoted(&mut self, single: bool) -> Result<(), Fault> {
        self.save_key()?;
        self.keys.allowed = false;
        let start = self.cursor.mark();
        self.cursor.skip_ascii(1);
        let mut text = Folded::new();
        loop {
            if self.cursor.at_document_indicator() {
                return Err(self.fault(Some(start), "found unexpected document indicator"));
            }
            if self.cursor.first().is_none() {
                return Err(self.fault(Some(start), "found unexpected end of stream"));
            }
            let escaped_break = self.quoted_words(single, start, &mut text)?;
            if !escaped_break && self.cursor.byte(0) == if single { b'\'' } else { b'"' } {
                break;
            }
            self.quoted_blanks(escaped_break, &mut text);
        }
        self.cursor.skip_ascii(1);
        let style = if single { Style::SingleQuoted } else { Style::DoubleQuoted };
        self.push(TokenKind::Scalar { text: text.finish(), style }, start);
        Ok(())
    }

    /// Reads up to a blank, a break or the closing quote; whether an escaped line break ended it.
    fn quoted_words(&mut self, single: bool, start: Mark, text: &mut Folded<'a>) -> Result<bool, Fault> {
        loop {
            let run = self.cursor.offset();
            let mut ahead = 0;
            let stop = loop {
                match self.cursor.byte(ahead) {
                    stop @ (0 | b'\n' | b'\r') => break stop,
                    0xc2 | 0xe2 if self.cursor.break_length(ahead) > 0 => break b'\n',
                    b' ' | b'\t' => {
                        // Blanks inside a line are part of the text; before a line break they are not.
                        let after = self.after_blanks(ahead);
                        if self.cursor.byte(after) == 0 || self.cursor.break_length(after) > 0 {
                            break b' ';
                        }
                        ahead = after;
                    }
                    b'\'' if single => break b'\'',
                    stop @ (b'"' | b'\\') if !single => break stop,
                    _ => ahead += 1,
                }
            };
            if ahead > 0 {
                text.push_str(self.cursor.slice(run, run + ahead));
                self.cursor.skip_to(run + ahead);
            }
            match stop {
                b'\'' if self.cursor.byte(1) == b'\'' => {
                    text.push('\'');
                    self.cursor.skip_ascii(2);
                }
                b'\\' if self.cursor.break_length(1) > 0 => {
                    self.cursor.skip_ascii(1);
                    self.cursor.skip_break();
                    return Ok(true);
                }
                b'\\' => {
                    let character = self.escape(start)?;
                    text.push(character);
                }
                _ => return Ok(false),
            }
        }
    }

    /// How many bytes ahead the blanks end that start that many bytes ahead.
    fn after_blanks(&self, mut ahead: usize) -> usize {
        while matches!(self.cursor.byte(ahead), b' ' | b'\t') {
            ahead += 1;
        }
        ahead
    }

    /// Moves over blanks and line breaks and folds them.
    fn quoted_blanks(&mut self, after_escaped_break: bool, text: &mut Folded<'a>) {
        let mut first = None;
        let mut others = String::new();
        loop {
            if self.cursor.is_blank() {
                self.cursor.skip_ascii(1);
            } else if self.cursor.is_break() {
                let line_break = self.cursor.read_break();
                if first.is_none() && !after_escaped_break {
                    first = Some(line_break);
                } else {
                    others.push_str(line_break);
                }
            } else {
                break;
            }
        }
        match first {
            Some(first) => text.fold(first, &others),
            None => text.fold("", &others),
        }
    }

    /// Reads an escape sequence of a double-quoted scalar.
    fn escape(&mut self, start: Mark) -> Result<char, Fault> {
        let (character, digits) = match self.cursor.byte(1) {
            b'0' => ('\0', 0),
            b'a' => ('\u{7}', 0),
            b'b' => ('\u{8}', 0),
            b't' | b'\t' => ('\t', 0),
            b'n' => ('\n', 0),
            b'v' => ('\u{b}', 0),
            b'f' => ('\u{c}', 0),
            b'r' => ('\r', 0),
            b'e' => ('\u{1b}', 0),
            b' ' => (' ', 0),
            b'"' => ('"', 0),
            b'\'' => ('\'', 0),
            b'\\' => ('\\', 0),
            b'N' => ('\u{85}', 0),
            b'_' => ('\u{a0}', 0),
            b'L' => ('\u{2028}', 0),
            b'P' => ('\u{2029}', 0),
            b'x' => ('x', 2),
            b'u' => ('u', 4),
            b'U' => ('U', 8),
            _ => return Err(self.fault(Some(start), "found unknown escape character")),
        };
        self.cursor.skip_ascii(2);
        if digits == 0 {
            return Ok(character);
        }
        let mut code = 0_u32;
        for ahead in 0..digits {
            let digit = char::from(self.cursor.byte(ahead)).to_digit(16);
            let digit =
                digit.ok_or_else(|| self.fault(Some(start), "did not find expected hexdecimal number"))?;
            code = (code << 4) | digit;
        }
        let character = char::from_u32(code);
        let character = character
            .ok_or_else(|| self.fault(Some(start), "found invalid Unicode character escape code"))?;
        self.cursor.skip_ascii(digits);
        Ok(character)
    }
}
