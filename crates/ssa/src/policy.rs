//! Labels and annotations that say how an object is to be treated.

use millrace_yaml::Node;

use crate::object::{Object as _, set_label};

/// Pairs of which one, as label or annotation, is enough; keys compare exactly, values without case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector(Vec<(String, String)>);

impl Selector {
    /// A selector of these pairs.
    pub fn new<K: Into<String>, V: Into<String>>(pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        Self(pairs.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }

    /// Whether one of the pairs is on `object`.
    pub fn matches(&self, object: &Node) -> bool {
        self.0.iter().any(|(key, value)| {
            let same = |found: Option<&str>| found.is_some_and(|found| same_folded(found, value));
            same(object.label(key)) || same(object.annotation(key))
        })
    }

    /// Whether one of the keys is on `object`, whatever its value.
    pub fn mentions(&self, object: &Node) -> bool {
        self.0.iter().any(|(key, _)| object.label(key).is_some() || object.annotation(key).is_some())
    }
}

fn same_folded(left: &str, right: &str) -> bool {
    left.eq_ignore_ascii_case(right) || left.to_lowercase() == right.to_lowercase()
}

/// Which marks mean what.
///
/// Contract: kustomize-controller §1.6, §4.5, §4.6, §5.2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policies {
    /// On manifest or live object: leave alone, also when it does not exist.
    pub exclude: Selector,
    /// On the manifest: create, and then leave alone.
    pub if_not_present: Selector,
    /// On manifest or live object: what other managers set stays.
    pub merge: Selector,
    /// On manifest or live object: recreate where a field can't be changed.
    pub force: Selector,
    /// On the live object: do not delete.
    pub keep: Selector,
}

impl Policies {
    /// The marks of a controller whose labels and annotations start with `group`, such as
    /// `kustomize.toolkit.fluxcd.io`.
    pub fn of_group(group: &str) -> Self {
        let pair = |name: &str, value: &str| (format!("{group}/{name}"), value.to_owned());
        Self {
            exclude: Selector::new([pair("reconcile", "disabled"), pair("ssa", "Ignore")]),
            if_not_present: Selector::new([pair("ssa", "IfNotPresent")]),
            merge: Selector::new([pair("ssa", "Merge")]),
            force: Selector::new([pair("force", "enabled")]),
            keep: Selector::new([
                pair("prune", "disabled"),
                pair("reconcile", "disabled"),
                pair("ssa", "Ignore"),
            ]),
        }
    }
}

impl Policies {
    /// Whether an object is left alone, given its live object if there is one.
    pub fn skips(&self, manifest: &Node, live: Option<&Node>) -> bool {
        let on_live =
            live.is_some_and(|live| self.exclude.matches(live) || self.if_not_present.matches(manifest));
        on_live || self.exclude.matches(manifest)
    }

    /// Whether an object is recreated for an immutable field; `force` is the run's own wish.
    pub fn recreates(&self, force: bool, manifest: &Node, live: Option<&Node>) -> bool {
        force || self.force.matches(manifest) || live.is_some_and(|live| self.force.matches(live))
    }
}

/// The labels that mark an object as owned by one Kustomization.
///
/// Contract: kustomize-controller §1.6.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The label keys' group, such as `kustomize.toolkit.fluxcd.io`.
    pub group: String,
    /// The owner's name.
    pub name: String,
    /// The owner's namespace.
    pub namespace: String,
}

impl Owner {
    /// Puts the owner's labels on `object`.
    pub fn label(&self, object: &mut Node) {
        for (key, value) in self.labels() {
            set_label(object, &key, value);
        }
    }

    /// Whether `object` bears this owner's labels.
    pub fn owns(&self, object: &Node) -> bool {
        self.labels().iter().all(|(key, value)| object.label(key) == Some(*value))
    }

    /// The owner's labels as a selector of the Kubernetes API.
    pub fn label_selector(&self) -> String {
        self.labels().map(|(key, value)| format!("{key}={value}")).join(",")
    }

    fn labels(&self) -> [(String, &str); 2] {
        [
            (format!("{}/name", self.group), self.name.as_str()),
            (format!("{}/namespace", self.group), &self.namespace),
        ]
    }
}
