//! The lanes of a queue, fair between namespaces.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::Lane;
use crate::key::Key;

/// One first-in-first-out line per lane and namespace; namespaces of a lane take turns.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    lanes: [Rotation; Lane::ALL.len()],
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
        let popped = Lane::ALL.into_iter().find_map(|lane| Some((self.lanes[lane as usize].pop()?, lane)))?;
        self.len -= 1;
        Some(popped)
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
