//! What addresses turned out to be.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Addresses that are remembered; beyond, all are asked for anew.
const MAX_KNOWN: usize = 2000;
/// The longest of them in bytes; others are asked for each time.
const MAX_ADDRESS: usize = 2 << 10;

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
        if address.len() > MAX_ADDRESS {
            return;
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_remembered_up_to_a_length() {
        let known = Known::default();
        let (short, long) = ("a".repeat(MAX_ADDRESS), "a".repeat(MAX_ADDRESS + 1));
        known.was_repository(&short);
        known.was_repository(&long);
        assert!(known.is_repository(&short) && !known.is_repository(&long));
        known.forget(&short);
        assert!(!known.is_repository(&short));
    }
}
