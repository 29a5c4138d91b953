//! `validators`: plugins that may look at the objects but not change them.

use std::collections::{HashMap, HashSet};

use millrace_yaml::Node;

use super::transformers;
use crate::error::{BuildError, Result};
use crate::resource::{Collection, Id, IdKey, Names, Resource, with_history};
use crate::syntax;
use crate::target::Target;

/// The one label that a validator may leave behind.
const VALIDATED_BY: &str = "validated-by";

/// Runs the validators of a target.
pub(crate) fn run(target: &Target<'_, '_>, collection: &mut Collection) -> Result<()> {
    let entries = target.kustomization().validators.as_deref().unwrap_or_default();
    let names = &target.context.names;
    for validator in transformers(entries, target)? {
        let before = snapshot(collection, names, std::convert::identity);
        let ids: Vec<Id> = collection.iter().map(Resource::id).collect();
        validator.plugin.run(collection, target.context)?;
        let after = snapshot(collection, names, without_label);
        let mut counts: HashMap<IdKey, usize> = HashMap::new();
        for id in collection.iter().filter(|resource| !resource.deleted).map(|resource| resource.id().key()) {
            *counts.entry(id).or_default() += 1;
        }
        // What shares its id with another object cannot be compared.
        let is_shared = |id: &Id| counts.get(&id.key()).is_some_and(|count| *count > 1);
        let relabelled = relabelled(collection);
        let changed =
            |id: &Id| relabelled.contains(&id.key()) || before.get(&id.key()) != after.get(&id.key());
        let first = ids.iter().find(|id| is_shared(id) || changed(id));
        if first.is_none() && before == after {
            continue;
        }
        let what = match first.map(|id| (id, counts.get(&id.key()).copied().unwrap_or_default())) {
            Some((id, 0)) => format!("id in self missing from other; id: {}", id.text(names)),
            Some((id, 1)) => unequal(*id, &before, &after, names),
            Some((id, count)) => format!("id in self matches {count} in other; id: {}", id.text(names)),
            None => "lists have different number of entries".to_owned(),
        };
        return Err(BuildError::new(format!("validator shouldn't modify the resource map: {what}")));
    }
    Ok(())
}

/// The objects that have other labels beside the one that a validator may leave behind.
///
/// The reference takes that one away to compare, which writes the others anew, and what is written anew is not the same.
fn relabelled(collection: &Collection) -> HashSet<IdKey> {
    let is_relabelled = |resource: &&Resource| {
        let labels = resource.node.at(&["metadata", "labels"]).and_then(Node::as_map);
        labels.is_some_and(|labels| labels.len() > 1 && labels.contains_key(VALIDATED_BY))
    };
    let present = collection.iter().filter(|resource| !resource.deleted);
    present.filter(is_relabelled).map(|resource| resource.id().key()).collect()
}

/// The objects by id.
type Snapshot = HashMap<IdKey, Node>;

/// What a changed object was and is; of a Secret, which one it is.
fn unequal(id: Id, before: &Snapshot, after: &Snapshot, names: &Names) -> String {
    let shown = |snapshot: &Snapshot| snapshot.get(&id.key()).map(syntax::print_json).unwrap_or_default();
    if names.is(id.gvk.kind, "Secret") {
        return format!("nodes unequal: {}", id.text(names));
    }
    format!("nodes unequal: \n -- {},\n -- {}", shown(before), shown(after))
}

fn snapshot(collection: &Collection, names: &Names, change: fn(Node) -> Node) -> Snapshot {
    let present = collection.iter().filter(|resource| !resource.deleted);
    present.map(|resource| (resource.id().key(), change(with_history(resource, names)))).collect()
}

/// An object without the label that a validator may leave behind.
fn without_label(mut node: Node) -> Node {
    if let Some(Node::Map(labels)) = node.at_mut(&["metadata", "labels"])
        && labels.remove(VALIDATED_BY).is_some()
        && labels.is_empty()
    {
        node.at_mut(&["metadata"]).and_then(Node::as_map_mut).map(|metadata| metadata.remove("labels"));
    }
    node
}
