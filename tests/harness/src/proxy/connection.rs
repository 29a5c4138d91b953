//! One connection of a client, and its own connection to the API server.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use http::header::{CONNECTION, HOST, TE, TRANSFER_ENCODING, UPGRADE};
use http::uri::{Authority, Scheme};
use http::{HeaderMap, HeaderName, Request, Response, Uri, Version};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::Shared;
use super::fault::{Effect, Rule, Side, Verdict};
use super::gate::Gate;
use super::request::{Seen, Verb};

/// What the server may send ahead: large lists need more than HTTP/2's default.
const STREAM_WINDOW: u32 = 1 << 20;
const CONNECTION_WINDOW: u32 = 4 << 20;

/// Headers that belong to one connection.
const OF_THE_CONNECTION: [HeaderName; 5] =
    [CONNECTION, HeaderName::from_static("keep-alive"), TE, TRANSFER_ENCODING, UPGRADE];

type AnyBody = UnsyncBoxBody<Bytes, hyper::Error>;

/// The exchange is lost: its stream breaks.
#[derive(Debug, thiserror::Error)]
#[error("lost")]
struct Lost;

/// Where the API server is and how it is trusted.
pub(super) struct Upstream {
    pub(super) authority: Authority,
    pub(super) tls: rustls::ClientConfig,
}

/// The way to freeze or end a connection from outside.
#[derive(Default)]
pub(super) struct Control {
    pub(super) frozen: Arc<AtomicBool>,
    pub(super) closed: CancellationToken,
}

struct Connection {
    shared: Arc<Shared>,
    control: Arc<Control>,
    client: Client<HttpsConnector<HttpConnector>, Incoming>,
}

/// Serves a client until one side goes.
pub(super) async fn serve(stream: TcpStream, tls: TlsAcceptor, shared: Arc<Shared>, control: Arc<Control>) {
    let closed = control.closed.clone();
    let serving = async {
        let gate = Gate::new(stream, Arc::clone(&control.frozen));
        let Ok(stream) = tls.accept(gate).await else { return };
        let client = client(&shared.upstream);
        let connection = Arc::new(Connection { shared, control, client });
        let service = service_fn(move |request| {
            let connection = Arc::clone(&connection);
            async move { connection.exchange(request).await }
        });
        let mut server = auto::Builder::new(TokioExecutor::new());
        server.http2().max_concurrent_streams(250).initial_stream_window_size(STREAM_WINDOW);
        // A client that goes is no news.
        let _ = server.serve_connection(TokioIo::new(stream), service).await;
    };
    tokio::select! {
        () = serving => {}
        () = closed.cancelled() => {}
    }
}

fn client(upstream: &Upstream) -> Client<HttpsConnector<HttpConnector>, Incoming> {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(upstream.tls.clone())
        .https_only()
        .enable_all_versions()
        .wrap_connector(tcp);
    Client::builder(TokioExecutor::new())
        .http2_initial_stream_window_size(STREAM_WINDOW)
        .http2_initial_connection_window_size(CONNECTION_WINDOW)
        .build(connector)
}

impl Connection {
    async fn exchange(&self, request: Request<Incoming>) -> Result<Response<AnyBody>, Lost> {
        let seen = Seen::of(&request);
        self.shared.note(&seen);
        match self.shared.rules.take(&seen) {
            None => self.forward(&seen, request).await,
            Some(rule) => self.faulty(&rule, &seen, request).await,
        }
    }

    async fn faulty(
        &self,
        rule: &Rule,
        seen: &Seen,
        request: Request<Incoming>,
    ) -> Result<Response<AnyBody>, Lost> {
        match &rule.effect {
            Effect::Hold(Side::Before) => {
                held(rule, seen).await?;
                self.forward(seen, request).await
            }
            Effect::Hold(Side::After) => {
                let answer = self.forward(seen, request).await?;
                held(rule, seen).await?;
                Ok(answer)
            }
            Effect::Lose(side) => {
                if *side == Side::After {
                    self.forward(seen, request).await?;
                }
                rule.hit(seen);
                Err(Lost)
            }
            Effect::Delay(delay) => {
                rule.hit(seen);
                tokio::time::sleep(*delay).await;
                self.forward(seen, request).await
            }
            Effect::Freeze => {
                self.control.frozen.store(true, Ordering::Release);
                rule.hit(seen);
                std::future::pending().await
            }
            Effect::Refuse(refusal) => {
                rule.hit(seen);
                let body =
                    |bytes| Full::new(bytes).map_err(|never: Infallible| match never {}).boxed_unsync();
                Ok(refusal.response().map(body))
            }
        }
    }

    /// Passes a request on and its answer back.
    async fn forward(&self, seen: &Seen, request: Request<Incoming>) -> Result<Response<AnyBody>, Lost> {
        let (mut head, body) = request.into_parts();
        head.uri = self.uri(&head.uri).ok_or(Lost)?;
        // What the server speaks is negotiated anew.
        head.version = Version::HTTP_11;
        head.headers.remove(HOST);
        leave_connection(&mut head.headers);
        let Ok(answer) = self.client.request(Request::from_parts(head, body)).await else {
            // A server that is gone takes its connections with it.
            self.control.closed.cancel();
            return Err(Lost);
        };
        let (mut head, body) = answer.into_parts();
        head.version = Version::default();
        leave_connection(&mut head.headers);
        let body = if seen.verb == Verb::Watch {
            self.shared.watches.follow(seen, body).boxed_unsync()
        } else {
            body.boxed_unsync()
        };
        Ok(Response::from_parts(head, body))
    }

    fn uri(&self, asked: &Uri) -> Option<Uri> {
        let mut parts = asked.clone().into_parts();
        parts.scheme = Some(Scheme::HTTPS);
        parts.authority = Some(self.shared.upstream.authority.clone());
        Uri::from_parts(parts).ok()
    }
}

async fn held(rule: &Rule, seen: &Seen) -> Result<(), Lost> {
    rule.hit(seen);
    match rule.verdict().await {
        Verdict::Released => Ok(()),
        Verdict::Pending | Verdict::Aborted => Err(Lost),
    }
}

fn leave_connection(headers: &mut HeaderMap) {
    for name in &OF_THE_CONNECTION {
        headers.remove(name);
    }
}
