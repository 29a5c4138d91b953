//! Where the value of a replacement goes.

use millrace_yaml::{Node, Scalar};

use super::DEFAULT_PATH;
use super::path::{self, Make, split};
use super::structured::{self, Written};
use crate::build::{Context, text_bytes};
use crate::error::{BuildError, Result};
use crate::go;
use crate::kustomization::{FieldOptions, ReplacementTarget};
use crate::patch::ObjectSelector;
use crate::resource::{Collection, Names, Resource};
use crate::syntax;

/// Writes a value into every object that a target selects.
pub(super) fn write(
    target: &ReplacementTarget,
    value: &Node,
    collection: &mut Collection,
    context: &Context<'_>,
) -> Result<()> {
    let names = &context.names;
    let Some(select) = &target.select else {
        return Err(BuildError::new("target must specify resources to select"));
    };
    let failed = |error: BuildError| error.wrap("error creating target selector");
    let selector = ObjectSelector::new(select).map_err(failed)?;
    let reject = target
        .reject
        .iter()
        .flatten()
        .map(ObjectSelector::new)
        .collect::<Result<Vec<_>>>()
        .map_err(failed)?;
    let default = [DEFAULT_PATH.to_owned()];
    let paths = target.field_paths.as_deref().filter(|paths| !paths.is_empty()).unwrap_or(&default);
    for resource in collection.iter_mut() {
        if selects(&selector, &reject, resource, names)? {
            for path in paths {
                set(resource, path, value, target.options.as_ref(), context).map_err(|error| {
                    error.with_hint(format!("the object is {}", resource.id().text(names)))
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
    resource: &mut Resource,
    path: &str,
    value: &Node,
    options: Option<&FieldOptions>,
    context: &Context<'_>,
) -> Result<()> {
    let make = options.filter(|options| options.create).map(|_| match value {
        Node::Scalar(_) => Make::Scalar,
        Node::List(_) => Make::List,
        Node::Map(_) => Make::Map,
    });
    let parts = split(path);
    context.copy(value, parts.len())?;
    let size = text_bytes(value);
    if parts.len() > 1 {
        let mut act = |place: &mut Node| {
            context.make(size)?;
            path::write(place, value)
        };
        match structured::write(&mut resource.node, &parts, make, &mut act) {
            Written::Yes(bytes) => return context.make(bytes).map_err(BuildError::limit),
            Written::No => {}
            Written::Unsupported => {
                let what = format!("a replacement at {path} into YAML text with comments or flow style");
                return Err(BuildError::unsupported(what, "replacements"));
            }
        }
    }
    let retrieval = || {
        let create = if make.is_some() { "find or create" } else { "find" };
        format!("unable to {create} field {} in replacement target", go::quote(path))
    };
    let mut wrong = None;
    let mut act = |place: &mut Node| {
        write_one(place, value, options, context).map_err(|problem| {
            wrong = Some(problem);
            String::new()
        })
    };
    let visited = path::visit(&mut resource.node, &parts, make, &mut act);
    match (wrong, visited) {
        (Some(problem), _) => Err(BuildError::new(problem)),
        (None, Err(problem)) => Err(BuildError::new(format!("{}: {problem}", retrieval()))),
        (None, Ok(0)) => Err(BuildError::new(retrieval())),
        (None, Ok(_)) => Ok(()),
    }
}

fn write_one(
    place: &mut Node,
    value: &Node,
    options: Option<&FieldOptions>,
    context: &Context<'_>,
) -> std::result::Result<(), String> {
    context.make(text_bytes(value))?;
    let Some(FieldOptions { delimiter, index, .. }) = options.filter(|options| !options.delimiter.is_empty())
    else {
        return path::write(place, value);
    };
    let Some(old) = place.as_scalar() else {
        return Err("delimiter option can only be used with scalar nodes".to_owned());
    };
    let mut pieces: Vec<&str> = Scalar::text(old).split(delimiter.as_str()).collect();
    let new = path::text(value);
    match usize::try_from(*index) {
        Err(_) => pieces.insert(0, new),
        Ok(index) if index >= pieces.len() => pieces.push(new),
        Ok(index) => pieces[index] = new,
    }
    context.make(old.text().len())?;
    let joined = pieces.join(delimiter);
    path::write(
        place,
        &Node::Scalar(syntax::scalar(&joined, millrace_yaml::ScalarKind::Str, millrace_yaml::Style::Plain)),
    )
}
