//! Serves a router over HTTP/1.1 with the limits the contract states.

use std::{io, time::Duration};

use axum::{Router, body::Body};
use hyper::{body::Incoming, server::conn::http1};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use millrace_reconcile::tasks::Tasks;
use tokio::net::TcpListener;
use tower::ServiceExt as _;

/// How long a connection may be silent or busy with its headers.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);

/// 256 KiB of headers and the usual slack.
const MAX_HEADER_BYTES: usize = (256 + 4) * 1024;

/// How many headers a request may have; the original bounds their size alone.
const MAX_HEADERS: usize = 1024;

/// How long requests under way may take to end.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

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
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(MAX_HEADER_BYTES)
        .max_headers(MAX_HEADERS);
    let graceful = GracefulShutdown::new();
    let shutdown = tasks.shutdown().clone();
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) if is_transient(&error) => continue,
                Err(error) => return Err(error),
            },
            () = shutdown.cancelled() => break,
        };
        let service = router.clone().map_request(|request: http::Request<Incoming>| request.map(Body::new));
        let connection = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
        let connection = graceful.watch(connection);
        tasks.spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(error = %error, "connection ended early");
            }
        });
    }
    drop(listener);
    let logger = format!("{}-server", name.to_lowercase());
    match tokio::time::timeout(DRAIN_TIMEOUT, graceful.shutdown()).await {
        Ok(()) => tracing::info!(logger, "{name} server stopped"),
        Err(elapsed) => tracing::error!(logger, error = %elapsed, "{name} server graceful shutdown failed"),
    }
    Ok(())
}

/// Whether accepting may work next time: the peer is gone, or a limit on open files will be lifted by others.
fn is_transient(error: &io::Error) -> bool {
    const TOO_MANY_FILES: [i32; 2] = [23, 24];
    matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset)
        || error.raw_os_error().is_some_and(|code| TOO_MANY_FILES.contains(&code))
}
