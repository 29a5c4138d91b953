//! Which object runs next: a pure state machine over virtual time.
//!
//! A key is idle, waiting for its time, queued in a lane, running, or running and dirty. The machine never reads a clock,
//! sleeps or spawns: the runner tells it what happened and when, and asks what to do. Contract: kustomize-controller §2.1.

mod backoff;
mod lanes;

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

pub use backoff::Backoff;
pub use lanes::{Lanes, PATIENCE, Patience};

use crate::key::Key;
use crate::report::Next;

/// Time since the runner started.
pub type Moment = Duration;

/// Why a key runs. More urgent lanes come first, but none is passed over for ever: see [`PATIENCE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// Somebody asked for it (`requestedAt`).
    Request,
    /// It, or something it depends on, changed.
    Change,
    /// It failed before.
    Retry,
    /// Its interval has passed.
    Timer,
    /// It was there when the process started.
    Initial,
}

impl Lane {
    /// All lanes, most urgent first.
    pub const ALL: [Self; 5] = [Self::Request, Self::Change, Self::Retry, Self::Timer, Self::Initial];
}

/// What the runner should do now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Run this key.
    Run(Key, Lane),
    /// Nothing is due before this moment.
    SleepUntil(Moment),
    /// Nothing is due at all.
    Idle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Not in a lane before its turn among the timers comes.
    Waiting { turn: Turn, lane: Lane },
    /// In a lane.
    Queued(Lane),
    /// A run is under way.
    Running,
    /// A run is under way and something has happened since it began.
    Dirty(Lane),
}

/// When a timer is due, and its number among those due at once.
type Turn = (Moment, u64);

/// The queue of one controller.
#[derive(Debug)]
pub struct Queue {
    backoff: Backoff,
    states: HashMap<Key, State>,
    failures: HashMap<Key, u32>,
    lanes: Lanes<Key>,
    /// One entry per waiting key: what is overtaken goes at once, however often keys are put off.
    timers: BTreeMap<Turn, Key>,
    next_timer: u64,
    running: usize,
}

impl Queue {
    /// An empty queue.
    pub fn new(backoff: Backoff) -> Self {
        Self {
            backoff,
            states: HashMap::new(),
            failures: HashMap::new(),
            lanes: Lanes::default(),
            timers: BTreeMap::new(),
            next_timer: 0,
            running: 0,
        }
    }

    /// Asks for a run of `key` as soon as its lane's turn comes.
    ///
    /// Returns whether a run of it is under way, which then may want to know. A key that already waits in a less urgent lane
    /// moves up; it never runs twice for two requests before its run.
    pub fn request(&mut self, key: &Key, lane: Lane) -> bool {
        match self.states.get_mut(key) {
            Some(state @ State::Running) => {
                *state = State::Dirty(lane);
                true
            }
            Some(State::Dirty(noted)) => {
                *noted = (*noted).min(lane);
                true
            }
            Some(State::Queued(queued)) if *queued <= lane => false,
            Some(State::Queued(queued)) => {
                self.lanes.remove(*queued, key.namespace(), |waiting| waiting == key);
                self.enqueue(key.clone(), lane);
                false
            }
            Some(State::Waiting { turn, .. }) => {
                self.timers.remove(turn);
                self.enqueue(key.clone(), lane);
                false
            }
            None => {
                self.enqueue(key.clone(), lane);
                false
            }
        }
    }

    /// Counts a requeue of `key` against its backoff that the queue doesn't see: the next failure waits one step longer.
    pub fn charge(&mut self, key: &Key) {
        let count = self.failures.entry(key.clone()).or_default();
        *count = count.saturating_add(1);
    }

    /// When the next run is due: `now` or earlier if one can start at once, `None` if nothing waits.
    pub fn due(&mut self, now: Moment) -> Option<Moment> {
        self.promote(now);
        if !self.lanes.is_empty() {
            return Some(now);
        }
        self.timers.first_key_value().map(|((due, _), _)| *due)
    }

    /// What to do at `now`; the caller has a free worker.
    pub fn next(&mut self, now: Moment) -> Step {
        self.promote(now);
        if let Some((key, lane)) = self.lanes.pop() {
            self.states.insert(key.clone(), State::Running);
            self.running += 1;
            return Step::Run(key, lane);
        }
        self.timers.first_key_value().map_or(Step::Idle, |((due, _), _)| Step::SleepUntil(*due))
    }

    /// Notes that the run of `key` ended at `now`.
    ///
    /// Whatever it returned, a key that became dirty meanwhile runs again at once.
    pub fn finished(&mut self, key: &Key, next: Next, now: Moment) {
        self.running -= 1;
        let dirty = match self.states.remove(key) {
            Some(State::Dirty(lane)) => Some(lane),
            Some(State::Running | State::Queued(_) | State::Waiting { .. }) | None => None,
        };
        if next == Next::Backoff {
            self.charge(key);
        } else {
            self.failures.remove(key);
        }
        if let Some(lane) = dirty {
            self.enqueue(key.clone(), lane);
            return;
        }
        match next {
            Next::Done => {}
            Next::Now => self.enqueue(key.clone(), Lane::Retry),
            Next::Interval(after) => self.wait(key.clone(), now + after, Lane::Timer),
            Next::After(after) => self.wait(key.clone(), now + after, Lane::Retry),
            Next::Backoff => {
                let failures = self.failures.get(key).copied().unwrap_or_default();
                self.wait(key.clone(), now + self.backoff.delay(failures), Lane::Retry);
            }
        }
    }

    /// Forgets an object that is gone; a run under way ends without another.
    pub fn forget(&mut self, key: &Key) {
        self.failures.remove(key);
        match self.states.get_mut(key) {
            Some(state @ State::Dirty(_)) => *state = State::Running,
            Some(State::Running) | None => {}
            Some(State::Queued(lane)) => {
                let lane = *lane;
                self.lanes.remove(lane, key.namespace(), |waiting| waiting == key);
                self.states.remove(key);
            }
            Some(State::Waiting { turn, .. }) => {
                self.timers.remove(turn);
                self.states.remove(key);
            }
        }
    }

    /// How many keys wait in lanes.
    pub fn depth(&self) -> usize {
        self.lanes.len()
    }

    /// How many keys wait for their time.
    pub fn waiting(&self) -> usize {
        self.timers.len()
    }

    /// How many runs are under way.
    pub fn running(&self) -> usize {
        self.running
    }

    fn enqueue(&mut self, key: Key, lane: Lane) {
        self.states.insert(key.clone(), State::Queued(lane));
        self.lanes.push(lane, key.shared_namespace(), key);
    }

    fn wait(&mut self, key: Key, due: Moment, lane: Lane) {
        let turn = (due, self.next_timer);
        self.next_timer += 1;
        self.states.insert(key.clone(), State::Waiting { turn, lane });
        self.timers.insert(turn, key);
    }

    /// Moves what is due into its lane.
    fn promote(&mut self, now: Moment) {
        while let Some(first) = self.timers.first_entry()
            && first.key().0 <= now
        {
            let key = first.remove();
            if let Some(State::Waiting { lane, .. }) = self.states.get(&key) {
                let lane = *lane;
                self.enqueue(key, lane);
            }
        }
    }
}

#[cfg(test)]
mod tests;
