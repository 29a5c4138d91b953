//! Threads for talking to other hosts by calls that block, such as those of Git, and whose turn it is.
//!
//! They are not those of the runtime, which resolves names and reads files on its own: however many servers stall, the
//! rest of the process goes on. One host gets no more than a quarter of them, so that one that stalls leaves the others
//! theirs. Who waits for one host has its turn as runs have theirs in the queue.

mod line;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::failure::panic_text;
use crate::queue::Lane;
use crate::tasks::Tasks;
use tokio::sync::oneshot;

use line::{Line, Place};

/// The most threads that one host gets, whatever `--concurrent` says.
const MAX_PER_HOST: usize = 64;

/// How many hosts may have all the threads that a host can get.
const HOSTS: usize = 4;

/// The stack of a thread: indexing packs and reading trees don't recurse.
const STACK_BYTES: usize = 2 * 1024 * 1024;

/// The threads of one controller; cheap to clone.
#[derive(Clone)]
pub struct Threads(Arc<Shared>);

struct Shared {
    line: Mutex<Line<oneshot::Sender<Turn>>>,
}

/// Why work gave no result.
#[derive(Debug, thiserror::Error)]
pub enum ThreadError {
    /// There is no thread to be had.
    #[error("failed to start a thread")]
    Start(#[source] io::Error),
    /// The work panicked.
    #[error("panic: {0} [recovered]")]
    Panicked(String),
}

/// The right to use one thread for a host, until dropped.
pub struct Turn {
    shared: Arc<Shared>,
    host: Arc<str>,
}

impl Threads {
    /// As many threads for each host as there are workers, and four times as many in all.
    pub fn new(concurrent: usize) -> Self {
        let per_host = concurrent.clamp(1, MAX_PER_HOST);
        Self(Arc::new(Shared { line: Mutex::new(Line::new(per_host, HOSTS * per_host)) }))
    }

    /// Waits for a turn of a run in `namespace`. Dropping the future leaves the line.
    pub async fn turn(&self, host: &str, namespace: &str, lane: Lane) -> Turn {
        let (turn, granted) = oneshot::channel();
        let place = self.0.line().join(host, namespace, lane, turn);
        let _leave = Leave { shared: &self.0, place };
        self.0.grant();
        granted.await.expect("the line is left by this future only, or with a turn")
    }

    /// Runs work on a thread of its own. Dropping the future doesn't end the work, which keeps its turn.
    ///
    /// # Errors
    /// There is no thread to be had, or the work panicked.
    pub async fn run<T: Send + 'static>(
        turn: Turn,
        tasks: &Tasks,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ThreadError> {
        let (result, outcome) = oneshot::channel();
        let token = tasks.tracker().token();
        let span = tracing::Span::current();
        let body = move || {
            let done = catch_unwind(AssertUnwindSafe(|| span.in_scope(work)));
            drop(turn);
            // Nobody waits any more if the run was cut.
            let _ = result.send(done);
            drop(token);
        };
        let thread = std::thread::Builder::new().name("git".to_owned()).stack_size(STACK_BYTES);
        thread.spawn(body).map_err(ThreadError::Start)?;
        match outcome.await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(payload)) => Err(ThreadError::Panicked(panic_text(payload.as_ref()))),
            Err(_) => Err(ThreadError::Panicked("the thread ended without a word".to_owned())),
        }
    }
}

impl Shared {
    fn line(&self) -> MutexGuard<'_, Line<oneshot::Sender<Turn>>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives turns to all whose time has come.
    fn grant(self: &Arc<Self>) {
        loop {
            // Not in the condition of the loop: the line must be free when a turn is dropped.
            let next = self.line().next();
            let Some((host, waiting)) = next else { return };
            // Who has just left doesn't take the turn: dropped here, it is free again.
            let _ = waiting.send(Turn { shared: Arc::clone(self), host });
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.shared.line().end(&self.host);
        self.shared.grant();
    }
}

/// Leaves the line when dropped, if the turn hasn't come.
struct Leave<'a> {
    shared: &'a Arc<Shared>,
    place: Place,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.shared.line().leave(&self.place);
    }
}

#[cfg(test)]
mod tests;
