//! The Kubernetes client stack: one HTTP/2 stack per cluster under any number of `kube::Client`s.
//!
//! Watches and calls travel on a connection each, kept alive by pings, so a dead peer is noticed within seconds. A client
//! costs no connection: user agent and impersonated user are headers of each request. Requests are limited, counted and
//! repeated as client-go does it. Writes pass the [`Fence`], which closes when a lease is lost. A kubeConfig target gets a
//! [`Stack`] of its own. Responses are not asked for compressed: inside a cluster the CPU of both sides is dearer than the
//! bytes.

mod body;
mod config;
mod fence;
mod limiter;
mod path;
mod pipeline;
mod retry;
#[cfg(test)]
pub(crate) mod scripted;
mod transport;

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderValue, Request};
use kube::Client;
use kube::client::Body;

pub use config::{NoConfig, locate};
pub use fence::{Fence, Fenced};
use limiter::Limiter;
use pipeline::{Pipeline, Shared};

use crate::failure::chain;
use crate::metrics::Metrics;

/// The header by which an API server with priority and fairness names the flow schema of a request.
const FLOW_SCHEMA_HEADER: &str = "x-kubernetes-pf-flowschema-uid";

/// How long the first answer of the API server is waited for before anything else is done.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long an API server may take until it begins to answer a request that is no watch; its own limit is a minute.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(75);

/// How long the rest of an answer may take once it has begun, unless it is a watch.
const BODY_TIMEOUT: Duration = Duration::from_secs(75);

/// Client-side limits on requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Requests per second in the long run.
    pub qps: f64,
    /// Requests at once.
    pub burst: u32,
}

/// A cluster that can't be talked to as configured.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// Address, certificates or credentials can't be used.
    #[error("invalid Kubernetes client configuration")]
    Config(#[source] kube::Error),
    /// The address of the API server has no host.
    #[error("invalid API server address {0:?}")]
    Address(String),
}

/// Who a request is made for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    user: String,
    groups: Vec<String>,
}

impl Identity {
    /// A user, whose groups the API server knows or adds.
    pub fn user(name: impl Into<String>) -> Self {
        Self { user: name.into(), groups: Vec::new() }
    }

    /// A user with exactly these groups.
    pub fn with_groups(name: impl Into<String>, groups: impl IntoIterator<Item = String>) -> Self {
        Self { user: name.into(), groups: groups.into_iter().collect() }
    }
}

/// The stack of one cluster, as seen by one controller; clones share connections.
#[derive(Clone)]
pub struct Stack {
    shared: Arc<Shared>,
    user_agent: HeaderValue,
    namespace: Arc<str>,
    client: Client,
}

impl Stack {
    /// Makes the stack for a cluster; must be called within a runtime.
    ///
    /// `limits` are dropped if the API server has priority and fairness, which a probe finds out; no answer to the probe
    /// leaves them in place and is no error: it is logged once, and requests will find out when there is one.
    ///
    /// # Errors
    /// The configuration can't be used.
    pub async fn connect(
        config: &kube::Config,
        component: &str,
        limits: Limits,
        metrics: Metrics,
    ) -> Result<Self, ConnectError> {
        let host = config.cluster_url.authority().map(ToString::to_string);
        let host = host.ok_or_else(|| ConnectError::Address(config.cluster_url.to_string()))?;
        let transport = transport::build(config).map_err(ConnectError::Config)?;
        let unlimited = Shared::new(transport, None, metrics, host.clone());
        let mut stack = Self::over(unlimited, component, &config.default_namespace);
        let is_fair = stack.has_priority_and_fairness().await.unwrap_or_else(|cause| {
            let server = host.rsplit('@').next().unwrap_or_default();
            tracing::error!(
                logger = "setup",
                server,
                error = cause,
                "unable to reach the API server, trying on"
            );
            false
        });
        if !is_fair {
            let limited = stack.shared.with_limiter(Limiter::new(limits.qps, limits.burst));
            stack = Self::over(limited, component, &config.default_namespace);
        }
        Ok(stack)
    }

    fn over(shared: Shared, component: &str, namespace: &str) -> Self {
        let shared = Arc::new(shared);
        let user_agent = user_agent(component);
        let client = Client::new(Pipeline::new(&shared, &user_agent, None), namespace);
        Self { shared, user_agent, namespace: Arc::from(namespace), client }
    }

    /// The same stack for another controller, told apart by its user agent.
    #[must_use]
    pub fn named(&self, component: &str) -> Self {
        let user_agent = user_agent(component);
        let client = Client::new(Pipeline::new(&self.shared, &user_agent, None), &*self.namespace);
        Self { user_agent, client, ..self.clone() }
    }

    /// A client with the identity of the stack itself.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// What holds back writes of all clients of this stack, but those of [`Self::unfenced`].
    pub fn fence(&self) -> Fence {
        self.shared.fence().clone()
    }

    /// A client for the leases themselves: it may write whoever holds them.
    pub fn unfenced(&self) -> Client {
        Client::new(Pipeline::new(&self.shared, &self.user_agent, None).unfenced(), &*self.namespace)
    }

    /// A client whose requests are made for `identity`.
    pub fn impersonate(&self, identity: &Identity) -> Client {
        Client::new(Pipeline::new(&self.shared, &self.user_agent, Some(identity)), &*self.namespace)
    }

    async fn has_priority_and_fairness(&self) -> Result<bool, String> {
        let Ok(probe) = Request::head("/livez/ping").body(Body::empty()) else { return Ok(false) };
        match tokio::time::timeout(PROBE_TIMEOUT, self.client.send(probe)).await {
            Ok(Ok(answer)) => Ok(answer.headers().contains_key(FLOW_SCHEMA_HEADER)),
            Ok(Err(error)) => Err(config::root_cause(&error)),
            Err(_) => Err(format!("no answer within {} s", PROBE_TIMEOUT.as_secs())),
        }
    }
}

/// `<component>/<version> (<os>/<architecture>) millrace`: the API server takes the part before the slash for the field
/// manager of requests that name none.
fn user_agent(component: &str) -> HeaderValue {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let version = env!("CARGO_PKG_VERSION");
    let text = format!("{component}/v{version} ({}/{architecture}) millrace", std::env::consts::OS);
    HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static("millrace"))
}

/// What an API server said, or why it didn't, as conditions, events and logs show it.
pub fn error_text(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) if !status.message.is_empty() => status.message.clone(),
        other => chain(other),
    }
}

#[cfg(test)]
mod tests;
