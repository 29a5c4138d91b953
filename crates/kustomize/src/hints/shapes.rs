//! Values that have another form than a step wants.

use millrace_yaml::Node;

use super::near::{quoted, shown};
use crate::transformers::CONTAINER_LISTS;

/// Fields that hold lists in every kind of Kubernetes' own.
const LISTS: [&str; 7] =
    ["containers", "initContainers", "volumes", "env", "envFrom", "imagePullSecrets", "webhooks"];

/// What is wrong with a field that a path such as `spec/replicas` leads to, or with one on the way there; `problem` names what
/// was found where something else is wanted.
pub(super) fn misshapen(object: &Node, path: &str, problem: &str) -> Option<String> {
    let (mut at, mut reached) = (object, String::new());
    for part in path.split('/') {
        let is_list = part.ends_with("[]") || LISTS.contains(&part) && is_builtin(object);
        let part = part.trim_end_matches("[]");
        while let Node::List(items) = at {
            let index = items.iter().position(|item| item.as_map().is_none());
            let index = index.or_else(|| items.iter().position(|item| item.get(part).is_some()))?;
            reached.extend(["[", &index.to_string(), "]"]);
            at = &items[index];
        }
        let Some(map) = at.as_map() else {
            return (!at.is_null())
                .then(|| format!("{} is {}, and a map is wanted", quoted(&reached), kind(at)));
        };
        at = map.get(part)?;
        if !reached.is_empty() {
            reached.push('.');
        }
        reached.push_str(part);
        if is_list && at.as_list().is_none() && !at.is_null() {
            return Some(format!("{} is {}, and a list is wanted", quoted(&reached), kind(at)));
        }
    }
    let (wanted, _) = problem.split_once("expected ")?.1.split_once(" but got ")?;
    let wanted = match wanted {
        "ScalarNode" => "a single value",
        "SequenceNode" => "a list",
        "MappingNode" => "a map",
        _ => return None,
    };
    (kind(at) != wanted).then(|| format!("{} is {}, and {wanted} is wanted", quoted(&reached), kind(at)))
}

/// The first image that is no text, or the container that is no map, of those that the step which sets images comes to.
pub(super) fn misshapen_image(object: &Node) -> Option<String> {
    let mut way = Vec::new();
    let wanted = find_image(object, &mut way)?;
    way.reverse();
    Some(format!("{} is {wanted}", quoted(way.concat().trim_start_matches('.'))))
}

/// What is wrong with the first of them, and the way back from there.
fn find_image(node: &Node, way: &mut Vec<String>) -> Option<String> {
    if let Node::List(items) = node {
        return items.iter().enumerate().find_map(|(index, item)| {
            let found = find_image(item, way)?;
            way.push(format!("[{index}]"));
            Some(found)
        });
    }
    node.as_map()?.iter().find_map(|(key, value)| {
        let found = find_image(value, way).or_else(|| {
            let items = value.as_list().filter(|_| CONTAINER_LISTS.contains(&key))?;
            items.iter().enumerate().filter(|(_, item)| !item.is_null()).find_map(|(index, item)| {
                let (field, is, wanted) = match (item.as_map(), item.get("image")) {
                    (None, _) => ("", item, "a map"),
                    (_, Some(image)) if image.as_scalar().is_none() => (".image", image, "a single value"),
                    (Some(_), _) => return None,
                };
                way.push(format!("[{index}]{field}"));
                Some(format!("{}, and {wanted} is wanted", kind(is)))
            })
        })?;
        way.push(format!(".{}", shown(key)));
        Some(found)
    })
}

/// Whether the kind of an object is one of Kubernetes' own.
fn is_builtin(object: &Node) -> bool {
    let version = object.str_at(&["apiVersion"]).unwrap_or_default();
    version.split_once('/').is_none_or(|(group, _)| !group.contains('.') || group.ends_with(".k8s.io"))
}

pub(super) fn kind(node: &Node) -> &'static str {
    match node {
        Node::Map(_) => "a map",
        Node::List(_) => "a list",
        Node::Scalar(_) => "a single value",
    }
}
