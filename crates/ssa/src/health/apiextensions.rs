//! Custom resource definitions.

use jiff::Timestamp;
use millrace_yaml::Node;

use super::Health;
use super::fields::{HealthError, conditions};

/// Established; failed where the names are taken or establishing failed.
pub(super) fn definition(object: &Node, _: Timestamp) -> Result<Health, HealthError> {
    let decided = conditions(object)?.iter().find_map(|condition| match (condition.kind, condition.status) {
        ("NamesAccepted", "False") => Some(Health::failed(condition.reason, condition.message)),
        ("Established", "False") if condition.reason != "Installing" => {
            Some(Health::failed(condition.reason, condition.message))
        }
        ("Established", "True") => Some(Health::current("CRD is established")),
        _ => None,
    });
    Ok(decided.unwrap_or_else(|| Health::in_progress("Installing", "Install in progress")))
}
