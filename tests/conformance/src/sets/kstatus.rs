//! Health of an object as computed from the object alone, and from its pods.

use jiff::Timestamp;
use millrace_ssa::health::{self, Health, HealthError, awaited, is_pod_owner, pod_selector, with_pods};
use millrace_ssa::object::Object as _;
use millrace_yaml::{Map, Node};

use crate::cases::{Case, File, documents};
use crate::compare::{map, same, same_text};

/// Areas whose objects are judged together with their children.
const WITH_CHILDREN: &str = "children-";

pub(super) fn check(_: &File, case: &Case) -> Result<(), String> {
    let object = case.object("object")?;
    let with_children = case.area().starts_with(WITH_CHILDREN);
    let found = if with_children { of_family(case, &object)? } else { health::status(&object, now()) };
    match (case.text("error"), found) {
        (Some(expected), Err(error)) => same_text("error", &error.to_string(), expected)?,
        (Some(expected), Ok(health)) => return Err(format!("{health:?} instead of the error {expected:?}")),
        (None, Err(error)) => return Err(format!("unexpected error: {error}")),
        (None, Ok(health)) => same_health(case, &health, with_children)?,
    }
    let Some(expected) = case.expect("waitingForJob") else { return Ok(()) };
    let awaited = awaited(&object, now()).map_err(|error| error.to_string())?;
    let found = map([
        ("status", Node::string(awaited.status.to_string())),
        ("message", Node::string(awaited.message)),
    ]);
    same("waitingForJob", &found, expected)
}

fn same_health(case: &Case, health: &Health, with_children: bool) -> Result<(), String> {
    let text = |field: &str| case.expect(field).and_then(Node::as_str).unwrap_or_default();
    same_text("status", &health.status.to_string(), text("status"))?;
    same_text("message", &health.message, text("message"))?;
    let expected = case.expect("conditions").and_then(Node::as_list).unwrap_or_default();
    match (&health.condition, expected) {
        _ if with_children => Ok(()),
        (None, []) => Ok(()),
        (Some(found), [expected]) => {
            let field = |name: &str| expected.str_at(&[name]).unwrap_or_default();
            same_text("condition", found.kind, field("type"))?;
            same_text("reason of the condition", &found.reason, field("reason"))?;
            same_text("message of the condition", &found.message, field("message"))
        }
        (found, expected) => Err(format!("condition {found:?} instead of {expected:?}")),
    }
}

/// What the engine does with a controller of pods: its own status, then the pods that its selector selects.
fn of_family(case: &Case, object: &Node) -> Result<Result<Health, HealthError>, String> {
    if !is_pod_owner(object) {
        return Ok(awaited(object, now()));
    }
    let own = match pod_selector(object).and_then(|_| awaited(object, now())) {
        Ok(own) => own,
        Err(error) => return Ok(Err(error)),
    };
    let mut children = Vec::new();
    for text in case.get("children").and_then(Node::as_list).unwrap_or_default() {
        children.extend(documents(text.as_str().ok_or("a child is no text")?)?);
    }
    let selects = object.at(&["spec", "selector", "matchLabels"]).and_then(Node::as_map);
    let pods = children.iter().filter(|child| {
        let labels = selects.into_iter().flat_map(Map::iter);
        child.kind() == "Pod"
            && child.namespace() == object.namespace()
            && labels.into_iter().all(|(key, value)| child.label(key) == value.as_str())
    });
    Ok(Ok(with_pods(own, pods, now())))
}

/// The age of a pod that cannot be scheduled counts; every recorded object is older than that.
fn now() -> Timestamp {
    Timestamp::constant(1_900_000_000, 0)
}
