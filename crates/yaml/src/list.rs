//! The lists of the object tree.

use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

use thin_vec::ThinVec;

use crate::Node;

/// Items in document order, and whether they stood in brackets, which does not count in comparisons.
#[derive(Clone, Debug, Default)]
pub struct List {
    items: ThinVec<Node>,
    flow: bool,
}

impl List {
    /// Whether it is written in brackets: there, a null without text is printed as `""`.
    pub fn is_flow(&self) -> bool {
        self.flow
    }

    /// Puts it in brackets, or takes them away.
    pub fn set_flow(&mut self, flow: bool) {
        self.flow = flow;
    }

    /// Adds an item at the end.
    pub fn push(&mut self, item: Node) {
        self.items.push(item);
    }

    /// Puts an item before the one at `index`.
    ///
    /// # Panics
    /// Where `index` is larger than the length.
    pub fn insert(&mut self, index: usize, item: Node) {
        self.items.insert(index, item);
    }

    /// Takes out the item at `index`.
    ///
    /// # Panics
    /// Where there is none.
    pub fn remove(&mut self, index: usize) -> Node {
        self.items.remove(index)
    }

    /// Takes out the last item.
    pub fn pop(&mut self) -> Option<Node> {
        self.items.pop()
    }

    /// Takes out every item.
    pub fn clear(&mut self) {
        self.items.clear();
    }

    /// Keeps the items that `keep` accepts.
    pub fn retain(&mut self, mut keep: impl FnMut(&Node) -> bool) {
        self.items.retain(|item| keep(item));
    }
}

impl Deref for List {
    type Target = [Node];

    fn deref(&self) -> &[Node] {
        &self.items
    }
}

impl DerefMut for List {
    fn deref_mut(&mut self) -> &mut [Node] {
        &mut self.items
    }
}

impl PartialEq for List {
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items
    }
}

impl Eq for List {}

impl Hash for List {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.items.hash(state);
    }
}

impl From<Vec<Node>> for List {
    fn from(items: Vec<Node>) -> Self {
        items.into_iter().collect()
    }
}

impl FromIterator<Node> for List {
    fn from_iter<I: IntoIterator<Item = Node>>(items: I) -> Self {
        Self { items: items.into_iter().collect(), flow: false }
    }
}

impl Extend<Node> for List {
    fn extend<I: IntoIterator<Item = Node>>(&mut self, items: I) {
        self.items.extend(items);
    }
}

impl IntoIterator for List {
    type Item = Node;
    type IntoIter = thin_vec::IntoIter<Node>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'l> IntoIterator for &'l List {
    type Item = &'l Node;
    type IntoIter = std::slice::Iter<'l, Node>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<'l> IntoIterator for &'l mut List {
    type Item = &'l mut Node;
    type IntoIter = std::slice::IterMut<'l, Node>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter_mut()
    }
}
