//! From creation to deletion. Contract: source-controller §8.2.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use millrace_harness::until;
use serde_json::json;

use crate::bench::{on_bench, revision, state, version};

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

// SC-014 and SC-015, in short.
#[test]
fn labels_and_other_annotations_cause_no_run() {
    on_bench(async |bench| {
        bench.git.create("app").unwrap().commit("first").file("a", "a").push().unwrap();
        bench.create("app", json!({})).await;
        bench.ready("app").await;
        let runs = bench.runs();
        assert!(runs > 0.0);
        let annotations = json!({ "reconcile.fluxcd.io/forceAt": "x", "other": "y" });
        bench
            .patch("app", json!({ "metadata": { "labels": { "a": "b" }, "annotations": annotations } }))
            .await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert!(bench.runs() <= runs);
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

// SC-031.
#[test]
fn conditions_of_others_are_left_alone() {
    on_bench(async |bench| {
        bench.git.create("app").unwrap().commit("first").file("a", "a").push().unwrap();
        bench.create("app", json!({})).await;
        let object = bench.ready("app").await;
        let mut conditions = object.status.unwrap().conditions;
        conditions.push(millrace_api::meta::Condition {
            type_: "Theirs".to_owned(),
            message: "kept".to_owned(),
            ..conditions[0].clone()
        });
        let patch = kube::api::Patch::Merge(json!({ "status": { "conditions": conditions } }));
        bench.api().patch_status("app", &kube::api::PatchParams::default(), &patch).await.unwrap();
        bench.request("app", "one").await;
        bench.patch("app", json!({ "spec": { "ref": { "branch": "nope" } } })).await;
        bench.message("app", "Ready", "False", "GitOperationFailed").await;
        let object = bench.api().get("app").await.unwrap();
        assert_eq!(state(&object, "Theirs").unwrap().2, "kept");
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

// SC-030, its first half.
#[test]
fn the_oldest_of_three_artifacts_goes_with_its_lock() {
    on_bench(async |bench| {
        let repository = bench.git.create("app").unwrap();
        let c1 = repository.commit("first").file("a", "1").push().unwrap();
        bench.create("app", json!({})).await;
        let first = bench.ready("app").await.status.unwrap().artifact.unwrap();
        repository.commit("second").file("a", "2").push().unwrap();
        bench.request("app", "r2").await;
        let c3 = repository.commit("third").file("a", "3").push().unwrap();
        bench.request("app", "r3").await;
        bench.request("app", "collect").await;
        let text = format!("no changes since last reconciliation: observed revision 'main@sha1:{c3}'");
        bench.hears("app", "GitOperationSucceeded", &text).await;
        let folder = bench.storage().join(&first.path).parent().unwrap().to_owned();
        let names =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let names: Vec<_> = names.collect();
        assert_eq!(names.len(), 4, "{names:?}");
        assert!(names.iter().all(|name| !name.starts_with(&c1)), "{names:?}");
        let collected = ("GarbageCollectionSucceeded".to_owned(), "garbage collected 1 artifacts".to_owned());
        assert!(bench.told("app").contains(&collected));
    });
}
