//! The value that keeps an object from being printed.

use millrace_yaml::{CanonicalError, Node, ScalarKind, canonical};

use super::near::{quoted, shown};

/// That a value of an object is not of the type that it had in its file, is a number that JSON doesn't have, or has a key
/// that is no text. Keys are named as long as they are those of the file.
pub(crate) fn unprintable(object: &Node, has_own_keys: bool) -> Option<String> {
    let mut way = Vec::new();
    let says = find(object, has_own_keys, &mut way)?;
    way.reverse();
    let field = way.concat();
    let field = field.trim_start_matches('.');
    let field = if field.is_empty() { "the object".to_owned() } else { quoted(field) };
    Some(format!("{field} {says}"))
}

/// What is wrong with the first such value, and the way back from there.
fn find(node: &Node, has_own_keys: bool, way: &mut Vec<String>) -> Option<String> {
    match node {
        Node::Map(map) => map.entries().iter().find_map(|(key, value)| {
            if let Some(tag) = key.tag() {
                let (key, tag) = (quoted(key.text()), quoted(tag));
                return Some(format!("has the key {key} with the tag {tag}: leave the tag out"));
            }
            if !key.is_name() {
                let is = of_kind(key.kind());
                return Some(if has_own_keys {
                    format!("has the key {}, which is read as {is}, not as text", quoted(key.text()))
                } else {
                    format!("has a key, such as y, on or 0x1, that is read as {is}, not as text")
                });
            }
            let found = find(value, has_own_keys, way)?;
            way.push(format!(".{}", shown(key.text())));
            Some(found)
        }),
        Node::List(items) => items.iter().enumerate().find_map(|(index, item)| {
            let found = find(item, has_own_keys, way)?;
            way.push(format!("[{index}]"));
            Some(found)
        }),
        Node::Scalar(_) => match canonical(node) {
            Err(CanonicalError::Typed { wanted, .. }) => {
                let wanted = words(wanted)?;
                Some(format!("is {wanted} by its type, and holds something else: in quotes it may be text"))
            }
            Err(CanonicalError::NotFinite(_)) => {
                Some("is a number without end or none at all: in quotes it is text".to_owned())
            }
            Ok(_) | Err(_) => None,
        },
    }
}

fn words(wanted: &str) -> Option<&'static str> {
    match wanted {
        "int" => Some("a whole number"),
        "float" => Some("a number"),
        "bool" => Some("true or false"),
        "null" => Some("null"),
        "timestamp" => Some("a date"),
        _ => None,
    }
}

pub(super) fn of_kind(kind: ScalarKind) -> &'static str {
    match kind {
        ScalarKind::Str => "text",
        ScalarKind::Null => "null",
        ScalarKind::Bool => "true or false",
        ScalarKind::Int | ScalarKind::Float => "a number",
        ScalarKind::Timestamp => "a date",
    }
}
