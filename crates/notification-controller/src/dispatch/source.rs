//! A reference to objects of the toolkit, with its namespace filled in.

use std::collections::BTreeMap;

use millrace_api::notification::CrossNamespaceObjectReference;

/// One object, or all of a kind and namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The kind, compared case by case.
    pub kind: String,
    /// The namespace; `*` is a name like any other.
    pub namespace: String,
    /// The name, or `*`.
    pub name: String,
    /// Labels the object must have; present but empty, the object must only exist.
    pub match_labels: Option<BTreeMap<String, String>>,
}

impl Source {
    /// Reads a reference in an object of the namespace `home`.
    pub fn of(reference: &CrossNamespaceObjectReference, home: &str) -> Self {
        let namespace = reference.namespace.as_deref().filter(|namespace| !namespace.is_empty());
        Self {
            kind: reference.kind.clone(),
            namespace: namespace.unwrap_or(home).to_owned(),
            name: reference.name.clone(),
            match_labels: reference.match_labels.clone(),
        }
    }

    /// `KIND/NAMESPACE/NAME`, as event texts name the source.
    pub fn path(&self) -> String {
        format!("{}/{}/{}", self.kind, self.namespace, self.name)
    }
}
