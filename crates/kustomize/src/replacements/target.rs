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
    let paths: Vec<FieldPath<'_>> = paths.iter().map(|text| FieldPath { text, parts: split(text) }).collect();
    let options = target.options.as_ref();
    for (index, resource) in collection.iter_mut().enumerate() {
        context.check()?;
        if selects(&selector, &reject, resource, names)? {
            let writer = Writer { index, options, context };
            for path in &paths {
                context.check()?;
                writer.set(resource, path, value).map_err(|error| {
                    let makes = options.is_some_and(|options| options.create);
                    let ends = hints::missing_target(&resource.node, &path.parts, makes);
                    error.with_hint(in_object(
                        ends.unwrap_or_else(|| "nothing is put".to_owned()),
                        resource,
                        names,
                    ))
                })?;
            }
            writer.settle(resource)?;
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

/// A field path as it was stated, and its parts.
struct FieldPath<'p> {
    text: &'p str,
    parts: Vec<String>,
}

/// Writes into one object, along one path after another.
struct Writer<'w, 'b> {
    /// Which of all objects it is.
    index: usize,
    options: Option<&'w FieldOptions>,
    context: &'w Context<'b>,
}

impl Writer<'_, '_> {
    /// Puts a value where a path leads, and reads it anew if it stands in this object.
    fn set(&self, resource: &mut Resource, path: &FieldPath<'_>, value: &mut Value) -> Result<()> {
        self.context.copy(value.node(), path.parts.len())?;
        let is_exposed = path::sees_history(&path.parts) || value.sees_history(self.index);
        if is_exposed {
            expose(resource, &self.context.names);
            resource.links.note_change();
        }
        let mut outcome = self.put(resource, path, value);
        if value.is_in(self.index) {
            outcome = outcome.and(self.settle(resource));
            value.refresh(self.index, &resource.node);
        }
        if is_exposed {
            take_back(resource, &self.context.names);
            // Annotations came and went, which others may share.
            resource.links.note_change();
        }
        outcome
    }

    /// Carries what was written to all places that share it.
    fn settle(&self, resource: &mut Resource) -> Result<()> {
        let Resource { node, links, .. } = resource;
        if !links.is_changed() {
            return Ok(());
        }
        // All places are looked at.
        self.context.make(links.count() * size_of::<Node>()).map_err(BuildError::limit)?;
        links.settle_counted(node, None, |bytes| self.context.make(bytes)).map_err(BuildError::limit)
    }

    fn put(&self, resource: &mut Resource, path: &FieldPath<'_>, value: &mut Value) -> Result<()> {
        let make = self.make_of(value.node());
        let text = structured::rewrite(&resource.node, &path.parts, make, value.node(), self.context)?;
        if let Some((way, text)) = text {
            return change(resource, &way, |place| {
                *place = Node::Scalar(text);
                Ok(())
            });
        }
        let found = find(resource, path, make)?;
        let mut source = value.way(self.index, &resource.node);
        let mut is_first = true;
        found.try_each(|place| {
            let way = match place {
                Place::There(way) => way,
                Place::Lost { is_scalar } => return self.lose(value.node(), is_scalar),
            };
            if source.as_ref().is_some_and(|source| source.len() > way.len() && source.starts_with(way)) {
                value.part(self.index, &resource.node);
                source = None;
            }
            // What stands there now: a place before this one may be in it.
            let live = source.as_ref().and_then(|source| places::at(&resource.node, source));
            self.context.check()?;
            if !resource.links.is_empty() {
                // The way is kept until the places that share a scalar are looked at.
                self.context.make(path.text.len()).map_err(BuildError::limit)?;
            }
            self.count(live.unwrap_or(value.node()), way.len(), std::mem::take(&mut is_first))?;
            let copied = live.map_or(Cow::Borrowed(value.node()), |live| Cow::Owned(live.clone()));
            change(resource, way, |place| self.write_one(place, copied))
        })
    }

    /// What is made where a path leads to nothing, if anything is.
    fn make_of(&self, value: &Node) -> Option<Make> {
        self.options.filter(|options| options.create).map(|_| match value {
            Node::Scalar(_) => Make::Scalar,
            Node::List(_) => Make::List,
            Node::Map(_) => Make::Map,
        })
    }

    /// Counts a value that is put in a place; for the first place, the values in it are counted already.
    fn count(&self, value: &Node, depth: usize, is_first: bool) -> Result<()> {
        // The steps to it count as well: many places may lie deep.
        let bytes = size_of::<usize>() * depth;
        if is_first || value.as_scalar().is_some() {
            self.context.make(bytes + text_bytes(value)).map_err(BuildError::limit)
        } else {
            self.context.make(bytes).map_err(BuildError::limit)?;
            self.context.copy(value, depth)
        }
    }

    /// Writes a value into a copy, of which nothing is printed.
    fn lose(&self, value: &Node, is_scalar: bool) -> Result<()> {
        self.context.make(text_bytes(value)).map_err(BuildError::limit)?;
        if is_scalar || self.options.is_none_or(|options| options.delimiter.is_empty()) {
            Ok(())
        } else {
            Err(BuildError::new(NO_SCALAR))
        }
    }

    fn write_one(&self, place: &mut Node, value: Cow<'_, Node>) -> Result<()> {
        let Some(FieldOptions { delimiter, index, .. }) =
            self.options.filter(|options| !options.delimiter.is_empty())
        else {
            return path::write(place, value).map_err(BuildError::new);
        };
        let Some(old) = place.as_scalar() else { return Err(BuildError::new(NO_SCALAR)) };
        let mut pieces: Vec<&str> = Scalar::text(old).split(delimiter.as_str()).collect();
        let new = path::text(&value);
        match usize::try_from(*index) {
            Err(_) => pieces.insert(0, new),
            Ok(index) if index >= pieces.len() => pieces.push(new),
            Ok(index) => pieces[index] = new,
        }
        self.context.make(old.text().len()).map_err(BuildError::limit)?;
        let joined = pieces.join(delimiter);
        let joined = syntax::scalar(&joined, millrace_yaml::ScalarKind::Str, millrace_yaml::Style::Plain);
        path::write(place, Cow::Owned(Node::Scalar(joined))).map_err(BuildError::new)
    }
}

/// The places that a path leads to, what is missing made.
fn find(resource: &mut Resource, path: &FieldPath<'_>, make: Option<Make>) -> Result<Places> {
    let failed = || {
        let create = if make.is_some() { "find or create" } else { "find" };
        format!("unable to {create} field {} in replacement target", go::quote(path.text))
    };
    if make.is_some() && path.parts.iter().any(String::is_empty) {
        // Such a part makes something in place of a scalar, which others may share.
        resource.links.note_change();
    }
    let found = Places::find(&mut resource.node, &path.parts, make)
        .map_err(|problem| BuildError::new(format!("{}: {problem}", failed())))?;
    if found.is_empty() { Err(BuildError::new(failed())) } else { Ok(found) }
}

/// Changes what stands in a place, and notes what this does to places that share it.
fn change(
    resource: &mut Resource,
    way: &[usize],
    change: impl FnOnce(&mut Node) -> Result<()>,
) -> Result<()> {
    let Resource { node, links, .. } = resource;
    let shared = (!links.is_empty()).then(|| places::steps(node, way));
    let place = places::at_mut(node, way)
        .expect("places are found right before they are written, and none of them is in another");
    let Some(steps) = shared else { return change(place) };
    let Some(old) = place.as_scalar() else {
        links.part(&steps);
        return change(place);
    };
    let old = links.has(&steps).then(|| old.clone());
    change(place)?;
    if old.is_some_and(|old| place.as_scalar() != Some(&old)) {
        links.note_change();
    }
    Ok(())
}
