//! Artifacts from files to trees, through the public API. Recorded ignore rules are played by `tests/conformance`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what surrounds a test fails like the test")]

mod archive;
mod extract;
mod fetch;
mod hostile;
mod paths;
mod server;
mod storage;
mod tree;

use std::io::Read as _;

use millrace_artifact::{files::MemoryTree, ignore::Rules};

/// The archive of a tree, nothing ignored.
fn archive_of(tree: &MemoryTree) -> Vec<u8> {
    millrace_artifact::archive::write(tree, &Rules::none(), Vec::new()).unwrap().0
}

fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut tar = Vec::new();
    flate2::read::GzDecoder::new(bytes).read_to_end(&mut tar).unwrap();
    tar
}

/// A tree of small text files.
fn tree_of(files: &[(&str, &str)]) -> MemoryTree {
    let mut tree = MemoryTree::default();
    for (path, content) in files {
        tree.add_file(path, *content, false);
    }
    tree
}
