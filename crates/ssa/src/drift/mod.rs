//! Whether the cluster differs from what a manifest asks for, told from the live object and the answer to a dry run.
//!
//! Contract: kustomize-controller §4.7.

mod fingerprint;
pub mod ignore;
mod label_selector;
pub mod managers;
mod mask;
mod pointer;

use millrace_yaml::{Map, Node};

pub use self::fingerprint::Fingerprint;
use self::ignore::{IgnoreError, IgnoreRules};
pub use self::mask::mask_secret;
use crate::changes::Action;
use crate::normalize::normalize_answer;
use crate::object::Object as _;

/// What an apply would do to `live`: the dry run answered `answer`.
///
/// Labels, annotations and every top-level field but metadata and status count; what `rules` names does not.
pub fn compare(live: Option<&Node>, answer: &Node, rules: &IgnoreRules) -> Result<Action, IgnoreError> {
    if answer.meta("resourceVersion").is_empty() {
        return Ok(Action::Created);
    }
    let Some(live) = live else { return Ok(Action::Configured) };
    let paths = rules.paths_for(answer);
    if paths.is_empty() {
        return Ok(action(same_content(live, answer)));
    }
    let mut live = live.clone();
    let mut wanted = answer.clone();
    pointer::remove_all(&mut live, &paths)?;
    pointer::remove_all(&mut wanted, &paths)?;
    Ok(action(same_content(&live, &wanted)))
}

fn action(same: bool) -> Action {
    if same { Action::Unchanged } else { Action::Configured }
}

fn same_content(live: &Node, answer: &Node) -> bool {
    let same_labels = same_strings(live, answer, "labels") && same_strings(live, answer, "annotations");
    same_labels && even(live, |live| even(answer, |answer| same_body(live, answer)))
}

/// Absent, null and empty maps of labels are the same.
fn same_strings(left: &Node, right: &Node, field: &str) -> bool {
    let empty = Map::default();
    let map = |node| Node::at(node, &["metadata", field]).and_then(Node::as_map).unwrap_or(&empty);
    map(left).same_value(map(right))
}

/// Runs `compare` on `object` as the comparison sees it, copying only what has to be evened out.
fn even<R>(object: &Node, compare: impl FnOnce(&Node) -> R) -> R {
    if object.kind() != "HorizontalPodAutoscaler" {
        return compare(object);
    }
    let mut evened = object.clone();
    if let Some(fields) = evened.as_map_mut() {
        fields.remove("status");
    }
    normalize_answer(&mut evened);
    compare(&evened)
}

fn same_body(left: &Node, right: &Node) -> bool {
    let (Some(left), Some(right)) = (left.as_map(), right.as_map()) else { return false };
    let counted = |map: &Map| body(map).count();
    counted(left) == counted(right)
        && body(left).all(|(key, value)| right.get(key).is_some_and(|other| value.same_value(other)))
}

/// The top-level fields that count.
fn body(map: &Map) -> impl Iterator<Item = (&str, &Node)> {
    map.iter().filter(|(key, _)| !matches!(*key, "metadata" | "status"))
}
