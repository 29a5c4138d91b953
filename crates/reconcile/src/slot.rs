//! The worker slot of one run: held while it works, given back while it waits.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::OwnedSemaphorePermit;

use crate::permits::Workers;
use crate::tasks::Tasks;

/// A run's slot; it goes back for good when this is dropped.
pub(crate) struct Slot {
    place: Arc<Place>,
}

struct Place {
    workers: Workers,
    tasks: Tasks,
    state: Mutex<State>,
}

struct State {
    permit: Option<OwnedSemaphorePermit>,
    /// How many waits are under way; the slot is held while there are none.
    waits: usize,
}

impl Slot {
    /// The slot of `workers` that `permit` stands for; `tasks` runs what has to wait for a free one.
    pub(crate) fn new(workers: Workers, permit: OwnedSemaphorePermit, tasks: Tasks) -> Self {
        let state = Mutex::new(State { permit: Some(permit), waits: 0 });
        Self { place: Arc::new(Place { workers, tasks, state }) }
    }

    /// Gives the slot back until the returned value comes [back](Away::back), or is dropped.
    pub(crate) fn leave(&self) -> Away {
        self.place.with(|state| {
            state.waits += 1;
            state.permit = None;
        });
        Away { place: Arc::clone(&self.place), is_back: false }
    }
}

impl Place {
    fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the run is ready to work as soon as one more wait has ended.
    fn is_last_wait(&self) -> bool {
        self.with(|state| state.waits == 1)
    }

    /// Notes that a wait has ended, the last one with a new permit.
    fn settle(&self, permit: Option<OwnedSemaphorePermit>) {
        self.with(|state| {
            state.waits -= 1;
            // Another wait may have begun while this one waited for the permit.
            state.permit = permit.filter(|_| state.waits == 0);
        });
    }
}

/// A wait under way.
pub(crate) struct Away {
    place: Arc<Place>,
    is_back: bool,
}

impl Away {
    /// Waits for a free slot, unless another wait of the run goes on.
    pub(crate) async fn back(mut self) {
        let permit = if self.place.is_last_wait() { Some(self.place.workers.acquire().await) } else { None };
        self.place.settle(permit);
        self.is_back = true;
    }
}

/// A wait that is cut short ends, too: the run goes on, and must not go on without a slot for long.
impl Drop for Away {
    fn drop(&mut self) {
        if self.is_back {
            return;
        }
        if !self.place.is_last_wait() {
            self.place.settle(None);
        } else if let Some(permit) = self.place.workers.try_acquire() {
            self.place.settle(Some(permit));
        } else {
            let (place, workers) = (Arc::downgrade(&self.place), self.place.workers.clone());
            self.place.tasks.spawn(take_back(place, workers));
        }
    }
}

/// Takes a slot as soon as one is free, unless the run has ended by then.
async fn take_back(place: Weak<Place>, workers: Workers) {
    let permit = workers.acquire().await;
    if let Some(place) = place.upgrade() {
        place.settle(Some(permit));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn only_slot() -> (Workers, Slot, Tasks) {
        let (workers, tasks) = (Workers::new(1), Tasks::new());
        let permit = workers.acquire().await;
        (workers.clone(), Slot::new(workers, permit, tasks.clone()), tasks)
    }

    #[tokio::test]
    async fn a_wait_gives_the_slot_back_and_takes_it_again() {
        let (workers, slot, _) = only_slot().await;
        let away = slot.leave();
        let other = workers.try_acquire().expect("it is free");
        let coming = away.back();
        tokio::pin!(coming);
        assert!(futures::poll!(&mut coming).is_pending(), "the other one works");
        drop(other);
        coming.await;
        assert!(workers.try_acquire().is_none());
        drop(slot);
        assert!(workers.try_acquire().is_some());
    }

    #[tokio::test]
    async fn a_wait_that_is_dropped_takes_the_slot_back_at_once_or_as_soon_as_it_is_free() {
        let (workers, slot, tasks) = only_slot().await;
        drop(slot.leave());
        assert!(workers.try_acquire().is_none(), "at once");

        let away = slot.leave();
        let other = workers.acquire().await;
        drop(away);
        tokio::task::yield_now().await;
        drop(other);
        while !tasks.tracker().is_empty() {
            tokio::task::yield_now().await;
        }
        assert!(workers.try_acquire().is_none(), "as soon as it is free");
    }

    #[tokio::test]
    async fn a_wait_that_is_dropped_while_it_comes_back_leaves_nothing_to_a_run_that_has_ended() {
        let (workers, slot, tasks) = only_slot().await;
        let away = slot.leave();
        let other = workers.acquire().await;
        let mut coming = Box::pin(away.back());
        assert!(futures::poll!(&mut coming).is_pending());
        drop(coming);
        drop(slot);
        drop(other);
        tasks.finish().await;
        assert!(workers.try_acquire().is_some());
    }

    #[tokio::test]
    async fn the_slot_is_taken_again_after_the_last_of_several_waits() {
        let (workers, slot, _) = only_slot().await;
        let (first, second) = (slot.leave(), slot.leave());
        first.back().await;
        assert!(workers.try_acquire().is_some(), "the second goes on");
        second.back().await;
        assert!(workers.try_acquire().is_none());
    }
}
