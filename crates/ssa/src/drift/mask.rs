//! Hiding what a Secret holds where two versions of it are shown side by side.

use millrace_yaml::{Map, Node};

use crate::object::is_secret;

/// What is shown of a value that is the same on both sides, or on one side alone.
const HIDDEN: &str = "***";

/// Replaces the data of a Secret on both sides: one sees which keys there are and which values differ, and no value.
///
/// Objects of other kinds stay as they are.
pub fn mask_secret(before: &mut Node, after: &mut Node) {
    if !is_secret(before) && !is_secret(after) {
        return;
    }
    let data = |object: &Node| object.get("data").and_then(Node::as_map).cloned().unwrap_or_default();
    let (old, new) = (data(before), data(after));
    hide(before, &new, "*** (before)");
    hide(after, &old, "*** (after)");
}

fn hide(object: &mut Node, other: &Map, differing: &str) {
    let data = object.as_map_mut().and_then(|object| object.get_mut("data")).and_then(Node::as_map_mut);
    for (key, value) in data.into_iter().flat_map(Map::iter_mut) {
        let differs = other.get(key).is_some_and(|other| !other.same_value(value));
        *value = Node::string(if differs { differing } else { HIDDEN });
    }
}
