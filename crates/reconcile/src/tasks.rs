//! Everything that runs in the background, tracked until the end of the process.

use std::future::Future;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Spawns tasks and waits for them at shutdown; cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Tasks {
    tracker: TaskTracker,
    shutdown: CancellationToken,
}

impl Tasks {
    /// A tracker without tasks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs `task` in the background; it must end soon after [`Self::shutdown`] is cancelled.
    pub fn spawn<F>(&self, task: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.tracker.spawn(task)
    }

    /// Runs `work` on a blocking thread, tracked like a task.
    pub fn spawn_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> JoinHandle<T> {
        self.tracker.spawn_blocking(work)
    }

    /// The tracker itself, for engines that run tasks of their own.
    pub fn tracker(&self) -> &TaskTracker {
        &self.tracker
    }

    /// Cancelled when the process is to end.
    pub fn shutdown(&self) -> &CancellationToken {
        &self.shutdown
    }

    /// Begins the end and waits until every task is done; the caller bounds the wait.
    pub async fn finish(&self) {
        self.shutdown.cancel();
        self.tracker.close();
        self.tracker.wait().await;
    }
}
