//! How the reference shows what an object was called: in annotations.

use millrace_yaml::Node;

use crate::annotations::{ORIGIN, TRANSFORMATIONS};
use crate::syntax;

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
    if let Some(origin) = &resource.origin
        && let Some(annotations) = node.map_at_mut(&["metadata", "annotations"])
    {
        annotations.insert(ORIGIN, Node::string(&**origin));
    }
    if !resource.transformations.is_empty() {
        let steps = Node::list(resource.transformations.iter().map(|step| Node::clone(step)).collect());
        if let Some(annotations) = node.map_at_mut(&["metadata", "annotations"]) {
            annotations.insert(TRANSFORMATIONS, Node::string(syntax::print(&steps)));
        }
    }
    let generated = [
        ("generatorBehavior", resource.behavior.map(super::Behavior::text)),
        ("needsHashSuffix", resource.needs_hash.then_some("enabled")),
    ];
    for (key, text) in generated {
        if let Some(text) = text
            && let Some(annotations) = node.map_at_mut(&["metadata", "annotations"])
        {
            annotations.insert(format!("internal.config.kubernetes.io/{key}"), Node::string(text));
        }
    }
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
