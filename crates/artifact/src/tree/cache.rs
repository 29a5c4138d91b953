//! The trees that are open, by digest.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use millrace_api::meta::Digest;

use super::Tree;

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
    opening: HashMap<Digest, Arc<tokio::sync::Mutex<()>>>,
}

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
        let mut state = self.state();
        let at = state.open.iter().position(|(known, _)| known == digest)?;
        let entry = state.open.remove(at);
        let tree = Arc::clone(&entry.1);
        state.open.push(entry);
        Some(tree)
    }

    /// Returns the tree, opened by `open` unless it is already. Callers with the same digest wait for one opening.
    ///
    /// # Errors
    /// Those of `open`; the next caller tries again.
    pub async fn get_or_open<E>(
        &self,
        digest: &Digest,
        open: impl Future<Output = Result<Tree, E>>,
    ) -> Result<Arc<Tree>, E> {
        if let Some(tree) = self.get(digest) {
            return Ok(tree);
        }
        let turn = Turn::new(self, digest);
        let guard = turn.lock.lock().await;
        if let Some(tree) = self.get(digest) {
            return Ok(tree);
        }
        let tree = Arc::new(open.await?);
        self.insert(digest.clone(), Arc::clone(&tree));
        drop(guard);
        Ok(tree)
    }

    fn insert(&self, digest: Digest, tree: Arc<Tree>) {
        let mut state = self.state();
        state.open.push((digest, tree));
        let mut bytes: u64 = state.open.iter().map(|(_, tree)| tree.spooled_bytes()).sum();
        // The newest one stays even if it is too large by itself: its user is about to read it.
        while bytes > self.max_bytes && state.open.len() > 1 {
            let (_, oldest) = state.open.remove(0);
            bytes -= oldest.spooled_bytes();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the queue of those who want one digest opened; given up when dropped.
struct Turn<'a> {
    trees: &'a Trees,
    digest: &'a Digest,
    lock: Arc<tokio::sync::Mutex<()>>,
}

impl<'a> Turn<'a> {
    fn new(trees: &'a Trees, digest: &'a Digest) -> Self {
        let lock = Arc::clone(trees.state().opening.entry(digest.clone()).or_default());
        Self { trees, digest, lock }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.trees.state();
        // Two: the map's and ours. Anybody else still needs the lock in the map.
        if Arc::strong_count(&self.lock) <= 2 {
            state.opening.remove(self.digest);
        }
    }
}
