use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use millrace_api::kustomize::v1::{Kustomization, KustomizationStatus};

use super::*;
use crate::client::scripted::{self, Answer, Requests, Seen};

const WRITER: Writer = Writer { manager: "test-manager", owned: &["Ready", "Reconciling"] };

/// What goes wrong with one write.
enum Fault {
    /// Somebody else writes this status first.
    Overtaken(Value),
    /// The write is done, but the connection breaks before the answer; then somebody else writes this status.
    Unseen(Value),
    /// The write is refused.
    Refused,
}

/// One Kustomization as an API server keeps it.
#[derive(Clone)]
struct Server {
    object: Arc<Mutex<Value>>,
    faults: Arc<Mutex<VecDeque<Fault>>>,
}

impl Server {
    fn new(status: &Value, faults: impl IntoIterator<Item = Fault>) -> Self {
        let object = json!({
            "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
            "metadata": { "name": "site", "namespace": "apps", "resourceVersion": "1" },
            "spec": { "interval": "1m", "prune": true, "sourceRef": { "kind": "GitRepository", "name": "site" } },
            "status": status,
        });
        Self {
            object: Arc::new(Mutex::new(object)),
            faults: Arc::new(Mutex::new(faults.into_iter().collect())),
        }
    }

    fn client(&self) -> (Client, Requests) {
        let server = self.clone();
        scripted::client(move |seen| server.answer(seen))
    }

    fn answer(&self, seen: &Seen) -> Answer {
        let mut object = self.object.lock().expect("lock");
        if seen.method == http::Method::GET {
            return Some((200, object.to_string()));
        }
        let somebody = |object: &mut Value, status: Value| {
            let (code, _) = scripted::patch(object, &json!({ "status": status }));
            assert_eq!(code, 200);
        };
        match self.faults.lock().expect("lock").pop_front() {
            None => Some(scripted::patch(&mut object, &seen.json())),
            Some(Fault::Refused) => Some(scripted::refusal(422, "Invalid")),
            Some(Fault::Overtaken(status)) => {
                somebody(&mut object, status);
                Some(scripted::patch(&mut object, &seen.json()))
            }
            Some(Fault::Unseen(status)) => {
                let (code, _) = scripted::patch(&mut object, &seen.json());
                assert_eq!(code, 200);
                somebody(&mut object, status);
                None
            }
        }
    }

    fn observed(&self) -> Observed {
        let object: Kustomization =
            serde_json::from_value(self.object.lock().expect("lock").clone()).expect("an object");
        Observed::of(&object)
    }

    fn status(&self) -> Value {
        self.object.lock().expect("lock")["status"].clone()
    }
}

async fn write_to(client: &Client, observed: &mut Observed, desired: &Value) -> Result<(), StatusError> {
    let desired: KustomizationStatus = serde_json::from_value(desired.clone()).expect("a status");
    write::<Kustomization>(client, &WRITER, &Key::new("apps", "site"), observed, &desired).await
}

fn methods(requests: &Requests) -> Vec<String> {
    requests.all().iter().map(|seen| seen.method.to_string()).collect()
}

/// Conditions by type, with their messages.
fn told(status: &Value) -> Vec<(String, String)> {
    conditions_of(status).into_iter().map(|condition| (condition.type_, condition.message)).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(type_, message)| ((*type_).to_owned(), (*message).to_owned())).collect()
}

#[tokio::test(start_paused = true)]
async fn after_a_conflict_only_what_this_run_changes_is_written_and_foreign_conditions_stay() {
    let before = json!({ "observedGeneration": 1, "lastAppliedRevision": "a", "conditions": [condition("Ready", "old")] });
    let theirs = json!({
        "lastAttemptedRevision": "theirs", "conditions": [condition("Ready", "old"), condition("Theirs", "kept")],
    });
    let server = Server::new(&before, [Fault::Overtaken(theirs)]);
    let (client, requests) = server.client();
    let mut observed = server.observed();
    let desired = json!({ "observedGeneration": 1, "lastAppliedRevision": "b", "conditions": [condition("Ready", "new")] });
    write_to(&client, &mut observed, &desired).await.expect("written at last");
    assert_eq!(methods(&requests), ["PATCH", "GET", "PATCH"]);
    let last = requests.all().pop().expect("a request").json();
    assert_eq!(last["metadata"]["resourceVersion"], "2");
    let written: Vec<_> = last["status"].as_object().expect("a map").keys().collect();
    assert_eq!(written, ["conditions", "lastAppliedRevision"], "nothing of theirs");
    let status = server.status();
    assert_eq!(
        (&status["lastAttemptedRevision"], &status["lastAppliedRevision"]),
        (&json!("theirs"), &json!("b"))
    );
    assert_eq!(told(&status), pairs(&[("Ready", "new"), ("Theirs", "kept")]));
}

#[tokio::test(start_paused = true)]
async fn a_write_whose_answer_is_lost_is_undone_by_the_next_one_and_foreign_conditions_stay() {
    let before = json!({ "observedGeneration": 1, "conditions": [condition("Ready", "old")] });
    let shown = json!({
        "observedGeneration": 1, "lastAttemptedRevision": "b",
        "conditions": [condition("Reconciling", "at work"), condition("Ready", "old")],
    });
    let with_theirs = json!({
        "conditions": [condition("Reconciling", "at work"), condition("Ready", "old"), condition("Theirs", "kept")],
    });
    let server = Server::new(&before, [Fault::Unseen(with_theirs)]);
    let (client, requests) = server.client();
    let mut observed = server.observed();
    write_to(&client, &mut observed, &shown).await.expect_err("no answer");
    assert_eq!(server.status()["lastAttemptedRevision"], "b", "but it was written");
    // What is wanted now is what was there when the run began: the run's own view shows no difference.
    write_to(&client, &mut observed, &before).await.expect("written");
    assert_eq!(methods(&requests), ["PATCH", "GET", "PATCH"]);
    let status = server.status();
    assert_eq!(status.get("lastAttemptedRevision"), None);
    assert_eq!(told(&status), pairs(&[("Ready", "old"), ("Theirs", "kept")]));
}

#[tokio::test(start_paused = true)]
async fn a_refused_write_was_not_done_and_needs_no_second_look() {
    let server = Server::new(&json!({ "observedGeneration": 1 }), [Fault::Refused]);
    let (client, requests) = server.client();
    let mut observed = server.observed();
    write_to(&client, &mut observed, &json!({ "observedGeneration": 2 })).await.expect_err("refused");
    write_to(&client, &mut observed, &json!({ "observedGeneration": 3 })).await.expect("written");
    assert_eq!(methods(&requests), ["PATCH", "PATCH"]);
}

#[tokio::test(start_paused = true)]
async fn a_write_that_is_overtaken_every_time_gives_up() {
    let theirs = |n: u32| Fault::Overtaken(json!({ "lastAttemptedRevision": n.to_string() }));
    let server = Server::new(&json!({}), (0..10).map(theirs));
    let (client, requests) = server.client();
    let mut observed = server.observed();
    let error =
        write_to(&client, &mut observed, &json!({ "observedGeneration": 2 })).await.expect_err("conflicts");
    assert_eq!(error.to_string(), "Conflict");
    assert_eq!(methods(&requests).iter().filter(|method| *method == "PATCH").count(), 5);
}

#[test]
fn the_patch_holds_only_what_changed_and_null_for_what_went() {
    let before =
        json!({ "same": 1, "changed": "a", "gone": true, "map": { "x": 1, "y": 2 }, "list": [1, 2] });
    let after = json!({ "same": 1, "changed": "b", "map": { "x": 1, "z": 3 }, "list": [2], "new": {} });
    let expected =
        json!({ "changed": "b", "gone": null, "map": { "y": null, "z": 3 }, "list": [2], "new": {} });
    assert_eq!(Value::Object(difference(&before, &after)), expected);
}

fn condition(type_: &str, message: &str) -> Condition {
    Condition {
        last_transition_time: k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(
            jiff::Timestamp::UNIX_EPOCH,
        ),
        message: message.to_owned(),
        observed_generation: Some(1),
        reason: "Test".to_owned(),
        status: "True".to_owned(),
        type_: type_.to_owned(),
    }
}

#[test]
fn foreign_conditions_are_kept_and_owned_ones_replaced_or_removed() {
    let stored = [condition("Ready", "old"), condition("Theirs", "kept"), condition("Stalled", "gone")];
    let merged = merge_conditions(&["Ready", "Stalled"], &[condition("Ready", "new")], &stored);
    let seen: Vec<_> = merged.iter().map(|found| (found.type_.as_str(), found.message.as_str())).collect();
    assert_eq!(seen, [("Ready", "new"), ("Theirs", "kept")]);
}

#[tokio::test]
async fn a_refusal_is_told_once_in_the_words_of_the_api_server() {
    let server = Server::new(&json!({}), [Fault::Refused]);
    let (client, _) = server.client();
    let mut observed = server.observed();
    let refused = write_to(&client, &mut observed, &json!({ "lastAppliedRevision": "main" })).await;
    assert_eq!(crate::failure::chain(&refused.expect_err("refused")), "Invalid");
}
