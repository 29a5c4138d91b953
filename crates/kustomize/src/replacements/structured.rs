//! Text inside of an object that is itself YAML or JSON.

use millrace_yaml::read::{self, Limits, Resolver};
use millrace_yaml::{Node, canonical, json, round_to_f64};

use super::path::{self, Make, Visit};
use super::yaml_text;
use crate::syntax;

/// What became of a write into structured text.
pub(super) enum Written {
    /// The text has the value; it is so many bytes long.
    Yes(usize),
    /// There is no structured text, or the rest of the path leads nowhere in it.
    No,
    /// The text has comments or a style that writing it again would lose.
    Unsupported,
}

/// Writes into the structured text that a path runs through.
pub(super) fn write(node: &mut Node, parts: &[String], make: Option<Make>, act: Visit<'_>) -> Written {
    let Some((length, old)) = find(node, parts) else { return Written::No };
    let mut parsed = old.clone();
    if !path::visit(&mut parsed, &parts[length..], make, act).is_ok_and(|count| count > 0) {
        return Written::No;
    }
    let Some(place) = scalar_mut(node, &parts[..length]) else { return Written::No };
    let Some(scalar) = place.as_scalar() else { return Written::No };
    let text = if is_json(scalar.text()) {
        print_json(&parsed, scalar.text())
    } else if scalar.text().trim().is_empty() {
        None
    } else {
        match yaml_text::rewrite(scalar.text(), &old, &parsed) {
            None => return Written::Unsupported,
            rewritten => rewritten,
        }
    };
    let Some(text) = text else { return Written::No };
    *place = Node::Scalar(syntax::scalar(&text, scalar.kind(), scalar.style()));
    Written::Yes(text.len())
}

fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// The first part of the path that leads to a scalar which reads as YAML, and what it reads as.
fn find(node: &Node, parts: &[String]) -> Option<(usize, Node)> {
    (1..parts.len()).find_map(|length| {
        let scalar = path::look_up(node, &parts[..length]).ok()??.as_scalar()?;
        Some((length, parse(scalar.text())?))
    })
}

/// Visits the rest of a path on a copy of the structured text in a scalar: what is written there is lost.
pub(super) fn visit_copy(
    scalar: &Node,
    rest: &[String],
    make: Option<Make>,
    act: Visit<'_>,
) -> Result<usize, String> {
    let text = path::text(scalar);
    let mut parsed =
        read::one(text, Resolver::Kustomize, &Limits::default()).map_err(|error| error.to_string())?.node;
    path::visit(&mut parsed, rest, make, act)
}

fn parse(text: &str) -> Option<Node> {
    read::one(text, Resolver::Kustomize, &Limits::default()).ok().map(|document| document.node)
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

/// JSON in the form of the old text: in lines if that was, compact otherwise.
fn print_json(node: &Node, old: &str) -> Option<String> {
    let mut node = canonical(node).ok()?;
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
