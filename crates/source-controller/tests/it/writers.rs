//! Others who write to the same objects. Contract: source-controller §2.3, §8.2.

use kube::Api;
use kube::api::{Patch, PatchParams};
use millrace_api::meta::Condition;
use millrace_api::source::v1::GitRepository;
use serde_json::json;

use crate::bench::{on_bench, state};

/// Sets a condition as a client does that lets nothing of others get lost.
async fn set(api: &Api<GitRepository>, type_: &str, message: &str) {
    loop {
        let object = api.get("app").await.unwrap();
        let mut conditions = object.status.unwrap().conditions;
        let condition =
            Condition { type_: type_.to_owned(), message: message.to_owned(), ..conditions[0].clone() };
        conditions.retain(|condition| condition.type_ != type_);
        conditions.push(condition);
        let version = object.metadata.resource_version.unwrap();
        let patch =
            json!({ "metadata": { "resourceVersion": version }, "status": { "conditions": conditions } });
        match api.patch_status("app", &PatchParams::default(), &Patch::Merge(patch)).await {
            Ok(_) => return,
            Err(kube::Error::Api(status)) if status.code == 409 => {}
            Err(error) => panic!("{error}"),
        }
    }
}

// SC-031.
#[test]
fn conditions_of_others_are_left_alone() {
    on_bench(async |bench| {
        bench.git.create("app").unwrap().commit("first").file("a", "a").push().unwrap();
        bench.create("app", json!({})).await;
        bench.ready("app").await;
        set(&bench.api(), "Theirs", "kept").await;
        bench.request("app", "one").await;
        bench.request("app", "two").await;
        bench.patch("app", json!({ "spec": { "ref": { "branch": "nope" } } })).await;
        bench.message("app", "Ready", "False", "GitOperationFailed").await;
        let object = bench.api().get("app").await.unwrap();
        assert_eq!(state(&object, "Theirs").unwrap().2, "kept");
    });
}

// SC-032.
#[test]
fn nobody_loses_a_write_while_three_write_at_once() {
    on_bench(async |bench| {
        bench.git.create("app").unwrap().commit("first").file("a", "a").push().unwrap();
        bench.create("app", json!({})).await;
        let before = bench.ready("app").await;
        let api = bench.api();
        let write = async |type_: &str| {
            for number in 1..=50 {
                set(&api, type_, &format!("{type_} {number}")).await;
            }
        };
        let ask = async {
            for number in 1..=20 {
                bench.request("app", &format!("r{number}")).await;
            }
        };
        tokio::join!(write("One"), write("Two"), ask);
        let after = bench.ready("app").await;
        assert_eq!(state(&after, "One").unwrap().2, "One 50");
        assert_eq!(state(&after, "Two").unwrap().2, "Two 50");
        for type_ in ["Ready", "ArtifactInStorage"] {
            assert_eq!(state(&after, type_), state(&before, type_));
        }
        let status = after.status.unwrap();
        assert_eq!(status.conditions.len(), 4);
        assert_eq!(status.last_handled_reconcile_at.as_deref(), Some("r20"));
        assert_eq!(status.artifact, before.status.unwrap().artifact);
    });
}
