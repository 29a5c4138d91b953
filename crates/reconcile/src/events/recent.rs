//! A map that remembers what was used last.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

/// At most `capacity` entries; the one that was used longest ago makes room for a new one.
#[derive(Debug)]
pub(super) struct Recent<K, V> {
    capacity: usize,
    clock: u64,
    entries: HashMap<K, (u64, V)>,
    by_use: BTreeMap<u64, K>,
}

impl<K: Copy + Eq + Hash, V> Recent<K, V> {
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity: capacity.max(1), clock: 0, entries: HashMap::new(), by_use: BTreeMap::new() }
    }

    /// The entry of `key`, made by `fresh` if there is none; it counts as used.
    pub(super) fn entry(&mut self, key: K, fresh: impl FnOnce() -> V) -> &mut V {
        self.clock += 1;
        let now = self.clock;
        match self.entries.get(&key) {
            Some((used, _)) => {
                self.by_use.remove(used);
            }
            None => {
                if self.entries.len() >= self.capacity
                    && let Some((_, oldest)) = self.by_use.pop_first()
                {
                    self.entries.remove(&oldest);
                }
            }
        }
        self.by_use.insert(now, key);
        let (used, value) = self.entries.entry(key).or_insert_with(|| (now, fresh()));
        *used = now;
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entry_that_was_used_longest_ago_goes_first() {
        let mut recent = Recent::new(2);
        *recent.entry(1, || 'a') = 'A';
        recent.entry(2, || 'b');
        assert_eq!(*recent.entry(1, || 'x'), 'A');
        recent.entry(3, || 'c');
        assert_eq!(*recent.entry(1, || 'x'), 'A');
        assert_eq!(*recent.entry(2, || 'x'), 'x');
        assert_eq!(recent.by_use.len(), 2);
    }
}
