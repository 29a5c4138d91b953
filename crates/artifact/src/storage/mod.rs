//! The artifact store: one folder per object, files that appear whole or not at all.
//!
//! `<root>/<kind>/<namespace>/<name>/<file>`. Every path is built by [`Location`] and [`ArtifactPath`], which can't leave
//! the root. The calls block: they belong on the blocking pool.
//!
//! Contract: source-controller §2.4, §2.11, §3.2.

mod collect;
mod path;
mod publish;
mod verify;

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

pub use collect::Collected;
use millrace_api::meta::Algorithm;
pub use path::{ArtifactPath, InvalidPath, Location};
pub use publish::{Lock, PublishError, Stored};
pub use verify::IntegrityError;

/// Settings of a [`Storage`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The root folder (`--storage-path`).
    pub root: PathBuf,
    /// What stands before the path in URLs (`--storage-adv-addr`, or see [`advertised_address`]).
    pub advertised: String,
    /// How artifacts are hashed (`--artifact-digest-algo`).
    pub algorithm: Algorithm,
    /// Age from which a file that isn't current may go (`--artifact-retention-ttl`).
    pub retention_ttl: Duration,
    /// Files that may stay (`--artifact-retention-records`).
    pub retention_records: usize,
}

/// A store that can't be opened.
#[derive(Debug, thiserror::Error)]
#[error("invalid dir path: {}", .0.display())]
pub struct OpenError(PathBuf);

/// The artifact store of a process.
#[derive(Debug, Clone)]
pub struct Storage {
    options: Options,
}

impl Storage {
    /// Opens the store; the root must exist and be a folder.
    ///
    /// # Errors
    /// [`OpenError`] if it doesn't or isn't.
    pub fn open(options: Options) -> Result<Self, OpenError> {
        if options.root.is_dir() { Ok(Self { options }) } else { Err(OpenError(options.root)) }
    }

    /// The root folder.
    pub fn root(&self) -> &Path {
        &self.options.root
    }

    /// How artifacts are hashed.
    pub fn algorithm(&self) -> Algorithm {
        self.options.algorithm
    }

    /// Returns the URL under which an artifact is served.
    pub fn url(&self, path: &ArtifactPath) -> String {
        let advertised = &self.options.advertised;
        let scheme = if advertised.starts_with("http://") || advertised.starts_with("https://") {
            ""
        } else {
            "http://"
        };
        format!("{scheme}{advertised}/{path}")
    }

    /// Returns the file behind a URL of this store, so that its own process may read it without HTTP.
    pub fn local_file(&self, url: &str) -> Option<PathBuf> {
        let prefix = self.url(&ArtifactPath::default());
        let path: ArtifactPath = url.strip_prefix(&prefix)?.parse().ok()?;
        Some(self.file(&path))
    }

    /// Says whether the artifact is there: a regular file, not a link to one.
    pub fn exists(&self, path: &ArtifactPath) -> bool {
        fs::symlink_metadata(self.file(path)).is_ok_and(|metadata| metadata.is_file())
    }

    /// Removes an artifact; one that isn't there is fine.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn remove(&self, path: &ArtifactPath) -> io::Result<()> {
        match fs::remove_file(self.file(path)) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(()),
            result => result,
        }
    }

    /// Removes everything stored for an object, and says whether there was a folder.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn remove_all(&self, location: &Location) -> io::Result<bool> {
        match fs::remove_dir_all(self.folder(location)) {
            Ok(()) => Ok(true),
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(err) => Err(err),
        }
    }

    fn folder(&self, location: &Location) -> PathBuf {
        self.options.root.join(location.as_str())
    }

    /// Returns where the file of an artifact is, or would be.
    pub fn file(&self, path: &ArtifactPath) -> PathBuf {
        self.options.root.join(path.as_str())
    }
}

/// Returns the address in artifact URLs when none is set: the listen address, as others can reach it.
///
/// An empty host becomes `localhost`, `0.0.0.0` the host name, anything else stays.
pub fn advertised_address(storage_addr: &str, host_name: &str) -> String {
    match storage_addr.rsplit_once(':') {
        Some(("", port)) => format!("localhost:{port}"),
        Some(("0.0.0.0", port)) => format!("{host_name}:{port}"),
        _ => storage_addr.to_owned(),
    }
}
