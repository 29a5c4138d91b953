//! What a source offers: a tree of files that can be listed and read.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs, io,
    io::Read,
    os::unix::{
        ffi::{OsStrExt as _, OsStringExt as _},
        fs::PermissionsExt as _,
    },
    path::{Path, PathBuf},
};

/// What stands at a place of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A regular file.
    File {
        /// Somebody may execute it.
        executable: bool,
    },
    /// A folder.
    Folder,
    /// A symbolic link, never followed by an archive.
    Symlink,
    /// A device, socket or pipe.
    Other,
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Child<Id> {
    /// The last component of the path, as the source stores it: not necessarily UTF-8.
    pub name: Vec<u8>,
    /// What it is.
    pub kind: Kind,
    /// What [`FileTree`] finds it by.
    pub id: Id,
}

/// A file that is open for reading.
pub struct Opened<'a> {
    /// Its length in bytes.
    pub size: u64,
    /// Its content.
    pub reader: Box<dyn Read + 'a>,
}

/// A tree of files: a folder on disk, a Git commit, an artifact, or a mixture.
pub trait FileTree {
    /// What the tree finds a file or folder by.
    type Id: Clone;

    /// The folder that everything is in.
    fn root(&self) -> Self::Id;
    /// Lists a folder, in any order.
    fn list(&self, folder: &Self::Id) -> io::Result<Vec<Child<Self::Id>>>;
    /// Opens a regular file.
    fn open(&self, file: &Self::Id) -> io::Result<Opened<'_>>;
    /// Returns where a symbolic link points.
    fn read_link(&self, link: &Self::Id) -> io::Result<Vec<u8>>;
}

/// Lists a folder in byte order of the names.
pub(crate) fn sorted<T: FileTree>(tree: &T, folder: &T::Id) -> io::Result<Vec<Child<T::Id>>> {
    let mut children = tree.list(folder)?;
    children.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(children)
}

/// Looks up a path: relative, components joined by `/`; empty ones count for nothing. Links aren't followed.
///
/// # Errors
/// Those of the tree. What isn't there, or is below something else than a folder, is no error.
pub fn find<T: FileTree>(tree: &T, path: &[u8]) -> io::Result<Option<Child<T::Id>>> {
    let mut at = Child { name: Vec::new(), kind: Kind::Folder, id: tree.root() };
    for part in path.split(|byte| *byte == b'/').filter(|part| !part.is_empty()) {
        if at.kind != Kind::Folder {
            return Ok(None);
        }
        let Some(child) = tree.list(&at.id)?.into_iter().find(|child| child.name == part) else {
            return Ok(None);
        };
        at = child;
    }
    Ok(Some(at))
}

/// A folder on disk.
pub struct Folder(PathBuf);

impl Folder {
    /// The tree below `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self(root.into())
    }
}

impl FileTree for Folder {
    type Id = PathBuf;

    fn root(&self) -> PathBuf {
        self.0.clone()
    }

    fn list(&self, folder: &PathBuf) -> io::Result<Vec<Child<PathBuf>>> {
        let mut children = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let metadata = entry.metadata()?;
            let kind = if metadata.is_dir() {
                Kind::Folder
            } else if metadata.is_symlink() {
                Kind::Symlink
            } else if metadata.is_file() {
                Kind::File { executable: metadata.permissions().mode() & 0o111 != 0 }
            } else {
                Kind::Other
            };
            children.push(Child { name: entry.file_name().into_vec(), kind, id: entry.path() });
        }
        Ok(children)
    }

    fn open(&self, file: &PathBuf) -> io::Result<Opened<'_>> {
        let file = fs::File::open(file)?;
        let size = file.metadata()?.len();
        Ok(Opened { size, reader: Box::new(file) })
    }

    fn read_link(&self, link: &PathBuf) -> io::Result<Vec<u8>> {
        Ok(OsString::from(fs::read_link(link)?).into_vec())
    }
}

/// A tree in memory, for tests, and for content that a program makes.
#[derive(Debug, Default, Clone)]
pub struct MemoryTree {
    nodes: BTreeMap<PathBuf, Node>,
}

#[derive(Debug, Clone)]
enum Node {
    File { content: Vec<u8>, executable: bool },
    Folder,
    Symlink(Vec<u8>),
}

impl MemoryTree {
    /// Adds a file and the folders above it.
    pub fn add_file(&mut self, path: &str, content: impl Into<Vec<u8>>, executable: bool) {
        self.add(path, Node::File { content: content.into(), executable });
    }

    /// Adds an empty folder.
    pub fn add_folder(&mut self, path: &str) {
        self.add(path, Node::Folder);
    }

    /// Adds a symbolic link.
    pub fn add_symlink(&mut self, path: &str, target: &str) {
        self.add(path, Node::Symlink(target.as_bytes().to_vec()));
    }

    fn add(&mut self, path: &str, node: Node) {
        let path = PathBuf::from(path.trim_end_matches('/'));
        for folder in path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()) {
            self.nodes.entry(folder.to_owned()).or_insert(Node::Folder);
        }
        self.nodes.insert(path, node);
    }
}

impl FileTree for MemoryTree {
    type Id = PathBuf;

    fn root(&self) -> PathBuf {
        PathBuf::new()
    }

    fn list(&self, folder: &PathBuf) -> io::Result<Vec<Child<PathBuf>>> {
        let inside = |path: &Path| path.parent() == Some(folder) && !path.as_os_str().is_empty();
        let children = self.nodes.iter().filter(|(path, _)| inside(path)).map(|(path, node)| Child {
            name: path.file_name().unwrap_or_default().as_bytes().to_vec(),
            kind: match node {
                Node::File { executable, .. } => Kind::File { executable: *executable },
                Node::Folder => Kind::Folder,
                Node::Symlink(_) => Kind::Symlink,
            },
            id: path.clone(),
        });
        Ok(children.collect())
    }

    fn open(&self, file: &PathBuf) -> io::Result<Opened<'_>> {
        match self.nodes.get(file) {
            Some(Node::File { content, .. }) => {
                Ok(Opened { size: content.len() as u64, reader: Box::new(content.as_slice()) })
            }
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn read_link(&self, link: &PathBuf) -> io::Result<Vec<u8>> {
        match self.nodes.get(link) {
            Some(Node::Symlink(target)) => Ok(target.clone()),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    }
}
