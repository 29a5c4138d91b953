//! What is in the artifact. Contract: source-controller §3.4, §3.5, §8.3.

use serde_json::json;

use crate::bench::{hex_sha256, on_bench};

// SC-010: a golden vector of §3.4.
#[test]
fn the_archive_equals_the_originals() {
    on_bench(async |bench| {
        let commit = bench.git.create("app").unwrap();
        let commit = commit.commit("first").file("a.txt", "a\n").file("b.yaml", "k: v\n");
        commit.executable("bin/run.sh", "#!/bin/sh\n").push().unwrap();
        bench.create("app", json!({})).await;
        let object = bench.ready("app").await;
        let expected = "a8de76aa8306f2be97c35115afe8a7c3e8f0e2f4dd22b7f28bf301456249fa29";
        assert_eq!(hex_sha256(&bench.tar(&object)), expected);
    });
}

// SC-047.
#[test]
fn ignore_rules_of_the_spec_rebuild_the_artifact_of_the_same_commit() {
    on_bench(async |bench| {
        let repository = bench.git.create("app").unwrap();
        repository.commit("first").file("a.txt", "a").file("b.md", "b").push().unwrap();
        bench.create("app", json!({})).await;
        let before = bench.ready("app").await;
        bench.patch("app", json!({ "spec": { "ignore": "*.md" } })).await;
        let ignoring = bench.ready("app").await;
        assert_eq!(ignoring.status.as_ref().unwrap().observed_ignore.as_deref(), Some("*.md"));
        let names = |object| bench.members(object).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names(&ignoring), ["./", "a.txt"]);
        bench.patch("app", json!({ "spec": { "ignore": null } })).await;
        let after = bench.ready("app").await.status.unwrap();
        assert_eq!(after.observed_ignore, None);
        assert_eq!(after.artifact.unwrap().digest, before.status.unwrap().artifact.unwrap().digest);
    });
}

// SC-048.
#[test]
fn links_are_left_out_modes_are_plain_and_emptied_folders_stay() {
    on_bench(async |bench| {
        let commit = bench.git.create("app").unwrap();
        let commit = commit.commit("first").file("f", "f").executable("x", "x").link("l", "f");
        commit.file("d/only.png", "p").push().unwrap();
        bench.create("app", json!({})).await;
        let object = bench.ready("app").await;
        let members = bench.members(&object);
        let seen: Vec<_> = members.iter().map(|(name, mode)| (name.as_str(), *mode)).collect();
        assert_eq!(seen, [("./", 0o750), ("d/", 0o750), ("f", 0o600), ("x", 0o700)]);
    });
}

// SC-052.
#[test]
fn a_sparse_checkout_takes_what_begins_with_its_entries() {
    on_bench(async |bench| {
        let commit = bench.git.create("app").unwrap();
        commit.commit("first").file("dir1/a", "a").file("dir10/b", "b").file("r.txt", "r").push().unwrap();
        let url = bench.git.public_url("app");
        let rows: [(&str, &str, &[&str]); 3] = [
            ("prefix", "dir1", &["./", "dir1/", "dir1/a", "dir10/", "dir10/b"]),
            ("dotted", "./dir1", &["./", "dir1/", "dir1/a", "dir10/", "dir10/b"]),
            ("folder", "dir1/", &["./", "dir1/", "dir1/a"]),
        ];
        for (name, entry, _) in rows {
            bench.create(name, json!({ "url": url, "sparseCheckout": [entry] })).await;
        }
        bench.create("missing", json!({ "url": url, "sparseCheckout": ["missing"] })).await;
        for (name, entry, expected) in rows {
            let object = bench.ready(name).await;
            let names: Vec<_> = bench.members(&object).into_iter().map(|(name, _)| name).collect();
            assert_eq!(names, expected, "{name}");
            assert_eq!(object.status.unwrap().observed_sparse_checkout, [entry]);
        }
        let message = bench.message("missing", "FetchFailed", "True", "GitOperationFailed").await;
        let text = format!(
            "failed to sparse checkout directories : sparse checkout dir 'missing' does not exist in repository: \
             lstat /tmp/gitrepository-{}-missing/missing: no such file or directory",
            bench.namespace
        );
        assert_eq!(message, text);

        bench.patch("prefix", json!({ "spec": { "sparseCheckout": null } })).await;
        let whole = bench.ready("prefix").await;
        assert!(bench.members(&whole).contains(&("r.txt".to_owned(), 0o600)));
    });
}

/// Git itself would not check such a commit out.
#[test]
fn an_entry_that_leads_out_of_the_tree_is_named_with_its_folder() {
    on_bench(async |bench| {
        let repository = bench.git.create("app").unwrap();
        repository.commit("first").file("a.txt", "a").push().unwrap();
        let mut inner = repository.git(&["rev-parse", "HEAD^{tree}"]).unwrap();
        for name in ["..", "deploy"] {
            let mut tree = format!("40000 {name}\0").into_bytes();
            let digits = inner.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
            tree.extend(digits.map(|pair| u8::from_str_radix(pair, 16).unwrap()));
            std::fs::write(repository.work_tree().join(".git/tree"), tree).unwrap();
            let made = repository.git(&["hash-object", "-t", "tree", "-w", "--literally", ".git/tree"]);
            inner = made.unwrap();
        }
        let commit = repository.git(&["commit-tree", &inner, "-m", "hostile"]).unwrap();
        let target = format!("{commit}:refs/heads/main");
        repository.git(&["push", "--quiet", "--force", "origin", &target]).unwrap();
        bench.create("app", json!({})).await;
        let message = bench.message("app", "FetchFailed", "True", "GitOperationFailed").await;
        let expected = format!(
            "failed to checkout and determine revision: unable to read commit '{commit}': invalid path \"deploy/..\" in tree"
        );
        assert_eq!(message, expected);
    });
}
