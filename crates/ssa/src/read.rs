//! Objects from YAML or JSON text, for those who have no tree yet.

use millrace_yaml::json::{self, Escape};
use millrace_yaml::read::{Limits, ReadError, Resolver, documents};
use millrace_yaml::{Map, Node, Scalar};

use crate::object::select_objects;

/// What a text held up to the place where reading stopped.
#[derive(Debug, Default, PartialEq)]
pub struct Objects {
    /// The objects, lists flattened.
    pub objects: Vec<Node>,
    /// Why reading stopped before the end.
    pub error: Option<String>,
}

/// Reads the objects of a text. Documents that are none are left out; one that has no kind, or is no YAML, ends the
/// reading.
///
/// Contract: kustomize-controller §3.7.
pub fn read_objects(text: &str, limits: &Limits) -> Objects {
    let (documents, mut error) = match documents(text, Resolver::Kubernetes, limits) {
        Ok(found) => (found, None),
        Err(problem) => {
            let before = documents(before_error(text, &problem), Resolver::Kubernetes, limits);
            (before.unwrap_or_default(), Some(format!("error converting YAML to JSON: {problem}")))
        }
    };
    let mut readable = Vec::with_capacity(documents.len());
    for document in documents {
        if document.node.str_at(&["kind"]).is_none_or(str::is_empty) {
            error = Some(missing_kind(&document.node));
            break;
        }
        readable.push(document.node);
    }
    Objects { objects: select_objects(readable), error }
}

fn missing_kind(document: &Node) -> String {
    let body = json::to_string_with(&sorted(document), Escape::Html);
    format!("error unmarshaling JSON: while decoding JSON: Object 'Kind' is missing in '{body}'")
}

fn sorted(node: &Node) -> Node {
    match node {
        Node::Scalar(_) => node.clone(),
        Node::List(items) => Node::List(items.iter().map(sorted).collect()),
        Node::Map(map) => {
            let entries = map.iter().map(|(key, value)| (Scalar::string(key), sorted(value)));
            let mut sorted: Map = entries.collect();
            sorted.sort_keys();
            Node::Map(sorted)
        }
    }
}

/// The documents before the one that can't be read.
fn before_error<'t>(text: &'t str, error: &ReadError) -> &'t str {
    let mut end = 0;
    let mut at = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if error.line().is_some_and(|last| index >= last) {
            break;
        }
        if line.starts_with("---") {
            end = at;
        }
        at += line.len();
    }
    &text[..end]
}
