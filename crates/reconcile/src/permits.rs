//! The two bounds on work: worker slots of a controller, and threads for CPU-bound work of the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::failure::panic_text;
use crate::tasks::Tasks;

/// The worker slots of one controller: `--concurrent` of them.
#[derive(Clone, Debug)]
pub struct Workers(Arc<Semaphore>);

impl Workers {
    /// `count` slots, at least one.
    pub fn new(count: usize) -> Self {
        Self(Arc::new(Semaphore::new(count.max(1))))
    }

    /// Waits for a free slot.
    pub async fn acquire(&self) -> OwnedSemaphorePermit {
        Arc::clone(&self.0).acquire_owned().await.expect("the worker semaphore is never closed")
    }

    /// Takes a slot if one is free and nobody waits for it.
    pub(crate) fn try_acquire(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.0).try_acquire_owned().ok()
    }
}

/// Tells blocking work that nobody waits for it any more.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Whether the work should stop.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Asks the work to stop.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// The flag itself, for libraries that poll one.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

/// Raises its interrupt when it is dropped before the work is done.
struct RaiseOnDrop(Interrupt);

impl Drop for RaiseOnDrop {
    fn drop(&mut self) {
        self.0.raise();
    }
}

/// Why blocking work gave no result.
#[derive(Debug, thiserror::Error)]
pub enum BlockingError {
    /// The run was cancelled first.
    #[error("cancelled")]
    Cancelled,
    /// The work panicked.
    #[error("panic: {message}")]
    Panicked {
        /// What the panic said.
        message: String,
    },
}

/// Runs CPU-bound work (archive, build, decryption) on a bounded number of threads; cheap to clone.
#[derive(Clone, Debug)]
pub struct CpuPool {
    threads: Arc<Semaphore>,
    tasks: Tasks,
}

impl CpuPool {
    /// A pool of at most `threads` at a time.
    pub fn new(threads: usize, tasks: Tasks) -> Self {
        Self { threads: Arc::new(Semaphore::new(threads.max(1))), tasks }
    }

    /// Runs `work` once a thread is free.
    ///
    /// On cancellation (or when this future is dropped) the interrupt is raised and the thread finishes on its own.
    pub async fn run<T: Send + 'static>(
        &self,
        cancelled: &CancellationToken,
        work: impl FnOnce(&Interrupt) -> T + Send + 'static,
    ) -> Result<T, BlockingError> {
        let permit = tokio::select! {
            permit = Arc::clone(&self.threads).acquire_owned() => permit.expect("the pool's semaphore is never closed"),
            () = cancelled.cancelled() => return Err(BlockingError::Cancelled),
        };
        let interrupt = Interrupt::default();
        let guard = RaiseOnDrop(interrupt.clone());
        let span = tracing::Span::current();
        let handle = self.tasks.spawn_blocking(move || {
            let _permit = permit;
            span.in_scope(|| work(&interrupt))
        });
        let outcome = tokio::select! {
            outcome = handle => outcome,
            () = cancelled.cancelled() => return Err(BlockingError::Cancelled),
        };
        drop(guard);
        outcome.map_err(|error| match error.try_into_panic() {
            Ok(payload) => BlockingError::Panicked { message: panic_text(payload.as_ref()) },
            Err(_) => BlockingError::Cancelled,
        })
    }
}
