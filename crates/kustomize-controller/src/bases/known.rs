//! What addresses turned out to be.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Addresses that are remembered; beyond, all are asked for anew.
const MAX_KNOWN: usize = 2000;

/// Addresses that were repositories.
///
/// An address over http may be that of a file, and is asked for as one first; of a repository, that costs a request with nothing
/// to show for it. What was a repository before is taken for one again, until a build fails with it.
#[derive(Default)]
pub(super) struct Known(Mutex<HashSet<Box<str>>>);

impl Known {
    pub(super) fn is_repository(&self, address: &str) -> bool {
        self.known().contains(address)
    }

    pub(super) fn was_repository(&self, address: &str) {
        let mut known = self.known();
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(address.into());
    }

    pub(super) fn forget(&self, address: &str) {
        self.known().remove(address);
    }

    fn known(&self) -> MutexGuard<'_, HashSet<Box<str>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
