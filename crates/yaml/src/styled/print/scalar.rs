//! One scalar: choice of style, and how each style is written. Nothing is folded that wasn't.

use super::analysis::{Allowed, analyze};
use super::{Printer, tag};
use crate::Style;
use crate::print::{is_break, is_printable, write_escape};
use crate::styled::Node;

impl Printer<'_> {
    pub(super) fn scalar(&mut self, node: &Node, text: &str, style: Style) {
        let wanted = match style {
            Style::Plain if text.contains('\n') => Style::Literal,
            Style::Plain if tag::wants_quotes(node, text) => Style::DoubleQuoted,
            style => style,
        };
        let style = self.choose(wanted, text, analyze(text));
        self.write_anchor(node);
        let tag = tag::presented(node);
        self.write_tag(tag.as_ref());
        self.increase_indent(true, false);
        match style {
            Style::Plain => self.write_plain(text),
            Style::SingleQuoted => self.write_single_quoted(text),
            Style::DoubleQuoted => self.write_double_quoted(text),
            Style::Literal => self.write_literal(text),
            Style::Folded => self.write_folded(text),
        }
        self.decrease_indent();
    }

    fn choose(&self, wanted: Style, text: &str, allowed: Allowed) -> Style {
        let flow = self.flow_level > 0;
        let mut style = wanted;
        if self.simple_key && allowed.multi_line {
            style = Style::DoubleQuoted;
        }
        if style == Style::Plain {
            let plain = if flow { allowed.flow_plain } else { allowed.block_plain };
            if !plain || (text.is_empty() && (flow || self.simple_key)) {
                style = Style::SingleQuoted;
            }
        }
        match style {
            Style::SingleQuoted if !allowed.single_quoted => Style::DoubleQuoted,
            Style::Literal | Style::Folded if !allowed.block || flow || self.simple_key => {
                Style::DoubleQuoted
            }
            style => style,
        }
    }

    fn write_plain(&mut self, text: &str) {
        if !text.is_empty() {
            if !self.whitespace {
                self.put(' ');
            }
            self.put_str(text);
            self.whitespace = false;
        }
        self.indention = false;
    }

    fn write_single_quoted(&mut self, text: &str) {
        self.write_indicator("'", true, false, false);
        let mut breaks = false;
        for character in text.chars() {
            if is_break(character) {
                if !breaks && character == '\n' {
                    self.put_break();
                }
                self.put_any_break(character);
                breaks = true;
                continue;
            }
            if character != ' ' {
                if std::mem::take(&mut breaks) {
                    self.write_indent();
                }
                self.indention = false;
            }
            if character == '\'' {
                self.put('\'');
            }
            self.put(character);
        }
        self.write_indicator("'", false, false, false);
    }

    fn write_double_quoted(&mut self, text: &str) {
        self.write_indicator("\"", true, false, false);
        // go-yaml looks for a byte order mark at the start of the text, whatever character it is about to write.
        let escape_all = text.starts_with('\u{feff}');
        let start = self.out.len();
        for character in text.chars() {
            if escape_all
                || !is_printable(character)
                || is_break(character)
                || matches!(character, '"' | '\\')
            {
                write_escape(&mut self.out, character);
            } else {
                self.out.push(character);
            }
        }
        self.column += self.out[start..].chars().count().cast_signed();
        self.write_indicator("\"", false, false, false);
    }

    /// What follows `|` or `>`: indentation where the text hides it, and what becomes of its last line breaks.
    fn write_block_header(&mut self, indicator: &str, text: &str) {
        self.write_indicator(indicator, true, false, false);
        if text.starts_with(|first| first == ' ' || is_break(first)) {
            self.write_indicator("2", false, false, false);
        }
        let mut ending = text.chars().rev();
        let chomp = match (ending.next().is_some_and(is_break), ending.next()) {
            (false, _) => "-",
            (true, None) => "+",
            (true, Some(before)) if is_break(before) => "+",
            (true, Some(_)) => "",
        };
        if !chomp.is_empty() {
            self.write_indicator(chomp, false, false, false);
        }
        if self.waiting.line.is_empty() {
            self.put_break();
        }
        self.write_line();
        self.whitespace = true;
    }

    fn write_literal(&mut self, text: &str) {
        self.write_block_header("|", text);
        let mut breaks = true;
        for character in text.chars() {
            if is_break(character) {
                self.put_any_break(character);
                breaks = true;
                continue;
            }
            if std::mem::take(&mut breaks) {
                if self.is_full() {
                    return;
                }
                self.write_indent();
            }
            self.put(character);
            self.indention = false;
        }
    }

    fn write_folded(&mut self, text: &str) {
        self.write_block_header(">", text);
        let starts_blank = text.trim_start_matches(is_break).starts_with([' ', '\t']);
        let is_blank_after_breaks = starts_blank || text.chars().all(is_break);
        let (mut breaks, mut leading_blank) = (true, true);
        for character in text.chars() {
            if is_break(character) {
                if !breaks && !leading_blank && character == '\n' && !is_blank_after_breaks {
                    self.put_break();
                }
                self.put_any_break(character);
                breaks = true;
                continue;
            }
            if std::mem::take(&mut breaks) {
                if self.is_full() {
                    return;
                }
                self.write_indent();
                leading_blank = matches!(character, ' ' | '\t');
            }
            self.put(character);
            self.indention = false;
        }
    }
}
