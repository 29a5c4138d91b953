//! Field paths of replacements.

use std::borrow::Cow;

use millrace_yaml::{Node, Scalar};

use crate::annotations::INTERNAL_PREFIX;
use crate::fields::{write_text, wrong_kind};

/// The parts of a path: `.` separates, `\.` is a dot, brackets keep dots together.
pub(super) fn split(path: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut pieces = split_escaped(path).into_iter();
    while let Some(piece) = pieces.next() {
        if !piece.starts_with('[') || piece.ends_with(']') {
            parts.push(piece);
            continue;
        }
        let mut bracketed = piece;
        for piece in pieces.by_ref() {
            bracketed.push('.');
            bracketed.push_str(&piece);
            if piece.ends_with(']') {
                break;
            }
        }
        parts.push(if bracketed.contains('=') {
            bracketed
        } else {
            bracketed.trim_matches(['[', ']']).to_owned()
        });
    }
    parts
}

/// `ports[0]` is `ports` and `0`; what isn't a number belongs to the name.
pub(super) fn split_index(part: &str) -> Vec<String> {
    let is_index = |index: &str| !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
    match part.strip_suffix(']').and_then(|open| open.rsplit_once('[')) {
        Some(("", index)) if is_index(index) => vec![index.to_owned()],
        Some((field, index)) if is_index(index) => vec![field.to_owned(), index.to_owned()],
        Some(_) | None => vec![part.to_owned()],
    }
}

fn split_escaped(path: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let path = path.strip_prefix('.').unwrap_or(path);
    for piece in path.split('.') {
        match pieces.last_mut() {
            Some(last) if last.ends_with('\\') => {
                last.pop();
                last.push('.');
                last.push_str(piece);
            }
            Some(_) | None => pieces.push(piece.to_owned()),
        }
    }
    pieces
}

/// Whether a path leads to annotations that only the reference has: those that hold what an object was called.
pub(crate) fn sees_history(parts: &[String]) -> bool {
    match parts.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["metadata"] | ["metadata", "annotations"] => true,
        ["metadata", "annotations", key, ..] => key.starts_with(INTERNAL_PREFIX),
        [..] => false,
    }
}

/// The number that a part is, if it is one.
pub(super) fn index_of(part: &str) -> Option<i64> {
    part.parse().ok()
}

pub(super) fn is_bracketed(part: &str) -> bool {
    part.starts_with('[') && part.ends_with(']')
}

/// Field and value of a part such as `[name=web]`.
pub(super) fn split_bracketed(part: &str) -> Result<(&str, &str), String> {
    let inner = part.strip_prefix('[').unwrap_or(part);
    inner
        .strip_suffix(']')
        .unwrap_or(inner)
        .split_once('=')
        .ok_or_else(|| "list path element must contain fieldName=fieldValue for element to match".to_owned())
}

/// Follows a path to one value: items are matched exactly, and the first one counts.
pub(super) fn look_up<'n>(node: &'n Node, parts: &[String]) -> Result<Option<&'n Node>, String> {
    let mut node = node;
    for part in meaningful(parts) {
        match child(node, part)? {
            Some((_, next)) => node = next,
            None => return Ok(None),
        }
    }
    Ok(Some(node))
}

/// The parts of a path that lead somewhere.
pub(super) fn meaningful(parts: &[String]) -> impl Iterator<Item = &str> {
    parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty())
}

/// The value that a part leads to, and its position in the map or list.
pub(super) fn child<'n>(node: &'n Node, part: &str) -> Result<Option<(usize, &'n Node)>, String> {
    let item = |position: Option<usize>, items: &'n [Node]| {
        position.and_then(|position| Some((position, items.get(position)?)))
    };
    Ok(match index_of(part) {
        Some(index) if index < 0 => return Err(format!("array index {index} cannot be negative")),
        Some(index) => item(usize::try_from(index).ok(), items(node)?),
        None if part == "-" => {
            let items = items(node)?;
            item(items.len().checked_sub(1), items)
        }
        None if part == "*" => return Err("wildcard is not supported in PathGetter".to_owned()),
        None if is_bracketed(part) => {
            let (field, value) = split_bracketed(part)?;
            items(node)?.iter().enumerate().find(|(_, item)| {
                let found = if field.is_empty() { Some(*item) } else { item.get(field) };
                found.is_some_and(|found| text(found) == value)
            })
        }
        None => match node {
            Node::Map(map) => {
                let mut entries = map.iter().enumerate();
                entries.find(|(_, (key, _))| *key == part).map(|(position, (_, value))| (position, value))
            }
            node if node.is_null() => None,
            other @ (Node::List(_) | Node::Scalar(_)) => {
                return Err(wrong_kind("MappingNode", other).text);
            }
        },
    })
}

fn items(node: &Node) -> Result<&[Node], String> {
    match node {
        Node::List(items) => Ok(items),
        node if node.is_null() => Ok(&[]),
        other @ (Node::Map(_) | Node::Scalar(_)) => Err(wrong_kind("SequenceNode", other).text),
    }
}

/// Writes text into a scalar: one that is made or was written without a type takes its type from the text, any other keeps
/// the one it has.
pub(super) fn write(node: &mut Node, value: Cow<'_, Node>) -> Result<(), String> {
    let Node::Scalar(old) = node else {
        *node = value.into_owned();
        return Ok(());
    };
    let text = text(&value).to_owned();
    if old.is_untyped() {
        return write_text(node, &text).map_err(|fault| fault.text);
    }
    *old = old.with_text(text);
    Ok(())
}

pub(super) fn text(node: &Node) -> &str {
    node.as_scalar().map_or("", Scalar::text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_split_at_dots_that_stand_alone() {
        for (path, parts) in [
            ("a.b", vec!["a", "b"]),
            ("a.b\\.c", vec!["a", "b.c"]),
            ("metadata.annotations.[a.b/c]", vec!["metadata", "annotations", "a.b/c"]),
            ("c.[name=x.y].z", vec!["c", "[name=x.y]", "z"]),
            ("c.[n=x].0", vec!["c", "[n=x]", "0"]),
        ] {
            assert_eq!(split(path), parts, "{path}");
        }
    }
}
