//! One store and those who use it.

use std::{
    fs, io,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering},
    },
};

use gix::{ObjectId, hash::Kind};
use tokio::{
    runtime::Handle,
    sync::{Mutex as AsyncMutex, OwnedMutexGuard},
};

use super::{Limits, home::LazyHome};
use crate::{
    Checkout, GitError, Remote, Resolved, Submodules,
    store::{MAX_PACKS, Store},
    submodules,
};

/// Commits of which a store remembers what is in them.
const MAX_KNOWN: usize = 64;

/// Where stores are, and what all that are left of them take.
pub(super) struct Place {
    home: LazyHome,
    limits: Limits,
    live_bytes: AtomicU64,
}

impl Place {
    pub(super) fn new(home: LazyHome, limits: Limits) -> Self {
        Self { home, limits, live_bytes: AtomicU64::new(0) }
    }
}

/// An object store that many read from. It goes with the last of them.
pub struct SharedStore {
    place: Arc<Place>,
    number: u64,
    folder: OnceLock<PathBuf>,
    writer: Arc<AsyncMutex<()>>,
    /// Commits that are here with all their files, most recently fetched last.
    known: Mutex<Vec<(String, Arc<Contents>)>>,
    packs: AtomicU16,
    bytes: AtomicU64,
    is_damaged: AtomicBool,
}

/// What is known about the files of a commit without a look at them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// The other repositories in it.
    pub submodules: Submodules,
}

/// The right to write to a store, until dropped.
pub struct Writing(#[expect(dead_code, reason = "held, not used")] OwnedMutexGuard<()>);

/// What came of a visit at the remote.
pub enum Visited {
    /// The commit is in the store.
    Here {
        /// The commit.
        commit: String,
        /// What is in it.
        contents: Arc<Contents>,
    },
    /// It has to be fetched, but somebody else is writing. Wait for [`SharedStore::writing`] and come back.
    Busy(Resolved),
}

impl SharedStore {
    pub(super) fn new(place: Arc<Place>, number: u64) -> Self {
        Self {
            place,
            number,
            folder: OnceLock::new(),
            writer: Arc::default(),
            known: Mutex::default(),
            packs: AtomicU16::new(0),
            bytes: AtomicU64::new(0),
            is_damaged: AtomicBool::new(false),
        }
    }

    /// What is in a commit, if it is here.
    pub fn contents(&self, commit: &str) -> Option<Arc<Contents>> {
        let known = self.known();
        known.iter().find(|(id, _)| id == commit).map(|(_, contents)| Arc::clone(contents))
    }

    /// Waits for the right to write.
    pub async fn writing(&self) -> Writing {
        Writing(Arc::clone(&self.writer).lock_owned().await)
    }

    /// Brings a commit into the store, unless it is there. `turn` is the right to write, from whoever has waited for it.
    ///
    /// # Errors
    /// [`GitError`]; the store stays usable.
    pub fn fetch(
        &self,
        remote: Remote,
        resolved: Resolved,
        turn: Option<Writing>,
    ) -> Result<Visited, GitError> {
        if let Some(contents) = self.contents(&resolved.commit) {
            return Ok(Visited::Here { commit: resolved.commit, contents });
        }
        let turn = turn.or_else(|| Arc::clone(&self.writer).try_lock_owned().ok().map(Writing));
        let Some(_turn) = turn else { return Ok(Visited::Busy(resolved)) };
        // Who had the turn before may have wanted the same.
        if let Some(contents) = self.contents(&resolved.commit) {
            return Ok(Visited::Here { commit: resolved.commit, contents });
        }
        let folder = self.made_folder().map_err(GitError::Store)?;
        let mut remote = remote.into_shared(self.place.limits.store_bytes);
        let checkout = remote.fetch(&resolved, &folder);
        self.measure();
        let submodules = submodules::find(&checkout?, &remote)?;
        let contents = Arc::new(Contents { submodules });
        let mut known = self.known();
        known.push((resolved.commit.clone(), Arc::clone(&contents)));
        let surplus = known.len().saturating_sub(MAX_KNOWN);
        known.drain(..surplus);
        Ok(Visited::Here { commit: resolved.commit, contents })
    }

    /// Opens a commit that is here.
    ///
    /// # Errors
    /// [`GitError::Unreadable`] if somebody has taken it away; the next one gets a new store.
    pub fn open(&self, commit: &str) -> Result<Checkout, GitError> {
        let opened = self.open_objects(commit);
        if opened.is_err() {
            self.give_up();
        }
        opened
    }

    fn open_objects(&self, commit: &str) -> Result<Checkout, GitError> {
        let id = ObjectId::from_hex(commit.as_bytes());
        let id = id.map_err(|_| GitError::CommitNotFound(commit.to_owned()))?;
        let folder = self.folder.get().ok_or_else(|| GitError::CommitNotFound(commit.to_owned()))?;
        let objects = Store::at(folder).objects(Kind::Sha1).map_err(GitError::Store)?;
        Checkout::open(objects, id, None)
    }

    /// Notes that something in the store can't be read: the next one gets a new store.
    pub fn give_up(&self) {
        self.is_damaged.store(true, Ordering::Relaxed);
    }

    /// Whether a new store has to take its place.
    pub(super) fn is_worn(&self, max_bytes: u64) -> bool {
        self.is_damaged.load(Ordering::Relaxed)
            // Half of them: those who have the store already may still add some before it would be emptied.
            || self.packs.load(Ordering::Relaxed) >= MAX_PACKS / 2
            || self.bytes() > max_bytes
    }

    /// What it took on disk after the last fetch.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The folder to fetch into; blocks if none was made so far.
    pub(super) fn made_folder(&self) -> io::Result<PathBuf> {
        let most = self.place.limits.live_bytes;
        if self.place.live_bytes.load(Ordering::Relaxed) > most {
            let text = format!("what was fetched and is in use takes more than {most} bytes");
            return Err(io::Error::new(io::ErrorKind::StorageFull, text));
        }
        let home = self.place.home.folder()?;
        Ok(self.folder.get_or_init(|| home.join(self.number.to_string())).clone())
    }

    pub(super) fn measure(&self) {
        let Some(folder) = self.folder.get() else { return };
        match Store::at(folder).extent() {
            Ok((packs, bytes)) => {
                self.packs.store(packs, Ordering::Relaxed);
                let before = self.bytes.swap(bytes, Ordering::Relaxed);
                self.place.live_bytes.fetch_add(bytes, Ordering::Relaxed);
                self.place.live_bytes.fetch_sub(before, Ordering::Relaxed);
            }
            Err(_) => self.give_up(),
        }
    }

    fn known(&self) -> MutexGuard<'_, Vec<(String, Arc<Contents>)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for SharedStore {
    fn drop(&mut self) {
        let Some(folder) = self.folder.take() else { return };
        let (place, bytes) = (Arc::clone(&self.place), self.bytes());
        let remove = move || {
            // What stays is removed when the next process takes the folder over.
            let _ = fs::remove_dir_all(&folder);
            place.live_bytes.fetch_sub(bytes, Ordering::Relaxed);
        };
        // Whoever is the last to read may be on a thread that must not block.
        match Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(remove)),
            Err(_) => remove(),
        }
    }
}
