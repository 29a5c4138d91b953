//! Objects from text.

use millrace_yaml::Node;
use millrace_yaml::read::{Limits, Resolver, documents};

/// The documents of a text, whatever they are.
pub(crate) fn objects(text: &str) -> Vec<Node> {
    let found = documents(text, Resolver::Kubernetes, &Limits::default()).expect("valid YAML");
    found.into_iter().map(|document| document.node).collect()
}
