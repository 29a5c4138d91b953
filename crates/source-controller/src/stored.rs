//! What the store holds of an object at the beginning of a run. The same for every kind.
//!
//! Contract: source-controller §2.4, §2.11.

use std::io;
use std::time::SystemTime;

use millrace_api::ConditionedStatus;
use millrace_api::meta::Artifact;
use millrace_artifact::storage::{ArtifactPath, IntegrityError, Location, Storage};
use millrace_reconcile::Failure;
use millrace_reconcile::events::{Event, Severity};
use millrace_reconcile::failure::Remedy;

use crate::draft::Draft;
use crate::trouble::Trouble;
use crate::vocabulary::{
    ARTIFACT_IN_STORAGE, ARTIFACT_VERIFICATION_FAILED, FAILED, GARBAGE_COLLECTION_SUCCEEDED,
    STORAGE_OPERATION_FAILED,
};

/// What was found.
#[derive(Debug)]
pub(crate) struct Inspection {
    /// Old files that were removed.
    pub(crate) collected: usize,
    /// The artifact of the status.
    pub(crate) held: Held,
}

/// The artifact of the status, in the store.
#[derive(Debug)]
pub(crate) enum Held {
    /// The status has none.
    Nothing,
    /// It is there and has the digest it should; its URL is current.
    Intact(Artifact),
    /// Its file isn't there, or isn't a file.
    Disappeared,
    /// Its file had another content and was removed.
    Damaged(IntegrityError),
    /// Its file has another content and can't be removed.
    Stuck(io::Error),
}

/// Collects garbage and checks the artifact of a status. Blocks on the disk.
pub(crate) fn inspect(
    storage: &Storage,
    location: &Location,
    artifact: Option<&Artifact>,
    now: SystemTime,
) -> Inspection {
    let Some(artifact) = artifact else { return Inspection { collected: 0, held: Held::Nothing } };
    // A status that points outside its object's folder must not make us verify, serve or remove files of others.
    let Some(path) = artifact.path.parse().ok().filter(|path| location.contains(path)) else {
        return Inspection { collected: 0, held: Held::Disappeared };
    };
    // What can't be collected is tried again by the next run.
    let collected = storage.collect(location, &path, now).map_or(0, |collected| collected.artifacts);
    Inspection { collected, held: check(storage, &path, artifact) }
}

fn check(storage: &Storage, path: &ArtifactPath, artifact: &Artifact) -> Held {
    if !storage.exists(path) {
        return Held::Disappeared;
    }
    match storage.verify(path, &artifact.digest) {
        Ok(()) => Held::Intact(Artifact { url: storage.url(path), ..artifact.clone() }),
        Err(damage) => match storage.remove(path) {
            Ok(()) => Held::Damaged(damage),
            Err(error) => Held::Stuck(error),
        },
    }
}

/// What follows from an inspection.
#[derive(Debug)]
pub(crate) struct Found {
    /// The artifact that the run starts from.
    pub(crate) artifact: Option<Artifact>,
    /// Events about what happened.
    pub(crate) events: Vec<Event>,
    /// Whether the draft says something that is to be written at once.
    pub(crate) announce: bool,
}

/// Tells the draft what the store holds. The caller puts the artifact, or its absence, into the status.
pub(crate) fn settle<S: ConditionedStatus>(
    draft: &mut Draft<S>,
    inspection: Inspection,
) -> Result<Found, Trouble> {
    let Inspection { collected, held } = inspection;
    let mut events = Vec::new();
    if collected > 0 {
        let message = format!("garbage collected {collected} artifacts");
        events.push(event(Severity::Trace, GARBAGE_COLLECTION_SUCCEEDED, message));
    }
    let message = match held {
        Held::Intact(artifact) => return Ok(Found { artifact: Some(artifact), events, announce: false }),
        Held::Nothing => "building artifact",
        Held::Disappeared => "building artifact: disappeared from storage",
        Held::Damaged(damage) => {
            let message = format!(
                "failed to verify integrity of artifact: {}",
                millrace_reconcile::failure::chain(&damage)
            );
            events.push(event(Severity::Error, ARTIFACT_VERIFICATION_FAILED, message));
            "building artifact: disappeared from storage"
        }
        Held::Stuck(error) => {
            let message = format!("failed to remove artifact after digest mismatch: {error}");
            let failure = Failure::with_message(Remedy::Retry, FAILED, message);
            return Err(Trouble::at(STORAGE_OPERATION_FAILED, failure));
        }
    };
    draft.delete(ARTIFACT_IN_STORAGE);
    draft.building(message);
    Ok(Found { artifact: None, events, announce: true })
}

/// An event without metadata of its own.
pub(crate) fn event(severity: Severity, reason: millrace_reconcile::Reason, message: String) -> Event {
    Event { severity, reason, message, metadata: std::collections::BTreeMap::new() }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::Timestamp;
    use millrace_api::meta::{Algorithm, Time};
    use millrace_api::source::v1::GitRepositoryStatus;
    use millrace_artifact::storage::Options;

    use super::*;

    struct Store {
        folder: tempfile::TempDir,
        storage: Storage,
        location: Location,
        artifact: Artifact,
    }

    /// A store that holds one artifact.
    fn store() -> Store {
        let folder = tempfile::tempdir().unwrap();
        let options = Options {
            root: folder.path().to_owned(),
            advertised: "sc.test".to_owned(),
            algorithm: Algorithm::Sha256,
            retention_ttl: Duration::from_mins(1),
            retention_records: 2,
        };
        let storage = Storage::open(options).unwrap();
        let location = Location::new("GitRepository", "t", "app").unwrap();
        let path = location.file("c1.tar.gz").unwrap();
        let lock = storage.try_lock(&path).unwrap().unwrap();
        let (stored, ()) = storage.publish(lock, |out| out.write_all(b"content")).unwrap();
        let artifact = Artifact {
            digest: stored.digest.to_string(),
            last_update_time: Time(Timestamp::UNIX_EPOCH),
            metadata: std::collections::BTreeMap::new(),
            path: path.to_string(),
            revision: "main@sha1:c1".to_owned(),
            size: Some(7),
            url: "http://old.test/x".to_owned(),
        };
        Store { folder, storage, location, artifact }
    }

    fn settled(store: &Store, artifact: Option<&Artifact>) -> (Draft<GitRepositoryStatus>, Found) {
        let mut draft = Draft::new(GitRepositoryStatus::default(), 1, Timestamp::UNIX_EPOCH);
        let inspection = inspect(&store.storage, &store.location, artifact, SystemTime::UNIX_EPOCH);
        let found = settle(&mut draft, inspection).unwrap();
        (draft, found)
    }

    fn progress(draft: &Draft<GitRepositoryStatus>) -> &str {
        &draft.status.conditions[0].message
    }

    // Part of SC-029: a new advertised address shows in the URL, and nothing is written for it alone.
    #[test]
    fn an_intact_artifact_is_kept_with_a_current_url() {
        let store = store();
        let (draft, found) = settled(&store, Some(&store.artifact));
        assert_eq!(found.artifact.unwrap().url, "http://sc.test/gitrepository/t/app/c1.tar.gz");
        assert!(!found.announce && found.events.is_empty());
        assert!(draft.status.conditions.is_empty());
    }

    // SC-025, without the rebuild.
    #[test]
    fn a_missing_file_is_announced_and_built_anew() {
        let store = store();
        std::fs::remove_file(store.folder.path().join(&store.artifact.path)).unwrap();
        let (draft, found) = settled(&store, Some(&store.artifact));
        assert!(found.artifact.is_none() && found.announce && found.events.is_empty());
        assert_eq!(progress(&draft), "building artifact: disappeared from storage");
        let (draft, _) = settled(&store, None);
        assert_eq!(progress(&draft), "building artifact");
    }

    // SC-026, without the rebuild.
    #[test]
    fn a_damaged_file_is_reported_and_removed() {
        let store = store();
        let file = store.folder.path().join(&store.artifact.path);
        std::fs::write(&file, b"contents").unwrap();
        let (_, found) = settled(&store, Some(&store.artifact));
        let digest = &store.artifact.digest;
        let expected =
            format!("failed to verify integrity of artifact: computed digest doesn't match '{digest}'");
        assert_eq!(found.events[0].message, expected);
        assert_eq!(found.events[0].severity, Severity::Error);
        assert!(found.artifact.is_none() && !file.exists());
    }

    // SC-027, without the rebuild.
    #[test]
    fn a_link_in_place_of_the_file_counts_as_missing_and_its_target_stays() {
        let store = store();
        let file = store.folder.path().join(&store.artifact.path);
        let target = store.folder.path().join("elsewhere");
        std::fs::rename(&file, &target).unwrap();
        std::os::unix::fs::symlink(&target, &file).unwrap();
        let (draft, _) = settled(&store, Some(&store.artifact));
        assert_eq!(progress(&draft), "building artifact: disappeared from storage");
        assert_eq!(std::fs::read(&target).unwrap(), b"content");
    }

    #[test]
    fn a_status_that_points_at_the_file_of_another_object_is_not_followed() {
        let store = store();
        let other = Location::new("GitRepository", "t", "other").unwrap();
        let artifact = Artifact { digest: "sha256:0".to_owned(), ..store.artifact.clone() };
        let inspection = inspect(&store.storage, &other, Some(&artifact), SystemTime::UNIX_EPOCH);
        assert!(matches!(inspection.held, Held::Disappeared));
        assert!(store.folder.path().join(&store.artifact.path).exists());
    }
}
