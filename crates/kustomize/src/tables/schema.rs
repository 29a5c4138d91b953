//! The built-in schema as the build asks it: scope by kind, merge keys by field.

use super::builtin_schema::{DEFINITIONS, KINDS};

/// apiVersion, kind, scope, definition.
pub(super) type KindRow = (&'static str, &'static str, Scope, Option<u16>);

/// The fields of one type, sorted by name.
pub(super) type Definition = &'static [Field];

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

/// The schema at one point of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SchemaAt {
    /// The merge keys, where a merge list stands here.
    merge: Option<&'static [&'static str]>,
    definition: Option<u16>,
}

impl SchemaAt {
    /// The schema of a kind's objects.
    pub(crate) fn of_kind(api_version: &str, kind: &str) -> Option<Self> {
        let (.., definition) = row(api_version, kind)?;
        definition.map(|number| Self { merge: None, definition: Some(number) })
    }

    /// The schema of a field.
    pub(crate) fn field(self, name: &str) -> Option<Self> {
        let definition = DEFINITIONS[usize::from(self.definition?)];
        let index = definition.binary_search_by(|field| field.name.cmp(name)).ok()?;
        let Field { list, child, .. } = definition[index];
        Some(Self { merge: list, definition: child })
    }

    /// The schema of the items of a list.
    pub(crate) fn item(self) -> Option<Self> {
        self.definition.map(|number| Self { merge: None, definition: Some(number) })
    }

    /// The keys by which items of a list are matched; none for a set of scalars, `None` where a patch replaces the list.
    pub(crate) fn merge_keys(self) -> Option<&'static [&'static str]> {
        self.merge
    }
}

/// Where objects of a kind live, as far as the built-in schema knows.
pub(crate) fn scope(api_version: &str, kind: &str) -> Scope {
    row(api_version, kind).map_or(Scope::Unknown, |(_, _, scope, _)| *scope)
}

fn row(api_version: &str, kind: &str) -> Option<&'static KindRow> {
    KINDS
        .binary_search_by(|(version, name, ..)| (*version, *name).cmp(&(api_version, kind)))
        .ok()
        .map(|index| &KINDS[index])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_for_binary_search() {
        assert!(KINDS.is_sorted_by(|left, right| (left.0, left.1) < (right.0, right.1)));
        for definition in DEFINITIONS {
            assert!(definition.is_sorted_by(|left, right| left.name < right.name), "{definition:?}");
        }
    }

    #[test]
    fn merge_keys_are_found_by_following_fields() {
        let pod = SchemaAt::of_kind("apps/v1", "Deployment")
            .and_then(|at| at.field("spec")?.field("template")?.field("spec"));
        let containers = pod.and_then(|at| at.field("containers"));
        assert_eq!(containers.and_then(SchemaAt::merge_keys), Some(&["name"][..]));
        let ports = containers.and_then(|at| at.item()?.field("ports"));
        assert_eq!(ports.and_then(SchemaAt::merge_keys), Some(&["containerPort", "protocol"][..]));
        assert_eq!(scope("v1", "Namespace"), Scope::Cluster);
        assert_eq!(scope("example.com/v1", "Namespace"), Scope::Unknown);
    }
}
