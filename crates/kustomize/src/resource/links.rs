//! Places of an object that share one scalar.
//!
//! A label or annotation that one step adds to several places of an object stays one value: whatever later changes it in
//! one place changes it in all (contract: kustomize-build §3.6). The tree holds values, so the sharing is kept beside it.

use millrace_yaml::{Node, Scalar};

/// The way to a value.
pub(crate) type Place = Vec<Step>;

/// One step of the way to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
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
}

#[derive(Clone, Debug)]
struct Group {
    value: Scalar,
    places: Vec<Place>,
}

impl Links {
    /// Remembers that one step added `value` to all of `places`.
    pub(crate) fn join(&mut self, value: Scalar, places: Vec<Place>) {
        if places.len() > 1 {
            self.groups.push(Group { value, places });
        }
    }

    /// Ends all sharing.
    pub(crate) fn clear(&mut self) {
        self.groups.clear();
    }

    /// Ends the sharing of everything below `place`.
    pub(crate) fn part(&mut self, place: &[Step]) {
        for group in &mut self.groups {
            group.places.retain(|member| !member.starts_with(place));
        }
        self.groups.retain(|group| group.places.len() > 1);
    }

    /// Carries what was written into one place of a group to the others, after a step.
    pub(crate) fn settle(&mut self, node: &mut Node) {
        for group in &mut self.groups {
            group.places.retain(|place| scalar_at(node, place).is_some());
            let scalars = || group.places.iter().filter_map(|place| scalar_at(node, place));
            let other_text = scalars().find(|scalar| scalar.text() != group.value.text());
            // Quotes are shared as well.
            let written = other_text.or_else(|| scalars().find(|scalar| **scalar != group.value));
            if let Some(written) = written.cloned() {
                write(&written, &group.places, node);
                group.value = written;
            }
        }
        self.groups.retain(|group| group.places.len() > 1);
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

    #[test]
    fn a_value_written_in_one_place_reaches_the_others() {
        let mut node = Node::map();
        for field in ["a", "b"] {
            node.map_at_mut(&[field]).unwrap().insert("app", Node::string("x"));
        }
        let place = |field: &str| vec![Step::Key(field.into()), Step::Key("app".into())];
        let mut links = Links::default();
        links.join(Scalar::string("x"), vec![place("a"), place("b")]);
        node.map_at_mut(&["b"]).unwrap().insert("app", Node::string("y"));
        links.settle(&mut node);
        assert_eq!(node.str_at(&["a", "app"]), Some("y"));

        links.part(&[Step::Key("b".into())]);
        node.map_at_mut(&["b"]).unwrap().insert("app", Node::string("z"));
        links.settle(&mut node);
        assert_eq!(node.str_at(&["a", "app"]), Some("y"));
    }
}
