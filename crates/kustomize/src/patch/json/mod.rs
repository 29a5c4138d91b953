//! JSON patches.
//!
//! Contract: kustomize-build §3.18.

mod nulls;
mod place;
mod spelling;

use millrace_yaml::{List, Map, Node, ScalarKind, as_from_untyped_json, json};

use crate::error::{BuildError, Result};
use crate::hints;
use crate::syntax;
use crate::text::Text;
use place::{MISSING, find, get, index_of, insert, peek, take, unescape};

/// A decoded JSON patch.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct JsonPatch {
    operations: Vec<Map>,
    /// Whether strings in values stand as the patch spells them: where it tests some and spells one in a way of its own.
    spelled: bool,
    /// Whether nulls that it writes are told from others.
    marks_nulls: bool,
}

/// Whether a value may stand at a depth.
pub(crate) type Admit<'a> = &'a dyn Fn(&Node, usize) -> Result<()>;

impl JsonPatch {
    /// Decodes a patch: JSON where it starts with a bracket, YAML otherwise.
    pub(crate) fn decode(text: &Text<'_>) -> std::result::Result<Self, String> {
        let node = if text.starts_with('[') {
            json::from_str(text).map_err(|error| error.to_string())?
        } else {
            syntax::read_config(text).map_err(|error| error.text)?
        };
        if text.is_empty() {
            return Err("empty json patch operations".to_owned());
        }
        let items = match node {
            Node::List(items) => items,
            Node::Scalar(_) if node.is_null() => List::default(),
            Node::Map(_) | Node::Scalar(_) => return Err(unfit(&node, "jsonpatch.Patch")),
        };
        let operations = items.into_iter().map(|item| match item {
            Node::Map(operation) => Ok(operation),
            item if item.is_null() => Ok(Map::default()),
            item => Err(unfit(&item, "jsonpatch.Operation")),
        });
        let mut operations = operations.collect::<std::result::Result<Vec<_>, _>>()?;
        let spelled = text.starts_with('[') && spelling::keep(&mut operations, text);
        let marks_nulls = nulls::matter(&operations);
        Ok(Self { operations, spelled, marks_nulls })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Whether objects stand where operations are to be.
    pub(crate) fn is_of_objects(&self) -> bool {
        let is_object = |item: &Map| item.contains_key("kind") && !item.contains_key("op");
        !self.operations.is_empty() && self.operations.iter().all(is_object)
    }

    /// Whether an operation reads or writes a field, something in it, or what holds it.
    pub(crate) fn reaches(&self, field: &[&str]) -> bool {
        let leads_there = |pointer: &str| {
            let parts = pointer.split('/').skip(1).map(unescape);
            parts.zip(field).all(|(part, name)| part == *name)
        };
        let pointers = |operation: &Map| {
            ["path", "from"]
                .into_iter()
                .any(|key| operation.get(key).and_then(Node::as_str).is_some_and(leads_there))
        };
        self.operations.iter().any(pointers)
    }

    /// Applies the patch; the object is what it reads as through JSON, before and after.
    ///
    /// `admit` is asked for every value that is put into the object, with the depth at which it will stand.
    pub(crate) fn apply(&self, object: &Node, admit: Admit<'_>) -> Result<Node> {
        let mut document = syntax::canonical_for_json(object).map_err(BuildError::new)?;
        if self.spelled {
            spelling::spell(&mut document);
        }
        for operation in &self.operations {
            check_values(&document, operation, admit)?;
            if let Err(text) = self.run(&mut document, operation) {
                let mut operation = operation.clone();
                self.unmark(&mut document);
                if let Some(value) = operation.get_mut("value").filter(|_| self.spelled) {
                    spelling::read(value);
                }
                let hint = hints::failed_operation(&document, &operation);
                return Err(hint.into_iter().fold(BuildError::new(text), BuildError::with_hint));
            }
        }
        self.unmark(&mut document);
        as_from_untyped_json(&mut document);
        if document.as_map().is_none() {
            return Err(BuildError::new(unfit(&document, "map[string]interface {}")));
        }
        Ok(document)
    }

    /// Makes an object again of what the operations work on.
    fn unmark(&self, document: &mut Node) {
        if self.spelled {
            spelling::read(document);
        }
        if self.marks_nulls {
            nulls::forget(document);
        }
    }

    fn run(&self, document: &mut Node, operation: &Map) -> std::result::Result<(), String> {
        let kind = operation.get("op").and_then(Node::as_str).unwrap_or("unknown");
        let stated = operation.get("value");
        let value = || match stated {
            Some(value) if self.marks_nulls && value.is_null() => nulls::written(),
            Some(value) => value.clone(),
            None => Node::null(),
        };
        let path = || {
            pointer(operation, "path", "operation missing path field").map_err(|problem| {
                // Three kinds leave out what is wrong with the path.
                let problem = if matches!(kind, "add" | "remove" | "copy") { MISSING } else { &problem };
                format!("{kind} operation failed to decode path: {problem}")
            })
        };
        let from = || {
            pointer(operation, "from", "operation, missing from field")
                .map_err(|problem| format!("{kind} operation failed to decode from: {problem}"))
        };
        match kind {
            "add" => add(document, path()?, value()),
            "remove" => remove(document, path()?),
            "replace" => replace(document, path()?, value()),
            "move" => move_value(document, from()?, path),
            "copy" => self.copy(document, from()?, path),
            "test" => test(document, path()?, stated),
            other => Err(format!("Unexpected kind: {other}")),
        }
    }

    fn copy<'p>(
        &self,
        document: &mut Node,
        from: &str,
        path: impl FnOnce() -> std::result::Result<&'p str, String>,
    ) -> std::result::Result<(), String> {
        let Some((parent, key)) = find(document, from) else {
            return Err(format!(
                "copy operation does not apply: doc is missing from path: {from}: {MISSING}"
            ));
        };
        let mut value = get(parent, &unescape(key))
            .map_err(|problem| format!("error in copy for from: '{from}': {problem}"))?;
        if self.spelled {
            spelling::escape(&mut value);
        }
        if self.marks_nulls {
            nulls::mark_copied(&mut value);
        }
        let path = path()?;
        let Some((parent, key)) = find(document, path) else {
            return Err(format!(
                "copy operation does not apply: doc is missing destination path: {path}: {MISSING}"
            ));
        };
        insert(parent, &unescape(key), value)
            .map_err(|problem| format!("error while adding value during copy: {problem}"))
    }
}

/// Asks whether the value that an operation puts into the object may stand there.
fn check_values(document: &Node, operation: &Map, admit: Admit<'_>) -> Result<()> {
    let text = |key: &str| operation.get(key).and_then(Node::as_str);
    let Some(path) = text("path") else { return Ok(()) };
    let depth = path.matches('/').count();
    match text("op") {
        Some("add" | "replace") => operation.get("value").map_or(Ok(()), |value| admit(value, depth)),
        Some("copy" | "move") => {
            let found = text("from").and_then(|from| peek(document, from));
            found.map_or(Ok(()), |value| admit(value, depth))
        }
        Some(_) | None => Ok(()),
    }
}

/// A pointer that an operation states.
fn pointer<'o>(operation: &'o Map, key: &str, absent: &str) -> std::result::Result<&'o str, String> {
    let Some(value) = operation.get(key).filter(|value| !value.is_null()) else {
        return Err(format!("{absent}: {MISSING}"));
    };
    value.as_str().ok_or_else(|| unfit(value, "string"))
}

fn unfit(value: &Node, wanted: &str) -> String {
    format!("json: cannot unmarshal {} into Go value of type {wanted}", json_kind(value))
}

/// What JSON calls a value.
fn json_kind(value: &Node) -> &'static str {
    match value {
        Node::Map(_) => "object",
        Node::List(_) => "array",
        Node::Scalar(scalar) => match scalar.kind() {
            ScalarKind::Bool => "bool",
            ScalarKind::Int | ScalarKind::Float => "number",
            ScalarKind::Str | ScalarKind::Timestamp | ScalarKind::Null => "string",
        },
    }
}

fn add(document: &mut Node, path: &str, value: Node) -> std::result::Result<(), String> {
    let Some((parent, key)) = find(document, path) else {
        return Err(format!("add operation does not apply: doc is missing path: \"{path}\": {MISSING}"));
    };
    insert(parent, &unescape(key), value)
        .map_err(|problem| format!("error in add for path: '{path}': {problem}"))
}

fn remove(document: &mut Node, path: &str) -> std::result::Result<(), String> {
    let Some((parent, key)) = find(document, path) else {
        return Err(format!("remove operation does not apply: doc is missing path: \"{path}\": {MISSING}"));
    };
    take(parent, &unescape(key)).map_err(|problem| format!("error in remove for path: '{path}': {problem}"))
}

fn replace(document: &mut Node, path: &str, value: Node) -> std::result::Result<(), String> {
    if path.is_empty() {
        if value.as_scalar().is_some() {
            return Err("replace operation value must be object or array: %!w(<nil>)".to_owned());
        }
        *document = value;
        return Ok(());
    }
    let Some((parent, key)) = find(document, path) else {
        return Err(format!("replace operation does not apply: doc is missing path: {path}: {MISSING}"));
    };
    let key = unescape(key);
    match parent {
        Node::List(items) => {
            let index = index_of(&key, items.len()).map_err(|_| {
                format!("replace operation does not apply: doc is missing key: {path}: {MISSING}")
            })?;
            items[index] = value;
        }
        Node::Map(map) => {
            map.insert(key, value);
        }
        Node::Scalar(_) => {}
    }
    Ok(())
}

fn move_value<'p>(
    document: &mut Node,
    from: &str,
    path: impl FnOnce() -> std::result::Result<&'p str, String>,
) -> std::result::Result<(), String> {
    let Some((parent, key)) = find(document, from) else {
        return Err(format!("move operation does not apply: doc is missing from path: {from}: {MISSING}"));
    };
    let key = unescape(key);
    let failed = |problem| format!("error in move for path: '{key}': {problem}");
    let value = get(parent, &key).map_err(failed)?;
    take(parent, &key).map_err(failed)?;
    let path = path()?;
    let Some((parent, key)) = find(document, path) else {
        return Err(format!(
            "move operation does not apply: doc is missing destination path: {path}: {MISSING}"
        ));
    };
    insert(parent, &unescape(key), value)
        .map_err(|problem| format!("error in move for path: '{path}': {problem}"))
}

fn test(document: &mut Node, path: &str, wanted: Option<&Node>) -> std::result::Result<(), String> {
    let failed = || format!("testing value {path} failed: test failed");
    if path.is_empty() {
        let is_equal = wanted.is_some_and(|wanted| equal(document, wanted));
        return if is_equal { Ok(()) } else { Err(failed()) };
    }
    let Some((parent, key)) = find(document, path) else {
        return Err(format!("test operation does not apply: is missing path: {path}: {MISSING}"));
    };
    let value = get(parent, &unescape(key))
        .map_err(|problem| format!("error in test for path: '{path}': {problem}"))?;
    let is_equal = match wanted {
        Some(wanted) if !wanted.is_null() => equal(&value, wanted),
        wanted => nulls::is_null(&value, wanted),
    };
    if is_equal { Ok(()) } else { Err(failed()) }
}

/// Deep equality; maps are unordered, numbers are compared as they are written, and so are strings that are spelled.
fn equal(left: &Node, right: &Node) -> bool {
    match (left, right) {
        (left, Node::Map(right)) if nulls::is_empty_map(left) => right.is_empty(),
        (Node::Map(left), Node::Map(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| right.get(key).is_some_and(|other| equal(value, other)))
        }
        (Node::List(left), Node::List(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Node::Scalar(left), Node::Scalar(right)) => {
            let string = |kind| matches!(kind, ScalarKind::Str | ScalarKind::Timestamp);
            string(left.kind()) == string(right.kind()) && left.text() == right.text()
        }
        (Node::Map(_) | Node::List(_) | Node::Scalar(_), _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(document: &str, patch: &str) -> std::result::Result<String, String> {
        let patch = JsonPatch::decode(&patch.into())?;
        let document = json::from_str(document).unwrap();
        patch
            .apply(&document, &|_, _| Ok(()))
            .map(|node| json::to_string(&node))
            .map_err(|error| error.reference)
    }

    #[test]
    fn operations_follow_the_reference() {
        for (patch, result) in [
            (r#"[{"op":"add","path":"/l/-1","value":9}]"#, Ok(r#"{"l":[1,2,9],"m":{"a":1}}"#)),
            (r#"[{"op":"add","path":"/l/0","value":9}]"#, Ok(r#"{"l":[9,1,2],"m":{"a":1}}"#)),
            (r#"[{"op":"replace","path":"/m/b","value":2}]"#, Ok(r#"{"l":[1,2],"m":{"a":1,"b":2}}"#)),
            (r#"[{"op":"copy","from":"/m/x","path":"/m/y"}]"#, Ok(r#"{"l":[1,2],"m":{"a":1,"y":null}}"#)),
            (
                r#"[{"op":"test","path":"/m/x","value":null},{"op":"remove","path":"/m/a"}]"#,
                Ok(r#"{"l":[1,2],"m":{}}"#),
            ),
            (
                r#"[{"op":"remove","path":"/m/b"}]"#,
                Err("error in remove for path: '/m/b': Unable to remove nonexistent key: b: missing value"),
            ),
            (
                r#"[{"op":"add","path":"/l/x","value":1}]"#,
                Err(
                    "error in add for path: '/l/x': value was not a proper array index: 'x': strconv.Atoi: parsing \"x\": invalid syntax",
                ),
            ),
            (
                r#"[{"op":"add","path":"/l/5","value":1}]"#,
                Err(
                    "error in add for path: '/l/5': Unable to access invalid index: 5: invalid index referenced",
                ),
            ),
            (
                r#"[{"op":"replace","path":"/x/y","value":1}]"#,
                Err("replace operation does not apply: doc is missing path: /x/y: missing value"),
            ),
            (r#"[{"op":"test","path":"/m/a","value":1.0}]"#, Err("testing value /m/a failed: test failed")),
            (r#"[{"op":"fly","path":"/m/a"}]"#, Err("Unexpected kind: fly")),
            (r#"[{"op":"add","value":1}]"#, Err("add operation failed to decode path: missing value")),
        ] {
            let expected = result.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(apply(r#"{"l":[1,2],"m":{"a":1}}"#, patch), expected, "{patch}");
        }
    }
}
