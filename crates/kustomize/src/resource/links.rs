//! Places of an object that share one scalar.
//!
//! A label or annotation that one step adds to several places of an object stays one value: whatever later changes it in
//! one place changes it in all (contract: kustomize-build §3.6). The tree holds values, so the sharing is kept beside it.

use std::collections::BTreeSet;
use std::convert::Infallible;

use millrace_yaml::{Node, Scalar};

/// The way to a value.
pub(crate) type Place = Vec<Step>;

/// One step of the way to a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    /// Into the value of a key.
    Key(Box<str>),
    /// Into an item.
    Item(usize),
}

/// The groups of places that share a scalar.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    groups: Vec<Group>,
    /// Places below which sharing has ended. What is below them leaves its group before the groups are looked at again, in
    /// one pass for all of them.
    parted: BTreeSet<Place>,
    /// At least the places of all groups, if it was asked for them since the last group came.
    members: BTreeSet<Place>,
    /// Whether the scalar of a group has changed in one of its places since they were settled.
    is_changed: bool,
}

#[derive(Clone, Debug)]
struct Group {
    value: Scalar,
    places: Vec<Place>,
}

impl Group {
    /// Whether a step made it that adds one key: all places end in it.
    fn is_of(&self, key: &str) -> bool {
        let last = self.places.first().and_then(|place| place.last());
        matches!(last, Some(Step::Key(last)) if **last == *key)
    }
}

impl Links {
    /// Remembers that one step added `value` to all of `places`, each of which ends in one key.
    pub(crate) fn join(&mut self, value: Scalar, places: Vec<Place>) {
        if places.len() > 1 {
            self.leave();
            self.groups.push(Group { value, places });
            self.members.clear();
        }
    }

    /// Whether nothing is shared.
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// How many places share a scalar with others.
    pub(crate) fn count(&self) -> usize {
        self.groups.iter().map(|group| group.places.len()).sum()
    }

    /// Whether the scalar at `place` is shared. It may also have been until the places were last settled.
    pub(crate) fn has(&mut self, place: &[Step]) -> bool {
        if self.members.is_empty() {
            self.members = self.groups.iter().flat_map(|group| &group.places).cloned().collect();
        }
        self.members.contains(place)
    }

    /// Notes that the scalar of a group has changed in one of its places.
    pub(crate) fn note_change(&mut self) {
        self.is_changed = !self.is_empty();
    }

    /// Whether such a change was noted since the places were settled.
    pub(crate) fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// Ends all sharing.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Ends the sharing of everything below `place`.
    pub(crate) fn part(&mut self, place: &[Step]) {
        if !self.is_empty() {
            self.parted.insert(place.to_vec());
        }
    }

    /// Takes what is below parted places out of the groups.
    fn leave(&mut self) {
        let parted = std::mem::take(&mut self.parted);
        if !parted.is_empty() {
            let is_parted = |place: &Place| (0..=place.len()).any(|length| parted.contains(&place[..length]));
            self.retain(|place| !is_parted(place));
        }
    }

    fn retain(&mut self, keeps: impl Fn(&Place) -> bool) {
        let Self { groups, members, .. } = self;
        for group in &mut *groups {
            group.places.retain(|place| {
                let is_kept = keeps(place);
                if !is_kept {
                    members.remove(place);
                }
                is_kept
            });
        }
        groups.retain(|group| group.places.len() > 1);
    }

    /// Carries what was written into one place of a group to the others, after a step.
    pub(crate) fn settle(&mut self, node: &mut Node) {
        let Ok(()) = self.settle_counted(node, None, |_| Ok::<_, Infallible>(()));
    }

    /// The same, of the groups that a key has made or of all; `make` counts the bytes before they are written.
    pub(crate) fn settle_counted<E>(
        &mut self,
        node: &mut Node,
        only: Option<&str>,
        make: impl Fn(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        self.leave();
        if only.is_none() {
            self.is_changed = false;
            self.retain(|place| scalar_at(node, place).is_some());
        }
        let is_meant = |group: &&mut Group| only.is_none_or(|key| group.is_of(key));
        for group in self.groups.iter_mut().filter(is_meant) {
            let scalars = || group.places.iter().filter_map(|place| scalar_at(node, place));
            let other_text = scalars().find(|scalar| scalar.text() != group.value.text());
            // Quotes are shared as well.
            let written = other_text.or_else(|| scalars().find(|scalar| **scalar != group.value));
            if let Some(written) = written.cloned() {
                make(written.text().len() * group.places.len())?;
                write(&written, &group.places, node);
                group.value = written;
            }
        }
        Ok(())
    }
}

/// Writes a scalar to all of these places.
pub(crate) fn write(value: &Scalar, places: &[Place], node: &mut Node) {
    for place in places {
        if let Some(target) = at_mut(node, place) {
            *target = Node::Scalar(value.clone());
        }
    }
}

fn scalar_at<'n>(node: &'n Node, place: &[Step]) -> Option<&'n Scalar> {
    place
        .iter()
        .try_fold(node, |node, step| match step {
            Step::Key(key) => node.get(key),
            Step::Item(index) => node.as_list()?.get(*index),
        })?
        .as_scalar()
}

fn at_mut<'n>(node: &'n mut Node, place: &[Step]) -> Option<&'n mut Node> {
    place.iter().try_fold(node, |node, step| match step {
        Step::Key(key) => node.get_mut(key),
        Step::Item(index) => node.as_list_mut()?.get_mut(*index),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes the text that `app` has in a map.
    fn set(node: &mut Node, field: &str, text: &str) {
        if let Some(map) = node.map_at_mut(&[field]) {
            map.insert("app", Node::string(text));
        }
    }

    #[test]
    fn a_value_written_in_one_place_reaches_the_others() {
        let mut node = Node::map();
        for field in ["a", "b"] {
            set(&mut node, field, "x");
        }
        let place = |field: &str| vec![Step::Key(field.into()), Step::Key("app".into())];
        let mut links = Links::default();
        links.join(Scalar::string("x"), vec![place("a"), place("b")]);
        set(&mut node, "b", "y");
        links.settle(&mut node);
        assert_eq!(node.str_at(&["a", "app"]), Some("y"));

        assert!(links.has(&place("b")) && !links.has(&[Step::Key("b".into())]));
        links.part(&[Step::Key("b".into())]);
        set(&mut node, "b", "z");
        links.settle(&mut node);
        assert_eq!(node.str_at(&["a", "app"]), Some("y"));
        assert!(links.is_empty());
    }

    #[test]
    fn what_is_joined_after_a_place_was_parted_is_shared() {
        let mut node = Node::map();
        let fields = ["a", "b", "c"];
        for field in fields {
            set(&mut node, field, "x");
        }
        let places = || fields.map(|field| vec![Step::Key(field.into()), Step::Key("app".into())]);
        let mut links = Links::default();
        links.join(Scalar::string("x"), places().into());
        links.part(&[Step::Key("b".into())]);
        links.join(Scalar::string("x"), places()[1..].into());
        set(&mut node, "b", "y");
        links.settle(&mut node);
        assert_eq!(fields.map(|field| node.str_at(&[field, "app"])), ["x", "y", "y"].map(Some));
    }
}
