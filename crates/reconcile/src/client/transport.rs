//! The connections: two pools over one TLS configuration, below the layers that know address and credentials.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, Uri};
use http_body_util::BodyExt as _;
use http_body_util::combinators::UnsyncBoxBody;
use hyper_rustls::{FixedServerNameResolver, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as HyperClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use kube::Config;
use kube::client::{Body, ConfigExt as _};
use tower::util::BoxCloneSyncService;
use tower::{BoxError, Service, ServiceBuilder, ServiceExt as _};

/// A response's body, whatever sends it.
pub(super) type AnyBody = UnsyncBoxBody<Bytes, BoxError>;

/// Takes requests with a path and returns answers.
pub(super) type Transport = BoxCloneSyncService<Request<Body>, Response<AnyBody>, BoxError>;

/// How often an idle or busy connection is pinged, and how long the answer may take: a dead one is replaced before the
/// renewal of a lease is overdue.
const PING_INTERVAL: Duration = Duration::from_secs(10);
const PING_TIMEOUT: Duration = Duration::from_secs(15);

/// How much a server may send ahead on one stream and on one connection; large lists need more than HTTP/2's default.
const STREAM_WINDOW: u32 = 1 << 20;
const CONNECTION_WINDOW: u32 = 4 << 20;

/// Whether a request stays open to stream changes.
pub(super) fn is_watch(uri: &Uri) -> bool {
    let parameter = |pair: &str| matches!(pair, "watch=true" | "watch=1" | "watch=t" | "watch");
    uri.query().is_some_and(|query| query.split('&').any(parameter))
}

/// Builds the transport for a cluster.
pub(super) fn build(config: &Config) -> Result<Transport, kube::Error> {
    let pools = Pools { calls: pool(config)?, watches: pool(config)? };
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .layer(config.extra_headers_layer()?)
        .option_layer(config.auth_layer()?)
        .map_err(BoxError::from)
        .service(pools);
    Ok(BoxCloneSyncService::new(service.map_err(BoxError::from)))
}

type Pool = HyperClient<HttpsConnector<HttpConnector>, Body>;

/// HTTP/2 where TLS negotiates it, one connection per pool; HTTP/1.1 otherwise.
fn pool(config: &Config) -> Result<Pool, kube::Error> {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_connect_timeout(config.connect_timeout);
    tcp.set_nodelay(true);
    let mut connector =
        HttpsConnectorBuilder::new().with_tls_config(config.rustls_client_config()?).https_or_http();
    if let Some(name) = config.tls_server_name.clone()
        && let Ok(name) = name.try_into()
    {
        connector = connector.with_server_name_resolver(FixedServerNameResolver::new(name));
    }
    let connector = connector.enable_all_versions().wrap_connector(tcp);
    let pool = HyperClient::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(Duration::from_secs(90))
        .pool_max_idle_per_host(8)
        .http2_keep_alive_interval(PING_INTERVAL)
        .http2_keep_alive_timeout(PING_TIMEOUT)
        .http2_keep_alive_while_idle(true)
        .http2_initial_stream_window_size(STREAM_WINDOW)
        .http2_initial_connection_window_size(CONNECTION_WINDOW)
        .build(connector);
    Ok(pool)
}

/// Watches and calls apart: a long list must not hold up events, and a broken connection not both.
#[derive(Clone)]
struct Pools {
    calls: Pool,
    watches: Pool,
}

impl Service<Request<Body>> for Pools {
    type Response = Response<AnyBody>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        // The pools are always ready: they queue inside.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let pool = if is_watch(request.uri()) { &self.watches } else { &self.calls };
        let answer = pool.request(request);
        Box::pin(async move { Ok(answer.await?.map(|body| body.map_err(BoxError::from).boxed_unsync())) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn watches_are_told_by_their_parameter() {
        for (uri, expected) in [
            ("/api/v1/pods?watch=true&x=1", true),
            ("/api/v1/pods?x=1&watch=1", true),
            ("/api/v1/pods?watch=false", false),
            ("/api/v1/pods?labelSelector=watch%3Dtrue", false),
            ("/api/v1/watch", false),
        ] {
            assert_eq!(is_watch(&uri.parse().expect("uri")), expected, "{uri}");
        }
    }
}
