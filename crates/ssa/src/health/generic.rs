//! Checks that precede and follow the rules of kinds.

use millrace_yaml::Node;

use super::fields::{HealthError, checked_int, checked_text, conditions};
use super::{Health, Status};
use crate::object::Object as _;

/// Deletion, an unobserved generation, and the standard conditions decide before any rule.
pub(super) fn first(object: &Node) -> Result<Option<Health>, HealthError> {
    if checked_text(object, &["metadata", "deletionTimestamp"])?.is_some_and(|time| !time.is_empty()) {
        let message = "Resource scheduled for deletion".to_owned();
        return Ok(Some(Health { status: Status::Terminating, message, condition: None }));
    }
    if let Some(health) = unobserved_generation(object)? {
        return Ok(Some(health));
    }
    Ok(conditions(object)?.iter().find_map(|condition| match (condition.kind, condition.status) {
        ("Reconciling", "True") => Some(Health::in_progress(condition.reason, condition.message)),
        ("Stalled", "True") => Some(Health::failed(condition.reason, condition.message)),
        _ => None,
    }))
}

fn unobserved_generation(object: &Node) -> Result<Option<Health>, HealthError> {
    let Some(generation) = checked_int(object, &["metadata", "generation"])? else { return Ok(None) };
    let Some(observed) = checked_int(object, &["status", "observedGeneration"])? else { return Ok(None) };
    Ok((observed != generation).then(|| {
        let kind = object.kind();
        let message =
            format!("{kind} generation is {generation}, but latest observed generation is {observed}");
        Health::in_progress("LatestGenerationNotObserved", message)
    }))
}

/// A `Ready` condition decides where a kind has no rule; without one the object counts as current.
pub(super) fn last(object: &Node) -> Result<Health, HealthError> {
    let decided = conditions(object)?.iter().find_map(|condition| match (condition.kind, condition.status) {
        ("Ready", "True") => Some(Health::current("Resource is Ready")),
        ("Ready", "False" | "Unknown") => Some(Health::in_progress(condition.reason, condition.message)),
        _ => None,
    });
    Ok(decided.unwrap_or_else(|| Health::current("Resource is current")))
}
