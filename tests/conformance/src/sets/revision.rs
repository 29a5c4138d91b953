//! Source revisions: their parts, and whether an artifact has one.

use millrace_api::meta::{Artifact, Revision};
use millrace_yaml::Node;
use serde_json::json;

use crate::cases::{Case, File};
use crate::compare::{map, same};

pub(super) fn check(_: &File, case: &Case) -> Result<(), String> {
    let expected = case.get("expect").ok_or("the case expects nothing")?;
    match case.area() {
        "revision" => same("revision", &parts(case.require("input")?), expected),
        "has-revision" => same("has revision", &Node::bool(has_revision(case)?), expected),
        area => Err(format!("unknown area {area:?}")),
    }
}

fn parts(input: &str) -> Node {
    let revision = Revision::new(input);
    map([
        ("algorithm", Node::string(revision.algorithm())),
        ("digest", Node::string(revision.digest())),
        ("hash", Node::string(revision.hash())),
        ("pointer", Node::string(revision.pointer())),
        ("transformed", Node::string(Revision::normalize(input).as_str())),
    ])
}

fn has_revision(case: &Case) -> Result<bool, String> {
    let artifact = json!({
        "digest": "sha256:0", "lastUpdateTime": "2026-01-02T03:04:05Z", "path": "p", "url": "u",
        "revision": case.require("artifactRevision")?,
    });
    let artifact: Artifact = serde_json::from_value(artifact).map_err(|error| error.to_string())?;
    Ok(artifact.has_revision(case.require("revision")?))
}
