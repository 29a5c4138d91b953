//! The value of a replacement.

use std::fmt::Write as _;

use millrace_yaml::{Map, Node, Scalar};

use super::DEFAULT_PATH;
use super::path::{self, split};
use crate::error::{BuildError, Result};
use crate::kustomization::{FieldOptions, ReplacementSource};
use crate::resource::{Collection, Gvk, Id, Names, Resource};
use crate::syntax;

/// Reads the value that a source names.
pub(super) fn value(source: &ReplacementSource, collection: &Collection, names: &Names) -> Result<Node> {
    let resource = select(source, collection, names)?;
    let field_path = if source.field_path.is_empty() { DEFAULT_PATH } else { &source.field_path };
    let found = path::look_up(&resource.node, &split(field_path))
        .map_err(|problem| BuildError::new(format!("error looking up replacement source: {problem}")))?;
    let found = found.filter(|node| !is_empty(node)).ok_or_else(|| {
        let id = id_text(source, names);
        BuildError::new(format!("fieldPath `{field_path}` is missing for replacement source {id}"))
    })?;
    refine(found, source.options.as_ref())
}

/// The only object with an id that fits.
fn select<'c>(source: &ReplacementSource, collection: &'c Collection, names: &Names) -> Result<&'c Resource> {
    let mut found = collection.iter().filter(|resource| resource.any_ids().any(|id| fits(source, id, names)));
    match (found.next(), found.next()) {
        (Some(resource), None) => Ok(resource),
        (None, _) => Err(BuildError::new(format!("nothing selected by {}", shown(source, names)))),
        (Some(_), Some(_)) => {
            Err(BuildError::new(format!("multiple matches for selector {}", shown(source, names))))
        }
    }
}

fn fits(source: &ReplacementSource, id: Id, names: &Names) -> bool {
    let fits = |wanted: &str, is| wanted.is_empty() || names.is(is, wanted);
    fits(&source.group, id.gvk.group)
        && fits(&source.version, id.gvk.version)
        && fits(&source.kind, id.gvk.kind)
        && fits(&source.name, id.name)
        && fits(&source.namespace, id.effective_namespace())
}

fn refine(found: &Node, options: Option<&FieldOptions>) -> Result<Node> {
    let Some(FieldOptions { delimiter, index, .. }) = options.filter(|options| !options.delimiter.is_empty())
    else {
        return Ok(found.clone());
    };
    let Some(scalar) = found.as_scalar() else {
        return Err(BuildError::new("delimiter option can only be used with scalar nodes"));
    };
    let piece =
        usize::try_from(*index).ok().and_then(|index| scalar.text().split(delimiter.as_str()).nth(index));
    let Some(piece) = piece else {
        let text = Scalar::text(scalar);
        return Err(BuildError::new(format!("options.index {index} is out of bounds for value {text}")));
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
