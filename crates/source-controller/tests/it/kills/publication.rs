//! The steps of a publication, as the store itself leaves them on a real disk.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use millrace_api::meta::Algorithm;
use millrace_artifact::storage::{Location, Options, Storage};

/// Publishes `content`, and returns a copy of the object's folder as it was after each step.
pub(super) fn steps(scratch: &Path, commit: &str, content: &[u8]) -> Vec<PathBuf> {
    let root = scratch.join("store");
    fs::create_dir(&root).unwrap();
    let storage = Storage::open(Options {
        root: root.clone(),
        advertised: String::new(),
        algorithm: Algorithm::Sha256,
        retention_ttl: Duration::ZERO,
        retention_records: 1,
    });
    let location = Location::new("GitRepository", "t", "app").unwrap();
    let path = location.file(&format!("{commit}.tar.gz")).unwrap();
    let mut steps = Vec::new();
    let mut snapshot = || {
        let copy = scratch.join(steps.len().to_string());
        fs::create_dir(&copy).unwrap();
        for file in fs::read_dir(root.join(location.as_str())).unwrap().map(|entry| entry.unwrap().path()) {
            fs::copy(&file, copy.join(file.file_name().unwrap())).unwrap();
        }
        steps.push(copy);
    };
    let fill = |out: &mut dyn Write| -> io::Result<()> {
        snapshot();
        let (half, rest) = content.split_at(content.len() / 2);
        out.write_all(half)?;
        out.flush()?;
        snapshot();
        out.write_all(rest)?;
        out.flush()?;
        snapshot();
        Ok(())
    };
    let storage = storage.unwrap();
    let lock = storage.try_lock(&path).unwrap().unwrap();
    storage.publish(lock, fill).unwrap();
    snapshot();
    let renamed = steps[3].clone();
    // Before the first of them there is only the lock; after the last one, what is old goes.
    let locked = scratch.join("locked");
    fs::create_dir(&locked).unwrap();
    fs::copy(renamed.join(format!("{commit}.tar.gz.lock")), locked.join(format!("{commit}.tar.gz.lock")))
        .unwrap();
    [vec![locked], steps, vec![renamed]].concat()
}
