//! The fields of the Kubernetes API types, as the reference implementation has them compiled in.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Kinds, an empty line, and one line of fields per structure; see `tools/api-types`.
const TABLE: &str = include_str!("types.txt");

/// The type of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    String,
    Bool,
    /// A whole number of so many bits.
    Int(u8),
    Float,
    /// Bytes, written as base64.
    Bytes,
    Time,
    MicroTime,
    Quantity,
    IntOrString,
    /// Any JSON.
    Raw,
    Pointer(Box<Type>),
    List(Box<Type>),
    Map(Box<Type>),
    /// The structure at this index.
    Struct(usize),
}

/// One field of a structure.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) ty: Type,
    /// Left out when it is zero or of no length; structures never are.
    pub(super) omit_empty: bool,
    /// Left out when it is the zero time.
    pub(super) omit_zero: bool,
}

/// Kinds and structures.
pub(super) struct Types {
    kinds: HashMap<(&'static str, &'static str), usize>,
    structs: Vec<Vec<Field>>,
}

/// The table, read at first use.
pub(super) static TYPES: LazyLock<Types> = LazyLock::new(|| Types::parse(TABLE));

impl Types {
    /// The structure of a kind, if the table knows it.
    pub(super) fn kind(&self, api_version: &str, kind: &str) -> Option<usize> {
        self.kinds.get(&(api_version, kind)).copied()
    }

    /// The fields of a structure.
    pub(super) fn fields(&self, index: usize) -> &[Field] {
        &self.structs[index]
    }

    /// Whether some version of `group` in the table has `kind`.
    pub(super) fn has_kind(&self, group: &str, kind: &str) -> bool {
        self.kinds.keys().any(|(api_version, known)| {
            *known == kind && api_version.rsplit_once('/').map_or("", |(group, _)| group) == group
        })
    }

    fn parse(table: &'static str) -> Self {
        let mut lines = table.lines().filter(|line| !line.starts_with('#'));
        let kinds = lines.by_ref().map_while(parse_kind).collect();
        let structs = lines.map(|line| line.split_ascii_whitespace().map(parse_field).collect()).collect();
        Self { kinds, structs }
    }
}

fn parse_kind(line: &'static str) -> Option<((&'static str, &'static str), usize)> {
    let mut words = line.split(' ');
    Some(((words.next()?, words.next()?), words.next()?.parse().ok()?))
}

fn parse_field(text: &'static str) -> Field {
    let (name, rest) = text.split_once(':').expect("the table has a colon in each field");
    let (expression, flags) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
    Field {
        name,
        ty: parse_type(expression),
        omit_empty: flags.contains('?'),
        omit_zero: flags.contains('0'),
    }
}

fn parse_type(text: &str) -> Type {
    let inner = |text: &str| Box::new(parse_type(text));
    let (first, rest) = text.split_at(1);
    match first {
        "s" => Type::String,
        "b" => Type::Bool,
        "i" => Type::Int(rest.parse().expect("the table gives a width")),
        "f" => Type::Float,
        "B" => Type::Bytes,
        "T" => Type::Time,
        "M" => Type::MicroTime,
        "Q" => Type::Quantity,
        "X" => Type::IntOrString,
        "J" => Type::Raw,
        "*" => Type::Pointer(inner(rest)),
        "[" => Type::List(inner(rest)),
        "{" => Type::Map(inner(rest)),
        "@" => Type::Struct(rest.parse().expect("the table gives an index")),
        other => unreachable!("the table has no type {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_complete() {
        let types = &*TYPES;
        for (kind, index) in &types.kinds {
            assert!(*index < types.structs.len(), "{kind:?}");
        }
        let deployment = types.kind("apps/v1", "Deployment").expect("a built-in kind");
        let names: Vec<&str> = types.fields(deployment).iter().map(|field| field.name).collect();
        assert_eq!(names, ["kind", "apiVersion", "metadata", "spec", "status"]);
        assert!(types.has_kind("apps", "Deployment") && !types.has_kind("example.com", "Deployment"));
    }

    #[test]
    fn every_structure_that_a_field_names_exists() {
        fn walk(ty: &Type, count: usize) {
            match ty {
                Type::Struct(index) => assert!(*index < count),
                Type::Pointer(inner) | Type::List(inner) | Type::Map(inner) => walk(inner, count),
                _ => {}
            }
        }
        for fields in &TYPES.structs {
            for field in fields {
                walk(&field.ty, TYPES.structs.len());
            }
        }
    }
}
