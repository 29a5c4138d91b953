//! Health, told as the original tells it.

use jiff::Timestamp;
use millrace_ssa::health::{self, Health, HealthError, awaited, is_pod_owner, pod_selector, with_pods};
use millrace_ssa::object::Object as _;
use millrace_yaml::Node;

use crate::cases::{Case, check, objects, same_text};

fn now() -> Timestamp {
    "2026-06-01T00:00:00Z".parse().expect("a valid time")
}

#[test]
fn every_recorded_object_has_the_recorded_health() {
    check("kstatus", &[], |case| {
        let object = case.object("object").expect("a case has an object");
        let found = if case.area().starts_with("children-") {
            with_children(case, &object)
        } else {
            health::status(&object, now())
        };
        match (case.text("error"), found) {
            (Some(expected), Err(error)) => same_text("error", &error.to_string(), expected),
            (Some(expected), Ok(health)) => Err(format!("{health:?} instead of {expected}")),
            (None, Err(error)) => Err(format!("unexpected error: {error}")),
            (None, Ok(health)) => same_health(case, &health),
        }?;
        waiting_for_job(case, &object)
    });
}

fn same_health(case: &Case, health: &Health) -> Result<(), String> {
    let text = |field: &str| case.expect(field).and_then(Node::as_str).unwrap_or_default();
    same_text("status", &health.status.to_string(), text("status"))?;
    same_text("message", &health.message, text("message"))?;
    if case.area().starts_with("children-") {
        return Ok(());
    }
    let expected = case.expect("conditions").and_then(Node::as_list).unwrap_or_default();
    match (&health.condition, expected) {
        (None, []) => Ok(()),
        (Some(found), [expected]) => {
            let field = |name: &str| expected.str_at(&[name]).unwrap_or_default();
            same_text("condition", found.kind, field("type"))?;
            same_text("condition reason", &found.reason, field("reason"))?;
            same_text("condition message", &found.message, field("message"))
        }
        (found, expected) => Err(format!("conditions: {found:?} instead of {expected:?}")),
    }
}

fn waiting_for_job(case: &Case, object: &Node) -> Result<(), String> {
    let Some(expected) = case.expect("waitingForJob") else { return Ok(()) };
    let found = awaited(object, now()).map_err(|error| error.to_string())?;
    same_text("waiting status", &found.status.to_string(), expected.str_at(&["status"]).unwrap_or_default())?;
    same_text("waiting message", &found.message, expected.str_at(&["message"]).unwrap_or_default())
}

/// What the engine does with a controller of pods: its own status, then the pods that its selector selects.
fn with_children(case: &Case, object: &Node) -> Result<Health, HealthError> {
    if !is_pod_owner(object) {
        return awaited(object, now());
    }
    pod_selector(object)?;
    let own = awaited(object, now())?;
    let texts = case.0.get("children").and_then(Node::as_list).unwrap_or_default();
    let children: Vec<Node> = texts.iter().filter_map(Node::as_str).flat_map(objects).collect();
    let app = object.str_at(&["spec", "selector", "matchLabels", "app"]);
    let pods = children.iter().filter(|child| {
        child.kind() == "Pod" && child.namespace() == object.namespace() && child.label("app") == app
    });
    Ok(with_pods(own, pods, now()))
}
