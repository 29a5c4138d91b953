//! Entries as the reference shows them in messages.

use millrace_yaml::{Map, Node};

use crate::error::BuildError;
use crate::kustomization::{Patch, Selector};
use crate::syntax;

/// The error for an entry that cannot be used.
pub(super) fn trouble(error: BuildError, kind: &str, entry: &Node) -> BuildError {
    error.wrap(format_args!("trouble configuring builtin {kind} with config: `\n{}`", yaml(entry)))
}

/// An entry as text, keys sorted.
pub(super) fn yaml(entry: &Node) -> String {
    syntax::print_sorted(entry)
}

/// An entry of `patches`.
pub(super) fn entry(patch: &Patch) -> Node {
    let mut map = texts([("path", &patch.path), ("patch", &patch.patch)]);
    if let Some(selector) = &patch.target {
        map.insert("target", target(selector));
    }
    if let Some(options) = &patch.options {
        let mut flags = Map::default();
        for (key, set) in
            [("allowKindChange", options.allow_kind_change), ("allowNameChange", options.allow_name_change)]
        {
            if set {
                flags.insert(key, Node::bool(true));
            }
        }
        map.insert("options", Node::Map(flags));
    }
    Node::Map(map)
}

/// An entry of `patchesJson6902`.
pub(super) fn json6902(patch: &Patch) -> Node {
    let mut map = texts([("path", &patch.path), ("jsonOp", &patch.patch)]);
    if let Some(selector) = &patch.target {
        map.insert("target", target(selector));
    }
    Node::Map(map)
}

/// All entries of `patchesStrategicMerge`.
pub(super) fn paths(entries: &[String]) -> Node {
    let mut map = Map::default();
    map.insert("paths", Node::list(entries.iter().map(|entry| Node::string(entry.as_str())).collect()));
    Node::Map(map)
}

fn target(selector: &Selector) -> Node {
    Node::Map(texts([
        ("annotationSelector", &selector.annotation_selector),
        ("group", &selector.group),
        ("kind", &selector.kind),
        ("labelSelector", &selector.label_selector),
        ("name", &selector.name),
        ("namespace", &selector.namespace),
        ("version", &selector.version),
    ]))
}

fn texts<const N: usize>(fields: [(&str, &String); N]) -> Map {
    let mut map = Map::default();
    for (key, text) in fields.into_iter().filter(|(_, text)| !text.is_empty()) {
        map.insert(key, Node::string(text.as_str()));
    }
    map
}
