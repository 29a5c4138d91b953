//! Where the value of a replacement goes.

use std::borrow::Cow;

use millrace_yaml::{Node, Scalar, styled};

use super::DEFAULT_PATH;
use super::path::{self, split};
use super::source::{Value, in_object};
use super::structured;
use super::walk::{self, Make, Place};
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
                let parts = split(path);
                let make = make_of(&value.node, target.options.as_ref());
                if make.is_some() && value.place_in(index, &resource.node).is_some() {
                    // Places are made before the value is copied, which has them then. What fails here fails again below.
                    let _ = walk::visit(&mut resource.node, &parts, make, &mut |_| Ok(()));
                    value.follow(index, resource, &parts);
                }
                let source = value.place_in(index, &resource.node).map(std::ptr::from_ref);
                set(resource, path, (&value.node, source), target.options.as_ref(), context).map_err(
                    |error| {
                        let makes = target.options.as_ref().is_some_and(|options| options.create);
                        let ends = hints::missing_target(&resource.node, &parts, makes);
                        error.with_hint(in_object(
                            ends.unwrap_or_else(|| "nothing is put".to_owned()),
                            resource,
                            names,
                        ))
                    },
                )?;
                value.follow(index, resource, &parts);
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
    resource: &mut Resource,
    path: &str,
    value: Stated<'_>,
    options: Option<&FieldOptions>,
    context: &Context<'_>,
) -> Result<()> {
    let parts = split(path);
    context.copy(value.0, parts.len())?;
    if !path::sees_history(&parts) {
        return put(&mut resource.node, (path, &parts), value, options, context);
    }
    expose(resource, &context.names);
    let outcome = put(&mut resource.node, (path, &parts), value, options, context);
    take_back(resource, &context.names);
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

/// A value, and where it stands if that is in the object it is put into: the address is compared, and never followed.
type Stated<'v> = (&'v Node, Option<*const Node>);

/// Puts a value where a path, given with its parts, leads.
fn put(
    node: &mut Node,
    (path, parts): (&str, &[String]),
    (value, source): Stated<'_>,
    options: Option<&FieldOptions>,
    context: &Context<'_>,
) -> Result<()> {
    let make = make_of(value, options);
    if structured::write(node, parts, make, value, context)? {
        return Ok(());
    }
    let retrieval = || {
        let create = if make.is_some() { "find or create" } else { "find" };
        format!("unable to {create} field {} in replacement target", go::quote(path))
    };
    let mut wrong = None;
    let mut value = Cow::Borrowed(value);
    let mut act = |place: Place<'_>| {
        let written = match place {
            Place::Object(place) => {
                let written = write_one(Place::Object(&mut *place), &value, options, context);
                // The places behind this one get what stands here now.
                if source.is_some_and(|source| std::ptr::eq(source, place)) {
                    value = Cow::Owned(place.clone());
                }
                written
            }
            place @ Place::Text(_) => write_one(place, &value, options, context),
        };
        written.map_err(|problem| {
            wrong = Some(problem);
            String::new()
        })
    };
    let visited = walk::visit(node, parts, make, &mut act);
    match (wrong, visited) {
        (Some(problem), _) => Err(BuildError::new(problem)),
        (None, Err(problem)) => Err(BuildError::new(format!("{}: {problem}", retrieval()))),
        (None, Ok(0)) => Err(BuildError::new(retrieval())),
        (None, Ok(_)) => Ok(()),
    }
}

fn write_one(
    place: Place<'_>,
    value: &Node,
    options: Option<&FieldOptions>,
    context: &Context<'_>,
) -> std::result::Result<(), String> {
    context.make(text_bytes(value))?;
    let joined = options.filter(|options| !options.delimiter.is_empty());
    let place = match place {
        Place::Object(place) => place,
        // A copy of structured text: what is written there is lost.
        Place::Text(place) if joined.is_none() || place.kind() == styled::Kind::Scalar => return Ok(()),
        Place::Text(_) => return Err(NO_SCALAR.to_owned()),
    };
    let Some(FieldOptions { delimiter, index, .. }) = joined else { return path::write(place, value) };
    let Some(old) = place.as_scalar() else { return Err(NO_SCALAR.to_owned()) };
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
