//! The files of a commit, as archives read them.

use std::io::{self, Cursor};

use millrace_artifact::files::{Child, FileTree, Kind, Opened};
use millrace_git::{Checkout, Entry, EntryKind, Node};

/// A commit as a tree of files. A submodule that isn't fetched is an empty folder, as in a checkout.
pub(crate) struct CommitTree<'a>(pub(crate) &'a Checkout);

impl FileTree for CommitTree<'_> {
    type Id = Node;

    fn root(&self) -> Node {
        self.0.root()
    }

    fn list(&self, folder: &Node) -> io::Result<Vec<Child<Node>>> {
        Ok(self.0.list(*folder)?.into_iter().map(child).collect())
    }

    fn open(&self, file: &Node) -> io::Result<Opened<'_>> {
        let content = self.0.read(*file)?;
        Ok(Opened { size: content.len() as u64, reader: Box::new(Cursor::new(content)) })
    }

    fn read_link(&self, link: &Node) -> io::Result<Vec<u8>> {
        self.0.read(*link)
    }
}

fn child(entry: Entry) -> Child<Node> {
    let Entry { name, kind, node } = entry;
    let kind = match kind {
        EntryKind::File { executable } => Kind::File { executable },
        EntryKind::Folder | EntryKind::Submodule { commit: _ } => Kind::Folder,
        EntryKind::Symlink => Kind::Symlink,
    };
    Child { name, kind, id: node }
}
