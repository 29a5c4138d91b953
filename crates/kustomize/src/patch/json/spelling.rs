//! Strings as JSON spells them.
//!
//! The reference tests a value by its text: a string of the object by what its encoder writes, which escapes `&`, `<` and `>`,
//! one of a patch in JSON by what the patch says. A patch in YAML passes through the same encoder.

use millrace_yaml::json::{self, Escape};
use millrace_yaml::{Map, Node, Scalar, ScalarKind};

use crate::text::Text;

/// Has the values of a patch's operations keep their spelling where it can matter, and says whether they do.
pub(super) fn keep(operations: &mut [Map], text: &Text<'_>) -> bool {
    if !operations.iter().any(|operation| operation.get("op").and_then(Node::as_str) == Some("test")) {
        return false;
    }
    let Ok(Node::List(spelled)) = json::spelled(text) else { return false };
    let values = || spelled.iter().map(|operation| operation.get("value"));
    if !values().flatten().any(|value| any_string(value, &is_own_spelling)) {
        return false;
    }
    for (operation, value) in operations.iter_mut().zip(values()) {
        if let (Some(place), Some(value)) = (operation.get_mut("value"), value) {
            *place = value.clone();
        }
    }
    true
}

/// Spells the strings of an object.
pub(super) fn spell(node: &mut Node) {
    each_string(node, &encoded);
}

/// Reads strings that are spelled.
pub(super) fn read(node: &mut Node) {
    each_string(node, &decoded);
}

/// What is copied passes through the encoder, which escapes what it would not write.
pub(super) fn escape(node: &mut Node) {
    each_string(node, &escaped);
}

fn is_own_spelling(spelled: &str) -> bool {
    encoded(&decoded(spelled)) != spelled
}

fn encoded(text: &str) -> String {
    json::to_string_with(&Node::string(text), Escape::Html)
}

fn decoded(spelled: &str) -> String {
    match json::from_str(spelled) {
        Ok(Node::Scalar(scalar)) => scalar.text().to_owned(),
        // Nothing but texts of JSON are spelled.
        Ok(Node::Map(_) | Node::List(_)) | Err(_) => spelled.to_owned(),
    }
}

fn escaped(spelled: &str) -> String {
    let mut escaped = String::with_capacity(spelled.len());
    for letter in spelled.chars() {
        match letter {
            '&' => escaped.push_str("\\u0026"),
            '<' => escaped.push_str("\\u003c"),
            '>' => escaped.push_str("\\u003e"),
            '\u{2028}' => escaped.push_str("\\u2028"),
            '\u{2029}' => escaped.push_str("\\u2029"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

fn is_string(scalar: &Scalar) -> bool {
    matches!(scalar.kind(), ScalarKind::Str | ScalarKind::Timestamp)
}

fn any_string(node: &Node, test: &impl Fn(&str) -> bool) -> bool {
    match node {
        Node::Scalar(scalar) => is_string(scalar) && test(scalar.text()),
        Node::List(items) => items.iter().any(|item| any_string(item, test)),
        Node::Map(map) => map.iter().any(|(_, value)| any_string(value, test)),
    }
}

fn each_string(node: &mut Node, rewrite: &impl Fn(&str) -> String) {
    match node {
        Node::Scalar(scalar) if is_string(scalar) => {
            *scalar = Scalar::new(rewrite(scalar.text()), scalar.kind(), scalar.style());
        }
        Node::Scalar(_) => {}
        Node::List(items) => items.iter_mut().for_each(|item| each_string(item, rewrite)),
        Node::Map(map) => {
            map.entries_mut().iter_mut().for_each(|(_, value)| each_string(value, rewrite));
        }
    }
}
