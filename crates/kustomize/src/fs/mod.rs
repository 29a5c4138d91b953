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
    /// Something stands in the way of opening it.
    #[error("{0}")]
    Unopened(String),
    /// The file is there, its content is not to be had.
    #[error("{0}")]
    Other(String),
}

/// Where following a path ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The first part of the path that could not be looked at; `None` where it is not a matter of one part.
    pub at: Option<String>,
    /// Why, in the words of the operating system.
    pub why: String,
}

impl Broken {
    /// Nothing stands at `path`.
    pub fn missing(path: impl Into<String>) -> Self {
        Self { at: Some(path.into()), why: ReadError::NotFound.to_string() }
    }

    /// A path goes on below a file.
    pub fn below_a_file() -> Self {
        Self { at: None, why: "not a directory".to_owned() }
    }

    /// Links lead to links.
    pub fn too_many_links() -> Self {
        Self { at: None, why: "EvalSymlinks: too many links".to_owned() }
    }
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

    /// The file at `path` as a person knows it, for messages: what a caller puts in its place has no lines of theirs.
    fn original(&self, path: &str) -> Option<Cow<'_, [u8]>> {
        self.read(path).ok()
    }

    /// `path` with every symbolic link in it resolved; `None` where nothing stands. Trees without links keep the default.
    fn canonical(&self, path: &str) -> Option<String> {
        self.kind(path).map(|_| path.to_owned())
    }

    /// Why `path`, where nothing stands, leads nowhere.
    fn broken(&self, path: &str) -> Broken {
        let mut part = String::new();
        for segment in path.split('/') {
            if self.kind(&part) == Some(FileKind::File) {
                return Broken::below_a_file();
            }
            part = if part.is_empty() { segment.to_owned() } else { format!("{part}/{segment}") };
            if self.kind(&part).is_none() {
                break;
            }
        }
        Broken::missing(part)
    }
}
