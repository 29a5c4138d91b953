//! Where the value of a replacement goes.

use std::borrow::Cow;

use millrace_yaml::{Node, Scalar};

use super::DEFAULT_PATH;
use super::path::{self, split};
use super::places::{self, Place, Places};
use super::source::in_object;
use super::structured;
use super::value::Value;
use super::walk::Make;
use crate::build::{Context, text_bytes};
use crate::error::{BuildError, Result};
use crate::go;
use crate::hints;
use crate::kustomization::{FieldOptions, ReplacementTarget};
use crate::patch::ObjectSelector;
use crate::resource::{Collection, Names, Resource, expose, take_back};
use crate::syntax;

/// The message where text is to be joined to something else.
const NO_SCALAR: &str = "delimiter option can only be used with scalar nodes";

/// What comes before the message about a selector that does not read.
pub(super) const SELECTOR: &str = "error creating target selector";

/// Writes a value into every object that a target selects.
pub(super) fn write(
    target: &ReplacementTarget,
    value: &mut Value,
    collection: &mut Collection,
    context: &Context<'_>,
) -> Result<()> {
    let names = &context.names;
    let Some(select) = &target.select else {
        return Err(BuildError::new("target must specify resources to select"));
    };
    let failed = |error: BuildError| error.wrap(SELECTOR);
    let selector = ObjectSelector::new(select).map_err(failed)?;
    let reject = target
        .reject
        .iter()
        .flatten()
        .map(|reject| ObjectSelector::new(&reject.0))
        .collect::<Result<Vec<_>>>()
        .map_err(failed)?;
    let default = [DEFAULT_PATH.to_owned()];
    let paths = target.field_paths.as_deref().filter(|paths| !paths.is_empty()).unwrap_or(&default);
    for (index, resource) in collection.iter_mut().enumerate() {
        context.check()?;
        if selects(&selector, &reject, resource, names)? {
            for path in paths {
                set((index, resource), path, value, target.options.as_ref(), context).map_err(|error| {
                    let makes = target.options.as_ref().is_some_and(|options| options.create);
                    let ends = hints::missing_target(&resource.node, &split(path), makes);
                    error.with_hint(in_object(
                        ends.unwrap_or_else(|| "nothing is put".to_owned()),
                        resource,
                        names,
                    ))
                })?;
            }
            resource.links.settle(&mut resource.node);
            resource.refresh_id(names);
        }
    }
    Ok(())
}

fn selects(
    selector: &ObjectSelector,
    reject: &[ObjectSelector],
    resource: &Resource,
    names: &Names,
) -> Result<bool> {
    resource.check_ids(names).map_err(BuildError::new)?;
    if !selector.fits_metadata(resource)? {
        return Ok(false);
    }
    for reject in reject {
        if (reject.has_metadata() && reject.fits_metadata(resource)?)
            || (reject.has_id() && resource.any_ids().any(|id| reject.fits_id(id, names)))
        {
            return Ok(false);
        }
    }
    Ok(resource.any_ids().any(|id| selector.fits_id(id, names)))
}

fn set(
    (index, resource): (usize, &mut Resource),
    path: &str,
    value: &mut Value,
    options: Option<&FieldOptions>,
    context: &Context<'_>,
) -> Result<()> {
    let parts = split(path);
    context.copy(value.node(), parts.len())?;
    let is_exposed = path::sees_history(&parts) || value.sees_history(index);
    if is_exposed {
        expose(resource, &context.names);
    }
    let outcome = put((index, resource), (path, &parts), value, options, context);
    if value.is_in(index) {
        resource.links.settle(&mut resource.node);
        value.refresh(index, &resource.node);
    }
    if is_exposed {
        take_back(resource, &context.names);
    }
    outcome
}

/// What is made where a path leads to nothing, if anything is.
fn make_of(value: &Node, options: Option<&FieldOptions>) -> Option<Make> {
    options.filter(|options| options.create).map(|_| match value {
        Node::Scalar(_) => Make::Scalar,
        Node::List(_) => Make::List,
        Node::Map(_) => Make::Map,
    })
}

/// Puts a value where a path, given with its parts, leads in an object, given with which one it is.
fn put(
    (index, resource): (usize, &mut Resource),
    (path, parts): (&str, &[String]),
    value: &mut Value,
    options: Option<&FieldOptions>,
    context: &Context<'_>,
) -> Result<()> {
    let Resource { node, links, .. } = resource;
    let make = make_of(value.node(), options);
    if structured::write(node, parts, make, value.node(), context)? {
        return Ok(());
    }
    let retrieval = || {
        let create = if make.is_some() { "find or create" } else { "find" };
        format!("unable to {create} field {} in replacement target", go::quote(path))
    };
    let found = Places::find(node, parts, make)
        .map_err(|problem| BuildError::new(format!("{}: {problem}", retrieval())))?;
    if found.is_empty() {
        return Err(BuildError::new(retrieval()));
    }
    let mut source = value.way(index, node);
    let mut is_first = true;
    found.try_each(|place| {
        let way = match place {
            Place::There(way) => way,
            Place::Lost { is_scalar } => return lose(value.node(), is_scalar, options, context),
        };
        if source.as_ref().is_some_and(|source| source.len() > way.len() && source.starts_with(way)) {
            value.part(index, node);
            source = None;
        }
        // What stands there now: a place before this one may be in it.
        let live = source.as_ref().and_then(|source| places::at(node, source));
        count(live.unwrap_or(value.node()), way.len(), std::mem::take(&mut is_first), context)?;
        let copied = live.map_or(Cow::Borrowed(value.node()), |live| Cow::Owned(live.clone()));
        let Some(place) = places::at_mut(node, way) else { return Ok(()) };
        let is_replaced = place.as_scalar().is_none();
        write_one(place, copied, options, context).map_err(BuildError::new)?;
        if is_replaced {
            links.part(&places::steps(node, way));
        }
        Ok(())
    })
}

/// Counts a value that is put in a place; for the first place, the values in it are counted already.
fn count(value: &Node, depth: usize, is_first: bool, context: &Context<'_>) -> Result<()> {
    // The steps to it count as well: many places may lie deep.
    let bytes = size_of::<usize>() * depth;
    if is_first || value.as_scalar().is_some() {
        context.make(bytes + text_bytes(value)).map_err(BuildError::limit)
    } else {
        context.make(bytes).map_err(BuildError::limit)?;
        context.copy(value, depth)
    }
}

/// Writes a value into a copy, of which nothing is printed.
fn lose(value: &Node, is_scalar: bool, options: Option<&FieldOptions>, context: &Context<'_>) -> Result<()> {
    context.make(text_bytes(value)).map_err(BuildError::limit)?;
    if is_scalar || options.is_none_or(|options| options.delimiter.is_empty()) {
        Ok(())
    } else {
        Err(BuildError::new(NO_SCALAR))
    }
}

fn write_one(
    place: &mut Node,
    value: Cow<'_, Node>,
    options: Option<&FieldOptions>,
    context: &Context<'_>,
) -> std::result::Result<(), String> {
    let Some(FieldOptions { delimiter, index, .. }) = options.filter(|options| !options.delimiter.is_empty())
    else {
        return path::write(place, value);
    };
    let Some(old) = place.as_scalar() else { return Err(NO_SCALAR.to_owned()) };
    let mut pieces: Vec<&str> = Scalar::text(old).split(delimiter.as_str()).collect();
    let new = path::text(&value);
    match usize::try_from(*index) {
        Err(_) => pieces.insert(0, new),
        Ok(index) if index >= pieces.len() => pieces.push(new),
        Ok(index) => pieces[index] = new,
    }
    context.make(old.text().len())?;
    let joined = pieces.join(delimiter);
    let joined = syntax::scalar(&joined, millrace_yaml::ScalarKind::Str, millrace_yaml::Style::Plain);
    path::write(place, Cow::Owned(Node::Scalar(joined)))
}
