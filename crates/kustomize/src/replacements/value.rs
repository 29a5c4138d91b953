//! The value of a replacement while it is put into targets.

use millrace_yaml::Node;

use super::path;
use super::places;
use crate::resource::Step;

/// The value that is put into targets.
pub(super) struct Value {
    /// The value as it was read last.
    node: Node,
    /// Where it stands, if the reference holds it there while it writes: what is written into it is put in from then on.
    live: Option<Live>,
}

struct Live {
    /// Which of all objects it stands in.
    object: usize,
    way: Vec<Step>,
    /// Whether it has annotations that only the reference has.
    sees_history: bool,
}

impl Value {
    /// A value that stands nowhere.
    pub(super) fn stated(node: Node) -> Self {
        Self { node, live: None }
    }

    /// A value in an object, where a path leads.
    pub(super) fn standing(value: &Node, object: usize, node: &Node, parts: &[String]) -> Self {
        let live =
            way_to(node, parts).map(|way| Live { object, way, sees_history: path::sees_history(parts) });
        Self { node: value.clone(), live }
    }

    /// The value as it was read last, which it still is.
    pub(super) fn node(&self) -> &Node {
        &self.node
    }

    /// Whether it stands in this object.
    pub(super) fn is_in(&self, object: usize) -> bool {
        self.live.as_ref().is_some_and(|live| live.object == object)
    }

    /// Whether it stands in this object and has annotations that only the reference has.
    pub(super) fn sees_history(&self, object: usize) -> bool {
        self.live.as_ref().is_some_and(|live| live.object == object && live.sees_history)
    }

    /// The way to it, if it stands in this object: positions, as in [`places::at`].
    pub(super) fn way(&self, object: usize, node: &Node) -> Option<Vec<usize>> {
        let live = self.live.as_ref().filter(|live| live.object == object)?;
        let mut node = node;
        let mut way = Vec::with_capacity(live.way.len());
        for step in &live.way {
            let position = match step {
                Step::Key(key) => {
                    node.as_map()?.entries().iter().position(|(name, _)| name.text() == &**key)?
                }
                Step::Item(index) => *index,
            };
            node = places::at(node, &[position])?;
            way.push(position);
        }
        Some(way)
    }

    /// Reads it anew, if it stands in this object.
    pub(super) fn refresh(&mut self, object: usize, node: &Node) {
        if let Some(node) = self.way(object, node).and_then(|way| places::at(node, &way)) {
            self.node = node.clone();
        }
    }

    /// Reads it for the last time: what it stands in is replaced.
    pub(super) fn part(&mut self, object: usize, node: &Node) {
        self.refresh(object, node);
        self.live = None;
    }
}

fn way_to(node: &Node, parts: &[String]) -> Option<Vec<Step>> {
    let mut value = node;
    let mut way = Vec::new();
    for part in path::meaningful(parts) {
        let (position, next) = path::child(value, part).ok()??;
        way.push(position);
        value = next;
    }
    Some(places::steps(node, &way))
}
