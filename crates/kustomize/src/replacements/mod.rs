//! `replacements`.
//!
//! Contract: kustomize-build §3.9.

mod config;
mod path;
mod shown;
mod source;
mod structured;
mod target;
mod yaml_text;

use millrace_yaml::Node;

use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::kustomization::{ReplacementField, ReplacementSource, ReplacementTarget};
use crate::resource::Collection;
use crate::tables::Tables;
use crate::target::Target;
use crate::transformers::{Steps, Transform};

/// The field that is read and written where none is named.
const DEFAULT_PATH: &str = "metadata.name";

/// One replacement, its file read.
#[derive(Clone, Debug)]
struct Replacement {
    source: Option<ReplacementSource>,
    value: Option<String>,
    targets: Option<Vec<ReplacementTarget>>,
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
    Ok(vec![replace(fields, target).map_err(|error| config::trouble(error, fields))?])
}

/// A step that makes replacements.
pub(crate) fn replace(fields: &[ReplacementField], target: &Target<'_, '_>) -> Result<Box<dyn Transform>> {
    Ok(Box::new(Replace { replacements: config::load(fields, target)? }))
}

impl Transform for Replace {
    fn run(&self, collection: &mut Collection, context: &Context<'_>) -> Result<()> {
        self.replacements.iter().try_for_each(|replacement| {
            context.check()?;
            run(replacement, collection, context)
        })
    }
}

/// The value at a path such as `a.b[0].c`; `None` where there is none.
pub(crate) fn look_up_text<'n>(node: &'n Node, path: &str) -> Option<&'n Node> {
    let parts = path::split(path).into_iter().flat_map(|part| path::split_index(&part));
    path::look_up(node, &parts.collect::<Vec<String>>()).ok()?
}

fn run(replacement: &Replacement, collection: &mut Collection, context: &Context<'_>) -> Result<()> {
    let names = &context.names;
    let Replacement { source, value, targets: Some(targets) } = replacement else { return Err(incomplete()) };
    let value: Node = match (source, value) {
        (None, None) => return Err(incomplete()),
        (Some(_), Some(_)) => {
            return Err(BuildError::new("value and resource selectors are mutually exclusive"));
        }
        (None, Some(text)) => crate::syntax::plain(text),
        (Some(source), None) => source::value(source, collection, names)?,
    };
    targets.iter().try_for_each(|target| target::write(target, &value, collection, context))
}

fn incomplete() -> BuildError {
    BuildError::new("replacements must specify a source and at least one target")
}
