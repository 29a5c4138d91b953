//! Values that have another form than a step wants.

use millrace_yaml::Node;

use super::near::{quoted, shown};
use crate::transformers::CONTAINER_LISTS;

/// Fields that hold lists in every kind of Kubernetes' own.
const LISTS: [&str; 16] = [
    "containers",
    "env",
    "envFrom",
    "imagePullSecrets",
    "initContainers",
    "paths",
    "ports",
    "resourceNames",
    "rules",
    "secrets",
    "sources",
    "subjects",
    "tls",
    "volumeMounts",
    "volumes",
    "webhooks",
];
/// What steps say of a value on the way that holds nothing.
const NO_WAY: &str = "expected sequence or mapping node";
/// What they say of a map without a name where one is to be.
const NO_NAME: &str = "no 'name' field in node";

/// What an error says of the form of a value.
#[derive(Clone, Copy)]
struct Problem<'p> {
    text: &'p str,
    /// What is wanted, and what stands there instead.
    kinds: Option<(&'static str, &'static str)>,
    /// Whether the kind of the object is one of Kubernetes' own.
    is_builtin: bool,
}

impl<'p> Problem<'p> {
    fn new(text: &'p str, object: &Node) -> Self {
        let words = |kind: &str| match kind {
            "ScalarNode" => Some("a single value"),
            "SequenceNode" => Some("a list"),
            "MappingNode" => Some("a map"),
            _ => None,
        };
        let kinds = text.split_once("expected ").and_then(|(_, rest)| {
            let (wanted, rest) = rest.split_once(" but got ")?;
            let got = rest.split(|letter: char| !letter.is_alphanumeric()).next()?;
            Some((words(wanted)?, words(got)?))
        });
        Self { text, kinds, is_builtin: is_builtin(object) }
    }

    /// Whether a list is to stand under a key.
    fn is_list(self, key: &str) -> bool {
        key.ends_with("[]") || self.is_builtin && LISTS.contains(&key)
    }

    /// What is wanted instead of a value on the way that holds nothing.
    fn instead(self, key: &str) -> Option<&'static str> {
        match self.kinds {
            Some((wanted, "a single value")) => Some(wanted),
            None if self.text.contains(NO_WAY) => Some(if self.is_list(key) { "a list" } else { "a map" }),
            Some(_) | None => None,
        }
    }
}

/// What is wrong with a field that a path such as `spec/replicas` leads to, or with one on the way there; `problem` names what
/// was found where something else is wanted.
pub(super) fn misshapen(object: &Node, path: &str, problem: &str) -> Option<String> {
    let sought = Problem::new(problem, object);
    let mut parts: Vec<&str> = path.split('/').collect();
    // The step that sets the namespace of subjects looks up one field of each, and writes another.
    if let (true, Some(("a single value", _))) =
        (problem.contains("(cluster)role binding subject"), sought.kinds)
    {
        let looked_up = problem.split_once("looking up ").and_then(|(_, field)| field.split(' ').next());
        parts.push(looked_up.unwrap_or("namespace"));
    }
    find(object, &parts, "", "", sought)
}

/// The first value of those that a path comes to which fits what an error says.
fn find(at: &Node, parts: &[&str], key: &str, reached: &str, problem: Problem<'_>) -> Option<String> {
    let is = |wanted: &str| Some(format!("{} is {}, and {wanted} is wanted", quoted(reached), kind(at)));
    if at.is_null() {
        return None;
    }
    let in_items = |items: &[Node]| {
        items
            .iter()
            .enumerate()
            .find_map(|(index, item)| find(item, parts, "", &format!("{reached}[{index}]"), problem))
    };
    let Some((part, rest)) = parts.split_first() else {
        return match (problem.kinds, at) {
            (Some((wanted, got)), at) if kind(at) == got => is(wanted),
            (_, Node::List(items)) => in_items(items),
            (None, Node::Map(map)) if problem.text.contains(NO_NAME) && !map.contains_key("name") => {
                let (field, is_item) = match reached.rsplit_once('[') {
                    Some((list, index)) if index.ends_with(']') => (list, true),
                    Some(_) | None => (reached, false),
                };
                // What is called so is a name itself, or a list of names.
                if field.ends_with("Names") {
                    is(if is_item { "a single value" } else { "a list" })
                } else if !is_item && ["name", "Name"].iter().any(|end| field.ends_with(end)) {
                    is("a single value")
                } else {
                    Some(format!("{} has no name", quoted(reached)))
                }
            }
            (_, Node::Map(_) | Node::Scalar(_)) => None,
        };
    };
    match at {
        Node::List(items) => in_items(items),
        Node::Map(map) => {
            let name = part.trim_end_matches("[]");
            let dot = if reached.is_empty() { "" } else { "." };
            let found = find(map.get(name)?, rest, part, &format!("{reached}{dot}{name}"), problem)?;
            if problem.is_list(key) { is("a list") } else { Some(found) }
        }
        Node::Scalar(_) => is(problem.instead(key)?),
    }
}

/// The first item of a list of an object that is no map, or the first list that is none, where an error says so of a value.
pub(super) fn misshapen_list(object: &Node, problem: &str) -> Option<String> {
    let problem = Problem::new(problem, object);
    let mut way = Vec::new();
    let says = problem.is_builtin.then(|| find_list(object, problem, &mut way)).flatten()?;
    way.reverse();
    Some(format!("{} is {says}", quoted(way.concat().trim_start_matches('.'))))
}

/// What is wrong with the first of them, and the way back from there.
fn find_list(node: &Node, problem: Problem<'_>, way: &mut Vec<String>) -> Option<String> {
    let (wanted, got) = problem.kinds?;
    let says = |is: &Node| format!("{}, and {wanted} is wanted", kind(is));
    if let Node::List(items) = node {
        return items.iter().enumerate().find_map(|(index, item)| {
            let found = find_list(item, problem, way)?;
            way.push(format!("[{index}]"));
            Some(found)
        });
    }
    node.as_map()?.iter().find_map(|(key, value)| {
        let is_list = LISTS.contains(&key) && key != "resourceNames";
        let found = match (wanted, value) {
            ("a map", Node::List(items)) if is_list => {
                let is_it = |item: &Node| !item.is_null() && kind(item) == got && got != wanted;
                items.iter().position(is_it).map(|index| {
                    way.push(format!("[{index}]"));
                    says(&items[index])
                })
            }
            ("a list", value) if is_list && !value.is_null() && kind(value) == got => Some(says(value)),
            _ => None,
        };
        let found = found.or_else(|| find_list(value, problem, way))?;
        way.push(format!(".{}", shown(key)));
        Some(found)
    })
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
