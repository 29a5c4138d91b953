//! Ids of objects.
//!
//! Contract: kustomize-build §2.1.

use millrace_yaml::{Node, Scalar};

use super::names::{Name, Names};

/// Group, version and kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Gvk {
    pub(crate) group: Name,
    pub(crate) version: Name,
    pub(crate) kind: Name,
}

/// What an object is called at one point of the build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Id {
    pub(crate) gvk: Gvk,
    pub(crate) name: Name,
    /// As it is written; empty where it is not.
    pub(crate) namespace: Name,
    /// Whether the kind is known to be cluster-scoped.
    pub(crate) cluster: bool,
}

/// An id as ids are compared: with the effective namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct IdKey {
    pub(crate) gvk: Gvk,
    pub(crate) name: Name,
    pub(crate) namespace: Name,
}

impl Gvk {
    pub(crate) fn new(api_version: &str, kind: &str, names: &Names) -> Self {
        let (group, version) = split_api_version(api_version);
        Self { group: names.intern(group), version: names.intern(version), kind: names.intern(kind) }
    }

    /// `<Kind>.<version>.<group>`.
    pub(crate) fn text(self, names: &Names) -> String {
        names.join(&self.parts())
    }

    /// What [`Self::text`] joins.
    pub(crate) fn parts(self) -> [(&'static str, Name, &'static str); 3] {
        [("", self.kind, "[noKind]"), (".", self.version, "[noVer]"), (".", self.group, "[noGrp]")]
    }

    /// `group/version`, or the version alone.
    pub(crate) fn api_version(self, names: &Names) -> String {
        let version = names.text(self.version);
        if self.group.is_empty() {
            version.to_string()
        } else {
            format!("{}/{version}", names.text(self.group))
        }
    }
}

/// Group and version of an `apiVersion`.
fn split_api_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

impl Id {
    /// The id that an object states.
    pub(crate) fn of(node: &Node, names: &Names) -> Self {
        let api_version = written(node, "apiVersion");
        let kind = written(node, "kind");
        Self {
            gvk: Gvk::new(api_version, kind, names),
            name: names.intern(text_at(node, &["metadata", "name"])),
            namespace: names.intern(text_at(node, &["metadata", "namespace"])),
            cluster: names.is_cluster_scoped(api_version, kind),
        }
    }

    pub(crate) fn effective_namespace(self) -> Name {
        match self.namespace {
            _ if self.cluster => Name::NO_NAMESPACE,
            Name::EMPTY => Name::DEFAULT,
            namespace => namespace,
        }
    }

    pub(crate) fn key(self) -> IdKey {
        IdKey { gvk: self.gvk, name: self.name, namespace: self.effective_namespace() }
    }

    /// `<Kind>.<version>.<group>/<name>.<namespace>`.
    pub(crate) fn text(self, names: &Names) -> String {
        let [kind, version, group] = self.gvk.parts();
        let (name, namespace) = (("/", self.name, "[noName]"), (".", self.namespace, "[noNs]"));
        names.join(&[kind, version, group, name, namespace])
    }
}

/// The text of a field as it is written, that of a null too: the reference's ids are made of it.
fn written<'n>(node: &'n Node, field: &str) -> &'n str {
    node.get(field).and_then(Node::as_scalar).map_or("", Scalar::text)
}

/// The text of the scalar at `path`, whatever its type; empty where there is none or it is null.
pub(crate) fn text_at<'n>(node: &'n Node, path: &[&str]) -> &'n str {
    node.at(path).filter(|found| !found.is_null()).and_then(Node::as_scalar).map_or("", Scalar::text)
}
