//! What happens to every request on its way to the transport: headers, fence, limit, count, repetition.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::header::USER_AGENT;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use kube::client::Body;
use tower::{BoxError, Service, ServiceExt as _};

use super::fence::{Fence, is_write};
use super::limiter::Limiter;
use super::path;
use super::retry::{Loss, pause_before_retry};
use super::transport::{AnyBody, Transport, is_watch};
use super::{ANSWER_TIMEOUT, BODY_TIMEOUT, Identity, body};
use crate::metrics::Metrics;

/// The server did not begin to answer in time.
#[derive(Debug, thiserror::Error)]
#[error("no answer from the API server within {} seconds", ANSWER_TIMEOUT.as_secs())]
struct NoAnswer;

/// What all clients of a cluster share.
pub(super) struct Shared {
    transport: Transport,
    limiter: Option<Limiter>,
    fence: Fence,
    metrics: Metrics,
    host: String,
}

impl Shared {
    pub(super) fn new(
        transport: Transport,
        limiter: Option<Limiter>,
        metrics: Metrics,
        host: String,
    ) -> Self {
        Self { transport, limiter, fence: Fence::default(), metrics, host }
    }

    /// The same, with this limit.
    pub(super) fn with_limiter(&self, limiter: Option<Limiter>) -> Self {
        let Self { transport, limiter: _, fence, metrics, host } = self;
        let (transport, fence) = (transport.clone(), fence.clone());
        Self { transport, limiter, fence, metrics: metrics.clone(), host: host.clone() }
    }

    pub(super) fn fence(&self) -> &Fence {
        &self.fence
    }

    /// Sends a request as often as needed; one behind the fence no longer than that is open.
    async fn perform(&self, request: Request<Body>, fenced: bool) -> Result<Response<AnyBody>, BoxError> {
        if fenced && is_write(request.method()) {
            return self.fence.guard(self.repeat(request, Some(&self.fence))).await?;
        }
        self.repeat(request, None).await
    }

    async fn repeat(
        &self,
        mut request: Request<Body>,
        fence: Option<&Fence>,
    ) -> Result<Response<AnyBody>, BoxError> {
        let method = request.method().clone();
        let mut retries = 0;
        loop {
            let again = copy(&request);
            if let Some(limiter) = &self.limiter {
                limiter.acquire().await;
            }
            // Right before it is sent: it may have waited for a long time.
            fence.map_or(Ok(()), Fence::check)?;
            let outcome = self.attempt(request).await;
            let code = outcome
                .as_ref()
                .map_or("<error>".to_owned(), |response| response.status().as_u16().to_string());
            self.metrics.api_request(&code, &self.host, method.as_str());
            let seen = outcome.as_ref().map_err(|(loss, _)| *loss);
            match (pause_before_retry(&method, seen, retries), again) {
                (Some(pause), Some(next)) => {
                    retries += 1;
                    tokio::time::sleep(pause).await;
                    request = next;
                }
                _ => return outcome.map_err(|(_, error)| error),
            }
        }
    }

    async fn attempt(&self, request: Request<Body>) -> Result<Response<AnyBody>, (Loss, BoxError)> {
        let watch = is_watch(request.uri());
        let answer = self.transport.clone().oneshot(request);
        let outcome = if watch {
            answer.await
        } else {
            match tokio::time::timeout(ANSWER_TIMEOUT, answer).await {
                Ok(outcome) => outcome.map(|answer| answer.map(|rest| body::within(BODY_TIMEOUT, rest))),
                Err(_) => return Err((Loss::Timeout, NoAnswer.into())),
            }
        };
        outcome.map_err(|error| {
            // A watch is the watcher's to repeat: it knows from which version on.
            let loss = if watch { Loss::Connect } else { loss(&error) };
            (loss, error)
        })
    }
}

/// A copy of a request, unless its body is a stream.
fn copy(request: &Request<Body>) -> Option<Request<Body>> {
    let mut copy = Request::new(request.body().try_clone()?);
    *copy.method_mut() = request.method().clone();
    *copy.uri_mut() = request.uri().clone();
    *copy.headers_mut() = request.headers().clone();
    *copy.extensions_mut() = request.extensions().clone();
    Some(copy)
}

fn loss(error: &BoxError) -> Loss {
    match error.downcast_ref::<hyper_util::client::legacy::Error>() {
        Some(error) if error.is_connect() => Loss::Connect,
        Some(_) => Loss::Broken,
        // Credentials that can't be refreshed and the like: nothing was sent.
        None => Loss::Connect,
    }
}

/// One client's way into the stack.
#[derive(Clone)]
pub(super) struct Pipeline {
    shared: Arc<Shared>,
    headers: Arc<HeaderMap>,
    fenced: bool,
}

impl Pipeline {
    pub(super) fn new(shared: &Arc<Shared>, user_agent: &HeaderValue, identity: Option<&Identity>) -> Self {
        let mut headers = HeaderMap::new();
        headers.insert(USER_AGENT, user_agent.clone());
        if let Some(Identity { user, groups }) = identity {
            headers.insert(HeaderName::from_static("impersonate-user"), header_value(user));
            for group in groups {
                headers.append(HeaderName::from_static("impersonate-group"), header_value(group));
            }
        }
        Self { shared: Arc::clone(shared), headers: Arc::new(headers), fenced: true }
    }

    /// The same, past the fence.
    pub(super) fn unfenced(self) -> Self {
        Self { fenced: false, ..self }
    }
}

/// A name as a header; one that no header can hold becomes one that nobody has, so that the request is refused rather than
/// made in the controller's own name.
fn header_value(name: &str) -> HeaderValue {
    HeaderValue::from_str(name).unwrap_or_else(|_| HeaderValue::from_static("system:millrace:invalid-name"))
}

impl Service<Request<Body>> for Pipeline {
    type Response = Response<AnyBody>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        if path::is_devious(request.uri()) {
            return Box::pin(std::future::ready(Ok(path::nothing_there())));
        }
        for name in self.headers.keys() {
            request.headers_mut().remove(name);
        }
        for (name, value) in self.headers.iter() {
            request.headers_mut().append(name.clone(), value.clone());
        }
        let (shared, fenced) = (Arc::clone(&self.shared), self.fenced);
        Box::pin(async move { shared.perform(request, fenced).await })
    }
}
