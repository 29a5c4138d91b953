//! How the rules read an object, with the texts of the reference where it is not what it should be.

use millrace_yaml::{Node, ScalarKind, json};

/// A status can't be told, since the object is not of the expected form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HealthError(pub(super) String);

/// A status condition; absent fields are empty.
#[derive(Debug, Default)]
pub(super) struct Condition<'a> {
    pub(super) kind: &'a str,
    pub(super) status: &'a str,
    pub(super) reason: &'a str,
    pub(super) message: &'a str,
}

/// The object's status conditions in list order.
pub(super) fn conditions(object: &Node) -> Result<Vec<Condition<'_>>, HealthError> {
    let Some(status) = present(object.get("status")) else { return Ok(Vec::new()) };
    let status = as_struct(status)?;
    let Some(list) = present(status.get("conditions")) else { return Ok(Vec::new()) };
    let items =
        list.as_list().ok_or_else(|| HealthError(format!("cannot restore slice from {}", go_kind(list))))?;
    items.iter().map(condition).collect()
}

fn condition(item: &Node) -> Result<Condition<'_>, HealthError> {
    if item.is_null() {
        return Ok(Condition::default());
    }
    let item = as_struct(item)?;
    let field = |key: &str, go_type: &str| match present(item.get(key)) {
        None => Ok(""),
        Some(value) => value.as_str().ok_or_else(|| HealthError(no_string(value, go_type))),
    };
    Ok(Condition {
        kind: field("type", "string")?,
        status: field("status", "v1.ConditionStatus")?,
        reason: field("reason", "string")?,
        message: field("message", "string")?,
    })
}

fn no_string(value: &Node, go_type: &str) -> String {
    match go_kind(value) {
        "int64" => format!("cannot convert int64 to {go_type}"),
        _ => "unrecognized type: string".to_owned(),
    }
}

fn as_struct(node: &Node) -> Result<&Node, HealthError> {
    match node {
        Node::Map(_) => Ok(node),
        Node::Scalar(_) | Node::List(_) => {
            Err(HealthError(format!("cannot restore struct from: {}", go_kind(node))))
        }
    }
}

/// Whether a condition of this type has this status.
pub(super) fn has_condition(conditions: &[Condition<'_>], kind: &str, status: &str) -> bool {
    conditions.iter().any(|condition| condition.kind == kind && condition.status == status)
}

/// The whole number at `path`, or `default` where there is none.
pub(super) fn int(object: &Node, path: &[&str], default: i64) -> i64 {
    object.at(path).and_then(Node::as_i64).unwrap_or(default)
}

/// The string at `path`, or the empty string.
pub(super) fn text<'a>(object: &'a Node, path: &[&str]) -> &'a str {
    object.str_at(path).unwrap_or_default()
}

/// The whole number at `path`; `None` where it is absent, an error where something else is in its place.
pub(super) fn checked_int(object: &Node, path: &[&str]) -> Result<Option<i64>, HealthError> {
    match checked(object, path)? {
        None => Ok(None),
        Some(node) => node.as_i64().map(Some).ok_or_else(|| wrong_type(path, path, node, "int64")),
    }
}

/// The string at `path`; `None` where it is absent, an error where something else is in its place.
pub(super) fn checked_text<'a>(object: &'a Node, path: &[&str]) -> Result<Option<&'a str>, HealthError> {
    match checked(object, path)? {
        None => Ok(None),
        Some(node) => node.as_str().map(Some).ok_or_else(|| wrong_type(path, path, node, "string")),
    }
}

fn checked<'a>(object: &'a Node, path: &[&str]) -> Result<Option<&'a Node>, HealthError> {
    let mut node = object;
    for (index, key) in path.iter().enumerate() {
        if node.is_null() {
            return Ok(None);
        }
        let Some(map) = node.as_map() else {
            return Err(wrong_type(path, &path[..=index], node, "map[string]interface{}"));
        };
        match map.get(key) {
            Some(value) => node = value,
            None => return Ok(None),
        }
    }
    Ok(Some(node))
}

fn wrong_type(looked_up: &[&str], reached: &[&str], found: &Node, expected: &str) -> HealthError {
    let value = match found {
        Node::Scalar(_) if found.is_null() => "<nil>".to_owned(),
        Node::Scalar(scalar) => scalar.text().to_owned(),
        Node::List(_) | Node::Map(_) => json::to_string(found),
    };
    HealthError(format!(
        "looking up {} from resource: .{} accessor error: {value} is of the type {}, expected {expected}",
        looked_up.join("."),
        reached.join("."),
        go_type(found),
    ))
}

/// What the reference's reflection calls the value.
fn go_kind(node: &Node) -> &'static str {
    match node {
        Node::List(_) => "slice",
        Node::Map(_) => "map",
        Node::Scalar(_) => go_type(node),
    }
}

fn go_type(node: &Node) -> &'static str {
    match node {
        Node::List(_) => "[]interface {}",
        Node::Map(_) => "map[string]interface {}",
        Node::Scalar(scalar) => match scalar.kind() {
            ScalarKind::Null => "<nil>",
            ScalarKind::Bool => "bool",
            ScalarKind::Int => "int64",
            ScalarKind::Float => "float64",
            ScalarKind::Str | ScalarKind::Timestamp => "string",
        },
    }
}

fn present(node: Option<&Node>) -> Option<&Node> {
    node.filter(|node| !node.is_null())
}
