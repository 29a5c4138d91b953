//! The walk along a path.

use std::fmt::Write as _;

use millrace_yaml::{Node, Scalar, ScalarKind, Style};

use super::write::wrong_kind;
use crate::resource::{Place, Step};

/// How deep a tree may become by what paths make.
pub(crate) const MAX_DEPTH: usize = millrace_yaml::read::Limits::MAX_DEPTH - 100;

/// The message where a path would make a tree that is too deep.
pub(crate) const TOO_DEEP: &str = "the field lies deeper than objects may nest";

/// What is made at the end of a path that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Create {
    /// A scalar.
    Scalar,
    /// A map.
    Map,
}

/// What happens at each place a path leads to.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(&mut Node, &Place) -> Result<(), Fault>;

/// Why a walk ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) text: String,
    /// Whether what stood there is of another kind than must be, and no scalar.
    pub(crate) not_scalar: bool,
}

impl From<String> for Fault {
    fn from(text: String) -> Self {
        Self { text, not_scalar: false }
    }
}

impl From<&str> for Fault {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

/// Follows `segments` from `node`, through every item of the lists in the way, and acts on what they lead to.
///
/// What is missing is made where `create` says so, else the walk stops there without an error.
pub(crate) fn visit(
    node: &mut Node,
    segments: &[Box<str>],
    create: Option<Create>,
    place: &mut Place,
    act: Visit<'_>,
) -> Result<(), Fault> {
    let Some((segment, rest)) = segments.split_first() else { return act(node, place) };
    if place.len() >= MAX_DEPTH {
        return Err(TOO_DEEP.into());
    }
    match node {
        node if node.is_null() => Ok(()),
        Node::List(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                place.push(Step::Item(index));
                visit(item, segments, create, place, act).map_err(|fault| in_list(segments, &fault))?;
                place.pop();
            }
            Ok(())
        }
        Node::Map(_) => {
            let (name, in_list) = segment.strip_suffix("[]").map_or((&**segment, false), |name| (name, true));
            let name = key_in(node, name)?;
            let Some(map) = node.as_map_mut() else { return Ok(()) };
            let made = match create {
                Some(_) if in_list => None,
                Some(Create::Scalar) if rest.is_empty() => Some(Node::string("")),
                Some(_) => Some(Node::map()),
                None => None,
            };
            match (map.get_mut(name), made) {
                // A null that becomes a string is one of its own text.
                (Some(found @ Node::Scalar(_)), Some(Node::Scalar(_))) if found.is_null() => {
                    let text = found.as_scalar().map_or("", Scalar::text);
                    *found = Node::Scalar(Scalar::new(text, ScalarKind::Str, Style::Plain));
                }
                (Some(found), Some(made)) if found.is_null() => *found = made,
                (Some(found), None) if in_list && found.is_null() => *found = Node::list(Vec::new()),
                (Some(_), _) => {}
                (None, Some(made)) => {
                    map.insert(name, made);
                }
                (None, None) => return Ok(()),
            }
            let Some(found) = map.get_mut(name) else { return Ok(()) };
            place.push(Step::Key(name.into()));
            visit(found, rest, create, place, act)?;
            place.pop();
            Ok(())
        }
        Node::Scalar(_) => Err("expected sequence or mapping node".into()),
    }
}

/// The key of a map that a segment stands for.
pub(crate) fn key_in<'s>(map: &Node, name: &'s str) -> Result<&'s str, Fault> {
    if name.is_empty() {
        return Err("cannot set or create an empty field name".into());
    }
    let Some(item) = stands_for_item(name) else { return Ok(name.trim()) };
    let fault = match item {
        Item::Good => wrong_kind("SequenceNode", map),
        Item::Wrong(problem) => problem.into(),
    };
    Err(Fault { text: format!("fieldName: {name}: {}", fault.text), ..fault })
}

/// Whether a segment is a key of maps as it stands.
pub(crate) fn is_key(name: &str) -> bool {
    !name.is_empty() && name.trim() == name && stands_for_item(name).is_none()
}

/// A segment that the reference takes for the way to an item of a list, which no map has.
enum Item {
    Good,
    /// One that leads to no item of any list.
    Wrong(String),
}

fn stands_for_item(name: &str) -> Option<Item> {
    let name = name.trim();
    match name.as_bytes() {
        b"*" => Some(Item::Wrong("wildcard is not supported in PathGetter".to_owned())),
        b"-" => Some(Item::Good),
        [b'[', .., b']'] if name.contains('=') => Some(Item::Good),
        [b'[', .., b']'] => {
            let problem = "list path element must contain fieldName=fieldValue for element to match";
            Some(Item::Wrong(problem.to_owned()))
        }
        [b'0'..=b'9' | b'-' | b'+', ..] => match name.parse::<i64>() {
            Ok(index) if index < 0 => Some(Item::Wrong(format!("array index {index} cannot be negative"))),
            Ok(_) => Some(Item::Good),
            Err(_) => None,
        },
        [..] => None,
    }
}

fn in_list(segments: &[Box<str>], fault: &Fault) -> Fault {
    let mut text = String::from("visit traversal on path: [");
    for (index, segment) in segments.iter().enumerate() {
        let blank = if index > 0 { " " } else { "" };
        let _ = write!(text, "{blank}{segment}");
    }
    let _ = write!(text, "]: {}", fault.text);
    Fault { text, not_scalar: fault.not_scalar }
}

#[cfg(test)]
mod tests {
    use super::super::split_path;
    use super::*;

    fn visited(node: &mut Node, path: &str, create: Option<Create>) -> Result<usize, String> {
        let mut count = 0;
        let mut act = |_: &mut Node, _: &Place| {
            count += 1;
            Ok(())
        };
        visit(node, &split_path(path), create, &mut Place::new(), &mut act).map_err(|fault| fault.text)?;
        Ok(count)
    }

    #[test]
    fn lists_are_walked_and_missing_fields_made_only_on_demand() {
        let mut node = Node::map();
        node.map_at_mut(&["spec"]).unwrap().insert("items", Node::list(vec![Node::map(), Node::map()]));
        assert_eq!(visited(&mut node, "spec/items/name", None), Ok(0));
        assert_eq!(visited(&mut node, "spec/items/name", Some(Create::Scalar)), Ok(2));
        assert_eq!(visited(&mut node, "spec/items/name", None), Ok(2));
        assert_eq!(visited(&mut node, "spec/absent[]/name", Some(Create::Scalar)), Ok(0));
        assert_eq!(visited(&mut node, "metadata/labels", Some(Create::Map)), Ok(1));
        assert!(node.at(&["metadata", "labels"]).is_some_and(|labels| labels.as_map().is_some()));
    }

    #[test]
    fn a_scalar_in_the_way_is_an_error() {
        let mut node = Node::map();
        node.map_at_mut(&["spec"]).unwrap().insert("items", Node::list(vec![Node::string("x")]));
        assert_eq!(
            visited(&mut node, "spec/items/name", None),
            Err("visit traversal on path: [name]: expected sequence or mapping node".to_owned())
        );
    }
}
