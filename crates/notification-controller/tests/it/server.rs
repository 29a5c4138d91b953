//! An HTTP server that records what it is sent and answers from a script.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    response::Response,
};
use http_body_util::BodyExt as _;
use tokio::{net::TcpListener, time::Instant};

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) method: String,
    /// The request target: a path, or a whole URL if the server was used as a proxy.
    pub(crate) target: String,
    /// Names in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
    pub(crate) at: Instant,
}

/// What the server answers to matching requests, at most `times` times.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) path: String,
    pub(crate) method: String,
    pub(crate) times: usize,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
    pub(crate) delay: Duration,
    /// Whether the request's target, headers and body follow the body.
    pub(crate) echo: bool,
}

impl Default for Reply {
    fn default() -> Self {
        Self {
            path: String::new(),
            method: String::new(),
            times: usize::MAX,
            status: 200,
            headers: Vec::new(),
            body: "{}".to_owned(),
            delay: Duration::ZERO,
            echo: false,
        }
    }
}

impl Reply {
    pub(crate) fn status(status: u16, body: &str) -> Self {
        Self { status, body: body.to_owned(), ..Self::default() }
    }
}

/// A recording server on a loopback port.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    state: Arc<Mutex<Script>>,
}

#[derive(Default)]
struct Script {
    recorded: Vec<Recorded>,
    replies: Vec<Reply>,
}

impl Server {
    pub(crate) async fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a loopback port");
        let address = listener.local_addr().expect("it is bound");
        let state = Arc::new(Mutex::new(Script { recorded: Vec::new(), replies }));
        let router = Router::new().fallback(answer).with_state(Arc::clone(&state));
        let serving = async move { axum::serve(listener, router).await.expect("serving") };
        #[expect(clippy::disallowed_methods, reason = "the server lives as long as the test's runtime")]
        tokio::spawn(serving);
        Self { address, state }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn recorded(&self) -> Vec<Recorded> {
        self.state.lock().unwrap().recorded.clone()
    }

    /// Waits until `count` requests have come.
    pub(crate) async fn wait_for(&self, count: usize) -> Vec<Recorded> {
        for _ in 0..500 {
            let recorded = self.recorded();
            if recorded.len() >= count {
                return recorded;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{} of {count} requests within five seconds", self.recorded().len());
    }
}

async fn answer(State(state): State<Arc<Mutex<Script>>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.expect("a body").to_bytes().to_vec();
    let target = parts.uri.to_string();
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let recorded = Recorded {
        method: parts.method.to_string(),
        target: target.clone(),
        headers: parts.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect(),
        body,
        at: Instant::now(),
    };
    let heard = format!(" {target} {:?} {}", recorded.headers, String::from_utf8_lossy(&recorded.body));
    let reply = {
        let mut state = state.lock().unwrap();
        state.recorded.push(recorded);
        let reply = state.replies.iter_mut().find(|reply| {
            reply.times > 0
                && target.contains(&reply.path)
                && (reply.method.is_empty() || reply.method == parts.method.as_str())
        });
        reply.map(|reply| {
            reply.times -= 1;
            reply.clone()
        })
    };
    let reply = reply.unwrap_or_default();
    tokio::time::sleep(reply.delay).await;
    let mut response = Response::builder().status(reply.status);
    for (name, value) in &reply.headers {
        response = response.header(name, value);
    }
    let heard = if reply.echo { heard.as_str() } else { "" };
    response.body(Body::from(format!("{}{heard}", reply.body))).expect("a response")
}
