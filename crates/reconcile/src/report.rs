//! What a run hands back: the status to write, the events to send, and when to run again.

use std::time::Duration;

use crate::events::Event;

/// The outcome of one run; the runner writes it, once.
#[derive(Clone, Debug)]
pub struct Report<S> {
    /// The whole status as it should be; the difference to the observed one is written in one patch.
    pub status: Option<S>,
    /// Events, sent in order after the status was written.
    pub events: Vec<Event>,
    /// Whether the finalizer goes.
    pub finalizer: Finalizer,
    /// When to run again.
    pub next: Next,
    /// How the run counts in metrics.
    pub outcome: Outcome,
}

/// What happens to our finalizer at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Finalizer {
    /// It stays (or the object is not being deleted).
    #[default]
    Keep,
    /// Everything owned is gone: the object may go too.
    Remove,
}

/// When an object runs again if nothing happens to it before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Not until an event.
    Done,
    /// After the interval, varied by the jitter flag.
    Interval(Duration),
    /// After exactly this delay.
    After(Duration),
    /// After the key's exponential backoff.
    Backoff,
    /// At once, behind what is already waiting.
    Now,
}

/// How a run counts in metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything is as the spec asks.
    Success,
    /// It failed.
    Error,
    /// It runs again after a fixed delay.
    RequeueAfter,
    /// It runs again at once or after a backoff, without having failed.
    Requeue,
}

impl<S> Report<S> {
    /// A report that writes and sends nothing.
    pub fn quiet(next: Next) -> Self {
        Self { status: None, events: Vec::new(), finalizer: Finalizer::Keep, next, outcome: Outcome::Success }
    }
}
