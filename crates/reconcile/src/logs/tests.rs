use std::sync::{Arc, Mutex};

use serde_json::Value;
use tracing::subscriber::with_default;

use super::*;

/// Runs `log` and returns its lines.
fn lines(options: Options, log: impl FnOnce()) -> Vec<String> {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&lines);
    let layer = Lines {
        encoding: options.encoding,
        write: move |line: &str| sink.lock().expect("lock").push(line.to_owned()),
    };
    with_default(tracing_subscriber::registry().with(layer.with_filter(options.filter())), log);
    let lines = lines.lock().expect("lock");
    lines.clone()
}

fn json(log: impl FnOnce()) -> String {
    let mut lines = lines(Options::from_flags("info", "json"), log);
    assert_eq!(lines.len(), 1, "{lines:?}");
    lines.remove(0)
}

/// The keys of a line, in their order.
fn keys(line: &str) -> Vec<String> {
    let mut keys = Vec::new();
    let mut depth = 0;
    let mut rest = line;
    while let Some(at) = rest.find(['{', '}', '"']) {
        let byte = rest.as_bytes()[at];
        rest = &rest[at + 1..];
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {
                let end = rest.find('"').expect("closing quote");
                if depth == 1 && rest[end + 1..].starts_with(':') {
                    keys.push(rest[..end].to_owned());
                }
                rest = &rest[end + 1..];
            }
        }
    }
    keys
}

fn recorded(line_with: &str) -> Option<String> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/conformance/cluster-state/log-kustomize-controller.jsonl"
    );
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("skipped: {path} is absent");
        return None;
    };
    let line = text.lines().find(|line| line.contains(line_with)).map(ToOwned::to_owned);
    Some(line.expect("a recorded line of this shape"))
}

fn run_span() -> tracing::Span {
    tracing::info_span!(
        "reconcile",
        controller = "kustomization",
        group = "kustomize.toolkit.fluxcd.io",
        kind = %"Kustomization",
        namespace = "t1",
        name = "apps",
        reconcile_id = %"b2e4d742-005f-4118-99f8-0d96e187a8b0",
    )
}

/// Part of SC-108.
#[test]
fn lines_of_a_run_have_the_recorded_keys_in_the_recorded_order() {
    let line = json(|| {
        let output = r#"{"Deployment/t1/web":"created"}"#;
        run_span().in_scope(|| {
            tracing::info!(revision = "main@sha1:1", json.output = output, "server-side apply completed");
        });
    });
    let value: Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(value["Kustomization"]["name"], "apps");
    assert_eq!(value["output"]["Deployment/t1/web"], "created");
    assert_eq!(value["level"], "info");
    if let Some(theirs) = recorded("\"output\":") {
        assert_eq!(keys(&line), keys(&theirs));
    }
}

#[test]
fn a_failed_run_shows_revision_and_error_last() {
    let line = json(|| {
        run_span().in_scope(|| {
            tracing::error!(error = "no such file", revision = "main@sha1:1", "Reconciliation failed");
        });
    });
    if let Some(theirs) = recorded("Reconciliation failed after") {
        assert_eq!(keys(&line), keys(&theirs));
    }
    assert!(line.ends_with(",\"revision\":\"main@sha1:1\",\"error\":\"no such file\"}\n"), "{line}");
}

#[test]
fn lines_outside_of_runs_name_their_logger_before_the_message() {
    let line = json(|| tracing::info!(logger = "setup", "starting manager"));
    assert!(line.starts_with("{\"level\":\"info\",\"ts\":\"2"), "{line}");
    assert!(line.ends_with("Z\",\"logger\":\"setup\",\"msg\":\"starting manager\"}\n"), "{line}");
    let ts = serde_json::from_str::<Value>(&line).expect("JSON")["ts"].as_str().expect("text").to_owned();
    assert_eq!(ts.len(), "2026-11-29T14:12:06.555Z".len());
}

#[test]
fn fields_of_an_event_win_over_those_of_its_run() {
    let line = json(|| run_span().in_scope(|| tracing::info!(name = "other", "seen")));
    assert_eq!(keys(&line).iter().filter(|key| *key == "name").count(), 1, "{line}");
    assert_eq!(serde_json::from_str::<Value>(&line).expect("JSON")["name"], "other");
}

#[test]
fn levels_filter_ours_and_keep_libraries_quiet() {
    let log = || {
        tracing::debug!("ours");
        tracing::info!(target: "hyper::client", "theirs");
        tracing::error!(target: "hyper::client", "theirs");
    };
    assert_eq!(lines(Options::from_flags("info", "json"), log).len(), 1);
    assert_eq!(lines(Options::from_flags("debug", "json"), log).len(), 2);
    assert_eq!(lines(Options::from_flags("loud", "xml"), log).len(), 1);
}

#[test]
fn a_line_stays_below_64_kib_and_stays_json() {
    let line = json(|| tracing::error!(error = "\n".repeat(100_000), "{}", "ä".repeat(100_000)));
    assert!(line.len() <= 64 * 1024, "{}", line.len());
    let value: Value = serde_json::from_str(&line).expect("JSON");
    assert!(value["msg"].as_str().expect("text").ends_with('…'));
}

#[test]
fn the_console_encoding_has_columns() {
    let lines = lines(Options::from_flags("info", "console"), || {
        tracing::info!(logger = "setup", addr = ":80", "hello");
    });
    assert!(lines[0].ends_with("Z\tINFO\tsetup\thello\t{\"addr\": \":80\"}\n"), "{lines:?}");
}

#[test]
fn a_field_named_message_stands_beside_the_message() {
    let line = json(|| {
        let object = r#"{"kind":"GitRepository"}"#;
        tracing::info!(
            logger = "event-server",
            json.eventInvolvedObject = object,
            message = "stored",
            "dispatching event"
        );
    });
    assert_eq!(keys(&line), ["level", "ts", "logger", "msg", "eventInvolvedObject", "message"]);
    let value: Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!((&value["msg"], &value["message"]), (&"dispatching event".into(), &"stored".into()));
}
