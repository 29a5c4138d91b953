//! The core group, and disruption budgets.

use jiff::{SignedDuration, Timestamp};
use millrace_yaml::Node;

use super::Health;
use super::fields::{Condition, HealthError, conditions, has_condition, text};
use crate::object::Object as _;

/// How long a pod may find no node before it counts as failed.
const SCHEDULE_WINDOW: SignedDuration = SignedDuration::from_secs(15);

/// Nothing to wait for.
#[expect(clippy::unnecessary_wraps, reason = "has the signature of a rule")]
pub(super) fn always_ready(_: &Node, _: Timestamp) -> Result<Health, HealthError> {
    Ok(Health::current("Resource is always ready"))
}

/// Its controller has seen it; that is all it can tell.
#[expect(clippy::unnecessary_wraps, reason = "has the signature of a rule")]
pub(super) fn pod_disruption_budget(_: &Node, _: Timestamp) -> Result<Health, HealthError> {
    Ok(Health::current("AllowedDisruptions has been computed."))
}

/// Bound. A claim that waits for its first consumer waits here, too.
#[expect(clippy::unnecessary_wraps, reason = "has the signature of a rule")]
pub(super) fn persistent_volume_claim(claim: &Node, _: Timestamp) -> Result<Health, HealthError> {
    let phase = claim.str_at(&["status", "phase"]).unwrap_or("unknown");
    Ok(match phase {
        "Bound" => Health::current("PVC is Bound"),
        _ => Health::in_progress("NotBound", format!("PVC is not Bound. phase: {phase}")),
    })
}

/// A load balancer needs a cluster IP, not an external one.
#[expect(clippy::unnecessary_wraps, reason = "has the signature of a rule")]
pub(super) fn service(service: &Node, _: Timestamp) -> Result<Health, HealthError> {
    let unassigned = text(service, &["spec", "type"]) == "LoadBalancer"
        && text(service, &["spec", "clusterIP"]).is_empty();
    Ok(if unassigned {
        Health::in_progress("NoIPAssigned", "ClusterIP not set. Service type: LoadBalancer")
    } else {
        Health::current("Service is ready")
    })
}

/// A finished pod is current even if it failed.
pub(super) fn pod(pod: &Node, now: Timestamp) -> Result<Health, HealthError> {
    let conditions = conditions(pod)?;
    match text(pod, &["status", "phase"]) {
        "Succeeded" => Ok(Health::current("Pod has completed successfully")),
        "Failed" => Ok(Health::current("Pod has completed, but not successfully")),
        "Running" => Ok(running_pod(pod, &conditions)),
        "Pending" => Ok(pending_pod(pod, &conditions, now)),
        "" => Ok(Health::in_progress("PodNotObserved", "Pod phase not available")),
        phase => Err(HealthError(format!("unknown phase {phase}"))),
    }
}

fn running_pod(pod: &Node, conditions: &[Condition<'_>]) -> Health {
    if has_condition(conditions, "Ready", "True") {
        return Health::current("Pod is Ready");
    }
    let crashing = crash_looping_containers(pod);
    if crashing.is_empty() {
        Health::in_progress("PodRunningNotReady", "Pod is running but is not Ready")
    } else {
        let names = crashing.join(",");
        Health::failed("ContainerCrashLooping", format!("Containers in CrashLoop state: {names}"))
    }
}

fn crash_looping_containers(pod: &Node) -> Vec<&str> {
    let statuses = pod.at(&["status", "containerStatuses"]).and_then(Node::as_list).unwrap_or_default();
    let crashing = |status: &&Node| text(status, &["state", "waiting", "reason"]) == "CrashLoopBackOff";
    statuses.iter().filter(crashing).filter_map(|status| status.str_at(&["name"])).collect()
}

fn pending_pod(pod: &Node, conditions: &[Condition<'_>], now: Timestamp) -> Health {
    if !is_unschedulable(conditions) {
        return Health::in_progress("PodPending", "Pod is in the Pending phase");
    }
    let created = pod.meta("creationTimestamp").parse::<Timestamp>().ok();
    if created.is_some_and(|created| created > now - SCHEDULE_WINDOW) {
        Health::in_progress("PodNotScheduled", "Pod has not been scheduled")
    } else {
        Health::failed("PodUnschedulable", "Pod could not be scheduled")
    }
}

/// Whether no node takes the pod.
pub(super) fn is_unschedulable(conditions: &[Condition<'_>]) -> bool {
    // Only the first condition of this type and status is asked for its reason.
    conditions
        .iter()
        .find(|condition| condition.kind == "PodScheduled" && condition.status == "False")
        .is_some_and(|condition| condition.reason == "Unschedulable")
}
