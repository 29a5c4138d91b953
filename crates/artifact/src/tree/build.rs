//! Makes a tree out of an archive.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufWriter, Read, Write},
    path::Path,
};

use sha2::{Digest as _, Sha256};

use super::{Content, Hash, Node, Tree, folder_hash};
use crate::archive::{Entry, EntryKind, ExtractError, Limits, Links, read};

/// The deepest nesting of folders.
const MAX_DEPTH: usize = 256;

/// A folder or file while the archive is being read.
enum Draft {
    File { executable: bool, offset: u64, size: u64, hash: Hash },
    Folder(BTreeMap<Box<str>, Draft>),
}

pub(super) fn unpack(archive: impl Read, folder: &Path, limits: &Limits) -> Result<Tree, ExtractError> {
    let spool_error = |source| ExtractError::Store { name: ".".to_owned(), source };
    let spool = tempfile::tempfile_in(folder).map_err(spool_error)?;
    let mut builder =
        Builder { spool: BufWriter::with_capacity(64 * 1024, spool), end: 0, root: BTreeMap::new() };
    read(archive, Links::Skip, limits, |entry| builder.add(entry))?;
    let spool = builder.spool.into_inner().map_err(|err| spool_error(err.into_error()))?;
    layout(spool, builder.end, builder.root).map_err(spool_error)
}

struct Builder {
    spool: BufWriter<File>,
    end: u64,
    root: BTreeMap<Box<str>, Draft>,
}

impl Builder {
    /// Adds a member; as on disk, a later file replaces an earlier one of the same name.
    fn add(&mut self, entry: Entry<'_>) -> io::Result<()> {
        let Some((folder, name)) = split(&entry.path) else {
            return match entry.kind {
                EntryKind::Folder => Ok(()),
                _ => Err(io::ErrorKind::IsADirectory.into()),
            };
        };
        let draft = match entry.kind {
            EntryKind::Folder => {
                return self.folder(&entry.path).map(|_| ());
            }
            EntryKind::File { executable, size, content } => self.spool(executable, size, content)?,
            // The original makes an empty file of a link to something that isn't there.
            EntryKind::HardLink { target } => match self.file(&target) {
                Some(draft) => draft,
                None => self.spool(false, 0, &mut io::empty())?,
            },
        };
        let folder = self.folder(folder)?;
        if let Some(Draft::Folder(_)) = folder.get(name) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        folder.insert(name.into(), draft);
        Ok(())
    }

    fn spool(&mut self, executable: bool, size: u64, content: &mut dyn Read) -> io::Result<Draft> {
        let mut hasher = Sha256::new();
        let mut left = size;
        let mut buffer = [0; 16 * 1024];
        while left > 0 {
            let length = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let count = match content.read(&mut buffer[..length]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => count,
                Err(err) if err.kind() == io::ErrorKind::Interrupted => continue,
                Err(err) => return Err(err),
            };
            hasher.update(&buffer[..count]);
            self.spool.write_all(&buffer[..count])?;
            left -= count as u64;
        }
        let offset = self.end;
        self.end += size;
        Ok(Draft::File { executable, offset, size, hash: hasher.finalize().into() })
    }

    /// Returns a folder, made if need be with the ones above it.
    fn folder(&mut self, path: &str) -> io::Result<&mut BTreeMap<Box<str>, Draft>> {
        let mut folder = &mut self.root;
        for (depth, name) in path.split('/').filter(|name| !name.is_empty()).enumerate() {
            if depth >= MAX_DEPTH {
                return Err(io::Error::other("folders are nested too deeply"));
            }
            let draft = folder.entry(name.into()).or_insert_with(|| Draft::Folder(BTreeMap::new()));
            folder = match draft {
                Draft::Folder(children) => children,
                Draft::File { .. } => return Err(io::ErrorKind::NotADirectory.into()),
            };
        }
        Ok(folder)
    }

    /// Returns another name for the file at `path`.
    fn file(&self, path: &str) -> Option<Draft> {
        let (folders, name) = split(path)?;
        let mut folder = &self.root;
        for name in folders.split('/').filter(|name| !name.is_empty()) {
            folder = match folder.get(name)? {
                Draft::Folder(children) => children,
                Draft::File { .. } => return None,
            };
        }
        match folder.get(name)? {
            Draft::File { executable, offset, size, hash } => {
                Some(Draft::File { executable: *executable, offset: *offset, size: *size, hash: *hash })
            }
            Draft::Folder(_) => None,
        }
    }
}

/// Splits a path into its folder, possibly empty, and its last component; `None` for the root.
fn split(path: &str) -> Option<(&str, &str)> {
    (!path.is_empty()).then(|| path.rsplit_once('/').unwrap_or(("", path)))
}

/// Puts the drafts in the order of [`Tree::nodes`]: breadth first, so that children follow each other.
fn layout(spool: File, spooled_bytes: u64, root: BTreeMap<Box<str>, Draft>) -> io::Result<Tree> {
    let too_many = |_| io::Error::other("artifact has too many files");
    let mut nodes: Vec<Node> = Vec::new();
    let mut names = String::new();
    let mut level = vec![(Box::from(""), Draft::Folder(root))];
    while !level.is_empty() {
        let mut next = Vec::new();
        let next_start = nodes.len() + level.len();
        for (name, draft) in level {
            let name_start = u32::try_from(names.len()).map_err(too_many)?;
            names.push_str(&name);
            let name_len = u32::try_from(name.len()).map_err(too_many)?;
            let (content, hash) = match draft {
                Draft::File { executable, offset, size, hash } => {
                    (Content::File { executable, offset, size }, hash)
                }
                Draft::Folder(children) => {
                    let first = u32::try_from(next_start + next.len()).map_err(too_many)?;
                    let count = u32::try_from(children.len()).map_err(too_many)?;
                    next.extend(children);
                    (Content::Folder { first, count }, [0; 32])
                }
            };
            nodes.push(Node { name_start, name_len, hash, content });
        }
        level = next;
    }
    u32::try_from(names.len()).map_err(too_many)?;
    let mut tree = Tree { spool, spooled_bytes, nodes: nodes.into(), names: names.into() };
    // Backwards, so that the children of a folder are done before it.
    for at in (0..tree.nodes.len()).rev() {
        if let Content::Folder { .. } = tree.nodes[at].content {
            let children = tree.children(&tree.nodes[at]).iter();
            let hash = folder_hash(children.map(|node| (tree.name(node), node.content, &node.hash)));
            tree.nodes[at].hash = hash;
        }
    }
    Ok(tree)
}
