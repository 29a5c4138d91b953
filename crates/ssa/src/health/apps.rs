//! Workload controllers.

use jiff::Timestamp;
use millrace_yaml::Node;

use super::Health;
use super::fields::{HealthError, checked_int, conditions, has_condition, int, text};
use crate::object::Object as _;

/// A Deployment's own status; its `ReplicaSet`s and pods don't matter.
pub(super) fn deployment(object: &Node, _: Timestamp) -> Result<Health, HealthError> {
    let conditions = conditions(object)?;
    let exceeded = conditions
        .iter()
        .find(|found| found.kind == "Progressing" && found.reason == "ProgressDeadlineExceeded");
    if let Some(condition) = exceeded {
        return Ok(Health::failed_because(condition.reason, "Progress deadline exceeded", condition.message));
    }
    // Without a deadline the controller sets no Progressing condition.
    let no_deadline = i64::from(i32::MAX);
    let progressing = int(object, &["spec", "progressDeadlineSeconds"], no_deadline) == no_deadline
        || conditions.iter().any(|found| {
            found.kind == "Progressing" && found.status == "True" && found.reason == "NewReplicaSetAvailable"
        });

    let wanted = int(object, &["spec", "replicas"], 1);
    let existing = int(object, &["status", "replicas"], 0);
    let updated = int(object, &["status", "updatedReplicas"], 0);
    let ready = int(object, &["status", "readyReplicas"], 0);
    let available = int(object, &["status", "availableReplicas"], 0);
    Ok(if wanted > existing {
        Health::in_progress("LessReplicas", format!("Replicas: {existing}/{wanted}"))
    } else if wanted > updated {
        Health::in_progress("LessUpdated", format!("Updated: {updated}/{wanted}"))
    } else if existing > wanted {
        Health::in_progress("ExtraPods", format!("Pending termination: {}", existing - wanted))
    } else if updated > available {
        Health::in_progress("LessAvailable", format!("Available: {available}/{updated}"))
    } else if wanted > ready {
        Health::in_progress("LessReady", format!("Ready: {ready}/{wanted}"))
    } else if !progressing {
        Health::in_progress("ReplicaSetNotAvailable", "ReplicaSet not Available")
    } else if !has_condition(&conditions, "Available", "True") {
        Health::in_progress("DeploymentNotAvailable", "Deployment not Available")
    } else {
        Health::current(format!("Deployment is available. Replicas: {existing}"))
    })
}

/// A `StatefulSet` tells its state by numbers and revisions only.
#[expect(clippy::unnecessary_wraps, reason = "has the signature of a rule")]
pub(super) fn stateful_set(object: &Node, _: Timestamp) -> Result<Health, HealthError> {
    if text(object, &["spec", "updateStrategy", "type"]) == "OnDelete" {
        return Ok(Health::current("StatefulSet is using the ondelete update strategy"));
    }
    let wanted = int(object, &["spec", "replicas"], 1);
    let existing = int(object, &["status", "replicas"], 0);
    let ready = int(object, &["status", "readyReplicas"], 0);
    let current = int(object, &["status", "currentReplicas"], 0);
    let updated = int(object, &["status", "updatedReplicas"], 0);
    let partition = int(object, &["spec", "updateStrategy", "rollingUpdate", "partition"], -1);
    Ok(if wanted > existing {
        Health::in_progress("LessReplicas", format!("Replicas: {existing}/{wanted}"))
    } else if wanted > ready {
        Health::in_progress("LessReady", format!("Ready: {ready}/{wanted}"))
    } else if existing > wanted {
        Health::in_progress("ExtraPods", format!("Pending termination: {}", existing - wanted))
    } else if partition != -1 && updated < wanted - partition {
        Health::in_progress("PartitionRollout", format!("updated: {updated}/{}", wanted - partition))
    } else if partition != -1 {
        Health::current(format!("Partition rollout complete. updated: {updated}"))
    } else if wanted > current {
        Health::in_progress("LessCurrent", format!("current: {current}/{wanted}"))
    } else if text(object, &["status", "currentRevision"]) != text(object, &["status", "updateRevision"]) {
        Health::in_progress("RevisionMismatch", "Waiting for updated revision to match current")
    } else {
        Health::current(format!("All replicas scheduled as expected. Replicas: {existing}"))
    })
}

/// A `DaemonSet`'s controller always sets both generations, so their absence means that it has not come yet.
pub(super) fn daemon_set(object: &Node, _: Timestamp) -> Result<Health, HealthError> {
    for (path, reason) in [
        (["metadata", "generation"], "NoGeneration"),
        (["status", "observedGeneration"], "NoObservedGeneration"),
    ] {
        if checked_int(object, &path)?.is_none() {
            return Ok(Health::in_progress(
                reason,
                format!("{} {} not found", object.kind(), path.join(".")),
            ));
        }
    }
    let count = |field: &str| int(object, &["status", field], 0);
    let wanted = int(object, &["status", "desiredNumberScheduled"], -1);
    if wanted == -1 {
        return Ok(Health::in_progress("NoDesiredNumber", "Missing .status.desiredNumberScheduled"));
    }
    let steps = [
        ("Current", "LessCurrent", count("currentNumberScheduled")),
        ("Updated", "LessUpdated", count("updatedNumberScheduled")),
        ("Available", "LessAvailable", count("numberAvailable")),
        ("Ready", "LessReady", count("numberReady")),
    ];
    let behind = steps.into_iter().find(|(_, _, reached)| wanted > *reached);
    Ok(match behind {
        Some((step, reason, reached)) => Health::in_progress(reason, format!("{step}: {reached}/{wanted}")),
        None => Health::current(format!("All replicas scheduled as expected. Replicas: {wanted}")),
    })
}

/// A `ReplicaSet`'s own status; its pods see [`with_pods`](super::with_pods).
pub(super) fn replica_set(object: &Node, _: Timestamp) -> Result<Health, HealthError> {
    if has_condition(&conditions(object)?, "ReplicaFailure", "True") {
        return Ok(Health::in_progress("ReplicaFailure", "Replica Failure condition. Check Pods"));
    }
    let wanted = int(object, &["spec", "replicas"], 1);
    let existing = int(object, &["status", "replicas"], 0);
    let labelled = int(object, &["status", "fullyLabeledReplicas"], 0);
    let available = int(object, &["status", "availableReplicas"], 0);
    let ready = int(object, &["status", "readyReplicas"], 0);
    Ok(if wanted > labelled {
        Health::in_progress("LessLabelled", format!("Labelled: {labelled}/{wanted}"))
    } else if wanted > available {
        Health::in_progress("LessAvailable", format!("Available: {available}/{wanted}"))
    } else if wanted > ready {
        Health::in_progress("LessReady", format!("Ready: {ready}/{wanted}"))
    } else if existing > wanted {
        Health::in_progress("ExtraPods", format!("Pending termination: {}", existing - wanted))
    } else {
        Health::current(format!("ReplicaSet is available. Replicas: {existing}"))
    })
}
