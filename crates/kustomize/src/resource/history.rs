//! How the reference shows what an object was called: in annotations.

use millrace_yaml::Node;

use super::names::{Name, Names};
use super::object::Resource;

/// An object with what it was called before in annotations, for messages.
pub(crate) fn with_history(resource: &Resource, names: &Names) -> Node {
    let mut node = resource.node.clone();
    let previous = resource.previous();
    let previous_by = |part: fn(&super::PreviousId) -> Name| previous.iter().map(part).collect::<Vec<Name>>();
    let fields = [
        ("prefixes", resource.prefixes.clone()),
        ("previousKinds", previous_by(|id| id.kind)),
        ("previousNames", previous_by(|id| id.name)),
        ("previousNamespaces", previous_by(|id| id.namespace)),
        ("suffixes", resource.suffixes.clone()),
    ];
    for (key, values) in fields {
        if values.is_empty() {
            continue;
        }
        let texts: Vec<String> = values.into_iter().map(|name| names.text(name).to_string()).collect();
        if let Some(annotations) = node.map_at_mut(&["metadata", "annotations"]) {
            annotations.insert(format!("internal.config.kubernetes.io/{key}"), Node::string(texts.join(",")));
        }
    }
    node
}
