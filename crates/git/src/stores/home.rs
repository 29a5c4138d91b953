//! The folder that the stores of one process are in.

use std::{
    fs::{self, DirBuilder, File, TryLockError},
    io,
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use rustix::{
    fs::{Mode, OFlags},
    process::geteuid,
};

/// What processes call their folders, before a number.
const NAME: &str = "millrace-bases-";
/// Whose lock says that a process uses the folder.
const LOCK: &str = "lock";
/// Processes that may share a temporary folder.
const MAX_PROCESSES: u32 = 10_000;
/// Only the user of the process gets in.
const MODE: u32 = 0o700;

/// The folder of a process, which is made when it is needed.
pub(super) struct LazyHome {
    parent: PathBuf,
    home: Mutex<Option<Home>>,
}

impl LazyHome {
    pub(super) fn below(parent: PathBuf) -> Self {
        Self { parent, home: Mutex::default() }
    }

    /// Blocks while it is made, for everybody who needs it.
    pub(super) fn folder(&self) -> io::Result<PathBuf> {
        let mut home = self.home.lock().unwrap_or_else(PoisonError::into_inner);
        let made = match home.take() {
            Some(made) => made,
            None => Home::below(&self.parent)?,
        };
        Ok(home.insert(made).folder.clone())
    }
}

/// A folder that no other process uses: the first that is free, emptied of what a process that has ended left there.
struct Home {
    folder: PathBuf,
    /// Held for as long as the folder is used.
    _lock: File,
}

impl Home {
    fn below(parent: &Path) -> io::Result<Self> {
        for number in 0..MAX_PROCESSES {
            let folder = parent.join(format!("{NAME}{number}"));
            match DirBuilder::new().mode(MODE).create(&folder) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => created?,
            }
            if !is_ours(&folder)? {
                continue;
            }
            // No link is followed: nothing outside of the folder is made or locked.
            let flags = OFlags::CREATE | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let Ok(lock) = rustix::fs::open(folder.join(LOCK), flags, Mode::RUSR | Mode::WUSR) else {
                continue;
            };
            let lock = File::from(lock);
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
}

/// Whether only this user gets in. Somebody else's folder, or a link to one, is left alone.
fn is_ours(folder: &Path) -> io::Result<bool> {
    let metadata = fs::symlink_metadata(folder)?;
    Ok(metadata.is_dir() && metadata.uid() == geteuid().as_raw() && metadata.mode() & 0o777 == MODE)
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
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

    use super::*;

    #[test]
    fn a_folder_has_one_user_and_what_an_ended_process_left_is_removed() {
        let parent = tempfile::tempdir().expect("a folder");
        let first = Home::below(parent.path()).expect("the first is free");
        let second = Home::below(parent.path()).expect("the second is free");
        assert_ne!(first.folder, second.folder);
        let left = first.folder.join("0/objects");
        fs::create_dir_all(&left).expect("a folder");
        drop(first);
        assert!(left.exists(), "readers may be left");
        let third = Home::below(parent.path()).expect("the first is free again");
        assert!(!left.exists() && third.folder.join(LOCK).exists());
    }

    #[test]
    fn a_folder_that_somebody_else_may_write_to_is_left_alone() {
        let parent = tempfile::tempdir().expect("a folder");
        let place = |number: u32| parent.path().join(format!("{NAME}{number}"));
        for (number, mode) in [(0, 0o755), (1, 0o770), (2, MODE), (3, MODE)] {
            fs::create_dir(place(number)).expect("a folder");
            fs::set_permissions(place(number), Permissions::from_mode(mode)).expect("it is ours");
        }
        symlink(place(9), place(2).join(LOCK)).expect("a link");
        // Without the rights of root, there is nobody to give it to.
        let is_given = chown(place(3), Some(65_534), None).is_ok();
        let home = Home::below(parent.path()).expect("one is free");
        assert_eq!(home.folder, place(if is_given { 4 } else { 3 }));
        assert!(!place(9).exists(), "the link is not followed");
    }
}
