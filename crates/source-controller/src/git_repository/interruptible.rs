//! A tree that can no longer be read once nobody waits for it.

use std::io::{self, Read};

use millrace_artifact::files::{Child, FileTree, Opened};
use millrace_reconcile::permits::Interrupt;

/// A tree whose every listing and read fails after the interrupt is raised.
pub(crate) struct Interruptible<'a, T> {
    pub(crate) tree: T,
    pub(crate) interrupt: &'a Interrupt,
}

/// Fails if the work is to stop. Not with `ErrorKind::Interrupted`, which readers take as a reason to try again.
fn check(interrupt: &Interrupt) -> io::Result<()> {
    if interrupt.is_raised() { Err(io::Error::other("context canceled")) } else { Ok(()) }
}

impl<T: FileTree> FileTree for Interruptible<'_, T> {
    type Id = T::Id;

    fn root(&self) -> T::Id {
        self.tree.root()
    }

    fn list(&self, folder: &T::Id) -> io::Result<Vec<Child<T::Id>>> {
        check(self.interrupt)?;
        self.tree.list(folder)
    }

    fn open(&self, file: &T::Id) -> io::Result<Opened<'_>> {
        check(self.interrupt)?;
        let Opened { size, reader } = self.tree.open(file)?;
        Ok(Opened { size, reader: Box::new(Reader { reader, interrupt: self.interrupt }) })
    }

    fn read_link(&self, link: &T::Id) -> io::Result<Vec<u8>> {
        self.tree.read_link(link)
    }
}

struct Reader<'a> {
    reader: Box<dyn Read + 'a>,
    interrupt: &'a Interrupt,
}

impl Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        check(self.interrupt)?;
        self.reader.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use millrace_artifact::archive;
    use millrace_artifact::files::MemoryTree;
    use millrace_artifact::ignore::Rules;

    use super::*;

    /// Raises the interrupt with the first byte that it takes.
    struct Raising<'a>(&'a Interrupt, usize);

    impl Write for Raising<'_> {
        fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
            self.0.raise();
            self.1 += buffer.len();
            Ok(buffer.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Bytes that don't compress.
    fn noise(length: usize) -> Vec<u8> {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.to_be_bytes()[0]
        };
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn an_archive_ends_in_the_middle_of_a_file_once_nobody_waits_for_it() {
        let mut tree = MemoryTree::default();
        tree.add_file("large", noise(4 << 20), false);
        let interrupt = Interrupt::default();
        let tree = Interruptible { tree, interrupt: &interrupt };
        let mut out = Raising(&interrupt, 0);
        let error = archive::write(&tree, &Rules::default(), &mut out).map(drop).unwrap_err();
        assert_eq!(error.to_string(), "context canceled");
        assert!(out.1 < 1 << 20, "{} bytes were written after the end", out.1);
    }

    #[test]
    fn a_walk_ends_between_two_folders() {
        let mut tree = MemoryTree::default();
        tree.add_file("a/b", "c", false);
        let interrupt = Interrupt::default();
        let tree = Interruptible { tree, interrupt: &interrupt };
        let folder = tree.list(&tree.root()).unwrap().remove(0).id;
        interrupt.raise();
        assert!(tree.list(&folder).is_err() && tree.open(&folder.join("b")).is_err());
    }
}
