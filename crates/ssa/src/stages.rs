//! Which objects are applied together, and in which order.
//!
//! Contract: kustomize-controller §4.3.

use millrace_yaml::Node;

use crate::id::ObjectId;
use crate::object::Object as _;
use crate::order::apply_order;

/// What the objects of a stage have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StageKind {
    /// Custom resource definitions, namespaces, cluster roles.
    Definitions,
    /// Kinds that end in `Class`.
    Classes,
    /// Kinds that the operator chose.
    Custom,
    /// Everything else.
    Rest,
}

/// Objects to apply together, in apply order. Only [`plan`] makes one, and never an empty one.
#[derive(Debug)]
pub struct Stage {
    kind: StageKind,
    objects: Vec<Node>,
}

impl Stage {
    /// What the objects have in common.
    pub fn kind(&self) -> StageKind {
        self.kind
    }

    /// The objects in apply order.
    pub fn objects(&self) -> &[Node] {
        &self.objects
    }

    /// Whether the next stage has to wait until this one's objects are healthy.
    pub fn is_awaited(&self) -> bool {
        match self.kind {
            StageKind::Definitions | StageKind::Classes => true,
            StageKind::Custom | StageKind::Rest => false,
        }
    }

    /// Whether the stage may add kinds to the cluster.
    pub fn defines_kinds(&self) -> bool {
        self.objects.iter().any(is_crd)
    }
}

/// A group and a kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GroupKind {
    /// The API group; empty for the core group.
    pub group: String,
    /// The kind.
    pub kind: String,
}

/// Splits normalized objects into stages, each in apply order.
pub fn plan(objects: Vec<Node>, custom_kinds: &[GroupKind]) -> Vec<Stage> {
    let mut keyed: Vec<(StageKind, ObjectId, Node)> = objects
        .into_iter()
        .map(|object| (stage_of(&object, custom_kinds), ObjectId::of(&object), object))
        .collect();
    keyed.sort_by(|left, right| left.0.cmp(&right.0).then_with(|| apply_order(&left.1, &right.1)));
    let mut stages: Vec<Stage> = Vec::new();
    for (kind, _, object) in keyed {
        match stages.last_mut() {
            Some(stage) if stage.kind == kind => stage.objects.push(object),
            _ => stages.push(Stage { kind, objects: vec![object] }),
        }
    }
    stages
}

fn stage_of(object: &Node, custom_kinds: &[GroupKind]) -> StageKind {
    if is_cluster_definition(object) {
        StageKind::Definitions
    } else if is_class(object) {
        StageKind::Classes
    } else if !custom_kinds.is_empty() && custom_kinds.contains(&group_kind(object)) {
        StageKind::Custom
    } else {
        StageKind::Rest
    }
}

fn group_kind(object: &Node) -> GroupKind {
    let gvk = object.gvk();
    GroupKind { group: gvk.group, kind: gvk.kind }
}

/// Sorts objects into apply order, whatever their stage.
pub fn sort(objects: &mut [Node]) {
    objects.sort_by_cached_key(|object| SortKey(ObjectId::of(object)));
}

/// An id that sorts in apply order.
#[derive(PartialEq, Eq)]
struct SortKey(ObjectId);

impl Ord for SortKey {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        apply_order(&self.0, &other.0)
    }
}

impl PartialOrd for SortKey {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Whether this is a custom resource definition, a namespace or a cluster role.
pub fn is_cluster_definition(object: &Node) -> bool {
    is_crd(object) || is_namespace(object) || is_cluster_role(object)
}

/// Whether this is a custom resource definition.
pub fn is_crd(object: &Node) -> bool {
    object.kind().eq_ignore_ascii_case("customresourcedefinition")
        && object.api_version().starts_with("apiextensions.k8s.io/")
}

/// Whether this is a namespace.
pub fn is_namespace(object: &Node) -> bool {
    object.kind().eq_ignore_ascii_case("namespace") && object.api_version() == "v1"
}

/// Whether this is a cluster role.
pub fn is_cluster_role(object: &Node) -> bool {
    object.kind().eq_ignore_ascii_case("clusterrole")
        && object.api_version().starts_with("rbac.authorization.k8s.io/")
}

/// Whether this is a class: of storage, ingress, priority or anything else.
pub fn is_class(object: &Node) -> bool {
    object.kind().ends_with("Class")
}
