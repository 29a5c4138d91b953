//! The name of a namespaced object within its kind.

use std::fmt;
use std::sync::Arc;

use kube::ResourceExt as _;

/// Namespace and name; cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    namespace: Arc<str>,
    name: Arc<str>,
}

impl Key {
    /// A key from its parts.
    pub fn new(namespace: impl Into<Arc<str>>, name: impl Into<Arc<str>>) -> Self {
        Self { namespace: namespace.into(), name: name.into() }
    }

    /// The key of `object`.
    pub fn of(object: &impl kube::Resource) -> Self {
        Self::new(object.namespace().unwrap_or_default(), object.name_any())
    }

    /// The namespace.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The namespace, shared.
    pub(crate) fn shared_namespace(&self) -> Arc<str> {
        Arc::clone(&self.namespace)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}
