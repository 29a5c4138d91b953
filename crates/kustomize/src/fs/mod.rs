//! The files a build sees.

mod memory;
mod path;
mod recorder;

use std::borrow::Cow;

pub use memory::MemoryFiles;
pub(crate) use path::{clean, join, starts_with};
pub use recorder::{Observed, Recorder};

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A file.
    File,
    /// A folder.
    Folder,
}

/// A file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Nothing stands there.
    #[error("no such file or directory")]
    NotFound,
    /// A folder stands there.
    #[error("is a directory")]
    IsFolder,
    /// The file is there, its content is not to be had.
    #[error("{0}")]
    Other(String),
}

/// A tree of files.
///
/// Paths are relative to the tree's root, separated by `/`, without `.` and `..`; the root is the empty path. An
/// implementation resolves symbolic links, and answers as if nothing were there when one leads outside.
pub trait FileSystem {
    /// What stands at `path`.
    fn kind(&self, path: &str) -> Option<FileKind>;

    /// The content of the file at `path`.
    fn read(&self, path: &str) -> Result<Cow<'_, [u8]>, ReadError>;

    /// The names in the folder at `path`, in any order; `None` where there is no folder.
    fn list(&self, path: &str) -> Option<Vec<String>>;

    /// `path` with every symbolic link in it resolved; `None` where nothing stands. Trees without links keep the default.
    fn canonical(&self, path: &str) -> Option<String> {
        self.kind(path).map(|_| path.to_owned())
    }
}
