//! Text inside of an object that is itself YAML or JSON.

use millrace_yaml::read::{self, Limits, Resolver};
use millrace_yaml::{Node, Scalar, canonical, json, round_to_f64, styled};

use super::path;
use super::tree;
use super::walk::{self, Make, Place};
use crate::build::{Context, text_bytes};
use crate::error::{BuildError, Result};

/// Writes into the structured text that a path runs through; says whether there is such text and the rest of the path
/// leads to something in it.
pub(super) fn write(
    node: &mut Node,
    parts: &[String],
    make: Option<Make>,
    value: &Node,
    context: &Context<'_>,
) -> Result<bool> {
    let Some((length, Some(mut document))) = find(node, parts) else { return Ok(false) };
    let size = text_bytes(value);
    let mut act = |place: Place<'_>| {
        context.make(size)?;
        if let Place::Text(place) = place {
            set(place, value);
        }
        Ok(())
    };
    let visited = walk::visit(document.root_mut(), &parts[length..], make, &mut act);
    if !visited.is_ok_and(|count| count > 0) {
        return Ok(false);
    }
    let Some(place) = scalar_mut(node, &parts[..length]) else { return Ok(false) };
    let Some(old) = place.as_scalar() else { return Ok(false) };
    let room = context.room();
    let Ok(printed) = document.print(room) else {
        return context.make(room.saturating_add(1)).map(|()| false).map_err(BuildError::limit);
    };
    let text =
        if is_json(old.text()) { print_json(&printed, old.text()) } else { Some(printed.trim().to_owned()) };
    let Some(text) = text else { return Ok(false) };
    context.make(text.len()).map_err(BuildError::limit)?;
    *place = Node::Scalar(old.with_text(text));
    Ok(true)
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

/// The first part of the path that leads to a scalar which reads as YAML, and its document.
fn find(node: &Node, parts: &[String]) -> Option<(usize, Option<styled::Document>)> {
    let mut node = node;
    for length in 1..parts.len() {
        // No path leads on from where it has ended, nor through a scalar: the first of these decides.
        node = path::look_up(node, &parts[length - 1..length]).ok()??;
        if let Some(scalar) = node.as_scalar() {
            return Some((length, tree::parse(Scalar::text(scalar)).ok()?));
        }
    }
    None
}

/// The value a path leads to, by the same rules as [`path::look_up`].
fn scalar_mut<'n>(node: &'n mut Node, parts: &[String]) -> Option<&'n mut Node> {
    parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).try_fold(node, |node, part| {
        match node {
            Node::Map(map) => map.get_mut(part),
            Node::List(items) => {
                let position = match part.parse::<usize>() {
                    Ok(index) => index,
                    Err(_) if part == "-" => items.len().checked_sub(1)?,
                    Err(_) => {
                        let (field, value) = part.strip_prefix('[')?.strip_suffix(']')?.split_once('=')?;
                        items.iter().position(|item| {
                            let found = if field.is_empty() { Some(item) } else { item.get(field) };
                            found.is_some_and(|found| path::text(found) == value)
                        })?
                    }
                };
                items.get_mut(position)
            }
            Node::Scalar(_) => None,
        }
    })
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
    round_to_f64(&mut node);
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
