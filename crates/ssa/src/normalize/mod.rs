//! What an object looks like when it is sent, and what is evened out before an answer is compared.
//!
//! Kinds that the reference implementation has compiled in take a round trip through their type: what the type doesn't
//! know is gone, zero values are left out, quantities and times have one form. That is what the cluster's managed fields
//! were made of, so a hand-over in either direction changes nothing.
//!
//! Contract: kustomize-controller §4.2.

mod base64;
mod ca_bundle;
mod quantity;
mod time;
mod typed;
mod types;

use millrace_yaml::{Map, Node};

use crate::object::{Object as _, remove_at};
use crate::stages::is_crd;

/// Brings `object` into the form in which it is applied.
pub fn normalize(object: &mut Node) {
    if object.api_version() == "rbac.authorization.k8s.io/v1"
        && matches!(object.kind(), "Role" | "ClusterRole")
    {
        return; // The round trip would turn absent rules into null ones.
    }
    if let Some(Ok(mut typed)) = round_trip(object) {
        adjust(&mut typed);
        *object = typed;
    }
    if let Some(metadata) = object.map_at_mut(&["metadata"]) {
        metadata.insert("creationTimestamp", Node::null());
    }
    if is_crd(object) {
        drop_unusable_ca_bundle(object);
    } else {
        remove_at(object, &["status"]);
    }
}

/// Evens out a dry-run answer, or the live object it is compared with: an autoscaler's repeated and empty metrics go.
///
/// Contract: kustomize-controller §4.7.
pub fn normalize_answer(object: &mut Node) {
    if object.kind() != "HorizontalPodAutoscaler" {
        return;
    }
    if let Some(Ok(mut typed)) = round_trip(object) {
        if typed.api_version() == "autoscaling/v2" {
            drop_odd_metrics(&mut typed);
        }
        *object = typed;
    }
}

/// Whether a kind is compiled into the reference implementation, in whatever version.
pub(crate) fn is_built_in(group: &str, kind: &str) -> bool {
    types::TYPES.has_kind(group, kind)
}

fn round_trip(object: &Node) -> Option<Result<Node, typed::Mismatch>> {
    let structure = types::TYPES.kind(object.api_version(), object.kind())?;
    Some(typed::round_trip(object, structure))
}

/// What the API server would default, filled in where leaving it out confuses server-side apply; and a Secret's
/// plain text encoded.
fn adjust(object: &mut Node) {
    match (object.api_version(), object.kind()) {
        ("v1", "Pod") => default_container_protocols(object, &["spec"]),
        ("apps/v1", "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet") | ("batch/v1", "Job") => {
            default_container_protocols(object, &["spec", "template", "spec"]);
        }
        ("batch/v1", "CronJob") => {
            default_container_protocols(object, &["spec", "jobTemplate", "spec", "template", "spec"]);
        }
        ("v1", "Service") => default_protocols(object.at_mut(&["spec"])),
        ("v1", "Secret") => encode_string_data(object),
        _ => {}
    }
}

fn default_container_protocols(object: &mut Node, pod_spec: &[&str]) {
    let containers =
        object.at_mut(pod_spec).and_then(|spec| spec.get_mut("containers")).and_then(Node::as_list_mut);
    for container in containers.into_iter().flatten() {
        default_protocols(Some(container));
    }
}

fn default_protocols(owner: Option<&mut Node>) {
    let ports = owner.and_then(|owner| owner.get_mut("ports")).and_then(Node::as_list_mut);
    for port in ports.into_iter().flatten().filter_map(Node::as_map_mut) {
        if port.get("protocol").and_then(Node::as_str).is_none_or(str::is_empty) {
            port.insert("protocol", Node::string("TCP"));
        }
    }
}

fn encode_string_data(secret: &mut Node) {
    let Some(Node::Map(plain)) = remove_at(secret, &["stringData"]) else { return };
    let Some(data) = secret.map_at_mut(&["data"]) else { return };
    for (key, value) in plain.iter() {
        data.insert(key, Node::string(base64::encode(value.as_str().unwrap_or_default().as_bytes())));
    }
}

fn drop_unusable_ca_bundle(crd: &mut Node) {
    const PATH: &[&str] = &["spec", "conversion", "webhook", "clientConfig", "caBundle"];
    if crd.str_at(PATH).is_some_and(|bundle| !ca_bundle::is_usable(bundle)) {
        remove_at(crd, PATH);
    }
}

fn drop_odd_metrics(autoscaler: &mut Node) {
    let Some(spec) = autoscaler.get_mut("spec").and_then(Node::as_map_mut) else { return };
    let Some(Node::List(metrics)) = spec.remove("metrics") else { return };
    let mut kept: Vec<Node> = Vec::new();
    for metric in metrics {
        let named = metric.get("type").and_then(Node::as_str).is_some_and(|name| !name.is_empty());
        if named && !kept.iter().any(|other| other.same_value(&metric)) {
            kept.push(metric);
        }
    }
    if !kept.is_empty() {
        spec.insert("metrics", Node::list(kept));
    }
}

/// Sets the controller's common labels and annotations, over what the manifest says.
///
/// Contract: kustomize-controller §3.3.
pub fn set_common_metadata<'a>(
    object: &mut Node,
    labels: impl IntoIterator<Item = (&'a str, &'a str)>,
    annotations: impl IntoIterator<Item = (&'a str, &'a str)>,
) {
    insert_all(object.map_at_mut(&["metadata", "labels"]), labels);
    insert_all(object.map_at_mut(&["metadata", "annotations"]), annotations);
    for field in ["labels", "annotations"] {
        if object.at(&["metadata", field]).and_then(Node::as_map).is_some_and(Map::is_empty) {
            remove_at(object, &["metadata", field]);
        }
    }
}

fn insert_all<'a>(map: Option<&mut Map>, pairs: impl IntoIterator<Item = (&'a str, &'a str)>) {
    let Some(map) = map else { return };
    for (key, value) in pairs {
        map.insert(key, Node::string(value));
    }
}
