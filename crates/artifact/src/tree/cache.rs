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
use tokio::sync::watch;

use super::Tree;
use crate::fetch::{FetchError, Location};

/// Trees that are kept open although nobody may hold them. Each costs an open file and the memory of its index, and most of
/// them are revisions that nobody asks for again.
const MAX_KEPT: usize = 32;

/// What the indexes of these may take in memory.
const MAX_INDEX_BYTES: u64 = 16 * 1024 * 1024;

/// Shares trees between everything that uses an artifact, up to a number of trees and of bytes.
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
    opening: HashMap<(Digest, Location), UnderWay<WeakShared<Opening>>>,
}

/// An opening, and whether it gets on: whoever holds the content is handing it out.
#[derive(Clone)]
pub(crate) struct UnderWay<O> {
    pub(crate) opening: O,
    pub(crate) gets_on: watch::Receiver<bool>,
}

/// Where a tree stands.
pub(crate) enum Place {
    Open(Arc<Tree>),
    UnderWay(UnderWay<Shared<Opening>>),
}

/// An opening as all see it that wait for it: whoever of them is awake drives it, and it ends with the last of them.
pub(crate) type Opening = BoxFuture<'static, Result<Arc<Tree>, FetchError>>;

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
        match self.find_or_begin(digest, place, |_| open) {
            Place::Open(tree) => Ok(tree),
            Place::UnderWay(under_way) => under_way.opening.await,
        }
    }

    /// Finds the tree, or its opening, which otherwise begins; `open` tells whether it gets on.
    pub(crate) fn find_or_begin(
        &self,
        digest: &Digest,
        place: &Location,
        open: impl FnOnce(watch::Sender<bool>) -> BoxFuture<'static, Result<Tree, FetchError>>,
    ) -> Place {
        let mut state = self.state();
        if let Some(tree) = state.get(digest) {
            return Place::Open(tree);
        }
        let key = (digest.clone(), place.clone());
        let known = state.opening.get(&key);
        let known = known.and_then(|known| Some((known.opening.upgrade()?, known.gets_on.clone())));
        let (opening, gets_on) = known.unwrap_or_else(|| {
            let (progress, gets_on) = watch::channel(false);
            (self.begin(&mut state, key, open(progress), gets_on.clone()), gets_on)
        });
        Place::UnderWay(UnderWay { opening, gets_on })
    }

    fn begin(
        &self,
        state: &mut State,
        key: (Digest, Location),
        open: BoxFuture<'static, Result<Tree, FetchError>>,
        gets_on: watch::Receiver<bool>,
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
        state.opening.retain(|_, known| known.opening.upgrade().is_some());
        let weak = opening.downgrade().map(|opening| (key, UnderWay { opening, gets_on }));
        state.opening.extend(weak);
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
        let sum = |of: fn(&Tree) -> u64| self.open.iter().map(|(_, tree)| of(tree)).sum::<u64>();
        let (mut spooled, mut index) = (sum(Tree::spooled_bytes), sum(Tree::index_bytes));
        // The newest one stays even if it is too large by itself: its user is about to read it.
        while self.open.len() > 1
            && (spooled > max_bytes || index > MAX_INDEX_BYTES || self.open.len() > MAX_KEPT)
        {
            let (_, oldest) = self.open.remove(0);
            spooled -= oldest.spooled_bytes();
            index -= oldest.index_bytes();
        }
    }
}
