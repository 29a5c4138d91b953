//! Files in memory.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::{Broken, FileKind, FileSystem, ReadError, clean};

/// Links followed before a path counts as a loop.
const MAX_LINKS: usize = 255;

/// A tree of files in memory, with symbolic links.
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles {
    entries: BTreeMap<String, Entry>,
}

#[derive(Clone, Debug)]
enum Entry {
    File(Vec<u8>),
    Link(String),
    Folder,
}

impl MemoryFiles {
    /// An empty tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a file at `path`, making the folders above it.
    pub fn insert(&mut self, path: &str, content: impl Into<Vec<u8>>) {
        self.place(path, Entry::File(content.into()));
    }

    /// Puts a symbolic link at `path`; `target` is relative to the link's folder.
    pub fn link(&mut self, path: &str, target: &str) {
        self.place(path, Entry::Link(target.to_owned()));
    }

    fn place(&mut self, path: &str, entry: Entry) {
        let path = clean(path);
        let mut above = path.as_str();
        while let Some((folder, _)) = above.rsplit_once('/') {
            self.entries.entry(folder.to_owned()).or_insert(Entry::Folder);
            above = folder;
        }
        self.entries.insert(path, entry);
    }

    fn resolve(&self, path: &str) -> Option<(String, Option<&Entry>)> {
        self.follow(path).ok()
    }

    fn follow(&self, path: &str) -> Result<(String, Option<&Entry>), Broken> {
        let mut pending: Vec<String> =
            path.split('/').rev().filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let mut at = String::new();
        let mut links = 0;
        while let Some(segment) = pending.pop() {
            if segment == ".." {
                if at.is_empty() {
                    return Err(Broken::missing(path));
                }
                at.truncate(at.rfind('/').unwrap_or(0));
                continue;
            }
            let next = if at.is_empty() { segment } else { format!("{at}/{segment}") };
            match self.entries.get(&next).ok_or_else(|| Broken::missing(&next))? {
                Entry::Link(target) => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Err(Broken::too_many_links());
                    }
                    if target.starts_with('/') {
                        return Err(Broken::missing(next));
                    }
                    // Segments are taken one by one, so `..` in a target means the folder that is really there.
                    pending.extend(
                        target
                            .split('/')
                            .rev()
                            .filter(|part| !part.is_empty() && *part != ".")
                            .map(str::to_owned),
                    );
                }
                Entry::File(_) if !pending.is_empty() => return Err(Broken::below_a_file()),
                Entry::File(_) | Entry::Folder => at = next,
            }
        }
        let entry = self.entries.get(&at);
        Ok((at, entry))
    }
}

impl FileSystem for MemoryFiles {
    fn kind(&self, path: &str) -> Option<FileKind> {
        match self.resolve(path)?.1 {
            Some(Entry::File(_)) => Some(FileKind::File),
            Some(Entry::Folder | Entry::Link(_)) | None => Some(FileKind::Folder),
        }
    }

    fn read(&self, path: &str) -> Result<Cow<'_, [u8]>, ReadError> {
        match self.resolve(path).ok_or(ReadError::NotFound)?.1 {
            Some(Entry::File(content)) => Ok(Cow::Borrowed(content)),
            Some(Entry::Folder | Entry::Link(_)) | None => Err(ReadError::IsFolder),
        }
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        let (folder, entry) = self.resolve(path)?;
        if matches!(entry, Some(Entry::File(_))) {
            return None;
        }
        let prefix = if folder.is_empty() { folder } else { format!("{folder}/") };
        let names: BTreeSet<&str> = self
            .entries
            .keys()
            .filter_map(|entry| entry.strip_prefix(&prefix))
            .filter(|rest| !rest.is_empty() && !rest.contains('/'))
            .collect();
        Some(names.into_iter().map(str::to_owned).collect())
    }

    fn canonical(&self, path: &str) -> Option<String> {
        self.resolve(path).map(|(canonical, _)| canonical)
    }

    fn broken(&self, path: &str) -> Broken {
        self.follow(path).err().unwrap_or_else(|| Broken::missing(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_files_and_folders_but_not_outside() {
        let mut files = MemoryFiles::new();
        files.insert("base/a.yaml", "a");
        files.link("over/base", "../base");
        files.link("over/out", "../../etc");
        files.link("loop", "loop");
        assert_eq!(files.canonical("over/base/a.yaml").as_deref(), Some("base/a.yaml"));
        assert_eq!(files.read("over/base/a.yaml").as_deref(), Ok(&b"a"[..]));
        assert_eq!(files.kind("over"), Some(FileKind::Folder));
        assert_eq!(files.read("over"), Err(ReadError::IsFolder));
        assert_eq!(files.kind("over/out"), None);
        assert_eq!(files.kind("loop"), None);
        assert_eq!(files.kind("base/a.yaml/b"), None);
        assert_eq!(files.list("over/base"), Some(vec!["a.yaml".to_owned()]));
        assert_eq!(files.list(""), Some(vec!["base".to_owned(), "loop".to_owned(), "over".to_owned()]));
    }
}
