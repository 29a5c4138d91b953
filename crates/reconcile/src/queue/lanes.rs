//! The lanes of a queue: urgent ones first, none starved, fair between namespaces.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::Lane;
use crate::key::Key;

/// How many keys of more urgent lanes may go before a lane whose keys wait; then its first key has its turn.
///
/// So a cluster that is busy with changes still sees to its drift, and a start with thousands of objects comes to its end.
pub const PATIENCE: u32 = 8;

/// One first-in-first-out line per lane and namespace; namespaces of a lane take turns.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    lanes: [Rotation; Lane::ALL.len()],
    /// How often each lane has been passed over since its last turn, or since it was empty.
    passed: [u32; Lane::ALL.len()],
    len: usize,
}

#[derive(Debug, Default)]
struct Rotation {
    turns: VecDeque<Arc<str>>,
    lines: HashMap<Arc<str>, VecDeque<Key>>,
}

impl Lanes {
    pub(super) fn push(&mut self, key: Key, lane: Lane) {
        self.lanes[lane as usize].push(key);
        self.len += 1;
    }

    pub(super) fn pop(&mut self) -> Option<(Key, Lane)> {
        let waiting = || Lane::ALL.into_iter().filter(|lane| !self.lanes[*lane as usize].is_empty());
        // Of several lanes that have lost patience, the one that was passed over most often, and the most urgent of these.
        let impatient = waiting()
            .filter(|lane| self.passed[*lane as usize] >= PATIENCE)
            .min_by_key(|lane| Reverse(self.passed[*lane as usize]));
        let lane = impatient.or_else(|| waiting().next())?;
        for other in Lane::ALL.into_iter().filter(|other| *other > lane) {
            let passed = &mut self.passed[other as usize];
            *passed = if self.lanes[other as usize].is_empty() { 0 } else { *passed + 1 };
        }
        self.passed[lane as usize] = 0;
        self.len -= 1;
        Some((self.lanes[lane as usize].pop()?, lane))
    }

    /// Takes `key`, which stands in `lane`, out of it.
    pub(super) fn remove(&mut self, key: &Key, lane: Lane) {
        self.lanes[lane as usize].remove(key);
        self.len -= 1;
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }
}

impl Rotation {
    fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    fn push(&mut self, key: Key) {
        let namespace = key.shared_namespace();
        let line = self.lines.entry(Arc::clone(&namespace)).or_default();
        if line.is_empty() {
            self.turns.push_back(namespace);
        }
        line.push_back(key);
    }

    fn pop(&mut self) -> Option<Key> {
        let namespace = self.turns.pop_front()?;
        let line = self.lines.get_mut(&namespace)?;
        let key = line.pop_front();
        if line.is_empty() {
            self.lines.remove(&namespace);
        } else {
            self.turns.push_back(namespace);
        }
        key
    }

    fn remove(&mut self, key: &Key) {
        let namespace = key.shared_namespace();
        let Some(line) = self.lines.get_mut(&namespace) else { return };
        line.retain(|queued| queued != key);
        if line.is_empty() {
            self.lines.remove(&namespace);
            self.turns.retain(|turn| *turn != namespace);
        }
    }
}
