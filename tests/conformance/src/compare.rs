//! Compares values and says where they differ.

use millrace_yaml::{Map, Node, Scalar, json};

const SHOWN: usize = 400;

/// Fails unless the values are the same; names the paths where they are not.
pub(crate) fn same(what: &str, found: &Node, expected: &Node) -> Result<(), String> {
    if found.same_value(expected) {
        return Ok(());
    }
    let mut differences = Vec::new();
    walk(what, found, expected, &mut differences);
    if differences.is_empty() {
        differences.push(difference(what, &json::to_string(found), &json::to_string(expected)));
    }
    Err(differences.join("\n"))
}

/// Like [`same`], for texts.
pub(crate) fn same_text(what: &str, found: &str, expected: &str) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(difference(what, &format!("{found:?}"), &format!("{expected:?}")))
    }
}

/// A list of strings as a value.
pub(crate) fn strings<T: Into<String>>(items: impl IntoIterator<Item = T>) -> Node {
    Node::List(items.into_iter().map(|item| Node::string(item.into())).collect())
}

/// A map as a value.
pub(crate) fn map<T: Into<String>>(pairs: impl IntoIterator<Item = (T, Node)>) -> Node {
    Node::Map(pairs.into_iter().map(|(key, value)| (Scalar::string(key.into()), value)).collect::<Map>())
}

fn walk(path: &str, found: &Node, expected: &Node, differences: &mut Vec<String>) {
    if found.same_value(expected) {
        return;
    }
    match (found, expected) {
        (Node::Map(left), Node::Map(right)) => {
            for (key, value) in right.iter() {
                match left.get(key) {
                    Some(other) => walk(&format!("{path}.{key}"), other, value, differences),
                    None => differences
                        .push(format!("{path}.{key}: missing, expected {}", short(&json::to_string(value)))),
                }
            }
            for (key, value) in left.iter().filter(|(key, _)| !right.contains_key(key)) {
                differences.push(format!("{path}.{key}: unexpected {}", short(&json::to_string(value))));
            }
        }
        (Node::List(left), Node::List(right)) if left.len() == right.len() => {
            for (index, (left, right)) in left.iter().zip(right).enumerate() {
                walk(&format!("{path}[{index}]"), left, right, differences);
            }
        }
        _ => differences.push(difference(path, &json::to_string(found), &json::to_string(expected))),
    }
}

fn difference(what: &str, found: &str, expected: &str) -> String {
    format!("{what}:\n  - {}\n  + {}", short(expected), short(found))
}

fn short(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
