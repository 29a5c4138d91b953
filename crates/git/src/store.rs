//! The bare object store that a repository keeps between runs.
//!
//! It holds packs and the list of commits whose history was cut off, nothing else: no references, no configuration. One
//! run at a time uses it.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

use gix::{
    DynNestedProgress, ObjectId,
    hash::Kind,
    objs::{Exists as _, tree::EntryKind as Mode},
    odb::{self, pack},
    prelude::FindExt as _,
};

/// The most packs that accumulate before the store starts anew: lookups and memory grow with them.
pub(crate) const MAX_PACKS: u16 = 24;

/// The most threads that index a pack.
const INDEX_THREADS: usize = 2;

pub(crate) struct Store {
    folder: PathBuf,
    commits: Vec<ObjectId>,
}

impl Store {
    /// Opens the store in `folder`, made if need be, emptied if it has grown beyond `max_bytes` or holds what another
    /// repository than `origin` has: a commit that this one lacks must not be answered from that one's.
    pub(crate) fn open(folder: &Path, origin: &str, max_bytes: u64) -> io::Result<Self> {
        let store = Self { folder: folder.to_owned(), commits: Vec::new() };
        let is_foreign = fs::read_to_string(store.origin_file()).is_ok_and(|known| known != origin);
        if is_foreign || store.has_outgrown(max_bytes)? {
            store.clear()?;
        }
        fs::create_dir_all(store.packs())?;
        // One run at a time uses the store: who holds this lock was killed in the middle of a fetch.
        remove_if_there(&store.folder.join("shallow.lock"))?;
        fs::write(store.origin_file(), origin)?;
        store.reloaded()
    }

    /// The store in `folder`, to read from. Who writes to it meanwhile takes nothing away.
    pub(crate) fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), commits: Vec::new() }
    }

    /// Where the repository is named whose objects these are.
    fn origin_file(&self) -> PathBuf {
        self.folder.join("origin")
    }

    /// Removes everything.
    pub(crate) fn clear(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.folder) {
            Err(err) if err.kind() != io::ErrorKind::NotFound => Err(err),
            _ => Ok(()),
        }
    }

    /// Reads again what the store has.
    pub(crate) fn reloaded(mut self) -> io::Result<Self> {
        self.commits = match fs::read_to_string(self.shallow_file()) {
            Ok(text) => text.lines().filter_map(|line| ObjectId::from_hex(line.as_bytes()).ok()).collect(),
            Err(err) if err.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(err) => return Err(err),
        };
        Ok(self)
    }

    /// The commits that the store has with their trees.
    pub(crate) fn commits(&self) -> &[ObjectId] {
        &self.commits
    }

    /// Where cut-off histories are listed.
    pub(crate) fn shallow_file(&self) -> PathBuf {
        self.folder.join("shallow")
    }

    /// Opens the objects for reading.
    pub(crate) fn objects(&self, kind: Kind) -> io::Result<odb::Handle> {
        odb::at_opts(
            self.folder.join("objects"),
            kind,
            None,
            odb::store::init::Options {
                slots: odb::store::init::Slots::Given(2 * MAX_PACKS),
                ..odb::store::init::Options::default()
            },
        )
    }

    /// Says whether a commit is here, be it without some of its files.
    pub(crate) fn contains(&self, commit: ObjectId) -> bool {
        self.objects(commit.kind()).is_ok_and(|objects| objects.exists(&commit))
    }

    /// Says whether a commit is here with all of its files. Reads folders only, so it is cheap next to archiving.
    ///
    /// # Errors
    /// Those of `check`, which is asked before each folder.
    pub(crate) fn is_complete<E>(
        &self,
        commit: ObjectId,
        check: impl Fn() -> Result<(), E>,
    ) -> Result<bool, E> {
        match self.objects(commit.kind()) {
            Ok(objects) => has_all(&objects, commit, check),
            Err(_) => Ok(false),
        }
    }

    /// Writes a pack as it arrives, and its index.
    pub(crate) fn write_pack(
        &self,
        mut pack: &mut dyn io::BufRead,
        progress: &mut dyn DynNestedProgress,
        interrupt: &AtomicBool,
    ) -> gix::Result<()> {
        let objects = self.objects(Kind::Sha1).map_err(gix::Error::from_error)?;
        let options = pack::bundle::write::Options {
            thread_limit: Some(INDEX_THREADS),
            ..pack::bundle::write::Options::default()
        };
        let packs = self.packs();
        let written = pack::Bundle::write_to_directory(
            &mut pack,
            Some(&packs),
            progress,
            interrupt,
            Some(objects),
            Kind::Sha1,
            options,
        )?;
        // The marker protects a pack until references lead to it; there are none here.
        if let Some(marker) = written.keep_path {
            fs::remove_file(marker).map_err(gix::Error::from_error)?;
        }
        Ok(())
    }

    fn packs(&self) -> PathBuf {
        self.folder.join("objects/pack")
    }

    fn has_outgrown(&self, max_bytes: u64) -> io::Result<bool> {
        let (packs, bytes) = self.extent()?;
        Ok(packs >= MAX_PACKS || bytes > max_bytes)
    }

    /// The number of packs, and the bytes that they take with their indexes.
    pub(crate) fn extent(&self) -> io::Result<(u16, u64)> {
        let entries = match fs::read_dir(self.packs()) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok((0, 0)),
            entries => entries?,
        };
        let (mut packs, mut bytes) = (0, 0);
        for entry in entries {
            let entry = entry?;
            packs += u16::from(entry.path().extension().is_some_and(|extension| extension == "pack"));
            bytes += entry.metadata()?.len();
        }
        Ok((packs, bytes))
    }
}

/// Says whether every object of the commit can be found; fails when `check` does.
fn has_all<E>(objects: &odb::Handle, commit: ObjectId, check: impl Fn() -> Result<(), E>) -> Result<bool, E> {
    let mut buffer = Vec::new();
    let Ok(root) = objects.find_commit(&commit, &mut buffer).map(|commit| commit.tree()) else {
        return Ok(false);
    };
    let mut trees = vec![root];
    let mut seen = HashSet::new();
    while let Some(id) = trees.pop() {
        check()?;
        let Ok(tree) = objects.find_tree(&id, &mut buffer) else { return Ok(false) };
        for entry in &tree.entries {
            let object = entry.oid.to_owned();
            match entry.mode.kind() {
                Mode::Tree if seen.insert(object) => trees.push(object),
                // A submodule's commit is in its own repository.
                Mode::Tree | Mode::Commit => {}
                Mode::Blob | Mode::BlobExecutable | Mode::Link if objects.exists(&object) => {}
                Mode::Blob | Mode::BlobExecutable | Mode::Link => return Ok(false),
            }
        }
    }
    Ok(true)
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}
