//! Text inside of an object that is itself YAML or JSON.

use millrace_yaml::read::{self, Limits, Resolver};
use millrace_yaml::{Node, Scalar, canonical, json, styled};

use super::path;
use super::tree;
use super::walk::{self, End, Make};
use crate::build::{Context, text_bytes};
use crate::error::{BuildError, Result};

/// What the structured text that a path runs through becomes, and the way to it; `None` where there is no such text, or the
/// rest of the path leads to nothing in it.
pub(super) fn rewrite(
    node: &Node,
    parts: &[String],
    make: Option<Make>,
    value: &Node,
    context: &Context<'_>,
) -> Result<Option<(Vec<usize>, Scalar)>> {
    let Some(Text { way, old, rest, mut document }) = find(node, parts) else { return Ok(None) };
    let size = text_bytes(value);
    let mut act = |end: End<'_, styled::Node>| {
        context.make(size)?;
        if let End::There { value: place, .. } = end {
            set(place, value);
        }
        Ok(())
    };
    let visited = walk::visit(document.root_mut(), rest, make, &mut act);
    if !visited.is_ok_and(|count| count > 0) {
        return Ok(None);
    }
    let room = context.room();
    let Ok(printed) = document.print(room) else {
        return context.make(room.saturating_add(1)).map(|()| None).map_err(BuildError::limit);
    };
    let text =
        if is_json(old.text()) { print_json(&printed, old.text()) } else { Some(printed.trim().to_owned()) };
    let Some(text) = text else { return Ok(None) };
    context.make(text.len()).map_err(BuildError::limit)?;
    Ok(Some((way, old.with_text(text))))
}

/// A scalar keeps all but its text; anything else is replaced.
fn set(place: &mut styled::Node, value: &Node) {
    if place.kind() == styled::Kind::Scalar {
        place.set_text(path::text(value));
    } else {
        *place = value.into();
    }
}

fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// A scalar whose text reads as YAML.
struct Text<'n> {
    way: Vec<usize>,
    old: &'n Scalar,
    /// The rest of the path to it.
    rest: &'n [String],
    document: styled::Document,
}

/// The first scalar on the path, if it is such a text.
fn find<'n>(node: &'n Node, parts: &'n [String]) -> Option<Text<'n>> {
    let mut node = node;
    let mut way = Vec::new();
    for length in 1..parts.len() {
        // No path leads on from where it has ended, nor through a scalar: the first of these decides.
        for part in path::meaningful(&parts[length - 1..length]) {
            let (position, next) = path::child(node, part).ok()??;
            way.push(position);
            node = next;
        }
        if let Some(old) = node.as_scalar() {
            let document = tree::parse(old.text()).ok()??;
            return Some(Text { way, old, rest: &parts[length..], document });
        }
    }
    None
}

/// The text as JSON in the form of the old text: in lines if that was, compact otherwise. Not every YAML text can be.
fn print_json(text: &str, old: &str) -> Option<String> {
    let document = read::one(text, Resolver::Kustomize, &Limits::default()).ok()?;
    if !document.duplicates.is_empty() || document.complex_key.is_some() {
        return None;
    }
    // Here the outermost map is read like any other: keys that are no strings cannot be JSON.
    let Ok(Node::List(mut items)) = canonical(&Node::list(vec![document.node])) else { return None };
    let mut node = items.pop()?;
    sort(&mut node);
    if old.contains('\n') && old.contains("  ") {
        let mut out = String::new();
        pretty(&node, 0, &mut out);
        Some(out)
    } else {
        Some(json::to_string_with(&node, json::Escape::Html))
    }
}

fn sort(node: &mut Node) {
    match node {
        Node::Map(map) => {
            map.sort_keys();
            map.iter_mut().for_each(|(_, value)| sort(value));
        }
        Node::List(items) => items.iter_mut().for_each(sort),
        Node::Scalar(_) => {}
    }
}

fn pretty(node: &Node, depth: usize, out: &mut String) {
    let line = |depth: usize, out: &mut String| {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    };
    match node {
        Node::Map(map) if !map.is_empty() => {
            out.push('{');
            for (index, (key, value)) in map.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                line(depth + 1, out);
                out.push_str(&json::to_string_with(&Node::string(key), json::Escape::Html));
                out.push_str(": ");
                pretty(value, depth + 1, out);
            }
            line(depth, out);
            out.push('}');
        }
        Node::List(items) if !items.is_empty() => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                line(depth + 1, out);
                pretty(item, depth + 1, out);
            }
            line(depth, out);
            out.push(']');
        }
        other @ (Node::Map(_) | Node::List(_) | Node::Scalar(_)) => {
            out.push_str(&json::to_string_with(other, json::Escape::Html));
        }
    }
}
