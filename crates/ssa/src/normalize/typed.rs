//! An object as it looks after a round trip through its compiled type.

use millrace_yaml::{List, Map, Node, ScalarKind};

use super::base64;
use super::types::{Field, TYPES, Type};
use super::{quantity, time};

/// A value does not fit its type; the object is left raw and the API server says what is wrong.
#[derive(Debug)]
pub(super) struct Mismatch;

/// A value of a type, and whether the printer may leave it out.
struct Value {
    node: Node,
    /// Zero, or of no length. Never true for a structure or for a time.
    empty: bool,
}

impl Value {
    fn some(node: Node) -> Self {
        Self { node, empty: false }
    }

    fn null() -> Self {
        Self { node: Node::null(), empty: true }
    }
}

/// Converts `object` to the structure of its kind and back. Fields that the structure lacks are dropped, zero values are
/// left out where the type says so, structures appear even if empty.
pub(super) fn round_trip(object: &Node, structure: usize) -> Result<Node, Mismatch> {
    convert(Some(object), &Type::Struct(structure)).map(|value| value.node)
}

fn convert(node: Option<&Node>, ty: &Type) -> Result<Value, Mismatch> {
    let node = node.filter(|node| !node.is_null());
    match ty {
        Type::String => text(node),
        Type::Bool => boolean(node),
        Type::Int(bits) => integer(node, *bits),
        Type::Float => float(node),
        Type::Bytes => bytes(node),
        Type::Time => point_in_time(node, time::canonical_seconds),
        Type::MicroTime => point_in_time(node, time::canonical_micros),
        Type::Quantity => amount(node),
        Type::IntOrString => int_or_string(node),
        Type::Raw => Ok(Value::some(node.cloned().unwrap_or_else(Node::null))),
        Type::Pointer(inner) => match node {
            None => Ok(Value::null()),
            Some(_) => convert(node, inner).map(|value| Value::some(value.node)),
        },
        Type::List(item) => list(node, item),
        Type::Map(value) => map(node, value),
        Type::Struct(index) => structure(node, TYPES.fields(*index)),
    }
}

fn text(node: Option<&Node>) -> Result<Value, Mismatch> {
    let text = node.map_or(Ok(""), |node| node.as_str().ok_or(Mismatch))?;
    Ok(Value { node: Node::string(text), empty: text.is_empty() })
}

fn boolean(node: Option<&Node>) -> Result<Value, Mismatch> {
    let value = node.map_or(Ok(false), |node| node.as_bool().ok_or(Mismatch))?;
    Ok(Value { node: Node::bool(value), empty: !value })
}

/// Whole numbers wrap at the width of their type, as a conversion in the reference does; a float must be whole.
fn integer(node: Option<&Node>, bits: u8) -> Result<Value, Mismatch> {
    let wide = node.map_or(Ok(0), |node| whole(node).ok_or(Mismatch))?;
    let value = if bits == 32 { wrap(wide) } else { wide };
    Ok(Value { node: Node::int(value), empty: value == 0 })
}

#[expect(clippy::cast_possible_truncation, reason = "wraps on purpose")]
fn wrap(wide: i64) -> i64 {
    i64::from(wide as i32)
}

#[expect(clippy::cast_possible_truncation, reason = "in range, and without a fraction")]
fn whole(node: &Node) -> Option<i64> {
    if let Some(value) = node.as_i64() {
        return Some(value);
    }
    let value = number(node)?;
    (value.fract() == 0.0 && value.abs() < 9.0e18).then_some(value as i64)
}

fn number(node: &Node) -> Option<f64> {
    let scalar = node.as_scalar()?;
    match scalar.kind() {
        ScalarKind::Int | ScalarKind::Float => scalar.text().parse().ok(),
        ScalarKind::Null | ScalarKind::Bool | ScalarKind::Str | ScalarKind::Timestamp => None,
    }
}

fn float(node: Option<&Node>) -> Result<Value, Mismatch> {
    let Some(node) = node else { return Ok(Value { node: Node::int(0), empty: true }) };
    let value = number(node).ok_or(Mismatch)?;
    Ok(Value { node: node.clone(), empty: value == 0.0 })
}

fn bytes(node: Option<&Node>) -> Result<Value, Mismatch> {
    let Some(node) = node else { return Ok(Value::null()) };
    let decoded = base64::decode(node.as_str().ok_or(Mismatch)?).ok_or(Mismatch)?;
    Ok(Value { node: Node::string(base64::encode(&decoded)), empty: decoded.is_empty() })
}

fn point_in_time(node: Option<&Node>, canonical: impl Fn(&str) -> Option<String>) -> Result<Value, Mismatch> {
    let Some(node) = node else { return Ok(Value::some(Node::null())) };
    let text = node.as_str().and_then(canonical).ok_or(Mismatch)?;
    Ok(Value::some(Node::string(text)))
}

fn amount(node: Option<&Node>) -> Result<Value, Mismatch> {
    let Some(node) = node else { return Ok(Value::some(Node::string("0"))) };
    let scalar = node.as_scalar().ok_or(Mismatch)?;
    let text = match scalar.kind() {
        ScalarKind::Str | ScalarKind::Int | ScalarKind::Float => quantity::canonical(scalar.text().trim()),
        ScalarKind::Null | ScalarKind::Bool | ScalarKind::Timestamp => None,
    };
    Ok(Value::some(Node::string(text.ok_or(Mismatch)?)))
}

fn int_or_string(node: Option<&Node>) -> Result<Value, Mismatch> {
    let Some(node) = node else { return Ok(Value::some(Node::int(0))) };
    if let Some(text) = node.as_str() {
        return Ok(Value::some(Node::string(text)));
    }
    let value = node.as_i64().and_then(|value| i32::try_from(value).ok()).ok_or(Mismatch)?;
    Ok(Value::some(Node::int(i64::from(value))))
}

fn list(node: Option<&Node>, item: &Type) -> Result<Value, Mismatch> {
    let Some(node) = node else { return Ok(Value::null()) };
    let items = node.as_list().ok_or(Mismatch)?;
    let converted: List = items
        .iter()
        .map(|node| convert(Some(node), item).map(|value| value.node))
        .collect::<Result<_, _>>()?;
    Ok(Value { empty: converted.is_empty(), node: Node::List(converted) })
}

fn map(node: Option<&Node>, ty: &Type) -> Result<Value, Mismatch> {
    let Some(node) = node else { return Ok(Value::null()) };
    let mut converted = Map::default();
    for (key, value) in node.as_map().ok_or(Mismatch)?.entries() {
        converted.push(key.clone(), convert(Some(value), ty)?.node);
    }
    Ok(Value { empty: converted.is_empty(), node: Node::Map(converted) })
}

fn structure(node: Option<&Node>, fields: &[Field]) -> Result<Value, Mismatch> {
    let given = node.map(|node| node.as_map().ok_or(Mismatch)).transpose()?;
    let mut printed = Map::default();
    for Field { name, ty, omit_empty, omit_zero } in fields {
        let Value { node, empty } = convert(given.and_then(|map| map.get(name)), ty)?;
        let omit = (*omit_empty && empty) || (*omit_zero && node.is_null());
        if !omit {
            printed.push(millrace_yaml::Scalar::string(*name), node);
        }
    }
    Ok(Value::some(Node::Map(printed)))
}
