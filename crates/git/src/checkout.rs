//! The files of a commit, read from the object store.

use std::io;

use gix::{
    ObjectId,
    objs::{FindHeader as _, tree::EntryKind as Mode},
    odb,
    prelude::FindExt as _,
};

use crate::error::{GitError, TreeError};

/// The deepest nesting of folders.
const MAX_DEPTH: usize = 512;

/// A commit whose files can be read. Nothing is ever written to a work tree.
pub struct Checkout {
    objects: odb::Handle,
    commit: Commit,
    tree: ObjectId,
}

/// What is known about a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The hash.
    pub id: String,
    /// The message, with line breaks as they are.
    pub message: String,
    /// When it was written, in seconds since the epoch.
    pub author_time: i64,
    /// When it was made, in seconds since the epoch.
    pub committer_time: i64,
    /// The hash of the annotated tag that led here.
    pub tag_object: Option<String>,
}

impl Commit {
    /// The first line of the message.
    pub fn subject(&self) -> &str {
        self.message.trim_start().lines().next().unwrap_or_default()
    }
}

/// What the tree finds a file or folder by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Node(Place);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Object(ObjectId),
    /// A submodule that isn't here: an empty folder.
    Submodule,
}

/// What an entry of a folder is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File {
        /// It may be executed.
        executable: bool,
    },
    /// A folder.
    Folder,
    /// A symbolic link.
    Symlink,
    /// Another repository at a commit. Its files aren't part of this one; it lists as an empty folder.
    Submodule {
        /// The hash of the commit.
        commit: String,
    },
}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The last component of the path; not necessarily UTF-8, but never one that could lead elsewhere.
    pub name: Vec<u8>,
    /// What it is.
    pub kind: EntryKind,
    /// What it is found by.
    pub node: Node,
}

/// A walk that ended early.
#[derive(Debug, thiserror::Error)]
pub enum WalkError<E> {
    /// An object is missing or damaged, or a name could lead elsewhere.
    #[error(transparent)]
    Read(io::Error),
    /// The visitor failed.
    #[error(transparent)]
    Visit(E),
}

impl Checkout {
    pub(crate) fn open(objects: odb::Handle, id: ObjectId, tag: Option<ObjectId>) -> Result<Self, GitError> {
        let unreadable = |err: gix::Error| GitError::Unreadable {
            commit: id.to_string(),
            source: io::Error::other(err.to_string()),
        };
        let mut buffer = Vec::new();
        let (commit, tree) = {
            let found = objects.find_commit(&id, &mut buffer).map_err(unreadable)?;
            let seconds = |signature: gix::Result<gix::actor::SignatureRef<'_>>| {
                signature.map_or(0, |signature| signature.seconds())
            };
            let commit = Commit {
                id: id.to_string(),
                message: found.message.to_string(),
                author_time: seconds(found.author()),
                committer_time: seconds(found.committer()),
                tag_object: tag.filter(|tag| *tag != id).map(|tag| tag.to_string()),
            };
            (commit, found.tree())
        };
        Ok(Self { objects, commit, tree })
    }

    /// The commit.
    pub fn commit(&self) -> &Commit {
        &self.commit
    }

    /// The folder that everything is in.
    pub fn root(&self) -> Node {
        Node(Place::Object(self.tree))
    }

    /// Lists a folder in byte order of the names (which isn't Git's).
    ///
    /// # Errors
    /// A [`TreeError`] for names that no folder on disk can have; those of the object store.
    pub fn list(&self, folder: Node) -> io::Result<Vec<Entry>> {
        let Place::Object(id) = folder.0 else { return Ok(Vec::new()) };
        let mut buffer = Vec::new();
        let tree = self.objects.find_tree(&id, &mut buffer).map_err(|err| object_error(&err))?;
        let mut entries = Vec::with_capacity(tree.entries.len());
        for entry in &tree.entries {
            let name = entry.filename.to_vec();
            check_name(&name)?;
            let object = ObjectId::from(entry.oid);
            let (kind, place) = match entry.mode.kind() {
                Mode::Tree => (EntryKind::Folder, Place::Object(object)),
                Mode::Blob => (EntryKind::File { executable: false }, Place::Object(object)),
                Mode::BlobExecutable => (EntryKind::File { executable: true }, Place::Object(object)),
                Mode::Link => (EntryKind::Symlink, Place::Object(object)),
                Mode::Commit => (EntryKind::Submodule { commit: object.to_string() }, Place::Submodule),
            };
            entries.push(Entry { name, kind, node: Node(place) });
        }
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        match entries.windows(2).find(|pair| pair[0].name == pair[1].name) {
            Some([twice, ..]) => Err(TreeError::Twice { path: text(&twice.name) }.into()),
            Some(_) | None => Ok(entries),
        }
    }

    /// The size of a file in bytes, which needs no look at all of its content.
    ///
    /// # Errors
    /// Those of the object store.
    pub fn size(&self, file: Node) -> io::Result<u64> {
        let Place::Object(id) = file.0 else { return Err(io::ErrorKind::IsADirectory.into()) };
        let header = self.objects.try_header(&id).map_err(|err| object_error(&err))?;
        header.map(|header| header.size).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Reads a file, or where a symbolic link points. One file at a time is in memory.
    ///
    /// # Errors
    /// Those of the object store.
    pub fn read(&self, file: Node) -> io::Result<Vec<u8>> {
        let Place::Object(id) = file.0 else { return Err(io::ErrorKind::IsADirectory.into()) };
        let mut buffer = Vec::new();
        let start = {
            let blob = self.objects.find_blob(&id, &mut buffer).map_err(|err| object_error(&err))?;
            blob.data.len()
        };
        // The empty blob isn't stored anywhere, so nothing was put into the buffer for it.
        buffer.truncate(start);
        Ok(buffer)
    }

    /// Visits everything depth first, folders before their content, names in byte order. Submodules are visited, not
    /// entered.
    ///
    /// # Errors
    /// [`WalkError`]; the walk ends with the first one.
    pub fn walk<E>(&self, mut visit: impl FnMut(&[u8], &Entry) -> Result<(), E>) -> Result<(), WalkError<E>> {
        let mut levels = vec![(Vec::new(), self.list(self.root()).map_err(WalkError::Read)?.into_iter())];
        while let Some((folder, entries)) = levels.last_mut() {
            let Some(entry) = entries.next() else {
                levels.pop();
                continue;
            };
            let path = if folder.is_empty() {
                entry.name.clone()
            } else {
                [folder, entry.name.as_slice()].join(&b'/')
            };
            visit(&path, &entry).map_err(WalkError::Visit)?;
            if entry.kind == EntryKind::Folder {
                if levels.len() >= MAX_DEPTH {
                    return Err(WalkError::Read(io::Error::other("folders are nested too deeply")));
                }
                let listing = self.list(entry.node).map_err(WalkError::Read)?;
                levels.push((path, listing.into_iter()));
            }
        }
        Ok(())
    }
}

/// Refuses what could lead out of the tree, or into the repository's own data.
fn check_name(name: &[u8]) -> io::Result<()> {
    let harmful = matches!(name, b"" | b"." | b"..")
        || name.iter().any(|byte| matches!(byte, b'/' | b'\0'))
        || name.eq_ignore_ascii_case(b".git");
    if harmful { Err(TreeError::Name { path: text(name) }.into()) } else { Ok(()) }
}

fn text(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

fn object_error(err: &gix::Error) -> io::Error {
    io::Error::other(err.to_string())
}

#[cfg(test)]
mod tests {
    use super::check_name;

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for name in ["", ".", "..", "a/b", "a\0", ".git", ".GIT"] {
            assert!(check_name(name.as_bytes()).is_err(), "{name:?}");
        }
        for name in ["a", "...", ".gitignore", "git", "a b", "é"] {
            assert!(check_name(name.as_bytes()).is_ok(), "{name:?}");
        }
    }
}
