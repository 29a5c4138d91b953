//! The built-in steps over a target's objects.
//!
//! Contract: kustomize-build §2.2, §3.

mod common_annotations;
mod image_name;
mod images;
mod labels;
mod namespace;
mod patches;
mod prefix;
mod replicas;

use std::rc::Rc;

use millrace_yaml::Node;

use crate::annotations;
use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::fields::wrong_kind;
use crate::hints::{Draft, Key};
use crate::plugins;
use crate::replacements;
use crate::resource::{Collection, Step};
use crate::tables::Tables;
use crate::target::{Gathered, Target};

pub(crate) use images::{CONTAINER_LISTS, set_image};
pub(crate) use labels::set_entries;
pub(crate) use namespace::{Subjects, set_namespace, set_namespace_of};
pub(crate) use patches::{apply_json_patch, apply_patch, apply_strategic_patches};
pub(crate) use prefix::{add_prefix, add_suffix};
pub(crate) use replicas::set_replicas;

/// A configured step.
pub(crate) trait Transform {
    /// Changes the objects.
    fn run(&self, collection: &mut Collection, context: &Context<'_>) -> Result<()>;

    /// Why the step cannot run on these objects, where a step before it failed and did not change them.
    fn misses(&self, _: &mut Collection, _: &Context<'_>) -> Vec<BuildError> {
        Vec::new()
    }
}

pub(crate) type Steps = Vec<Box<dyn Transform>>;
/// How a kind of steps is configured; some kinds cannot fail, but all share one signature.
type Configure = fn(&Target<'_, '_>, &Tables) -> Result<Steps>;

/// All kinds of steps in the order in which they run, under the names that are recorded for them.
const ORDER: &[(&str, Configure)] = &[
    ("PatchStrategicMergeTransformer", patches::configure_strategic),
    ("PatchTransformer", patches::configure),
    ("NamespaceTransformer", namespace::configure),
    ("PrefixTransformer", prefix::configure_prefix),
    ("SuffixTransformer", prefix::configure_suffix),
    ("LabelTransformer", labels::configure),
    ("AnnotationsTransformer", common_annotations::configure),
    ("PatchJson6902Transformer", patches::configure_json6902),
    ("ReplicaCountTransformer", replicas::configure),
    ("ImageTagTransformer", images::configure),
    ("ReplacementTransformer", replacements::configure),
];

/// What a step counts as for each object it looks at.
const STEP_BYTES: usize = 32;
/// Steps behind one that failed that are looked at for errors of their own.
const MAX_CHECKED: usize = 200;
/// Errors of such steps that are told.
pub(crate) const MAX_MISSED: usize = 20;

/// Configures all steps of a target, plugins included, then runs them.
pub(crate) fn run(target: &Target<'_, '_>, gathered: &mut Gathered) -> Result<()> {
    let mut steps: Vec<Configured> = Vec::new();
    let tracked = target.context.tracking.get().enabled;
    let tables = gathered.tables.clone().unwrap_or_else(|| Rc::clone(&target.context.builtin_tables));
    for (kind, configure) in ORDER {
        for (index, step) in configure(target, &tables)?.into_iter().enumerate() {
            let record = tracked.then(|| target.origin().configured_by(target.file_name, kind));
            steps.push(Configured { step, record, stated: Some((kind, index)) });
        }
    }
    let entries = target.kustomization().transformers.as_deref().unwrap_or_default();
    let plugins = plugins::transformers(entries, target)?.into_iter();
    steps.extend(plugins.map(|step| Configured { step: step.plugin, record: step.record, stated: None }));
    let Gathered { collection, .. } = gathered;
    let mut steps = steps.into_iter();
    while let Some(Configured { step, record, stated }) = steps.next() {
        let context = target.context;
        // Steps remember what objects were called, and go through all of them.
        let outcome = context.make(collection.len().saturating_mul(STEP_BYTES)).map_err(BuildError::limit);
        context.within_limits(outcome)?;
        if let Err(error) = context.within_limits(step.run(collection, context)) {
            let error = told(error, stated, target);
            return Err(with_misses(error, steps.as_slice(), collection, target));
        }
        if let Some(record) = record {
            note(record, collection)?;
        }
        collection.drop_deleted();
    }
    Ok(())
}

/// A step with the record of it, the kind of steps it is of, and which of these.
struct Configured {
    step: Box<dyn Transform>,
    record: Option<Node>,
    stated: Option<(&'static str, usize)>,
}

/// The place of the entry that states a step.
fn place((kind, index): (&str, usize), target: &Target<'_, '_>) -> Option<Draft> {
    let (field, of_list) = match kind {
        "PatchTransformer" => ("patches", true),
        "PatchJson6902Transformer" => ("patchesJson6902", true),
        "ReplicaCountTransformer" => ("replicas", true),
        "PatchStrategicMergeTransformer" => ("patchesStrategicMerge", false),
        "NamespaceTransformer" => ("namespace", false),
        _ => return None,
    };
    let mut way = vec![Key::name(field)];
    way.extend(of_list.then_some(Key::Item(index)));
    Some(Draft::field(&target.file(), way, None))
}

/// The error of a step with the place of its entry.
fn told(error: BuildError, stated: Option<(&str, usize)>, target: &Target<'_, '_>) -> BuildError {
    let Some(place) = stated.and_then(|stated| place(stated, target)) else { return error };
    let error = if error.drafts().is_empty() { error.with_hint("this entry is what fails") } else { error };
    error.with_hints_at(&place)
}

/// An error with what is wrong with the patches after the step that failed.
fn with_misses(
    error: BuildError,
    rest: &[Configured],
    collection: &mut Collection,
    target: &Target<'_, '_>,
) -> BuildError {
    if !error.is_input() || collection.iter().any(|resource| resource.deleted) {
        return error;
    }
    let mut error = error;
    for Configured { step, stated, .. } in rest.iter().take(MAX_CHECKED) {
        if target.context.check().is_err() {
            return error;
        }
        for missed in step.misses(collection, target.context) {
            if error.other_drafts().len() >= MAX_MISSED {
                return error;
            }
            if let [draft, ..] = told(missed, *stated, target).drafts() {
                error = error.with_other(draft.clone());
            }
        }
    }
    error
}

/// Notes a step on every object that is there; it is the origin of those that have none.
fn note(record: Node, collection: &mut Collection) -> Result<()> {
    let text: Rc<str> = crate::syntax::print_wide(&record).into();
    let record = Rc::new(record);
    let annotations = [Step::Key("metadata".into()), Step::Key("annotations".into())];
    for resource in collection.iter_mut_keeping_ids() {
        match resource.node.get("metadata") {
            // What is written into a null is lost.
            Some(metadata) if metadata.is_null() => continue,
            Some(Node::Map(_)) | None => {}
            Some(other) => return Err(BuildError::new(wrong_kind("MappingNode", other).text)),
        }
        // The reference writes the annotations anew for each record, which ends what they share with other places.
        annotations::rebuild(&mut resource.node, |_| true).map_err(|fault| BuildError::new(fault.text))?;
        resource.links.part(&annotations);
        if resource.origin.is_none() {
            resource.origin = Some(Rc::clone(&text));
        } else {
            resource.transformations.push(Rc::clone(&record));
        }
    }
    Ok(())
}
