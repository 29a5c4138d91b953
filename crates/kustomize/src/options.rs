//! How a build is called.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::remote::Remotes;

/// How a build is called.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which caller's defaults apply.
    pub mode: Mode,
    /// Which files a target may read.
    pub load_restrictor: LoadRestrictor,
    /// The order of the result where the root states none; `None` for the mode's own.
    pub reorder: Option<Reorder>,
    /// The absolute path, without a final slash, that the file system's root has in messages and in absolute entries.
    pub root: String,
    /// The absolute path of the folder in which the caller stands, for whom the folder to build is named. `None` where that is
    /// named below the root.
    pub working_folder: Option<String>,
    /// Whether entries may lead to repositories and to files on other hosts. Where they may not, they are errors of the input.
    pub remote_bases: bool,
    /// What was fetched of them.
    pub remotes: Arc<Remotes>,
    /// The managed-by label, whatever `buildMetadata` says.
    pub managed_by_label: bool,
    /// Whether each object goes to a file of its own: it becomes data as it is then, and is not printed and read again first.
    pub own_files: bool,
    /// Bounds of the input.
    pub limits: Limits,
    /// Ends the build early.
    pub cancel: Cancel,
}

/// Which caller's defaults apply (contract: kustomize-build §0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The command line: objects are sorted unless the root says otherwise.
    Cli,
    /// The Flux controllers: first in, first out.
    Flux,
}

/// Which files a target may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadRestrictor {
    /// Those at or below the target.
    RootOnly,
    /// All of the file system.
    None,
}

/// The order of the result, as the command line may choose it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reorder {
    /// By kind, some first and some last.
    Legacy,
    /// First in, first out.
    None,
}

/// Bounds of the input.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Targets inside of one another.
    pub depth: usize,
    /// Objects.
    pub resources: usize,
    /// Bytes read, each read of a file counted.
    pub bytes: u64,
    /// Targets loaded, each use of one counted.
    pub targets: usize,
    /// Bytes that steps put into objects: a short file may ask for a long text in very many places.
    pub made_bytes: usize,
}

/// A flag that ends a build at its next step.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Options {
    /// As the Flux controllers build below the artifact root at `root`.
    pub fn flux(root: impl Into<String>) -> Self {
        Self { mode: Mode::Flux, load_restrictor: LoadRestrictor::None, ..Self::cli(root) }
    }

    /// As the command line builds where the file system's root is `root`.
    pub fn cli(root: impl Into<String>) -> Self {
        Self {
            mode: Mode::Cli,
            load_restrictor: LoadRestrictor::RootOnly,
            reorder: None,
            root: root.into(),
            working_folder: None,
            remote_bases: true,
            remotes: Arc::default(),
            managed_by_label: false,
            own_files: false,
            limits: Limits::default(),
            cancel: Cancel::default(),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 100, resources: 200_000, bytes: 1 << 30, targets: 50_000, made_bytes: 1 << 30 }
    }
}

impl Cancel {
    /// Ends the builds that hold this flag.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is raised.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl From<Arc<AtomicBool>> for Cancel {
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }
}
