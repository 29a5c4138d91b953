//! Object stores of many repositories, shared by all that read from them.
//!
//! Stores are told apart by the whole address, login included: who can't log in must not be served from what somebody else has
//! fetched. Writers add to a store, one at a time, and take nothing away, so that readers need no lock; a store that has grown
//! too large is left to its readers and goes with the last of them, and a new one takes its place.

mod home;
mod shared;

use std::{
    io,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use home::Home;
pub use shared::{Contents, SharedStore, Visited, Writing};

/// What stores may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of one store, beyond which it starts anew; those of one pack, too.
    pub store_bytes: u64,
    /// Bytes of all stores that nobody uses right now.
    pub total_bytes: u64,
    /// The number of stores that are kept.
    pub stores: usize,
}

/// The stores of one process. The folder for them is made when the first one is needed.
pub struct Stores {
    parent: PathBuf,
    limits: Limits,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By address, most recently used last.
    kept: Vec<(Box<str>, Arc<SharedStore>)>,
    /// How many stores there were so far, by which their folders are named.
    count: u64,
    home: Option<Home>,
}

impl Stores {
    /// Stores in a folder of their own below `parent`, which must exist by the time the first is needed.
    pub fn new(parent: impl Into<PathBuf>, limits: Limits) -> Self {
        Self { parent: parent.into(), limits, state: Mutex::default() }
    }

    /// The store for the repository at `url`, made if need be.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn get(&self, url: &str) -> io::Result<Arc<SharedStore>> {
        let mut state = self.state();
        if let Some(at) = state.kept.iter().position(|(known, _)| **known == *url) {
            let entry = state.kept.remove(at);
            if !entry.1.is_worn(self.limits.store_bytes) {
                let store = Arc::clone(&entry.1);
                state.kept.push(entry);
                return Ok(store);
            }
        }
        let home = match state.home.take() {
            Some(home) => home,
            None => Home::below(&self.parent)?,
        };
        let folder = home.folder().join(state.count.to_string());
        state.home = Some(home);
        state.count += 1;
        let store = Arc::new(SharedStore::new(folder, self.limits.store_bytes));
        state.kept.push((url.into(), Arc::clone(&store)));
        self.shrink(&mut state);
        Ok(store)
    }

    /// Gives up the stores that were not used for the longest time, as far as there is too much of them.
    pub fn settle(&self) {
        self.shrink(&mut self.state());
    }

    fn shrink(&self, state: &mut State) {
        let total = |state: &State| state.kept.iter().map(|(_, store)| store.bytes()).sum::<u64>();
        // The last one is in use.
        while state.kept.len() > 1
            && (state.kept.len() > self.limits.stores || total(state) > self.limits.total_bytes)
        {
            state.kept.remove(0);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
