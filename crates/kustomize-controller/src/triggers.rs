//! What makes a Kustomization run besides its own changes: sources, dependencies, ConfigMaps and Secrets.
//!
//! Contract: kustomize-controller §2.1.

use std::collections::HashSet;
use std::sync::Arc;

use millrace_api::Reconcilable as _;
use millrace_api::kustomize::v1::{Kustomization, KustomizationStatus};
use millrace_api::meta::conditions::{self, READY, RECONCILING};
use millrace_reconcile::Key;

use crate::reason;
use crate::sources::SourceId;

/// A kind whose objects hold values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum ConfigKind {
    ConfigMap,
    Secret,
}

/// What is kept of a Kustomization for its triggers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Summary {
    source: Option<SourceId>,
    depends_on: Vec<Key>,
    configs: Vec<(ConfigKind, Arc<str>)>,
    settled: bool,
    attempted: Option<Arc<str>>,
    /// What its dependents look at.
    readiness: Readiness,
    awaits_dependency: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Readiness {
    current: bool,
    ready: bool,
    applied: Option<Arc<str>>,
}

impl Summary {
    /// What matters of `object`.
    pub(crate) fn of(object: &Kustomization) -> Self {
        let nothing = KustomizationStatus::default();
        let status = object.status().unwrap_or(&nothing);
        let ready = conditions::get(&status.conditions, READY);
        let is_ready = conditions::is_true(&status.conditions, READY);
        let shared = |text: &Option<String>| text.as_deref().map(Arc::from);
        Self {
            source: source_of(object),
            depends_on: dependencies_of(object),
            configs: configs_of(object),
            settled: is_ready || conditions::is_true(&status.conditions, RECONCILING),
            attempted: shared(&status.last_attempted_revision),
            readiness: Readiness {
                current: status.observed_generation == object.metadata.generation,
                ready: is_ready,
                applied: shared(&status.last_applied_revision),
            },
            awaits_dependency: ready
                .is_some_and(|ready| ready.reason == reason::DEPENDENCY_NOT_READY.as_str()),
        }
    }

    /// Whether a new revision of `source` concerns it: it is not there yet, or it failed and nothing is under way.
    pub(crate) fn wants(&self, source: &SourceId, revision: &str) -> bool {
        self.source.as_ref() == Some(source) && !(self.settled && self.attempted.as_deref() == Some(revision))
    }

    /// Whether it uses this ConfigMap or Secret of its namespace.
    pub(crate) fn uses(&self, kind: ConfigKind, name: &str) -> bool {
        self.configs.iter().any(|(used, used_name)| *used == kind && &**used_name == name)
    }

    /// Whether it waits for `dependency`.
    pub(crate) fn waits_for(&self, dependency: &Key) -> bool {
        self.awaits_dependency && self.depends_on.contains(dependency)
    }

    /// Whether dependents may see this differently from `before`.
    pub(crate) fn readiness_changed(&self, before: &Self) -> bool {
        self.readiness != before.readiness
    }

    /// Whether it has begun to wait for a dependency, although all of them are ready as far as `known` goes: the change that
    /// should have woken it came before its own status did.
    pub(crate) fn missed_its_wake_up(&self, before: &Self, known: impl Fn(&Key) -> Option<Self>) -> bool {
        let is_ready =
            |key: &Key| known(key).is_some_and(|other| other.readiness.current && other.readiness.ready);
        self.awaits_dependency && !before.awaits_dependency && self.depends_on.iter().all(is_ready)
    }

    /// The Kustomizations that come first.
    pub(crate) fn depends_on(&self) -> &[Key] {
        &self.depends_on
    }
}

/// The source that `object` names; none if the kind is unknown.
pub(crate) fn source_of(object: &Kustomization) -> Option<SourceId> {
    let reference = &object.spec.source_ref;
    let namespace = millrace_api::meta::non_empty(reference.namespace.as_ref());
    let own = object.metadata.namespace.as_deref().unwrap_or_default();
    let key = Key::new(namespace.unwrap_or(own), reference.name.as_str());
    Some(SourceId { kind: reference.kind.parse().ok()?, key })
}

/// The Kustomizations that come before `object`, in the order of its spec.
pub(crate) fn dependencies_of(object: &Kustomization) -> Vec<Key> {
    let own = object.metadata.namespace.as_deref().unwrap_or_default();
    let key = |namespace: Option<&str>, name: &str| Key::new(namespace.unwrap_or(own), name);
    object
        .spec
        .depends_on
        .iter()
        .map(|on| key(millrace_api::meta::non_empty(on.namespace.as_ref()), &on.name))
        .collect()
}

fn configs_of(object: &Kustomization) -> Vec<(ConfigKind, Arc<str>)> {
    let spec = &object.spec;
    let mut configs = Vec::new();
    for from in spec.post_build.iter().flat_map(|post_build| &post_build.substitute_from) {
        let kind = if from.kind == "Secret" { ConfigKind::Secret } else { ConfigKind::ConfigMap };
        configs.push((kind, Arc::from(from.name.as_str())));
    }
    if let Some(secret) = spec.decryption.as_ref().and_then(|decryption| decryption.secret_ref.as_ref()) {
        configs.push((ConfigKind::Secret, Arc::from(secret.name.as_str())));
    }
    if let Some(kube_config) = &spec.kube_config {
        if let Some(map) = &kube_config.config_map_ref {
            configs.push((ConfigKind::ConfigMap, Arc::from(map.name.as_str())));
        }
        if let Some(secret) = &kube_config.secret_ref {
            configs.push((ConfigKind::Secret, Arc::from(secret.name.as_str())));
        }
    }
    configs
}

/// Puts `wanted` into the order in which dependencies come before their dependents.
///
/// A dependency that the walk reaches is in the result even if nobody asked for it. A cycle gives its path, for the log.
pub(crate) fn sort_by_dependency(
    mut wanted: Vec<Key>,
    depends_on: impl Fn(&Key) -> Option<Vec<Key>>,
) -> Result<Vec<Key>, String> {
    wanted.sort();
    let mut walk = Walk {
        depends_on: &depends_on,
        path: Vec::new(),
        on_path: HashSet::new(),
        done: HashSet::new(),
        order: Vec::new(),
    };
    for key in &wanted {
        walk.visit(key)?;
    }
    Ok(walk.order)
}

struct Walk<'a, F> {
    depends_on: &'a F,
    path: Vec<Key>,
    on_path: HashSet<Key>,
    done: HashSet<Key>,
    order: Vec<Key>,
}

impl<F: Fn(&Key) -> Option<Vec<Key>>> Walk<'_, F> {
    /// Visits `start` and all it depends on, with a stack of its own: chains are as long as users make them.
    fn visit(&mut self, start: &Key) -> Result<(), String> {
        let mut pending: Vec<(Key, Vec<Key>)> = Vec::new();
        self.enter(start.clone(), &mut pending)?;
        while let Some((_, dependencies)) = pending.last_mut() {
            if let Some(next) = dependencies.pop() {
                self.enter(next, &mut pending)?;
            } else if let Some((key, _)) = pending.pop() {
                self.path.pop();
                self.on_path.remove(&key);
                self.done.insert(key.clone());
                self.order.push(key);
            }
        }
        Ok(())
    }

    fn enter(&mut self, key: Key, pending: &mut Vec<(Key, Vec<Key>)>) -> Result<(), String> {
        if self.done.contains(&key) {
            return Ok(());
        }
        if self.on_path.contains(&key) {
            let cycle: Vec<_> = self
                .path
                .iter()
                .skip_while(|on_path| **on_path != key)
                .chain([&key])
                .map(Key::to_string)
                .collect();
            return Err(format!("circular dependency detected: {}", cycle.join(" -> ")));
        }
        let Some(mut dependencies) = (self.depends_on)(&key) else { return Ok(()) };
        dependencies.reverse();
        self.path.push(key.clone());
        self.on_path.insert(key.clone());
        pending.push((key, dependencies));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    type Dependencies = BTreeMap<Key, Vec<Key>>;

    fn key(name: &str) -> Key {
        Key::new("apps", name)
    }

    fn sorted(wanted: &[&str], edges: &[(&str, &[&str])]) -> Result<Vec<String>, String> {
        let graph: Dependencies =
            edges.iter().map(|(from, to)| (key(from), to.iter().map(|name| key(name)).collect())).collect();
        let wanted = wanted.iter().map(|name| key(name)).collect();
        let order = sort_by_dependency(wanted, |key| graph.get(key).cloned())?;
        Ok(order.iter().map(|key| key.name().to_owned()).collect())
    }

    fn summary(depends_on: &[&str], ready: bool, awaits_dependency: bool) -> Summary {
        Summary {
            source: None,
            depends_on: depends_on.iter().map(|name| key(name)).collect(),
            configs: Vec::new(),
            settled: ready,
            attempted: None,
            readiness: Readiness { current: true, ready, applied: None },
            awaits_dependency,
        }
    }

    #[test]
    fn who_begins_to_wait_for_what_is_ready_already_has_missed_its_wake_up() {
        let (idle, waiting) = (summary(&["db"], false, false), summary(&["db"], false, true));
        let ready = |_: &Key| Some(summary(&[], true, false));
        assert!(waiting.missed_its_wake_up(&idle, ready));
        assert!(!waiting.missed_its_wake_up(&waiting, ready), "once, not for as long as it waits");
        assert!(!waiting.missed_its_wake_up(&idle, |_| Some(summary(&[], false, false))));
        assert!(!waiting.missed_its_wake_up(&idle, |_| None));
        assert!(waiting.waits_for(&key("db")) && !idle.waits_for(&key("db")));
    }

    #[test]
    fn dependencies_come_first_even_if_nobody_asked_for_them() {
        let edges: &[(&str, &[&str])] =
            &[("web", &["db", "cache"]), ("db", &["disk"]), ("cache", &[]), ("disk", &[])];
        assert_eq!(sorted(&["web"], edges), Ok(["disk", "db", "cache", "web"].map(str::to_owned).to_vec()));
        assert_eq!(
            sorted(&["web", "db"], edges),
            Ok(["disk", "db", "cache", "web"].map(str::to_owned).to_vec())
        );
    }

    #[test]
    fn a_missing_dependency_is_left_out() {
        assert_eq!(sorted(&["web"], &[("web", &["gone"])]), Ok(vec!["web".to_owned()]));
    }

    #[test]
    fn a_cycle_is_named() {
        let edges: &[(&str, &[&str])] = &[("a", &["b"]), ("b", &["c"]), ("c", &["b"])];
        let expected = "circular dependency detected: apps/b -> apps/c -> apps/b";
        assert_eq!(sorted(&["a"], edges), Err(expected.to_owned()));
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let graph: Dependencies = (0..100_000)
            .map(|n| (key(&n.to_string()), vec![key(&(n + 1).to_string())]))
            .chain([(key("100000"), vec![])])
            .collect();
        let order = sort_by_dependency(vec![key("0")], |key| graph.get(key).cloned()).expect("no cycle");
        assert_eq!(order.len(), 100_001);
        assert_eq!(order[0], key("100000"));
    }
}
