//! What a build looked at.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::{Broken, FileKind, FileSystem, ReadError};

/// A file system that remembers what was asked of it.
///
/// Together with the options, the answers recorded here are the whole input of a build: while they stay the same, so does
/// the result (design §4.3).
pub struct Recorder<'a> {
    inner: &'a dyn FileSystem,
    seen: RefCell<Observed>,
}

/// What a build looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// Files whose content was read.
    pub read: BTreeSet<String>,
    /// Folders whose names were listed.
    pub listed: BTreeSet<String>,
    /// Paths of which only the kind was asked, with the answer.
    pub kinds: BTreeMap<String, FileKind>,
    /// Paths that were looked for in vain.
    pub missing: BTreeSet<String>,
}

impl<'a> Recorder<'a> {
    /// Records what is asked of `inner`.
    pub fn new(inner: &'a dyn FileSystem) -> Self {
        Self { inner, seen: RefCell::default() }
    }

    /// What was asked so far.
    pub fn observed(&self) -> Observed {
        self.seen.borrow().clone()
    }

    fn note_missing(&self, path: &str) {
        self.seen.borrow_mut().missing.insert(path.to_owned());
    }
}

impl FileSystem for Recorder<'_> {
    fn kind(&self, path: &str) -> Option<FileKind> {
        let kind = self.inner.kind(path);
        match kind {
            Some(kind) => {
                self.seen.borrow_mut().kinds.insert(path.to_owned(), kind);
            }
            None => self.note_missing(path),
        }
        kind
    }

    fn read(&self, path: &str) -> Result<Cow<'_, [u8]>, ReadError> {
        let content = self.inner.read(path);
        match &content {
            Ok(_) | Err(ReadError::Other(_)) => {
                self.seen.borrow_mut().read.insert(path.to_owned());
            }
            Err(ReadError::IsFolder) => {
                self.seen.borrow_mut().kinds.insert(path.to_owned(), FileKind::Folder);
            }
            Err(ReadError::NotFound | ReadError::Unopened(_)) => self.note_missing(path),
        }
        content
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        let names = self.inner.list(path);
        match names {
            Some(_) => {
                self.seen.borrow_mut().listed.insert(path.to_owned());
            }
            None => self.note_missing(path),
        }
        names
    }

    fn original(&self, path: &str) -> Option<Cow<'_, [u8]>> {
        // What a message says is no part of a result.
        self.inner.original(path)
    }

    fn canonical(&self, path: &str) -> Option<String> {
        // The answer is recorded by the question for the kind that always follows.
        let canonical = self.inner.canonical(path);
        if canonical.is_none() {
            self.note_missing(path);
        }
        canonical
    }

    fn broken(&self, path: &str) -> Broken {
        // That nothing stands there is recorded already.
        self.inner.broken(path)
    }
}

#[cfg(test)]
mod tests {
    use super::super::MemoryFiles;
    use super::*;

    #[test]
    fn every_question_is_recorded_with_its_answer() {
        let mut files = MemoryFiles::new();
        files.insert("a/b", "x");
        let recorder = Recorder::new(&files);
        let _ = recorder.read("a/b");
        let _ = recorder.read("a/c");
        let _ = recorder.kind("a");
        let _ = recorder.list("a");
        let observed = recorder.observed();
        assert_eq!(observed.read, BTreeSet::from(["a/b".to_owned()]));
        assert_eq!(observed.missing, BTreeSet::from(["a/c".to_owned()]));
        assert_eq!(observed.kinds, BTreeMap::from([("a".to_owned(), FileKind::Folder)]));
        assert_eq!(observed.listed, BTreeSet::from(["a".to_owned()]));
    }
}
