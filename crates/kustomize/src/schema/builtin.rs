//! The built-in schema: static tables, searched by halving.

use super::builtin_data::{DEFINITIONS, KINDS};

/// apiVersion, kind, scope, definition.
pub(super) type KindRow = (&'static str, &'static str, Scope, Option<u16>);

/// A type: its name, and its fields sorted by name.
pub(super) type Definition = (&'static str, &'static [Field]);

/// Whether objects of a kind live in namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// In a namespace.
    Namespaced,
    /// Outside of namespaces.
    Cluster,
    /// The schema does not say; such kinds are treated as namespaced.
    Unknown,
}

/// One field of a type and what lies below it.
#[derive(Debug)]
pub(super) struct Field {
    name: &'static str,
    list: Option<&'static [&'static str]>,
    child: Option<u16>,
}

/// A field that holds an object.
pub(super) const fn object(name: &'static str, definition: u16) -> Field {
    Field { name, list: None, child: Some(definition) }
}

/// A field that holds a list which a patch replaces, of objects with merge lists of their own.
pub(super) const fn items(name: &'static str, definition: u16) -> Field {
    Field { name, list: None, child: Some(definition) }
}

/// A field that holds anything at all; what lies below it has no schema.
pub(super) const fn anything(name: &'static str) -> Field {
    Field { name, list: None, child: None }
}

/// A list whose items are matched by `keys`.
pub(super) const fn keyed(
    name: &'static str,
    keys: &'static [&'static str],
    definition: Option<u16>,
) -> Field {
    Field { name, list: Some(keys), child: definition }
}

/// A list of scalars that is merged as a set.
pub(super) const fn set(name: &'static str) -> Field {
    Field { name, list: Some(&[]), child: None }
}

/// The built-in schema at one point of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct BuiltinAt {
    /// The merge keys, where a merge list stands here.
    pub(super) merge: Option<&'static [&'static str]>,
    definition: Option<u16>,
}

impl BuiltinAt {
    pub(super) fn of_kind(api_version: &str, kind: &str) -> Option<Self> {
        let (.., definition) = row(api_version, kind)?;
        definition.map(Self::definition)
    }

    /// The type called `name`.
    pub(super) fn named(name: &str) -> Option<Self> {
        let index = DEFINITIONS.binary_search_by(|(definition, _)| (*definition).cmp(name)).ok()?;
        u16::try_from(index).ok().map(Self::definition)
    }

    fn definition(number: u16) -> Self {
        Self { merge: None, definition: Some(number) }
    }

    /// The name of the type that stands here, or of the items of a list.
    pub(super) fn type_name(self) -> Option<&'static str> {
        self.definition.map(|number| DEFINITIONS[usize::from(number)].0)
    }

    pub(super) fn field(self, name: &str) -> Option<Self> {
        let (_, fields) = DEFINITIONS[usize::from(self.definition?)];
        let index = fields.binary_search_by(|field| field.name.cmp(name)).ok()?;
        let Field { list, child, .. } = fields[index];
        Some(Self { merge: list, definition: child })
    }

    /// The items of a list that is merged.
    pub(super) fn item(self) -> Self {
        Self { merge: None, ..self }
    }
}

/// Where objects of a kind live, as far as the built-in schema knows.
pub(super) fn scope(api_version: &str, kind: &str) -> Scope {
    row(api_version, kind).map_or(Scope::Unknown, |(_, _, scope, _)| *scope)
}

fn row(api_version: &str, kind: &str) -> Option<&'static KindRow> {
    let index =
        KINDS.binary_search_by(|(version, name, ..)| (*version, *name).cmp(&(api_version, kind))).ok()?;
    KINDS.get(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_for_binary_search() {
        assert!(KINDS.is_sorted_by(|left, right| (left.0, left.1) < (right.0, right.1)));
        assert!(DEFINITIONS.is_sorted_by(|left, right| left.0 < right.0));
        for (name, fields) in DEFINITIONS {
            assert!(fields.is_sorted_by(|left, right| left.name < right.name), "{name}");
        }
    }
}
