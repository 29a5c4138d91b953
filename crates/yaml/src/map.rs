//! The maps of the object tree.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

use thin_vec::ThinVec;

use crate::{Node, Scalar};

/// Keys and values in document order, and whether they stood in braces, which does not count in comparisons.
///
/// A key stands once, unless [`Resolver::Kustomize`](crate::read::Resolver::Kustomize) read it twice: then the first is found,
/// replaced and removed, the others stay, and [`canonicalize`](crate::canonicalize) refuses the map.
#[derive(Clone, Debug, Default)]
pub struct Map {
    entries: ThinVec<(Scalar, Node)>,
    flow: bool,
}

impl Map {
    /// An empty map with room for `capacity` entries.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { entries: ThinVec::with_capacity(capacity), flow: false }
    }

    /// Whether it is written in braces: there, a null without text is printed as `""`.
    pub fn is_flow(&self) -> bool {
        self.flow
    }

    /// Puts it in braces, or takes them away.
    pub fn set_flow(&mut self, flow: bool) {
        self.flow = flow;
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value under `key`.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries.iter().find(|(name, _)| name.text() == key).map(|(_, value)| value)
    }

    /// The value under `key`, to change.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries.iter_mut().find(|(name, _)| name.text() == key).map(|(_, value)| value)
    }

    /// Whether `key` is there.
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Sets `key`, in its place if it is there already, at the end otherwise; returns what it replaced.
    pub fn insert<'k>(&mut self, key: impl Into<Cow<'k, str>>, value: Node) -> Option<Node> {
        let key = key.into();
        if let Some(slot) = self.get_mut(&key) {
            return Some(std::mem::replace(slot, value));
        }
        self.entries.push((Scalar::string(key), value));
        None
    }

    /// Adds an entry at the end without looking for the key.
    pub fn push(&mut self, key: Scalar, value: Node) {
        self.entries.push((key, value));
    }

    /// Takes `key` out.
    pub fn remove(&mut self, key: &str) -> Option<Node> {
        self.remove_entry(key).map(|(_, value)| value)
    }

    /// Takes `key` out, with the key as it is written.
    pub fn remove_entry(&mut self, key: &str) -> Option<(Scalar, Node)> {
        let index = self.entries.iter().position(|(name, _)| name.text() == key)?;
        Some(self.entries.remove(index))
    }

    /// Keys and values in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Node)> + DoubleEndedIterator {
        self.entries.iter().map(|(name, value)| (name.text(), value))
    }

    /// Keys and values in order, values to change.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&str, &mut Node)> {
        self.entries.iter_mut().map(|(name, value)| (name.text(), value))
    }

    /// Entries with their keys as scalars.
    pub fn entries(&self) -> &[(Scalar, Node)] {
        &self.entries
    }

    /// Keys in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.entries.iter().map(|(name, _)| name.text())
    }

    /// Keeps the entries that `keep` accepts.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &mut Node) -> bool) {
        self.entries.retain_mut(|(name, value)| keep(name.text(), value));
    }

    /// Gives `key` another name in its place, as a plain string; nothing happens where `key` is absent.
    pub fn rename(&mut self, key: &str, name: impl Into<Box<str>>) {
        if let Some((slot, _)) = self.entries.iter_mut().find(|(old, _)| old.text() == key) {
            *slot = Scalar::string(name);
        }
    }

    /// Entries with their keys as scalars, to change.
    pub fn entries_mut(&mut self) -> &mut [(Scalar, Node)] {
        &mut self.entries
    }

    /// Sorts by key, byte-wise.
    pub fn sort_keys(&mut self) {
        self.entries.sort_by(|(left, _), (right, _)| left.text().cmp(right.text()));
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl Eq for Map {}

impl Hash for Map {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.entries.hash(state);
    }
}

impl IntoIterator for Map {
    type Item = (Scalar, Node);
    type IntoIter = thin_vec::IntoIter<(Scalar, Node)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl FromIterator<(Scalar, Node)> for Map {
    /// Collects entries as they come.
    fn from_iter<I: IntoIterator<Item = (Scalar, Node)>>(entries: I) -> Self {
        Self { entries: entries.into_iter().collect(), flow: false }
    }
}
