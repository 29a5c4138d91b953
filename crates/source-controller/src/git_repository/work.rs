//! The threads and the interrupt of one run.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use millrace_reconcile::failure::Remedy;
use millrace_reconcile::permits::{BlockingError, Interrupt};
use millrace_reconcile::{Failure, Run};

use crate::trouble::Trouble;
use crate::vocabulary::FAILED;

/// Why a run has no verdict of success.
pub(crate) enum Stop {
    /// Something went wrong.
    Trouble(Trouble),
    /// The process is to end, which says nothing about the object.
    Cancelled,
}

impl From<Trouble> for Stop {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

/// Where a run does its blocking work. Dropping it, as a cancelled run does, interrupts what is under way.
pub(crate) struct Work<'a> {
    pub(crate) run: &'a Run,
    /// The folder with the Git objects of this object.
    pub(crate) cache: PathBuf,
    interrupt: Interrupt,
}

impl<'a> Work<'a> {
    /// Work of a run.
    pub(crate) fn new(run: &'a Run, cache: PathBuf) -> Self {
        Self { run, cache, interrupt: Interrupt::default() }
    }

    /// The flag that ends blocking work.
    pub(crate) fn interrupt(&self) -> Arc<AtomicBool> {
        self.interrupt.flag()
    }

    /// Runs work that mostly waits for a server. It takes no thread of the CPU pool: a slow remote must not hold up
    /// the builds of others. The controller's worker slots bound the number.
    pub(crate) async fn network<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Stop> {
        let span = tracing::Span::current();
        let thread = self.run.context().tasks.spawn_blocking(move || span.in_scope(work));
        tokio::select! {
            outcome = thread => outcome.map_err(|error| panicked(&error.to_string())),
            () = self.run.shutdown().cancelled() => Err(Stop::Cancelled),
        }
    }

    /// Runs work for processor and disk on the CPU pool.
    pub(crate) async fn local<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Stop> {
        self.run.blocking(|_| work()).await.map_err(|error| match error {
            BlockingError::Cancelled => Stop::Cancelled,
            BlockingError::Panicked { message } => panicked(&message),
        })
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        self.interrupt.raise();
    }
}

fn panicked(message: &str) -> Stop {
    let message = format!("panic: {message} [recovered]");
    Stop::Trouble(Trouble::unseen(Failure::with_message(Remedy::Retry, FAILED, message)))
}
