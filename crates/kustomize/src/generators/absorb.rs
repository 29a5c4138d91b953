//! Taking a generated object into a collection.
//!
//! Contract: kustomize-build §2.4.

use std::collections::BTreeMap;

use millrace_yaml::{Map, Node};

use super::object::text_node;
use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::fields::set_text;
use crate::go;
use crate::hints::{self, Draft, Wanted};
use crate::resource::{Behavior, Collection, Id, Names, Resource, text_at, with_history};
use crate::syntax;

/// Appends a generated object, or merges it with the one that has or had its id; `is_only` says that its kustomization file
/// names no other so.
pub(super) fn absorb(
    mut resource: Resource,
    collection: &mut Collection,
    is_only: &dyn Fn() -> bool,
    context: &Context<'_>,
) -> Result<()> {
    let names = &context.names;
    let id = resource.id();
    let matches = collection.with_any_id(id);
    let behavior = resource.behavior.unwrap_or_default();
    let combine = matches!(behavior, Behavior::Merge | Behavior::Replace);
    match (&matches[..], combine) {
        ([], false) => collection.append(resource, names),
        ([], true) => {
            let [kind, name, namespace] = [id.gvk.kind, id.name, id.namespace].map(|part| names.text(part));
            let wanted = Wanted { kind: &kind, name: &name, namespace: &namespace, ..Wanted::default() };
            Err(BuildError::new(format!("id {} does not exist; cannot merge or replace", dump(id, names)))
                .with_hint(hints::no_object(wanted, collection, names)))
        }
        ([index], true) => {
            let old = collection.get(*index);
            take_metadata(&mut resource, old)?;
            if behavior == Behavior::Merge {
                take_data(&mut resource, old);
                if old.origin.is_some() {
                    resource.origin.clone_from(&old.origin);
                }
            }
            resource.refresh_id(names);
            check_place(*index, &resource, collection, names)?;
            collection.replace(*index, resource);
            Ok(())
        }
        ([index], false) => {
            let behavior = behavior.text();
            let id = dump(id, names);
            let failed = BuildError::new(format!(
                "id {id} exists; can not use behavior: '{behavior}', behavior must be merge or replace"
            ));
            let old = collection.get(*index);
            let is_same = old.file == resource.file && old.original_id() == resource.original_id();
            let hint = if is_same && is_only() {
                Draft::default().and_named(old, names).and(" is of a folder that is taken in twice")
            } else {
                Draft::from("behavior is one of create, merge, replace: ")
                    .and_named(old, names)
                    .and(" is there already, so merge or replace")
            };
            Err(failed.with_hint(hint))
        }
        ([..], _) => {
            let shown = |index: &usize| syntax::print_json(&with_history(collection.get(*index), names));
            let objects: Vec<String> = matches.iter().map(shown).collect();
            let id = id.text(names);
            Err(BuildError::new(format!(
                "found multiple objects {} that could accept merge of {id}",
                go::list(&objects)
            )))
        }
    }
}

/// Fails where the object at `index` is not the one that is called now what the generated one is, as its kind was changed.
fn check_place(index: usize, resource: &Resource, collection: &Collection, names: &Names) -> Result<()> {
    let old = collection.get(index);
    if old.id().key() == resource.id().key() {
        return Ok(());
    }
    let called = |other: &Resource| other.id().key() == resource.id().key();
    Err(if collection.iter().any(called) {
        BuildError::new("unexpected target index in replacement")
    } else {
        let id = resource.id().text(names);
        let hint = Draft::default().and_named(old, names);
        BuildError::new(format!("cannot find resource with id {id} to replace"))
            .with_hint(hint.and(format!(" was {id} until a step changed its kind")))
    })
}

/// An id as the reference dumps it.
fn dump(id: Id, names: &Names) -> String {
    let quoted = |name| go::quote(&names.text(name));
    format!(
        "resid.ResId{{Gvk:resid.Gvk{{Group:{}, Version:{}, Kind:{}, isClusterScoped:{}}}, Name:{}, Namespace:{}}}",
        quoted(id.gvk.group),
        quoted(id.gvk.version),
        quoted(id.gvk.kind),
        id.cluster,
        quoted(id.name),
        quoted(id.namespace)
    )
}

/// Takes over labels, annotations, names and history; what is new wins.
fn take_metadata(resource: &mut Resource, old: &Resource) -> Result<()> {
    for field in ["labels", "annotations"] {
        let path = ["metadata", field];
        let strings = |node: &Node| entries(node.at(&path), as_string).collect::<BTreeMap<_, _>>();
        let mut merged = strings(&old.node);
        merged.extend(strings(&resource.node));
        set_strings(&mut resource.node, &["metadata"], field, &merged);
    }
    for field in ["name", "namespace"] {
        let Some(metadata) = resource.node.map_at_mut(&["metadata"]) else { continue };
        match text_at(&old.node, &["metadata", field]) {
            "" if field == "namespace" => drop(metadata.remove(field)),
            text => set_text(metadata, field, text).map_err(|fault| BuildError::new(fault.text))?,
        }
    }
    resource.needs_hash &= old.needs_hash;
    resource.take_history(old);
    resource.allowed = old.allowed;
    resource.behavior = old.behavior;
    resource.transformations.clone_from(&old.transformations);
    Ok(())
}

/// Takes over data; what is new wins, and every value becomes a string, nulls empty ones.
fn take_data(resource: &mut Resource, old: &Resource) {
    for field in ["data", "binaryData"] {
        // Of equal keys the first one counts here, and elsewhere the last one.
        let values = |node: &Node| entries(node.get(field), as_value).rev().collect::<BTreeMap<_, _>>();
        let mut merged = values(&old.node);
        merged.extend(values(&resource.node));
        set_strings(&mut resource.node, &[], field, &merged);
    }
}

fn entries(node: Option<&Node>, read: fn(&Node) -> Node) -> impl DoubleEndedIterator<Item = (String, Node)> {
    let map = node.and_then(Node::as_map);
    map.into_iter().flat_map(Map::iter).map(move |(key, value)| (key.to_owned(), read(value)))
}

fn as_value(value: &Node) -> Node {
    if value.is_null() { text_node("") } else { as_string(value) }
}

fn as_string(value: &Node) -> Node {
    text_node(value.as_scalar().map_or("", |scalar| scalar.text()))
}

fn set_strings(node: &mut Node, path: &[&str], field: &str, values: &BTreeMap<String, Node>) {
    let Some(map) = node.map_at_mut(path) else { return };
    map.remove(field);
    if !values.is_empty() {
        let entries = values.iter().map(|(key, value)| (syntax::key(key), value.clone()));
        map.insert(field, Node::Map(entries.collect()));
    }
}
