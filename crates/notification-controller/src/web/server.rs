//! Serves a router over HTTP/1.1 with the limits the contract states, and some it doesn't.
//!
//! Contract: notification-controller §2.1.

use std::{convert::Infallible, io, pin::pin, sync::Arc, time::Duration};

use axum::{Router, body::Body};
use http::{Request, Response};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use millrace_reconcile::tasks::Tasks;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::{
    accept::accept,
    pace::{Pace, Patience},
    stream::Paced,
};

/// 256 KiB of headers and the usual slack.
const MAX_HEADER_BYTES: usize = (256 + 4) * 1024;

/// How many headers a request may have; the original bounds their size alone.
const MAX_HEADERS: usize = 1024;

/// How long requests under way may take to end.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// How often it is told that no connection is free.
const WARNING_INTERVAL: Duration = Duration::from_mins(1);

/// What a server grants its callers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Connections at a time; further ones wait to be accepted.
    pub(super) connections: usize,
    /// How long they may keep the server waiting.
    pub(super) patience: Patience,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connections: 512, patience: Patience::default() }
    }
}

/// Serves `router` until the process is to end, then lets requests under way finish for five seconds.
///
/// # Errors
///
/// If the listener breaks.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    tasks: &Tasks,
    name: &'static str,
) -> io::Result<()> {
    Server { listener, router, tasks, name, limits: Limits::default() }.run().await
}

/// A server on one listener.
pub(super) struct Server<'a> {
    pub(super) listener: TcpListener,
    pub(super) router: Router,
    pub(super) tasks: &'a Tasks,
    pub(super) name: &'static str,
    pub(super) limits: Limits,
}

impl Server<'_> {
    pub(super) async fn run(self) -> io::Result<()> {
        let Self { listener, router, tasks, name, limits } = self;
        let mut places = Places::new(limits.connections, name);
        let shutdown = tasks.shutdown().clone();
        let cut = CancellationToken::new();
        loop {
            let next = async {
                let place = places.next().await;
                accept(|| listener.accept()).await.map(|(stream, _)| (stream, place))
            };
            let (stream, place) = tokio::select! {
                accepted = next => accepted?,
                () = shutdown.cancelled() => break,
            };
            let connection = Connection {
                router: router.clone(),
                pace: Pace::new(limits.patience),
                shutdown: shutdown.clone(),
                cut: cut.clone(),
            };
            tasks.spawn(async move {
                if let Err(error) = connection.run(stream).await {
                    tracing::debug!(%error, "connection ended early");
                }
                drop(place);
            });
        }
        drop(listener);
        let logger = format!("{}-server", name.to_lowercase());
        match tokio::time::timeout(DRAIN_TIMEOUT, places.all_free()).await {
            Ok(()) => tracing::info!(logger, "{name} server stopped"),
            Err(elapsed) => {
                tracing::error!(logger, error = %elapsed, "{name} server graceful shutdown failed");
            }
        }
        cut.cancel();
        Ok(())
    }
}

/// The places of a server's connections.
struct Places {
    name: &'static str,
    count: usize,
    free: Arc<Semaphore>,
    warned: Option<Instant>,
}

impl Places {
    fn new(count: usize, name: &'static str) -> Self {
        Self { name, count, free: Arc::new(Semaphore::new(count)), warned: None }
    }

    /// Waits for a free place. Safe to cancel.
    async fn next(&mut self) -> OwnedSemaphorePermit {
        if self.free.available_permits() == 0
            && self.warned.is_none_or(|warned| warned.elapsed() >= WARNING_INTERVAL)
        {
            self.warned = Some(Instant::now());
            let logger = format!("{}-server", self.name.to_lowercase());
            tracing::warn!(logger, connections = self.count, "every connection is taken, new ones wait");
        }
        Arc::clone(&self.free).acquire_owned().await.expect("the semaphore is never closed")
    }

    /// Waits until every connection has ended.
    async fn all_free(&self) {
        let all = u32::try_from(self.count).expect("a few hundred");
        drop(self.free.acquire_many(all).await.expect("the semaphore is never closed"));
    }
}

/// One connection and what it is served with.
struct Connection {
    router: Router,
    pace: Pace,
    /// No further request is read.
    shutdown: CancellationToken,
    /// Whatever is under way ends.
    cut: CancellationToken,
}

impl Connection {
    async fn run(self, stream: TcpStream) -> Result<(), hyper::Error> {
        let Self { router, pace, shutdown, cut } = self;
        let io = TokioIo::new(Paced::new(stream, pace.clone()));
        let service = service_fn(move |request| answer(router.clone(), pace.clone(), request));
        let mut builder = http1::Builder::new();
        // The stream knows better than one timer what the peer is being waited for.
        builder
            .header_read_timeout(None)
            .max_buf_size(MAX_HEADER_BYTES)
            .max_header_size(MAX_HEADER_BYTES)
            .max_headers(MAX_HEADERS);
        let mut connection = pin!(builder.serve_connection(io, service));
        tokio::select! {
            ended = connection.as_mut() => return ended,
            () = shutdown.cancelled() => connection.as_mut().graceful_shutdown(),
        }
        tokio::select! {
            ended = connection => ended,
            () = cut.cancelled() => Ok(()),
        }
    }
}

async fn answer(
    router: Router,
    pace: Pace,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    pace.began();
    let response = router.oneshot(request.map(Body::new)).await?;
    let status = response.status();
    pace.answered(status.is_client_error() || status.is_server_error());
    Ok(response)
}
