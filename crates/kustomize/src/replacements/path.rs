//! Field paths of replacements.

use millrace_yaml::{Node, Scalar};
use regex::Regex;

use crate::fields::{write_text, wrong_kind};
use crate::syntax;

/// What is made where a path leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Make {
    Scalar,
    List,
    Map,
}

/// What happens at each place a path leads to.
pub(super) type Visit<'v> = &'v mut dyn FnMut(&mut Node) -> Result<(), String>;

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

/// `ports[0]` is `ports` and `0`.
pub(super) fn split_index(part: &str) -> Vec<String> {
    match part.strip_suffix(']').and_then(|open| open.split_once('[')) {
        Some((field, index)) if !field.is_empty() => vec![field.to_owned(), index.to_owned()],
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

/// The number that a part is, if it is one.
fn index_of(part: &str) -> Option<i64> {
    part.parse().ok()
}

fn is_bracketed(part: &str) -> bool {
    part.starts_with('[') && part.ends_with(']')
}

/// Field and value of a part such as `[name=web]`.
fn split_bracketed(part: &str) -> Result<(&str, &str), String> {
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
    for part in parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()) {
        let next = match index_of(part) {
            Some(index) if index < 0 => return Err(format!("array index {index} cannot be negative")),
            Some(index) => items(node)?.get(usize::try_from(index).unwrap_or(usize::MAX)),
            None if part == "-" => items(node)?.last(),
            None if part == "*" => return Err("wildcard is not supported in PathGetter".to_owned()),
            None if is_bracketed(part) => {
                let (field, value) = split_bracketed(part)?;
                items(node)?.iter().find(|item| {
                    let found = if field.is_empty() { Some(*item) } else { item.get(field) };
                    found.is_some_and(|found| text(found) == value)
                })
            }
            None => match node {
                Node::Map(map) => map.get(part),
                node if node.is_null() => None,
                other @ (Node::List(_) | Node::Scalar(_)) => {
                    return Err(wrong_kind("MappingNode", other).text);
                }
            },
        };
        match next {
            Some(next) => node = next,
            None => return Ok(None),
        }
    }
    Ok(Some(node))
}

fn items(node: &Node) -> Result<&[Node], String> {
    match node {
        Node::List(items) => Ok(items),
        node if node.is_null() => Ok(&[]),
        other @ (Node::Map(_) | Node::Scalar(_)) => Err(wrong_kind("SequenceNode", other).text),
    }
}

/// Visits every value a path leads to, making what is missing where `make` says so; says how many there were.
pub(super) fn visit(
    node: &mut Node,
    parts: &[String],
    make: Option<Make>,
    act: Visit<'_>,
) -> Result<usize, String> {
    let Some((part, rest)) = parts.split_first() else {
        act(node)?;
        return Ok(1);
    };
    match index_of(part).filter(|index| *index >= 0) {
        Some(index) => visit_index(node, usize::try_from(index).unwrap_or(usize::MAX), rest, make, act),
        None if is_bracketed(part) => visit_matching(node, part, rest, make, act),
        None if part == "*" => {
            items_mut(node)?.iter_mut().try_fold(0, |count, item| Ok(count + visit(item, rest, make, act)?))
        }
        None => visit_field(node, part, rest, make, act),
    }
}

fn visit_field(
    node: &mut Node,
    part: &str,
    rest: &[String],
    make: Option<Make>,
    act: Visit<'_>,
) -> Result<usize, String> {
    let map = match node {
        Node::Map(map) => map,
        node if node.is_null() && make.is_none() => return Ok(0),
        node if node.is_null() => {
            *node = Node::map();
            return visit_field(node, part, rest, make, act);
        }
        other @ (Node::List(_) | Node::Scalar(_)) => return Err(wrong_kind("MappingNode", other).text),
    };
    if map.get(part).is_none() {
        let Some(make) = make else { return Ok(0) };
        map.push(syntax::key(part), made(rest.first(), make));
    }
    let Some(field) = map.get_mut(part) else { return Ok(0) };
    if field.as_scalar().is_some() && !field.is_null() && !rest.is_empty() {
        return super::structured::visit_copy(field, rest, make, act);
    }
    visit(field, rest, make, act)
}

fn visit_index(
    node: &mut Node,
    index: usize,
    rest: &[String],
    make: Option<Make>,
    act: Visit<'_>,
) -> Result<usize, String> {
    let items = items_mut(node)?;
    if let Some(make) = make.filter(|_| items.len() == index) {
        items.push(made(rest.first(), make));
    }
    let count = items.len();
    match items.get_mut(index) {
        Some(item) => visit(item, rest, make, act),
        None => Err(format!("index {index} specified but only {count} elements found")),
    }
}

fn visit_matching(
    node: &mut Node,
    part: &str,
    rest: &[String],
    make: Option<Make>,
    act: Visit<'_>,
) -> Result<usize, String> {
    let (field, pattern) = split_bracketed(part)?;
    let pattern_text = pattern;
    let pattern = Regex::new(pattern).map_err(|error| format!("error parsing regexp: {error}"))?;
    let items = items_mut(node)?;
    let mut count = 0;
    for item in items.iter_mut() {
        let found = if field.is_empty() { Some(&*item) } else { item.get(field) };
        if !found.is_some_and(|found| pattern.is_match(&shown(found))) {
            continue;
        }
        count += if field.is_empty() {
            act(item)?;
            1
        } else {
            visit(item, rest, make, act)?
        };
    }
    if count > 0 || make.is_none() {
        return Ok(count);
    }
    let mut item = syntax::plain(pattern_text);
    if !field.is_empty() {
        let mut map = millrace_yaml::Map::default();
        map.push(syntax::key(field), item);
        item = Node::Map(map);
    }
    let matches = {
        let found = if field.is_empty() { Some(&item) } else { item.get(field) };
        found.is_some_and(|found| pattern.is_match(&shown(found)))
    };
    items.push(item);
    match items.last_mut() {
        Some(item) if matches && field.is_empty() => act(item).map(|()| 1),
        Some(item) if matches => visit(item, rest, make, act),
        Some(_) | None => Ok(0),
    }
}

/// An item's text as the reference matches it.
fn shown(node: &Node) -> String {
    syntax::print(node).trim().to_owned()
}

fn items_mut(node: &mut Node) -> Result<&mut Vec<Node>, String> {
    if node.is_null() {
        *node = Node::list(Vec::new());
    }
    if node.as_list().is_none() {
        return Err(wrong_kind("SequenceNode", node).text);
    }
    Ok(node.as_list_mut().expect("a list, by the check above"))
}

/// What is made for a part that is missing: what the next part, or at the end the value, needs.
fn made(next: Option<&String>, make: Make) -> Node {
    let kind = match next {
        Some(next) if is_bracketed(next) || index_of(next).is_some_and(|index| index >= 0) => Make::List,
        Some(_) => Make::Map,
        None => make,
    };
    match kind {
        Make::Scalar => untyped(),
        Make::List => Node::list(Vec::new()),
        Make::Map => Node::map(),
    }
}

/// A scalar that takes the type of what is written into it.
fn untyped() -> Node {
    Node::Scalar(syntax::scalar("", millrace_yaml::ScalarKind::Null, millrace_yaml::Style::Plain))
}

/// Writes text into a scalar: one that is made, or was written without a type, takes its type from the text, any other keeps
/// the one it has.
pub(super) fn write(node: &mut Node, value: &Node) -> Result<(), String> {
    let Node::Scalar(old) = node else {
        *node = value.clone();
        return Ok(());
    };
    let text = text(value).to_owned();
    let is_made = old.kind() == millrace_yaml::ScalarKind::Null && old.text().is_empty();
    if is_made || old.is_untyped() {
        return write_text(node, &text).map_err(|fault| fault.text);
    }
    *old = syntax::scalar(&text, old.kind(), old.style());
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
