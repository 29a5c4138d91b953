//! An HTTP receiver that records what it is sent and answers as told.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, Method, StatusCode};

use crate::background::Background;
use crate::{Result, ports, wait};

const BODY_LIMIT: usize = 16 << 20;

/// A request as it came in.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// When it had been read whole.
    pub at: Instant,
    /// Its method.
    pub method: Method,
    /// Path and query; the whole URL if it was asked as a proxy.
    pub target: String,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
}

impl Recorded {
    /// The path without the query.
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// A header's value; empty if it is absent or no text.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The body as JSON.
    pub fn json(&self) -> Result<serde_json::Value> {
        serde_json::from_slice(&self.body)
            .with_context(|| format!("the body of {} {} is no JSON", self.method, self.target))
    }
}

/// How to answer one request.
#[derive(Debug, Clone)]
pub struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
    delay: Duration,
}

impl Answer {
    /// An empty answer with a status.
    pub fn status(code: u16) -> Result<Self> {
        let status = StatusCode::from_u16(code)?;
        Ok(Self { status, headers: HeaderMap::new(), body: Bytes::new(), delay: Duration::ZERO })
    }

    /// With a body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// With a header.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self> {
        self.headers.insert(name.parse::<HeaderName>()?, value.parse()?);
        Ok(self)
    }

    /// Sent this much later.
    #[must_use]
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }
}

/// Which requests an answer is for, and how often it is given.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Only requests with this method.
    pub method: Option<Method>,
    /// Only requests whose target holds this text.
    pub target_contains: String,
    /// How often; then the next rule that fits counts.
    pub times: usize,
    /// The answer.
    pub answer: Answer,
}

#[derive(Default)]
struct Shared {
    requests: Mutex<Vec<Recorded>>,
    answers: Mutex<HashMap<String, VecDeque<Answer>>>,
    rules: Mutex<Vec<Rule>>,
}

/// A recording receiver on loopback.
///
/// It answers 200 with `{}`; a path that holds `/answer/CODE` is answered with that status; [`Recorder::answer`] scripts more. It runs
/// on a thread of its own, so a test that blocks does not stop it.
pub struct Recorder {
    port: u16,
    shared: Arc<Shared>,
    _background: Background,
}

impl Recorder {
    /// Starts a receiver over plain HTTP.
    pub fn start() -> Result<Self> {
        let port = ports::take()?;
        let shared = Arc::new(Shared::default());
        let router = Router::new().fallback(record).with_state(Arc::clone(&shared));
        let serve = |listener| axum::serve(listener, router).into_future();
        Ok(Self { port, shared, _background: Background::start("recorder", port, serve)? })
    }

    /// Its address: `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Scripts the next answers to requests for `path`; after them it answers as usual.
    pub fn answer(&self, path: &str, answers: impl IntoIterator<Item = Answer>) {
        lock(&self.shared.answers).entry(path.to_owned()).or_default().extend(answers);
    }

    /// Adds a rule; the first one that fits a request answers it.
    pub fn rule(&self, rule: Rule) {
        lock(&self.shared.rules).push(rule);
    }

    /// All requests so far, in order of arrival.
    pub fn requests(&self) -> Vec<Recorded> {
        lock(&self.shared.requests).clone()
    }

    /// The requests so far for `path`.
    pub fn requests_for(&self, path: &str) -> Vec<Recorded> {
        self.requests().into_iter().filter(|request| request.path() == path).collect()
    }

    /// Forgets what it has recorded.
    pub fn clear(&self) {
        lock(&self.shared.requests).clear();
    }

    /// Waits for a request that `wanted` accepts, past or future.
    ///
    /// # Errors
    /// When `limit` passes first; the message lists what came instead.
    pub async fn wait_for(&self, limit: Duration, wanted: impl Fn(&Recorded) -> bool) -> Result<Recorded> {
        let found = wait::until("a request", limit, async || {
            self.requests().into_iter().find(|request| wanted(request))
        })
        .await;
        let Ok(found) = found else {
            let came: Vec<String> =
                self.requests().iter().map(|one| format!("{} {}", one.method, one.target)).collect();
            bail!("no such request within {} s; what came: {came:?}", limit.as_secs());
        };
        Ok(found)
    }
}

async fn record(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, BODY_LIMIT).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let target = head.uri.to_string();
    let path = head.uri.path().to_owned();
    let recorded = Recorded { at: Instant::now(), method: head.method, target, headers: head.headers, body };
    let ruled = take_rule(&mut lock(&shared.rules), &recorded);
    lock(&shared.requests).push(recorded);
    let scripted = lock(&shared.answers).get_mut(&path).and_then(VecDeque::pop_front).or(ruled);
    let Some(Answer { status, headers, body, delay }) = scripted else { return usual(&path) };
    tokio::time::sleep(delay).await;
    (status, headers, body).into_response()
}

fn take_rule(rules: &mut [Rule], request: &Recorded) -> Option<Answer> {
    let fits = |rule: &&mut Rule| {
        let method = rule.method.as_ref().is_none_or(|method| *method == request.method);
        rule.times > 0 && method && request.target.contains(&rule.target_contains)
    };
    let rule = rules.iter_mut().find(fits)?;
    rule.times -= 1;
    Some(rule.answer.clone())
}

fn usual(path: &str) -> Response {
    let status = code_in(path).and_then(|code| StatusCode::from_u16(code).ok()).unwrap_or(StatusCode::OK);
    (status, [(http::header::CONTENT_TYPE, "application/json")], "{}").into_response()
}

/// The status that a path asks for by `/answer/CODE`.
fn code_in(path: &str) -> Option<u16> {
    let (_, rest) = path.split_once("/answer/")?;
    rest.split('/').next()?.parse().ok()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
