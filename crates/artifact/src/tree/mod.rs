//! An artifact's content, opened once and shared.
//!
//! File contents lie one after the other in a spool file that has no name any more: it goes with the last user of the
//! tree, whatever happens to the process. Memory is the index alone.

mod build;
mod cache;

use std::{
    fs::File,
    io::{self, Read},
    os::unix::fs::FileExt as _,
    path::Path,
};

pub use cache::Trees;
pub(crate) use cache::{Place, UnderWay};
use sha2::{Digest as _, Sha256};

use crate::{
    archive::{ExtractError, Limits},
    files::{self, Child, FileTree, Opened},
};

/// The hash of a file's content, or of a folder's names, kinds and hashes.
pub type Hash = [u8; 32];

/// A read-only tree of files.
pub struct Tree {
    spool: File,
    spooled_bytes: u64,
    /// The root first; the children of a folder follow each other, in byte order of their names.
    nodes: Box<[Node]>,
    names: Box<str>,
}

struct Node {
    name_start: u32,
    name_len: u32,
    hash: Hash,
    content: Content,
}

#[derive(Clone, Copy)]
enum Content {
    File { executable: bool, offset: u64, size: u64 },
    Folder { first: u32, count: u32 },
}

/// What stands at a path of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File {
        /// Somebody may execute it.
        executable: bool,
        /// Its length in bytes.
        size: u64,
    },
    /// A folder.
    Folder,
}

/// A file or folder of a [`Tree`].
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    tree: &'a Tree,
    node: &'a Node,
}

impl Tree {
    /// Unpacks an archive into a spool file under `folder` and indexes it. Symbolic links are left out.
    ///
    /// Blocks; belongs on the blocking pool.
    ///
    /// # Errors
    /// [`ExtractError`]; nothing is left behind.
    pub fn unpack(archive: impl Read, folder: &Path, limits: &Limits) -> Result<Self, ExtractError> {
        build::unpack(archive, folder, limits)
    }

    /// The bytes that the contents of all files take in the spool.
    pub fn spooled_bytes(&self) -> u64 {
        self.spooled_bytes
    }

    /// The bytes that the names and places of all files and folders take in memory.
    pub fn index_bytes(&self) -> u64 {
        (size_of_val(&*self.nodes) + self.names.len()) as u64
    }

    /// The root folder.
    pub fn root(&self) -> Entry<'_> {
        Entry { tree: self, node: &self.nodes[0] }
    }

    /// Returns what is at `path`: relative, components joined by `/`; empty and `.` components count for nothing.
    /// `..` never finds anything.
    pub fn get(&self, path: &str) -> Option<Entry<'_>> {
        let mut entry = self.root();
        for name in path.split('/').filter(|name| !name.is_empty() && *name != ".") {
            entry = entry.child(name)?;
        }
        Some(entry)
    }

    /// Reads a file as a whole.
    ///
    /// # Errors
    /// `NotFound`, `IsADirectory`, and those of reading the spool.
    pub fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.get(path).ok_or(io::ErrorKind::NotFound)?.read()
    }

    fn name(&self, node: &Node) -> &str {
        &self.names[node.name_start as usize..(node.name_start + node.name_len) as usize]
    }

    fn children(&self, node: &Node) -> &[Node] {
        match node.content {
            Content::Folder { first, count } => &self.nodes[first as usize..(first + count) as usize],
            Content::File { .. } => &[],
        }
    }
}

impl<'a> Entry<'a> {
    /// The last component of the path; empty for the root.
    pub fn name(&self) -> &'a str {
        self.tree.name(self.node)
    }

    /// What it is.
    pub fn kind(&self) -> Kind {
        match self.node.content {
            Content::File { executable, size, .. } => Kind::File { executable, size },
            Content::Folder { .. } => Kind::Folder,
        }
    }

    /// The hash of the content. Two folders with equal hashes hold equal trees.
    pub fn hash(&self) -> &'a Hash {
        &self.node.hash
    }

    /// The entries of a folder in byte order of their names; none for a file.
    pub fn children(&self) -> impl ExactSizeIterator<Item = Entry<'a>> + use<'a> {
        let tree = self.tree;
        tree.children(self.node).iter().map(move |node| Entry { tree, node })
    }

    /// The entry of a folder with this name.
    pub fn child(&self, name: &str) -> Option<Entry<'a>> {
        let children = self.tree.children(self.node);
        let at = children.binary_search_by(|node| self.tree.name(node).cmp(name)).ok()?;
        Some(Entry { tree: self.tree, node: &children[at] })
    }

    /// Reads a file as a whole.
    ///
    /// # Errors
    /// `IsADirectory`, and those of reading the spool.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        let Content::File { offset, size, .. } = self.node.content else {
            return Err(io::ErrorKind::IsADirectory.into());
        };
        let length = usize::try_from(size).map_err(|_| io::ErrorKind::FileTooLarge)?;
        let mut content = vec![0; length];
        self.tree.spool.read_exact_at(&mut content, offset)?;
        Ok(content)
    }
}

/// An artifact as the source of another one: includes are taken from here.
impl FileTree for Tree {
    type Id = u32;

    fn root(&self) -> u32 {
        0
    }

    fn list(&self, folder: &u32) -> io::Result<Vec<Child<u32>>> {
        let Content::Folder { first, .. } = self.nodes[*folder as usize].content else {
            return Err(io::ErrorKind::NotADirectory.into());
        };
        let children = self.children(&self.nodes[*folder as usize]).iter().zip(first..);
        let children = children.map(|(node, id)| Child {
            name: self.name(node).as_bytes().to_vec(),
            kind: match node.content {
                Content::File { executable, .. } => files::Kind::File { executable },
                Content::Folder { .. } => files::Kind::Folder,
            },
            id,
        });
        Ok(children.collect())
    }

    fn open(&self, file: &u32) -> io::Result<Opened<'_>> {
        let Content::File { offset, size, .. } = self.nodes[*file as usize].content else {
            return Err(io::ErrorKind::IsADirectory.into());
        };
        Ok(Opened {
            size,
            reader: Box::new(SpoolReader { spool: &self.spool, at: offset, end: offset + size }),
        })
    }

    fn read_link(&self, _: &u32) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::InvalidInput.into())
    }
}

struct SpoolReader<'a> {
    spool: &'a File,
    at: u64,
    end: u64,
}

impl Read for SpoolReader<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
        let length = buf.len().min(left);
        let count = self.spool.read_at(&mut buf[..length], self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

/// The hash of a folder, from the names, kinds and hashes of its children in order.
fn folder_hash<'a>(children: impl Iterator<Item = (&'a str, Content, &'a Hash)>) -> Hash {
    let mut hasher = Sha256::new();
    for (name, content, hash) in children {
        hasher.update((name.len() as u64).to_be_bytes());
        hasher.update(name);
        hasher.update([match content {
            Content::File { executable: false, .. } => 0,
            Content::File { executable: true, .. } => 1,
            Content::Folder { .. } => 2,
        }]);
        hasher.update(hash);
    }
    hasher.finalize().into()
}
