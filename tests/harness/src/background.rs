//! Servers of the harness's own, each on a thread of its own, so that a test that blocks does not stop them.

use std::future::Future;

use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::Result;

/// A server that runs until this value goes.
#[derive(Debug)]
pub(crate) struct Background {
    _stop: oneshot::Sender<()>,
}

impl Background {
    /// Listens on a loopback port and runs `serve` with it on a thread called `name`.
    pub(crate) fn start<F: Future>(
        name: &str,
        port: u16,
        serve: impl FnOnce(TcpListener) -> F + Send + 'static,
    ) -> Result<Self> {
        let listener = std::net::TcpListener::bind(("127.0.0.1", port))?;
        listener.set_nonblocking(true)?;
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            runtime.block_on(async {
                let Ok(listener) = TcpListener::from_std(listener) else { return };
                tokio::select! {
                    _ = serve(listener) => {}
                    _ = stopped => {}
                }
            });
        })?;
        Ok(Self { _stop: stop })
    }
}
