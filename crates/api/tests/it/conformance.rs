//! Durations, times and revisions as the original programs read and print them.

use millrace_api::meta::time::{format_rfc3339, parse_rfc3339};
use millrace_api::meta::{GoDuration, Revision};
use serde_json::Value;

use crate::{read_yaml, shared};

#[test]
fn durations_and_times_are_read_and_printed_as_recorded() {
    let Some(path) = shared("conformance/go-duration/cases.yaml") else { return };
    let mut checked = 0;
    for case in read_yaml(&path)["cases"].as_array().unwrap() {
        let id = case["id"].as_str().unwrap();
        let input: Value = serde_json::from_str(case["input"].as_str().unwrap()).unwrap();
        match case["area"].as_str().unwrap() {
            "duration" => check_duration(id, &input, case),
            "time" => check_time(id, &input, case),
            area => panic!("{id}: unknown area {area}"),
        }
        checked += 1;
    }
    assert!(checked > 20, "only {checked} cases");
}

fn check_duration(id: &str, input: &Value, case: &Value) {
    let result = serde_json::from_value::<GoDuration>(input.clone());
    match case["error"].as_str() {
        // Which Go type the text was meant for is no property of a duration.
        Some(error) if error.starts_with("json: ") => assert!(result.is_err(), "{id}"),
        Some(error) => assert_eq!(result.unwrap_err().to_string(), error, "{id}"),
        None => {
            let duration = result.unwrap_or_else(|error| panic!("{id}: {error}"));
            assert_eq!(duration.nanos().to_string(), case["expect"]["nanoseconds"].as_str().unwrap(), "{id}");
            let json = serde_json::to_string(&duration).unwrap();
            assert_eq!(json, case["expect"]["json"].as_str().unwrap(), "{id}");
        }
    }
}

fn check_time(id: &str, input: &Value, case: &Value) {
    let Some(text) = input.as_str() else {
        assert_eq!(case["expect"].as_str(), Some("null"), "{id}");
        return;
    };
    let result = parse_rfc3339(text);
    if let Some(error) = case["error"].as_str() {
        assert_eq!(result.unwrap_err().to_string(), error, "{id}");
    } else {
        let printed = format!("\"{}\"", format_rfc3339(result.unwrap()));
        assert_eq!(printed, case["expect"].as_str().unwrap(), "{id}");
    }
}

#[test]
fn revisions_are_taken_apart_as_recorded() {
    let Some(path) = shared("conformance/revision/cases.yaml") else { return };
    let mut checked = 0;
    for case in read_yaml(&path)["cases"].as_array().unwrap() {
        let id = case["id"].as_str().unwrap();
        match case["area"].as_str().unwrap() {
            "revision" => check_revision(id, case),
            "has-revision" => check_has_revision(id, case),
            area => panic!("{id}: unknown area {area}"),
        }
        checked += 1;
    }
    assert!(checked > 10, "only {checked} cases");
}

fn check_revision(id: &str, case: &Value) {
    let input = case["input"].as_str().unwrap();
    let expect = |field: &str| case["expect"][field].as_str().unwrap().to_owned();
    let revision = Revision::new(input);
    assert_eq!(revision.pointer(), expect("pointer"), "{id}");
    assert_eq!(revision.hash(), expect("hash"), "{id}");
    assert_eq!(revision.algorithm(), expect("algorithm"), "{id}");
    assert_eq!(revision.digest(), expect("digest"), "{id}");
    assert_eq!(Revision::normalize(input).as_str(), expect("transformed"), "{id}");
}

fn check_has_revision(id: &str, case: &Value) {
    let artifact: millrace_api::meta::Artifact = serde_json::from_value(serde_json::json!({
        "digest": "sha256:0", "lastUpdateTime": "2026-01-02T03:04:05Z", "path": "p", "url": "u",
        "revision": case["artifactRevision"],
    }))
    .unwrap();
    let revision = case["revision"].as_str().unwrap();
    assert_eq!(artifact.has_revision(revision), case["expect"].as_bool().unwrap(), "{id}");
}
