//! The HTTP side of a Git conversation, with the original's rules.
//!
//! Credentials go out with the first request. Only the first request may be redirected; its target must end in
//! `/info/refs`, a step from https to http is refused, and credentials stay behind when host or port change.

use std::{
    any::Any,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use ::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use bytes::Bytes;
use gix_transport::client::blocking_io::http::{GetResponse, Http, PostBodyDataKind, PostResponse};
use millrace_net::{HttpClient, Masker, Response, redirect};
use url::Url;

use crate::{
    error::TransportError,
    exchange::{Body, Exchange, Headers, RequestBody, Runner},
};

/// What servers know us by: the original's client, whose answers some tailor.
const USER_AGENT: &str = "go-git/5.x";

/// The most redirects of the first request.
const MAX_REDIRECTS: usize = 10;

const ADVERTISEMENT: &str = "/info/refs";

/// Everything that requests of one conversation share.
#[derive(Clone)]
pub(crate) struct Connection {
    client: HttpClient,
    runner: Runner,
    masker: Masker,
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    authorization: Option<HeaderValue>,
    /// The repository's URL after the first request was redirected.
    redirected: Option<String>,
    /// What ended the conversation. The layers between don't keep the type.
    failure: Option<TransportError>,
}

impl Connection {
    pub(crate) fn new(
        client: HttpClient,
        runner: Runner,
        masker: Masker,
        authorization: Option<HeaderValue>,
    ) -> Self {
        let shared = Shared { authorization, ..Shared::default() };
        Self { client, runner, masker, shared: Arc::new(Mutex::new(shared)) }
    }

    /// Takes what ended the conversation.
    pub(crate) fn take_failure(&self) -> Option<TransportError> {
        self.shared().failure.take()
    }

    /// Remembers a failure and returns what the layers between may see of it.
    pub(crate) fn fail(&self, err: TransportError) -> io::Error {
        let seen = io::Error::other(err.to_string());
        self.shared().failure = Some(err);
        seen
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends the first request and follows its redirects.
    fn advertisement(&self, url: &str, headers: &[String]) -> Result<Response, TransportError> {
        let requested = parse(url)?;
        let mut target = requested.clone();
        for _ in 0..=MAX_REDIRECTS {
            let response = self.send(Method::GET, &target, headers, None)?;
            let Some(next) = redirect::location(response.status(), response.headers(), &target) else {
                if target != requested {
                    self.shared().redirected = Some(base_of(&target));
                }
                return self.checked(response);
            };
            if target.scheme() == "https" && next.scheme() == "http" {
                return Err(TransportError::Redirect("changes scheme from \"https\" to \"http\"".to_owned()));
            }
            if !next.path().ends_with(ADVERTISEMENT) {
                return Err(TransportError::Redirect(format!("unexpected target path {:?}", next.path())));
            }
            let same_host = target.host_str() == next.host_str()
                && target.port_or_known_default() == next.port_or_known_default();
            if !same_host {
                self.shared().authorization = None;
            }
            target = next;
        }
        Err(TransportError::Redirect(format!("stopped after {MAX_REDIRECTS} redirects")))
    }

    /// Sends a later request, which may not be redirected.
    pub(crate) fn post(
        &self,
        url: &str,
        headers: &[String],
        body: Vec<u8>,
    ) -> Result<Response, TransportError> {
        let target = parse(url)?;
        let response = self.send(Method::POST, &target, headers, Some(body))?;
        match redirect::location(response.status(), response.headers(), &target) {
            Some(_) => Err(TransportError::Redirect("only the first request may be redirected".to_owned())),
            None => self.checked(response),
        }
    }

    /// Reads the next piece of an answer.
    pub(crate) fn chunk(&self, response: &mut Response) -> Result<Option<Bytes>, TransportError> {
        let url = response.url().to_string();
        self.runner.run(async { response.chunk().await.map_err(|source| http_error("Post", url, source)) })
    }

    fn send(
        &self,
        method: Method,
        url: &Url,
        headers: &[String],
        body: Option<Vec<u8>>,
    ) -> Result<Response, TransportError> {
        let verb = if method == Method::GET { "Get" } else { "Post" };
        let mut request = self.client.request(method, url.clone()).headers(self.headers(headers));
        if let Some(body) = body {
            request = request.body(body);
        }
        let shown = url.to_string();
        self.runner.run(async {
            match request.build() {
                Ok(request) => {
                    self.client.send_once(request).await.map_err(|source| http_error(verb, shown, source))
                }
                Err(err) => Err(TransportError::Protocol(err.to_string())),
            }
        })
    }

    fn headers(&self, lines: &[String]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines.iter().filter_map(|line| line.split_once(':')) {
            if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), value.trim().parse()) {
                headers.insert(name, value);
            }
        }
        headers.insert(header::USER_AGENT, HeaderValue::from_static(USER_AGENT));
        if let Some(authorization) = &self.shared().authorization {
            headers.insert(header::AUTHORIZATION, authorization.clone());
        }
        headers
    }

    /// Turns an answer that isn't a success into its error, which quotes the body.
    fn checked(&self, response: Response) -> Result<Response, TransportError> {
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let url = response.url().to_string();
        let body = self.runner.run(async { Ok(response.quoted(&self.masker).await) })?;
        Err(match status {
            StatusCode::UNAUTHORIZED => TransportError::AuthenticationRequired(body),
            StatusCode::FORBIDDEN => TransportError::AuthorizationFailed(body),
            StatusCode::NOT_FOUND => TransportError::RepositoryNotFound(body),
            status => TransportError::Status { url, status: status.as_u16(), body },
        })
    }
}

fn http_error(method: &'static str, url: String, source: millrace_net::HttpError) -> TransportError {
    match source {
        millrace_net::HttpError::Transport(millrace_net::Cause::Timeout) => TransportError::DeadlineExceeded,
        source => TransportError::Http { method, url, source },
    }
}

fn parse(url: &str) -> Result<Url, TransportError> {
    url.parse().map_err(|err| TransportError::Protocol(format!("{err}")))
}

/// The repository's URL, from that of its advertisement.
fn base_of(advertisement: &Url) -> String {
    let mut base = advertisement.clone();
    base.set_query(None);
    base.as_str().strip_suffix(ADVERTISEMENT).unwrap_or(base.as_str()).to_owned()
}

impl Http for Connection {
    type Headers = Headers;
    type ResponseBody = Body;
    type PostBody = RequestBody;

    fn get(
        &mut self,
        url: &str,
        _base_url: &str,
        headers: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> gix::Result<GetResponse<Headers, Body>> {
        let headers: Vec<String> = headers.into_iter().map(|line| line.as_ref().to_owned()).collect();
        let response =
            self.advertisement(url, &headers).map_err(|err| gix::Error::from_error(self.fail(err)))?;
        let exchange = Exchange::answering(self.clone(), response);
        Ok(GetResponse { headers: Headers::of(&exchange), body: Body::of(exchange) })
    }

    fn post(
        &mut self,
        url: &str,
        _base_url: &str,
        headers: impl IntoIterator<Item = impl AsRef<str>>,
        _body: PostBodyDataKind,
    ) -> gix::Result<PostResponse<Headers, Body, RequestBody>> {
        let headers: Vec<String> = headers.into_iter().map(|line| line.as_ref().to_owned()).collect();
        let exchange = Exchange::collecting(self.clone(), url.to_owned(), headers);
        Ok(PostResponse {
            post_body: RequestBody(Arc::clone(&exchange)),
            headers: Headers::of(&exchange),
            body: Body::of(exchange),
        })
    }

    fn configure(&mut self, _config: &dyn Any) -> gix::Result {
        Ok(())
    }

    fn redirected_base_url(&self) -> Option<String> {
        self.shared().redirected.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::base_of;

    #[test]
    fn the_base_of_a_redirected_advertisement_is_the_repository() {
        let url = "https://b.example/x/repo.git/info/refs?service=git-upload-pack".parse().unwrap();
        assert_eq!(base_of(&url), "https://b.example/x/repo.git");
    }
}
