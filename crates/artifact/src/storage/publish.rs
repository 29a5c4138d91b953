//! How a file appears in the store.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    hash::{BuildHasher as _, Hasher as _, RandomState},
    io::{self, BufWriter, Write},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    time::SystemTime,
};

use millrace_api::meta::Digest;

use super::{ArtifactPath, InvalidPath, Location, Storage};
use crate::digest::HashingWriter;

/// A file that was published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Where it is.
    pub path: ArtifactPath,
    /// Its checksum.
    pub digest: Digest,
    /// Its length in bytes.
    pub size: u64,
    /// When it was written, as its folder shows.
    pub modified: SystemTime,
}

/// A file that can't be published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The object's folder can't be made.
    #[error("failed to create artifact directory")]
    Folder(#[source] io::Error),
    /// The lock of the file can't be made, or locks don't work here.
    #[error("failed to acquire lock for artifact")]
    Lock(#[source] io::Error),
    /// Writing failed; what was there before is untouched. The controller adds its own words to this.
    #[error(transparent)]
    Write(io::Error),
    /// The name of a link is no file name.
    #[error(transparent)]
    Path(#[from] InvalidPath),
}

impl Storage {
    /// Makes the folder of an object.
    ///
    /// # Errors
    /// [`PublishError::Folder`].
    pub fn create_folder(&self, location: &Location) -> Result<(), PublishError> {
        create_folder(&self.folder(location)).map_err(PublishError::Folder)
    }

    /// Keeps other writers, also those of other processes, away from the file of an artifact; `None` while one of them has
    /// it. Never waits: how long to go on trying, and what ends that, is for the caller to say.
    ///
    /// # Errors
    /// [`PublishError::Folder`] and [`PublishError::Lock`].
    pub fn try_lock(&self, path: &ArtifactPath) -> Result<Option<Lock>, PublishError> {
        let target = self.file(path);
        if let Some(folder) = target.parent() {
            create_folder(folder).map_err(PublishError::Folder)?;
        }
        let held = Held::try_acquire(&lock_file(&target)).map_err(PublishError::Lock)?;
        Ok(held.map(|held| Lock { path: path.clone(), _held: held }))
    }

    /// Returns where the lock of an artifact's file is: in `<file>.lock`, which goes with the artifact.
    pub fn lock_file(&self, path: &ArtifactPath) -> PathBuf {
        lock_file(&self.file(path))
    }

    /// Writes the file that is locked: what `fill` writes appears there at once, when it is complete, or not at all.
    ///
    /// A crash leaves a temporary file that garbage collection removes. `fill` gets a buffered writer and returns it.
    ///
    /// # Errors
    /// [`PublishError`]; the file that was there stays.
    pub fn publish<T>(
        &self,
        lock: Lock,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> Result<(Stored, T), PublishError> {
        let Lock { path, _held } = lock;
        let target = self.file(&path);
        let temporary = Temporary::create(&target).map_err(PublishError::Write)?;
        let mut writer =
            HashingWriter::new(BufWriter::with_capacity(64 * 1024, &temporary.file), self.algorithm());
        let result = fill(&mut writer).and_then(|value| writer.flush().map(|()| value));
        let value = result.map_err(PublishError::Write)?;
        let (_, digest, size) = writer.finish();
        let modified = temporary.file.metadata().and_then(|metadata| metadata.modified());
        let modified = modified.map_err(PublishError::Write)?;
        temporary.rename(&target).map_err(PublishError::Write)?;
        Ok((Stored { path, digest, size, modified }, value))
    }

    /// Points the link `name` next to an artifact at it, and returns the link's URL.
    ///
    /// # Errors
    /// [`PublishError::Write`]; the old link stays.
    pub fn link(&self, path: &ArtifactPath, name: &str) -> Result<String, PublishError> {
        let link = path.sibling(name)?;
        let temporary = self.file(&path.sibling(&format!("{name}.tmp"))?);
        let result = match fs::remove_file(&temporary) {
            Err(err) if err.kind() != io::ErrorKind::NotFound => Err(err),
            _ => symlink(self.file(path), &temporary).and_then(|()| fs::rename(&temporary, self.file(&link))),
        };
        result.map_err(PublishError::Write)?;
        Ok(self.url(&link))
    }
}

fn create_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// The sole right to write the file of an artifact, until dropped.
pub struct Lock {
    path: ArtifactPath,
    _held: Held,
}

/// A lock file that this process has locked, until dropped.
pub(super) struct Held(#[expect(dead_code, reason = "closing the file releases the lock")] File);

impl Held {
    /// Locks a file, which is made if it isn't there; `None` while somebody else has it.
    pub(super) fn try_acquire(path: &Path) -> io::Result<Option<Self>> {
        loop {
            let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // One that was removed in between keeps nobody away any more.
            if file.metadata()?.nlink() > 0 {
                return Ok(Some(Self(file)));
            }
        }
    }
}

/// The lock file of a file.
pub(super) fn lock_file(file: &Path) -> PathBuf {
    with_suffix(file, ".lock")
}

/// A file that is gone again unless it is renamed.
struct Temporary {
    file: File,
    path: PathBuf,
    renamed: bool,
}

impl Temporary {
    fn create(target: &Path) -> io::Result<Self> {
        loop {
            // A fresh state is seeded at random, which is all that a temporary name needs.
            let path = with_suffix(target, &RandomState::new().build_hasher().finish().to_string());
            match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
                Ok(file) => return Ok(Self { file, path, renamed: false }),
                Err(err) if err.kind() == io::ErrorKind::AlreadyExists => {}
                Err(err) => return Err(err),
            }
        }
    }

    fn rename(mut self, target: &Path) -> io::Result<()> {
        // The process's mask may have taken bits away at creation.
        self.file.set_permissions(fs::Permissions::from_mode(0o600))?;
        fs::rename(&self.path, target)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed {
            // Nothing more can be done here; garbage collection tries again.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}
