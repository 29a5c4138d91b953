//! From trees to types that speak serde, and back.

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{self, DeserializeOwned, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer, forward_to_deserialize_any};

use crate::{List, MapBuilder, Node, Scalar, ScalarKind, Style, json, number};

/// A tree that doesn't fit a type, or a value that has no tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SerdeError(String);

impl de::Error for SerdeError {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// Makes a `T` of a tree, as `serde_json` would of its JSON.
pub fn from_node<T: DeserializeOwned>(node: &Node) -> Result<T, SerdeError> {
    T::deserialize(NodeDeserializer(node))
}

/// Makes a tree of a value: the one its JSON stands for.
pub fn to_node<T: Serialize + ?Sized>(value: &T) -> Result<Node, SerdeError> {
    let text = serde_json::to_string(value).map_err(|err| SerdeError(err.to_string()))?;
    json::from_str(&text).map_err(|err| SerdeError(err.to_string()))
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Scalar(scalar) => serialize_scalar(scalar, serializer),
            Self::List(items) => {
                let mut seq = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    seq.serialize_element(item)?;
                }
                seq.end()
            }
            Self::Map(map) => {
                let mut entries = serializer.serialize_map(Some(map.len()))?;
                for (key, value) in map.iter() {
                    entries.serialize_entry(key, value)?;
                }
                entries.end()
            }
        }
    }
}

fn serialize_scalar<S: Serializer>(scalar: &Scalar, serializer: S) -> Result<S::Ok, S::Error> {
    match Value::of(scalar) {
        Value::Null => serializer.serialize_unit(),
        Value::Bool(value) => serializer.serialize_bool(value),
        Value::Signed(value) => serializer.serialize_i64(value),
        Value::Unsigned(value) => serializer.serialize_u64(value),
        Value::Float(value) => serializer.serialize_f64(value),
        Value::Text(text) => serializer.serialize_str(text),
    }
}

/// A scalar in serde's terms.
enum Value<'a> {
    Null,
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    Text(&'a str),
}

impl<'a> Value<'a> {
    fn of(scalar: &'a Scalar) -> Self {
        let text = scalar.text();
        match scalar.kind() {
            ScalarKind::Null => Self::Null,
            ScalarKind::Bool => Self::Bool(matches!(text, "true" | "True" | "TRUE")),
            ScalarKind::Str | ScalarKind::Timestamp => Self::Text(text),
            ScalarKind::Int | ScalarKind::Float => {
                let whole = if scalar.kind() == ScalarKind::Int { number::parse_whole(text) } else { None };
                match whole.map(|whole| (u64::try_from(whole), i64::try_from(whole))) {
                    Some((Ok(value), _)) => Self::Unsigned(value),
                    Some((Err(_), Ok(value))) => Self::Signed(value),
                    Some((Err(_), Err(_))) | None => {
                        number::value_of(scalar).map_or(Self::Text(text), Self::Float)
                    }
                }
            }
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a map, a list or a scalar")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::null())
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::null())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        Node::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Scalar(Scalar::new(value.to_string(), ScalarKind::Int, Style::Plain)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Scalar(Scalar::new(number::format_json(value), ScalarKind::Float, Style::Plain)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::string(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Node, E> {
        Ok(Node::string(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node, A::Error> {
        let mut items = List::default();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut map = MapBuilder::default();
        while let Some((key, value)) = entries.next_entry::<Box<str>, Node>()? {
            map.insert(Scalar::string(key), value);
        }
        Ok(Node::Map(map.finish()))
    }
}

/// Reads a type from a tree, borrowing its strings.
#[derive(Clone, Copy)]
struct NodeDeserializer<'de>(&'de Node);

impl<'de> IntoDeserializer<'de, SerdeError> for NodeDeserializer<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for NodeDeserializer<'de> {
    type Error = SerdeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        match self.0 {
            Node::Scalar(scalar) => match Value::of(scalar) {
                Value::Null => visitor.visit_unit(),
                Value::Bool(value) => visitor.visit_bool(value),
                Value::Signed(value) => visitor.visit_i64(value),
                Value::Unsigned(value) => visitor.visit_u64(value),
                Value::Float(value) => visitor.visit_f64(value),
                Value::Text(text) => visitor.visit_borrowed_str(text),
            },
            Node::List(items) => {
                let mut seq = SeqDeserializer::new(items.iter().map(NodeDeserializer));
                let value = visitor.visit_seq(&mut seq)?;
                seq.end()?;
                Ok(value)
            }
            Node::Map(map) => {
                let mut entries =
                    MapDeserializer::new(map.iter().map(|(key, value)| (key, NodeDeserializer(value))));
                let value = visitor.visit_map(&mut entries)?;
                entries.end()?;
                Ok(value)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        match self.0 {
            Node::Scalar(scalar) => visitor.visit_enum(scalar.text().into_deserializer()),
            Node::Map(map) => {
                let entries = map.iter().map(|(key, value)| (key, NodeDeserializer(value)));
                visitor.visit_enum(de::value::MapAccessDeserializer::new(MapDeserializer::new(entries)))
            }
            Node::List(_) => {
                Err(de::Error::custom("invalid type: sequence, expected a string or a map with one key"))
            }
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Sample {
        name: String,
        replicas: Option<i32>,
        missing: Option<bool>,
        ratio: f64,
        mode: Mode,
        nested: Vec<Mode>,
        labels: BTreeMap<String, String>,
        rest: Node,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Mode {
        Fast,
        Slow(u8),
    }

    #[test]
    fn types_and_trees_lead_to_each_other() {
        let sample = Sample {
            name: "a".to_owned(),
            replicas: Some(-3),
            missing: None,
            ratio: 1.5,
            mode: Mode::Fast,
            nested: vec![Mode::Slow(1)],
            labels: BTreeMap::from([("x".to_owned(), "1".to_owned())]),
            rest: json::from_str(r#"{"b":[1,18446744073709551615,null,2.5],"a":"x"}"#).unwrap(),
        };
        let node = to_node(&sample).unwrap();
        assert_eq!(node.str_at(&["labels", "x"]), Some("1"));
        assert_eq!(from_node::<Sample>(&node).unwrap(), sample);
        let text = serde_json::to_string(&node).unwrap();
        assert_eq!(serde_json::from_str::<Node>(&text).unwrap(), node);
    }

    #[test]
    fn a_mismatch_names_both_types() {
        let err = from_node::<Vec<String>>(&Node::list(vec![Node::int(1)])).unwrap_err();
        assert_eq!(err.to_string(), "invalid type: integer `1`, expected a string");
    }
}
