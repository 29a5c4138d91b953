//! Strict decoding into fixed structures, with the messages users know.
//!
//! Contract: kustomize-build §1.1.

use std::collections::BTreeMap;

use millrace_yaml::{Node, Scalar, ScalarKind};

/// Why a tree does not fit a structure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DecodeError {
    #[error("json: unknown field \"{0}\"")]
    UnknownField(String),
    #[error("json: cannot unmarshal {value} into Go {place} of type {wanted}")]
    WrongType { value: String, place: String, wanted: String },
}

/// The way from the top of a tree to the value being decoded.
#[derive(Debug)]
pub(crate) struct Trail {
    records: Vec<&'static str>,
    fields: Vec<&'static str>,
    /// Whether unknown fields are errors.
    strict: bool,
    /// Whether booleans and numbers become strings where strings are wanted.
    coerce: bool,
}

/// A type that a tree decodes into.
pub(crate) trait Decode: Sized + Default {
    /// The type's name in messages.
    fn type_name() -> String;

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

/// Like [`decode_strict_coercing`], but unknown fields are ignored.
pub(crate) fn decode_lax<T: Decode>(node: &Node) -> Result<T, DecodeError> {
    T::decode_value(node, &mut Trail::new(false, true))
}

impl Trail {
    fn new(strict: bool, coerce: bool) -> Self {
        Self { records: Vec::new(), fields: Vec::new(), strict, coerce }
    }

    pub(super) fn wrong<T: Decode>(&self, node: &Node) -> DecodeError {
        let place = match self.records.last() {
            Some(record) if !self.fields.is_empty() => {
                format!("struct field {record}.{}", self.fields.join("."))
            }
            Some(_) | None => "value".to_owned(),
        };
        DecodeError::WrongType { value: value_name::<T>(node), place, wanted: T::type_name() }
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
        self.records.push(name);
    }

    pub(crate) fn leave_record(&mut self) {
        self.records.pop();
    }

    /// Decodes the value of a field.
    pub(crate) fn field<T: Decode>(&mut self, name: &'static str, node: &Node) -> Result<T, DecodeError> {
        self.fields.push(name);
        let value = T::decode_value(node, self)?;
        self.fields.pop();
        Ok(value)
    }

    /// What becomes of a field that no record has.
    pub(crate) fn unknown(&self, name: &str) -> Result<(), DecodeError> {
        if self.strict { Err(DecodeError::UnknownField(name.to_owned())) } else { Ok(()) }
    }
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

        impl $crate::kustomization::decode::Decode for $name {
            fn type_name() -> String {
                concat!("types.", $go).to_owned()
            }

            fn decode(
                node: &millrace_yaml::Node,
                trail: &mut $crate::kustomization::decode::Trail,
            ) -> ::std::result::Result<Self, $crate::kustomization::decode::DecodeError> {
                let mut record = Self::default();
                let fields = $crate::kustomization::decode::record_fields::<Self>(node, trail)?;
                trail.enter_record($go);
                for (key, value) in fields {
                    $(if key.eq_ignore_ascii_case($key) {
                        record.$field = trail.field(concat!($(stringify!($embedded), ".",)* $key), value)?;
                        continue;
                    })*
                    trail.unknown(key)?;
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
        format!("[]{}", T::type_name())
    }

    fn decode(node: &Node, trail: &mut Trail) -> Result<Self, DecodeError> {
        let items = node.as_list().ok_or_else(|| trail.wrong::<Self>(node))?;
        items.iter().map(|item| T::decode_value(item, trail)).collect()
    }
}

impl<T: Decode> Decode for BTreeMap<String, T> {
    fn type_name() -> String {
        format!("map[string]{}", T::type_name())
    }

    fn decode(node: &Node, trail: &mut Trail) -> Result<Self, DecodeError> {
        let map = node.as_map().ok_or_else(|| trail.wrong::<Self>(node))?;
        map.iter().map(|(key, value)| Ok((key.to_owned(), T::decode_value(value, trail)?))).collect()
    }
}

impl Trail {
    /// Decodes the map that a `T` is.
    pub(crate) fn map_of<T: Decode, V: Decode>(
        &mut self,
        node: &Node,
    ) -> Result<BTreeMap<String, V>, DecodeError> {
        let map = node.as_map().ok_or_else(|| self.wrong::<T>(node))?;
        map.iter().map(|(key, value)| Ok((key.to_owned(), V::decode_value(value, self)?))).collect()
    }
}

impl<T: Decode> Decode for Option<T> {
    fn type_name() -> String {
        T::type_name()
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
