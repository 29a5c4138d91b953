//! What Git holds, and how it changes. No name is used twice: an object that Git has dropped never comes back, so whoever deletes
//! an object that Git holds is wrong, whatever revision he works on.

use std::collections::BTreeMap;

use rand::Rng;
use rand::seq::IteratorRandom as _;

use super::manifest::{Key, Kind};

/// Folders that one commit touches.
const TOUCHED: std::ops::RangeInclusive<usize> = 1..=8;
const FEWEST: usize = 2;
const MOST: usize = 8;
/// A file that no build survives.
const BROKEN: &str = "broken.yaml";

/// All folders, each the path of one Kustomization.
pub(super) struct Model {
    apps: BTreeMap<usize, App>,
    next_app: usize,
    /// Values and names come from here.
    next: u64,
}

#[derive(Default)]
struct App {
    objects: BTreeMap<Key, u64>,
    is_broken: bool,
}

/// What a commit changes: paths, and their new text unless they are deleted.
#[derive(Debug, Default)]
pub(super) struct Change {
    pub(super) files: Vec<(String, Option<String>)>,
}

/// One change of a folder.
#[derive(Clone, Copy)]
enum Step {
    Set,
    Add,
    Remove,
    Rename,
    Break,
}

/// Often what is harmless, seldom what is not.
const STEPS: [Step; 12] = [
    Step::Set,
    Step::Set,
    Step::Set,
    Step::Set,
    Step::Set,
    Step::Add,
    Step::Add,
    Step::Remove,
    Step::Remove,
    Step::Rename,
    Step::Rename,
    Step::Break,
];

impl Model {
    /// Folders `0..count` with an object of each kind, and the commit that makes them.
    pub(super) fn new(count: usize) -> (Self, Change) {
        let mut model = Self { apps: BTreeMap::new(), next_app: 0, next: 0 };
        let mut change = Change::default();
        for _ in 0..count {
            model.add_app(&mut change);
        }
        (model, change)
    }

    /// The numbers of the folders.
    pub(super) fn apps(&self) -> impl Iterator<Item = usize> {
        self.apps.keys().copied()
    }

    /// Every object that Git holds, with its value.
    pub(super) fn wanted(&self) -> BTreeMap<Key, u64> {
        self.apps.values().flat_map(|app| app.objects.clone()).collect()
    }

    /// Whether Git holds an object.
    pub(super) fn holds(&self, key: &Key) -> bool {
        self.apps.values().any(|app| app.objects.contains_key(key))
    }

    /// Any object.
    pub(super) fn any(&self, rng: &mut impl Rng) -> Option<&Key> {
        self.apps.values().choose(rng)?.objects.keys().choose(rng)
    }

    /// Changes some folders.
    pub(super) fn change(&mut self, rng: &mut impl Rng) -> Change {
        let mut change = Change::default();
        let count = rng.random_range(TOUCHED);
        for index in self.apps.keys().copied().choose_multiple(rng, count) {
            let step = STEPS.iter().choose(rng).copied().unwrap_or(Step::Set);
            self.step(index, step, rng, &mut change);
        }
        change
    }

    /// Replaces a folder by a new one, and returns the numbers of both.
    pub(super) fn replace(&mut self, rng: &mut impl Rng) -> Option<(usize, usize, Change)> {
        let old = self.apps.keys().copied().choose(rng)?;
        let mut change = Change::default();
        let app = self.apps.remove(&old)?;
        change.files.extend(app.objects.keys().map(|key| (path(old, key), None)));
        if app.is_broken {
            change.files.push((broken(old), None));
        }
        let new = self.add_app(&mut change);
        Some((old, new, change))
    }

    /// Repairs every folder that does not build.
    pub(super) fn repair(&mut self) -> Change {
        let mut change = Change::default();
        for (index, app) in self.apps.iter_mut().filter(|(_, app)| app.is_broken) {
            app.is_broken = false;
            change.files.push((broken(*index), None));
        }
        change
    }

    fn add_app(&mut self, change: &mut Change) -> usize {
        let index = self.next_app;
        self.next_app += 1;
        self.apps.insert(index, App::default());
        for kind in Kind::ALL {
            self.add(index, kind, change);
        }
        index
    }

    fn add(&mut self, index: usize, kind: Kind, change: &mut Change) {
        let value = self.value();
        let key = Key { kind, name: format!("app-{index:04}-{value}") };
        change.files.push((path(index, &key), Some(key.manifest(value).to_string())));
        if let Some(app) = self.apps.get_mut(&index) {
            app.objects.insert(key, value);
        }
    }

    fn step(&mut self, index: usize, step: Step, rng: &mut impl Rng, change: &mut Change) {
        let value = self.value();
        let Some(app) = self.apps.get_mut(&index) else { return };
        if app.is_broken {
            app.is_broken = false;
            change.files.push((broken(index), None));
            return;
        }
        let size = app.objects.len();
        let Some(key) = app.objects.keys().choose(rng).cloned() else { return };
        match step {
            Step::Add if size < MOST => self.add(index, key.kind, change),
            Step::Remove if size > FEWEST => {
                app.objects.remove(&key);
                change.files.push((path(index, &key), None));
            }
            Step::Rename => {
                app.objects.remove(&key);
                change.files.push((path(index, &key), None));
                self.add(index, key.kind, change);
            }
            Step::Break => {
                app.is_broken = true;
                change.files.push((broken(index), Some("kind: [\n".to_owned())));
            }
            Step::Set | Step::Add | Step::Remove => {
                change.files.push((path(index, &key), Some(key.manifest(value).to_string())));
                app.objects.insert(key, value);
            }
        }
    }

    fn value(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

fn path(index: usize, key: &Key) -> String {
    format!("apps/{index:04}/{}-{}.yaml", key.kind.plural(), key.name)
}

fn broken(index: usize) -> String {
    format!("apps/{index:04}/{BROKEN}")
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashSet};

    use rand::SeedableRng as _;
    use rand::rngs::StdRng;

    use super::*;

    /// What the files of all changes amount to.
    fn commit(tree: &mut BTreeMap<String, String>, change: Change) {
        for (path, text) in change.files {
            match text {
                Some(text) => drop(tree.insert(path, text)),
                None => assert!(tree.remove(&path).is_some(), "{path} is deleted and was not there"),
            }
        }
    }

    fn held(model: &Model) -> BTreeSet<String> {
        let files = model.apps.iter().flat_map(|(index, app)| {
            app.objects.iter().map(|(key, value)| format!("{} {}", path(*index, key), key.manifest(*value)))
        });
        files.collect()
    }

    #[test]
    fn the_files_of_all_commits_are_what_the_model_holds() {
        let mut rng = StdRng::seed_from_u64(1);
        let (mut model, first) = Model::new(12);
        let mut tree = BTreeMap::new();
        commit(&mut tree, first);
        let mut dropped: HashSet<Key> = HashSet::new();
        for round in 0..400 {
            let before: HashSet<Key> = model.wanted().into_keys().collect();
            let change =
                if round % 20 == 0 { model.replace(&mut rng).unwrap().2 } else { model.change(&mut rng) };
            commit(&mut tree, change);
            let after: HashSet<Key> = model.wanted().into_keys().collect();
            assert!(after.is_disjoint(&dropped), "a name came back");
            dropped.extend(before.difference(&after).cloned());
        }
        assert!(model.apps.values().any(|app| app.is_broken), "nothing was broken");
        let repair = model.repair();
        commit(&mut tree, repair);
        let tree: BTreeSet<String> = tree.iter().map(|(path, text)| format!("{path} {text}")).collect();
        assert_eq!(tree, held(&model));
        assert_eq!(model.apps.len(), 12);
        assert!(dropped.len() > 100, "{} objects were dropped", dropped.len());
    }

    #[test]
    fn a_seed_gives_the_same_history() {
        let history = |seed| {
            let mut rng = StdRng::seed_from_u64(seed);
            let (mut model, _) = Model::new(5);
            (0..50).map(|_| format!("{:?}", model.change(&mut rng))).collect::<Vec<_>>()
        };
        assert_eq!(history(7), history(7));
        assert_ne!(history(7), history(8));
    }
}
