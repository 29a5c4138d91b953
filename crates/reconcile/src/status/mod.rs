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
    finalizers: Vec<String>,
    status: Value,
    /// The fields that this run has written so far, whether or not it has seen the answer.
    written: BTreeSet<String>,
    /// A write was sent whose answer never came: what is stored is not known.
    unsure: bool,
}

/// Why a status could not be written.
#[derive(Debug, thiserror::Error)]
pub enum StatusError {
    /// The API server refused the patch, or could not be reached. What it says is the whole message, so it is no source.
    #[error("{}", error_text(error))]
    Api {
        /// What the client says.
        error: Box<kube::Error>,
    },
    /// The status does not turn into JSON.
    #[error("the status is not valid JSON")]
    Encode {
        /// What the serializer says.
        #[source]
        source: serde_json::Error,
    },
    /// The process ended before the answer came.
    #[error("the process has ended")]
    Interrupted,
}

impl From<kube::Error> for StatusError {
    fn from(error: kube::Error) -> Self {
        Self::Api { error: Box::new(error) }
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
            finalizers: object.finalizers().to_vec(),
            status: status.unwrap_or_else(|| json!({})),
            written: BTreeSet::new(),
            unsure: false,
        }
    }

    /// Gives `object`, which was read before, the version and the finalizers that were seen last.
    pub(crate) fn refresh<O: Object>(&self, object: &mut O) {
        let meta = object.meta_mut();
        meta.resource_version = Some(self.resource_version.clone());
        meta.finalizers = Some(self.finalizers.clone());
    }

    /// Takes over what is stored now, and remembers what this run has written.
    fn replace_by<O: Object>(&mut self, object: &O) {
        let written = std::mem::take(&mut self.written);
        *self = Self { written, ..Self::of(object) };
    }

    /// What is left to write of the fields that this run is about: those that it has written, and those it wants to change.
    fn rest(&self, target: &Value) -> Map<String, Value> {
        let mut rest = difference(&self.status, target);
        rest.retain(|field, _| self.written.contains(field));
        rest
    }
}

/// Brings the stored status to `desired`; writes nothing where it is there already.
///
/// On a conflict, or where an earlier write went unanswered, the object is read again: conditions of other writers are kept
/// as they are now, ours win, and of the rest only what this run changed is written.
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
    observed.written.extend(difference(&observed.status, &target).into_iter().map(|(field, _)| field));
    if observed.unsure {
        observed.replace_by(&api.get(key.name()).await?);
    }
    let mut attempt = 1;
    loop {
        let mut rest = observed.rest(&target);
        let stored = conditions_of(&observed.status);
        let conditions = merge_conditions(writer.owned, &conditions_of(&target), &stored);
        if conditions == stored {
            rest.remove("conditions");
        } else {
            rest.insert("conditions".to_owned(), serde_json::to_value(&conditions)?);
        }
        if rest.is_empty() {
            return Ok(());
        }
        let body = json!({ "metadata": { "resourceVersion": observed.resource_version }, "status": rest });
        observed.unsure = true;
        match api.patch_status(key.name(), &params, &Patch::Merge(&body)).await {
            Ok(stored) => {
                observed.replace_by(&stored);
                return Ok(());
            }
            Err(kube::Error::Api(status)) if status.code == 409 && attempt < ATTEMPTS => {
                attempt += 1;
                tokio::time::sleep(PAUSE.mul_f64(1.0 + rand::random::<f64>())).await;
                observed.replace_by(&api.get(key.name()).await?);
            }
            Err(error) => {
                observed.unsure = !is_refusal(&error);
                return Err(error.into());
            }
        }
    }
}

/// Whether the API server said no, so that nothing was written; anything else may have been.
fn is_refusal(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if (400..500).contains(&status.code))
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
mod tests;
