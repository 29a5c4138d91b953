//! The final form of the objects.
//!
//! Contract: kustomize-build §2.7, §2.8, §6.5.

use millrace_yaml::read::ReadError;
use millrace_yaml::{Node, canonicalize};

use crate::annotations::{self, ORIGIN, TRANSFORMATIONS};
use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::go;
use crate::origin::Tracking;
use crate::resource::{Collection, Resource};
use crate::syntax;

/// Removes what is only the build's own and brings every object into its final form.
pub(crate) fn finish(collection: Collection, context: &Context<'_>) -> Result<Vec<Node>> {
    let tracking = context.tracking.get();
    collection.into_resources().into_iter().map(|resource| finish_one(resource, tracking, context)).collect()
}

fn finish_one(mut resource: Resource, tracking: Tracking, context: &Context<'_>) -> Result<Node> {
    annotations::rebuild(&mut resource.node, |key| match key {
        ORIGIN => tracking.origin,
        TRANSFORMATIONS => tracking.transformations,
        _ => !annotations::is_internal(key),
    });
    annotate(&mut resource, tracking);
    let failed = match (&resource.duplicates, canonicalize(&mut resource.node)) {
        (Some(duplicates), _) => format!("map[string]interface {{}}(nil): {}", ReadError::duplicates(duplicates)),
        (None, Ok(())) => return Ok(resource.node),
        (None, Err(error)) => format!("{}: {error}", go::dump(&resource.node)),
    };
    let id = resource.id().text(&context.names);
    let file = context.names.text(resource.file);
    let place = if file.is_empty() { String::new() } else { format!(" from {file}") };
    Err(BuildError::new(failed).with_hint(format!("the object is {id}{place}")))
}

/// Writes what was tracked.
fn annotate(resource: &mut Resource, tracking: Tracking) {
    let origin = resource.origin.take().filter(|_| tracking.origin);
    let steps = Some(std::mem::take(&mut resource.transformations)).filter(|steps| tracking.transformations && !steps.is_empty());
    if origin.is_none() && steps.is_none() {
        return;
    }
    let Some(annotations) = resource.node.map_at_mut(&["metadata", "annotations"]) else { return };
    if let Some(origin) = origin {
        annotations.insert(ORIGIN, Node::string(&*origin));
    }
    if let Some(steps) = steps {
        let list = Node::list(steps.iter().map(|step| Node::clone(step)).collect());
        annotations.insert(TRANSFORMATIONS, Node::string(syntax::print(&list)));
    }
}
