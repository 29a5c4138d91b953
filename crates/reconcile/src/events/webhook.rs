//! Events for the notification controller: posted to its address, or handed over where it runs in this process.

use std::sync::Arc;
use std::time::Duration;

use http::{Method, StatusCode, header};
use millrace_net::{HttpClient, HttpError, Options};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use url::Url;

use super::EventSink;
use crate::args::ConfigError;
use crate::failure::chain;

/// Bound of one attempt.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Pauses between the attempts to deliver one event.
const PAUSES: [Duration; 4] =
    [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4), Duration::from_secs(8)];

/// Where notifications go.
#[derive(Clone)]
pub enum Destination {
    /// Nowhere.
    None,
    /// To the notification controller in this process.
    Sink(Arc<dyn EventSink>),
    /// To an address.
    Http(Url, HttpClient),
}

impl Destination {
    /// The destination that `--events-addr` names; empty means none.
    ///
    /// # Errors
    /// The text is no URL.
    pub fn of_address(address: &str) -> Result<Self, ConfigError> {
        let Some(url) = Self::url(address)? else { return Ok(Self::None) };
        let options = Options { timeout: Some(TIMEOUT), ..Options::default() };
        let client = HttpClient::new(&options).map_err(|error| wrong(address, chain(&error)))?;
        Ok(Self::Http(url, client))
    }

    /// Reads an address without making a client for it.
    ///
    /// # Errors
    /// The text is no URL of the web.
    pub fn url(address: &str) -> Result<Option<Url>, ConfigError> {
        if address.is_empty() {
            return Ok(None);
        }
        let accepted = "accepted are URLs with http or https";
        let url: Url = address
            .parse()
            .map_err(|error: url::ParseError| wrong(address, format!("{error}\n{accepted}")))?;
        match url.scheme() {
            "http" | "https" => Ok(Some(url)),
            scheme => Err(wrong(address, format!("unsupported protocol scheme {scheme:?}\n{accepted}"))),
        }
    }

    /// Whether upstream's programs start with an address, even if they can post nothing there: all that keeps them from it is
    /// a text that is no URL at all.
    pub fn is_taken_by_upstream(address: &str) -> bool {
        match address.parse::<Url>() {
            Ok(_) => true,
            // A path, to Go, unless its first part has a colon.
            Err(url::ParseError::RelativeUrlWithoutBase) => {
                !address.split('/').next().is_some_and(|first| first.contains(':'))
            }
            Err(_) => false,
        }
    }

    /// Starts `lanes` tasks that deliver what is sent to them; none without a destination.
    pub(super) fn start(
        self,
        lanes: usize,
        bound: usize,
        workers: &TaskTracker,
        closing: &CancellationToken,
    ) -> Vec<mpsc::Sender<Post>> {
        if matches!(self, Self::None) {
            return Vec::new();
        }
        let start = |_| {
            let (sender, receiver) = mpsc::channel(bound);
            workers.spawn(self.clone().deliver_all(receiver, closing.clone()));
            sender
        };
        (0..lanes).map(start).collect()
    }

    async fn deliver_all(self, mut posts: mpsc::Receiver<Post>, closing: CancellationToken) {
        loop {
            let post = tokio::select! {
                biased;
                post = posts.recv() => post,
                () = closing.cancelled(), if !posts.is_closed() => {
                    posts.close();
                    continue;
                }
            };
            let Some(post) = post else { return };
            match &self {
                Self::None => {}
                Self::Sink(sink) => sink.deliver(post.body).await,
                Self::Http(url, client) => {
                    if let Err(reason) = deliver(client, url, &post.body).await {
                        post.lost(&reason);
                    }
                }
            }
        }
    }
}

fn wrong(address: &str, reason: String) -> ConfigError {
    ConfigError {
        message: "unable to create event recorder",
        reason,
        flag: "events-addr",
        value: address.to_owned(),
    }
}

/// One event on its way.
pub(super) struct Post {
    pub(super) body: Vec<u8>,
    pub(super) kind: String,
    pub(super) namespace: String,
    pub(super) name: String,
}

impl Post {
    /// Logs that the event won't arrive.
    pub(super) fn lost(self, reason: &str) {
        tracing::error!(
            name = self.name,
            namespace = self.namespace,
            "reconciler kind" = self.kind,
            error = reason,
            "unable to record event"
        );
    }
}

/// Posts one event, patiently; an answer below 500 settles it (429 says that it is a duplicate).
async fn deliver(client: &HttpClient, url: &Url, body: &[u8]) -> Result<(), String> {
    let mut pauses = PAUSES.iter();
    loop {
        let reason = match attempt(client, url, body).await {
            Ok(status) if !status.is_server_error() => return Ok(()),
            Ok(status) if status == StatusCode::NOT_IMPLEMENTED => return Err(unexpected(status)),
            Ok(status) => unexpected(status),
            Err(error) if error.is_retryable() => chain(&error),
            Err(error) => return Err(chain(&error)),
        };
        match pauses.next() {
            Some(pause) => tokio::time::sleep(*pause).await,
            None => {
                return Err(format!("POST {url} giving up after {} attempt(s): {reason}", PAUSES.len() + 1));
            }
        }
    }
}

fn unexpected(status: StatusCode) -> String {
    format!("unexpected HTTP status {status}")
}

async fn attempt(client: &HttpClient, url: &Url, body: &[u8]) -> Result<StatusCode, HttpError> {
    let request = client
        .request(Method::POST, url.clone())
        .header(header::CONTENT_TYPE, "application/json")
        .body(body.to_vec());
    Ok(client.send(request).await?.status())
}
