//! The identity of an object in an inventory.

use std::fmt;
use std::str::FromStr;

use crate::object::{self, Gvk, Object as _};
use millrace_yaml::Node;

/// Namespace, name, group and kind: what stays the same when only the API version changes.
///
/// Printed `<namespace>_<name>_<group>_<kind>`; empty parts leave an empty slot.
///
/// Contract: kustomize-controller §1.4.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObjectId {
    /// The namespace; empty for a cluster-scoped object.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The API group; empty for the core group.
    pub group: String,
    /// The kind.
    pub kind: String,
}

/// Text that is no inventory id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unable to parse stored object metadata: {rest}")]
pub struct ObjectIdError {
    rest: String,
}

impl ObjectId {
    /// The identity of `object`.
    pub fn of(object: &Node) -> Self {
        let Gvk { group, version: _, kind } = object.gvk();
        Self { namespace: object.namespace().to_owned(), name: object.name().to_owned(), group, kind }
    }

    /// `Kind/namespace/name`, or `Kind/name` without a namespace.
    pub fn subject(&self) -> String {
        object::subject(&self.kind, &self.namespace, &self.name)
    }

    /// Group, the given version, and kind.
    pub fn gvk(&self, version: &str) -> Gvk {
        Gvk { group: self.group.clone(), version: version.to_owned(), kind: self.kind.clone() }
    }

    /// Role and binding names may hold a colon, which the stored form writes as `__`.
    fn has_colons(&self) -> bool {
        self.group == "rbac.authorization.k8s.io"
            && matches!(self.kind.as_str(), "Role" | "ClusterRole" | "RoleBinding" | "ClusterRoleBinding")
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { namespace, name, group, kind } = self;
        if self.has_colons() {
            write!(out, "{namespace}_{}_{group}_{kind}", name.replace(':', "__"))
        } else {
            write!(out, "{namespace}_{name}_{group}_{kind}")
        }
    }
}

impl FromStr for ObjectId {
    type Err = ObjectIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail = |rest: &str| ObjectIdError { rest: rest.to_owned() };
        let (namespace, rest) = text.split_once('_').ok_or_else(|| fail(text))?;
        let (rest, kind) = rest.rsplit_once('_').ok_or_else(|| fail(rest))?;
        let (name, group) = rest.rsplit_once('_').ok_or_else(|| fail(rest))?;
        Ok(Self {
            namespace: namespace.to_owned(),
            name: name.replace("__", ":"),
            group: group.to_owned(),
            kind: kind.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(namespace: &str, name: &str, group: &str, kind: &str) -> ObjectId {
        ObjectId {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            group: group.to_owned(),
            kind: kind.to_owned(),
        }
    }

    #[test]
    fn ids_print_and_parse_as_the_contract_lists_them() {
        let rows = [
            (id("default", "podinfo", "apps", "Deployment"), "default_podinfo_apps_Deployment"),
            (id("default", "podinfo", "", "Service"), "default_podinfo__Service"),
            (id("", "apps", "", "Namespace"), "_apps__Namespace"),
            (
                id("", "system:foo", "rbac.authorization.k8s.io", "ClusterRole"),
                "_system__foo_rbac.authorization.k8s.io_ClusterRole",
            ),
            (id("n", "a_b", "", "ConfigMap"), "n_a_b__ConfigMap"),
        ];
        for (id, text) in rows {
            assert_eq!(id.to_string(), text);
            assert_eq!(text.parse(), Ok(id), "{text}");
        }
    }

    #[test]
    fn a_text_with_too_few_separators_names_what_was_left() {
        for (text, rest) in [("abc", "abc"), ("a_b", "b"), ("a_b_c", "b")] {
            let error = text.parse::<ObjectId>().expect_err("must fail");
            assert_eq!(error.to_string(), format!("unable to parse stored object metadata: {rest}"));
        }
    }
}
