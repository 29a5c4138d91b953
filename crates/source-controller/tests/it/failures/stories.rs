//! What failing objects show. Contract: source-controller §7.2, §8.2, §8.3.

use std::time::Duration;

use millrace_harness::git::{PASSWORD, USER};
use millrace_harness::until;
use millrace_reconcile::events::Severity;
use serde_json::json;

use crate::bench::{on_bench, revision, state};

const PREFIX: &str = "failed to checkout and determine revision: ";

// SC-018 and SC-020.
#[test]
fn a_missing_branch_is_retried_until_it_is_there() {
    on_bench(async |bench| {
        let repository = bench.git.create("app").unwrap();
        repository.commit("first").file("a", "a").push().unwrap();
        bench.create("app", json!({ "ref": { "branch": "nope" } })).await;
        let text = format!(
            "{PREFIX}unable to clone '{}': couldn't find remote ref \"refs/heads/nope\"",
            bench.git.public_url("app")
        );
        assert_eq!(bench.message("app", "FetchFailed", "True", "GitOperationFailed").await, text);
        let object = bench
            .when("app", "a retry is announced", |object| {
                (state(object, "Reconciling")?.1 == "ProgressingWithRetry").then_some(())
            })
            .await;
        assert_eq!(
            state(&object, "Ready").unwrap(),
            ("False".into(), "GitOperationFailed".into(), text.clone())
        );
        let status = object.status.unwrap();
        assert_eq!((status.observed_generation, status.artifact), (Some(-1), None));
        let retried = until("three attempts", Duration::from_secs(20), async || {
            (bench.events("app").len() >= 3).then_some(())
        });
        retried.await.unwrap();
        let event = bench.events("app").remove(0);
        assert_eq!((event.severity, event.message), (Severity::Error, text));
        assert!(event.metadata.is_empty());

        repository.branch("nope", "main").unwrap();
        let object = bench.ready("app").await;
        assert_eq!(state(&object, "FetchFailed"), None);
        bench.hears("app", "NewArtifact", "stored artifact for commit 'first'").await;
    });
}

// SC-021.
#[test]
fn recovery_is_told_once_by_the_name_of_the_revision() {
    on_bench(async |mut bench| {
        bench.git.create("app").unwrap().commit("first").file("a", "a").push().unwrap();
        bench.create("app", json!({})).await;
        let before = bench.ready("app").await;
        bench.git.stop().await.unwrap();
        let object = bench.request("app", "r1").await;
        assert_eq!(state(&object, "Ready").unwrap().1, "GitOperationFailed");
        assert_eq!(state(&object, "ArtifactInStorage").unwrap().0, "True");
        assert_eq!(revision(&object), revision(&before));
        bench.git.resume().await.unwrap();
        bench.ready("app").await;
        let text = format!("stored artifact for commit '{}'", revision(&before));
        let told = until("the recovery is told", Duration::from_secs(10), async || {
            bench.told("app").iter().any(|told| *told == ("Succeeded".to_owned(), text.clone())).then_some(())
        });
        told.await.unwrap();
    });
}

// SC-022.
#[test]
fn an_edit_that_fails_keeps_the_old_artifact_served() {
    on_bench(async |bench| {
        bench.git.create("app").unwrap().commit("first").file("a", "a").push().unwrap();
        bench.create("app", json!({})).await;
        let before = bench.ready("app").await;
        bench.patch("app", json!({ "spec": { "ref": { "branch": "nope" } } })).await;
        bench.message("app", "Ready", "False", "GitOperationFailed").await;
        let object = bench.api().get("app").await.unwrap();
        assert_eq!(revision(&object), revision(&before));
        assert_eq!(
            (object.metadata.generation, object.status.unwrap().observed_generation),
            (Some(2), Some(1))
        );
        assert!(bench.storage().join(before.status.unwrap().artifact.unwrap().path).exists());
    });
}

// SC-038, SC-039.
#[test]
fn references_that_lead_nowhere_have_their_words() {
    on_bench(async |bench| {
        bench.git.create("app").unwrap().commit("first").file("a", "a").push().unwrap();
        bench.git.create("empty").unwrap();
        let url = bench.git.public_url("app");
        let empty = bench.git.public_url("empty");
        let rows = [
            (
                "range",
                &url,
                json!({ "semver": "abc" }),
                "semver parse error: improper constraint: ".to_owned(),
            ),
            (
                "no-match",
                &url,
                json!({ "semver": ">=99.0.0" }),
                "no match found for semver: >=99.0.0".to_owned(),
            ),
            (
                "short",
                &url,
                json!({ "commit": "0123456789" }),
                "unable to resolve commit object for '0123456789': object not found".to_owned(),
            ),
            (
                "slash",
                &url,
                json!({ "name": "refs/heads/x/" }),
                "ref refs/heads/x/ is invalid; Git refs cannot begin or end with a slash '/'".to_owned(),
            ),
            ("no-commit", &empty, json!({ "tag": "v1" }), "unable to clone: ".to_owned()),
        ];
        for (name, url, reference, _) in &rows {
            bench.create(name, json!({ "url": url, "ref": reference })).await;
        }
        bench.create("nothing", json!({ "url": empty, "ref": null })).await;
        for (name, _, _, text) in rows {
            let message = bench.message(name, "Ready", "False", "GitOperationFailed").await;
            assert!(message.starts_with(&format!("{PREFIX}{text}")), "{name}: {message}");
        }
        let message = bench.message("nothing", "Ready", "False", "EmptyGitRepository").await;
        assert_eq!(message, "git repository is empty");
    });
}

// SC-040 and the HTTP rows of SC-041 and SC-042; the end of SC-112.
#[test]
fn credentials_and_certificates_come_from_the_secret() {
    on_bench(async |bench| {
        bench.git.create("app").unwrap().commit("first").file("a", "a").push().unwrap();
        let (login, tls) = (bench.git.login_url("app"), bench.git.tls_url("app"));
        bench.secret("good", &[("username", USER), ("password", PASSWORD)]).await;
        bench.secret("wrong", &[("username", USER), ("password", "x")]).await;
        bench.secret("half", &[("password", "x")]).await;
        bench.secret("token", &[("bearerToken", "x")]).await;
        let ca = ("ca.crt", bench.git.authority());
        bench.secret("tls", &[("username", USER), ("password", PASSWORD), ca]).await;
        let secret = |url: &str, name: &str| json!({ "url": url, "secretRef": { "name": name } });
        bench.create("good", secret(&login, "good")).await;
        bench.create("wrong", secret(&login, "wrong")).await;
        bench.create("missing", secret(&login, "s")).await;
        bench.create("half", secret(&tls, "half")).await;
        let both = login.replace("http://", "http://me:pw@");
        bench.create("both", secret(&both, "token")).await;
        bench.create("untrusted", secret(&tls, "good")).await;
        bench.create("trusted", secret(&tls, "tls")).await;

        bench.ready("good").await;
        bench.ready("trusted").await;
        let message = bench.message("wrong", "Ready", "False", "GitOperationFailed").await;
        assert!(message.contains("authentication required: "), "{message}");
        let message = bench.message("missing", "Ready", "False", "AuthenticationFailed").await;
        let id = format!("{}/s", bench.namespace);
        let text =
            format!("failed to get secret '{id}': failed to get secret '{id}': secrets \"s\" not found");
        assert_eq!(message, text);
        let message = bench.message("half", "Ready", "False", "AuthenticationFailed").await;
        let text = "invalid 'https' auth option: 'password' requires 'username' to be set";
        assert_eq!(message, format!("failed to configure authentication options: {text}"));
        let message = bench.message("both", "Ready", "False", "GitOperationFailed").await;
        assert_eq!(message, format!("{PREFIX}basic auth and bearer token cannot be set at the same time"));
        let message = bench.message("untrusted", "Ready", "False", "GitOperationFailed").await;
        assert!(message.starts_with(&format!("{PREFIX}unable to clone '{tls}': ")), "{message}");
        assert!(message.contains("certificate"), "{message}");

        bench.secret("s", &[("username", USER), ("password", PASSWORD)]).await;
        bench.request("missing", "now").await;
        bench.ready("missing").await;
    });
}

#[test]
fn an_unsupported_field_stalls_until_it_is_gone() {
    on_bench(async |bench| {
        bench.git.create("app").unwrap().commit("first").file("a", "a").push().unwrap();
        bench.create("app", json!({ "recurseSubmodules": true })).await;
        let message = bench.message("app", "Stalled", "True", "UnsupportedField").await;
        assert_eq!(message, "spec.recurseSubmodules is not supported by this version");
        let object = bench.api().get("app").await.unwrap();
        assert_eq!(object.status.clone().unwrap().observed_generation, Some(1));
        assert_eq!(state(&object, "Reconciling"), None);
        bench.patch("app", json!({ "spec": { "recurseSubmodules": false } })).await;
        bench.ready("app").await;
    });
}
