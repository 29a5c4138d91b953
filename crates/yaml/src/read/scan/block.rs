//! Literal (`|`) and folded (`>`) scalars.

use super::{Fault, Mark, Scanner, TokenKind};
use crate::Style;

/// What happens to line breaks at a block scalar's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chomp {
    Strip,
    Clip,
    Keep,
}

impl Scanner<'_> {
    pub(super) fn block_scalar(&mut self, literal: bool) -> Result<(), Fault> {
        self.remove_key()?;
        self.keys.allowed = true;
        let start = self.cursor.mark();
        self.cursor.skip_ascii(1);
        let (chomp, increment) = self.block_header(start)?;
        let mut indent = increment.map_or(0, |increment| {
            usize::try_from(self.indent).map_or(increment, |indent| indent + increment)
        });
        let text = self.block_text(literal, chomp, &mut indent, start)?;
        let style = if literal { Style::Literal } else { Style::Folded };
        self.push(TokenKind::Scalar { text: text.into(), style }, start);
        Ok(())
    }

    /// The indicators after `|` or `>`, in either order, and the rest of that line.
    fn block_header(&mut self, start: Mark) -> Result<(Chomp, Option<usize>), Fault> {
        let mut chomp = self.chomp_indicator();
        let increment = self.indent_indicator(start)?;
        if chomp.is_none() && increment.is_some() {
            chomp = self.chomp_indicator();
        }
        self.cursor.skip_blanks();
        self.read_line_comment(start);
        self.cursor.skip_comment();
        if !self.cursor.is_break_or_end() {
            return Err(self.fault(Some(start), "did not find expected comment or line break"));
        }
        self.cursor.skip_break();
        Ok((chomp.unwrap_or(Chomp::Clip), increment))
    }

    fn chomp_indicator(&mut self) -> Option<Chomp> {
        let chomp = match self.cursor.byte(0) {
            b'+' => Chomp::Keep,
            b'-' => Chomp::Strip,
            _ => return None,
        };
        self.cursor.skip_ascii(1);
        Some(chomp)
    }

    fn indent_indicator(&mut self, start: Mark) -> Result<Option<usize>, Fault> {
        match self.cursor.byte(0) {
            b'0' => Err(self.fault(Some(start), "found an indentation indicator equal to 0")),
            digit @ b'1'..=b'9' => {
                self.cursor.skip_ascii(1);
                Ok(Some(usize::from(digit - b'0')))
            }
            _ => Ok(None),
        }
    }

    fn block_text(
        &mut self,
        literal: bool,
        chomp: Chomp,
        indent: &mut usize,
        start: Mark,
    ) -> Result<String, Fault> {
        let mut text = String::new();
        let mut leading_break = "";
        let mut trailing_breaks = String::new();
        let mut leading_blank = false;
        self.block_breaks(indent, &mut trailing_breaks, start)?;
        while self.cursor.mark().column == *indent && self.cursor.first().is_some() {
            let blank = self.cursor.is_blank();
            if !literal && !leading_blank && !blank && leading_break.starts_with('\n') {
                if trailing_breaks.is_empty() {
                    text.push(' ');
                }
            } else {
                text.push_str(leading_break);
            }
            text.push_str(&trailing_breaks);
            trailing_breaks.clear();
            leading_blank = blank;
            let (line, end) = (self.cursor.offset(), self.cursor.line_end());
            text.push_str(self.cursor.slice(line, end));
            self.cursor.skip_to(end);
            leading_break = self.cursor.read_break();
            self.block_breaks(indent, &mut trailing_breaks, start)?;
        }
        if chomp != Chomp::Strip {
            text.push_str(leading_break);
        }
        if chomp == Chomp::Keep {
            text.push_str(&trailing_breaks);
        }
        Ok(text)
    }

    /// Moves over indentation and empty lines; finds the indentation out where it isn't known yet.
    fn block_breaks(&mut self, indent: &mut usize, breaks: &mut String, start: Mark) -> Result<(), Fault> {
        let mut deepest = 0;
        loop {
            while (*indent == 0 || self.cursor.mark().column < *indent) && self.cursor.byte(0) == b' ' {
                self.cursor.skip_ascii(1);
            }
            let column = self.cursor.mark().column;
            deepest = deepest.max(column);
            if (*indent == 0 || column < *indent) && self.cursor.byte(0) == b'\t' {
                let problem = "found a tab character where an indentation space is expected";
                return Err(self.fault(Some(start), problem));
            }
            if !self.cursor.is_break() {
                break;
            }
            breaks.push_str(self.cursor.read_break());
        }
        if *indent == 0 {
            *indent = deepest.max((self.indent + 1).unsigned_abs()).max(1);
        }
        Ok(())
    }
}
