//! The files of a commit together with those that it includes.
//!
//! Nothing is copied: the tree of the commit is a folder under which other trees are hung, by the rules by which the
//! original moves folders about on disk.
//!
//! Contract: source-controller §2.5 (include), §3.6.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use millrace_artifact::files::{Child, FileTree, Kind, Opened, find};
use millrace_artifact::tree::Tree;

/// The most symbolic links that lead to one place.
const MAX_LINKS: usize = 255;

/// A tree of files with others hung into it.
pub(crate) struct WorkTree<B> {
    base: B,
    trees: Vec<Arc<Tree>>,
    grafts: BTreeMap<Vec<u8>, Graft>,
}

/// What was put in a place.
#[derive(Clone, Copy)]
struct Graft {
    tree: usize,
    id: u32,
    kind: Kind,
}

/// Why a tree can't be hung in.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GraftError {
    /// The place can't be determined.
    #[error(transparent)]
    Place(PlaceError),
    /// It can be, but the files don't fit there, or there are none.
    #[error(transparent)]
    Fit(FitError),
}

/// Why a path leads nowhere.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlaceError {
    #[error("lstat {path}: invalid argument")]
    Invalid { path: String },
    #[error("{path}: too many levels of symbolic links")]
    Links { path: String },
    #[error("lstat {path}")]
    Unreadable { path: String, source: io::Error },
}

/// Why files don't fit in their place.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FitError {
    #[error("stat {path}: no such file or directory")]
    Missing { path: String },
    #[error("mkdir {path}: not a directory")]
    NoFolder { path: String },
    #[error("rename {path}: file exists")]
    Occupied { path: String },
    #[error("rename {path}: not a directory")]
    FolderOverFile { path: String },
    #[error("failed to read files")]
    Unreadable(#[source] io::Error),
}

impl<B: FileTree> WorkTree<B> {
    /// A tree with nothing hung into it.
    pub(crate) fn new(base: B) -> Self {
        Self { base, trees: Vec::new(), grafts: BTreeMap::new() }
    }

    /// Hangs what is at `from` in `tree` into the place `to`, with the folders that lead there.
    ///
    /// Neither path leads out of its tree, by `..` or by symbolic links. What is there must be nothing, an empty folder,
    /// or a file where a file is to go.
    pub(crate) fn graft(&mut self, tree: &Arc<Tree>, from: &str, to: &str) -> Result<(), GraftError> {
        let place = self.confined(to).map_err(GraftError::Place)?;
        let source = confined_without_links(from.as_bytes());
        let found = find(&**tree, &source).map_err(|error| GraftError::Fit(FitError::Unreadable(error)))?;
        let found = found.ok_or_else(|| GraftError::Fit(FitError::Missing { path: shown(&source) }))?;
        self.check(&place, found.kind).map_err(GraftError::Fit)?;
        self.trees.push(Arc::clone(tree));
        self.grafts.insert(place, Graft { tree: self.trees.len() - 1, id: found.id, kind: found.kind });
        Ok(())
    }

    /// Follows a path and the links on it, none of which leads out of the tree. What isn't there is taken by its name.
    fn confined(&self, path: &str) -> Result<Vec<u8>, PlaceError> {
        if path.contains('\0') {
            return Err(PlaceError::Invalid { path: path.escape_debug().to_string() });
        }
        let mut rest: Vec<Vec<u8>> = components(path.as_bytes()).map(<[u8]>::to_vec).rev().collect();
        let mut at: Vec<Vec<u8>> = Vec::new();
        let mut links = 0;
        while let Some(part) = rest.pop() {
            match part.as_slice() {
                b"." => {}
                b".." => drop(at.pop()),
                _ => {
                    at.push(part);
                    let Some(target) = self.link_at(&at.join(&b'/'))? else { continue };
                    links += 1;
                    if links > MAX_LINKS {
                        return Err(PlaceError::Links { path: path.to_owned() });
                    }
                    at.pop();
                    if target.starts_with(b"/") {
                        at.clear();
                    }
                    rest.extend(components(&target).map(<[u8]>::to_vec).rev());
                }
            }
        }
        Ok(at.join(&b'/'))
    }

    /// Where the symbolic link at a path points, if there is one.
    fn link_at(&self, path: &[u8]) -> Result<Option<Vec<u8>>, PlaceError> {
        let target = match find(self, path) {
            Ok(Some(Child { kind: Kind::Symlink, id, .. })) => self.read_link(&id).map(Some),
            Ok(_) => Ok(None),
            Err(error) => Err(error),
        };
        target.map_err(|source| PlaceError::Unreadable { path: shown(path), source })
    }

    /// Checks that something of a kind can be moved to a place.
    fn check(&self, place: &[u8], kind: Kind) -> Result<(), FitError> {
        let parts: Vec<&[u8]> = components(place).collect();
        // In a work tree, `.git` is where the repository is.
        if parts.first().is_none_or(|first| *first == b".git") {
            return Err(FitError::Occupied { path: shown(place) });
        }
        for depth in 1..parts.len() {
            let folder = parts[..depth].join(&b'/');
            match find(self, &folder).map_err(FitError::Unreadable)? {
                Some(child) if child.kind != Kind::Folder => {
                    return Err(FitError::NoFolder { path: shown(&folder) });
                }
                Some(_) => {}
                None => break,
            }
        }
        let Some(existing) = find(self, place).map_err(FitError::Unreadable)? else { return Ok(()) };
        match (kind, existing.kind) {
            (Kind::Folder, Kind::Folder) => {
                let empty = self.list(&existing.id).map_err(FitError::Unreadable)?.is_empty();
                if empty { Ok(()) } else { Err(FitError::Occupied { path: shown(place) }) }
            }
            (Kind::Folder, _) => Err(FitError::FolderOverFile { path: shown(place) }),
            (_, Kind::Folder) => Err(FitError::Occupied { path: shown(place) }),
            (_, _) => Ok(()),
        }
    }
}

fn components(path: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|part| !part.is_empty())
}

/// Follows a path in a tree that has no links; `..` doesn't lead out of it.
pub(crate) fn confined_without_links(path: &[u8]) -> Vec<u8> {
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in components(path) {
        match part {
            b"." => {}
            b".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join(&b'/')
}

fn shown(path: &[u8]) -> String {
    if path.is_empty() { ".".to_owned() } else { String::from_utf8_lossy(path).into_owned() }
}

/// A place in a [`WorkTree`], with the path that led there.
#[derive(Clone)]
pub(crate) struct Spot<Id> {
    path: Vec<u8>,
    at: At<Id>,
}

#[derive(Clone)]
enum At<Id> {
    /// In the tree itself.
    Base(Id),
    /// In one that was hung in.
    Included { tree: usize, id: u32 },
    /// A folder that is there because something was hung in below.
    Between,
}

impl<B: FileTree> FileTree for WorkTree<B> {
    type Id = Spot<B::Id>;

    fn root(&self) -> Self::Id {
        Spot { path: Vec::new(), at: At::Base(self.base.root()) }
    }

    fn list(&self, folder: &Self::Id) -> io::Result<Vec<Child<Self::Id>>> {
        let path_of = |name: &[u8]| join(&folder.path, name);
        let mut children: Vec<Child<Self::Id>> = match &folder.at {
            At::Base(id) => {
                let children = self.base.list(id)?.into_iter();
                children.map(|child| placed(path_of(&child.name), child, At::Base)).collect()
            }
            At::Included { tree, id } => {
                let children = self.trees[*tree].list(id)?.into_iter();
                let included = |id| At::Included { tree: *tree, id };
                children.map(|child| placed(path_of(&child.name), child, included)).collect()
            }
            At::Between => Vec::new(),
        };
        for (place, graft) in &self.grafts {
            let Some((name, is_here)) = step(&folder.path, place) else { continue };
            let path = path_of(name);
            if is_here {
                let at = At::Included { tree: graft.tree, id: graft.id };
                children.retain(|child| child.name != name);
                children.push(Child { name: name.to_vec(), kind: graft.kind, id: Spot { path, at } });
            } else if !children.iter().any(|child| child.name == name) {
                let id = Spot { path, at: At::Between };
                children.push(Child { name: name.to_vec(), kind: Kind::Folder, id });
            }
        }
        Ok(children)
    }

    fn open(&self, file: &Self::Id) -> io::Result<Opened<'_>> {
        match &file.at {
            At::Base(id) => self.base.open(id),
            At::Included { tree, id } => self.trees[*tree].open(id),
            At::Between => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    fn read_link(&self, link: &Self::Id) -> io::Result<Vec<u8>> {
        match &link.at {
            At::Base(id) => self.base.read_link(id),
            At::Included { tree, id } => self.trees[*tree].read_link(id),
            At::Between => Err(io::ErrorKind::InvalidInput.into()),
        }
    }
}

fn placed<A, Id>(path: Vec<u8>, child: Child<A>, at: impl FnOnce(A) -> At<Id>) -> Child<Spot<Id>> {
    let Child { name, kind, id } = child;
    Child { name, kind, id: Spot { path, at: at(id) } }
}

/// The component of `place` that follows `folder`, and whether it is the last one; `None` for what isn't below.
fn step<'a>(folder: &[u8], place: &'a [u8]) -> Option<(&'a [u8], bool)> {
    let rest = match folder {
        [] => place,
        folder => place.strip_prefix(folder)?.strip_prefix(b"/")?,
    };
    match rest.iter().position(|byte| *byte == b'/') {
        Some(end) => Some((&rest[..end], false)),
        None => Some((rest, true)).filter(|_| !rest.is_empty()),
    }
}

fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    if folder.is_empty() { name.to_vec() } else { [folder, name].join(&b'/') }
}

#[cfg(test)]
mod tests {
    use millrace_artifact::archive::{self, Limits};
    use millrace_artifact::files::MemoryTree;
    use millrace_artifact::ignore::Rules;

    use super::*;

    fn memory(files: &[&str]) -> MemoryTree {
        let mut tree = MemoryTree::default();
        for file in files {
            match file.split_once(" -> ") {
                Some((link, target)) => tree.add_symlink(link, target),
                None if file.ends_with('/') => tree.add_folder(file),
                None => tree.add_file(file, *file, false),
            }
        }
        tree
    }

    fn artifact(files: &[&str]) -> Arc<Tree> {
        let tree = memory(files);
        let rules = Rules::load(&tree, None).unwrap();
        let (bytes, _) = archive::write(&tree, &rules, Vec::new()).unwrap();
        let tree = Tree::unpack(bytes.as_slice(), &std::env::temp_dir(), &Limits::default());
        Arc::new(tree.unwrap())
    }

    /// Every file with its content, and every empty folder.
    fn all(tree: &impl FileTree) -> Vec<String> {
        fn walk<T: FileTree>(tree: &T, path: &str, folder: &T::Id, out: &mut Vec<String>) {
            let children = tree.list(folder).unwrap();
            if children.is_empty() {
                out.push(path.to_owned());
            }
            for Child { name, kind, id } in children {
                let path = format!("{path}{}", String::from_utf8(name).unwrap());
                match kind {
                    Kind::Folder => walk(tree, &format!("{path}/"), &id, out),
                    Kind::Symlink => out.push(format!("{path} ->")),
                    Kind::File { .. } | Kind::Other => {
                        let mut text = String::new();
                        tree.open(&id).unwrap().reader.read_to_string(&mut text).unwrap();
                        out.push(if text == path { path } else { format!("{path} = {text}") });
                    }
                }
            }
        }
        let mut out = Vec::new();
        walk(tree, "", &tree.root(), &mut out);
        out.sort();
        out
    }

    /// What is in a tree of `base` after hanging in a library, or why it can't be.
    fn grafted(base: &[&str], from: &str, to: &str) -> Result<Vec<String>, String> {
        let library = artifact(&["sub/a", "sub/d/b", "top"]);
        let mut tree = WorkTree::new(memory(base));
        tree.graft(&library, from, to).map(|()| all(&tree)).map_err(|error| error.to_string())
    }

    // The content of SC-049.
    #[test]
    fn included_files_appear_in_their_place() {
        let rows: &[(&[&str], &str, &str, &[&str])] = &[
            (&["r"], "sub", "x/y", &["r", "x/y/a = sub/a", "x/y/d/b = sub/d/b"]),
            (&["r"], "", "lib", &["lib/sub/a = sub/a", "lib/sub/d/b = sub/d/b", "lib/top = top", "r"]),
            (&["x/r"], "./sub/d/", "/x/y/", &["x/r", "x/y/b = sub/d/b"]),
            (&["r"], "../../sub/../top", "../t", &["r", "t = top"]),
            (&["r", "m/"], "sub/d", "m", &["m/b = sub/d/b", "r"]),
            (&["r"], "top", "r", &["r = top"]),
            (&["d/r", "l -> d"], "top", "l/t", &["d/r", "d/t = top", "l ->"]),
            (&["d/r", "l -> ../../d/n"], "top", "l", &["d/n = top", "d/r", "l ->"]),
            (&["r", "l -> /e"], "sub/d", "l/f", &["e/f/b = sub/d/b", "l ->", "r"]),
        ];
        for (base, from, to, expected) in rows {
            let seen = grafted(base, from, to);
            let expected: Vec<_> = expected.iter().map(ToString::to_string).collect();
            assert_eq!(seen, Ok(expected), "{base:?} {from} {to}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let rows: &[(&[&str], &str, &str, &str)] = &[
            (&["r"], "nope", "x", "stat nope: no such file or directory"),
            (&["r"], "top/x", "x", "stat top/x: no such file or directory"),
            (&["r"], "sub", ".", "rename .: file exists"),
            (&["r"], "sub", "..", "rename .: file exists"),
            (&["r"], "sub", ".git/hooks", "rename .git/hooks: file exists"),
            (&["d/r"], "sub", "d", "rename d: file exists"),
            (&["d/r"], "top", "d", "rename d: file exists"),
            (&["r"], "sub", "r", "rename r: not a directory"),
            (&["r"], "sub", "r/x", "mkdir r: not a directory"),
            (&["l -> l"], "sub", "l", "l: too many levels of symbolic links"),
            (&["r"], "sub", "a\0b", "lstat a\\0b: invalid argument"),
        ];
        for (base, from, to, expected) in rows {
            assert_eq!(grafted(base, from, to), Err((*expected).to_owned()), "{base:?} {from} {to}");
        }
    }

    #[test]
    fn only_a_place_that_leads_nowhere_is_an_illegal_path() {
        let library = artifact(&["a"]);
        let mut tree = WorkTree::new(memory(&["l -> l", "r"]));
        assert!(matches!(tree.graft(&library, "", "l"), Err(GraftError::Place(_))));
        assert!(matches!(tree.graft(&library, "", "r"), Err(GraftError::Fit(_))));
    }

    #[test]
    fn includes_may_lie_within_each_other_but_not_over_each_other() {
        let (one, two) = (artifact(&["d/a", "f"]), artifact(&["b"]));
        let mut tree = WorkTree::new(memory(&["r"]));
        tree.graft(&one, "", "v").unwrap();
        tree.graft(&two, "", "v/d/w").unwrap();
        tree.graft(&two, "b", "v/f").unwrap();
        assert_eq!(all(&tree), ["r", "v/d/a = d/a", "v/d/w/b = b", "v/f = b"]);
        let error = tree.graft(&two, "", "v/d").unwrap_err();
        assert_eq!(error.to_string(), "rename v/d: file exists");
    }
}
