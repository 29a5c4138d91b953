//! Built-in plugins that `generators`, `transformers` and `validators` configure by objects.
//!
//! Contract: kustomize-build §3.13.

mod affixes;
mod config;
mod iam_policy;
mod registry;
mod validators;
mod value_add;

use std::collections::HashSet;

use millrace_yaml::{Node, canonical};

use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::generators::Generator;
use crate::hints::{self, Draft};
use crate::origin;
use crate::resource::{Collection, Gvk, Name, Resource, parse_any_resources, with_history};
use crate::target::{Gathered, Target};
use crate::transformers::Transform;
use registry::Builtin;

pub(crate) use validators::run as run_validators;

/// What to say of an object whose step fails where nothing better is known.
const WHAT_FAILS: &str = "this object is what fails";

/// A configured plugin and the record of it.
pub(crate) struct Configured<T: ?Sized> {
    pub(crate) plugin: Box<T>,
    pub(crate) record: Option<Node>,
}

/// A step, and where the object stands that configures it.
struct Placed {
    step: Box<dyn Transform>,
    place: Draft,
}

impl Transform for Placed {
    fn run(&self, collection: &mut Collection, context: &Context<'_>) -> Result<()> {
        self.step.run(collection, context).map_err(|error| self.told(error))
    }

    fn misses(&self, collection: &mut Collection, context: &Context<'_>) -> Vec<BuildError> {
        let missed = self.step.misses(collection, context);
        missed.into_iter().map(|error| self.told(error)).collect()
    }
}

impl Placed {
    fn told(&self, error: BuildError) -> BuildError {
        let error = if error.drafts().is_empty() { error.with_hint(WHAT_FAILS) } else { error };
        error.with_hints_at(&self.place)
    }
}

/// The plugins of `generators`.
pub(crate) fn generators(target: &Target<'_, '_>) -> Result<Vec<Configured<dyn Generator>>> {
    let entries = target.kustomization().generators.as_deref().unwrap_or_default();
    let loading = |error: BuildError| error.wrap("loading generator plugins");
    let objects = objects(entries, "generator", target).map_err(loading)?;
    let names = &target.context.names;
    let configured = objects.iter().map(|object| {
        let failed = |error: BuildError| loading(error.wrap("failed to load generator"));
        let told = |error| hints::unconfigured(error, object, "generator", registry::kinds(), names);
        match configure(object, target).map_err(told).map_err(failed)? {
            Builtin::Generator(plugin) => Ok(Configured { plugin, record: record(object, target) }),
            Builtin::Transformer(_) => {
                let id = object.original_id().text(names);
                Err(failed(told(BuildError::new(format!("plugin {id} not a generator")))))
            }
        }
    });
    configured.collect()
}

/// The plugins of `transformers` or `validators`.
pub(crate) fn transformers(
    entries: &[String],
    target: &Target<'_, '_>,
) -> Result<Vec<Configured<dyn Transform>>> {
    let objects = objects(entries, "transformer", target)?;
    let names = &target.context.names;
    let configured = objects.iter().map(|object| {
        let told = |error| hints::unconfigured(error, object, "transformer", registry::kinds(), names);
        match configure(object, target).map_err(told)? {
            Builtin::Transformer(step) => {
                let place = Draft::default().and_object(object, names);
                let plugin = Box::new(Placed { step, place }) as Box<dyn Transform>;
                Ok(Configured { plugin, record: record(object, target) })
            }
            Builtin::Generator(_) => {
                let id = object.original_id().text(names);
                Err(told(BuildError::new(format!("plugin {id} not a transformer"))))
            }
        }
    });
    configured.collect()
}

/// The objects that entries stand for: inline where an entry reads as objects, else a file or a folder.
fn objects(entries: &[String], what: &str, target: &Target<'_, '_>) -> Result<Vec<Resource>> {
    let names = &target.context.names;
    let mut gathered = Gathered::default();
    let mut paths = Vec::new();
    for entry in entries {
        let stated = parse_any_resources(entry, Name::EMPTY, names).ok();
        let Some(objects) = stated.filter(|objects| have_own_ids(objects)) else {
            paths.push(entry);
            continue;
        };
        for mut object in objects {
            if target.context.tracking.get().enabled {
                object.origin = Some(target.origin().append(target.file_name).file_text().into());
            }
            let failed = |error: BuildError| error.wrap(format_args!("configuring external {what}"));
            gathered.collection.append(object, names).map_err(failed)?;
        }
    }
    for path in paths {
        target.gather_resource(path, &mut gathered)?;
    }
    Ok(gathered.collection.into_resources())
}

/// Whether no two objects share an id.
fn have_own_ids(objects: &[Resource]) -> bool {
    let mut seen = HashSet::new();
    objects.iter().all(|object| seen.insert(object.id().key()))
}

fn configure(object: &Resource, target: &Target<'_, '_>) -> Result<Builtin> {
    let names = &target.context.names;
    let Gvk { group, version, kind } = object.id().gvk;
    if !group.is_empty() || !names.is(version, "builtin") {
        let kind = names.text(object.original_id().gvk.kind);
        return Err(BuildError::new(format!(
            "external plugins disabled; unable to load external plugin '{kind}'"
        )));
    }
    let Some(configure) = registry::find(&names.text(kind)) else {
        let gvk = object.id().gvk.text(names);
        return Err(BuildError::new(format!("unable to load builtin {gvk}")));
    };
    let id = || object.original_id().text(names);
    let unprinted =
        |problem: String| BuildError::new(format!("marshalling yaml from res {}: {problem}", id()));
    // Messages show the object with all that is remembered of it.
    let remembered = with_history(object, names);
    if let Some(problem) = object.repeated.as_ref().and_then(|repeated| repeated.error(&remembered)) {
        return Err(unprinted(problem.to_string()));
    }
    if let Some(problem) = &object.complex_key {
        return Err(unprinted(problem.to_string()));
    }
    let config = canonical(&remembered).map_err(|error| unprinted(error.to_string()))?;
    configure(&config, target)
        .map_err(|error| error.wrap(format_args!("plugin {} fails configuration", id())))
}

/// The record of what a plugin does.
fn record(object: &Resource, target: &Target<'_, '_>) -> Option<Node> {
    if !target.context.tracking.get().enabled {
        return None;
    }
    Some(origin::plugin_record(object.origin.as_deref()?, &object.node))
}
