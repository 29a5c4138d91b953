//! `replacements`.
//!
//! Contract: kustomize-build §3.9.

mod config;
mod path;
mod places;
mod shown;
mod source;
mod structured;
mod target;
mod tree;
mod value;
mod walk;

use millrace_yaml::Node;

pub(crate) use path::sees_history;

use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::hints::Draft;
use crate::kustomization::{ReplacementField, ReplacementSource, ReplacementTarget};
use crate::resource::{Collection, Names};
use crate::tables::Tables;
use crate::target::Target;
use crate::transformers::{MAX_MISSED, Steps, Transform};
use value::Value;

/// The field that is read and written where none is named.
const DEFAULT_PATH: &str = "metadata.name";
/// Replacements behind one that failed that are looked at for errors of their own.
const MAX_CHECKED: usize = 200;

/// One replacement, its file read.
#[derive(Clone, Debug)]
struct Replacement {
    source: Option<ReplacementSource>,
    value: Option<String>,
    targets: Option<Vec<ReplacementTarget>>,
    /// Where it is stated.
    place: Draft,
    /// A field of its file that is none.
    stray: Option<String>,
}

/// All replacements of a target, in order.
struct Replace {
    replacements: Vec<Replacement>,
}

pub(crate) fn configure(target: &Target<'_, '_>, _: &Tables) -> Result<Steps> {
    let fields = target.kustomization().replacements.as_deref().unwrap_or_default();
    if fields.is_empty() {
        return Ok(Vec::new());
    }
    // An empty list does not survive the way of the reference's configuration through YAML.
    let stated = |field: &ReplacementField| {
        let targets = field.targets.clone().filter(|targets| !targets.is_empty());
        ReplacementField { targets, ..field.clone() }
    };
    let stated: Vec<ReplacementField> = fields.iter().map(stated).collect();
    let file = target.file();
    Ok(vec![replace(&stated, target, Some(&file)).map_err(|error| config::trouble(error, fields))?])
}

/// A step that makes replacements, which a kustomization file states, or else a plugin.
pub(crate) fn replace(
    fields: &[ReplacementField],
    target: &Target<'_, '_>,
    file: Option<&str>,
) -> Result<Box<dyn Transform>> {
    Ok(Box::new(Replace { replacements: config::load(fields, target, file)? }))
}

impl Transform for Replace {
    fn run(&self, collection: &mut Collection, context: &Context<'_>) -> Result<()> {
        // From here on, only what is written asks for it.
        for resource in collection.iter_mut().filter(|resource| !resource.links.is_empty()) {
            let made = resource.links.settle_counted(&mut resource.node, None, |bytes| context.make(bytes));
            made.map_err(BuildError::limit)?;
            resource.refresh_id(&context.names);
        }
        for (index, replacement) in self.replacements.iter().enumerate() {
            context.check()?;
            if let Err(error) = run(replacement, collection, context) {
                let error = if error.drafts().is_empty() {
                    error.with_hint("this entry is what fails")
                } else {
                    error
                };
                let error = error.with_hints_at(&replacement.place);
                let rest = self.replacements[index + 1..].iter().take(MAX_CHECKED);
                let rest = rest.take_while(|_| context.check().is_ok());
                return Err(rest.fold(error, |error, other| {
                    with_missing_source(error, other, collection, &context.names)
                }));
            }
        }
        Ok(())
    }
}

/// An error with that of a later replacement whose source is not there: no earlier one makes objects.
fn with_missing_source(
    error: BuildError,
    replacement: &Replacement,
    collection: &Collection,
    names: &Names,
) -> BuildError {
    let missing =
        replacement.source.as_ref().and_then(|source| source::select(source, collection, names).err());
    match missing.as_ref().map(BuildError::drafts) {
        Some([draft, ..]) if error.is_input() && error.other_drafts().len() < MAX_MISSED => {
            error.with_other(draft.clone().placed(&replacement.place))
        }
        Some(_) | None => error,
    }
}

/// The value at a path such as `a.b[0].c`; `None` where there is none.
pub(crate) fn look_up_text<'n>(node: &'n Node, path: &str) -> Option<&'n Node> {
    path::look_up(node, &text_parts(path)).ok()?
}

/// The parts of a path such as `a.b[0].c`.
pub(crate) fn text_parts(path: &str) -> Vec<String> {
    path::split(path).into_iter().flat_map(|part| path::split_index(&part)).collect()
}

fn run(replacement: &Replacement, collection: &mut Collection, context: &Context<'_>) -> Result<()> {
    let names = &context.names;
    let Replacement { source, value, targets: Some(targets), .. } = replacement else {
        return Err(incomplete(replacement, "the replacement has no targets"));
    };
    let mut value = match (source, value) {
        (None, None) => return Err(incomplete(replacement, "the replacement has no source")),
        (Some(_), Some(_)) => {
            let failed = BuildError::new("value and resource selectors are mutually exclusive");
            return Err(failed.with_hint("the replacement has source and sourceValue: leave one of them out"));
        }
        (None, Some(text)) => Value::stated(crate::syntax::untyped(text)),
        (Some(source), None) => source::value(source, collection, names)?,
    };
    targets.iter().enumerate().try_for_each(|(index, target)| {
        target::write(target, &mut value, collection, context)
            .map_err(|error| with_selector(error, target, index))
    })
}

/// An error with which target it is about, where that is one of how it selects.
fn with_selector(error: BuildError, target: &ReplacementTarget, index: usize) -> BuildError {
    if target.select.is_none() && error.drafts().is_empty() {
        return error.with_hint(format!("targets[{index}] has no select"));
    }
    if error.reference.starts_with(target::SELECTOR) {
        return error.with_hints_by(|draft| Draft::from(format!("targets[{index}]: ")).and_draft(&draft));
    }
    error
}

fn incomplete(replacement: &Replacement, says: &str) -> BuildError {
    let error = BuildError::new("replacements must specify a source and at least one target");
    error.with_hint(replacement.stray.as_deref().unwrap_or(says))
}
