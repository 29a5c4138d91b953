//! What one run holds on to on disk.

use std::sync::Arc;

use millrace_git::SharedStore;

/// Bytes of all stores that one run reads from; none of them can be removed before it ends.
const MAX_BYTES: u64 = 1 << 30;

/// The stores that one run reads from.
#[derive(Default)]
pub(super) struct Held {
    stores: Vec<Arc<SharedStore>>,
}

/// The stores of a run have become too large.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

impl TooLarge {
    /// What it means, and what to do.
    pub(super) const TEXT: &str = "the repositories of one Kustomization take more than 1 GiB";
    pub(super) const ADVICE: &str = "refer to smaller repositories, keep a copy of some bases among the files of the source, or \
                                     distribute them among several Kustomizations";
}

impl Held {
    /// Adds a store, unless it is there.
    pub(super) fn add(&mut self, store: &Arc<SharedStore>) -> Result<(), TooLarge> {
        if !self.stores.iter().any(|held| Arc::ptr_eq(held, store)) {
            self.stores.push(Arc::clone(store));
        }
        within(self.stores.iter().map(|store| store.bytes()))
    }
}

fn within(sizes: impl Iterator<Item = u64>) -> Result<(), TooLarge> {
    let total = sizes.fold(0, u64::saturating_add);
    if total > MAX_BYTES { Err(TooLarge) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use millrace_git::Stores;

    use super::*;

    #[test]
    fn what_a_run_reads_from_is_bounded_and_counted_once() {
        assert_eq!(within([MAX_BYTES / 2; 2].into_iter()), Ok(()));
        assert_eq!(within([MAX_BYTES / 2, MAX_BYTES / 2, 1].into_iter()), Err(TooLarge));
        let stores = Stores::new("/nonexistent", crate::bases::LIMITS);
        let (mut held, store) = (Held::default(), stores.get("http://h/r"));
        for store in [&store, &store, &stores.get("http://h/s")] {
            assert_eq!(held.add(store), Ok(()));
        }
        assert_eq!(held.stores.len(), 2);
    }
}
