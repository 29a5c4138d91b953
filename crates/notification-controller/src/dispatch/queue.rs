//! The events that wait to be dispatched: a queue bounded in number and in memory.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::event::Event;

/// How many events may wait; senders are asked to come back when it is full.
const CAPACITY: usize = 1024;

/// What all events that wait or are being prepared may occupy; one that is larger counts as this.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// What an event counts as at least: the tasks that see to it occupy memory, too.
pub(super) const MIN_WEIGHT_BYTES: usize = 16 * 1024;

/// The way in.
#[derive(Clone)]
pub struct Queue {
    sender: mpsc::Sender<Queued>,
    free_bytes: Arc<Semaphore>,
}

/// An event and the memory it occupies until it has been dispatched.
pub struct Queued {
    /// The event.
    pub event: Event,
    memory: OwnedSemaphorePermit,
}

/// A place in the queue for one event.
pub struct Place<'a> {
    permit: mpsc::Permit<'a, Queued>,
    memory: OwnedSemaphorePermit,
}

impl Queue {
    /// Makes a queue and its way out.
    pub fn new() -> (Self, mpsc::Receiver<Queued>) {
        let (sender, receiver) = mpsc::channel(CAPACITY);
        (Self { sender, free_bytes: Arc::new(Semaphore::new(MAX_BYTES)) }, receiver)
    }

    /// Takes a place for `event`; none if the queue is full or closed.
    pub fn reserve(&self, event: &Event) -> Option<Place<'_>> {
        let permit = self.sender.try_reserve().ok()?;
        let memory = Arc::clone(&self.free_bytes).try_acquire_many_owned(permits(event)).ok()?;
        Some(Place { permit, memory })
    }

    /// Waits for a place for `event`; none if there never will be one again.
    pub async fn wait_for_place(&self, event: &Event) -> Option<Place<'_>> {
        let memory = Arc::clone(&self.free_bytes).acquire_many_owned(permits(event)).await.ok()?;
        let permit = self.sender.reserve().await.ok()?;
        Some(Place { permit, memory })
    }
}

impl Place<'_> {
    /// Puts an event in.
    pub fn put(self, event: Event) {
        self.permit.send(Queued { event, memory: self.memory });
    }
}

impl Queued {
    /// The event, and what gives its memory back when dropped.
    pub fn into_parts(self) -> (Event, OwnedSemaphorePermit) {
        (self.event, self.memory)
    }
}

fn permits(event: &Event) -> u32 {
    u32::try_from(weight(event).min(MAX_BYTES)).expect("it is less than 4 GiB")
}

/// What an event, or a message made of it, counts as before anything more is known.
pub(super) fn weight(event: &Event) -> usize {
    event.weight_bytes().max(MIN_WEIGHT_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn large() -> Event {
        Event { message: "x".repeat(3 * 1024 * 1024), ..Event::default() }
    }

    #[tokio::test]
    async fn events_that_wait_are_bounded_in_number() {
        let (queue, _events) = Queue::new();
        for _ in 0..CAPACITY {
            queue.reserve(&Event::default()).expect("a place").put(Event::default());
        }
        assert!(queue.reserve(&Event::default()).is_none());
    }

    #[tokio::test]
    async fn events_that_wait_are_bounded_in_memory_and_give_it_back() {
        let (queue, mut events) = Queue::new();
        let mut count = 0;
        while let Some(place) = queue.reserve(&large()) {
            place.put(large());
            count += 1;
        }
        assert_eq!(count, 21, "64 MiB of events with 3 MiB each");
        assert!(queue.reserve(&Event::default()).is_some(), "small ones still pass");
        let (_, memory) = events.recv().await.expect("an event").into_parts();
        assert!(queue.reserve(&large()).is_none(), "it is still being dispatched");
        drop(memory);
        assert!(queue.reserve(&large()).is_some());
    }

    #[tokio::test]
    async fn many_small_facts_weigh_more_than_their_text() {
        let metadata = (0..100_000).map(|at| (format!("/{at}"), String::new())).collect();
        let event = Event { metadata, ..Event::default() };
        assert!(event.weight_bytes() > 10_000_000, "{}", event.weight_bytes());
        let huge = Event { message: "x".repeat(MAX_BYTES + 1), ..Event::default() };
        let (queue, _events) = Queue::new();
        assert!(queue.reserve(&huge).is_some(), "nothing is too large for an empty queue");
    }
}
