//! The order in which objects are applied; deletion runs backwards.

use std::cmp::Ordering;

use crate::id::ObjectId;

/// Kinds that come before all others, in this order, whatever their group.
const FIRST: &[&str] = &[
    "CustomResourceDefinition",
    "Namespace",
    "ClusterRole",
    "ClusterClass",
    "RuntimeClass",
    "PriorityClass",
    "StorageClass",
    "VolumeSnapshotClass",
    "IngressClass",
    "GatewayClass",
    "ClusterRoleBinding",
    "ResourceQuota",
    "ServiceAccount",
    "Role",
    "RoleBinding",
    "ConfigMap",
    "Secret",
    "Service",
    "LimitRange",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
];

/// Kinds that come after all others, in this order.
const LAST: &[&str] = &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/// Compares by kind index, group, kind, namespace, name.
///
/// Contract: kustomize-controller §4.3.
pub(crate) fn apply_order(left: &ObjectId, right: &ObjectId) -> Ordering {
    rank(&left.kind)
        .cmp(&rank(&right.kind))
        .then_with(|| left.group.cmp(&right.group))
        .then_with(|| left.kind.cmp(&right.kind))
        .then_with(|| left.namespace.cmp(&right.namespace))
        .then_with(|| left.name.cmp(&right.name))
}

/// A kind's place: in the first list, between the lists, or in the last list.
fn rank(kind: &str) -> usize {
    let position = |list: &[&str]| list.iter().position(|name| *name == kind);
    position(FIRST).or_else(|| position(LAST).map(|index| FIRST.len() + 1 + index)).unwrap_or(FIRST.len())
}
