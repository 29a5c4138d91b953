//! One scalar: choice of style, and how each style is written.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::analysis::{analyze, is_break, is_printable};
use crate::read::Resolver;
use crate::resolve::{self, Resolved};
use crate::{Scalar, ScalarKind, number};

/// Text is folded at a blank beyond this column.
const WIDTH: usize = 80;
/// A key of more bytes than this is written with `?`.
const SIMPLE_KEY_BYTES: usize = 128;

/// Where a scalar stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Before a `:` on the same line.
    Key,
    /// Anywhere else; further lines of the scalar start at this column.
    Value {
        /// The column.
        indent: usize,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
}

/// Whether a key can stand before a `:` on its line.
pub(super) fn fits_simple_key(key: &Scalar) -> bool {
    key.text().len() <= SIMPLE_KEY_BYTES && !key.text().contains(is_break)
}

/// Writes the scalar at the end of `out`.
pub(super) fn write(out: &mut String, scalar: &Scalar, place: Place) {
    let text = scalar.text();
    match scalar.kind() {
        ScalarKind::Null => out.push_str("null"),
        ScalarKind::Bool => {
            out.push_str(if matches!(text, "true" | "True" | "TRUE") { "true" } else { "false" });
        }
        ScalarKind::Int => out.push_str(&whole(scalar)),
        ScalarKind::Float => out.push_str(&float(scalar)),
        ScalarKind::Str | ScalarKind::Timestamp => write_string(out, text, place),
    }
}

/// Integers beyond 64 bits are printed as the floats they become.
fn whole(scalar: &Scalar) -> Cow<'_, str> {
    match number::parse_whole(scalar.text()) {
        Some(_) => number::decimal(scalar.text()),
        None => float(scalar),
    }
}

fn float(scalar: &Scalar) -> Cow<'_, str> {
    match number::value_of(scalar) {
        Some(value) if number::scalar_of(value).kind() == ScalarKind::Int => {
            number::scalar_of(value).text().to_owned().into()
        }
        Some(value) => number::format_yaml(value).into(),
        None => scalar.text().into(),
    }
}

fn write_string(out: &mut String, text: &str, place: Place) {
    match choose(text, place) {
        Style::Plain => write_plain(out, text, place),
        Style::SingleQuoted => write_single_quoted(out, text, place),
        Style::DoubleQuoted => write_double_quoted(out, text, place),
        Style::Literal => write_literal(out, text, place),
    }
}

fn choose(text: &str, place: Place) -> Style {
    let allowed = analyze(text);
    if text.contains('\n') {
        return if allowed.literal && place != Place::Key { Style::Literal } else { Style::DoubleQuoted };
    }
    let reads_as_text =
        resolve::plain(text, Resolver::Kubernetes) == Resolved::Str && !resolve::is_base_60(text);
    if !reads_as_text || (allowed.multi_line && place == Place::Key) {
        Style::DoubleQuoted
    } else if allowed.plain {
        Style::Plain
    } else if allowed.single_quoted {
        Style::SingleQuoted
    } else {
        Style::DoubleQuoted
    }
}

/// Spaces up to a column, at the start of a line.
pub(super) fn pad(out: &mut String, columns: usize) {
    out.extend(std::iter::repeat_n(' ', columns));
}

/// Knows when a line has become too long; only text with a blank needs it.
struct Fold {
    column: usize,
    indent: usize,
}

impl Fold {
    /// `None` where nothing can be folded; a byte of the text may take `widest` columns.
    fn new(out: &str, text: &str, place: Place, widest: usize) -> Option<Self> {
        let Place::Value { indent } = place else { return None };
        let line = &out[out.rfind('\n').map_or(0, |at| at + 1)..];
        let worth_it = line.len() + text.len() * widest > WIDTH && text.contains(' ');
        worth_it.then(|| Self { column: line.chars().count(), indent })
    }

    fn is_due(&self) -> bool {
        self.column > WIDTH
    }

    fn break_line(&mut self, out: &mut String) {
        out.push('\n');
        pad(out, self.indent);
        self.column = self.indent;
    }
}

fn write_plain(out: &mut String, text: &str, place: Place) {
    let Some(mut fold) = Fold::new(out, text, place, 1) else {
        out.push_str(text);
        return;
    };
    let mut characters = text.chars().peekable();
    let mut after_space = false;
    while let Some(character) = characters.next() {
        let space = character == ' ';
        if space && !after_space && fold.is_due() && characters.peek() != Some(&' ') {
            fold.break_line(out);
        } else {
            out.push(character);
            fold.column += 1;
        }
        after_space = space;
    }
}

fn write_single_quoted(out: &mut String, text: &str, place: Place) {
    let mut fold = Fold::new(out, text, place, 2);
    let indent = if let Place::Value { indent } = place { indent } else { 0 };
    out.push('\'');
    let last = text.len() - 1;
    let (mut after_space, mut after_break) = (false, false);
    if let Some(fold) = &mut fold {
        fold.column += 1;
    }
    for (at, character) in text.char_indices() {
        let space = character == ' ';
        let foldable = space && !after_space && at > 0 && at < last && text.as_bytes()[at + 1] != b' ';
        after_space = space;
        if foldable && let Some(fold) = fold.as_mut().filter(|fold| fold.is_due()) {
            fold.break_line(out);
            continue;
        }
        if std::mem::replace(&mut after_break, is_break(character)) && !after_break {
            pad(out, indent);
        }
        if character == '\'' {
            out.push('\'');
        }
        out.push(character);
        if let Some(fold) = &mut fold {
            fold.column = if after_break { indent } else { fold.column + 1 + usize::from(character == '\'') };
        }
    }
    out.push('\'');
}

fn write_double_quoted(out: &mut String, text: &str, place: Place) {
    let mut fold = Fold::new(out, text, place, 4);
    out.push('"');
    if let Some(fold) = &mut fold {
        fold.column += 1;
    }
    // go-yaml looks for a byte order mark at the start of the text, whatever character it is about to write.
    let escape_all = text.starts_with('\u{feff}');
    let last = text.len().saturating_sub(1);
    let mut after_space = false;
    for (at, character) in text.char_indices() {
        let before = out.len();
        if escape_all || !is_printable(character) || is_break(character) || matches!(character, '"' | '\\') {
            write_escape(out, character);
            after_space = false;
        } else if character == ' ' {
            let foldable = at > 0 && at < last && !std::mem::replace(&mut after_space, true);
            if foldable && let Some(fold) = fold.as_mut().filter(|fold| fold.is_due()) {
                fold.break_line(out);
                if text.as_bytes()[at + 1] == b' ' {
                    out.push('\\');
                    fold.column += 1;
                }
                continue;
            }
            out.push(' ');
            after_space = true;
        } else {
            out.push(character);
            after_space = false;
        }
        if let Some(fold) = &mut fold {
            fold.column += out[before..].chars().count();
        }
    }
    out.push('"');
}

/// Writes a character of a double-quoted scalar that can't stand for itself.
pub(crate) fn write_escape(out: &mut String, character: char) {
    let short = match character {
        '\0' => '0',
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\u{b}' => 'v',
        '\u{c}' => 'f',
        '\r' => 'r',
        '\u{1b}' => 'e',
        '"' => '"',
        '\\' => '\\',
        '\u{85}' => 'N',
        '\u{a0}' => '_',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        other => {
            let code = u32::from(other);
            let written = match code {
                0..=0xff => write!(out, "\\x{code:02X}"),
                0x100..=0xffff => write!(out, "\\u{code:04X}"),
                _ => write!(out, "\\U{code:08X}"),
            };
            written.expect("writing to a string never fails");
            return;
        }
    };
    out.push('\\');
    out.push(short);
}

fn write_literal(out: &mut String, text: &str, place: Place) {
    let indent = if let Place::Value { indent } = place { indent } else { 0 };
    out.push('|');
    if text.starts_with(|first| first == ' ' || is_break(first)) {
        out.push('2');
    }
    let mut ending = text.chars().rev();
    match (ending.next().is_some_and(is_break), ending.next()) {
        (false, _) => out.push('-'),
        (true, None) => out.push('+'),
        (true, Some(before)) if is_break(before) => out.push('+'),
        (true, Some(_)) => {}
    }
    out.push('\n');
    for line in text.split_inclusive(is_break) {
        if !line.starts_with(is_break) {
            pad(out, indent);
        }
        out.push_str(line);
    }
}
