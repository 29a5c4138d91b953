//! Everything that runs in the background, tracked until the end of the process.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::{Arc, OnceLock};

use futures::FutureExt as _;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::failure::panic_text;
use crate::metrics::background;

/// Spawns tasks and waits for them at shutdown; cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Tasks {
    tracker: TaskTracker,
    shutdown: CancellationToken,
    broken: Arc<Broken>,
}

/// Which vital task ended first, and the news of it.
#[derive(Debug, Default)]
struct Broken {
    gone: OnceLock<Gone>,
    told: CancellationToken,
}

/// A task ended without which the process is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{task} ended before the process")]
pub struct Gone {
    /// Which one.
    task: &'static str,
}

impl Tasks {
    /// A tracker without tasks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs `task` in the background; it must end soon after [`Self::shutdown`] is cancelled.
    ///
    /// A panic is logged and counted, and then is the handle's.
    pub fn spawn<F>(&self, task: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let caught = AssertUnwindSafe(task).catch_unwind();
        self.tracker.spawn(caught.map(|outcome| outcome.unwrap_or_else(|payload| report("task", payload))))
    }

    /// Runs a task that lives as long as the process: should it end or panic before [`Self::shutdown`] is cancelled, the
    /// process ends, too, rather than go on without it. Whoever runs the process has to look at [`Self::broken`].
    pub fn spawn_vital<F>(&self, name: &'static str, task: F) -> JoinHandle<()>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (shutdown, broken) = (self.shutdown.clone(), Arc::clone(&self.broken));
        let caught = AssertUnwindSafe(task).catch_unwind();
        self.tracker.spawn(caught.map(move |outcome| {
            let panicked = outcome.err();
            if panicked.is_some() || !shutdown.is_cancelled() {
                // Only the first one is told.
                let _ = broken.gone.set(Gone { task: name });
                broken.told.cancel();
            }
            if let Some(payload) = panicked {
                report(name, payload)
            }
        }))
    }

    /// Waits until a vital task is gone.
    pub async fn broken(&self) -> Gone {
        self.broken.told.cancelled().await;
        self.broken.gone.get().copied().unwrap_or(Gone { task: "a vital task" })
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

/// Tells of a panic in the background, which nobody else might hear of, and lets it go on.
fn report(task: &str, payload: Box<dyn Any + Send>) -> ! {
    background::count_failure(task);
    tracing::error!(
        task,
        error = format!("panic: {}", panic_text(payload.as_ref())),
        "background task panicked"
    );
    resume_unwind(payload)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Metrics;

    fn counted(task: &str) -> bool {
        let line = format!("millrace_background_failures_total{{task=\"{task}\"}} 1\n");
        Metrics::default().render().contains(&line)
    }

    #[tokio::test]
    async fn a_panic_in_the_background_is_counted_and_seen_by_who_waits_for_it() {
        let tasks = Tasks::new();
        let handle: JoinHandle<()> = tasks.spawn(async { panic!("boom") });
        let error = handle.await.expect_err("a panic");
        assert_eq!(panic_text(error.into_panic().as_ref()), "boom");
        assert!(counted("task"));
    }

    #[tokio::test]
    async fn a_vital_task_that_ends_or_panics_is_told_unless_the_process_ends() {
        let ended = Tasks::new();
        ended.spawn_vital("watcher", async {});
        assert_eq!(ended.broken().await.to_string(), "watcher ended before the process");

        let panicked = Tasks::new();
        panicked.spawn_vital("dispatcher", async { panic!("boom") });
        assert_eq!(panicked.broken().await, Gone { task: "dispatcher" });
        assert!(counted("dispatcher"));

        let ending = Tasks::new();
        ending.shutdown().cancel();
        ending.spawn_vital("late", async {});
        ending.finish().await;
        assert!(ending.broken().now_or_never().is_none());
    }
}
