//! The value of a replacement.

use std::fmt::Write as _;

use millrace_yaml::{Map, Node, Scalar};

use super::DEFAULT_PATH;
use super::path::{self, split};
use super::value::Value;
use crate::error::{BuildError, Result};
use crate::hints::{self, Draft, Wanted};
use crate::kustomization::{FieldOptions, ReplacementSource};
use crate::resource::{Collection, Gvk, Id, Names, Resource, with_history};
use crate::syntax;

/// Reads the value that a source names.
pub(super) fn value(source: &ReplacementSource, collection: &Collection, names: &Names) -> Result<Value> {
    let (index, resource) = select(source, collection, names)?;
    let field_path = if source.field_path.is_empty() { DEFAULT_PATH } else { &source.field_path };
    let parts = split(field_path);
    let shown = path::sees_history(&parts).then(|| with_history(resource, names));
    let root = shown.as_ref().unwrap_or(&resource.node);
    let ends = || hints::missing_field(&resource.node, &parts).map(|ends| in_object(ends, resource, names));
    let found = path::look_up(root, &parts).map_err(|problem| {
        let failed = BuildError::new(format!("error looking up replacement source: {problem}"));
        ends().into_iter().fold(failed, BuildError::with_hint)
    })?;
    let found = found.filter(|node| !is_empty(node)).ok_or_else(|| {
        let id = id_text(source, names);
        let failed =
            BuildError::new(format!("fieldPath `{field_path}` is missing for replacement source {id}"));
        ends().into_iter().fold(failed, BuildError::with_hint)
    })?;
    let options = source.options.as_ref().filter(|options| !options.delimiter.is_empty());
    match options {
        None => Ok(Value::standing(found, index, root, &parts)),
        Some(options) => piece(found, options)
            .map(Value::stated)
            .map_err(|error| error.with_hints_by(|draft| draft.of_object(resource, names))),
    }
}

/// The only object with an id that fits, and its place among all.
pub(super) fn select<'c>(
    source: &ReplacementSource,
    collection: &'c Collection,
    names: &Names,
) -> Result<(usize, &'c Resource)> {
    let mut found: Vec<(usize, &Resource)> = Vec::new();
    for (index, resource) in collection.iter().enumerate() {
        resource
            .check_ids(names)
            .map_err(|problem| BuildError::new(format!("error getting node IDs: {problem}")))?;
        if resource.any_ids().any(|id| fits(source, id, names)) {
            found.push((index, resource));
        }
        if found.len() == 2 {
            break;
        }
    }
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (Some(found), None) => Ok(found),
        (None, _) => {
            let ReplacementSource { group, version, kind, name, namespace, .. } = source;
            let wanted = Wanted { group, version, kind, name, namespace, by: "", anywhere: true };
            Err(BuildError::new(format!("nothing selected by {}", shown(source, names)))
                .with_hint(hints::no_object(wanted, collection, names)))
        }
        (Some((_, first)), Some((_, second))) => {
            let both = Draft::from("more than one object fits: ").and_named(first, names).and(" and ");
            Err(BuildError::new(format!("multiple matches for selector {}", shown(source, names)))
                .with_hint(both.and_named(second, names)))
        }
    }
}

/// A hint about a field, with the object it is missing in.
pub(super) fn in_object(says: String, resource: &Resource, names: &Names) -> Draft {
    Draft::from(says).of_object(resource, names)
}

fn fits(source: &ReplacementSource, id: Id, names: &Names) -> bool {
    let fits = |wanted: &str, is| wanted.is_empty() || names.is(is, wanted);
    fits(&source.group, id.gvk.group)
        && fits(&source.version, id.gvk.version)
        && fits(&source.kind, id.gvk.kind)
        && fits(&source.name, id.name)
        && fits(&source.namespace, id.effective_namespace())
}

fn piece(found: &Node, FieldOptions { delimiter, index, .. }: &FieldOptions) -> Result<Node> {
    let Some(scalar) = found.as_scalar() else {
        return Err(BuildError::new("delimiter option can only be used with scalar nodes"));
    };
    let piece =
        usize::try_from(*index).ok().and_then(|index| scalar.text().split(delimiter.as_str()).nth(index));
    let Some(piece) = piece else {
        let text = Scalar::text(scalar);
        let says = match text.split(delimiter.as_str()).count() {
            1 => "the delimiter is not in the value, and index counts from 0".to_owned(),
            count => format!("the delimiter makes {count} pieces of the value, which index counts from 0"),
        };
        let failed = BuildError::new(format!("options.index {index} is out of bounds for value {text}"));
        return Err(failed.with_hint(says));
    };
    Ok(Node::Scalar(syntax::scalar(piece, scalar.kind(), scalar.style())))
}

fn is_empty(node: &Node) -> bool {
    node.is_null()
        || node.as_map().is_some_and(Map::is_empty)
        || node.as_list().is_some_and(<[Node]>::is_empty)
}

fn id_text(source: &ReplacementSource, names: &Names) -> String {
    let gvk = Gvk {
        group: names.intern(&source.group),
        version: names.intern(&source.version),
        kind: names.intern(&source.kind),
    };
    Id { gvk, name: names.intern(&source.name), namespace: names.intern(&source.namespace), cluster: false }
        .text(names)
}

/// A source as messages show it.
fn shown(source: &ReplacementSource, names: &Names) -> String {
    let mut text = id_text(source, names);
    if !source.field_path.is_empty() {
        text.push(':');
        text.push_str(&source.field_path);
    }
    if let Some(options) =
        source.options.as_ref().filter(|options| !options.delimiter.is_empty() || options.create)
    {
        let FieldOptions { delimiter, index, create, .. } = options;
        let _ = write!(text, ":{delimiter}({index}), create={create}");
    }
    text
}
