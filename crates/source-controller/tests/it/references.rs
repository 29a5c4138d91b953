//! What references mean. Contract: source-controller §3.1, §8.3.

use serde_json::json;

use crate::bench::{on_bench, revision};

// SC-035, SC-036 and SC-037.
#[test]
fn every_kind_of_reference_gives_its_revision() {
    on_bench(async |bench| {
        let repository = bench.git.create("app").unwrap();
        let c1 = repository.commit("first").file("a", "a").push().unwrap();
        repository.tag("v1.2.3", &c1, Some("annotated")).unwrap();
        let c2 = repository.commit("second").file("a", "b").push().unwrap();
        for tag in ["1.2.4-rc.1", "1.10.0", "2.0.0"] {
            repository.tag(tag, &c2, None).unwrap();
        }
        let url = bench.git.public_url("app");
        let rows = [
            ("tag", json!({ "tag": "v1.2.3" }), format!("v1.2.3@sha1:{c1}")),
            ("range", json!({ "semver": "^1.2" }), format!("1.10.0@sha1:{c2}")),
            ("wide", json!({ "semver": ">=1.0.0-0 <2.0.0-0" }), format!("1.10.0@sha1:{c2}")),
            ("exact", json!({ "semver": "1.2.4-rc.1" }), format!("1.2.4-rc.1@sha1:{c2}")),
            ("tag-wins", json!({ "tag": "v1.2.3", "semver": "*" }), format!("v1.2.3@sha1:{c1}")),
            ("on-branch", json!({ "branch": "main", "commit": c1 }), format!("main@sha1:{c1}")),
            ("commit", json!({ "commit": c1 }), format!("sha1:{c1}")),
            ("name", json!({ "name": "refs/heads/main" }), format!("refs/heads/main@sha1:{c2}")),
        ];
        for (name, reference, _) in &rows {
            bench.create(name, json!({ "url": url, "ref": reference })).await;
        }
        for (name, _, expected) in rows {
            assert_eq!(revision(&bench.ready(name).await), expected, "{name}");
        }
        // Upstream fetches these anew each time, and tells that nothing came of it.
        bench.request("range", "again").await;
        let text = format!("artifact up-to-date with remote revision: '1.10.0@sha1:{c2}'");
        bench.hears("range", "ArtifactUpToDate", &text).await;
    });
}

#[test]
fn master_is_the_branch_when_nothing_is_said() {
    on_bench(async |bench| {
        let repository = bench.git.create("app").unwrap();
        let c1 = repository.commit("first").file("a", "a").on("master").push().unwrap();
        bench.create("app", json!({ "ref": null })).await;
        assert_eq!(revision(&bench.ready("app").await), format!("master@sha1:{c1}"));
    });
}
