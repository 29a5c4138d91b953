//! The operator's endpoints: metrics and health. Contract: notification §5.1, cli §B1.7.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::metrics::{CONTENT_TYPE, Metrics};

/// An address that the process can't listen on.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The text is no address.
    #[error("invalid listen address {address:?}")]
    Invalid {
        /// The address as given.
        address: String,
    },
    /// The system refuses it.
    #[error("listen tcp {address}")]
    Bind {
        /// The address as given.
        address: String,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// Checks the form of an address that [`listen`] will be asked for.
///
/// # Errors
/// The text is no address.
pub fn check_address(address: &str) -> Result<(), ListenError> {
    if address.is_empty() || address == "0" {
        return Ok(());
    }
    let is_host = |host: &str| match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(literal) => literal.parse::<Ipv6Addr>().is_ok(),
        None => !host.contains(|letter: char| letter.is_whitespace() || "[]:/".contains(letter)),
    };
    let parts = address.rsplit_once(':');
    let valid = parts.is_some_and(|(host, port)| is_host(host) && port.parse::<u16>().is_ok());
    if valid { Ok(()) } else { Err(ListenError::Invalid { address: address.to_owned() }) }
}

/// Listens on an address in Go's notation; `:8080` means all addresses of the host, `0` and the empty text mean none.
///
/// # Errors
/// The text is no address, or the system refuses it.
pub async fn listen(address: &str) -> Result<Option<TcpListener>, ListenError> {
    if address.is_empty() || address == "0" {
        return Ok(None);
    }
    let bind = |source| ListenError::Bind { address: address.to_owned(), source };
    let Some(port) = address.strip_prefix(':') else {
        return TcpListener::bind(address).await.map(Some).map_err(bind);
    };
    let port: u16 = port.parse().map_err(|_| ListenError::Invalid { address: address.to_owned() })?;
    // Both address families on one socket, as Go does it; hosts without IPv6 have the other.
    let any_ip = |ip: IpAddr| SocketAddr::from((ip, port));
    match TcpListener::bind(any_ip(Ipv6Addr::UNSPECIFIED.into())).await {
        Ok(listener) => Ok(Some(listener)),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => Err(bind(error)),
        Err(_) => TcpListener::bind(any_ip(Ipv4Addr::UNSPECIFIED.into())).await.map(Some).map_err(bind),
    }
}

/// Serves `router` until `shutdown`, then lets running requests finish.
///
/// # Errors
/// The listener breaks.
pub async fn serve(listener: TcpListener, router: Router, shutdown: CancellationToken) -> io::Result<()> {
    axum::serve(listener, router).with_graceful_shutdown(shutdown.cancelled_owned()).await
}

/// `/metrics`; everything else is not found.
pub fn metrics_router(metrics: Metrics) -> Router {
    let scrape = move || {
        let text = metrics.render();
        async move { ([(header::CONTENT_TYPE, CONTENT_TYPE)], text) }
    };
    Router::new().route("/metrics", any(scrape)).fallback(not_found).layer(from_fn(plain))
}

/// `/healthz` and `/readyz`: both answer `ok` as long as the process runs; they say nothing about leadership.
pub fn health_router() -> Router {
    let ok = || async { "ok" };
    let mut router = Router::new();
    for path in ["/healthz", "/readyz"] {
        router = router
            .route(path, any(ok))
            .route(&format!("{path}/"), any(ok))
            .route(&format!("{path}/ping"), any(ok));
    }
    router.fallback(not_found).layer(from_fn(plain))
}

async fn not_found() -> Response {
    (StatusCode::NOT_FOUND, "404 page not found\n").into_response()
}

/// Answers are text and nothing else, whatever a browser would make of them.
async fn plain(request: Request<Body>, next: Next) -> Response {
    let mut response = next.run(request).await;
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;
    use tower::ServiceExt as _;

    use super::*;

    async fn get(router: Router, path: &str) -> (StatusCode, String, String) {
        let request = Request::get(path).body(Body::empty()).expect("request");
        let response = router.oneshot(request).await.expect("answer");
        let kind = response.headers()[header::CONTENT_TYPE].to_str().expect("text").to_owned();
        let status = response.status();
        let body = response.into_body().collect().await.expect("body").to_bytes();
        (status, kind, String::from_utf8(body.to_vec()).expect("text"))
    }

    #[tokio::test]
    async fn health_answers_ok_and_nothing_else_is_found() {
        for path in ["/healthz", "/readyz", "/healthz/ping"] {
            let (status, kind, body) = get(health_router(), path).await;
            assert_eq!(
                (status, kind.as_str(), body.as_str()),
                (StatusCode::OK, "text/plain; charset=utf-8", "ok"),
                "{path}"
            );
        }
        let (status, _, body) = get(health_router(), "/").await;
        assert_eq!((status, body.as_str()), (StatusCode::NOT_FOUND, "404 page not found\n"));
    }

    #[tokio::test]
    async fn metrics_come_as_prometheus_text_and_pprof_is_not_found() {
        let (status, kind, body) = get(metrics_router(Metrics::default()), "/metrics").await;
        assert_eq!(status, StatusCode::OK);
        assert!(kind.starts_with("text/plain; version=0.0.4"), "{kind}");
        assert!(body.contains("\nprocess_resident_memory_bytes "), "{body}");
        assert_eq!(get(metrics_router(Metrics::default()), "/debug/pprof/").await.0, StatusCode::NOT_FOUND);
    }

    #[test]
    fn the_form_of_an_address_can_be_checked_before_anybody_listens() {
        for address in ["", "0", ":0", ":8080", "127.0.0.1:80", "[::1]:80", "localhost:9090"] {
            assert!(check_address(address).is_ok(), "{address}");
        }
        for address in
            ["8080", ":http", "localhost", "::1:80", "[::x]:80", ":65536", "http://a:80", "a b:80", ":-1"]
        {
            assert!(check_address(address).is_err(), "{address}");
        }
    }

    #[tokio::test]
    async fn addresses_are_read_as_go_does() {
        assert!(listen("0").await.expect("off").is_none());
        assert!(listen("").await.expect("off").is_none());
        assert!(listen(":0").await.expect("any").is_some());
        let taken = listen("127.0.0.1:0").await.expect("free").expect("on");
        let address = taken.local_addr().expect("address").to_string();
        let error = listen(&address).await.expect_err("taken");
        assert_eq!(error.to_string(), format!("listen tcp {address}"));
        assert!(matches!(listen(":http").await, Err(ListenError::Invalid { .. })));
    }
}
