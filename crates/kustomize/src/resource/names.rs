//! Interned text, so that ids compare and hash as numbers.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use crate::schema::{Schema, Scope};

/// A text of one build's [`Names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Name(u32);

impl Name {
    /// The empty text.
    pub(crate) const EMPTY: Self = Self(0);
    /// The namespace of objects that name none.
    pub(crate) const DEFAULT: Self = Self(1);
    /// What stands for the namespace of cluster-scoped objects.
    pub(crate) const NO_NAMESPACE: Self = Self(2);

    pub(crate) fn is_empty(self) -> bool {
        self == Self::EMPTY
    }
}

/// The texts of one build's ids, and the schema that says which kinds live outside of namespaces.
pub(crate) struct Names {
    inner: RefCell<Inner>,
    schema: RefCell<Rc<Schema>>,
}

#[derive(Default)]
struct Inner {
    by_text: HashMap<Rc<str>, Name>,
    texts: Vec<Rc<str>>,
}

impl Names {
    pub(crate) fn new() -> Self {
        let names = Self { inner: RefCell::default(), schema: RefCell::default() };
        for (text, name) in
            [("", Name::EMPTY), ("default", Name::DEFAULT), ("_non_namespaceable_", Name::NO_NAMESPACE)]
        {
            let interned = names.intern(text);
            debug_assert_eq!(interned, name);
        }
        names
    }

    /// The schema in force.
    pub(crate) fn schema(&self) -> Rc<Schema> {
        Rc::clone(&self.schema.borrow())
    }

    /// Puts another schema in force.
    pub(crate) fn set_schema(&self, schema: Schema) {
        *self.schema.borrow_mut() = Rc::new(schema);
    }

    /// Whether a kind is known to live outside of namespaces.
    pub(crate) fn is_cluster_scoped(&self, api_version: &str, kind: &str) -> bool {
        self.schema.borrow().scope(api_version, kind) == Scope::Cluster
    }

    /// The name of a text.
    pub(crate) fn intern(&self, text: &str) -> Name {
        let mut inner = self.inner.borrow_mut();
        if let Some(name) = inner.by_text.get(text) {
            return *name;
        }
        let name =
            Name(u32::try_from(inner.texts.len()).expect("the byte limit keeps distinct texts below 2^32"));
        let text: Rc<str> = Rc::from(text);
        inner.texts.push(Rc::clone(&text));
        inner.by_text.insert(text, name);
        name
    }

    /// The name of a text that some id has; `None` says that no id has it.
    pub(crate) fn find(&self, text: &str) -> Option<Name> {
        self.inner.borrow().by_text.get(text).copied()
    }

    /// The text of a name.
    pub(crate) fn text(&self, name: Name) -> Rc<str> {
        Rc::clone(&self.inner.borrow().texts[name.0 as usize])
    }

    /// Names in a row: each is what stands before it, the name, and what stands for the empty one.
    pub(crate) fn join(&self, parts: &[(&str, Name, &str)]) -> String {
        let inner = self.inner.borrow();
        let mut joined = String::new();
        for (before, name, absent) in parts {
            joined.push_str(before);
            joined.push_str(match &*inner.texts[name.0 as usize] {
                "" => absent,
                text => text,
            });
        }
        joined
    }

    /// Whether `name` is the name of `text`.
    pub(crate) fn is(&self, name: Name, text: &str) -> bool {
        &*self.inner.borrow().texts[name.0 as usize] == text
    }
}

impl fmt::Debug for Names {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(&self.inner.borrow().texts).finish()
    }
}
