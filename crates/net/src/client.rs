//! The HTTP client.

use std::{sync::Arc, time::Duration};

use http::{Method, header};
use reqwest::{Request, RequestBuilder};
use url::Url;

use crate::{
    Cause, EgressPolicy, Response, Secret, Tls,
    egress::{EgressRefused, literal},
    redirect,
    resolver::CheckedResolver,
    tls::TlsError,
};

/// The proxy that requests take.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Proxy {
    /// What `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` say.
    #[default]
    Environment,
    /// This one for every request; `NO_PROXY` doesn't apply. `http`, `https` or `socks5`, credentials as userinfo.
    Url(Secret<String>),
    /// None, whatever the environment says.
    Direct,
}

/// Settings of an [`HttpClient`].
#[derive(Clone, PartialEq, Eq)]
pub struct Options {
    /// Trust and client certificate.
    pub tls: Tls,
    /// The proxy.
    pub proxy: Proxy,
    /// Addresses that may be reached.
    pub egress: Arc<EgressPolicy>,
    /// The `User-Agent` header.
    pub user_agent: String,
    /// Bound of one request from connecting to the last byte of its body; none for long downloads.
    pub timeout: Option<Duration>,
    /// Bound of connecting, TLS handshake included.
    pub connect_timeout: Duration,
    /// Bound of the silence between two pieces of an answer.
    pub read_timeout: Option<Duration>,
    /// Redirects that [`HttpClient::send`] follows before it gives up.
    pub max_redirects: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tls: Tls::default(),
            proxy: Proxy::default(),
            egress: Arc::default(),
            user_agent: concat!("millrace/", env!("CARGO_PKG_VERSION")).to_owned(),
            timeout: None,
            connect_timeout: Duration::from_secs(30),
            read_timeout: None,
            max_redirects: 10,
        }
    }
}

/// A request that failed, or a client that can't be made.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The TLS settings can't be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The proxy address can't be used.
    #[error("invalid proxy address")]
    Proxy(#[source] reqwest::Error),
    /// The client can't be made for another reason.
    #[error("failed to create HTTP client")]
    Build(#[source] reqwest::Error),
    /// The request itself is malformed.
    #[error("invalid HTTP request")]
    Request(#[source] reqwest::Error),
    /// No answer, or not all of it.
    #[error("{0}")]
    Transport(Cause),
    /// The answers only led to further redirects.
    #[error("stopped after {0} redirects")]
    TooManyRedirects(usize),
    /// The body is longer than allowed.
    #[error("response body exceeds {limit} bytes")]
    BodyTooLarge {
        /// The limit in bytes.
        limit: usize,
    },
}

impl HttpError {
    /// Says whether the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Transport(cause) if cause.is_retryable())
    }
}

impl From<EgressRefused> for HttpError {
    fn from(refused: EgressRefused) -> Self {
        Self::Transport(Cause::Egress(refused))
    }
}

/// An HTTP client that judges addresses, follows redirects with care and reads bodies within limits.
///
/// Clones share connections. Building one loads the system's trust store: share clients, see [`Clients`](crate::Clients).
#[derive(Clone)]
pub struct HttpClient {
    inner: reqwest::Client,
    egress: Arc<EgressPolicy>,
    /// The proxy that every connection leads to, without its login.
    proxy: Option<Arc<Url>>,
    /// Bound of finding out what the policy says of an address.
    judgement_timeout: Duration,
    max_redirects: usize,
}

impl HttpClient {
    /// Makes a client.
    ///
    /// # Errors
    /// [`HttpError::Tls`] and [`HttpError::Proxy`] for settings that don't parse, a refused proxy address included.
    pub fn new(options: &Options) -> Result<Self, HttpError> {
        let mut builder = reqwest::Client::builder()
            .user_agent(&options.user_agent)
            .connect_timeout(options.connect_timeout)
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            // The pools of many per-object clients must not add up.
            .pool_max_idle_per_host(4)
            .pool_idle_timeout(Duration::from_secs(30))
            .dns_resolver(Arc::new(CheckedResolver { policy: Arc::clone(&options.egress) }));
        if let Some(timeout) = options.timeout {
            builder = builder.timeout(timeout);
        }
        if let Some(timeout) = options.read_timeout {
            builder = builder.read_timeout(timeout);
        }
        let mut proxy_url = None;
        builder = match &options.proxy {
            Proxy::Environment => builder,
            Proxy::Direct => builder.no_proxy(),
            Proxy::Url(address) => {
                let proxy = reqwest::Proxy::all(address.expose().as_str()).map_err(HttpError::Proxy)?;
                if let Ok(mut url) = address.expose().parse::<Url>() {
                    options.egress.check_literal(&url).map_err(through_proxy)?;
                    // Nobody but the library needs the login; a URL that can't have one has none.
                    let _ = url.set_username("").and_then(|()| url.set_password(None));
                    proxy_url = Some(url);
                }
                builder.no_proxy().proxy(proxy)
            }
        };
        let inner = options.tls.configure(builder)?.build().map_err(HttpError::Build)?;
        Ok(Self {
            inner,
            egress: Arc::clone(&options.egress),
            proxy: proxy_url.map(Arc::new),
            judgement_timeout: options
                .timeout
                .map_or(options.connect_timeout, |timeout| timeout.min(options.connect_timeout)),
            max_redirects: options.max_redirects,
        })
    }

    /// Starts a request. Mark headers that authenticate as sensitive: they are dropped on redirects to other origins.
    pub fn request(&self, method: Method, url: Url) -> RequestBuilder {
        self.inner.request(method, url)
    }

    /// Sends a request and follows redirects.
    ///
    /// # Errors
    /// [`HttpError::Transport`] without an answer; any status code is an answer. [`HttpError::TooManyRedirects`] in a
    /// loop.
    pub async fn send(&self, request: RequestBuilder) -> Result<Response, HttpError> {
        let mut request = request.build().map_err(HttpError::Request)?;
        let mut hops = 0;
        loop {
            let again = request.try_clone();
            let response = self.send_once(request).await?;
            let Some(target) = redirect::location(response.status(), response.headers(), response.url())
            else {
                return Ok(response);
            };
            let Some(next) = again.map(|sent| redirected(sent, target, &response)) else {
                // The body was a stream and is gone: the caller sees the redirect itself.
                return Ok(response);
            };
            hops += 1;
            if hops > self.max_redirects {
                return Err(HttpError::TooManyRedirects(self.max_redirects));
            }
            request = next;
        }
    }

    /// Sends a request and returns the answer even if it is a redirect.
    ///
    /// # Errors
    /// [`HttpError::Transport`] without an answer.
    pub async fn send_once(&self, mut request: Request) -> Result<Response, HttpError> {
        self.take_login(&mut request)?;
        self.check_literals(request.url()).await?;
        let address = address_of(request.url());
        match self.inner.execute(request).await {
            Ok(response) => Ok(Response::new(response, address)),
            Err(err) if err.is_builder() => Err(HttpError::Request(err)),
            Err(err) => Err(HttpError::Transport(match &self.proxy {
                Some(proxy) => Cause::of(&err, &address_of(proxy)).through_proxy(),
                None => Cause::of(&err, &address),
            })),
        }
    }
}

impl HttpClient {
    /// Checks the addresses that a request would take without a lookup.
    async fn check_literals(&self, url: &Url) -> Result<(), HttpError> {
        // At the start, the name of the API server may not have been known by its addresses: so the proxy is judged, too.
        let proxy = self.proxy.as_deref();
        if literal(url).or_else(|| proxy.and_then(literal)).is_none() {
            return Ok(());
        }
        let policy = tokio::time::timeout(self.judgement_timeout, self.egress.current()).await;
        let policy = policy.map_err(|_| HttpError::Transport(Cause::Timeout))?;
        policy.check_literal(url)?;
        match proxy {
            Some(proxy) => policy.check_literal(proxy).map_err(through_proxy),
            None => Ok(()),
        }
    }

    /// Moves the login in a URL to the header that sends it, unless that is set: the HTTP library would drop it, and
    /// write the URL to its trace.
    fn take_login(&self, request: &mut Request) -> Result<(), HttpError> {
        if request.url().username().is_empty() && request.url().password().is_none() {
            return Ok(());
        }
        let plain = self.inner.request(request.method().clone(), request.url().clone());
        let mut plain = plain.build().map_err(HttpError::Request)?;
        *request.url_mut() = plain.url().clone();
        if let Some(login) = plain.headers_mut().remove(header::AUTHORIZATION) {
            request.headers_mut().entry(header::AUTHORIZATION).or_insert(login);
        }
        Ok(())
    }
}

fn through_proxy(refused: EgressRefused) -> HttpError {
    HttpError::Transport(Cause::Egress(refused).through_proxy())
}

/// Turns the request that was answered by a redirect into the one that follows it.
fn redirected(mut request: Request, target: Url, response: &Response) -> Request {
    let (method, keeps_body) = redirect::method_after(response.status(), request.method());
    if !redirect::same_origin(request.url(), &target) {
        redirect::strip_credentials(request.headers_mut());
    }
    if !keeps_body {
        *request.body_mut() = None;
        for name in [header::CONTENT_TYPE, header::CONTENT_LENGTH, header::CONTENT_ENCODING] {
            request.headers_mut().remove(name);
        }
    }
    *request.method_mut() = method;
    *request.url_mut() = target;
    request
}

/// Host and port as error texts show them.
fn address_of(url: &Url) -> String {
    format!("{}:{}", url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::NamedHost;

    /// A client under lockdown whose API server is looked up by `lookup`.
    fn locked(host: NamedHost, options: Options) -> HttpClient {
        crate::install_crypto_provider();
        let egress = EgressPolicy { lockdown: true, api_server_host: Some(host), ..EgressPolicy::default() };
        HttpClient::new(&Options { egress: Arc::new(egress), ..options }).unwrap()
    }

    #[tokio::test]
    async fn the_api_server_is_looked_up_only_where_an_address_stands_in_the_url_or_the_proxy() {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let host = NamedHost::looked_up_by("api.test", move |_| {
            count.fetch_add(1, Ordering::Relaxed);
            Box::pin(std::future::ready(Ok(vec!["192.0.2.1".parse().unwrap()])))
        });
        let proxy = |address: &str| Proxy::Url(Secret::new(address.to_owned()));
        for (proxy, url, lookups, refused) in [
            (Proxy::Direct, "http://example.com/", 0, false),
            (proxy("http://proxy.test:3128"), "https://example.com/", 0, false),
            (Proxy::Direct, "http://192.0.2.1/", 1, true),
            (Proxy::Direct, "http://192.0.2.2/", 1, false),
            (Proxy::Direct, "http://3221225985/", 1, true),
            (proxy("http://192.0.2.1:3128"), "http://example.com/", 1, true),
            (proxy("socks5://3221225985:1080"), "http://example.com/", 1, true),
            (proxy("http://192.0.2.2:3128"), "http://example.com/", 1, false),
        ] {
            let client = locked(host.clone(), Options { proxy, ..Options::default() });
            asked.store(0, Ordering::Relaxed);
            let judged = client.check_literals(&url.parse().unwrap()).await;
            assert_eq!((asked.load(Ordering::Relaxed), judged.is_err()), (lookups, refused), "{url}");
        }
    }

    #[tokio::test]
    async fn a_lookup_that_never_ends_is_given_up_like_a_connection() {
        let short = Duration::from_millis(20);
        let long = Duration::from_hours(1);
        for (timeout, connect_timeout) in [(None, short), (Some(short), long), (Some(long), short)] {
            let host = NamedHost::looked_up_by("api.test", |_| Box::pin(std::future::pending()));
            let options = Options { proxy: Proxy::Direct, timeout, connect_timeout, ..Options::default() };
            let client = locked(host, options);
            let sent = client.send(client.request(Method::GET, "http://192.0.2.2:1/".parse().unwrap()));
            let outcome = tokio::time::timeout(Duration::from_secs(10), sent).await.expect("an outcome");
            let error = outcome.err().expect("nobody judged the address");
            assert!(matches!(error, HttpError::Transport(Cause::Timeout)) && error.is_retryable(), "{error}");
        }
    }
}
