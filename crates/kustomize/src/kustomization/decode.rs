//! Strict decoding into fixed structures, with the messages users know.
//!
//! Contract: kustomize-build §1.1.

use std::collections::BTreeMap;

use millrace_yaml::{Node, Scalar, ScalarKind};

use crate::go;
use crate::hints::Key;

/// Why a tree does not fit a structure, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub(crate) struct DecodeError {
    pub(crate) problem: Problem,
    /// The way to the value from the innermost step out; made while the error goes up, so that good trees don't pay for it.
    pub(crate) way: Vec<Step>,
}

/// A step to a value that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) key: Key,
    /// The fields of the record that the step is taken in; a map of any keys and a list have none.
    pub(crate) fields: Vec<Field>,
}

/// A field that a record has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) key: &'static str,
    /// What its type is called in messages.
    pub(crate) of_type: String,
    /// The fields of the record, or of the records in the list, that it holds.
    pub(crate) keys: &'static [&'static str],
}

/// Why a value does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Problem {
    #[error("json: unknown field {}", go::quote(name))]
    UnknownField { name: String, fields: Vec<Field> },
    #[error("json: cannot unmarshal {value} into Go {place} of type {wanted}")]
    WrongType { value: String, place: String, wanted: String },
}

impl DecodeError {
    /// The same error, seen from the value that contains the one it was about.
    pub(crate) fn within(mut self, key: Key) -> Self {
        self.way.push(Step { key, fields: Vec::new() });
        self
    }

    /// The same error, seen from the record that has these fields.
    pub(crate) fn within_record(mut self, key: &str, fields: Vec<Field>) -> Self {
        self.way.push(Step { key: Key::name(key), fields });
        self
    }
}

impl From<Problem> for DecodeError {
    fn from(problem: Problem) -> Self {
        Self { problem, way: Vec::new() }
    }
}

/// The way from the top of a tree to the value being decoded.
#[derive(Debug)]
pub(crate) struct Trail {
    records: Vec<&'static str>,
    fields: Vec<&'static str>,
    /// What the outermost record is called instead of its own name.
    outer: Option<&'static str>,
    /// Whether unknown fields are errors.
    strict: bool,
    /// Whether booleans and numbers become strings where strings are wanted; below what a record embeds they don't.
    pub(super) coerce: bool,
}

/// A type that a tree decodes into.
pub(crate) trait Decode: Sized + Default {
    /// The type's name in messages.
    fn type_name() -> String;

    /// The name of a list's items in messages about the list.
    fn item_name() -> String {
        Self::type_name()
    }

    /// The keys of a record, or of the records that a list holds.
    fn keys() -> &'static [&'static str] {
        &[]
    }

    /// Decodes a value that is not null.
    fn decode(node: &Node, trail: &mut Trail) -> Result<Self, DecodeError>;

    /// Decodes a value; null means absent.
    fn decode_value(node: &Node, trail: &mut Trail) -> Result<Self, DecodeError> {
        if node.is_null() { Ok(Self::default()) } else { Self::decode(node, trail) }
    }
}

/// Decodes a whole tree; unknown fields are errors.
pub(crate) fn decode_strict<T: Decode>(node: &Node) -> Result<T, DecodeError> {
    T::decode_value(node, &mut Trail::new(true, false))
}

/// Decodes a whole tree; unknown fields are errors, booleans and numbers become strings where strings are wanted.
pub(crate) fn decode_strict_coercing<T: Decode>(node: &Node) -> Result<T, DecodeError> {
    T::decode_value(node, &mut Trail::new(true, true))
}

/// Like [`decode_lax`], for a record that the reference decodes as part of another: embedded in it under a name, or in its place.
pub(crate) fn decode_inside<T: Decode>(
    node: &Node,
    outer: &'static str,
    embedded: Option<&'static str>,
) -> Result<T, DecodeError> {
    let mut trail = Trail::new(false, embedded.is_none());
    trail.outer = Some(outer);
    trail.fields.extend(embedded);
    T::decode_value(node, &mut trail)
}

/// Like [`decode_strict`], but unknown fields are ignored.
pub(crate) fn decode_json<T: Decode>(node: &Node) -> Result<T, DecodeError> {
    T::decode_value(node, &mut Trail::new(false, false))
}

/// Like [`decode_strict_coercing`], but unknown fields are ignored.
pub(crate) fn decode_lax<T: Decode>(node: &Node) -> Result<T, DecodeError> {
    T::decode_value(node, &mut Trail::new(false, true))
}

impl Trail {
    fn new(strict: bool, coerce: bool) -> Self {
        Self { records: Vec::new(), fields: Vec::new(), outer: None, strict, coerce }
    }

    /// The error for a value that is no `T`.
    pub(crate) fn wrong<T: Decode>(&self, node: &Node) -> DecodeError {
        let place = match self.records.last() {
            Some(record) if !self.fields.is_empty() => {
                format!("struct field {record}.{}", self.fields.join("."))
            }
            Some(_) | None => "value".to_owned(),
        };
        Problem::WrongType { value: value_name::<T>(node), place, wanted: T::type_name() }.into()
    }
}

/// The keys of a record in the order they are decoded, with their values.
pub(crate) fn record_fields<'n, T: Decode>(
    node: &'n Node,
    trail: &mut Trail,
) -> Result<Vec<(&'n str, &'n Node)>, DecodeError> {
    let map = node.as_map().ok_or_else(|| trail.wrong::<T>(node))?;
    let mut fields: Vec<(&str, &Node)> = map.iter().collect();
    fields.sort_by(|left, right| left.0.cmp(right.0));
    Ok(fields)
}

impl Trail {
    /// Enters a record; leave it with [`Self::leave_record`].
    pub(crate) fn enter_record(&mut self, name: &'static str) {
        self.records.push(self.outer.take().unwrap_or(name));
    }

    pub(crate) fn leave_record(&mut self) {
        self.records.pop();
    }

    /// Decodes the value of a field.
    pub(crate) fn field<T: Decode>(&mut self, name: &'static str, node: &Node) -> Result<T, DecodeError> {
        self.fields.push(name);
        let coerces = self.coerce;
        self.coerce &= !name.contains('.');
        let value = T::decode_value(node, self)?;
        self.coerce = coerces;
        self.fields.pop();
        Ok(value)
    }

    /// What becomes of a field that no record has.
    pub(crate) fn unknown(&self, name: &str, fields: fn() -> Vec<Field>) -> Result<(), DecodeError> {
        if !self.strict {
            return Ok(());
        }
        let error = DecodeError::from(Problem::UnknownField { name: name.to_owned(), fields: fields() });
        Err(error.within(Key::name(name)))
    }
}

/// The type of a record that is declared with this name: of the package `types`, unless it names another.
pub(crate) fn type_of(declared: &str) -> String {
    let name = declared.trim_start_matches('*');
    if name.contains('.') { name.to_owned() } else { format!("types.{name}") }
}

/// Like [`type_of`], in a list: a star says that lists hold pointers.
pub(crate) fn item_of(declared: &str) -> String {
    let star = if declared.starts_with('*') { "*" } else { "" };
    format!("{star}{}", type_of(declared))
}

/// The name without star and package.
pub(crate) fn name_of(declared: &'static str) -> &'static str {
    let name = declared.trim_start_matches('*');
    name.rsplit_once('.').map_or(name, |(_, name)| name)
}

/// Declares a record and how it is decoded: field, type, key, and the structures of the reference that the record embeds and
/// that messages name before the key.
macro_rules! record {
    ($(#[$meta:meta])* $vis:vis struct $name:ident = $go:literal {
        $($(#[$field_meta:meta])* $field:ident: $type:ty = $($embedded:ident.)* $key:literal,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq)]
        $vis struct $name {
            $($(#[$field_meta])* pub(crate) $field: $type,)*
        }

        impl $name {
            /// The fields, for messages.
            fn fields() -> Vec<$crate::kustomization::decode::Field> {
                vec![$($crate::kustomization::decode::Field {
                    key: $key,
                    of_type: <$type as $crate::kustomization::decode::Decode>::type_name(),
                    keys: <$type as $crate::kustomization::decode::Decode>::keys(),
                }),*]
            }
        }

        impl $crate::kustomization::decode::Decode for $name {
            fn keys() -> &'static [&'static str] {
                &[$($key),*]
            }

            fn type_name() -> String {
                $crate::kustomization::decode::type_of($go)
            }

            fn item_name() -> String {
                $crate::kustomization::decode::item_of($go)
            }

            fn decode(
                node: &millrace_yaml::Node,
                trail: &mut $crate::kustomization::decode::Trail,
            ) -> ::std::result::Result<Self, $crate::kustomization::decode::DecodeError> {
                let mut record = Self::default();
                let fields = $crate::kustomization::decode::record_fields::<Self>(node, trail)?;
                trail.enter_record($crate::kustomization::decode::name_of($go));
                for (key, value) in fields {
                    $(if key.eq_ignore_ascii_case($key) {
                        record.$field = trail
                            .field(concat!($(stringify!($embedded), ".",)* $key), value)
                            .map_err(|error| error.within_record(key, Self::fields()))?;
                        continue;
                    })*
                    trail.unknown(key, Self::fields)?;
                }
                trail.leave_record();
                Ok(record)
            }
        }
    };
}
pub(crate) use record;

impl Decode for String {
    fn type_name() -> String {
        "string".to_owned()
    }

    fn decode(node: &Node, trail: &mut Trail) -> Result<Self, DecodeError> {
        match node {
            Node::Scalar(scalar) if trail.coerce || node.as_str().is_some() => Ok(scalar.text().to_owned()),
            Node::Scalar(_) | Node::List(_) | Node::Map(_) => Err(trail.wrong::<Self>(node)),
        }
    }
}

impl Decode for bool {
    fn type_name() -> String {
        "bool".to_owned()
    }

    fn decode(node: &Node, trail: &mut Trail) -> Result<Self, DecodeError> {
        node.as_bool().ok_or_else(|| trail.wrong::<Self>(node))
    }
}

impl Decode for i64 {
    fn type_name() -> String {
        "int64".to_owned()
    }

    fn decode(node: &Node, trail: &mut Trail) -> Result<Self, DecodeError> {
        node.as_i64().ok_or_else(|| trail.wrong::<Self>(node))
    }
}

/// The reference's `int`.
impl Decode for isize {
    fn type_name() -> String {
        "int".to_owned()
    }

    fn decode(node: &Node, trail: &mut Trail) -> Result<Self, DecodeError> {
        let number = node.as_i64().and_then(|number| number.try_into().ok());
        number.ok_or_else(|| trail.wrong::<Self>(node))
    }
}

impl<T: Decode> Decode for Vec<T> {
    fn type_name() -> String {
        format!("[]{}", T::item_name())
    }

    fn keys() -> &'static [&'static str] {
        T::keys()
    }

    fn decode(node: &Node, trail: &mut Trail) -> Result<Self, DecodeError> {
        let items = node.as_list().ok_or_else(|| trail.wrong::<Self>(node))?;
        let item = |(index, item)| {
            T::decode_value(item, trail).map_err(|error: DecodeError| error.within(Key::Item(index)))
        };
        items.iter().enumerate().map(item).collect()
    }
}

impl<T: Decode> Decode for BTreeMap<String, T> {
    fn type_name() -> String {
        format!("map[string]{}", T::type_name())
    }

    fn decode(node: &Node, trail: &mut Trail) -> Result<Self, DecodeError> {
        let map = node.as_map().ok_or_else(|| trail.wrong::<Self>(node))?;
        let entry = |(key, value): (&str, &Node)| {
            let value = T::decode_value(value, trail).map_err(|error| error.within(Key::name(key)))?;
            Ok((key.to_owned(), value))
        };
        map.iter().map(entry).collect()
    }
}

impl Trail {
    /// Decodes the map that a `T` is.
    pub(crate) fn map_of<T: Decode, V: Decode>(
        &mut self,
        node: &Node,
    ) -> Result<BTreeMap<String, V>, DecodeError> {
        let map = node.as_map().ok_or_else(|| self.wrong::<T>(node))?;
        let entry = |(key, value): (&str, &Node)| {
            let value = V::decode_value(value, self);
            Ok((key.to_owned(), value.map_err(|error| error.within(Key::name(key)))?))
        };
        map.iter().map(entry).collect()
    }
}

impl<T: Decode> Decode for Option<T> {
    fn type_name() -> String {
        T::type_name()
    }

    fn keys() -> &'static [&'static str] {
        T::keys()
    }

    fn decode(node: &Node, trail: &mut Trail) -> Result<Self, DecodeError> {
        T::decode(node, trail).map(Some)
    }
}

/// A value kept as it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Raw(pub(crate) Node);

impl Default for Raw {
    fn default() -> Self {
        Self(Node::null())
    }
}

impl Decode for Raw {
    fn type_name() -> String {
        "interface {}".to_owned()
    }

    fn decode(node: &Node, _: &mut Trail) -> Result<Self, DecodeError> {
        Ok(Self(node.clone()))
    }
}

fn value_name<T: Decode>(node: &Node) -> String {
    match node {
        Node::List(_) => "array".to_owned(),
        Node::Map(_) => "object".to_owned(),
        Node::Scalar(scalar) => match scalar.kind() {
            ScalarKind::Bool => "bool".to_owned(),
            ScalarKind::Int | ScalarKind::Float if is_whole::<T>() => number_name(scalar),
            ScalarKind::Int | ScalarKind::Float => "number".to_owned(),
            ScalarKind::Str | ScalarKind::Null | ScalarKind::Timestamp => "string".to_owned(),
        },
    }
}

fn is_whole<T: Decode>() -> bool {
    [i64::type_name(), isize::type_name()].contains(&T::type_name())
}

fn number_name(scalar: &Scalar) -> String {
    format!("number {}", scalar.text())
}
