//! Artifacts over HTTP: the store's root, read only.
//!
//! Answers are those of the original's file server, since clients and probes have come to depend on them.
//!
//! Contract: source-controller §4.

mod answer;
mod listing;
mod range;

use std::{path::PathBuf, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{Request, State},
    response::Response,
};
use tokio::net::TcpListener;

use crate::storage::Storage;

/// How long answers may take to finish after the shutdown began.
const GRACE: Duration = Duration::from_secs(5);

/// Serves every file of the store at its path.
pub fn router(storage: &Storage) -> Router {
    let root: Arc<PathBuf> = Arc::new(storage.root().to_owned());
    Router::new().fallback(handle).with_state(root)
}

/// Serves the store until `shutdown` completes, then finishes what is under way, for at most five seconds.
///
/// # Errors
/// Those of accepting connections.
pub async fn serve(
    listener: TcpListener,
    storage: &Storage,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let (stop, stopping) = tokio::sync::oneshot::channel();
    let signal = async move {
        shutdown.await;
        // The receiver is only gone when serving ended by itself.
        let _ = stop.send(());
    };
    let server = axum::serve(listener, router(storage)).with_graceful_shutdown(signal).into_future();
    let limit = async {
        // An error means that serving ended by itself, and the other branch has its result.
        if stopping.await.is_err() {
            std::future::pending::<()>().await;
        }
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        result = server => result,
        () = limit => Ok(()),
    }
}

async fn handle(State(root): State<Arc<PathBuf>>, request: Request) -> Response {
    let (head, _) = request.into_parts();
    answer::answer(root, head).await
}
