//! Object stores of many repositories, shared by all that read from them.
//!
//! Stores are told apart by the whole address, login included: who can't log in must not be served from what somebody else has
//! fetched. Writers add to a store, one at a time, and take nothing away, so that readers need no lock; a store that has grown
//! too large is left to its readers and goes with the last of them, and a new one takes its place.
//!
//! Stores are found without a look at the disk: folders are made by those who fetch, and removed on a thread that may block.

mod home;
mod shared;

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use home::LazyHome;
use shared::Place;
pub use shared::{Contents, SharedStore, Visited, Writing};

/// What stores may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of one store, beyond which it starts anew; those of one pack, too.
    pub store_bytes: u64,
    /// Bytes of all stores that are kept. What is in use counts, too, but stays until it isn't.
    pub total_bytes: u64,
    /// Bytes of all stores, those included that are only left to their readers. Beyond, nothing is fetched.
    pub live_bytes: u64,
    /// The number of stores that are kept.
    pub stores: usize,
}

/// The stores of one process. The folder for them is made when the first one is needed.
pub struct Stores {
    place: Arc<Place>,
    limits: Limits,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By address, most recently used last.
    kept: Vec<(Box<str>, Arc<SharedStore>)>,
    /// How many stores there were so far, by which their folders are named.
    count: u64,
}

/// Stores that are kept no longer. To be dropped when nobody waits for it.
#[must_use = "they are dropped once the state is free"]
struct GivenUp(#[expect(dead_code, reason = "dropped, not used")] Vec<Arc<SharedStore>>);

impl Stores {
    /// Stores in a folder of their own below `parent`, which must exist by the time the first is needed.
    pub fn new(parent: impl Into<PathBuf>, limits: Limits) -> Self {
        let place = Arc::new(Place::new(LazyHome::below(parent.into()), limits));
        Self { place, limits, state: Mutex::default() }
    }

    /// The store for the repository at `url`, a new one if need be. Never blocks.
    pub fn get(&self, url: &str) -> Arc<SharedStore> {
        let mut state = self.state();
        let known = state.kept.iter().position(|(known, _)| **known == *url);
        let known = known.map(|at| state.kept.remove(at));
        let (store, worn) = match known {
            Some((_, store)) if !store.is_worn(self.limits.store_bytes) => (store, None),
            known => {
                let store = Arc::new(SharedStore::new(Arc::clone(&self.place), state.count));
                state.count += 1;
                (store, known)
            }
        };
        state.kept.push((url.into(), Arc::clone(&store)));
        let surplus = self.surplus(&mut state);
        drop(state);
        drop((surplus, worn));
        store
    }

    /// Gives up the stores that were not used for the longest time, as far as there is too much of them. Never blocks.
    pub fn settle(&self) {
        let surplus = self.surplus(&mut self.state());
        drop(surplus);
    }

    fn surplus(&self, state: &mut State) -> GivenUp {
        let mut total: u64 = state.kept.iter().map(|(_, store)| store.bytes()).sum();
        let (mut count, mut surplus) = (state.kept.len(), 0);
        // The last one is in use.
        while count > 1 && (count > self.limits.stores || total > self.limits.total_bytes) {
            total = total.saturating_sub(state.kept[surplus].1.bytes());
            (count, surplus) = (count - 1, surplus + 1);
        }
        GivenUp(state.kept.drain(..surplus).map(|(_, store)| store).collect())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path, thread, time::Duration};

    use super::*;

    const LIMITS: Limits = Limits { store_bytes: 100, total_bytes: 100, live_bytes: 100, stores: 1 };

    /// A store with something in it.
    fn filled(stores: &Stores, url: &str) -> (Arc<SharedStore>, PathBuf) {
        let store = stores.get(url);
        let folder = store.made_folder().expect("a folder");
        fs::create_dir_all(folder.join("objects/pack")).expect("a folder");
        (store, folder)
    }

    fn gone(folder: &Path) -> bool {
        (0..3000).any(|_| {
            thread::sleep(Duration::from_millis(10));
            !folder.exists()
        })
    }

    #[test]
    fn nothing_is_removed_while_the_stores_are_locked() {
        let parent = tempfile::tempdir().expect("a folder");
        let stores = Stores::new(parent.path(), LIMITS);
        let (store, folder) = filled(&stores, "http://h/1");
        drop(store);
        let mut state = stores.state();
        let other = Arc::new(SharedStore::new(Arc::clone(&stores.place), 7));
        state.kept.push(("http://h/2".into(), other));
        let surplus = stores.surplus(&mut state);
        assert!(state.kept.len() == 1 && folder.exists(), "it is given up, not removed");
        drop(state);
        drop(surplus);
        assert!(!folder.exists());
    }

    #[test]
    fn neither_an_eviction_nor_the_end_of_a_reader_blocks_a_runtime_or_leaves_a_folder() {
        let parent = tempfile::tempdir().expect("a folder");
        let stores = Stores::new(parent.path(), LIMITS);
        let ((evicted, first), (read, second)) =
            (filled(&stores, "http://h/1"), filled(&stores, "http://h/2"));
        // One thread for all that blocks, which is busy.
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.max_blocking_threads(1).build().expect("a runtime");
        let (go_on, busy) = std::sync::mpsc::sync_channel::<()>(1);
        runtime.spawn_blocking(move || busy.recv());
        runtime.block_on(async {
            drop(evicted);
            let _third = stores.get("http://h/3");
            drop(read);
            assert!(first.exists() && second.exists(), "nothing is removed on the thread of the runtime");
            go_on.send(()).expect("it waits");
        });
        assert!(gone(&first) && gone(&second));
    }

    #[test]
    fn nothing_is_fetched_while_the_stores_in_use_are_too_large() {
        let parent = tempfile::tempdir().expect("a folder");
        let stores = Stores::new(parent.path(), LIMITS);
        let (store, folder) = filled(&stores, "http://h/1");
        fs::write(folder.join("objects/pack/pack-0.pack"), [0; 101]).expect("a file");
        store.measure();
        // It is given up for another one, but its reader is left.
        let other = stores.get("http://h/2");
        let error = other.made_folder().expect_err("there is no place");
        assert!(error.to_string().contains("100 bytes"), "{error}");
        drop(store);
        assert!(other.made_folder().is_ok());
    }
}
