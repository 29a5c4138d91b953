use std::{collections::BTreeMap, path::Path};

use millrace_git::{
    Reference,
    version::{Constraint, Version},
};
use proptest::prelude::*;
use serde::Deserialize;

use crate::fixture::{Client, Server};

fn semver(text: &str) -> Reference {
    Reference::Semver(text.to_owned())
}

// SC-036: which tag a range selects.
#[test]
fn sc_036_a_range_selects_the_highest_tag() {
    let Some(server) = Server::start() else { return };
    let repository = server.repository("app.git");
    let mut commits = BTreeMap::new();
    for tag in ["v1.2.3", "1.2.4-rc.1", "1.10.0", "2.0.0"] {
        commits.insert(tag, repository.commit_file("f", tag));
        repository.git(&["tag", "-a", tag, "-m", tag]);
    }
    repository.push();
    let url = server.url("public/app.git");
    let client = Client::new();
    let rows =
        [("^1.2", "1.10.0"), (">=1.0.0-0 <2.0.0-0", "1.10.0"), ("1.2.4-rc.1", "1.2.4-rc.1"), ("*", "2.0.0")];
    for (range, tag) in rows {
        let (resolved, checkout) = client.checkout(&url, &semver(range)).unwrap();
        assert_eq!(resolved.revision.as_str(), format!("{tag}@sha1:{}", commits[tag]), "{range}");
        assert_eq!(checkout.commit().id, commits[tag]);
    }
}

#[test]
fn equal_versions_are_told_apart_by_the_age_of_their_commits() {
    let Some(server) = Server::start() else { return };
    let repository = server.repository("app.git");
    for (tag, time) in [("1.0.0+a", 1_000_000_010), ("1.0.0+b", 1_000_000_030), ("1.0.0+c", 1_000_000_020)] {
        repository.commit_at(tag, time);
        repository.git(&["tag", tag]);
    }
    repository.push();
    let resolved = Client::new().resolve(&server.url("public/app.git"), &semver("1.0.x")).unwrap();
    assert_eq!(resolved.revision.pointer(), "1.0.0+b");
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Set {
    candidate_sets: BTreeMap<String, Vec<String>>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    id: String,
    area: String,
    #[serde(default)]
    constraint: String,
    candidate_set: Option<String>,
    expect: Option<Expect>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct Expect {
    #[serde(default)]
    matching: Vec<String>,
}

#[test]
fn recorded_ranges_match_like_the_original() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/semver/cases.yaml");
    if !Path::new(path).exists() {
        eprintln!("skipped: {path} is absent");
        return;
    }
    let set: Set = serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut failures = Vec::new();
    let mut run = 0;
    for case in set.cases.iter().filter(|case| case.area == "check") {
        run += 1;
        let found = case.constraint.parse::<Constraint>().map(|constraint| {
            let candidates = &set.candidate_sets[case.candidate_set.as_deref().unwrap_or_default()];
            let allowed =
                |text: &&String| text.parse::<Version>().is_ok_and(|version| constraint.allows(&version));
            candidates.iter().filter(allowed).cloned().collect::<Vec<_>>()
        });
        let matches = match (&found, &case.expect, &case.error) {
            (Ok(matching), Some(expect), None) => *matching == expect.matching,
            (Err(err), _, Some(text)) => err.to_string() == *text,
            _ => false,
        };
        if !matches {
            failures.push(format!("{} {:?}: {found:?}", case.id, case.constraint));
        }
    }
    assert!(failures.is_empty(), "{} of {run} fail:\n{}", failures.len(), failures.join("\n"));
    assert!(run > 30, "only {run} cases were found");
}

proptest! {
    #[test]
    fn any_text_is_a_range_or_not(constraint in "[0-9xv.*|<>=~^!, +a-c-]{0,16}", version in "v?[0-9]{1,3}(\\.[0-9x]{1,2}){0,3}(-[a-z0-9.]{0,4})?") {
        if let (Ok(constraint), Ok(version)) = (constraint.parse::<Constraint>(), version.parse::<Version>()) {
            constraint.allows(&version);
        }
    }
}
