//! The value that keeps an object from being printed.

use millrace_yaml::{CanonicalError, Node, canonical};

use super::near::{quoted, shown};

/// That a value of an object is not of the type that it had in its file.
pub(crate) fn mistyped(object: &Node) -> Option<String> {
    let mut way = Vec::new();
    let wanted = find(object, &mut way)?;
    way.reverse();
    let field = quoted(way.concat().trim_start_matches('.'));
    Some(format!("{field} is {wanted} by its type, and holds something else: in quotes it may be text"))
}

/// The type of the first value that is not of it, and the way back from there.
fn find(node: &Node, way: &mut Vec<String>) -> Option<&'static str> {
    match node {
        Node::Map(map) => map.iter().find_map(|(key, value)| {
            let found = find(value, way)?;
            way.push(format!(".{}", shown(key)));
            Some(found)
        }),
        Node::List(items) => items.iter().enumerate().find_map(|(index, item)| {
            let found = find(item, way)?;
            way.push(format!("[{index}]"));
            Some(found)
        }),
        Node::Scalar(_) => match canonical(node) {
            Err(CanonicalError::Typed { wanted, .. }) => words(wanted),
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
