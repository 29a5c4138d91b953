//! What an object was called and where it comes from, as annotations: there the reference keeps it.
//!
//! Steps and messages that see annotations see these as well, so they are written into the object for them and read back.

use millrace_yaml::{Map, Node, Scalar, ScalarKind, Style};

use crate::annotations::{INTERNAL_PREFIX, LEGACY, NEEDS_HASH, ORIGIN, TRANSFORMATIONS};
use crate::syntax;

use super::names::{Name, Names};
use super::noted::Note;
use super::object::{Allowed, Behavior, PreviousId, Resource};

const BEHAVIOR: &str = "internal.config.kubernetes.io/generatorBehavior";
const PREFIXES: &str = "internal.config.kubernetes.io/prefixes";
const SUFFIXES: &str = "internal.config.kubernetes.io/suffixes";
const KINDS: &str = "internal.config.kubernetes.io/previousKinds";
const NAMES: &str = "internal.config.kubernetes.io/previousNames";
const NAMESPACES: &str = "internal.config.kubernetes.io/previousNamespaces";
const NAME_CHANGE: &str = "internal.config.kubernetes.io/allowNameChange";
const KIND_CHANGE: &str = "internal.config.kubernetes.io/allowKindChange";
const REFERRERS: &str = "internal.config.kubernetes.io/refBy";
const ENABLED: &str = "enabled";

/// An object with what it was called before in annotations, for messages.
pub(crate) fn with_history(resource: &Resource, names: &Names) -> Node {
    let mut node = resource.node.clone();
    write(resource, &mut node, names);
    node
}

/// An object as the reference's tree holds it amid the steps, with what it was called in annotations as each step adds them.
pub(crate) fn as_remembered(resource: &Resource, names: &Names) -> Node {
    let mut node = resource.node.clone();
    let mut texts = remembered(resource, names);
    let note_of = |key: &str| match key {
        PREFIXES => Some(Note::Prefixes),
        NAMES | NAMESPACES | KINDS => Some(Note::Ids),
        SUFFIXES => Some(Note::Suffixes),
        _ => None,
    };
    let order = [PREFIXES, NAMES, NAMESPACES, KINDS, SUFFIXES];
    texts.sort_by_key(|(key, _)| {
        let among = order.iter().position(|other| other == key);
        (note_of(key).map(|note| resource.noted.place(note)), among)
    });
    if !texts.is_empty()
        && let Some(annotations) = annotations_of(&mut node)
    {
        let mut added = Vec::with_capacity(texts.len());
        for (key, text) in texts {
            let style = if order.contains(&key) { Style::SingleQuoted } else { Style::Plain };
            let value = Node::Scalar(Scalar::new(text, ScalarKind::Str, style));
            match annotations.get_mut(key) {
                Some(stated) => *stated = value,
                None => added.push((Scalar::string(key), value)),
            }
        }
        let mut shown = annotations.entries().to_vec();
        let behind = resource.noted.behind().unwrap_or(usize::MAX).min(shown.len());
        shown.splice(behind..behind, added);
        let mut shown = Map::from_iter(shown);
        shown.set_flow(annotations.is_flow());
        *annotations = shown;
    }
    node
}

/// The texts in which the reference keeps what an object was called, and where it comes from.
pub(crate) fn history_texts(resource: &Resource, names: &Names) -> Vec<String> {
    remembered(resource, names).into_iter().map(|(_, text)| text).collect()
}

/// Moves what the build remembers of an object into its annotations, for a step that sees them.
pub(crate) fn expose(resource: &mut Resource, names: &Names) {
    let mut node = std::mem::replace(&mut resource.node, Node::null());
    write(resource, &mut node, names);
    resource.node = node;
}

/// Takes over what a file says of what an object was called: to the reference that is as good as its own notes.
pub(super) fn take_stated(resource: &mut Resource, names: &Names) {
    let annotations = resource.node.at(&["metadata", "annotations"]).and_then(Node::as_map);
    let Some(annotations) = annotations.filter(|map| map.keys().any(|key| key.starts_with(INTERNAL_PREFIX)))
    else {
        return;
    };
    let list = |key: &str| -> Vec<Name> {
        let text = annotations.get(key).and_then(Node::as_scalar).map_or("", Scalar::text);
        text.split(',').filter(|part| !part.is_empty()).map(|part| names.intern(part)).collect()
    };
    let [prefixes, suffixes, kinds, old_names, namespaces] =
        [PREFIXES, SUFFIXES, KINDS, NAMES, NAMESPACES].map(list);
    (resource.prefixes, resource.suffixes) = (prefixes, suffixes);
    // What does not add up makes the reference panic.
    if kinds.len() == old_names.len() && kinds.len() == namespaces.len() {
        let parts = kinds.into_iter().zip(old_names).zip(namespaces);
        let previous = parts.map(|((kind, name), namespace)| PreviousId { kind, name, namespace });
        resource.restore_previous(previous.collect());
    }
}

/// Reads back what such a step left in the annotations.
pub(crate) fn take_back(resource: &mut Resource, names: &Names) {
    let remembered = resource.previous().to_vec();
    resource.forget_history();
    let Some(metadata) = resource.node.get_mut("metadata").and_then(Node::as_map_mut) else { return };
    let Some(Node::Map(annotations)) = metadata.get_mut("annotations") else { return };
    let mut take = |key: &str| {
        let value = annotations.remove(key)?;
        Some(value.as_scalar().map_or("", Scalar::text).to_owned())
    };
    let list = |text: Option<String>| -> Vec<Name> {
        text.map(|text| text.split(',').map(|part| names.intern(part)).collect()).unwrap_or_default()
    };
    let [prefixes, suffixes, kinds, old_names, namespaces] =
        [PREFIXES, SUFFIXES, KINDS, NAMES, NAMESPACES].map(|key| list(take(key)));
    let behavior = take(BEHAVIOR);
    let needs_hash = take(NEEDS_HASH);
    let [name_change, kind_change] = [NAME_CHANGE, KIND_CHANGE].map(&mut take);
    let origin = take(ORIGIN);
    let steps = take(TRANSFORMATIONS);
    if annotations.is_empty() {
        metadata.remove("annotations");
    }
    // An object that has been without a name has more kinds and namespaces than names; which one that was stands nowhere.
    let is_same = |part: &[Name], of: fn(&PreviousId) -> Name| {
        let stated = remembered.iter().map(of).filter(|part| !part.is_empty());
        stated.eq(part.iter().copied())
    };
    let previous = if is_same(&kinds, |id| id.kind)
        && is_same(&old_names, |id| id.name)
        && is_same(&namespaces, |id| id.namespace)
    {
        remembered
    } else {
        let names = old_names.into_iter().chain(std::iter::repeat(Name::EMPTY));
        let parts = kinds.into_iter().zip(namespaces).zip(names);
        parts.map(|((kind, namespace), name)| PreviousId { kind, name, namespace }).collect()
    };
    resource.restore_previous(previous);
    (resource.prefixes, resource.suffixes) = (prefixes, suffixes);
    resource.behavior = behavior.map(|text| Behavior::of(&text));
    let is_on = |text: Option<String>| text.is_some_and(|text| text == ENABLED);
    resource.allowed = Allowed { name: is_on(name_change), kind: is_on(kind_change) };
    resource.needs_hash = needs_hash.is_some_and(|text| text == ENABLED);
    resource.origin = origin.map(|text| text.as_str().into());
    let steps = steps.and_then(|text| syntax::read_config(&text).ok());
    if let Some(Node::List(steps)) = steps {
        resource.transformations = steps.into_iter().map(Into::into).collect();
    }
}

/// The reference's own annotations of an object.
pub(crate) fn internal_annotations(node: &Node) -> Vec<(Scalar, Node)> {
    let annotations = node.at(&["metadata", "annotations"]).and_then(Node::as_map);
    let entries = annotations.map(Map::entries).unwrap_or_default().iter();
    let is_kept = |key: &str| key.starts_with(INTERNAL_PREFIX) || LEGACY.contains(&key);
    entries.filter(|(key, _)| is_kept(key.text())).cloned().collect()
}

fn write(resource: &Resource, node: &mut Node, names: &Names) {
    let texts = remembered(resource, names);
    if texts.is_empty() {
        return;
    }
    let Some(annotations) = annotations_of(node) else { return };
    for (key, text) in texts {
        annotations.insert(key, Node::string(text));
    }
}

fn remembered(resource: &Resource, names: &Names) -> Vec<(&'static str, String)> {
    let previous = resource.previous();
    let previous_by = |part: fn(&PreviousId) -> Name| previous.iter().map(part).collect::<Vec<Name>>();
    let mut texts = Vec::new();
    if let Some(origin) = &resource.origin {
        texts.push((ORIGIN, origin.to_string()));
    }
    if !resource.transformations.is_empty() {
        let steps = Node::list(resource.transformations.iter().map(|step| Node::clone(step)).collect());
        texts.push((TRANSFORMATIONS, syntax::print_wide(&steps)));
    }
    if let Some(behavior) = resource.behavior {
        texts.push((BEHAVIOR, behavior.text().to_owned()));
    }
    for (key, is_on) in [(KIND_CHANGE, resource.allowed.kind), (NAME_CHANGE, resource.allowed.name)] {
        if is_on {
            texts.push((key, ENABLED.to_owned()));
        }
    }
    if resource.needs_hash {
        texts.push((NEEDS_HASH, ENABLED.to_owned()));
    }
    if !resource.referrers.is_empty() {
        let ids: Vec<String> = resource.referrers.iter().map(|id| id.text(names)).collect();
        texts.push((REFERRERS, ids.join(",")));
    }
    for (key, mut values) in [
        (PREFIXES, resource.prefixes.clone()),
        (KINDS, previous_by(|id| id.kind)),
        (NAMES, previous_by(|id| id.name)),
        (NAMESPACES, previous_by(|id| id.namespace)),
        (SUFFIXES, resource.suffixes.clone()),
    ] {
        // An object without a name leaves no mark in the list of names.
        values.retain(|name| !name.is_empty());
        if !values.is_empty() {
            let values: Vec<String> = values.into_iter().map(|name| names.text(name).to_string()).collect();
            texts.push((key, values.join(",")));
        }
    }
    texts
}

/// The annotations, made where they are missing or no map; none where the metadata is no map.
fn annotations_of(node: &mut Node) -> Option<&mut Map> {
    let root = node.as_map_mut()?;
    if root.get("metadata").is_none_or(Node::is_null) {
        root.insert("metadata", Node::map());
    }
    let metadata = root.get_mut("metadata")?.as_map_mut()?;
    if metadata.get("annotations").is_none_or(|annotations| annotations.as_scalar().is_some()) {
        metadata.insert("annotations", Node::map());
    }
    let annotations = metadata.get_mut("annotations")?.as_map_mut()?;
    if annotations.is_empty() {
        // Brackets are around empty ones alone.
        annotations.set_flow(false);
    }
    Some(annotations)
}
