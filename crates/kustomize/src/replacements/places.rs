//! The values of an object that a path leads to, by where they stand.

use millrace_yaml::Node;

use super::walk::{self, Make, Way};
use crate::error::Result;
use crate::resource::Step;

/// Where the walk along a path ended, in its order.
#[derive(Default)]
pub(super) struct Places {
    ends: Vec<End>,
    /// The steps of all ways, each without those that it begins with like the one before it.
    steps: Vec<usize>,
}

enum End {
    /// In the object: how many steps of the way before it are its own as well, and how many follow.
    There { kept: usize, added: usize },
    /// In a copy, of which nothing is printed.
    Lost { is_scalar: bool },
}

/// One of the values that a path leads to.
pub(super) enum Place<'p> {
    /// In the object, behind these steps: at each, the position among the values of a map or list.
    There(&'p [usize]),
    /// In a copy, of which nothing is printed.
    Lost { is_scalar: bool },
}

impl Places {
    /// Finds them, and makes what is missing where `make` says so.
    pub(super) fn find(
        node: &mut Node,
        parts: &[String],
        make: Option<Make>,
    ) -> std::result::Result<Self, String> {
        let mut places = Self::default();
        walk::visit(node, parts, make, &mut |end| {
            places.ends.push(match end {
                walk::End::There { way: Way { steps, kept }, .. } => {
                    let added = &steps[kept..];
                    places.steps.extend(added);
                    End::There { kept, added: added.len() }
                }
                walk::End::Lost { is_scalar } => End::Lost { is_scalar },
            });
            Ok(())
        })?;
        Ok(places)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub(super) fn try_each(&self, mut act: impl FnMut(Place<'_>) -> Result<()>) -> Result<()> {
        let mut way = Vec::new();
        let mut steps = self.steps.iter().copied();
        self.ends.iter().try_for_each(|end| match *end {
            End::There { kept, added } => {
                way.truncate(kept);
                way.extend(steps.by_ref().take(added));
                act(Place::There(&way))
            }
            End::Lost { is_scalar } => act(Place::Lost { is_scalar }),
        })
    }
}

/// The value behind these steps.
pub(super) fn at<'n>(node: &'n Node, way: &[usize]) -> Option<&'n Node> {
    way.iter().try_fold(node, |node, step| match node {
        Node::Map(map) => map.entries().get(*step).map(|(_, value)| value),
        Node::List(items) => items.get(*step),
        Node::Scalar(_) => None,
    })
}

/// The value behind these steps, to change.
pub(super) fn at_mut<'n>(node: &'n mut Node, way: &[usize]) -> Option<&'n mut Node> {
    way.iter().try_fold(node, |node, step| match node {
        Node::Map(map) => map.entries_mut().get_mut(*step).map(|(_, value)| value),
        Node::List(items) => items.get_mut(*step),
        Node::Scalar(_) => None,
    })
}

/// The same way by the keys of maps.
pub(super) fn steps(node: &Node, way: &[usize]) -> Vec<Step> {
    let mut node = node;
    let mut steps = Vec::with_capacity(way.len());
    for position in way {
        steps.push(match node.as_map().and_then(|map| map.entries().get(*position)) {
            Some((key, _)) => Step::Key(key.text().into()),
            None => Step::Item(*position),
        });
        let Some(next) = at(node, &[*position]) else { break };
        node = next;
    }
    steps
}
