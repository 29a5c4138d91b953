//! Writing status: one merge patch with what changed, foreign conditions kept, conflicts merged again.
//!
//! Contract: source-controller §2.3, kustomize-controller §2.3 (E4).

use std::collections::BTreeSet;
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::api::{Api, Patch, PatchParams};
use kube::{Client, ResourceExt as _};
use serde_json::{Map, Value, json};

use crate::client::error_text;
use crate::key::Key;
use crate::reconciler::{Object, StatusOf};

/// How often a conflicting write is merged again.
const ATTEMPTS: u32 = 5;
/// The shortest pause before the next attempt; the longest is twice that.
const PAUSE: Duration = Duration::from_millis(100);

/// Who writes, and what is theirs.
#[derive(Clone, Copy, Debug)]
pub struct Writer {
    /// The field manager of status and finalizer patches.
    pub manager: &'static str,
    /// The condition types that are overwritten; all others are kept.
    pub owned: &'static [&'static str],
}

/// The status as this run last read or wrote it.
#[derive(Clone, Debug)]
pub struct Observed {
    resource_version: String,
    status: Value,
    /// The fields that this run has written so far, whether or not it has seen the answer.
    written: BTreeSet<String>,
}

/// Why a status could not be written.
#[derive(Debug, thiserror::Error)]
pub enum StatusError {
    /// The API server refused the patch, or could not be reached.
    #[error("{}", error_text(source))]
    Api {
        /// What the client says.
        source: Box<kube::Error>,
    },
    /// The status does not turn into JSON.
    #[error("the status is not valid JSON")]
    Encode {
        /// What the serializer says.
        #[source]
        source: serde_json::Error,
    },
}

impl From<kube::Error> for StatusError {
    fn from(source: kube::Error) -> Self {
        Self::Api { source: Box::new(source) }
    }
}

impl From<serde_json::Error> for StatusError {
    fn from(source: serde_json::Error) -> Self {
        Self::Encode { source }
    }
}

impl Observed {
    /// What `object` showed when it was read.
    pub fn of<O: Object>(object: &O) -> Self {
        let status = object.status().and_then(|status| serde_json::to_value(status).ok());
        Self {
            resource_version: object.resource_version().unwrap_or_default(),
            status: status.unwrap_or_else(|| json!({})),
            written: BTreeSet::new(),
        }
    }

    /// Takes over what is stored now, and remembers what this run has written.
    fn replace_by<O: Object>(&mut self, object: &O) {
        let written = std::mem::take(&mut self.written);
        *self = Self { written, ..Self::of(object) };
    }
}

/// Brings the stored status to `desired`; writes nothing where it is there already.
///
/// On a conflict the object is read again: conditions of other writers are kept as they are now, ours win, and of the rest
/// only what this run changed is written.
pub async fn write<O: Object>(
    client: &Client,
    writer: &Writer,
    key: &Key,
    observed: &mut Observed,
    desired: &StatusOf<O>,
) -> Result<(), StatusError> {
    let api: Api<O> = Api::namespaced(client.clone(), key.namespace());
    let params = PatchParams { field_manager: Some(writer.manager.to_owned()), ..PatchParams::default() };
    let target = serde_json::to_value(desired)?;
    let mut rest = difference(&observed.status, &target);
    let mut attempt = 1;
    loop {
        let conditions =
            merge_conditions(writer.owned, &conditions_of(&target), &conditions_of(&observed.status));
        if conditions == conditions_of(&observed.status) {
            rest.remove("conditions");
        } else {
            rest.insert("conditions".to_owned(), serde_json::to_value(&conditions)?);
        }
        if rest.is_empty() {
            return Ok(());
        }
        observed.written.extend(rest.keys().cloned());
        let body = json!({ "metadata": { "resourceVersion": observed.resource_version }, "status": rest });
        match api.patch_status(key.name(), &params, &Patch::Merge(&body)).await {
            Ok(stored) => {
                observed.replace_by(&stored);
                return Ok(());
            }
            Err(kube::Error::Api(status)) if status.code == 409 && attempt < ATTEMPTS => {
                attempt += 1;
                tokio::time::sleep(PAUSE.mul_f64(1.0 + rand::random::<f64>())).await;
                observed.replace_by(&api.get(key.name()).await?);
                rest = difference(&observed.status, &target);
                rest.retain(|field, _| observed.written.contains(field));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// The conditions to store: ours as `desired` has them, foreign ones as they are stored, in the contract's order.
pub fn merge_conditions(owned: &[&str], desired: &[Condition], stored: &[Condition]) -> Vec<Condition> {
    let foreign = stored.iter().filter(|condition| !owned.contains(&condition.type_.as_str()));
    let ours = desired.iter().filter(|condition| owned.contains(&condition.type_.as_str()));
    let mut merged: Vec<Condition> = ours.chain(foreign).cloned().collect();
    millrace_api::meta::conditions::sort(&mut merged);
    merged
}

fn conditions_of(status: &Value) -> Vec<Condition> {
    status
        .get("conditions")
        .and_then(|conditions| serde_json::from_value(conditions.clone()).ok())
        .unwrap_or_default()
}

/// The JSON merge patch (RFC 7386) that turns the map `before` into `after`, lists compared as a whole.
fn difference(before: &Value, after: &Value) -> Map<String, Value> {
    let empty = Map::new();
    let before = before.as_object().unwrap_or(&empty);
    let after = after.as_object().unwrap_or(&empty);
    let mut patch = Map::new();
    for (key, value) in after {
        match before.get(key) {
            Some(old) if old == value => {}
            Some(old) if old.is_object() && value.is_object() => {
                patch.insert(key.clone(), Value::Object(difference(old, value)));
            }
            _ => {
                patch.insert(key.clone(), value.clone());
            }
        }
    }
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        patch.insert(key.clone(), Value::Null);
    }
    patch
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patch_holds_only_what_changed_and_null_for_what_went() {
        let before =
            json!({ "same": 1, "changed": "a", "gone": true, "map": { "x": 1, "y": 2 }, "list": [1, 2] });
        let after = json!({ "same": 1, "changed": "b", "map": { "x": 1, "z": 3 }, "list": [2], "new": {} });
        let expected =
            json!({ "changed": "b", "gone": null, "map": { "y": null, "z": 3 }, "list": [2], "new": {} });
        assert_eq!(Value::Object(difference(&before, &after)), expected);
    }

    fn condition(type_: &str, message: &str) -> Condition {
        Condition {
            last_transition_time: k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(
                jiff::Timestamp::UNIX_EPOCH,
            ),
            message: message.to_owned(),
            observed_generation: Some(1),
            reason: "Test".to_owned(),
            status: "True".to_owned(),
            type_: type_.to_owned(),
        }
    }

    #[test]
    fn foreign_conditions_are_kept_and_owned_ones_replaced_or_removed() {
        let stored = [condition("Ready", "old"), condition("Theirs", "kept"), condition("Stalled", "gone")];
        let merged = merge_conditions(&["Ready", "Stalled"], &[condition("Ready", "new")], &stored);
        let seen: Vec<_> =
            merged.iter().map(|found| (found.type_.as_str(), found.message.as_str())).collect();
        assert_eq!(seen, [("Ready", "new"), ("Theirs", "kept")]);
    }
}
