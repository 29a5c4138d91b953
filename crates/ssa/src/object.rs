//! What the engine asks of every object: kind, name, labels, subject.

use std::fmt;

use millrace_yaml::{List, Map, Node};

/// Group, version and kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Gvk {
    /// The API group; empty for the core group.
    pub group: String,
    /// The version within the group.
    pub version: String,
    /// The kind.
    pub kind: String,
}

impl Gvk {
    /// Splits an `apiVersion`; one with more than one slash names no group and no version.
    pub fn new(api_version: &str, kind: impl Into<String>) -> Self {
        let (group, version) = match api_version.split_once('/') {
            None => ("", api_version),
            Some((_, version)) if version.contains('/') => ("", ""),
            Some(split) => split,
        };
        Self { group: group.to_owned(), version: version.to_owned(), kind: kind.into() }
    }

    /// The `apiVersion` form.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }
}

impl fmt::Display for Gvk {
    /// `Deployment.apps`, or `Service` for the core group: the form of client-go's `GroupKind`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.group.is_empty() {
            out.write_str(&self.kind)
        } else {
            write!(out, "{}.{}", self.kind, self.group)
        }
    }
}

/// A tree read as a Kubernetes object. What is absent or no string reads as the empty string.
pub trait Object {
    /// The `apiVersion`.
    fn api_version(&self) -> &str;
    /// The kind.
    fn kind(&self) -> &str;
    /// Group, version and kind.
    fn gvk(&self) -> Gvk;
    /// The name.
    fn name(&self) -> &str;
    /// The namespace.
    fn namespace(&self) -> &str;
    /// A string field of the metadata.
    fn meta(&self, field: &str) -> &str;
    /// The value of a label.
    fn label(&self, key: &str) -> Option<&str>;
    /// The value of an annotation.
    fn annotation(&self, key: &str) -> Option<&str>;
    /// `Kind/namespace/name`, or `Kind/name` without a namespace.
    fn subject(&self) -> String;
    /// Whether this is a `kind` of `group`, in whatever version.
    fn is_kind(&self, group: &str, kind: &str) -> bool;
}

impl Object for Node {
    fn api_version(&self) -> &str {
        self.str_at(&["apiVersion"]).unwrap_or_default()
    }

    fn kind(&self) -> &str {
        self.str_at(&["kind"]).unwrap_or_default()
    }

    fn gvk(&self) -> Gvk {
        Gvk::new(self.api_version(), self.kind())
    }

    fn name(&self) -> &str {
        self.meta("name")
    }

    fn namespace(&self) -> &str {
        self.meta("namespace")
    }

    fn meta(&self, field: &str) -> &str {
        self.str_at(&["metadata", field]).unwrap_or_default()
    }

    fn label(&self, key: &str) -> Option<&str> {
        self.str_at(&["metadata", "labels", key])
    }

    fn annotation(&self, key: &str) -> Option<&str> {
        self.str_at(&["metadata", "annotations", key])
    }

    fn subject(&self) -> String {
        subject(self.kind(), self.namespace(), self.name())
    }

    fn is_kind(&self, group: &str, kind: &str) -> bool {
        let own_group = self.api_version().rsplit_once('/').map_or("", |(group, _)| group);
        self.kind() == kind && own_group == group
    }
}

/// The subject form of every per-object message.
pub fn subject(kind: &str, namespace: &str, name: &str) -> String {
    if namespace.is_empty() { format!("{kind}/{name}") } else { format!("{kind}/{namespace}/{name}") }
}

/// Whether a tree has what an object needs: apiVersion, kind and name.
pub fn is_object(node: &Node) -> bool {
    !node.api_version().is_empty() && !node.kind().is_empty() && !node.name().is_empty()
}

/// Whether this configures kustomize itself and so is no object of the cluster.
pub fn is_kustomize_config(node: &Node) -> bool {
    node.kind().eq_ignore_ascii_case("kustomization")
        && node.api_version().starts_with("kustomize.config.k8s.io/")
}

/// Whether this is a core Secret.
pub fn is_secret(node: &Node) -> bool {
    node.kind().eq_ignore_ascii_case("secret") && node.api_version() == "v1"
}

/// The objects among built documents: lists are flattened, what is no object and kustomize's own configuration is left
/// out. Items of a list are taken as they are.
///
/// Contract: kustomize-controller §3.7.
pub fn select_objects(documents: impl IntoIterator<Item = Node>) -> Vec<Node> {
    let mut objects = Vec::new();
    for mut document in documents {
        if document.get("items").is_some_and(|items| items.as_list().is_some()) {
            let items = document.as_map_mut().and_then(|map| map.remove("items"));
            objects.extend(items.into_iter().flat_map(into_items));
        } else if is_object(&document) && !is_kustomize_config(&document) {
            objects.push(document);
        }
    }
    objects
}

fn into_items(node: Node) -> List {
    match node {
        Node::List(items) => items,
        Node::Scalar(_) | Node::Map(_) => List::default(),
    }
}

/// Sets `metadata.labels[key]`; nothing happens where the metadata or the labels are no map.
pub fn set_label(object: &mut Node, key: &str, value: &str) {
    if let Some(labels) = object.map_at_mut(&["metadata", "labels"]) {
        labels.insert(key, Node::string(value));
    }
}

/// Takes out what stands at `path`.
pub(crate) fn remove_at(object: &mut Node, path: &[&str]) -> Option<Node> {
    let (last, parents) = path.split_last()?;
    object.at_mut(parents)?.as_map_mut()?.remove(last)
}

/// A map's entries where there is a map, none otherwise.
pub(crate) fn entries<'a>(
    object: &'a Node,
    path: &[&str],
) -> impl Iterator<Item = (&'a str, &'a Node)> + use<'a> {
    object.at(path).and_then(Node::as_map).into_iter().flat_map(Map::iter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_api_version_splits_into_group_and_version() {
        for (api_version, group, version) in
            [("v1", "", "v1"), ("apps/v1", "apps", "v1"), ("a/b/c", "", ""), ("", "", "")]
        {
            let gvk = Gvk::new(api_version, "K");
            assert_eq!((gvk.group.as_str(), gvk.version.as_str()), (group, version), "{api_version}");
        }
    }
}
