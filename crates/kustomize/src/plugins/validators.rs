//! `validators`: plugins that may look at the objects but not change them.

use std::collections::HashMap;

use millrace_yaml::Node;

use super::transformers;
use crate::error::{BuildError, Result};
use crate::resource::{Collection, IdKey};
use crate::target::Target;

/// The one label that a validator may leave behind.
const VALIDATED_BY: &str = "validated-by";

/// Runs the validators of a target.
pub(crate) fn run(target: &Target<'_, '_>, collection: &mut Collection) -> Result<()> {
    let entries = target.kustomization().validators.as_deref().unwrap_or_default();
    for validator in transformers(entries, target)? {
        let before = snapshot(collection);
        validator.plugin.run(collection, target.context)?;
        let after = snapshot(collection);
        if before != after {
            let changed = collection
                .iter()
                .find(|resource| before.get(&resource.id().key()) != after.get(&resource.id().key()));
            let id = changed.map_or_else(
                || "the number of objects".to_owned(),
                |changed| changed.id().text(&target.context.names),
            );
            return Err(BuildError::new(format!(
                "validator shouldn't modify the resource map: nodes unequal: {id}"
            )));
        }
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
    collection.iter().map(|resource| (resource.id().key(), without_label(&resource.node))).collect()
}
