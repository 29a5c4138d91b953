//! Strings as Go shows them in messages.

use std::fmt::Write as _;

/// `%q` of Go: a string literal.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            control if u32::from(control) < 0x20 || control == '\u{7f}' => {
                let _ = write!(out, "\\x{:02x}", u32::from(control));
            }
            hidden if !is_printable(hidden) => {
                let code = u32::from(hidden);
                let _ = match u16::try_from(code) {
                    Ok(code) => write!(out, "\\u{code:04x}"),
                    Err(_) => write!(out, "\\U{code:08x}"),
                };
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// Whether a character is shown as it is: both languages hide those that Unicode calls separators, formats or unassigned.
fn is_printable(letter: char) -> bool {
    if letter.is_ascii() {
        return true;
    }
    // Marks are escaped at the beginning of a text alone.
    let text: String = [' ', letter].iter().collect();
    text.escape_debug().nth(1) == Some(letter)
}
