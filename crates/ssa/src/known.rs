//! What is known of live objects without reading them.
//!
//! A resource version names one content of one object for good, so what an answer of the API server said about it can be
//! remembered. The next dry run tells the live object's resource version: if it is one that we know, the object need not
//! be read to see whether the answer differs from it. A write of anyone gives a new version, which is read once.
//!
//! Quiet reconciles, which compare metadata of listed objects and leave out the dry run as well, would look up the same
//! facts by the versions of a list.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use millrace_yaml::Node;

use crate::drift::Fingerprint;
use crate::engine::Settings;
use crate::object::Object as _;

/// What a plan asks of a live object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// What a comparison looks at.
    pub(crate) fingerprint: Fingerprint,
    /// It is marked to be left alone.
    pub(crate) is_excluded: bool,
    /// It is marked to keep what other managers set.
    pub(crate) is_merged: bool,
    /// It has metadata to clean up.
    pub(crate) needs_cleanup: bool,
}

impl Facts {
    /// The facts of a live object, which `manager` applies.
    pub(crate) fn of(live: &Node, settings: &Settings, manager: &str) -> Self {
        Self {
            fingerprint: Fingerprint::of(live),
            is_excluded: settings.policies.exclude.matches(live),
            is_merged: settings.policies.merge.matches(live),
            needs_cleanup: !settings.cleanup.patch(live, manager).is_empty(),
        }
    }
}

/// An object at a resource version.
type Key = (u128, u64);

/// Facts by object and resource version, bounded: when half of the room is used, what was not asked for since the last
/// time makes room.
pub(crate) struct Known {
    generations: Mutex<Generations>,
    half: usize,
}

#[derive(Default)]
struct Generations {
    young: HashMap<Key, Facts>,
    old: HashMap<Key, Facts>,
}

impl Known {
    /// Room for so many objects; about 100 bytes each.
    pub(crate) fn with_capacity(objects: usize) -> Self {
        Self { generations: Mutex::default(), half: (objects / 2).max(1) }
    }

    /// Remembers the facts of a live object.
    pub(crate) fn remember(&self, live: &Node, facts: Facts) {
        if let Some(key) = key(live) {
            let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
            generations.insert(key, facts, self.half);
        }
    }

    /// The facts of the object at the resource version that `answer` names.
    pub(crate) fn recall(&self, answer: &Node) -> Option<Facts> {
        let key = key(answer)?;
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(facts) = generations.young.get(&key) {
            return Some(*facts);
        }
        let facts = generations.old.remove(&key)?;
        generations.insert(key, facts, self.half);
        Some(facts)
    }
}

impl Generations {
    fn insert(&mut self, key: Key, facts: Facts, half: usize) {
        if self.young.len() >= half {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, facts);
    }
}

/// Objects whose uid or version has another form than the API server's are not remembered.
fn key(object: &Node) -> Option<Key> {
    let uid = u128::from_str_radix(&object.meta("uid").replace('-', ""), 16).ok()?;
    Some((uid, object.meta("resourceVersion").parse().ok()?))
}

#[cfg(test)]
mod tests {
    use millrace_yaml::json;

    use super::*;

    fn object(uid: u32, version: u32) -> Node {
        let text = format!(
            r#"{{"metadata":{{"uid":"00000000-0000-0000-0000-{uid:012}","resourceVersion":"{version}"}},"data":{{"a":"{version}"}}}}"#
        );
        json::from_str(&text).expect("valid JSON")
    }

    fn remember(known: &Known, object: &Node) {
        known.remember(object, Facts::of(object, &Settings::default(), "manager"));
    }

    #[test]
    fn only_the_same_object_at_the_same_version_is_recalled() {
        let known = Known::with_capacity(10);
        remember(&known, &object(1, 7));
        assert!(known.recall(&object(1, 7)).is_some());
        assert!(known.recall(&object(1, 8)).is_none());
        assert!(known.recall(&object(2, 7)).is_none());
    }

    #[test]
    fn what_is_asked_for_stays_and_the_number_is_bounded() {
        let known = Known::with_capacity(4);
        remember(&known, &object(0, 1));
        for uid in 1..100 {
            remember(&known, &object(uid, 1));
            assert!(known.recall(&object(0, 1)).is_some(), "after {uid}");
        }
        let generations = known.generations.lock().expect("no panic");
        assert!(generations.young.len() + generations.old.len() <= 5);
    }
}
