//! The folder that the stores of one process are in.

use std::{
    fs::{self, DirBuilder, File, TryLockError},
    io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

/// What processes call their folders, before a number.
const NAME: &str = "millrace-bases-";
/// Whose lock says that a process uses the folder.
const LOCK: &str = "lock";
/// Processes that may share a temporary folder.
const MAX_PROCESSES: u32 = 10_000;

/// A folder that no other process uses: the first that is free, emptied of what a process that has ended left there.
pub(super) struct Home {
    folder: PathBuf,
    /// Held for as long as the folder is used.
    _lock: File,
}

impl Home {
    pub(super) fn below(parent: &Path) -> io::Result<Self> {
        for number in 0..MAX_PROCESSES {
            let folder = parent.join(format!("{NAME}{number}"));
            match DirBuilder::new().mode(0o700).create(&folder) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => created?,
            }
            // Somebody else's folder, or a link to one, is left alone.
            if !fs::symlink_metadata(&folder)?.is_dir() {
                continue;
            }
            let Ok(lock) = File::options().create(true).append(true).open(folder.join(LOCK)) else {
                continue;
            };
            match lock.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => continue,
                Err(TryLockError::Error(error)) => return Err(error),
            }
            empty(&folder)?;
            return Ok(Self { folder, _lock: lock });
        }
        Err(io::Error::other("too many processes use the temporary folder"))
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Removes everything but the lock.
fn empty(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() == LOCK {
            continue;
        }
        let place = entry.path();
        if entry.file_type()?.is_dir() { fs::remove_dir_all(place) } else { fs::remove_file(place) }?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_user_and_what_an_ended_process_left_is_removed() {
        let parent = tempfile::tempdir().expect("a folder");
        let first = Home::below(parent.path()).expect("the first is free");
        let second = Home::below(parent.path()).expect("the second is free");
        assert_ne!(first.folder(), second.folder());
        let left = first.folder().join("0/objects");
        fs::create_dir_all(&left).expect("a folder");
        drop(first);
        assert!(left.exists(), "readers may be left");
        let third = Home::below(parent.path()).expect("the first is free again");
        assert!(!left.exists() && third.folder().join(LOCK).exists());
    }
}
