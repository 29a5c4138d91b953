//! The trees that are open, by digest.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures::{
    FutureExt as _,
    future::{BoxFuture, Shared, WeakShared},
};
use millrace_api::meta::Digest;

use super::Tree;
use crate::fetch::{FetchError, Location};

/// Shares trees between everything that uses an artifact, up to a number of spooled bytes.
///
/// A tree that is pushed out stays open for those who hold it. Clones share the cache.
#[derive(Clone)]
pub struct Trees {
    folder: Arc<PathBuf>,
    max_bytes: u64,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// Most recently used last.
    open: Vec<(Digest, Arc<Tree>)>,
    /// What somebody waits for.
    opening: HashMap<(Digest, Location), WeakShared<Opening>>,
}

/// An opening as all see it that wait for it: whoever of them is awake drives it, and it ends with the last of them.
type Opening = BoxFuture<'static, Result<Arc<Tree>, FetchError>>;

impl Trees {
    /// Spools under `folder`, which must exist, at most `max_bytes` for trees that nobody holds.
    pub fn new(folder: impl Into<PathBuf>, max_bytes: u64) -> Self {
        Self { folder: Arc::new(folder.into()), max_bytes, state: Arc::default() }
    }

    /// Where spool files are made.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the tree if it is open.
    pub fn get(&self, digest: &Digest) -> Option<Arc<Tree>> {
        self.state().get(digest)
    }

    /// Returns the tree, opened by `open` unless it is already. Callers that want the same digest from the same place wait
    /// for one opening, and all get what comes of it.
    ///
    /// # Errors
    /// Those of `open`; a caller that comes later tries again.
    pub async fn get_or_open(
        &self,
        digest: &Digest,
        place: &Location,
        open: BoxFuture<'static, Result<Tree, FetchError>>,
    ) -> Result<Arc<Tree>, FetchError> {
        let opening = {
            let mut state = self.state();
            if let Some(tree) = state.get(digest) {
                return Ok(tree);
            }
            let key = (digest.clone(), place.clone());
            match state.opening.get(&key).and_then(WeakShared::upgrade) {
                Some(opening) => opening,
                None => self.begin(&mut state, key, open),
            }
        };
        opening.await
    }

    fn begin(
        &self,
        state: &mut State,
        key: (Digest, Location),
        open: BoxFuture<'static, Result<Tree, FetchError>>,
    ) -> Shared<Opening> {
        let (trees, entry) = (self.clone(), key.clone());
        let opening = async move {
            let opened = open.await.map(Arc::new);
            // Both at once, or somebody in between would open it again.
            let mut state = trees.state();
            state.opening.remove(&entry);
            let tree = opened?;
            // Another place may have had the same by now.
            if let Some(known) = state.get(&entry.0) {
                return Ok(known);
            }
            state.insert(entry.0, Arc::clone(&tree), trees.max_bytes);
            Ok(tree)
        };
        let opening = opening.boxed().shared();
        // Those that were given up are nobody's any more.
        state.opening.retain(|_, known| known.upgrade().is_some());
        state.opening.extend(opening.downgrade().map(|weak| (key, weak)));
        opening
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn get(&mut self, digest: &Digest) -> Option<Arc<Tree>> {
        let at = self.open.iter().position(|(known, _)| known == digest)?;
        let entry = self.open.remove(at);
        let tree = Arc::clone(&entry.1);
        self.open.push(entry);
        Some(tree)
    }

    fn insert(&mut self, digest: Digest, tree: Arc<Tree>, max_bytes: u64) {
        self.open.push((digest, tree));
        let mut bytes: u64 = self.open.iter().map(|(_, tree)| tree.spooled_bytes()).sum();
        // The newest one stays even if it is too large by itself: its user is about to read it.
        while bytes > max_bytes && self.open.len() > 1 {
            let (_, oldest) = self.open.remove(0);
            bytes -= oldest.spooled_bytes();
        }
    }
}
