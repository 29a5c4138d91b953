//! The dialects of text that a build reads, and the forms it prints into messages.
//!
//! Contract: kustomize-build §6.1.

use millrace_yaml::read::{self, Document, Limits, ReadError, Resolver};
use millrace_yaml::{Node, Scalar, ScalarKind, Style, json, print as printer};

/// Text that does not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    /// The reference's text.
    pub(crate) text: String,
    /// The line of the whole text, where it is known.
    pub(crate) line: Option<usize>,
}

impl From<ReadError> for SyntaxError {
    fn from(error: ReadError) -> Self {
        Self { text: error.to_string(), line: error.line() }
    }
}

/// Reads a kustomization file or another text that becomes a fixed structure: the first document, YAML 1.1 through JSON.
pub(crate) fn read_config(text: &str) -> Result<Node, SyntaxError> {
    Ok(read::one(text, Resolver::Kubernetes, &Limits::default())?.node)
}

/// Reads the documents of objects or strategic patches: YAML 1.2 with leftovers of 1.1.
pub(crate) fn read_objects(text: &str) -> Result<Vec<Document>, ReadError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    read::documents(text, Resolver::Kustomize, &Limits::default())
}

/// What text means in a plain scalar of an object.
pub(crate) fn kind_of(text: &str) -> ScalarKind {
    read::kind_of(text, Resolver::Kustomize)
}

/// A scalar of an object.
pub(crate) fn scalar(text: &str, kind: ScalarKind, style: Style) -> Scalar {
    Scalar::new(text, kind, style)
}

/// A key that the build makes: it means what it reads as, so that a key such as `1` or `true` is no string.
pub(crate) fn key(text: &str) -> Scalar {
    scalar(text, kind_of(text), Style::Plain)
}

/// A plain scalar that means what it reads as.
pub(crate) fn plain(text: &str) -> Node {
    Node::Scalar(scalar(text, kind_of(text), Style::Plain))
}

/// A tree as text in its own order, for messages and annotations.
pub(crate) fn print(node: &Node) -> String {
    printer::to_yaml_in_order(node)
}

/// A tree as text with its keys sorted, for messages.
pub(crate) fn print_sorted(node: &Node) -> String {
    printer::to_yaml(node)
}

/// A tree as JSON on one line with its keys sorted, for messages.
pub(crate) fn print_json(node: &Node) -> String {
    json::to_string(&millrace_yaml::canonical(node).unwrap_or_else(|_| node.clone()))
}
