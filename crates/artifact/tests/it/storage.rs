use std::{
    fs::{self, File},
    io::{self, Write as _},
    os::unix::fs::{MetadataExt as _, symlink},
    path::Path,
    time::{Duration, SystemTime},
};

use millrace_api::meta::Algorithm;
use millrace_artifact::storage::{ArtifactPath, Location, Lock, Options, Storage, advertised_address};

fn storage(root: &Path) -> Storage {
    storage_at(root, "sc.test")
}

fn storage_at(root: &Path, advertised: &str) -> Storage {
    Storage::open(Options {
        root: root.to_owned(),
        advertised: advertised.to_owned(),
        algorithm: Algorithm::Sha256,
        retention_ttl: Duration::from_mins(1),
        retention_records: 2,
    })
    .unwrap()
}

fn location() -> Location {
    Location::new("GitRepository", "t", "app").unwrap()
}

fn lock(storage: &Storage, path: &ArtifactPath) -> Lock {
    storage.try_lock(path).unwrap().expect("nobody else writes")
}

fn put(storage: &Storage, name: &str, content: &str) -> ArtifactPath {
    let path = location().file(name).unwrap();
    storage.publish(lock(storage, &path), |out| out.write_all(content.as_bytes())).unwrap();
    path
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

// SC-009: path, URL, modes and lock of a stored artifact.
#[test]
fn sc_009_an_artifact_lies_where_the_original_puts_it() {
    let root = tempfile::tempdir().unwrap();
    let storage = storage(root.path());
    let path = location().file("c1.tar.gz").unwrap();
    let (stored, ()) = storage.publish(lock(&storage, &path), |out| out.write_all(b"abc")).unwrap();
    assert_eq!(stored.path.as_str(), "gitrepository/t/app/c1.tar.gz");
    assert_eq!(storage.url(&path), "http://sc.test/gitrepository/t/app/c1.tar.gz");
    assert_eq!(stored.size, 3);
    assert_eq!(
        stored.digest.to_string(),
        "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    let folder = root.path().join("gitrepository/t/app");
    assert_eq!(names(&folder), ["c1.tar.gz", "c1.tar.gz.lock"]);
    assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
    assert_eq!(fs::metadata(folder.join("c1.tar.gz")).unwrap().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(folder.join("c1.tar.gz")).unwrap().modified().unwrap(), stored.modified);
}

#[test]
fn an_advertised_scheme_is_kept_and_own_urls_are_recognised() {
    let root = tempfile::tempdir().unwrap();
    let storage = storage_at(root.path(), "https://sc.test");
    let path = put(&storage, "sha256:1.tar.gz", "x");
    let url = storage.url(&path);
    assert_eq!(url, "https://sc.test/gitrepository/t/app/sha256:1.tar.gz");
    assert_eq!(storage.local_file(&url), Some(root.path().join(path.as_str())));
    for foreign in ["http://sc.test/a", "https://sc.test.evil/a", "https://sc.test/../../etc/passwd"] {
        assert_eq!(storage.local_file(foreign), None, "{foreign}");
    }
    assert_eq!(advertised_address(":9090", "pod"), "localhost:9090");
    assert_eq!(advertised_address("0.0.0.0:80", "pod"), "pod:80");
    assert_eq!(advertised_address("10.0.0.1:80", "pod"), "10.0.0.1:80");
}

#[test]
fn a_missing_root_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let missing = root.path().join("nope");
    let file = root.path().join("file");
    File::create(&file).unwrap();
    for path in [missing, file] {
        let options = Options { root: path.clone(), ..storage_options() };
        let err = Storage::open(options).unwrap_err();
        assert_eq!(err.to_string(), format!("invalid dir path: {}", path.display()));
    }
}

fn storage_options() -> Options {
    Options {
        root: "/nonexistent".into(),
        advertised: String::new(),
        algorithm: Algorithm::Sha256,
        retention_ttl: Duration::ZERO,
        retention_records: 0,
    }
}

// SC-113: a store that fails in the middle keeps what it had, and nothing else.
#[test]
fn sc_113_a_failed_write_leaves_the_old_artifact_and_no_other_file() {
    let root = tempfile::tempdir().unwrap();
    let storage = storage(root.path());
    let path = put(&storage, "a.tar.gz", "old");
    let err = storage
        .publish(lock(&storage, &path), |out| {
            out.write_all(&vec![0; 100_000])?;
            Err::<(), _>(io::Error::from(io::ErrorKind::StorageFull))
        })
        .unwrap_err();
    assert_eq!(err.to_string(), "no storage space");
    assert_eq!(fs::read(root.path().join(path.as_str())).unwrap(), b"old");
    assert_eq!(names(&root.path().join(location().as_str())), ["a.tar.gz", "a.tar.gz.lock"]);
}

#[test]
fn a_reader_of_the_old_file_is_not_disturbed_by_a_new_one() {
    let root = tempfile::tempdir().unwrap();
    let storage = storage(root.path());
    let path = put(&storage, "a.tar.gz", "old");
    let mut open = File::open(root.path().join(path.as_str())).unwrap();
    put(&storage, "a.tar.gz", "new and longer");
    let mut content = String::new();
    io::Read::read_to_string(&mut open, &mut content).unwrap();
    assert_eq!(content, "old");
}

#[test]
fn writers_of_one_file_take_turns() {
    let root = tempfile::tempdir().unwrap();
    let storage = storage(root.path());
    let path = location().file("a").unwrap();
    std::thread::scope(|scope| {
        for byte in 0..8_u8 {
            let (storage, path) = (&storage, &path);
            scope.spawn(move || {
                let lock = loop {
                    match storage.try_lock(path).unwrap() {
                        Some(lock) => break lock,
                        None => std::thread::yield_now(),
                    }
                };
                storage.publish(lock, |out| out.write_all(&[byte; 10_000])).unwrap()
            });
        }
    });
    let content = fs::read(root.path().join(path.as_str())).unwrap();
    assert!(content.len() == 10_000 && content.iter().all(|byte| *byte == content[0]));
}

#[test]
fn a_lock_that_somebody_has_is_not_waited_for() {
    let root = tempfile::tempdir().unwrap();
    let storage = storage(root.path());
    let path = location().file("a.tar.gz").unwrap();
    let first = lock(&storage, &path);
    assert!(storage.try_lock(&path).unwrap().is_none());
    let file = storage.lock_file(&path);
    assert_eq!(file, root.path().join("gitrepository/t/app/a.tar.gz.lock"));
    // Who finds it removed under his hands takes the one that is there by then.
    fs::remove_file(&file).unwrap();
    let second = lock(&storage, &path);
    assert!(storage.try_lock(&path).unwrap().is_none());
    drop(first);
    assert!(storage.try_lock(&path).unwrap().is_none());
    drop(second);
    storage.publish(lock(&storage, &path), |out| out.write_all(b"abc")).unwrap();
    assert!(storage.exists(&path) && file.exists());
}

#[test]
fn the_lock_of_a_file_that_never_came_goes_once_it_is_old_and_nobody_has_it() {
    let root = tempfile::tempdir().unwrap();
    let storage = storage(root.path());
    let current = put(&storage, "a.tar.gz", "x");
    let folder = root.path().join(location().as_str());
    fs::write(folder.join("crashed.tar.gz.lock"), "").unwrap();
    let busy = lock(&storage, &location().file("busy.tar.gz").unwrap());
    let locks = ["a.tar.gz", "a.tar.gz.lock", "busy.tar.gz.lock", "crashed.tar.gz.lock"];
    let now = SystemTime::now_for_test();
    storage.collect(&location(), &current, now).unwrap();
    assert_eq!(names(&folder), locks, "they are young");
    let later = now + Duration::from_mins(2);
    assert_eq!(storage.collect(&location(), &current, later).unwrap().artifacts, 0);
    assert_eq!(names(&folder), locks[..3]);
    drop(busy);
    storage.collect(&location(), &current, later).unwrap();
    assert_eq!(names(&folder), locks[..2]);
}

// SC-026 and SC-027: damage is told from absence.
#[test]
fn sc_026_sc_027_a_stored_file_is_checked_before_it_is_trusted() {
    let root = tempfile::tempdir().unwrap();
    let storage = storage(root.path());
    let path = put(&storage, "a.tar.gz", "abc");
    let digest = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    storage.verify(&path, digest).unwrap();
    storage.verify(&path, "sha1:a9993e364706816aba3e25717850c26c9cd0d89d").unwrap();
    let file = root.path().join(path.as_str());
    File::options().append(true).open(&file).unwrap().write_all(b"!").unwrap();
    let text = |expected: &str| storage.verify(&path, expected).unwrap_err().to_string();
    assert_eq!(text(digest), format!("computed digest doesn't match '{digest}'"));
    assert_eq!(text(""), "artifact has no digest");
    assert_eq!(text("md5:x"), "failed to parse artifact digest 'md5:x'");

    assert!(storage.exists(&path));
    fs::remove_file(&file).unwrap();
    let target = root.path().join("target");
    fs::write(&target, "abc").unwrap();
    symlink(&target, &file).unwrap();
    assert!(!storage.exists(&path), "a link is no artifact");
    put(&storage, "a.tar.gz", "abc");
    assert!(storage.exists(&path));
    assert_eq!(fs::read(&target).unwrap(), b"abc", "the link's target is untouched");
}

// SC-030: which files survive, and when.
#[test]
fn sc_030_garbage_collection_keeps_two_records_and_then_only_the_current_one() {
    let root = tempfile::tempdir().unwrap();
    let storage = storage(root.path());
    let now = SystemTime::now_for_test();
    for (name, age) in [("c1.tar.gz", 30), ("c2.tar.gz", 20), ("c3.tar.gz", 10)] {
        let path = put(&storage, name, name);
        let file = File::options().write(true).open(root.path().join(path.as_str())).unwrap();
        file.set_modified(now - Duration::from_secs(age)).unwrap();
    }
    let current = location().file("c3.tar.gz").unwrap();
    let folder = root.path().join(location().as_str());
    let collected = storage.collect(&location(), &current, now).unwrap();
    assert_eq!(collected.artifacts, 1);
    assert_eq!(names(&folder), ["c2.tar.gz", "c2.tar.gz.lock", "c3.tar.gz", "c3.tar.gz.lock"]);
    assert_eq!(storage.collect(&location(), &current, now).unwrap().artifacts, 0);
    let later = now + Duration::from_secs(70);
    assert_eq!(storage.collect(&location(), &current, later).unwrap().artifacts, 1);
    assert_eq!(names(&folder), ["c3.tar.gz", "c3.tar.gz.lock"]);
}

#[test]
fn garbage_collection_removes_leftovers_and_spares_links() {
    let root = tempfile::tempdir().unwrap();
    let storage = storage(root.path());
    let current = put(&storage, "a.tar.gz", "x");
    storage.link(&current, "latest.tar.gz").unwrap();
    let folder = root.path().join(location().as_str());
    fs::write(folder.join("a.tar.gz123"), "half").unwrap();
    let later = SystemTime::now_for_test() + Duration::from_mins(2);
    assert_eq!(storage.collect(&location(), &current, later).unwrap().artifacts, 1);
    assert_eq!(names(&folder), ["a.tar.gz", "a.tar.gz.lock", "latest.tar.gz"]);
}

#[test]
fn a_link_is_replaced_at_once() {
    let root = tempfile::tempdir().unwrap();
    let storage = storage(root.path());
    for name in ["1.tgz", "2.tgz"] {
        let path = put(&storage, name, name);
        let url = storage.link(&path, "latest.tar.gz").unwrap();
        assert_eq!(url, "http://sc.test/gitrepository/t/app/latest.tar.gz");
        let link = root.path().join(location().as_str()).join("latest.tar.gz");
        assert_eq!(fs::read_link(link).unwrap(), root.path().join(path.as_str()));
    }
}

// SC-024: what an object stored goes with it.
#[test]
fn sc_024_everything_of_an_object_is_removed_with_it() {
    let root = tempfile::tempdir().unwrap();
    let storage = storage(root.path());
    put(&storage, "a.tar.gz", "x");
    assert!(storage.remove_all(&location()).unwrap());
    assert!(!storage.remove_all(&location()).unwrap());
    assert!(!root.path().join(location().as_str()).exists());
}

/// The file system's own idea of now.
trait Now {
    fn now_for_test() -> SystemTime;
}

impl Now for SystemTime {
    fn now_for_test() -> SystemTime {
        tempfile::tempfile().unwrap().metadata().unwrap().modified().unwrap()
    }
}
