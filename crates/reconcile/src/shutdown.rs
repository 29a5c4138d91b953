//! When the process ends: on SIGTERM or SIGINT in good order, on the second signal at once.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// The signals that end the process; listened to from creation on.
#[derive(Debug)]
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    /// Starts to listen.
    ///
    /// # Errors
    /// The system refuses the handlers.
    pub fn listen() -> io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    /// Cancels `shutdown` at the first signal and returns at the second, which asks for an end without order.
    pub async fn watch(mut self, shutdown: CancellationToken) {
        self.next().await;
        tracing::info!(logger = "setup", "shutting down");
        shutdown.cancel();
        self.next().await;
    }
}
