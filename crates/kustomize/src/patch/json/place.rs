//! Where JSON pointers lead.

use std::num::{IntErrorKind, ParseIntError};

use millrace_yaml::Node;

pub(super) const MISSING: &str = "missing value";

/// What a pointer leads to: the map or list it stands in, and its last part.
pub(super) type Place<'n, 'p> = Option<(&'n mut Node, &'p str)>;

/// The map or list that holds the last part of a pointer.
pub(super) fn find<'n, 'p>(document: &'n mut Node, path: &'p str) -> Place<'n, 'p> {
    let (parents, key) = path.rsplit_once('/')?;
    let mut node = document;
    for part in parents.split('/').skip(1) {
        let part = unescape(part);
        node = match node {
            Node::Map(map) => map.get_mut(&part)?,
            Node::List(items) => {
                let index = index_of(&part, items.len()).ok()?;
                items.get_mut(index)?
            }
            Node::Scalar(_) => return None,
        };
        if node.as_scalar().is_some() {
            return None;
        }
    }
    Some((node, key))
}

/// The value that a pointer leads to.
pub(super) fn peek<'n>(document: &'n Node, path: &str) -> Option<&'n Node> {
    path.split('/').skip(1).try_fold(document, |node, part| {
        let part = unescape(part);
        match node {
            Node::Map(map) => map.get(&part),
            Node::List(items) => items.get(index_of(&part, items.len()).ok()?),
            Node::Scalar(_) => None,
        }
    })
}

/// The value under the last part of a pointer; null where a map lacks it.
pub(super) fn get(parent: &Node, key: &str) -> Result<Node, String> {
    match parent {
        Node::Map(map) => Ok(map.get(key).cloned().unwrap_or_else(Node::null)),
        Node::List(items) => Ok(items[index_of(key, items.len())?].clone()),
        Node::Scalar(_) => Ok(Node::null()),
    }
}

pub(super) fn insert(parent: &mut Node, key: &str, value: Node) -> Result<(), String> {
    match parent {
        Node::Map(map) => {
            map.insert(key, value);
        }
        Node::List(items) if key == "-" => items.push(value),
        Node::List(items) => {
            let index = parse_index(key)
                .map_err(|problem| format!("value was not a proper array index: '{key}': {problem}"))?;
            let index = within(index, items.len() + 1)?;
            items.insert(index, value);
        }
        Node::Scalar(_) => {}
    }
    Ok(())
}

pub(super) fn take(parent: &mut Node, key: &str) -> Result<(), String> {
    match parent {
        Node::Map(map) => match map.remove(key) {
            Some(_) => Ok(()),
            None => Err(format!("Unable to remove nonexistent key: {key}: {MISSING}")),
        },
        Node::List(items) => {
            let index = index_of(key, items.len())?;
            items.remove(index);
            Ok(())
        }
        Node::Scalar(_) => Ok(()),
    }
}

/// The position that an index means in a list; negative ones count from the end.
pub(super) fn index_of(key: &str, len: usize) -> Result<usize, String> {
    within(parse_index(key)?, len)
}

fn parse_index(key: &str) -> Result<i64, String> {
    key.parse().map_err(|error: ParseIntError| {
        let problem = match error.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "value out of range",
            _ => "invalid syntax",
        };
        format!("strconv.Atoi: parsing {}: {problem}", crate::go::quote(key))
    })
}

fn within(index: i64, len: usize) -> Result<usize, String> {
    let bound = i64::try_from(len).unwrap_or(i64::MAX);
    let position = if index < 0 { index + bound } else { index };
    match usize::try_from(position) {
        Ok(position) if position < len => Ok(position),
        Ok(_) | Err(_) => Err(format!("Unable to access invalid index: {index}: invalid index referenced")),
    }
}

pub(super) fn unescape(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}
