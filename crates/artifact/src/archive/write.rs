//! Writes archives.

use std::io::{self, Read, Write};

use flate2::{Compression, GzBuilder, write::GzEncoder};

use super::header::{self, BLOCK, Member};
use crate::{
    files::{FileTree, Kind, Opened, sorted},
    ignore::Rules,
};

/// What an archive holds, and what it doesn't.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// Files and folders in the archive, the root included.
    pub members: u64,
    /// Symbolic links that were left out; worth a hint, because builds that need them fail later.
    pub skipped_links: u64,
}

/// Writes every file of `tree` that `rules` keep, and returns the writer.
///
/// A folder that is left out is still searched: files in it may be kept. Memory is one folder listing per level and a
/// copy buffer, however large the files are.
///
/// # Errors
/// Those of the tree and of the writer.
pub fn write<T: FileTree, W: Write>(tree: &T, rules: &Rules, out: W) -> io::Result<(W, Written)> {
    let mut archive = Archive::new(out);
    let mut written = Written::default();
    archive.folder(b".")?;
    written.members += 1;
    // A stack instead of recursion: a commit may nest folders deeper than a thread's stack.
    let mut levels = vec![(Vec::new(), sorted(tree, &tree.root())?.into_iter())];
    while let Some((folder, children)) = levels.last_mut() {
        let Some(child) = children.next() else {
            levels.pop();
            continue;
        };
        let path = if folder.is_empty() { child.name } else { [folder, child.name.as_slice()].join(&b'/') };
        let excluded = rules.excludes(&path, child.kind == Kind::Folder);
        match child.kind {
            Kind::File { executable } if !excluded => {
                let Opened { size, reader } = tree.open(&child.id)?;
                archive.file(&path, executable, size, reader)?;
                written.members += 1;
            }
            Kind::Folder => {
                if !excluded {
                    archive.folder(&path)?;
                    written.members += 1;
                }
                let listing = sorted(tree, &child.id)?.into_iter();
                levels.push((path, listing));
            }
            Kind::Symlink if !excluded => written.skipped_links += 1,
            Kind::File { .. } | Kind::Symlink | Kind::Other => {}
        }
    }
    Ok((archive.finish()?, written))
}

/// A `tar.gz` under construction. Members are written in the order in which they are added.
pub struct Archive<W: Write> {
    out: GzEncoder<W>,
}

impl<W: Write> Archive<W> {
    /// Starts an archive.
    pub fn new(out: W) -> Self {
        // No name, no time, unknown system: the stream depends on the members alone.
        Self { out: GzBuilder::new().mtime(0).operating_system(255).write(out, Compression::default()) }
    }

    /// Adds a folder.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn folder(&mut self, path: &[u8]) -> io::Result<()> {
        self.out.write_all(&header::blocks(path, Member::Folder))
    }

    /// Adds a file whose content has exactly `size` bytes.
    ///
    /// # Errors
    /// Those of reader and writer; a content of another length; a file too large for the format (8 GiB).
    pub fn file(&mut self, path: &[u8], executable: bool, size: u64, content: impl Read) -> io::Result<()> {
        if size > header::MAX_FILE_SIZE {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "file is too large for an archive"));
        }
        self.out.write_all(&header::blocks(path, Member::File { executable, size }))?;
        let copied = io::copy(&mut content.take(size + 1), &mut self.out)?;
        if copied != size {
            return Err(io::Error::other("file changed its size while it was read"));
        }
        let padding = size.next_multiple_of(BLOCK as u64) - size;
        io::copy(&mut io::repeat(0).take(padding), &mut self.out)?;
        Ok(())
    }

    /// Ends the archive and returns the writer.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.write_all(&[0; 2 * BLOCK])?;
        self.out.finish()
    }
}
