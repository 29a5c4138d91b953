//! The artifact's tree with the files that were written over it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use millrace_artifact::tree::{Kind, Tree};
use millrace_kustomize::{FileKind, FileSystem, ReadError};

/// What a build sees: the shared tree, and over it the files of this Kustomization alone.
///
/// Paths are relative to the artifact's root. An artifact has no symbolic links (they are left out when it is unpacked), so
/// that no path can lead outside.
pub(crate) struct Files {
    tree: Arc<Tree>,
    overlay: BTreeMap<String, Vec<u8>>,
}

impl Files {
    /// The tree as it is.
    pub(crate) fn new(tree: Arc<Tree>) -> Self {
        Self { tree, overlay: BTreeMap::new() }
    }

    /// Writes a file into an existing folder, over the tree's if it has one there.
    pub(crate) fn write(&mut self, path: String, content: Vec<u8>) {
        self.overlay.insert(path, content);
    }
}

impl FileSystem for Files {
    fn kind(&self, path: &str) -> Option<FileKind> {
        if self.overlay.contains_key(path) {
            return Some(FileKind::File);
        }
        Some(match self.tree.get(path)?.kind() {
            Kind::File { .. } => FileKind::File,
            Kind::Folder => FileKind::Folder,
        })
    }

    fn read(&self, path: &str) -> Result<Cow<'_, [u8]>, ReadError> {
        if let Some(content) = self.overlay.get(path) {
            return Ok(Cow::Borrowed(content));
        }
        let entry = self.tree.get(path).ok_or(ReadError::NotFound)?;
        match entry.kind() {
            Kind::Folder => Err(ReadError::IsFolder),
            Kind::File { .. } => {
                entry.read().map(Cow::Owned).map_err(|error| ReadError::Other(error.to_string()))
            }
        }
    }

    fn original(&self, path: &str) -> Option<Cow<'_, [u8]>> {
        self.tree.get(path)?.read().map(Cow::Owned).ok()
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        let entry = self.tree.get(path)?;
        if !matches!(entry.kind(), Kind::Folder) {
            return None;
        }
        let mut names: Vec<String> = entry.children().map(|child| child.name().to_owned()).collect();
        let written = self.overlay.keys().filter_map(|file| in_folder(file, path)).map(str::to_owned);
        for name in written {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Some(names)
    }
}

/// The name of `file` if it stands directly in `folder`.
fn in_folder<'f>(file: &'f str, folder: &str) -> Option<&'f str> {
    let rest = match folder {
        "" => file,
        _ => file.strip_prefix(folder)?.strip_prefix('/')?,
    };
    (!rest.contains('/')).then_some(rest)
}

/// A path of a spec as it is below the artifact's root: `.` and empty parts count for nothing, `..` ends at the root.
pub(crate) fn clamp(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// `name` in `folder`, where the root is the empty path.
pub(crate) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_never_leaves_the_root() {
        for (path, expected) in [
            ("", ""),
            ("./", ""),
            ("./apps/web/", "apps/web"),
            ("/apps//web", "apps/web"),
            ("../../etc", "etc"),
            ("apps/../../..", ""),
            ("apps/./x/..", "apps"),
        ] {
            assert_eq!(clamp(path), expected, "{path:?}");
        }
    }

    #[test]
    fn written_files_belong_to_their_folder_alone() {
        assert_eq!(in_folder("a/b/kustomization.yaml", "a/b"), Some("kustomization.yaml"));
        assert_eq!(in_folder("a/b/kustomization.yaml", "a"), None);
        assert_eq!(in_folder("ab/kustomization.yaml", "a"), None);
        assert_eq!(in_folder("kustomization.yaml", ""), Some("kustomization.yaml"));
    }
}
