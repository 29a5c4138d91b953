//! The built-in steps over a target's objects.
//!
//! Contract: kustomize-build §2.2, §3.

mod annotations;
mod images;
mod labels;
mod namespace;
mod patches;
mod prefix;
mod replicas;

use std::rc::Rc;

use crate::build::Context;
use crate::error::Result;
use crate::replacements;
use crate::resource::Collection;
use crate::tables::Tables;
use crate::target::{Gathered, Target};

/// A configured step.
pub(crate) trait Transform {
    /// Changes the objects.
    fn run(&self, collection: &mut Collection, context: &Context<'_>) -> Result<()>;
}

pub(crate) type Steps = Vec<Box<dyn Transform>>;
type Configure = fn(&Target<'_, '_>, &Tables) -> Result<Steps>;

/// All kinds of steps in the order in which they run, under the names that are recorded for them.
const ORDER: &[(&str, Configure)] = &[
    ("PatchStrategicMergeTransformer", patches::configure_strategic),
    ("PatchTransformer", patches::configure),
    ("NamespaceTransformer", namespace::configure),
    ("PrefixTransformer", prefix::configure_prefix),
    ("SuffixTransformer", prefix::configure_suffix),
    ("LabelTransformer", labels::configure),
    ("AnnotationsTransformer", annotations::configure),
    ("PatchJson6902Transformer", patches::configure_json6902),
    ("ReplicaCountTransformer", replicas::configure),
    ("ImageTagTransformer", images::configure),
    ("ReplacementTransformer", replacements::configure),
];

/// Configures all steps of a target, then runs them.
pub(crate) fn run(target: &Target<'_, '_>, gathered: &mut Gathered) -> Result<()> {
    let mut configured = Vec::new();
    for (kind, configure) in ORDER {
        for step in configure(target, &gathered.tables)? {
            configured.push((*kind, step));
        }
    }
    let Gathered { collection, .. } = gathered;
    for (kind, step) in configured {
        target.context.check()?;
        step.run(collection, target.context)?;
        if target.context.tracking.get().enabled {
            record(target, kind, collection);
        }
        collection.drop_deleted();
    }
    Ok(())
}

/// Notes a step on every object that is there; it is the origin of those that have none.
fn record(target: &Target<'_, '_>, kind: &str, collection: &mut Collection) {
    let record = target.origin().configured_by(target.file_name, kind);
    let text: Rc<str> = crate::syntax::print(&record).into();
    let record = Rc::new(record);
    for resource in collection.iter_mut_keeping_ids() {
        if resource.origin.is_none() {
            resource.origin = Some(Rc::clone(&text));
        } else {
            resource.transformations.push(Rc::clone(&record));
        }
    }
}
