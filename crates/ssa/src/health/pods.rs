//! What the pods of a `ReplicaSet` or `StatefulSet` add to its status.

use jiff::Timestamp;
use millrace_yaml::Node;

use super::fields::{HealthError, conditions};
use super::{Health, Status, core, status};
use crate::object::{Object as _, entries};

/// The pods that a controller selects: label requirements in the form of the Kubernetes API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodSelector(String);

impl PodSelector {
    /// The selector as the API's `labelSelector` takes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether the kind's status depends on its pods.
pub fn is_pod_owner(object: &Node) -> bool {
    object.is_kind("apps", "ReplicaSet") || object.is_kind("apps", "StatefulSet")
}

/// The pods that `owner` selects.
pub fn pod_selector(owner: &Node) -> Result<PodSelector, HealthError> {
    if owner.at(&["spec", "selector"]).and_then(Node::as_map).is_none() {
        return Err(HealthError("no selector found".to_owned()));
    }
    let equal = entries(owner, &["spec", "selector", "matchLabels"])
        .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()));
    let expressions =
        owner.at(&["spec", "selector", "matchExpressions"]).and_then(Node::as_list).unwrap_or_default();
    let requirements: Vec<String> = equal.chain(expressions.iter().filter_map(requirement)).collect();
    Ok(PodSelector(requirements.join(",")))
}

fn requirement(expression: &Node) -> Option<String> {
    let key = expression.str_at(&["key"])?;
    let values = expression.get("values").and_then(Node::as_list).unwrap_or_default();
    let values: Vec<&str> = values.iter().filter_map(Node::as_str).collect();
    Some(match expression.str_at(&["operator"])? {
        "In" => format!("{key} in ({})", values.join(",")),
        "NotIn" => format!("{key} notin ({})", values.join(",")),
        "Exists" => key.to_owned(),
        "DoesNotExist" => format!("!{key}"),
        _ => return None,
    })
}

/// The status of a controller of pods, `own` being the status of the object itself: if it is in progress and a selected
/// pod has failed for good, so has the controller. Pods that are going, or that no node takes, may still be replaced or
/// placed.
pub fn with_pods<'a>(own: Health, pods: impl IntoIterator<Item = &'a Node>, now: Timestamp) -> Health {
    if own.status != Status::InProgress {
        return own;
    }
    let failed = pods.into_iter().filter(|pod| has_failed_for_good(pod, now)).count();
    if failed == 0 {
        return own;
    }
    Health { status: Status::Failed, message: format!("{failed} pods have failed"), condition: None }
}

fn has_failed_for_good(pod: &Node, now: Timestamp) -> bool {
    let failed = status(pod, now).is_ok_and(|health| health.status == Status::Failed);
    let unschedulable = || conditions(pod).is_ok_and(|conditions| core::is_unschedulable(&conditions));
    failed && pod.meta("deletionTimestamp").is_empty() && !unschedulable()
}
