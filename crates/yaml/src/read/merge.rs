//! `<<` keys, and keys that are no strings.

use super::ReadError;
use super::event::EventKind;
use super::load::{KubernetesMap, Loader};
use crate::{MapBuilder, Node, Scalar, ScalarKind, number, quote};

const WANT_MAP: &str = "map merge requires map or sequence of maps as the value";

/// A key that no JSON object can have.
pub(super) enum BadKey {
    /// go-yaml refuses it.
    Yaml(String),
    /// The step to JSON refuses it.
    Json(String),
}

impl BadKey {
    pub(super) fn complex(key: &Node, key_type: &str) -> Self {
        Self::Yaml(format!("invalid map key: {}", go_syntax(key, key_type)))
    }
}

/// Merges as go-yaml v2 does: into the map as it is so far, overwriting it; of a list the first map wins.
pub(super) fn kubernetes(
    loader: &mut Loader<'_, '_>,
    value: usize,
    depth: usize,
    map: &mut KubernetesMap,
) -> Result<(), ReadError> {
    if let EventKind::List { .. } = loader.events[value].kind {
        for item in items(loader, value).into_iter().rev() {
            kubernetes_one(loader, item, depth, map)?;
        }
        return Ok(());
    }
    kubernetes_one(loader, value, depth, map)
}

fn kubernetes_one(
    loader: &mut Loader<'_, '_>,
    value: usize,
    depth: usize,
    map: &mut KubernetesMap,
) -> Result<(), ReadError> {
    match loader.events[value].kind {
        EventKind::Map { .. } => {
            loader.count(value, depth)?;
            loader.kubernetes_map(value, depth, map)
        }
        EventKind::Alias { target, .. } if matches!(loader.events[target].kind, EventKind::Map { .. }) => {
            loader.count(value, depth)?;
            loader.expand(value, |loader| {
                loader.count(target, depth)?;
                loader.kubernetes_map(target, depth, map)
            })
        }
        EventKind::Alias { .. } | EventKind::Scalar { .. } | EventKind::List { .. } => {
            Err(loader.fail(value, WANT_MAP))
        }
    }
}

/// Merges as kyaml does: keys that are there win, and of a list the first map.
pub(super) fn kustomize(
    loader: &mut Loader<'_, '_>,
    value: usize,
    depth: usize,
    map: &mut MapBuilder,
) -> Result<(), ReadError> {
    let problem = match loader.events[value].kind {
        EventKind::Map { .. } => None,
        EventKind::Alias { target, .. } => match loader.events[target].kind {
            EventKind::Map { .. } => None,
            EventKind::Alias { .. } | EventKind::Scalar { .. } | EventKind::List { .. } => {
                Some("invalid map merge: received alias for a non-map value")
            }
        },
        EventKind::List { .. } => {
            for item in items(loader, value) {
                if let EventKind::List { .. } = loader.events[item].kind {
                    return Err(ReadError::json(
                        loader.line(item),
                        "invalid map merge: received a nested sequence",
                    ));
                }
                kustomize(loader, item, depth, map)?;
            }
            return Ok(());
        }
        EventKind::Scalar { .. } => Some(WANT_MAP),
    };
    if let Some(problem) = problem {
        return Err(ReadError::json(loader.line(value), problem));
    }
    // The map stands one level higher than as a value of its own.
    if let Node::Map(merged) = loader.node(value, depth - 1)? {
        for (key, node) in merged {
            map.insert_if_absent(key, node);
        }
    }
    Ok(())
}

fn items(loader: &Loader<'_, '_>, list: usize) -> Vec<usize> {
    let end = loader.after(list);
    let mut items = Vec::new();
    let mut item = list + 1;
    while item < end {
        items.push(item);
        item = loader.after(item);
    }
    items
}

/// The string that a key becomes on its way to JSON.
#[inline(never)]
pub(super) fn kubernetes_key(key: Node, value: &Node) -> Result<Scalar, BadKey> {
    let scalar = match key {
        Node::Scalar(scalar) => scalar,
        complex @ (Node::List(_) | Node::Map(_)) => return Err(BadKey::complex(&complex, "interface {}")),
    };
    match scalar.kind() {
        ScalarKind::Str => Ok(scalar),
        ScalarKind::Timestamp | ScalarKind::Int | ScalarKind::Bool => Ok(Scalar::string(scalar.text())),
        ScalarKind::Float => {
            Ok(Scalar::string(number::format_key(number::value_of(&scalar).unwrap_or_default())))
        }
        ScalarKind::Null => Err(BadKey::Json(format!(
            "unsupported map key of type: %!s(<nil>), key: <nil>, value: {}",
            if value.is_null() { "<nil>".to_owned() } else { go_syntax(value, "interface {}") }
        ))),
    }
}

/// Longer than this no message shows a value.
const MAX_SHOWN: usize = 16 << 10;

/// The tree as Go's `%#v` prints it, maps with the given type of key; the start of a large one.
fn go_syntax(node: &Node, key_type: &str) -> String {
    let mut out = String::new();
    write_go(&mut out, node, false, key_type);
    out
}

/// `flow` says whether it stands in brackets.
fn write_go(out: &mut String, node: &Node, flow: bool, key_type: &str) {
    match node {
        Node::Scalar(scalar) => match scalar.kind() {
            // The reference has printed it before it reads it as a key.
            ScalarKind::Null if flow && scalar.text().is_empty() => out.push_str("\"\""),
            ScalarKind::Null => out.push_str("interface {}(nil)"),
            ScalarKind::Str | ScalarKind::Timestamp => out.push_str(&quote(scalar.text())),
            ScalarKind::Bool | ScalarKind::Int | ScalarKind::Float => out.push_str(scalar.text()),
        },
        Node::List(items) => {
            out.push_str("[]interface {}");
            let flow = flow || items.is_flow();
            write_all(out, items.iter(), |out, item| write_go(out, item, flow, key_type));
        }
        Node::Map(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            out.push_str("map[");
            out.push_str(key_type);
            out.push_str("]interface {}");
            write_all(out, entries.into_iter(), |out, (key, value)| {
                out.push_str(&quote(key));
                out.push(':');
                write_go(out, value, flow || map.is_flow(), key_type);
            });
        }
    }
}

/// Writes items in braces until there is enough to see.
fn write_all<T>(out: &mut String, items: impl Iterator<Item = T>, write: impl Fn(&mut String, T)) {
    out.push('{');
    for (position, item) in items.enumerate() {
        if position > 0 {
            out.push_str(", ");
        }
        if out.len() > MAX_SHOWN {
            out.push('…');
            break;
        }
        write(out, item);
    }
    out.push('}');
}
