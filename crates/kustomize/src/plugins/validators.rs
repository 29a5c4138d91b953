//! `validators`: plugins that may look at the objects but not change them.

use std::collections::HashMap;

use millrace_yaml::Node;

use super::transformers;
use crate::error::{BuildError, Result};
use crate::resource::{Collection, Id, IdKey, Resource};
use crate::target::Target;

/// The one label that a validator may leave behind.
const VALIDATED_BY: &str = "validated-by";

/// Runs the validators of a target.
pub(crate) fn run(target: &Target<'_, '_>, collection: &mut Collection) -> Result<()> {
    let entries = target.kustomization().validators.as_deref().unwrap_or_default();
    let names = &target.context.names;
    for validator in transformers(entries, target)? {
        let before = snapshot(collection);
        let ids: Vec<Id> = collection.iter().map(Resource::id).collect();
        validator.plugin.run(collection, target.context)?;
        let after = snapshot(collection);
        let mut counts: HashMap<IdKey, usize> = HashMap::new();
        for id in collection.iter().filter(|resource| !resource.deleted).map(|resource| resource.id().key()) {
            *counts.entry(id).or_default() += 1;
        }
        // What shares its id with another object cannot be compared.
        let is_shared = |id: &Id| counts.get(&id.key()).is_some_and(|count| *count > 1);
        let changed = |id: &Id| before.get(&id.key()) != after.get(&id.key());
        let first = ids.iter().find(|id| is_shared(id) || changed(id));
        if first.is_none() && before == after {
            continue;
        }
        let what = match first.map(|id| (id, counts.get(&id.key()).copied().unwrap_or_default())) {
            Some((id, 0)) => format!("id in self missing from other; id: {}", id.text(names)),
            Some((id, 1)) => format!("nodes unequal: {}", id.text(names)),
            Some((id, count)) => format!("id in self matches {count} in other; id: {}", id.text(names)),
            None => "lists have different number of entries".to_owned(),
        };
        return Err(BuildError::new(format!("validator shouldn't modify the resource map: {what}")));
    }
    Ok(())
}

fn snapshot(collection: &Collection) -> HashMap<IdKey, Node> {
    let without_label = |node: &Node| {
        let mut node = node.clone();
        if let Some(Node::Map(labels)) = node.at_mut(&["metadata", "labels"]) {
            labels.remove(VALIDATED_BY);
            if labels.is_empty() {
                node.at_mut(&["metadata"])
                    .and_then(Node::as_map_mut)
                    .map(|metadata| metadata.remove("labels"));
            }
        }
        node
    };
    let present = collection.iter().filter(|resource| !resource.deleted);
    present.map(|resource| (resource.id().key(), without_label(&resource.node))).collect()
}
