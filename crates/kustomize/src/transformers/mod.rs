//! The built-in steps over a target's objects.
//!
//! Contract: kustomize-build §2.2, §3.

mod common_annotations;
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
use crate::plugins;
use crate::replacements;
use crate::resource::{Collection, Step};
use crate::tables::Tables;
use crate::target::{Gathered, Target};

pub(crate) use images::set_image;
pub(crate) use labels::set_entries;
pub(crate) use namespace::{Subjects, set_namespace, set_namespace_of};
pub(crate) use patches::{apply_json_patch, apply_patch, apply_strategic_patches};
pub(crate) use prefix::{add_prefix, add_suffix};
pub(crate) use replicas::set_replicas;

/// A configured step.
pub(crate) trait Transform {
    /// Changes the objects.
    fn run(&self, collection: &mut Collection, context: &Context<'_>) -> Result<()>;
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

/// Configures all steps of a target, plugins included, then runs them.
pub(crate) fn run(target: &Target<'_, '_>, gathered: &mut Gathered) -> Result<()> {
    let mut steps: Vec<(Box<dyn Transform>, Option<Node>)> = Vec::new();
    let tracked = target.context.tracking.get().enabled;
    let tables = gathered.tables.clone().unwrap_or_else(|| Rc::clone(&target.context.builtin_tables));
    for (kind, configure) in ORDER {
        for step in configure(target, &tables)? {
            steps.push((step, tracked.then(|| target.origin().configured_by(target.file_name, kind))));
        }
    }
    let entries = target.kustomization().transformers.as_deref().unwrap_or_default();
    steps.extend(plugins::transformers(entries, target)?.into_iter().map(|step| (step.plugin, step.record)));
    let Gathered { collection, .. } = gathered;
    for (step, record) in steps {
        let context = target.context;
        // Steps remember what objects were called, and go through all of them.
        let outcome = context.make(collection.len().saturating_mul(STEP_BYTES)).map_err(BuildError::limit);
        context.within_limits(outcome)?;
        context.within_limits(step.run(collection, context))?;
        if let Some(record) = record {
            note(record, collection);
        }
        collection.drop_deleted();
    }
    Ok(())
}

/// Notes a step on every object that is there; it is the origin of those that have none.
fn note(record: Node, collection: &mut Collection) {
    let text: Rc<str> = crate::syntax::print(&record).into();
    let record = Rc::new(record);
    let annotations = [Step::Key("metadata".into()), Step::Key("annotations".into())];
    for resource in collection.iter_mut_keeping_ids() {
        // The reference writes the annotations anew for each record, which ends what they share with other places.
        annotations::rebuild(&mut resource.node, |_| true);
        resource.links.part(&annotations);
        if resource.origin.is_none() {
            resource.origin = Some(Rc::clone(&text));
        } else {
            resource.transformations.push(Rc::clone(&record));
        }
    }
}
