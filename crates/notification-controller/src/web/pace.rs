//! What a connection is waiting for, and until when it may.
//!
//! Contract: notification-controller §2.1.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// How long a peer may take for the things only it can do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// From the first byte of a request to the end of its headers; a new connection begins with it.
    pub(super) headers: Duration,
    /// Between two requests.
    pub(super) idle: Duration,
    /// Without taking a byte of an answer.
    pub(super) taking: Duration,
    /// Until a peer that was refused stops sending.
    pub(super) goodbye: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            headers: Duration::from_secs(10),
            idle: Duration::from_secs(30),
            taking: Duration::from_secs(30),
            goodbye: Duration::from_secs(2),
        }
    }
}

/// The state of one connection, shared by its stream, which sees bytes, and its service, which sees requests.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    patience: Patience,
    phase: Arc<Mutex<Phase>>,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Nothing of the next request has come; the connection is good for one until then.
    Idle(Instant),
    /// Headers are coming in.
    Headers(Instant),
    /// A request is being answered: its body has a time limit of its own.
    Answering,
    /// The last request was refused, perhaps before the peer had sent all of it.
    Refused(Instant),
}

impl Pace {
    pub(super) fn new(patience: Patience) -> Self {
        let phase = Phase::Headers(Instant::now() + patience.headers);
        Self { patience, phase: Arc::new(Mutex::new(phase)) }
    }

    pub(super) fn patience(&self) -> Patience {
        self.patience
    }

    /// When to give up on what is awaited from the peer.
    pub(super) fn deadline(&self) -> Option<Instant> {
        match *self.lock() {
            Phase::Idle(until) | Phase::Headers(until) | Phase::Refused(until) => Some(until),
            Phase::Answering => None,
        }
    }

    /// Whether the peer has nothing left to say that was asked for.
    pub(super) fn is_idle(&self) -> bool {
        matches!(*self.lock(), Phase::Idle(_))
    }

    /// Bytes have come.
    pub(super) fn received(&self) {
        let mut phase = self.lock();
        if matches!(*phase, Phase::Idle(_) | Phase::Refused(_)) {
            *phase = Phase::Headers(Instant::now() + self.patience.headers);
        }
    }

    /// A request's headers are complete.
    pub(super) fn began(&self) {
        *self.lock() = Phase::Answering;
    }

    /// A request has its answer.
    pub(super) fn answered(&self, refused: bool) {
        let until = Instant::now() + self.patience.idle;
        *self.lock() = if refused { Phase::Refused(until) } else { Phase::Idle(until) };
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
