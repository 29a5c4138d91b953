//! JSON pointers as the reference's JSON patches follow them.

use millrace_yaml::{Map, Node};

/// A step of a patch failed; the text is the reference's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct PointerError(String);

/// Removes what stands at each of `paths`. A path that leads nowhere is no error; a list has numbers only, and negative
/// ones count from its end.
pub(super) fn remove_all<S: AsRef<str>>(object: &mut Node, paths: &[S]) -> Result<(), PointerError> {
    paths.iter().try_for_each(|path| remove(object, path.as_ref()))
}

fn remove(object: &mut Node, path: &str) -> Result<(), PointerError> {
    let Some((parents, key)) = split(path) else { return Ok(()) };
    match walk(object, &parents) {
        Some(Node::Map(map)) => {
            map.remove(&key);
        }
        Some(Node::List(items)) => {
            let index = key.parse::<isize>().map_err(|_| {
                PointerError(format!(
                    "error in remove for path: '{path}': strconv.Atoi: parsing {key:?}: invalid syntax"
                ))
            })?;
            if let Some(index) = position(index, items.len()) {
                items.remove(index);
            }
        }
        Some(Node::Scalar(_)) | None => {}
    }
    Ok(())
}

/// Replaces what stands at `path`; something must stand there.
pub(super) fn replace(object: &mut Node, path: &str, value: Node) -> Result<(), PointerError> {
    let missing = |what| {
        PointerError(format!(
            "replace operation does not apply: doc is missing {what}: {path}: missing value"
        ))
    };
    let (parents, key) = split(path).ok_or_else(|| missing("path"))?;
    let slot = match walk(object, &parents) {
        Some(Node::Map(map)) => map.get_mut(&key),
        Some(Node::List(items)) => {
            let index = key.parse().ok().and_then(|index| position(index, items.len()));
            index.and_then(|index| items.get_mut(index))
        }
        Some(Node::Scalar(_)) | None => return Err(missing("path")),
    };
    *slot.ok_or_else(|| missing("key"))? = value;
    Ok(())
}

/// What stands at `path`; `Err` if that is no pointer at all. Negative indices lead nowhere.
pub(super) fn look_up<'a>(object: &'a Node, path: &str) -> Result<Option<&'a Node>, NoPointer> {
    if path.is_empty() {
        return Ok(Some(object));
    }
    let segments = path.strip_prefix('/').ok_or(NoPointer)?.split('/').map(unescape);
    let mut node = object;
    for segment in segments {
        let next = match node {
            Node::Map(map) => Map::get(map, &segment),
            Node::List(items) => segment.parse::<usize>().ok().and_then(|index| items.get(index)),
            Node::Scalar(_) => None,
        };
        match next {
            Some(next) => node = next,
            None => return Ok(None),
        }
    }
    Ok(Some(node))
}

/// Text that does not start with a slash.
#[derive(Debug)]
pub(super) struct NoPointer;

/// A segment with its escapes resolved.
pub(super) fn unescape(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

/// Escapes a key for use as a segment, as far as keys of labels and annotations need it.
pub(super) fn escape_slashes(key: &str) -> String {
    key.replace('/', "~1")
}

/// The segments that lead to the parent, and the last one. What precedes the first slash doesn't count.
fn split(path: &str) -> Option<(Vec<String>, String)> {
    let mut segments: Vec<String> = path.split('/').skip(1).map(unescape).collect();
    let key = segments.pop()?;
    Some((segments, key))
}

fn walk<'a>(object: &'a mut Node, parents: &[String]) -> Option<&'a mut Node> {
    parents.iter().try_fold(object, |node, segment| match node {
        Node::Map(map) => map.get_mut(segment),
        Node::List(items) => {
            let index = segment.parse().ok().and_then(|index| position(index, items.len()))?;
            items.get_mut(index)
        }
        Node::Scalar(_) => None,
    })
}

fn position(index: isize, length: usize) -> Option<usize> {
    let index = if index < 0 { length.checked_sub(index.unsigned_abs())? } else { index.unsigned_abs() };
    (index < length).then_some(index)
}

#[cfg(test)]
mod tests {
    use millrace_yaml::json;

    use super::*;

    fn object() -> Node {
        json::from_str(r#"{"a":{"b/c":1,"d":[1,2,3]}}"#).expect("valid JSON")
    }

    #[test]
    fn removal_follows_escapes_and_negative_indices_and_ignores_what_is_missing() {
        let rows = [
            ("/a/b~1c", r#"{"a":{"d":[1,2,3]}}"#),
            ("/a/d/-1", r#"{"a":{"b/c":1,"d":[1,2]}}"#),
            ("/a/d/7", r#"{"a":{"b/c":1,"d":[1,2,3]}}"#),
            ("/x/y", r#"{"a":{"b/c":1,"d":[1,2,3]}}"#),
            ("a", r#"{"a":{"b/c":1,"d":[1,2,3]}}"#),
        ];
        for (path, expected) in rows {
            let mut object = object();
            remove(&mut object, path).expect(path);
            assert_eq!(json::to_string(&object), expected, "{path}");
        }
    }

    #[test]
    fn errors_read_as_the_references() {
        let mut object = object();
        let error = remove(&mut object, "/a/d/x").expect_err("no index");
        assert_eq!(
            error.to_string(),
            r#"error in remove for path: '/a/d/x': strconv.Atoi: parsing "x": invalid syntax"#
        );
        for (path, what) in [("/a/z", "key: /a/z"), ("/y/z", "path: /y/z")] {
            let error = replace(&mut object, path, Node::null()).expect_err("nothing there");
            let expected = format!("replace operation does not apply: doc is missing {what}: missing value");
            assert_eq!(error.to_string(), expected);
        }
    }
}
