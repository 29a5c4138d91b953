//! Writing, as Go's `encoding/json` writes.

use std::fmt::Write as _;

use crate::{Node, Scalar, ScalarKind, number};

/// Which characters of strings are escaped beyond what JSON demands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Escape {
    /// None but U+2028 and U+2029.
    #[default]
    Minimal,
    /// `<`, `>` and `&` as well: what Go's encoder does unless told otherwise.
    Html,
}

/// The node as compact JSON, keys in their order; numbers that JSON lacks (`.inf`, `.nan`) become `null`.
pub fn to_string(node: &Node) -> String {
    to_string_with(node, Escape::Minimal)
}

/// The node as compact JSON in bytes: a request body.
pub fn to_vec(node: &Node) -> Vec<u8> {
    to_string(node).into_bytes()
}

/// The node as compact JSON with the escapes asked for.
pub fn to_string_with(node: &Node, escape: Escape) -> String {
    let mut out = String::new();
    write_node(&mut out, node, escape);
    out
}

fn write_node(out: &mut String, node: &Node, escape: Escape) {
    match node {
        Node::Scalar(scalar) => write_scalar(out, scalar, escape),
        Node::List(items) => {
            out.push('[');
            for (position, item) in items.iter().enumerate() {
                if position > 0 {
                    out.push(',');
                }
                write_node(out, item, escape);
            }
            out.push(']');
        }
        Node::Map(map) => {
            out.push('{');
            for (position, (key, value)) in map.iter().enumerate() {
                if position > 0 {
                    out.push(',');
                }
                write_string(out, key, escape);
                out.push(':');
                write_node(out, value, escape);
            }
            out.push('}');
        }
    }
}

fn write_scalar(out: &mut String, scalar: &Scalar, escape: Escape) {
    match scalar.kind() {
        ScalarKind::Null => out.push_str("null"),
        ScalarKind::Bool => {
            out.push_str(if matches!(scalar.text(), "true" | "True" | "TRUE") { "true" } else { "false" });
        }
        ScalarKind::Int => out.push_str(&number::decimal(scalar.text())),
        ScalarKind::Float => match number::value_of(scalar).filter(|value| value.is_finite()) {
            Some(value) => out.push_str(&number::format_json(value)),
            None => out.push_str("null"),
        },
        ScalarKind::Str | ScalarKind::Timestamp => write_string(out, scalar.text(), escape),
    }
}

fn write_string(out: &mut String, text: &str, escape: Escape) {
    out.push('"');
    let mut written = 0;
    for (position, character) in text.char_indices() {
        if !needs_escape(character, escape) {
            continue;
        }
        out.push_str(&text[written..position]);
        written = position + character.len_utf8();
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            other => write!(out, "\\u{:04x}", u32::from(other)).expect("writing to a string never fails"),
        }
    }
    out.push_str(&text[written..]);
    out.push('"');
}

fn needs_escape(character: char, escape: Escape) -> bool {
    match character {
        '"' | '\\' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => true,
        '<' | '>' | '&' => escape == Escape::Html,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn strings_are_escaped_as_go_escapes_them() {
        let node = Node::string("a\"\\\n\t\u{1}\u{8}<&>\u{2028}\u{7f}é😀");
        assert_eq!(to_string(&node), "\"a\\\"\\\\\\n\\t\\u0001\\b<&>\\u2028\u{7f}é😀\"");
        assert_eq!(to_string_with(&Node::string("<&>"), Escape::Html), r#""\u003c\u0026\u003e""#);
    }

    #[test]
    fn numbers_survive() {
        for (text, expected) in [
            ("9007199254740993", "9007199254740993"),
            ("18446744073709551615", "18446744073709551615"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            ("1.50", "1.5"),
            ("1e3", "1000"),
            ("-0.0", "-0"),
        ] {
            assert_eq!(to_string(&json::from_str(text).unwrap()), expected);
        }
    }
}
