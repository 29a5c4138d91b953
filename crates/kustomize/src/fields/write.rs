//! Writing scalars as the reference writes them: the style of the old value stays.

use millrace_yaml::{Map, Node, Scalar, ScalarKind, Style};

use super::walk::Fault;
use crate::syntax;

/// Writes a string; the style of what stood there stays.
pub(crate) fn write_string(node: &mut Node, text: &str) -> Result<(), Fault> {
    let old = node.as_scalar().ok_or_else(|| wrong_kind("ScalarNode", node))?;
    *node = Node::Scalar(Scalar::string(text).written_as(old));
    Ok(())
}

/// Writes text without a type: in a quoted scalar it is a string, in a plain one it means what it reads as.
pub(crate) fn write_text(node: &mut Node, text: &str) -> Result<(), Fault> {
    let old = node.as_scalar().ok_or_else(|| wrong_kind("ScalarNode", node))?;
    let kind = if old.style() == Style::Plain { syntax::kind_of(text) } else { ScalarKind::Str };
    *node = Node::Scalar(old.without_type(text, kind));
    Ok(())
}

/// Sets a key of a map to a string; gives the style of what stood there, which stays, and nothing where the key is new.
pub(crate) fn set_entry(map: &mut Map, key: &str, value: &str) -> Option<Style> {
    if let Some(found) = map.get_mut(key) {
        let new = Scalar::string(value);
        let new = match found.as_scalar() {
            Some(old) => new.written_as(old),
            None => new,
        };
        let style = new.style();
        *found = Node::Scalar(new);
        return Some(style);
    }
    map.push(syntax::key(key), Node::Scalar(syntax::string(value)));
    None
}

/// Sets a key of a map to text without a type: in an old value it is written by [`write_text`], a new one is a string
/// wherever YAML 1.1 would read something else.
pub(crate) fn set_text(map: &mut Map, key: &str, text: &str) -> Result<(), Fault> {
    match map.get_mut(key) {
        Some(value) if !value.is_null() => write_text(value, text),
        Some(_) | None => {
            map.insert(key, syntax::made(text));
            Ok(())
        }
    }
}

/// The map that must stand here.
pub(crate) fn expect_map(node: &mut Node) -> Result<&mut Map, Fault> {
    if node.as_map().is_none() {
        return Err(wrong_kind("MappingNode", node));
    }
    Ok(node.as_map_mut().expect("a map, by the check above"))
}

/// The error for a node of the wrong kind.
pub(crate) fn wrong_kind(expected: &str, node: &Node) -> Fault {
    Fault {
        text: format!(
            "wrong node kind: expected {expected} but got {}: node contents:\n{}",
            node_kind(node),
            syntax::print_styled(node)
        ),
        not_scalar: node.as_scalar().is_none(),
    }
}

/// The reference's word for what a node is.
pub(crate) fn node_kind(node: &Node) -> &'static str {
    match node {
        Node::Scalar(_) => "ScalarNode",
        Node::List(_) => "SequenceNode",
        Node::Map(_) => "MappingNode",
    }
}
