//! From creation to deletion. Contract: source-controller §8.2.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use millrace_harness::{Recorder, until};
use serde_json::json;

use crate::bench::{LIMIT, hex_sha256, on_bench, revision, state, version};

// SC-008 and SC-009.
#[test]
fn a_new_object_gets_a_finalizer_an_artifact_and_a_verdict() {
    on_bench(async |bench| {
        let c1 = bench.git.create("app").unwrap().commit("first").file("a.txt", "a\n").push().unwrap();
        bench.create("app", json!({})).await;
        let object = bench.ready("app").await;
        assert_eq!(object.metadata.finalizers, Some(vec!["finalizers.fluxcd.io".to_owned()]));
        let status = object.status.clone().unwrap();
        let message = format!("stored artifact for revision 'main@sha1:{c1}'");
        let seen: Vec<_> = status.conditions.iter().map(|c| (c.type_.as_str(), c.message.as_str())).collect();
        assert_eq!(seen, [("Ready", &*message), ("ArtifactInStorage", &*message)]);
        let artifact = status.artifact.unwrap();
        assert_eq!(artifact.path, format!("gitrepository/{}/app/{c1}.tar.gz", bench.namespace));
        assert_eq!(artifact.url, format!("http://sc.test/{}", artifact.path));
        assert_eq!(artifact.revision, format!("main@sha1:{c1}"));
        let file = bench.storage().join(&artifact.path);
        let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
        assert!(file.with_file_name(format!("{c1}.tar.gz.lock")).exists());
        bench.hears("app", "NewArtifact", "stored artifact for commit 'first'").await;
        let events = bench.events("app");
        assert_eq!(events.len(), 1);
        assert_eq!(events[0].metadata["source.toolkit.fluxcd.io/revision"], artifact.revision);
        assert_eq!(events[0].metadata["source.toolkit.fluxcd.io/digest"], artifact.digest);
    });
}

// SC-011.
#[test]
fn nothing_is_written_or_fetched_while_nothing_changes() {
    on_bench(async |bench| {
        bench.git.create("app").unwrap().commit("first").file("a", "a").push().unwrap();
        bench.create("app", json!({ "interval": "1s" })).await;
        let before = bench.ready("app").await;
        let asked = bench.git.accesses().unwrap().len();
        let is_trace = |(reason, _): &(String, String)| reason == "GitOperationSucceeded";
        let repeated = until("two runs without news", Duration::from_secs(20), async || {
            (bench.told("app").iter().filter(|told| is_trace(told)).count() >= 2).then_some(())
        });
        repeated.await.unwrap();
        let after = bench.api().get("app").await.unwrap();
        assert_eq!(version(&before), version(&after));
        let text = format!("no changes since last reconciliation: observed revision '{}'", revision(&before));
        assert!(bench.told("app")[1..].iter().all(|told| is_trace(told) && told.1 == text));
        let accesses = bench.git.accesses().unwrap();
        assert!(accesses.len() > asked);
        assert!(accesses[asked..].iter().all(|access| !format!("{access:?}").contains("packfile")));
    });
}

// SC-012, SC-013 and SC-033.
#[test]
fn a_request_brings_a_new_commit_and_is_noted_verbatim() {
    on_bench(async |bench| {
        let repository = bench.git.create("app").unwrap();
        repository.commit("first").file("a", "a").push().unwrap();
        bench.create("app", json!({})).await;
        bench.ready("app").await;
        let c2 = repository.commit("second").file("a", "b").push().unwrap();
        let object = bench.request("app", "r1").await;
        assert_eq!(revision(&object), format!("main@sha1:{c2}"));
        assert_eq!(state(&object, "ArtifactOutdated"), None);
        bench.hears("app", "NewArtifact", "stored artifact for commit 'second'").await;

        let again = bench.request("app", "r2").await;
        assert_eq!(again.status.unwrap().artifact, object.status.unwrap().artifact);
        let text = format!("no changes since last reconciliation: observed revision 'main@sha1:{c2}'");
        bench.hears("app", "GitOperationSucceeded", &text).await;
        let blank = bench.request("app", "  ").await;
        assert_eq!(blank.status.unwrap().last_handled_reconcile_at.as_deref(), Some("  "));
    });
}

// SC-014 and SC-015.
#[test]
fn labels_and_other_annotations_cause_no_run() {
    on_bench(async |bench| {
        bench.git.create("app").unwrap().commit("first").file("a", "a").push().unwrap();
        bench.create("app", json!({})).await;
        bench.ready("app").await;
        let counted = async || (bench.runs("app") == 1).then_some(());
        until("the first run to be counted", LIMIT, counted).await.unwrap();
        let annotations = json!({ "reconcile.fluxcd.io/forceAt": "x", "other": "y" });
        bench
            .patch("app", json!({ "metadata": { "labels": { "a": "b" }, "annotations": annotations } }))
            .await;
        // Changes are seen in order: once the second object runs, the first one's are behind us.
        bench.create("second", json!({ "url": bench.git.public_url("app") })).await;
        bench.ready("second").await;
        bench.request("app", "r1").await;
        let counted = async || (bench.runs("app") >= 2).then_some(());
        until("the second run to be counted", LIMIT, counted).await.unwrap();
        assert_eq!(bench.runs("app"), 2, "nothing but the request caused a run");
    });
}

// SC-019, faster: the rate limiter's first step went to the finalizer.
#[test]
fn the_time_between_attempts_doubles_from_twice_the_base() {
    on_bench(async |mut bench| {
        bench.stop().await;
        bench.start(&["--min-retry-delay=200ms", "--max-retry-delay=1m"]);
        let server = Recorder::start().unwrap();
        bench.create("app", json!({ "url": format!("{}/answer/403/app.git", server.url()) })).await;
        let attempts = async || (server.requests().len() >= 5).then(|| server.requests());
        let attempts = until("five attempts", LIMIT, attempts).await.unwrap();
        let gaps = attempts.windows(2).map(|pair| (pair[1].at - pair[0].at).as_secs_f64());
        for (gap, expected) in gaps.zip([0.4, 0.8, 1.6, 3.2]) {
            // A run takes its time, too.
            assert!(gap > 0.8 * expected && gap < 1.2 * expected + 1.5, "{gap} s instead of {expected} s");
        }
        let told = async || (bench.events("app").len() >= 5).then_some(());
        until("an event for each attempt", LIMIT, told).await.unwrap();
        assert_eq!(bench.events("app").len(), server.requests().len());
    });
}

// SC-023 and SC-024.
#[test]
fn a_suspended_object_rests_and_is_deleted_with_its_files() {
    on_bench(async |bench| {
        let repository = bench.git.create("app").unwrap();
        repository.commit("first").file("a", "a").push().unwrap();
        bench.create("app", json!({})).await;
        let before = bench.ready("app").await;
        bench.patch("app", json!({ "spec": { "suspend": true } })).await;
        repository.commit("second").file("a", "b").push().unwrap();
        let object = bench.request("app", "r3").await;
        assert_eq!(revision(&object), revision(&before));
        assert_eq!(object.status.as_ref().unwrap().observed_generation, object.metadata.generation);
        assert_eq!(state(&object, "Ready").unwrap().0, "True");
        bench.delete("app").await;
        assert!(!bench.storage().join(format!("gitrepository/{}/app", bench.namespace)).exists());
        let text = "garbage collected artifacts for deleted resource";
        bench.hears("app", "GarbageCollectionSucceeded", text).await;
    });
}

// SC-025 and SC-026.
#[test]
fn a_lost_or_damaged_file_is_made_again_and_only_damage_is_told() {
    on_bench(async |bench| {
        bench.git.create("app").unwrap().commit("first").file("a", "a").push().unwrap();
        bench.create("app", json!({})).await;
        let artifact = bench.ready("app").await.status.unwrap().artifact.unwrap();
        let file = bench.storage().join(&artifact.path);
        std::fs::remove_file(&file).unwrap();
        bench.request("app", "lost").await;
        let rebuilt = bench.ready("app").await.status.unwrap().artifact.unwrap();
        assert_eq!((rebuilt.revision, rebuilt.digest), (artifact.revision.clone(), artifact.digest.clone()));
        let mut bytes = std::fs::read(&file).unwrap();
        bytes.push(0);
        std::fs::write(&file, bytes).unwrap();
        bench.request("app", "damaged").await;
        bench.ready("app").await;
        let text = format!(
            "failed to verify integrity of artifact: computed digest doesn't match '{}'",
            artifact.digest
        );
        bench.hears("app", "ArtifactVerificationFailed", &text).await;
        assert_eq!(bench.told("app").len(), 2, "nothing but this and the first artifact is told");
    });
}

// SC-028 and SC-029, but for what the Git server sees.
#[test]
fn a_restart_keeps_or_restores_every_artifact() {
    on_bench(async |mut bench| {
        bench.git.create("app").unwrap().commit("first").file("a", "a").push().unwrap();
        bench.create("app", json!({})).await;
        let before = bench.ready("app").await;
        let artifact = before.status.clone().unwrap().artifact.unwrap();

        bench.stop().await;
        bench.start(&[]);
        let object = bench.request("app", "kept").await;
        assert_eq!(object.status.unwrap().artifact.unwrap(), artifact);

        bench.stop().await;
        std::fs::remove_dir_all(bench.storage().join("gitrepository")).unwrap();
        bench.start(&["--storage-adv-addr=sc2.test"]);
        bench.request("app", "lost").await;
        let restored = bench.ready("app").await.status.unwrap().artifact.unwrap();
        assert_eq!((&restored.revision, &restored.digest), (&artifact.revision, &artifact.digest));
        assert!(restored.url.starts_with("http://sc2.test/"));
        bench.request("app", "again").await;
        let text = format!("no changes since last reconciliation: observed revision '{}'", artifact.revision);
        bench.hears("app", "GitOperationSucceeded", &text).await;
        assert!(bench.told("app").iter().all(|(reason, _)| reason != "NewArtifact"));
    });
}

// SC-114, for the kind that there is.
#[test]
fn what_the_original_has_left_is_taken_over_without_a_write() {
    on_bench(async |mut bench| {
        bench.git.create("app").unwrap().commit("first").file("a", "a").push().unwrap();
        bench.create("app", json!({})).await;
        let model = bench.ready("app").await;
        let tar = bench.tar(&model);
        bench.stop().await;

        // The same files, compressed by somebody else.
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
        gzip.write_all(&tar).unwrap();
        let bytes = gzip.finish().unwrap();
        let mut status = model.status.unwrap();
        let artifact = status.artifact.as_mut().unwrap();
        for text in [&mut artifact.path, &mut artifact.url] {
            *text = text.replace("/app/", "/theirs/");
        }
        artifact.digest = format!("sha256:{}", hex_sha256(&bytes));
        artifact.size = Some(bytes.len().try_into().unwrap());
        let file = bench.storage().join(&artifact.path);
        std::fs::create_dir(file.parent().unwrap()).unwrap();
        std::fs::write(&file, bytes).unwrap();
        bench.create("theirs", json!({ "url": bench.git.public_url("app") })).await;
        bench.patch("theirs", json!({ "metadata": { "finalizers": ["finalizers.fluxcd.io"] } })).await;
        let patch = kube::api::Patch::Merge(json!({ "status": status }));
        let params = kube::api::PatchParams::default();
        let before = bench.api().patch_status("theirs", &params, &patch).await.unwrap();
        let written = std::fs::metadata(&file).unwrap().modified().unwrap();

        bench.start(&[]);
        let text = format!("no changes since last reconciliation: observed revision '{}'", revision(&before));
        bench.hears("theirs", "GitOperationSucceeded", &text).await;
        assert_eq!(bench.told("theirs").len(), 1);
        assert_eq!(version(&bench.api().get("theirs").await.unwrap()), version(&before));
        assert_eq!(std::fs::metadata(&file).unwrap().modified().unwrap(), written);
    });
}

// SC-027.
#[test]
fn a_link_in_place_of_the_artifact_is_replaced_and_its_target_stays() {
    on_bench(async |bench| {
        bench.git.create("app").unwrap().commit("first").file("a", "a").push().unwrap();
        bench.create("app", json!({})).await;
        let artifact = bench.ready("app").await.status.unwrap().artifact.unwrap();
        let (file, elsewhere) = (bench.storage().join(&artifact.path), bench.storage().join("elsewhere"));
        std::fs::write(&elsewhere, "precious").unwrap();
        std::fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &file).unwrap();
        bench.request("app", "r1").await;
        bench.ready("app").await;
        assert!(std::fs::symlink_metadata(&file).unwrap().is_file());
        assert_eq!(std::fs::read_to_string(elsewhere).unwrap(), "precious");
    });
}

// SC-030.
#[test]
fn the_oldest_of_three_artifacts_goes_with_its_lock_and_the_second_when_it_is_old() {
    on_bench(async |mut bench| {
        let repository = bench.git.create("app").unwrap();
        let c1 = repository.commit("first").file("a", "1").push().unwrap();
        bench.create("app", json!({})).await;
        let first = bench.ready("app").await.status.unwrap().artifact.unwrap();
        let c2 = repository.commit("second").file("a", "2").push().unwrap();
        bench.request("app", "r2").await;
        let c3 = repository.commit("third").file("a", "3").push().unwrap();
        bench.request("app", "r3").await;
        bench.request("app", "collect").await;
        let text = format!("no changes since last reconciliation: observed revision 'main@sha1:{c3}'");
        bench.hears("app", "GitOperationSucceeded", &text).await;
        let folder = bench.storage().join(&first.path).parent().unwrap().to_owned();
        let stored = || {
            let names = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
            let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
            names.sort_unstable();
            names
        };
        let files_of = |commits: &[&String]| {
            let files = commits.iter().flat_map(|id| [format!("{id}.tar.gz"), format!("{id}.tar.gz.lock")]);
            let mut files: Vec<_> = files.collect();
            files.sort_unstable();
            files
        };
        assert_eq!(stored(), files_of(&[&c2, &c3]), "{c1} is still there");
        let collected = ("GarbageCollectionSucceeded".to_owned(), "garbage collected 1 artifacts".to_owned());
        assert!(bench.told("app").contains(&collected));

        bench.stop().await;
        let later = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(70);
        bench.set_clock(millrace_reconcile::clock::FixedClock::at(later));
        bench.start(&[]);
        bench.request("app", "later").await;
        assert_eq!(stored(), files_of(&[&c3]));
    });
}

// SC-016.
#[test]
fn an_event_repeats_fifty_characters_of_a_long_subject() {
    on_bench(async |bench| {
        let subject = "é".repeat(60);
        bench.git.create("app").unwrap().commit(&subject).file("a", "a").push().unwrap();
        bench.create("app", json!({})).await;
        bench.ready("app").await;
        bench
            .hears("app", "NewArtifact", &format!("stored artifact for commit '{}...'", "é".repeat(50)))
            .await;
    });
}

// SC-106.
#[test]
fn the_series_of_an_object_go_with_it() {
    on_bench(async |bench| {
        bench.git.create("app").unwrap().commit("first").file("a", "a").push().unwrap();
        bench.create("app", json!({})).await;
        bench.ready("app").await;
        let series = format!(
            "gotk_reconcile_duration_seconds_count{{kind=\"GitRepository\",name=\"app\",namespace=\"{}\"}} ",
            bench.namespace
        );
        let counted = async || bench.metrics().contains(&series).then_some(());
        until("the run to be counted", LIMIT, counted).await.unwrap();
        let outcome =
            "controller_runtime_reconcile_total{controller=\"gitrepository\",result=\"requeue_after\"} ";
        let metrics = bench.metrics();
        let line = metrics.lines().find(|line| line.starts_with(outcome));
        assert!(line.is_some_and(|line| !line.ends_with(" 0")), "{metrics}");
        bench.delete("app").await;
        let gone = async || (!bench.metrics().contains("name=\"app\"")).then_some(());
        until("the series to go", LIMIT, gone).await.unwrap();
    });
}
