//! The threads and the interrupt of one run.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use millrace_reconcile::failure::Remedy;
use millrace_reconcile::permits::{BlockingError, Interrupt};
use millrace_reconcile::threads::{ThreadError, Threads};
use millrace_reconcile::{Failure, Run};

use crate::trouble::Trouble;
use crate::vocabulary::FAILED;

/// Why a run has no verdict of success.
pub(crate) enum Stop {
    /// Something went wrong.
    Trouble(Trouble),
    /// The process is to end, or the object is no longer what the run began with. Says nothing about the object.
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
    threads: &'a Threads,
    interrupt: Interrupt,
}

impl<'a> Work<'a> {
    /// Work of a run.
    pub(crate) fn new(run: &'a Run, threads: &'a Threads, cache: PathBuf) -> Self {
        Self { run, cache, threads, interrupt: Interrupt::default() }
    }

    /// The flag that ends blocking work.
    pub(crate) fn interrupt(&self) -> Arc<AtomicBool> {
        self.interrupt.flag()
    }

    /// Runs work that mostly waits for `host`, when it is its turn. Until it is over no worker slot is held.
    ///
    /// Who waits for a turn while something happens to the object starts over, with what the object is then: it may
    /// name another host, be more urgent, or be on its way out.
    pub(crate) async fn remote<T: Send + 'static>(
        &self,
        host: &str,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Stop> {
        let visit = async {
            let turn = tokio::select! {
                turn = self.threads.turn(host, self.run.namespace(), self.run.lane()) => turn,
                () = self.run.changed().cancelled() => return Err(Stop::Cancelled),
            };
            let outcome = Threads::run(turn, &self.run.context().tasks, work).await;
            outcome.map_err(|error| Stop::Trouble(no_result(&error)))
        };
        self.run.wait(visit).await.unwrap_or(Err(Stop::Cancelled))
    }

    /// Runs work for processor and disk on the CPU pool; it should look at the interrupt now and then.
    pub(crate) async fn local<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Interrupt) -> T + Send + 'static,
    ) -> Result<T, Stop> {
        self.run.blocking(work).await.map_err(|error| match error {
            BlockingError::Cancelled => Stop::Cancelled,
            BlockingError::Panicked { message } => Stop::Trouble(no_result(&ThreadError::Panicked(message))),
        })
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        self.interrupt.raise();
    }
}

fn no_result(error: &ThreadError) -> Trouble {
    Trouble::unseen(Failure::with_message(Remedy::Retry, FAILED, millrace_reconcile::failure::chain(error)))
}
