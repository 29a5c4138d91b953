//! What must hold for every object tree.

use millrace_yaml::read::{Limits, Resolver, one};
use millrace_yaml::{Node, canonicalize, json, print};

const RESOLVERS: [Resolver; 2] = [Resolver::Kubernetes, Resolver::Kustomize];

/// How many lists and maps stand inside of one another.
pub(crate) fn depth(node: &Node) -> usize {
    match node {
        Node::Scalar(_) => 0,
        Node::List(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Node::Map(map) => 1 + map.iter().map(|(_, value)| depth(value)).max().unwrap_or(0),
    }
}

/// How many values a tree has, keys not counted.
pub(crate) fn values(node: &Node) -> usize {
    match node {
        Node::Scalar(_) => 1,
        Node::List(items) => 1 + items.iter().map(values).sum::<usize>(),
        Node::Map(map) => 1 + map.iter().map(|(_, value)| values(value)).sum::<usize>(),
    }
}

/// Whether a key stands anywhere that the reference prints like a merge, so that its own output reads as something else.
pub(crate) fn has_merge_key(node: &Node) -> bool {
    match node {
        Node::Scalar(_) => false,
        Node::List(items) => items.iter().any(has_merge_key),
        Node::Map(map) => map.iter().any(|(key, value)| key == "<<" || has_merge_key(value)),
    }
}

/// Checks that a tree in canonical form reads as itself once it is printed, as YAML in both dialects and as JSON.
pub(crate) fn check_round_trip(node: &Node) {
    let text = json::to_string(node);
    let read = json::from_str(&text).expect("JSON that was printed is read");
    assert!(read.same_value(node), "printed as JSON and read again: {text}");
    if has_merge_key(node) {
        return;
    }
    // Printing needs no more than reading did, so the usual limits are no obstacle.
    let limits = Limits { depth: usize::MAX, ..Limits::default() };
    let text = print::to_yaml(node);
    for resolver in RESOLVERS {
        let read = one(&text, resolver, &limits);
        let mut read = read.unwrap_or_else(|error| unreadable(&error, &text)).node;
        canonicalize(&mut read).expect("what was canonical still is");
        assert_eq!(&read, node, "printed and read again ({resolver:?}):\n{text}");
    }
}

#[expect(clippy::panic, reason = "a fuzz target fails by panicking")]
fn unreadable(error: &dyn std::error::Error, text: &str) -> ! {
    panic!("what was printed is not read: {error}\n{text}")
}
