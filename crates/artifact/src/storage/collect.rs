//! Which old files go.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

use super::{
    ArtifactPath, Location, Storage,
    publish::{Held, lock_file},
};

/// The most files, locks among them, that one run looks at.
const MAX_FILES: usize = 1000;

/// The longest that one run takes.
const MAX_TIME: Duration = Duration::from_secs(5);

/// What a run removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collected {
    /// The number of artifacts.
    pub artifacts: usize,
}

impl Storage {
    /// Removes old files of an object, with their locks, and old locks of files that never came. The current artifact
    /// always stays.
    ///
    /// What can't be removed is tried again by the next run.
    ///
    /// Contract: source-controller §2.11.
    ///
    /// # Errors
    /// The first one of the file system, after everything else was removed.
    pub fn collect(
        &self,
        location: &Location,
        current: &ArtifactPath,
        now: SystemTime,
    ) -> io::Result<Collected> {
        let deadline = Instant::now() + MAX_TIME;
        let current = self.file(current);
        let Listing { files, locks } = Listing::of(&self.folder(location), deadline)?;
        let mut collected = Collected::default();
        let mut result = Ok(());
        for garbage in
            garbage(&files, &current, now, self.options.retention_ttl, self.options.retention_records)
        {
            if Instant::now() > deadline {
                break;
            }
            match fs::remove_file(garbage).and_then(|()| remove_if_there(&lock_file(garbage))) {
                Ok(()) => collected.artifacts += 1,
                Err(err) => result = result.and(Err(err)),
            }
        }
        for lock in orphans(&locks, &files, now, self.options.retention_ttl) {
            if Instant::now() > deadline {
                break;
            }
            result = result.and(remove_unused(lock));
        }
        result.map(|()| collected)
    }
}

/// A file in an object's folder, with its time.
type Found = (PathBuf, SystemTime);

/// The regular files below a folder in walk order, without links; locks apart.
#[derive(Default)]
struct Listing {
    files: Vec<Found>,
    locks: Vec<Found>,
}

impl Listing {
    fn of(folder: &Path, deadline: Instant) -> io::Result<Self> {
        let mut listing = Self::default();
        let mut paths = vec![folder.to_owned()];
        while let Some(path) = paths.pop() {
            if listing.files.len() + listing.locks.len() >= MAX_FILES || Instant::now() > deadline {
                break;
            }
            // Between listing and looking, another run may have removed it.
            let metadata = match fs::symlink_metadata(&path) {
                Err(err) if err.kind() == io::ErrorKind::NotFound => continue,
                metadata => metadata?,
            };
            if metadata.is_dir() {
                let entries = fs::read_dir(&path)?.map(|entry| entry.map(|entry| entry.path()));
                let mut entries = entries.collect::<io::Result<Vec<_>>>()?;
                entries.sort_unstable_by(|a, b| b.cmp(a));
                paths.append(&mut entries);
            } else if metadata.is_file() {
                let is_lock = path.extension().is_some_and(|extension| extension == "lock");
                let list = if is_lock { &mut listing.locks } else { &mut listing.files };
                list.push((path, metadata.modified()?));
            }
        }
        Ok(listing)
    }
}

/// The old locks of files that aren't there: who made them came to an end before the file did.
fn orphans<'a>(
    locks: &'a [Found],
    files: &[Found],
    now: SystemTime,
    ttl: Duration,
) -> impl Iterator<Item = &'a Path> {
    let locked: BTreeSet<PathBuf> = files.iter().map(|(path, _)| lock_file(path)).collect();
    let old = move |time: SystemTime| now.duration_since(time).is_ok_and(|age| age > ttl);
    let orphans = locks.iter().filter(move |(path, time)| !locked.contains(path) && old(*time));
    orphans.map(|(path, _)| path.as_path())
}

/// Removes a lock unless somebody has it, who is about to write.
fn remove_unused(lock: &Path) -> io::Result<()> {
    match Held::try_acquire(lock)? {
        Some(_held) => remove_if_there(lock),
        None => Ok(()),
    }
}

/// Decides what goes. `files` in walk order; `records` files may stay even when none is expired.
fn garbage<'a>(
    files: &'a [Found],
    current: &Path,
    now: SystemTime,
    ttl: Duration,
    records: usize,
) -> Vec<&'a Path> {
    let old = |time: SystemTime| now.duration_since(time).is_ok_and(|age| age > ttl);
    let expired = files.iter().filter(|(path, time)| path != current && old(*time));
    let mut garbage: Vec<&Path> = expired.map(|(path, _)| path.as_path()).collect();
    if files.len() - garbage.len() < records {
        return garbage;
    }
    // Files of one age count as one, the last of them: the original keeps its list in a map by time.
    let by_age: BTreeMap<SystemTime, &Path> =
        files.iter().map(|(path, time)| (*time, path.as_path())).collect();
    let expired: BTreeSet<&Path> = garbage.iter().copied().collect();
    let mut excess = 0;
    for path in by_age.into_values().filter(|path| *path != current && !expired.contains(path)) {
        // With expired files the original counts what it removes here twice, so more than `records` may stay.
        let kept = if expired.is_empty() {
            files.len() - excess
        } else {
            files.len().saturating_sub(expired.len() + 2 * excess)
        };
        if kept > records {
            garbage.push(path);
            excess += 1;
        }
    }
    garbage
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_depends_on_age_and_number() {
        // Ages in seconds, the current file first; TTL 60 s, two records.
        let rows: &[(&[u64], &[u64])] = &[
            (&[0], &[]),
            (&[0, 10], &[]),
            (&[0, 10, 20], &[20]),
            (&[0, 10, 20, 30], &[30, 20]),
            (&[0, 70], &[70]),
            (&[0, 60], &[]),
            (&[0, 61, 10], &[61]),
            (&[0, 61, 10, 20], &[61, 20]),
            // One of three young files goes although two would have to.
            (&[0, 61, 10, 20, 30], &[61, 30]),
            // The current file may be the oldest.
            (&[99, 10, 20], &[20]),
        ];
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
        for (ages, gone) in rows {
            let path = |age: &u64| PathBuf::from(age.to_string());
            let files: Vec<Found> =
                ages.iter().map(|age| (path(age), now - Duration::from_secs(*age))).collect();
            let expected: Vec<PathBuf> = gone.iter().map(path).collect();
            let garbage = garbage(&files, &path(&ages[0]), now, Duration::from_mins(1), 2);
            assert_eq!(garbage, expected, "{ages:?}");
        }
    }
}
