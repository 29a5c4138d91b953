//! The built-in schema: static tables, searched by halving.

use super::builtin_kinds::KINDS;
use super::builtin_types::DEFINITIONS;

/// apiVersion, kind, scope, definition.
pub(super) type KindRow = (&'static str, &'static str, Scope, Option<u16>);

/// A type: its name, its fields that lead to merge lists sorted by name, and the names of its other ones.
pub(super) type Definition = (&'static str, &'static [Field], &'static str);

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
    child: Below,
}

/// What is known of the fields below a point.
#[derive(Clone, Copy, Debug)]
enum Below {
    /// A type of the tables.
    Definition(u16),
    /// They have a schema without merge lists.
    Plain,
    /// They have none.
    Unknown,
}

/// A field that holds an object.
pub(super) const fn object(name: &'static str, definition: u16) -> Field {
    Field { name, list: None, child: Below::Definition(definition) }
}

/// A field that holds a list which a patch replaces, of objects with merge lists of their own.
pub(super) const fn items(name: &'static str, definition: u16) -> Field {
    Field { name, list: None, child: Below::Definition(definition) }
}

/// A field that holds anything at all; what lies below it has no schema.
pub(super) const fn anything(name: &'static str) -> Field {
    Field { name, list: None, child: Below::Unknown }
}

/// A list whose items are matched by `keys`.
pub(super) const fn keyed(
    name: &'static str,
    keys: &'static [&'static str],
    definition: Option<u16>,
) -> Field {
    let child = match definition {
        Some(definition) => Below::Definition(definition),
        None => Below::Plain,
    };
    Field { name, list: Some(keys), child }
}

/// A list of scalars that is merged as a set.
pub(super) const fn set(name: &'static str) -> Field {
    Field { name, list: Some(&[]), child: Below::Plain }
}

/// The built-in schema at one point of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct BuiltinAt {
    /// The merge keys, where a merge list stands here.
    pub(super) merge: Option<&'static [&'static str]>,
    below: Below,
}

impl BuiltinAt {
    pub(super) fn of_kind(api_version: &str, kind: &str) -> Option<Self> {
        let (.., definition) = row(api_version, kind)?;
        definition.map(Self::definition)
    }

    /// The type called `name`.
    pub(super) fn named(name: &str) -> Option<Self> {
        let index = DEFINITIONS.binary_search_by(|(definition, ..)| (*definition).cmp(name)).ok()?;
        u16::try_from(index).ok().map(Self::definition)
    }

    fn definition(number: u16) -> Self {
        Self { merge: None, below: Below::Definition(number) }
    }

    /// The name of the type that stands here, or of the items of a list.
    pub(super) fn type_name(self) -> Option<&'static str> {
        match self.below {
            Below::Definition(number) => Some(DEFINITIONS[usize::from(number)].0),
            Below::Plain | Below::Unknown => None,
        }
    }

    /// The schema of a field; none where nothing is known of it.
    pub(super) fn field(self, name: &str) -> Option<Self> {
        let plain = Self { merge: None, below: Below::Plain };
        let number = match self.below {
            Below::Definition(number) => number,
            Below::Plain => return Some(plain),
            Below::Unknown => return None,
        };
        let (_, fields, others) = DEFINITIONS[usize::from(number)];
        let Ok(index) = fields.binary_search_by(|field| field.name.cmp(name)) else {
            return others.split_ascii_whitespace().any(|other| other == name).then_some(plain);
        };
        let Field { list, child, .. } = fields[index];
        Some(Self { merge: list, below: child })
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
        for (name, fields, _) in DEFINITIONS {
            assert!(fields.is_sorted_by(|left, right| left.name < right.name), "{name}");
        }
    }
}
