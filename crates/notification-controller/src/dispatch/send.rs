//! Sends a provider's message, with retries, until its deadline.
//!
//! Contract: notification-controller §3.5.

use std::{sync::Arc, time::Duration};

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use millrace_net::{self as net, Clients, EgressPolicy, HttpClient, HttpError, redirect};
use millrace_reconcile::{clock::Clock, failure::chain};
use tokio::time::{Instant, sleep, timeout_at};
use url::Url;

use crate::{
    go::{quote::Quoted, time::parse_retry_after},
    providers::{Message, Request},
};

const MAX_ATTEMPTS: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_secs(2);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
const MAX_REDIRECTS: usize = 10;

/// How much of an answer is read; what follows is nobody's message.
const MAX_ANSWER_BYTES: usize = 256 * 1024;

/// Headers that belong to the connection: a provider can't set them.
const CONNECTION_HEADERS: [&str; 4] = ["host", "content-length", "transfer-encoding", "trailer"];

/// A message that was not delivered.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{prefix}{cause}")]
pub struct SendError {
    prefix: &'static str,
    cause: Cause,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum Cause {
    #[error("unable to parse proxy URL: {0}")]
    Client(String),
    #[error("failed to execute request: {0}")]
    Proxy(String),
    #[error("request failed: {0}")]
    Refused(String),
    #[error("failed to execute request: {0}")]
    GaveUp(GaveUp),
    /// The second line tells what the wait was for; the first is all that the original says.
    #[error("failed to execute request: context deadline exceeded{}", .0.as_ref().map(|last| format!("\n{last}")).unwrap_or_default())]
    DeadlineWhileWaiting(Option<GaveUp>),
}

/// How often a request was tried, and what the last attempt met with.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{target} giving up after {attempts} attempt(s){}", .detail.as_ref().map(|text| format!(": {text}")).unwrap_or_default())]
struct GaveUp {
    target: String,
    attempts: u32,
    detail: Option<String>,
}

/// Sends messages over connections that providers with equal settings share.
#[derive(Clone)]
pub struct Sender {
    clients: Arc<Clients>,
    clock: Arc<dyn Clock>,
    egress: Arc<EgressPolicy>,
}

/// What became of one attempt.
enum Attempt {
    Answer(Answer),
    /// The attempt may be repeated, after this pause if the server asked for one.
    Busy {
        pause: Option<Duration>,
        detail: Option<String>,
    },
    Failed(String),
}

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Sender {
    /// Makes a sender without connections; whatever a Provider says, messages go only where `egress` lets them.
    pub fn new(clock: Arc<dyn Clock>, egress: Arc<EgressPolicy>) -> Self {
        Self { clients: Arc::default(), clock, egress }
    }

    /// The client for these settings, under this sender's egress policy.
    ///
    /// # Errors
    ///
    /// If certificates or proxy can't be used.
    pub fn client(&self, transport: &net::Options) -> Result<HttpClient, HttpError> {
        self.clients.get(&net::Options { egress: Arc::clone(&self.egress), ..transport.clone() })
    }

    /// Sends `message` until it is accepted or refused, at most five times, and gives up after `timeout`.
    pub async fn send(
        &self,
        message: &Message,
        transport: &net::Options,
        timeout: Duration,
    ) -> Result<(), SendError> {
        let fail = |cause| SendError { prefix: message.failure_prefix, cause };
        let client = self.client(transport).map_err(|err| {
            fail(match err {
                HttpError::Transport(cause) => Cause::Proxy(cause.to_string()),
                err => Cause::Client(chain(&err)),
            })
        })?;
        let answer = self.exchange(&client, &message.request, timeout).await.map_err(fail)?;
        (message.judge)(answer.status, &answer.body).map_err(|text| fail(Cause::Refused(text)))
    }

    async fn exchange(
        &self,
        client: &HttpClient,
        request: &Request,
        timeout: Duration,
    ) -> Result<Answer, Cause> {
        // A timeout beyond what the clock can count never passes.
        let deadline = Instant::now().checked_add(timeout);
        let mut pause = FIRST_PAUSE;
        let mut attempts = 1;
        loop {
            let gave_up = |detail| GaveUp {
                target: format!("{} {}", request.method, redacted(&request.url, "xxxxx")),
                attempts,
                detail,
            };
            let attempt = within(deadline, self.attempt(client, request)).await;
            let (asked, detail) = match attempt {
                None => return Err(Cause::GaveUp(gave_up(Some("context deadline exceeded".to_owned())))),
                Some(Attempt::Answer(answer)) => return Ok(answer),
                Some(Attempt::Failed(detail)) => return Err(Cause::GaveUp(gave_up(Some(detail)))),
                Some(Attempt::Busy { pause, detail }) => (pause, detail),
            };
            if attempts == MAX_ATTEMPTS {
                return Err(Cause::GaveUp(gave_up(detail)));
            }
            if within(deadline, sleep(asked.unwrap_or(pause))).await.is_none() {
                // A server that answered is only busy; one that could not be reached is worth a word.
                return Err(Cause::DeadlineWhileWaiting(detail.map(|detail| gave_up(Some(detail)))));
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
            attempts += 1;
        }
    }

    async fn attempt(&self, client: &HttpClient, request: &Request) -> Attempt {
        let described = |cause: String| {
            let method = request.method.as_str();
            let method = format!("{}{}", &method[..1], method[1..].to_ascii_lowercase());
            format!("{method} {}: {cause}", Quoted(&redacted(&request.url, "***")))
        };
        let outcome = match prepare(request) {
            Ok(prepared) => follow(client, prepared).await,
            Err(cause) => return Attempt::Failed(described(cause)),
        };
        match outcome {
            Ok(answer) if is_busy(answer.status) => {
                let asked = matches!(answer.status.as_u16(), 429 | 503)
                    .then(|| answer.headers.get(header::RETRY_AFTER)?.to_str().ok())
                    .flatten()
                    .and_then(|value| parse_retry_after(value, self.clock.now()));
                Attempt::Busy { pause: asked, detail: None }
            }
            Ok(answer) => Attempt::Answer(answer),
            Err(err) if err.is_retryable() => {
                Attempt::Busy { pause: None, detail: Some(described(chain(&err))) }
            }
            Err(err) => Attempt::Failed(described(chain(&err))),
        }
    }
}

async fn within<T>(deadline: Option<Instant>, work: impl Future<Output = T>) -> Option<T> {
    match deadline {
        Some(deadline) => timeout_at(deadline, work).await.ok(),
        None => Some(work.await),
    }
}

fn is_busy(status: StatusCode) -> bool {
    status == StatusCode::TOO_MANY_REQUESTS
        || status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED
}

/// Turns a request into one that can be sent.
fn prepare(request: &Request) -> Result<net::Request, String> {
    let scheme = request.url.split_once(':').map_or("", |(scheme, _)| scheme);
    let known = ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    let url = match Url::parse(&request.url) {
        Ok(url) if known => url,
        Err(err) if known => return Err(err.to_string()),
        _ => {
            let scheme = if request.url.starts_with('/') { "" } else { scheme };
            return Err(format!("unsupported protocol scheme {}", Quoted(scheme)));
        }
    };
    let mut prepared = net::Request::new(request.method.clone(), url);
    for (name, value) in request.headers.iter() {
        if CONNECTION_HEADERS.iter().any(|reserved| name.eq_ignore_ascii_case(reserved)) {
            continue;
        }
        let field = HeaderName::try_from(name)
            .map_err(|_| format!("net/http: invalid header field name {}", Quoted(name)))?;
        let mut content = HeaderValue::try_from(value)
            .map_err(|_| format!("net/http: invalid header field value for {}", Quoted(name)))?;
        content.set_sensitive(field == header::AUTHORIZATION);
        prepared.headers_mut().insert(field, content);
    }
    *prepared.body_mut() = Some(request.body.clone().into());
    Ok(prepared)
}

/// Sends a request and follows redirects, naming the page that led there as Go does.
async fn follow(client: &HttpClient, first: net::Request) -> Result<Answer, HttpError> {
    let mut request = first;
    for _ in 0..=MAX_REDIRECTS {
        let again = request.try_clone();
        let response = client.send_once(request).await?;
        let target = redirect::location(response.status(), response.headers(), response.url());
        match (target, again) {
            (Some(target), Some(sent)) => request = redirected(sent, target, response.status()),
            _ => return read(response).await,
        }
    }
    Err(HttpError::TooManyRedirects(MAX_REDIRECTS))
}

fn redirected(mut request: net::Request, target: Url, status: StatusCode) -> net::Request {
    let (method, keeps_body) = redirect::method_after(status, request.method());
    let from = request.url().clone();
    if !redirect::same_origin(&from, &target) {
        redirect::strip_credentials(request.headers_mut());
    }
    if !keeps_body {
        *request.body_mut() = None;
        request.headers_mut().remove(header::CONTENT_TYPE);
    }
    if let Some(referer) = referer(from, &target) {
        request.headers_mut().insert(header::REFERER, referer);
    }
    *request.method_mut() = method;
    *request.url_mut() = target;
    request
}

/// The page a redirect came from, without its login; nothing on the way from https to http.
fn referer(mut from: Url, target: &Url) -> Option<HeaderValue> {
    if from.scheme() == "https" && target.scheme() == "http" {
        return None;
    }
    from.set_username("").ok()?;
    from.set_password(None).ok()?;
    from.set_fragment(None);
    HeaderValue::try_from(from.as_str()).ok()
}

async fn read(mut response: net::Response) -> Result<Answer, HttpError> {
    let mut answer =
        Answer { status: response.status(), headers: response.headers().clone(), body: Vec::new() };
    while answer.body.len() < MAX_ANSWER_BYTES {
        match response.chunk().await? {
            Some(chunk) => answer.body.extend_from_slice(&chunk),
            None => break,
        }
    }
    Ok(answer)
}

/// The address with `mask` for its password.
fn redacted(address: &str, mask: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let Some(at) = rest[..end].rfind('@') else { return address.to_owned() };
    let Some((user, _)) = rest[..at].split_once(':') else { return address.to_owned() };
    format!("{scheme}://{user}:{mask}{}", &rest[at..])
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;
    use crate::providers::Headers;

    fn request(url: &str, headers: &[(&str, &str)]) -> Request {
        let mut all = Headers::default();
        for (name, value) in headers {
            all.set(name, *value);
        }
        Request { method: Method::POST, url: url.to_owned(), headers: all, body: b"{}".to_vec() }
    }

    #[test]
    fn what_http_does_not_allow_is_named() {
        for (url, headers, cause) in [
            ("/x", &[][..], "unsupported protocol scheme \"\""),
            ("ftp://h", &[], "unsupported protocol scheme \"ftp\""),
            (
                "http://h",
                &[("Authorization", "Bearer t\n")],
                "net/http: invalid header field value for \"Authorization\"",
            ),
            ("http://h", &[("a b", "c")], "net/http: invalid header field name \"a b\""),
        ] {
            assert_eq!(prepare(&request(url, headers)).err().as_deref(), Some(cause), "{url}");
        }
    }

    #[test]
    fn headers_of_the_connection_are_not_for_users_to_set() {
        let prepared =
            prepare(&request("http://h", &[("Host", "other"), ("Content-Length", "1"), ("X", "y")])).unwrap();
        let names: Vec<_> = prepared.headers().keys().map(HeaderName::as_str).collect();
        assert_eq!(names, ["x"]);
    }

    #[test]
    fn only_the_password_of_an_address_is_hidden() {
        for (address, expected) in [
            ("http://h/a@b:c", "http://h/a@b:c"),
            ("http://u@h/x", "http://u@h/x"),
            ("http://u:p@h/x?y", "http://u:xxxxx@h/x?y"),
            ("/x", "/x"),
        ] {
            assert_eq!(redacted(address, "xxxxx"), expected);
        }
    }

    #[test]
    fn busy_servers_are_asked_again() {
        for (status, expected) in
            [(429, true), (500, true), (503, true), (501, false), (404, false), (200, false)]
        {
            assert_eq!(is_busy(StatusCode::from_u16(status).unwrap()), expected, "{status}");
        }
    }

    #[test]
    fn a_redirect_names_where_it_came_from_and_drops_credentials_elsewhere() {
        let post =
            || prepare(&request("http://u:p@h/a", &[("Authorization", "x"), ("Content-Type", "j")])).unwrap();
        let same = redirected(post(), "http://h/b".parse().unwrap(), StatusCode::TEMPORARY_REDIRECT);
        assert_eq!(same.headers()[header::REFERER], "http://h/a");
        assert_eq!(
            (same.method(), same.headers().contains_key(header::AUTHORIZATION)),
            (&Method::POST, true)
        );
        let other = redirected(post(), "http://i/b".parse().unwrap(), StatusCode::FOUND);
        assert_eq!(other.method(), Method::GET);
        assert!(other.body().is_none());
        assert_eq!(other.headers().keys().collect::<Vec<_>>(), [header::REFERER]);
        let down = referer("https://h/a".parse().unwrap(), &"http://h/b".parse().unwrap());
        assert_eq!(down, None);
    }
}
