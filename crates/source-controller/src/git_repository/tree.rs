//! The files of a commit, as archives read them.
//!
//! Contract: source-controller §3.4, §3.6.

use std::ffi::OsStr;
use std::io::{self, Cursor};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use millrace_artifact::files::{Child, FileTree, Kind, Opened, find};
use millrace_git::{Checkout, Entry, EntryKind, Node, TreeError};

use super::work_tree::confined_without_links;

/// The part of a tree that a sparse checkout takes: everything below paths that begin with one of some texts.
///
/// The texts are compared letter by letter (trap T54): `dir` takes `dirty/x` too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    prefixes: Vec<String>,
}

/// A path of a sparse checkout that isn't in the commit.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SparseError {
    #[error(
        "sparse checkout dir '{path}' does not exist in repository: lstat {}: no such file or directory",
        .full.display()
    )]
    Missing { path: String, full: PathBuf },
    #[error("sparse checkout dir '{path}' cannot be resolved")]
    Unreadable { path: String, source: io::Error },
}

impl Selection {
    /// What `spec.sparseCheckout` selects; an empty list selects everything, and so does an empty entry.
    pub(crate) fn new(entries: &[String]) -> Self {
        let prefixes = entries.iter().map(|entry| entry.strip_prefix("./").unwrap_or(entry).to_owned());
        Self { prefixes: prefixes.collect() }
    }

    /// Whether a file, or anything below a folder, is selected.
    fn takes(&self, path: &[u8], is_folder: bool) -> bool {
        let below = [path, b"/"].concat();
        let taken = |prefix: &[u8]| {
            let leads_there = is_folder && (below.starts_with(prefix) || prefix.starts_with(&below));
            path.starts_with(prefix) || leads_there
        };
        self.prefixes.is_empty() || self.prefixes.iter().any(|prefix| taken(prefix.as_bytes()))
    }

    /// Checks that every path of the list is in the commit. Messages speak of it as if it were checked out at `folder`.
    pub(crate) fn check(checkout: &Checkout, entries: &[String], folder: &Path) -> Result<(), SparseError> {
        let tree = CommitTree { checkout, selection: &Self::default() };
        for path in entries {
            let confined = confined_without_links(path.as_bytes());
            match find(&tree, &confined) {
                Ok(Some(_)) => {}
                Ok(None) => {
                    let full = folder.join(OsStr::from_bytes(&confined));
                    return Err(SparseError::Missing { path: path.clone(), full });
                }
                Err(source) => return Err(SparseError::Unreadable { path: path.clone(), source }),
            }
        }
        Ok(())
    }
}

/// A commit as a tree of files. A submodule that isn't fetched is an empty folder, as in a checkout.
pub(crate) struct CommitTree<'a> {
    pub(crate) checkout: &'a Checkout,
    pub(crate) selection: &'a Selection,
}

/// A place in a commit, with the path that led there.
#[derive(Clone)]
pub(crate) struct Place {
    path: Vec<u8>,
    node: Node,
}

impl FileTree for CommitTree<'_> {
    type Id = Place;

    fn root(&self) -> Place {
        Place { path: Vec::new(), node: self.checkout.root() }
    }

    fn list(&self, folder: &Place) -> io::Result<Vec<Child<Place>>> {
        let entries = self.checkout.list(folder.node);
        let entries = entries.map_err(|error| TreeError::below(error, &folder.path))?;
        let children = entries.into_iter().map(|entry| child(&folder.path, entry));
        Ok(children
            .filter(|child| self.selection.takes(&child.id.path, child.kind == Kind::Folder))
            .collect())
    }

    fn open(&self, file: &Place) -> io::Result<Opened<'_>> {
        let content = self.checkout.read(file.node)?;
        Ok(Opened { size: content.len() as u64, reader: Box::new(Cursor::new(content)) })
    }

    fn read_link(&self, link: &Place) -> io::Result<Vec<u8>> {
        self.checkout.read(link.node)
    }
}

fn child(folder: &[u8], entry: Entry) -> Child<Place> {
    let Entry { name, kind, node } = entry;
    let kind = match kind {
        EntryKind::File { executable } => Kind::File { executable },
        EntryKind::Folder | EntryKind::Submodule { commit: _ } => Kind::Folder,
        EntryKind::Symlink => Kind::Symlink,
    };
    let path = if folder.is_empty() { name.clone() } else { [folder, &name].join(&b'/') };
    Child { name, kind, id: Place { path, node } }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The selection of SC-052: `d/` at the end of a path marks a folder.
    #[test]
    fn paths_are_selected_by_how_they_begin() {
        let rows: &[(&[&str], &[&str], &[&str])] = &[
            (&[], &["a", "d/"], &[]),
            (&["dir1"], &["dir1/", "dir1/a", "dir10/", "dir10/b"], &["r.txt", "dir/", "dir2/"]),
            (&["./dir1"], &["dir1/", "dir1/a"], &["r.txt"]),
            (&["dir1/"], &["dir1/", "dir1/a"], &["dir10/", "dir10/b", "dir1"]),
            (&["a/b/c"], &["a/", "a/b/", "a/b/c/", "a/b/c/d", "a/b/cc"], &["a/x", "b/", "a/bb/"]),
            (&["./"], &["a", "d/"], &[]),
        ];
        for (entries, taken, left) in rows {
            let entries: Vec<_> = entries.iter().map(ToString::to_string).collect();
            let selection = Selection::new(&entries);
            let takes =
                |path: &str| selection.takes(path.trim_end_matches('/').as_bytes(), path.ends_with('/'));
            for path in *taken {
                assert!(takes(path), "{entries:?} leaves {path}");
            }
            for path in *left {
                assert!(!takes(path), "{entries:?} takes {path}");
            }
        }
    }
}
