//! What one watch has told: a health per object, nothing of the objects themselves.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::Notify;

use super::reading::Reading;

/// The news of one kind in one namespace since the watch was opened.
pub(super) struct Feed {
    state: Mutex<State>,
}

struct State {
    /// The version from which on all changes are told; 0 if the watch began with all objects.
    since: u64,
    readings: HashMap<Box<str>, Reading>,
    /// How often events may have been lost.
    gaps: u64,
    /// Nothing more will be told.
    is_closed: bool,
    waiters: Vec<Weak<Notify>>,
}

impl Feed {
    /// A feed that begins at `since`.
    pub(super) fn new(since: u64) -> Self {
        let state = State { since, readings: HashMap::new(), gaps: 0, is_closed: false, waiters: Vec::new() };
        Self { state: Mutex::new(state) }
    }

    /// Wakes `waiter` at each change from now on, for as long as it lives.
    pub(super) fn add_waiter(&self, waiter: &Arc<Notify>) {
        self.lock().waiters.push(Arc::downgrade(waiter));
    }

    /// Whether anyone still waits.
    pub(super) fn has_waiters(&self) -> bool {
        let mut state = self.lock();
        state.waiters.retain(|waiter| waiter.strong_count() > 0);
        !state.waiters.is_empty()
    }

    /// The last news of an object.
    pub(super) fn reading(&self, name: &str) -> Option<Reading> {
        self.lock().readings.get(name).cloned()
    }

    /// The version from which on all changes are told.
    pub(super) fn since(&self) -> u64 {
        self.lock().since
    }

    /// How often events may have been lost so far.
    pub(super) fn gaps(&self) -> u64 {
        self.lock().gaps
    }

    /// Whether nothing more will be told.
    pub(super) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    /// Tells of an object.
    pub(super) fn publish(&self, name: &str, reading: Reading) {
        let mut state = self.lock();
        state.readings.insert(name.into(), reading);
        state.wake();
    }

    /// Events may have been lost: what was told before may be wrong by now.
    pub(super) fn mark_gap(&self) {
        let mut state = self.lock();
        state.readings.clear();
        state.gaps += 1;
        state.wake();
    }

    /// Nothing more will be told.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.wake();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn wake(&self) {
        self.waiters.iter().filter_map(Weak::upgrade).for_each(|waiter| waiter.notify_one());
    }
}
