//! The objects of a layer, in order, found by id.

use std::collections::{HashMap, HashSet};

use super::id::{Id, IdKey};
use super::names::Names;
use super::object::Resource;
use crate::error::{BuildError, Result};
use crate::hints::Draft;

/// The objects of a layer in the order they were gathered.
///
/// Ids are unique only where something is appended; renames may collide in between.
#[derive(Debug, Default)]
pub(crate) struct Collection {
    resources: Vec<Resource>,
    /// How many objects have a current id; valid unless `stale`.
    current: HashMap<IdKey, u32>,
    /// The objects that have or had an id, in order; valid unless `stale`. Many builds never ask.
    any: HashMap<IdKey, Vec<u32>>,
    /// How many of the objects, from the first on, `any` knows.
    any_knows: usize,
    stale: bool,
}

impl Collection {
    /// The objects.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Resource> {
        self.resources.iter()
    }

    /// The objects, to change; the ids are indexed anew at the next look-up.
    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, Resource> {
        self.stale = true;
        self.resources.iter_mut()
    }

    /// Changes the objects in ways that leave what they were called before as it is; the ids are indexed anew only where one is
    /// called otherwise then.
    pub(crate) fn change_all<E>(
        &mut self,
        mut change: impl FnMut(&mut Resource) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        self.resources.iter_mut().try_for_each(|resource| {
            let before = resource.id();
            let outcome = change(resource);
            self.stale |= resource.id() != before;
            outcome
        })
    }

    /// The objects, to change in ways that leave every id as it is.
    pub(crate) fn iter_mut_keeping_ids(&mut self) -> std::slice::IterMut<'_, Resource> {
        self.resources.iter_mut()
    }

    pub(crate) fn len(&self) -> usize {
        self.resources.len()
    }

    pub(crate) fn get(&self, index: usize) -> &Resource {
        &self.resources[index]
    }

    /// One object, to change in ways that leave its ids as they are.
    pub(crate) fn get_mut_keeping_ids(&mut self, index: usize) -> &mut Resource {
        &mut self.resources[index]
    }

    /// Changes one object; the ids are indexed anew only where it has other ones then, or goes.
    pub(crate) fn change<T>(&mut self, index: usize, change: impl FnOnce(&mut Resource) -> T) -> T {
        let resource = &mut self.resources[index];
        let before: Vec<IdKey> = resource.any_keys().collect();
        let outcome = change(resource);
        self.stale |= resource.deleted || !resource.any_keys().eq(before);
        outcome
    }

    pub(crate) fn get_mut(&mut self, index: usize) -> &mut Resource {
        self.stale = true;
        &mut self.resources[index]
    }

    /// Makes room for more objects at once, instead of bit by bit.
    pub(crate) fn reserve(&mut self, more: usize) {
        self.resources.reserve(more);
        self.current.reserve(more);
    }

    /// Adds an object whose current id no other may have.
    pub(crate) fn append(&mut self, resource: Resource, names: &Names) -> Result<()> {
        self.index();
        let id = resource.id();
        let count = self.current.entry(id.key()).or_default();
        if *count > 0 {
            return Err(self.clash(id, &resource, names));
        }
        *count += 1;
        self.resources.push(resource);
        Ok(())
    }

    /// Adds all of another collection.
    pub(crate) fn append_all(&mut self, other: Self, names: &Names) -> Result<()> {
        if self.resources.is_empty() && !other.stale && other.current.values().all(|count| *count < 2) {
            *self = other;
            return Ok(());
        }
        self.reserve(other.resources.len());
        other.resources.into_iter().try_for_each(|resource| self.append(resource, names))
    }

    /// Fails where two objects have the same id.
    pub(crate) fn check_ids(&mut self, names: &Names) -> Result<()> {
        self.index();
        let live = |resource: &&Resource| !resource.deleted;
        if self.current.values().all(|count| *count < 2) {
            return Ok(());
        }
        let mut seen = HashSet::new();
        match self.resources.iter().filter(live).find(|resource| !seen.insert(resource.id().key())) {
            Some(resource) => Err(self.clash(resource.id(), resource, names)),
            None => Ok(()),
        }
    }

    /// The objects that have or had an id.
    pub(crate) fn with_any_id(&mut self, id: Id) -> Vec<usize> {
        self.index();
        self.index_any();
        self.any
            .get(&id.key())
            .map(|found| found.iter().map(|index| *index as usize).collect())
            .unwrap_or_default()
    }

    /// These objects, and all others that are called now as one of them is.
    pub(crate) fn with_ids_of(&mut self, selected: &[usize]) -> Vec<usize> {
        self.index();
        let ids: HashSet<Id> = selected.iter().map(|index| self.resources[*index].id()).collect();
        let is_shared = |id: &Id| self.current.get(&id.key()).is_some_and(|count| *count > 1);
        if !ids.iter().any(is_shared) {
            return selected.to_vec();
        }
        let live = self.resources.iter().enumerate().filter(|(_, resource)| !resource.deleted);
        live.filter(|(_, resource)| ids.contains(&resource.id())).map(|(index, _)| index).collect()
    }

    /// Puts an object in the place of another.
    pub(crate) fn replace(&mut self, index: usize, resource: Resource) {
        self.stale = true;
        self.resources[index] = resource;
    }

    /// Drops the objects that a step took away.
    pub(crate) fn drop_deleted(&mut self) {
        if self.resources.iter().any(|resource| resource.deleted) {
            self.retain(|resource| !resource.deleted);
        }
    }

    pub(crate) fn retain(&mut self, keep: impl FnMut(&Resource) -> bool) {
        self.resources.retain(keep);
        self.stale = true;
    }

    /// The objects, taken out.
    pub(crate) fn into_resources(self) -> Vec<Resource> {
        self.resources
    }

    fn index(&mut self) {
        if !self.stale {
            return;
        }
        self.current.clear();
        self.any.clear();
        self.any_knows = 0;
        for resource in &self.resources {
            *self.current.entry(resource.id().key()).or_default() += 1;
        }
        self.stale = false;
    }

    /// Takes the objects into `any` that came since it was asked last.
    fn index_any(&mut self) {
        for (index, resource) in self.resources.iter().enumerate().skip(self.any_knows) {
            let index = u32::try_from(index).expect("the resource limit is below 2^32");
            for key in resource.any_keys() {
                push_once(self.any.entry(key).or_default(), index);
            }
        }
        self.any_knows = self.resources.len();
    }

    fn clash(&self, id: Id, resource: &Resource, names: &Names) -> BuildError {
        let error = BuildError::new(format!(
            "may not add resource with an already registered id: {}",
            id.text(names)
        ));
        let other = self.resources.iter().find(|other| other.id().key() == id.key());
        match other {
            Some(first) if !first.file.is_empty() && !resource.file.is_empty() => {
                let all = self.resources.iter();
                // One that is to be added is not among them.
                let known = all.clone().any(|other| std::ptr::eq(other, resource));
                let taken = |file| all.filter(|other| other.file == file).count() + usize::from(!known);
                error.with_hint(Draft::from("the object stands at ").and_both(first, resource, taken, names))
            }
            Some(_) | None => error,
        }
    }
}

fn push_once(indexes: &mut Vec<u32>, index: u32) {
    if indexes.last() != Some(&index) {
        indexes.push(index);
    }
}
