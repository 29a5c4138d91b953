//! Nulls that operations write.
//!
//! The reference tells them from the nulls that it has read. One that was written is itself wherever it is tested alone, and no null
//! where it is tested as part of a map; copied, it passes a test for an empty map.

use millrace_yaml::{Map, Node, Scalar, ScalarKind, Style};

// Objects and values of patches come in as JSON, whose nulls are all written out: none can be taken for one of these.
const WRITTEN: &str = "~";
const COPIED: &str = "";

/// Whether the nulls that some operations write are tested by others.
pub(super) fn matter(operations: &[Map]) -> bool {
    let is = |operation: &Map, kinds: &[&str]| {
        operation.get("op").and_then(Node::as_str).is_some_and(|kind| kinds.contains(&kind))
    };
    let writes_null = |operation: &Map| operation.get("value").is_some_and(Node::is_null);
    operations.iter().any(|operation| is(operation, &["add", "replace"]) && writes_null(operation))
        && operations.iter().any(|operation| is(operation, &["test"]))
}

/// A null as an operation writes it.
pub(super) fn written() -> Node {
    null(WRITTEN)
}

/// Makes a value what its copy is.
pub(super) fn mark_copied(value: &mut Node) {
    if is(value, WRITTEN) {
        *value = null(COPIED);
    } else if !is(value, COPIED) {
        forget(value);
    }
}

/// Whether a value passes a test for an empty map.
pub(super) fn is_empty_map(value: &Node) -> bool {
    is(value, COPIED)
}

/// Whether a value passes a test without a value, or for null: the first knows the nulls that were read alone.
pub(super) fn is_null(value: &Node, wanted: Option<&Node>) -> bool {
    match wanted {
        None => value.is_null() && !is(value, WRITTEN) && !is(value, COPIED),
        Some(_) => value.is_null() && !is(value, COPIED),
    }
}

/// Makes nulls of all nulls.
pub(super) fn forget(node: &mut Node) {
    match node {
        Node::Map(map) => map.iter_mut().for_each(|(_, value)| forget(value)),
        Node::List(items) => items.iter_mut().for_each(forget),
        Node::Scalar(scalar) if scalar.kind() == ScalarKind::Null => *node = Node::null(),
        Node::Scalar(_) => {}
    }
}

fn null(text: &str) -> Node {
    Node::Scalar(Scalar::new(text, ScalarKind::Null, Style::Plain))
}

fn is(node: &Node, text: &str) -> bool {
    node.as_scalar().is_some_and(|scalar| scalar.kind() == ScalarKind::Null && scalar.text() == text)
}
