//! Waiting for health, against a scripted API server.

use std::time::Duration;

use millrace_ssa::apply::Applied;
use millrace_ssa::engine::Engine;
use millrace_ssa::id::ObjectId;
use millrace_ssa::wait::{WaitError, WaitOptions, Watched};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::api::{Api, Refusal};
use crate::apply::{apply, config_map};

const FAIL_FAST: WaitOptions = WaitOptions { timeout: Duration::from_mins(1), fail_fast: true };
const PATIENT: WaitOptions = WaitOptions { timeout: Duration::from_mins(1), fail_fast: false };

fn path(name: &str) -> String {
    format!("/apis/apps/v1/namespaces/ns/deployments/{name}")
}

fn deployment(name: &str, status: &str) -> String {
    format!(
        "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: {name}, namespace: ns}}, \
         spec: {{replicas: 1, template: {{}}}}, status: {{{status}}}}}"
    )
}

const HEALTHY: &str = "replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1, \
                       conditions: [{type: Available, status: 'True'}]";
const FAILED: &str = "conditions: [{type: Progressing, status: 'False', reason: ProgressDeadlineExceeded}]";

async fn applied(api: &Api, engine: &Engine, names: &[&str]) -> Applied {
    let manifests: Vec<String> = names.iter().map(|name| deployment(name, "")).collect();
    let applied = apply(engine, &manifests.join("\n---\n")).await.expect("applies");
    api.take_requests();
    applied
}

/// Waits beside the test.
#[expect(clippy::disallowed_methods, reason = "a test's own task ends with its runtime")]
fn spawn(engine: &Engine, watched: &[Watched]) -> JoinHandle<Result<(), WaitError>> {
    let (engine, watched) = (engine.clone(), watched.to_vec());
    tokio::spawn(async move { engine.wait(&watched, &FAIL_FAST).await })
}

/// Lets other tasks run until nothing is left to do at this time.
async fn settle() {
    sleep(Duration::from_millis(10)).await;
}

#[tokio::test]
async fn what_is_current_in_the_answers_needs_no_request() {
    let api = Api::new();
    let engine = api.engine();
    let applied = apply(&engine, &config_map("a", "v")).await.expect("applies");
    api.take_requests();
    engine.wait(applied.watched(), &FAIL_FAST).await.expect("is current");
    engine.wait(&[], &FAIL_FAST).await.expect("nothing to wait for");
    assert!(api.take_requests().is_empty());
}

// KC-090, design: one watch from the version of the write on, and no other request.
#[tokio::test(start_paused = true)]
async fn a_deployment_is_followed_by_one_watch_from_its_own_write_on() {
    let api = Api::new();
    let engine = api.engine();
    let applied = applied(&api, &engine, &["a", "b"]).await;
    let started = Instant::now();
    let waiting = spawn(&engine, applied.watched());
    settle().await;
    assert_eq!(api.take_requests(), ["watch /apis/apps/v1/namespaces/ns/deployments from 101"]);
    api.put(&path("a"), &deployment("a", HEALTHY));
    settle().await;
    assert!(!waiting.is_finished(), "b is still on its way");
    api.put(&path("b"), &deployment("b", HEALTHY));
    waiting.await.expect("no panic").expect("both are current");
    assert!(started.elapsed() < Duration::from_secs(1), "told by the watch, not by a poll");
    assert!(api.take_requests().is_empty());
}

#[tokio::test(start_paused = true)]
async fn those_who_wait_for_the_same_kind_share_a_watch_that_ends_after_them() {
    let api = Api::new();
    let engine = api.engine();
    let (first, second) = (applied(&api, &engine, &["a"]).await, applied(&api, &engine, &["b"]).await);
    let (first, second) = (spawn(&engine, first.watched()), spawn(&engine, second.watched()));
    settle().await;
    assert_eq!(api.take_requests().len(), 1);
    for name in ["a", "b"] {
        api.put(&path(name), &deployment(name, HEALTHY));
    }
    first.await.expect("no panic").expect("a is current");
    second.await.expect("no panic").expect("b is current");

    sleep(Duration::from_secs(20)).await;
    let third = applied(&api, &engine, &["c"]).await;
    let third = spawn(&engine, third.watched());
    settle().await;
    assert_eq!(api.take_requests(), ["watch /apis/apps/v1/namespaces/ns/deployments from 105"]);
    third.abort();
}

// KC-092: the first failed object ends the wait, or is told when nothing is on its way any more.
#[tokio::test(start_paused = true)]
async fn a_failed_object_ends_the_wait_at_once_or_when_all_others_are_done() {
    let api = Api::new();
    let engine = api.engine();
    let applied = applied(&api, &engine, &["a", "b"]).await;
    api.put(&path("a"), &deployment("a", FAILED));
    let error = engine.wait(applied.watched(), &FAIL_FAST).await.expect_err("a has failed");
    assert_eq!(
        error.to_string(),
        "failed early due to stalled resources: [Deployment/ns/a status: 'Failed']"
    );

    let error = engine.wait(applied.watched(), &PATIENT).await.expect_err("b does not get there");
    assert_eq!(
        error.to_string(),
        "timeout waiting for: [Deployment/ns/a status: 'Failed', Deployment/ns/b status: 'InProgress']"
    );

    api.put(&path("b"), &deployment("b", HEALTHY));
    let started = Instant::now();
    let error = engine.wait(applied.watched(), &PATIENT).await.expect_err("a has failed for good");
    assert!(matches!(error, WaitError::Failed(_)) && started.elapsed() < Duration::from_secs(10));
}

// KC-091: a missing object is waited for until the timeout.
#[tokio::test(start_paused = true)]
async fn a_missing_object_is_not_found_until_it_appears() {
    let api = Api::new();
    let engine = api.engine();
    let id: ObjectId = "ns_x__ConfigMap".parse().expect("a valid id");
    let watched = [Watched::named(id, "v1")];
    let started = Instant::now();
    let error = engine.wait(&watched, &FAIL_FAST).await.expect_err("is missing");
    assert_eq!(error.to_string(), "timeout waiting for: [ConfigMap/ns/x status: 'NotFound']");
    assert_eq!(started.elapsed().as_secs(), 60);

    let waiting = spawn(&engine, &watched);
    settle().await;
    api.put("/api/v1/namespaces/ns/configmaps/x", &config_map("x", "v"));
    timeout(Duration::from_secs(2), waiting).await.expect("at once").expect("no panic").expect("is there");
}

#[tokio::test(start_paused = true)]
async fn an_identity_that_may_not_watch_reads_its_objects_instead() {
    let api = Api::new();
    let forbidden = Refusal { code: 403, reason: "Forbidden".to_owned(), message: "no".to_owned() };
    api.state().refusals.insert(("watch", "/apis/apps/v1/namespaces/ns/deployments".to_owned()), forbidden);
    let engine = api.engine();
    let applied = applied(&api, &engine, &["a"]).await;
    let waiting = spawn(&engine, applied.watched());
    settle().await;
    api.put(&path("a"), &deployment("a", HEALTHY));
    timeout(Duration::from_secs(6), waiting)
        .await
        .expect("by polling")
        .expect("no panic")
        .expect("is current");
}

#[tokio::test(start_paused = true)]
async fn an_object_that_can_not_be_read_is_told_with_the_reason() {
    let api = Api::new();
    let rows = [
        ("ns_x_example.com_Widget", "no matches for kind \"Widget\" in version \"example.com/v1\""),
        ("ns_x__Secret", "no rights"),
    ];
    let forbidden = Refusal { code: 403, reason: "Forbidden".to_owned(), message: "no rights".to_owned() };
    api.state().refusals.insert(("get", "/api/v1/namespaces/ns/secrets/x".to_owned()), forbidden);
    for (id, reason) in rows {
        let id: ObjectId = id.parse().expect("a valid id");
        let subject = id.subject();
        let watched = [Watched::named(id, "v1")];
        let error = api.engine().wait(&watched, &FAIL_FAST).await.expect_err("can't be read");
        assert_eq!(
            error.to_string(),
            format!("timeout waiting for: [{subject} status: 'Unknown': {reason}]")
        );
    }
}

#[tokio::test]
async fn a_namespaced_object_without_a_namespace_ends_the_wait_before_it_begins() {
    let id: ObjectId = "_web_apps_Deployment".parse().expect("a valid id");
    let error =
        Api::new().engine().wait(&[Watched::named(id, "v1")], &FAIL_FAST).await.expect_err("no namespace");
    assert_eq!(
        error.to_string(),
        "resource Deployment.apps web is namespace scoped, but namespace is not set"
    );
}

// KC-094: a Job that deletes itself when it is done.
#[tokio::test(start_paused = true)]
async fn a_job_with_a_time_to_live_is_current_when_it_is_gone() {
    for (spec, is_current) in [("ttlSecondsAfterFinished: 0", true), ("backoffLimit: 1", false)] {
        let api = Api::new();
        let engine = api.engine();
        let job = format!(
            "{{apiVersion: batch/v1, kind: Job, metadata: {{name: j, namespace: ns}}, spec: {{{spec}}}}}"
        );
        let applied = apply(&engine, &job).await.expect("applies");
        let waiting = spawn(&engine, applied.watched());
        settle().await;
        api.remove("/apis/batch/v1/namespaces/ns/jobs/j");
        let outcome = waiting.await.expect("no panic");
        let missing = "timeout waiting for: [Job/ns/j status: 'NotFound']";
        match outcome {
            Ok(()) => assert!(is_current),
            Err(error) => assert!(!is_current && error.to_string() == missing, "{error}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_stateful_set_fails_with_its_pods() {
    let api = Api::new();
    let engine = api.engine();
    let set = "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: s, namespace: ns}, \
               spec: {replicas: 1, serviceName: s, selector: {matchLabels: {app: s}}, template: {}}}";
    let applied = apply(&engine, set).await.expect("applies");
    api.put(
        "/api/v1/namespaces/ns/pods/s-0",
        "{apiVersion: v1, kind: Pod, metadata: {name: s-0, namespace: ns, labels: {app: s}}, status: {phase: Running, \
         containerStatuses: [{name: c, state: {waiting: {reason: CrashLoopBackOff}}}]}}",
    );
    let started = Instant::now();
    let error = engine.wait(applied.watched(), &FAIL_FAST).await.expect_err("its pod crashes");
    assert_eq!(
        error.to_string(),
        "failed early due to stalled resources: [StatefulSet/ns/s status: 'Failed']"
    );
    assert!(started.elapsed() <= Duration::from_secs(5));
}

/// A run is spawned by its owner.
#[tokio::test]
async fn the_futures_can_move_between_threads() {
    fn is_send<T: Send>(_: &T) {}
    let api = Api::new();
    let engine = api.engine();
    let mut host = crate::apply::Recorder::default();
    let options = millrace_ssa::apply::ApplyOptions::default();
    is_send(&millrace_ssa::apply::all(&engine, Vec::new(), &options, &mut host));
    is_send(&engine.wait(&[], &FAIL_FAST));
}
