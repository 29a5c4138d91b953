//! The objects that may be referred to, found by what they were called.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use crate::resource::{Collection, Id, Name};

/// The renamed objects of a collection, and which namespaces the objects came from.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    by_previous_name: HashMap<Name, Vec<usize>>,
    /// The original effective namespaces of the objects in each current effective namespace.
    origins: HashMap<Name, HashSet<Name>>,
    /// The same, for the namespace as it is written.
    origins_by_text: HashMap<Name, HashSet<Name>>,
    /// Which objects were found to be referred to, and by which.
    referred: RefCell<Vec<(usize, Id)>>,
}

impl Candidates {
    pub(super) fn of(collection: &Collection) -> Self {
        let mut candidates = Self::default();
        for (index, resource) in collection.iter().enumerate() {
            for previous in resource.previous() {
                let found = candidates.by_previous_name.entry(previous.name).or_default();
                if found.last() != Some(&index) {
                    found.push(index);
                }
            }
            let original = resource.original_id().effective_namespace();
            let current = resource.id();
            if original != Name::NO_NAMESPACE {
                candidates.origins.entry(current.effective_namespace()).or_default().insert(original);
                candidates.origins_by_text.entry(current.namespace).or_default().insert(original);
            }
        }
        candidates
    }

    /// Notes that an object is referred to.
    pub(super) fn note(&self, index: usize, referrer: Id) {
        self.referred.borrow_mut().push((index, referrer));
    }

    /// How many notes there are.
    pub(super) fn noted(&self) -> usize {
        self.referred.borrow().len()
    }

    /// Forgets all notes but the first ones.
    pub(super) fn keep_notes(&self, count: usize) {
        self.referred.borrow_mut().truncate(count);
    }

    /// The objects that refer to one, as far as they were found.
    pub(super) fn referrers_of(&self, index: usize) -> Vec<Id> {
        self.referred
            .borrow()
            .iter()
            .filter(|(referred, _)| *referred == index)
            .map(|(_, referrer)| *referrer)
            .collect()
    }

    /// Which objects were found to be referred to, and by which.
    pub(super) fn into_referred(self) -> Vec<(usize, Id)> {
        self.referred.into_inner()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_previous_name.is_empty()
    }

    /// The objects that were once called `name`, in order.
    pub(super) fn called(&self, name: Name) -> &[usize] {
        self.by_previous_name.get(&name).map_or(&[], Vec::as_slice)
    }

    /// Whether any object of a current namespace came from `original`.
    pub(super) fn came_from(&self, current: Name, original: Name) -> bool {
        self.origins.get(&current).is_some_and(|origins| origins.contains(&original))
    }

    /// Whether any object that states a current namespace came from `original`.
    pub(super) fn stating_came_from(&self, current: Name, original: Name) -> bool {
        self.origins_by_text.get(&current).is_some_and(|origins| origins.contains(&original))
    }

    /// Whether any object at all came from `original`.
    pub(super) fn any_came_from(&self, original: Name) -> bool {
        self.origins.values().any(|origins| origins.contains(&original))
    }
}
