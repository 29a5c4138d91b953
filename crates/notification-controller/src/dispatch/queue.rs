//! The events that wait to be dispatched: a bounded queue.

use tokio::sync::mpsc;

use crate::event::Event;

/// How many events may wait; senders are asked to come back when it is full.
const CAPACITY: usize = 1024;

/// The way in.
#[derive(Clone)]
pub struct Queue(mpsc::Sender<Event>);

/// A place in the queue.
pub struct Place<'a>(mpsc::Permit<'a, Event>);

impl Queue {
    /// Makes a queue and its way out.
    pub fn new() -> (Self, mpsc::Receiver<Event>) {
        let (sender, receiver) = mpsc::channel(CAPACITY);
        (Self(sender), receiver)
    }

    /// Takes a place; none if the queue is full or closed.
    pub fn reserve(&self) -> Option<Place<'_>> {
        self.0.try_reserve().ok().map(Place)
    }

    /// Waits until there seems to be a place; false if there never will be one again.
    pub async fn wait_for_place(&self) -> bool {
        self.0.reserve().await.is_ok()
    }
}

impl Place<'_> {
    /// Puts an event in.
    pub fn put(self, event: Event) {
        self.0.send(event);
    }
}
