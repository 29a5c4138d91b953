//! Who manages which field of a live object, and how that is put right before an apply.
//!
//! Contract: kustomize-controller §4.5.1.

use millrace_yaml::{Map, Node, Scalar, json};

use super::pointer::{escape_slashes, unescape};
use crate::object::{Object as _, entries};

/// A field manager whose fields the apply manager takes over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenOver {
    /// What the manager's name starts with.
    pub prefix: String,
    /// `Apply` or `Update`.
    pub operation: &'static str,
}

/// What is removed from a live object before it is applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cleanup {
    /// Annotation keys.
    pub annotations: Vec<String>,
    /// Label keys.
    pub labels: Vec<String>,
    /// Managers.
    pub managers: Vec<TakenOver>,
}

impl Cleanup {
    /// What the kustomize-controller cleans up: traces of kubectl and of Flux 1, and `override_managers`.
    pub fn for_kustomize_controller(override_managers: &[String]) -> Self {
        let both = |prefix: &str| {
            ["Apply", "Update"].map(|operation| TakenOver { prefix: prefix.to_owned(), operation })
        };
        let update = |prefix: &str| TakenOver { prefix: prefix.to_owned(), operation: "Update" };
        let mut managers = both("kubectl").to_vec();
        managers.extend([update("before-first-apply"), update("kustomize-controller")]);
        managers.extend(override_managers.iter().flat_map(|prefix| both(prefix)));
        let owned = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
        Self {
            annotations: owned(&[
                "kubectl.kubernetes.io/last-applied-configuration",
                "kustomize.toolkit.fluxcd.io/checksum",
                "fluxcd.io/sync-checksum",
            ]),
            labels: owned(&["fluxcd.io/sync-gc-mark"]),
            managers,
        }
    }

    /// The JSON patch that cleans up `live`, whose apply manager is `manager`; empty if there is nothing to do.
    pub fn patch(&self, live: &Node, manager: &str) -> Vec<Node> {
        let remove = |field: &str, key: &String| {
            operation("remove", &format!("/metadata/{field}/{}", escape_slashes(key)), None)
        };
        let annotations = self.annotations.iter().filter(|key| live.annotation(key).is_some());
        let labels = self.labels.iter().filter(|key| live.label(key).is_some());
        annotations
            .map(|key| remove("annotations", key))
            .chain(labels.map(|key| remove("labels", key)))
            .chain(self.managers_patch(live, manager))
            .collect()
    }

    /// Merges the entries of managers that are taken over into the apply manager's, which moves to the end. Where one
    /// stands before it, the unmerged entry stays in its place, too: the API server keeps the last of equal ones.
    fn managers_patch(&self, live: &Node, manager: &str) -> Option<Node> {
        let entries = managed_fields(live);
        let own = entries.iter().rposition(|entry| is_entry(entry, manager, "Apply"));
        let mut merged = own.map(|index| entries[index].clone());
        let mut others = Vec::with_capacity(entries.len());
        let mut edited = false;
        for (index, entry) in entries.iter().enumerate() {
            if own == Some(index) && !edited {
                continue;
            }
            if !self.takes_over(entry) {
                others.push(entry.clone());
                continue;
            }
            edited = true;
            merged = Some(match merged {
                Some(merged) => with_fields_of(merged, entry),
                None => renamed(entry, manager),
            });
        }
        others.extend(merged);
        edited.then(|| operation("replace", MANAGED_FIELDS, Some(Node::list(others))))
    }

    fn takes_over(&self, entry: &Node) -> bool {
        let (name, operation) = (text(entry, "manager"), text(entry, "operation"));
        text(entry, "subresource").is_empty()
            && self
                .managers
                .iter()
                .any(|taken| name.starts_with(&taken.prefix) && operation == taken.operation)
    }
}

const MANAGED_FIELDS: &str = "/metadata/managedFields";

/// The JSON patch that moves all managed fields of `live` to `api_version`; empty if they are there.
pub fn migration_patch(live: &Node, api_version: &str) -> Vec<Node> {
    let managed = managed_fields(live);
    if managed.iter().all(|entry| text(entry, "apiVersion") == api_version) {
        return Vec::new();
    }
    let moved = managed.iter().cloned().map(|mut entry| {
        if let Some(entry) = entry.as_map_mut() {
            entry.insert("apiVersion", Node::string(api_version));
        }
        entry
    });
    vec![operation("replace", MANAGED_FIELDS, Some(Node::List(moved.collect())))]
}

fn operation(op: &str, path: &str, value: Option<Node>) -> Node {
    let fields = [("op", Node::string(op)), ("path", Node::string(path))];
    let fields = fields.into_iter().chain(value.map(|value| ("value", value)));
    Node::Map(fields.map(|(key, value)| (Scalar::string(key), value)).collect())
}

fn managed_fields(object: &Node) -> &[Node] {
    object.at(&["metadata", "managedFields"]).and_then(Node::as_list).unwrap_or_default()
}

fn is_entry(entry: &Node, manager: &str, operation: &str) -> bool {
    text(entry, "manager") == manager && text(entry, "operation") == operation
}

fn text<'a>(entry: &'a Node, field: &str) -> &'a str {
    entry.str_at(&[field]).unwrap_or_default()
}

fn renamed(entry: &Node, manager: &str) -> Node {
    let mut entry = entry.clone();
    if let Some(entry) = entry.as_map_mut() {
        entry.insert("manager", Node::string(manager));
        entry.insert("operation", Node::string("Apply"));
    }
    entry
}

fn with_fields_of(mut entry: Node, other: &Node) -> Node {
    let union = match (entry.get("fieldsV1"), other.get("fieldsV1")) {
        (Some(own), Some(added)) => union(own, added),
        (None, Some(added)) => added.clone(),
        (_, None) => return entry,
    };
    if let Some(entry) = entry.as_map_mut() {
        entry.insert("fieldsV1", union);
    }
    entry
}

/// The union of two sets of fields. A set without members below it stands for the field itself, which is `.` once
/// there are members below.
fn union(left: &Node, right: &Node) -> Node {
    let (Some(left), Some(right)) = (left.as_map(), right.as_map()) else { return left.clone() };
    let mut all = left.clone();
    for (key, value) in right.entries() {
        match all.get_mut(key.text()) {
            Some(slot) => *slot = union_of_members(slot, value),
            None => all.push(key.clone(), value.clone()),
        }
    }
    Node::Map(all)
}

fn union_of_members(left: &Node, right: &Node) -> Node {
    let is_leaf = |node: &Node| node.as_map().is_none_or(Map::is_empty);
    let mut all = union(left, right);
    if is_leaf(left) != is_leaf(right)
        && let Some(all) = all.as_map_mut()
        && !all.contains_key(".")
    {
        all.insert(".", Node::map());
    }
    all
}

/// The fields that managers other than one have applied.
pub(super) struct Ownership<'a> {
    all: Vec<&'a Node>,
    others: Vec<&'a Node>,
}

impl<'a> Ownership<'a> {
    /// Reads the managed fields of `live`; those of subresources don't count.
    pub(super) fn of(live: &'a Node, manager: &str) -> Self {
        let applied = managed_fields(live)
            .iter()
            .filter(|entry| text(entry, "operation") == "Apply" && text(entry, "subresource").is_empty());
        let (mut all, mut others) = (Vec::new(), Vec::new());
        for entry in applied {
            let Some(fields) = entry.get("fieldsV1") else { continue };
            all.push(fields);
            if text(entry, "manager") != manager {
                others.push(fields);
            }
        }
        Self { all, others }
    }

    /// Whether another manager applies the field at `path`. A path that can't be followed in the managed fields is
    /// nobody's.
    pub(super) fn is_applied_by_another(&self, live: &Node, path: &str) -> bool {
        let Some(members) = self.members(live, path) else { return false };
        self.others.iter().any(|fields| fields.at(&as_strs(&members)).is_some())
    }

    /// The path in the form of managed fields: `f:<field>`, and `k:{…}` for an item of a list.
    fn members(&self, live: &Node, path: &str) -> Option<Vec<String>> {
        let path = path.strip_prefix('/').unwrap_or(path);
        if path.is_empty() {
            return None;
        }
        let mut members: Vec<String> = Vec::new();
        let mut walked: Vec<String> = Vec::new();
        for segment in path.split('/').map(unescape) {
            let member = match segment.parse::<usize>() {
                // Below a first index the walk by field names ends, so a second index finds no list.
                Ok(index) => self.merge_key(live.at(&as_strs(&walked))?.as_list()?.get(index)?, &members)?,
                Err(_) => format!("f:{segment}"),
            };
            members.push(member);
            walked.push(segment);
        }
        Some(members)
    }

    /// The `k:{…}` member under `parents` whose keys are `item`'s.
    fn merge_key(&self, item: &Node, parents: &[String]) -> Option<String> {
        item.as_map()?;
        let candidates = self.all.iter().flat_map(|fields| entries(fields, &as_strs(parents)));
        let mut keys = candidates
            .filter_map(|(member, _)| Some((member, json::from_str(member.strip_prefix("k:")?).ok()?)));
        keys.find(|(_, key)| has_key(item, key)).map(|(member, _)| member.to_owned())
    }
}

/// Only keys of strings are told apart: the reference compares numbers of different types.
fn has_key(item: &Node, key: &Node) -> bool {
    key.as_map().is_some_and(|key| {
        key.iter().all(|(name, value)| {
            let is_number = value.as_f64().is_some();
            !is_number && item.get(name).is_some_and(|own| own.same_value(value))
        })
    })
}

fn as_strs(path: &[String]) -> Vec<&str> {
    path.iter().map(String::as_str).collect()
}
