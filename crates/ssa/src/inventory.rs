//! What a Kustomization owns in the cluster.

use std::collections::HashSet;

use crate::id::{ObjectId, ObjectIdError};
use crate::order::apply_order;

/// One object of an inventory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Which object.
    pub id: ObjectId,
    /// The API version it was applied with, without the group; no part of the identity.
    pub version: String,
}

/// Objects in the order they were applied; each stands once.
///
/// Contract: kustomize-controller §1.4.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    entries: Vec<Entry>,
}

/// Objects that garbage collection may delete, in the order to delete them. Only [`stale_objects`] makes one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StaleObjects(Vec<Entry>);

impl Inventory {
    /// Reads the `id` and `v` of stored entries; one bad id fails all.
    pub fn parse<'a>(stored: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, ObjectIdError> {
        stored
            .into_iter()
            .map(|(id, version)| Ok(Entry { id: id.parse()?, version: version.to_owned() }))
            .collect()
    }

    /// The entries in order; an id's stored form is its `Display`.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether nothing is owned.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether everything in `other` is owned, in whatever version.
    pub fn covers(&self, other: &Self) -> bool {
        let known: HashSet<&ObjectId> = self.entries.iter().map(|entry| &entry.id).collect();
        other.entries.iter().all(|entry| known.contains(&entry.id))
    }

    /// This and what `other` adds to it, for the ledger: objects of `other` take its version, and stand behind.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let known: HashSet<&ObjectId> = other.entries.iter().map(|entry| &entry.id).collect();
        let own = self.entries.iter().filter(|entry| !known.contains(&entry.id));
        Self { entries: own.chain(&other.entries).cloned().collect() }
    }
}

impl FromIterator<Entry> for Inventory {
    /// Collects entries; the first of equal ids stays.
    fn from_iter<I: IntoIterator<Item = Entry>>(entries: I) -> Self {
        let mut seen = HashSet::new();
        Self { entries: entries.into_iter().filter(|entry| seen.insert(entry.id.clone())).collect() }
    }
}

impl StaleObjects {
    /// The objects in the order to delete them.
    pub fn entries(&self) -> &[Entry] {
        &self.0
    }

    /// Whether there is nothing to delete.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Everything in `inventory`: what the end of its owner leaves behind.
    ///
    /// Contract: kustomize-controller §5.3.
    pub fn all(inventory: &Inventory) -> Self {
        stale_objects(inventory, &Inventory::default())
    }
}

/// Returns what garbage collection may delete: objects in `previous` that `applied` lacks.
///
/// Compares by [`ObjectId`], so an API version change alone deletes nothing. Reverse apply order.
///
/// Contract: kustomize-controller §5.1, §5.2.
pub fn stale_objects(previous: &Inventory, applied: &Inventory) -> StaleObjects {
    let kept: HashSet<&ObjectId> = applied.entries.iter().map(|entry| &entry.id).collect();
    let mut stale: Vec<Entry> =
        previous.entries.iter().filter(|entry| !kept.contains(&entry.id)).cloned().collect();
    stale.sort_by(|left, right| apply_order(&right.id, &left.id));
    StaleObjects(stale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inventory(ids: &[(&str, &str)]) -> Inventory {
        Inventory::parse(ids.iter().copied()).expect("valid ids")
    }

    // KC-082: the version is no part of the identity.
    #[test]
    fn a_new_api_version_of_an_object_makes_nothing_stale() {
        let old = inventory(&[("ns_h_autoscaling_HorizontalPodAutoscaler", "v1")]);
        let new = inventory(&[("ns_h_autoscaling_HorizontalPodAutoscaler", "v2")]);
        assert!(stale_objects(&old, &new).is_empty());
        assert_eq!(old.union(&new), new);
        assert!(old.covers(&new) && !old.covers(&inventory(&[("ns_h__ConfigMap", "v1")])));
    }

    #[test]
    fn stale_objects_come_in_reverse_apply_order_with_their_old_version() {
        let old = inventory(&[
            ("_apps__Namespace", "v1"),
            ("apps_a__ConfigMap", "v1"),
            ("apps_b__ConfigMap", "v1"),
            ("apps_w_apps_Deployment", "v1"),
            ("apps_h_example.com_Widget", "v1beta1"),
        ]);
        let new = inventory(&[("apps_b__ConfigMap", "v1")]);
        let stale = stale_objects(&old, &new);
        let order: Vec<String> = stale.entries().iter().map(|entry| entry.id.to_string()).collect();
        assert_eq!(
            order,
            ["apps_h_example.com_Widget", "apps_w_apps_Deployment", "apps_a__ConfigMap", "_apps__Namespace"]
        );
        assert_eq!(stale.entries()[0].version, "v1beta1");
    }

    #[test]
    fn an_id_stands_once() {
        let both = inventory(&[("n_a__ConfigMap", "v1"), ("n_a__ConfigMap", "v1")]);
        assert_eq!(both.len(), 1);
    }
}
