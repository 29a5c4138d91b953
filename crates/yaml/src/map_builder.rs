//! Building maps of any size without searching them again and again.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use crate::{Map, Node, Scalar};

/// From this many keys on, a hash index finds duplicates.
const INDEXED_FROM: usize = 24;

/// Collects entries of a map; linear in the number of entries.
#[derive(Debug, Default)]
pub struct MapBuilder {
    map: Map,
    index: Option<Index>,
}

/// Where keys stand, by hash; a second key of equal hash is found by search.
#[derive(Debug, Default)]
struct Index {
    positions: HashMap<u64, usize>,
    hasher: RandomState,
}

impl MapBuilder {
    /// A builder with room for `capacity` entries.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { map: Map::with_capacity(capacity), index: None }
    }

    /// A builder of a map that is written in braces, or not.
    pub(crate) fn in_flow(flow: bool) -> Self {
        let mut map = Map::default();
        map.set_flow(flow);
        Self { map, index: None }
    }

    /// Where `key` stands.
    pub fn position(&self, key: &str) -> Option<usize> {
        let entries = self.map.entries();
        let search = || entries.iter().position(|(name, _)| name.text() == key);
        let Some(index) = &self.index else { return search() };
        let position = *index.positions.get(&index.hasher.hash_one(key))?;
        if entries[position].0.text() == key { Some(position) } else { search() }
    }

    /// The key that stands at a position.
    pub(crate) fn key_at(&self, position: usize) -> &str {
        self.map.entries()[position].0.text()
    }

    /// Sets `key`: in its place if it is there already, and then the older value comes back; at the end otherwise.
    pub fn insert(&mut self, key: Scalar, value: Node) -> Option<Node> {
        if let Some(position) = self.position(key.text()) {
            return Some(std::mem::replace(&mut self.map.entries_mut()[position].1, value));
        }
        self.push(key, value);
        None
    }

    /// Adds `key` unless it is there already.
    pub fn insert_if_absent(&mut self, key: Scalar, value: Node) {
        if self.position(key.text()).is_none() {
            self.push(key, value);
        }
    }

    /// Adds `key` at the end, also if it is there already.
    pub(crate) fn push_again(&mut self, key: Scalar, value: Node) {
        self.push(key, value);
    }

    /// The map.
    pub fn finish(self) -> Map {
        self.map
    }

    fn push(&mut self, key: Scalar, value: Node) {
        let length = self.map.len();
        if let Some(index) = &mut self.index {
            index.positions.entry(index.hasher.hash_one(key.text())).or_insert(length);
        }
        self.map.push(key, value);
        if self.index.is_none() && length + 1 >= INDEXED_FROM {
            let mut index = Index::default();
            for (position, key) in self.map.keys().enumerate() {
                index.positions.entry(index.hasher.hash_one(key)).or_insert(position);
            }
            self.index = Some(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_maps_keep_order_and_replace_in_place() {
        let mut builder = MapBuilder::default();
        for number in 0..1000 {
            assert!(builder.insert(Scalar::string(number.to_string()), Node::int(number)).is_none());
        }
        assert_eq!(builder.insert(Scalar::string("7"), Node::null()), Some(Node::int(7)));
        builder.insert_if_absent(Scalar::string("8"), Node::null());
        let map = builder.finish();
        assert_eq!(map.len(), 1000);
        assert_eq!(map.keys().nth(7), Some("7"));
        assert!(map.get("7").is_some_and(Node::is_null));
        assert_eq!(map.get("8"), Some(&Node::int(8)));
    }
}
