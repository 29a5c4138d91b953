//! Where a fetcher's blocking work runs.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::{BoxFuture, FutureExt as _};

/// Work that blocks or takes CPU. The flag is raised when nobody waits for it any more.
pub type Work = Box<dyn FnOnce(&Arc<AtomicBool>) + Send>;

/// Threads for blocking work.
pub trait Pool: Send + Sync + 'static {
    /// Runs `work`, and resolves when it is done, or with the reason why it was not. Dropping the future raises the flag.
    fn run(&self, work: Work) -> BoxFuture<'static, Result<(), String>>;
}

/// The runtime's own threads, without another bound than the runtime's.
pub(super) struct RuntimeThreads;

impl Pool for RuntimeThreads {
    fn run(&self, work: Work) -> BoxFuture<'static, Result<(), String>> {
        let stop = RaiseOnDrop(Arc::default());
        let flag = Arc::clone(&stop.0);
        async move {
            let done = tokio::task::spawn_blocking(move || work(&flag)).await;
            drop(stop);
            done.map_err(|error| error.to_string())
        }
        .boxed()
    }
}

struct RaiseOnDrop(Arc<AtomicBool>);

impl Drop for RaiseOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A reader that fails once its flag is raised, and with it whatever reads from it.
pub(super) struct Stoppable<R> {
    reader: R,
    stop: Arc<AtomicBool>,
}

impl<R> Stoppable<R> {
    pub(super) fn new(reader: R, stop: &Arc<AtomicBool>) -> Self {
        Self { reader, stop: Arc::clone(stop) }
    }
}

impl<R: Read> Read for Stoppable<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(io::Error::other("nobody waits for the artifact any more"));
        }
        self.reader.read(buf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_ends_when_its_flag_is_raised() {
        let stop = Arc::new(AtomicBool::new(false));
        let mut reader = Stoppable::new(&b"content"[..], &stop);
        let mut buf = [0; 3];
        assert_eq!(reader.read(&mut buf).ok(), Some(3));
        stop.store(true, Ordering::Relaxed);
        assert!(reader.read(&mut buf).is_err());
    }

    #[tokio::test]
    async fn work_learns_that_nobody_waits_for_it() {
        let (told, news) = tokio::sync::oneshot::channel();
        let (begun, beginning) = tokio::sync::oneshot::channel();
        let work = RuntimeThreads.run(Box::new(move |stop| {
            let _ = begun.send(());
            while !stop.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            let _ = told.send(());
        }));
        tokio::select! {
            biased;
            _ = work => panic!("it waits for its flag"),
            begun = beginning => begun.expect("it begins"),
        }
        news.await.expect("it ends");
    }
}
