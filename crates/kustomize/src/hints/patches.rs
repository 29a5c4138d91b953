//! What is wrong with a patch that does not apply.

use std::collections::HashMap;

use millrace_yaml::{Map, Node, ScalarKind, json};

use super::near::{nearest, quoted};
use super::pointers::{is_map, key_with_slash, missing_pointer};
use super::shapes::{kind, misshapen_list};
use crate::syntax;

const OPERATIONS: [&str; 6] = ["add", "remove", "replace", "move", "copy", "test"];
const FIELDS: [&str; 4] = ["op", "path", "from", "value"];

/// What begins with a bracket is read as JSON alone.
const STRICT: &str = "a JSON patch that begins with '[' is strict JSON: names and texts in double quotes, no ',' before a bracket that closes";

/// Lists whose items are merged by their names in every kind with a schema that has them.
const BY_NAME: [&str; 6] =
    ["containers", "initContainers", "ephemeralContainers", "env", "volumes", "imagePullSecrets"];

/// What to say of YAML that is no JSON patch.
pub(super) fn not_operations(text: &str, is_inline: bool) -> &'static str {
    if is_inline && is_path(text) {
        "patch holds the patch itself: a file is named by path"
    } else if text.starts_with('[') && json::from_str(text).is_err() {
        STRICT
    } else if is_operation(text) {
        "a JSON patch is a list of operations: begin each with '- '"
    } else {
        "a JSON patch is a list of operations, each a map with op and path"
    }
}

/// Whether a text is the path of a file rather than its content.
pub(super) fn is_path(text: &str) -> bool {
    let text = text.trim();
    !text.contains(char::is_whitespace) && [".yaml", ".yml", ".json"].iter().any(|end| text.ends_with(end))
}

/// Whether a text is an operation of a JSON patch instead of a list of them.
pub(super) fn is_operation(text: &str) -> bool {
    syntax::read_config(text).is_ok_and(|node| node.get("op").is_some() && node.get("path").is_some())
}

/// Why an operation of a JSON patch fails; nothing if that isn't clear.
pub(crate) fn failed_operation(document: &Node, operation: &Map) -> Option<String> {
    let text = |key: &str| operation.get(key).and_then(Node::as_str);
    let Some(op) = text("op") else { return Some(lacks(operation, "op")) };
    if !OPERATIONS.contains(&op) {
        let meant = nearest(op, OPERATIONS).map_or_else(
            || format!("there are {}", OPERATIONS.join(", ")),
            |near| format!("did you mean '{near}'?"),
        );
        return Some(format!("there is no operation {}: {meant}", quoted(op)));
    }
    let is_from = matches!(op, "move" | "copy");
    for key in ["path"].into_iter().chain(is_from.then_some("from")) {
        match text(key) {
            None => return Some(lacks(operation, key)),
            Some(path) if !path.is_empty() && !path.starts_with('/') => {
                return Some(format!("a path begins with '/', not so {}", quoted(path)));
            }
            Some(_) => {}
        }
    }
    let path = text("path")?;
    let missing_parent = || {
        let (parent, last) = path.rsplit_once('/')?;
        let Some(ends) = missing_pointer(document, parent) else {
            return unfit_place(document, parent, last);
        };
        let key = key_with_slash(path).filter(|_| key_with_slash(parent).is_none());
        Some(format!("{ends}; {}", key.as_deref().unwrap_or("add makes the last part of a path only")))
    };
    match op {
        "add" => missing_parent(),
        "move" | "copy" => {
            text("from").and_then(|from| missing_pointer(document, from)).or_else(missing_parent)
        }
        "test" => missing_pointer(document, path).or_else(|| other_value(document, operation, path)),
        _ => missing_pointer(document, path),
    }
}

/// That an operation has no field, and what may stand for it.
fn lacks(operation: &Map, field: &str) -> String {
    let about = match operation.get("path").and_then(Node::as_str) {
        Some(path) if field != "path" => format!("the operation on {}", quoted(path)),
        _ => "an operation".to_owned(),
    };
    if operation.get(field).is_some_and(|value| !value.is_null()) {
        return format!("{about} has '{field}', which is to be text");
    }
    if field == "op" && operation.contains_key("kind") && operation.contains_key("metadata") {
        return "this is an object, not an operation: leave out the '- ' before it".to_owned();
    }
    let mut strays = operation.keys().filter(|key| !FIELDS.contains(key));
    match strays.find(|stray| nearest(stray, [field]).is_some()) {
        Some(stray) => format!("{about} has {}: did you mean '{field}'?", quoted(stray)),
        None if field == "op" => format!("{about} has no 'op': it is one of {}", OPERATIONS.join(", ")),
        None => format!("{about} has no '{field}'"),
    }
}

/// Why nothing can be put into the value at a path.
fn unfit_place(document: &Node, parent: &str, last: &str) -> Option<String> {
    let place = if parent.is_empty() { "the object".to_owned() } else { quoted(parent) };
    let parts = parent.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~"));
    let found = parts.into_iter().try_fold(document, |at, part| match at {
        Node::Map(map) => map.get(&part),
        Node::List(items) => items.get(part.parse::<usize>().ok()?),
        Node::Scalar(_) => None,
    })?;
    match found {
        Node::List(items) if last.parse::<usize>().is_ok_and(|index| index <= items.len()) => None,
        Node::List(_) if is_map(&place) => Some(format!("{place} is a list, and a map is wanted")),
        Node::List(items) => Some(format!(
            "{place} is a list of {}: its number, from 0, or '-' for a new last one comes next, not {}",
            items.len(),
            quoted(last)
        )),
        Node::Scalar(_) => Some(format!("{place} is a value with nothing below it")),
        Node::Map(_) => None,
    }
}

/// That a test finds another value: text, and all of a secret, is not quoted.
fn other_value(document: &Node, operation: &Map, path: &str) -> Option<String> {
    let is_open = document.str_at(&["kind"]) != Some("Secret");
    let wanted = operation.get("value").filter(|value| !value.is_null());
    let Some(wanted) = wanted else {
        return Some(format!("{} is there, and the test wants no value", quoted(path)));
    };
    let parts = path.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~"));
    let found = parts.into_iter().try_fold(document, |at, part| match at {
        Node::Map(map) => map.get(&part),
        Node::List(items) => items.get(part.parse::<usize>().ok()?),
        Node::Scalar(_) => None,
    })?;
    let plain = |node: &Node| {
        let scalar = node.as_scalar().filter(|_| is_open)?;
        matches!(scalar.kind(), ScalarKind::Bool | ScalarKind::Int | ScalarKind::Float)
            .then(|| scalar.text().to_owned())
    };
    let path = quoted(path);
    Some(match (plain(found), plain(wanted)) {
        (Some(found), Some(wanted)) if found != wanted => format!("{path} is {found}, not {wanted}"),
        _ => format!("{path} is not what the test wants"),
    })
}

/// The first field that is something else in an object than in a patch of it, or that is wrong in one of them; `problem` says
/// what was found where something else is wanted.
pub(crate) fn misfit(object: &Node, patch: &Node, problem: &str) -> Option<String> {
    let mut way = Vec::new();
    if let Some((is, wanted)) = differs(object, patch, &mut way) {
        let field = way.concat();
        return Some(format!("{} is {is}, but {wanted} in the patch", quoted(field.trim_start_matches('.'))));
    }
    misshapen_list(object, problem)
        .or_else(|| Some(format!("in the patch of it, {}", misshapen_list(patch, problem)?)))
}

fn differs(object: &Node, patch: &Node, way: &mut Vec<String>) -> Option<(&'static str, &'static str)> {
    if object.is_null() || patch.is_null() {
        return None;
    }
    if let (Node::List(items), Node::List(changes)) = (object, patch) {
        let is_named = way.last().is_some_and(|list| BY_NAME.contains(&list.trim_start_matches('.')));
        return if is_named { in_items(items, changes, way) } else { None };
    }
    let (Some(object), Some(patch)) = (object.as_map(), patch.as_map()) else {
        let (is, wanted) = (kind(object), kind(patch));
        return (is != wanted).then_some((is, wanted));
    };
    // It replaces, or deletes, the map.
    if patch.contains_key("$patch") {
        return None;
    }
    for (key, value) in patch.iter() {
        let Some(old) = object.get(key) else { continue };
        way.push(format!(".{key}"));
        if let Some(found) = differs(old, value, way) {
            return Some(found);
        }
        way.pop();
    }
    None
}

/// What differs in the items with one name.
fn in_items(items: &[Node], changes: &[Node], way: &mut Vec<String>) -> Option<(&'static str, &'static str)> {
    // It replaces the list.
    if changes.iter().any(|change| change.get("$patch").is_some() && change.get("name").is_none()) {
        return None;
    }
    let by_name: HashMap<&str, usize> = items
        .iter()
        .enumerate()
        .rev()
        .filter_map(|(index, item)| Some((item.get("name")?.as_str()?, index)))
        .collect();
    for change in changes {
        let name = change.get("name").and_then(Node::as_str);
        let Some(index) = name.and_then(|name| by_name.get(name)) else { continue };
        way.push(format!("[{index}]"));
        if let Some(found) = differs(&items[*index], change, way) {
            return Some(found);
        }
        way.pop();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_that_fails_says_why() {
        let object = json::from_str(r#"{"kind":"D","spec":{"replicas":1,"name":"hunter2","list":[1]}}"#)
            .expect("it reads");
        for (operation, told) in [
            (r#"{"op":"replce","path":"/spec"}"#, "there is no operation 'replce': did you mean 'replace'?"),
            (r#"{"op":"x"}"#, "there is no operation 'x': there are add, remove, replace, move, copy, test"),
            (r#"{"opp":"add","path":"/spec"}"#, "the operation on '/spec' has 'opp': did you mean 'op'?"),
            (r#"{"op":"copy","path":"/spec/x"}"#, "the operation on '/spec/x' has no 'from'"),
            (r#"{"op":"add","pth":"/spec/x"}"#, "an operation has 'pth': did you mean 'path'?"),
            (r#"{"op":"add","path":7}"#, "an operation has 'path', which is to be text"),
            (r#"{"op":"test","path":"/spec/replicas","value":7}"#, "'/spec/replicas' is 1, not 7"),
            (r#"{"op":"test","path":"/spec/name","value":"x"}"#, "'/spec/name' is not what the test wants"),
            (
                r#"{"op":"add","path":"/spec/replicas/x"}"#,
                "'/spec/replicas' is a value with nothing below it",
            ),
            (
                r#"{"op":"add","path":"/spec/list/3"}"#,
                "'/spec/list' is a list of 1: its number, from 0, or '-' for a new last one comes next, not '3'",
            ),
            (r#"{"op":"remove","path":"spec"}"#, "a path begins with '/', not so 'spec'"),
        ] {
            let operation = json::from_str(operation).expect("it reads");
            let operation = operation.as_map().expect("it is a map");
            assert_eq!(failed_operation(&object, operation).as_deref(), Some(told), "{operation:?}");
        }
        let secret = json::from_str(r#"{"kind":"Secret","data":{"a":1}}"#).expect("it reads");
        let test = json::from_str(r#"{"op":"test","path":"/data/a","value":7}"#).expect("it reads");
        let told = failed_operation(&secret, test.as_map().expect("it is a map"));
        assert_eq!(told.as_deref(), Some("'/data/a' is not what the test wants"));
    }
}
