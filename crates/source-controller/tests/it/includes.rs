//! Sources that include others. Contract: source-controller §2.5, §3.6, §8.3.

use millrace_harness::until;
use millrace_reconcile::events::Severity;
use serde_json::json;

use crate::bench::{Bench, LIMIT, on_bench, state};

fn names(bench: &Bench, object: &millrace_api::source::v1::GitRepository) -> Vec<String> {
    bench.members(object).into_iter().map(|(name, _)| name).collect()
}

// SC-049 and SC-051.
#[test]
fn included_files_are_part_of_the_artifact_and_follow_their_source() {
    on_bench(async |bench| {
        bench.git.create("app").unwrap().commit("first").file("a.txt", "a").push().unwrap();
        let library = bench.git.create("lib").unwrap();
        library.commit("first").file("sub/f", "1").file("other", "o").push().unwrap();
        bench.create("lib", json!({})).await;
        let lib = bench.ready("lib").await.status.unwrap().artifact.unwrap();
        let include = json!([{ "repository": { "name": "lib" }, "fromPath": "sub", "toPath": "x/y" }]);
        bench.create("app", json!({ "include": include })).await;
        let before = bench.ready("app").await;
        assert_eq!(names(&bench, &before), ["./", "a.txt", "x/", "x/y/", "x/y/f"]);
        let status = before.status.unwrap();
        assert_eq!(status.included_artifacts, [lib]);
        assert_eq!(serde_json::to_value(&status.observed_include).unwrap(), include);

        // Nothing new: not even a second artifact with the same content.
        let same = bench.request("app", "r1").await.status.unwrap();
        assert_eq!(same.artifact, status.artifact);

        library.commit("second").file("sub/g", "2").push().unwrap();
        let lib = bench.request("lib", "r1").await.status.unwrap().artifact.unwrap();
        bench.request("app", "r2").await;
        let after = bench.ready("app").await;
        assert_eq!(names(&bench, &after), ["./", "a.txt", "x/", "x/y/", "x/y/f", "x/y/g"]);
        assert_eq!(state(&after, "ArtifactOutdated"), None);
        let after = after.status.unwrap();
        assert_eq!(after.included_artifacts, [lib]);
        let (old, new) = (status.artifact.unwrap(), after.artifact.unwrap());
        assert_eq!((&new.revision, &new.path), (&old.revision, &old.path));
        assert_ne!(new.digest, old.digest);
        bench.hears("app", "NewArtifact", "stored artifact for commit 'first'").await;
    });
}

// SC-050, but for the pace, which is faster here.
#[test]
fn an_include_that_is_not_there_yet_is_waited_for() {
    on_bench(async |mut bench| {
        bench.stop().await;
        bench.start(&["--requeue-dependency=500ms"]);
        bench.git.create("app").unwrap().commit("first").file("a.txt", "a").push().unwrap();
        bench.git.create("o").unwrap().commit("first").file("b", "b").push().unwrap();
        bench.create("app", json!({ "include": [{ "repository": { "name": "o" } }] })).await;
        let missing =
            "could not get resource for include 'o': GitRepository.source.toolkit.fluxcd.io \"o\" not found";
        assert_eq!(bench.message("app", "IncludeUnavailable", "True", "NotFound").await, missing);
        assert_eq!(bench.message("app", "Ready", "False", "NotFound").await, missing);
        let tried = until("three attempts", LIMIT, async || (bench.events("app").len() >= 3).then_some(()));
        tried.await.unwrap();
        assert!(bench.events("app").iter().all(|event| event.severity == Severity::Trace));

        bench.create("o", json!({ "suspend": true })).await;
        let empty = "no artifact available for include 'o'";
        assert_eq!(bench.message("app", "IncludeUnavailable", "True", "NoArtifact").await, empty);
        assert_eq!(bench.message("app", "Ready", "False", "NoArtifact").await, empty);

        bench.patch("o", json!({ "spec": { "suspend": false } })).await;
        let object = bench.ready("app").await;
        assert_eq!(names(&bench, &object), ["./", "a.txt", "o/", "o/b"]);
        assert_eq!(state(&object, "IncludeUnavailable"), None);
    });
}

#[test]
fn an_include_that_does_not_fit_fails_and_is_tried_again() {
    on_bench(async |bench| {
        bench.git.create("app").unwrap().commit("first").file("d/a", "a").link("l", "l").push().unwrap();
        bench.git.create("lib").unwrap().commit("first").file("b", "b").push().unwrap();
        bench.create("lib", json!({})).await;
        bench.ready("lib").await;
        let include = |from: &str, to: &str| {
            let include = json!([{ "repository": { "name": "lib" }, "fromPath": from, "toPath": to }]);
            json!({ "url": bench.git.public_url("app"), "include": include })
        };
        bench.create("absent", include("nope", "x")).await;
        bench.create("occupied", include("", "d")).await;
        bench.create("nowhere", include("", "l")).await;
        let rows = [
            ("absent", "CopyFailure", "failed to copy 'lib' include from nope to x: "),
            ("occupied", "CopyFailure", "failed to copy 'lib' include from  to d: "),
            ("nowhere", "IllegalPath", "path calculation for include 'lib' failed: "),
        ];
        for (name, reason, text) in rows {
            let message = bench.message(name, "StorageOperationFailed", "True", reason).await;
            assert!(message.starts_with(text), "{message}");
            assert_eq!(bench.message(name, "Ready", "False", reason).await, message);
        }
        bench.patch("absent", json!({ "spec": include("b", "x") })).await;
        let object = bench.ready("absent").await;
        assert!(names(&bench, &object).contains(&"x".to_owned()));
        assert_eq!(state(&object, "StorageOperationFailed"), None);
    });
}
