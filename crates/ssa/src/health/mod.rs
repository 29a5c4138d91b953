//! Whether an object has become what its manifest asks for, told from the object alone.
//!
//! Pure: a status is a function of the live object and the time. One file per API group; a rule for a new kind is a
//! function there and a row in `RULES`.
//!
//! Contract: kustomize-controller §6.3.

mod apiextensions;
mod apps;
mod batch;
mod core;
mod fields;
mod generic;
mod pods;

use std::fmt;

use jiff::Timestamp;
use millrace_yaml::Node;

pub use self::fields::HealthError;
pub use self::pods::{PodSelector, is_pod_owner, pod_selector, with_pods};
use crate::object::Object as _;

/// Where an object is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// On its way.
    InProgress,
    /// It will not get there.
    Failed,
    /// It is there.
    Current,
    /// It is being deleted.
    Terminating,
    /// It does not exist.
    NotFound,
    /// It can't be read or understood.
    Unknown,
}

impl fmt::Display for Status {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::InProgress => "InProgress",
            Self::Failed => "Failed",
            Self::Current => "Current",
            Self::Terminating => "Terminating",
            Self::NotFound => "NotFound",
            Self::Unknown => "Unknown",
        })
    }
}

/// A status and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// The status.
    pub status: Status,
    /// Why, for people.
    pub message: String,
    /// The standard condition that says the same: `Reconciling` of what is in progress, `Stalled` of what failed.
    pub condition: Option<StandardCondition>,
}

/// The `Reconciling` or `Stalled` condition that a status amounts to; always `True`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandardCondition {
    /// `Reconciling` or `Stalled`.
    pub kind: &'static str,
    /// The reason.
    pub reason: String,
    /// The message, which may say more than the status's.
    pub message: String,
}

impl Health {
    fn current(message: impl Into<String>) -> Self {
        Self { status: Status::Current, message: message.into(), condition: None }
    }

    fn in_progress(reason: impl Into<String>, message: impl Into<String>) -> Self {
        let message = message.into();
        let condition =
            StandardCondition { kind: "Reconciling", reason: reason.into(), message: message.clone() };
        Self { status: Status::InProgress, message, condition: Some(condition) }
    }

    fn failed(reason: impl Into<String>, message: impl Into<String>) -> Self {
        let message = message.into();
        Self::failed_because(reason, message.clone(), message)
    }

    fn failed_because(
        reason: impl Into<String>,
        message: impl Into<String>,
        detail: impl Into<String>,
    ) -> Self {
        let condition = StandardCondition { kind: "Stalled", reason: reason.into(), message: detail.into() };
        Self { status: Status::Failed, message: message.into(), condition: Some(condition) }
    }
}

type Rule = fn(&Node, Timestamp) -> Result<Health, HealthError>;

/// Which rule a kind has after the generic checks. Versions don't matter.
const RULES: &[(&str, &str, Rule)] = &[
    ("", "ConfigMap", core::always_ready),
    ("", "PersistentVolumeClaim", core::persistent_volume_claim),
    ("", "Pod", core::pod),
    ("", "Secret", core::always_ready),
    ("", "Service", core::service),
    ("apiextensions.k8s.io", "CustomResourceDefinition", apiextensions::definition),
    ("apps", "DaemonSet", apps::daemon_set),
    ("apps", "Deployment", apps::deployment),
    ("apps", "ReplicaSet", apps::replica_set),
    ("apps", "StatefulSet", apps::stateful_set),
    ("batch", "CronJob", core::always_ready),
    ("batch", "Job", batch::job),
    ("extensions", "DaemonSet", apps::daemon_set),
    ("extensions", "Deployment", apps::deployment),
    ("extensions", "ReplicaSet", apps::replica_set),
    ("policy", "PodDisruptionBudget", core::pod_disruption_budget),
];

/// The status of `object`, complete with its own status, at `now`.
///
/// A Job is judged by whether it has started; for what a health check waits on see [`awaited`]. Of a controller of
/// pods, [`with_pods`] tells more.
pub fn status(object: &Node, now: Timestamp) -> Result<Health, HealthError> {
    if let Some(health) = generic::first(object)? {
        return Ok(health);
    }
    match RULES.iter().find(|(group, kind, _)| object.is_kind(group, kind)) {
        Some((_, _, rule)) => rule(object, now),
        None => generic::last(object),
    }
}

/// The status that a health check waits on: [`status`], but a Job must have completed.
pub fn awaited(object: &Node, now: Timestamp) -> Result<Health, HealthError> {
    if object.is_kind("batch", "Job") { batch::completion(object) } else { status(object, now) }
}

/// Whether an object of this kind that is current stays so until someone changes or deletes it: the kinds of the API
/// server itself that no controller takes further.
pub fn is_settled_kind(group: &str, kind: &str) -> bool {
    let moving = matches!(
        (group, kind),
        ("", "Pod" | "PersistentVolumeClaim" | "Service" | "ReplicationController" | "Namespace")
            | ("apps" | "batch" | "extensions" | "policy", _)
    );
    !moving && crate::normalize::is_built_in(group, kind)
}
