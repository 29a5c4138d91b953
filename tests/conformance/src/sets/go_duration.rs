//! Durations and times as Kubernetes objects hold them.

use millrace_api::meta::GoDuration;
use millrace_api::meta::time::{format_rfc3339, parse_rfc3339};
use millrace_yaml::Node;
use serde_json::Value;

use crate::cases::{Case, File};
use crate::compare::same_text;

pub(super) fn check(_: &File, case: &Case) -> Result<(), String> {
    let input: Value = serde_json::from_str(case.require("input")?).map_err(|error| error.to_string())?;
    match case.area() {
        "duration" => duration(case, input),
        "time" => time(case, &input),
        area => Err(format!("unknown area {area:?}")),
    }
}

fn duration(case: &Case, input: Value) -> Result<(), String> {
    match (serde_json::from_value::<GoDuration>(input), case.text("error")) {
        // Which Go type the value was meant for is no property of a duration.
        (Err(_), Some(expected)) if expected.starts_with("json: ") => Ok(()),
        (Err(error), Some(expected)) => same_text("error", &error.to_string(), expected),
        (Err(error), None) => Err(format!("unexpected error: {error}")),
        (Ok(found), Some(expected)) => Err(format!("{found} instead of the error {expected:?}")),
        (Ok(found), None) => {
            let expect = |field: &str| case.expect(field).and_then(Node::as_str).unwrap_or_default();
            same_text("nanoseconds", &found.nanos().to_string(), expect("nanoseconds"))?;
            same_text(
                "json",
                &serde_json::to_string(&found).map_err(|error| error.to_string())?,
                expect("json"),
            )
        }
    }
}

fn time(case: &Case, input: &Value) -> Result<(), String> {
    // `null` is no time at all: what reads it is an optional field.
    let Some(text) = input.as_str() else {
        return same_text("time", "null", case.text("expect").unwrap_or_default());
    };
    match (parse_rfc3339(text), case.text("error")) {
        (Err(error), Some(expected)) => same_text("error", &error.to_string(), expected),
        (Err(error), None) => Err(format!("unexpected error: {error}")),
        (Ok(found), Some(expected)) => Err(format!("{found} instead of the error {expected:?}")),
        (Ok(found), None) => {
            same_text("time", &format!("\"{}\"", format_rfc3339(found)), case.require("expect")?)
        }
    }
}
