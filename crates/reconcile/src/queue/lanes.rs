//! Lanes of things that wait for their turn: urgent ones first, none starved, fair between namespaces.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::Lane;

/// How many things of more urgent lanes may go before a lane in which something waits; then its first has its turn.
///
/// So a cluster that is busy with changes still sees to its drift, and a start with thousands of objects comes to its end.
pub const PATIENCE: u32 = 8;

/// Decides between lanes, and keeps count of those that are passed over.
#[derive(Debug, Default)]
pub struct Patience {
    /// How often each lane has been passed over since its last turn, or since it was empty.
    passed: [u32; Lane::ALL.len()],
}

impl Patience {
    /// The lane whose turn it is among those in which something waits.
    pub fn choose(&mut self, waits: impl Fn(Lane) -> bool) -> Option<Lane> {
        let waiting = || Lane::ALL.into_iter().filter(|lane| waits(*lane));
        // Of several lanes that have lost patience, the one that was passed over most often, and the most urgent of these.
        let impatient = waiting()
            .filter(|lane| self.passed[*lane as usize] >= PATIENCE)
            .min_by_key(|lane| Reverse(self.passed[*lane as usize]));
        let lane = impatient.or_else(|| waiting().next())?;
        for other in Lane::ALL.into_iter().filter(|other| *other > lane) {
            let passed = &mut self.passed[other as usize];
            *passed = if waits(other) { *passed + 1 } else { 0 };
        }
        self.passed[lane as usize] = 0;
        Some(lane)
    }
}

/// One first-in-first-out line per lane and namespace; namespaces of a lane take turns.
#[derive(Debug)]
pub struct Lanes<T> {
    lanes: [Rotation<T>; Lane::ALL.len()],
    patience: Patience,
    len: usize,
}

#[derive(Debug)]
struct Rotation<T> {
    turns: VecDeque<Arc<str>>,
    lines: HashMap<Arc<str>, VecDeque<T>>,
}

impl<T> Default for Lanes<T> {
    fn default() -> Self {
        Self { lanes: Default::default(), patience: Patience::default(), len: 0 }
    }
}

impl<T> Lanes<T> {
    /// Puts something at the end of its namespace's line.
    pub fn push(&mut self, lane: Lane, namespace: Arc<str>, item: T) {
        self.lanes[lane as usize].push(namespace, item);
        self.len += 1;
    }

    /// Takes out what has its turn.
    pub fn pop(&mut self) -> Option<(T, Lane)> {
        let Self { lanes, patience, len } = self;
        let lane = patience.choose(|lane| !lanes[lane as usize].is_empty())?;
        let item = lanes[lane as usize].pop()?;
        *len -= 1;
        Some((item, lane))
    }

    /// Takes out what is `wanted` in one line, wherever it stands there; nothing if it isn't there.
    pub fn remove(&mut self, lane: Lane, namespace: &str, wanted: impl Fn(&T) -> bool) -> Option<T> {
        let item = self.lanes[lane as usize].remove(namespace, wanted)?;
        self.len -= 1;
        Some(item)
    }

    /// The most urgent lane in which something waits.
    pub fn most_urgent(&self) -> Option<Lane> {
        Lane::ALL.into_iter().find(|lane| !self.lanes[*lane as usize].is_empty())
    }

    /// How much waits.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl<T> Default for Rotation<T> {
    fn default() -> Self {
        Self { turns: VecDeque::new(), lines: HashMap::new() }
    }
}

impl<T> Rotation<T> {
    fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    fn push(&mut self, namespace: Arc<str>, item: T) {
        let line = self.lines.entry(Arc::clone(&namespace)).or_default();
        if line.is_empty() {
            self.turns.push_back(namespace);
        }
        line.push_back(item);
    }

    fn pop(&mut self) -> Option<T> {
        let namespace = self.turns.pop_front()?;
        let line = self.lines.get_mut(&namespace)?;
        let item = line.pop_front();
        if line.is_empty() {
            self.lines.remove(&namespace);
        } else {
            self.turns.push_back(namespace);
        }
        item
    }

    fn remove(&mut self, namespace: &str, wanted: impl Fn(&T) -> bool) -> Option<T> {
        let line = self.lines.get_mut(namespace)?;
        let at = line.iter().position(wanted)?;
        let item = line.remove(at);
        if line.is_empty() {
            self.lines.remove(namespace);
            self.turns.retain(|turn| &**turn != namespace);
        }
        item
    }
}
