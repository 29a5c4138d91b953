//! Answers webhook calls and asks the objects they concern to reconcile.
//!
//! Callers learn nothing but a status code; why a call was refused stands in the log.
//!
//! Contract: notification-controller §4.

mod annotate;
mod target;

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    middleware::from_fn,
    response::Response,
};
use http::{HeaderMap, StatusCode, header};
use millrace_api::{
    meta::conditions::{self, READY, RECONCILING, STALLED},
    notification::v1::Receiver,
};
use millrace_net::Masker;
use millrace_reconcile::{clock::Clock, metrics::Metrics};

pub use self::target::{Target, TargetError, resolve};
use crate::{
    receivers::{self, Accepted, Call, Rejection},
    secret,
    web::{self, Bodies, Held, Meter, Refused},
};

const LOGGER: &str = "receiver-server";
const PREFIX: &str = "/hook/";

/// Finds the Receiver that is called at a path.
pub type Find = Arc<dyn Fn(&str) -> Option<Arc<Receiver>> + Send + Sync>;

/// What answering calls needs; cheap to clone.
#[derive(Clone)]
pub struct Hooks {
    /// Reads Secrets and wakes objects.
    pub client: kube::Client,
    /// Tells the time that is written on the objects.
    pub clock: Arc<dyn Clock>,
    /// Finds Receivers.
    pub find: Find,
    /// Whether Receivers may only wake objects of their own namespace.
    pub no_cross_namespace_refs: bool,
}

impl Hooks {
    /// The HTTP side.
    pub fn router(self, metrics: &Metrics, per_path_metrics: bool) -> Router {
        let meter = Meter::of_hooks(metrics, per_path_metrics);
        Router::new()
            .fallback(receive)
            .with_state((self, Bodies::new(LOGGER)))
            .layer(from_fn(web::clean_paths))
            .layer(from_fn(move |request, next| meter.clone().measure(request, next)))
    }
}

async fn receive(State((hooks, bodies)): State<(Hooks, Bodies)>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path();
    if path == "/hook" {
        return web::redirect(&parts.method, PREFIX, parts.uri.query());
    }
    if !path.starts_with(PREFIX) {
        return web::line(StatusCode::NOT_FOUND, "404 page not found\n");
    }
    // The whole target counts: a query or an absolute form names no Receiver.
    let target = parts.uri.to_string();
    let shown: String = target.strip_prefix(PREFIX).unwrap_or(&target).chars().take(8).collect();
    tracing::info!(logger = LOGGER, "handling request: {shown}…");
    let answered = answer(&hooks, &bodies, &target, &parts.headers, body).await;
    answered.map_or_else(|refused| refused.response(), web::empty)
}

/// Answers a call, whose body is kept only where there is a Receiver to verify it.
///
/// # Errors
///
/// If the body is refused, which comes before anything else can be wrong.
async fn answer(
    hooks: &Hooks,
    bodies: &Bodies,
    target: &str,
    headers: &HeaderMap,
    body: Body,
) -> Result<StatusCode, Refused> {
    if let Err(uncallable) = hooks.callable(target) {
        bodies.discard(body).await?;
        return Ok(uncallable.told());
    }
    let body = bodies.read(body).await?;
    // That took its time, and what counts is what the Receiver is now.
    Ok(match hooks.callable(target) {
        Ok(receiver) => pass_on(hooks, &receiver, headers, body).await.unwrap_or_else(|status| status),
        Err(uncallable) => uncallable.told(),
    })
}

/// Why nobody is called.
enum Uncallable {
    /// There is no such Receiver.
    Unknown,
    /// There is one, but it takes no calls.
    Closed(Arc<Receiver>, &'static str),
}

impl Uncallable {
    /// Logs what the caller isn't told, and returns what it is.
    fn told(&self) -> StatusCode {
        match self {
            Self::Unknown => StatusCode::NOT_FOUND,
            Self::Closed(receiver, why) => {
                Log::of(receiver).error(why, "unable to process request");
                StatusCode::SERVICE_UNAVAILABLE
            }
        }
    }
}

impl Hooks {
    /// The Receiver that is called at `target`, if it takes calls.
    fn callable(&self, target: &str) -> Result<Arc<Receiver>, Uncallable> {
        let receiver = (self.find)(target).ok_or(Uncallable::Unknown)?;
        match check_ready(&receiver) {
            Ok(()) => Ok(receiver),
            Err(why) => Err(Uncallable::Closed(receiver, why)),
        }
    }
}

/// Verifies a call and wakes what it is about.
async fn pass_on(
    hooks: &Hooks,
    receiver: &Receiver,
    headers: &HeaderMap,
    body: Held,
) -> Result<StatusCode, StatusCode> {
    let log = Log::of(receiver);
    let accepted = verify(hooks, receiver, headers, &body).await.map_err(|rejection| {
        log.error("unable to validate payload", &rejection.to_string());
        StatusCode::BAD_REQUEST
    })?;
    // Nobody looks at it any more, and waking takes its time.
    drop(body);
    if let Some(note) = accepted.note {
        log.info(&note);
    }
    if let Some(field) = filter_field(receiver) {
        log.error("unable to create resource filters", &unsupported_filter(&field));
        return Err(StatusCode::INTERNAL_SERVER_ERROR);
    }
    Ok(wake(hooks, receiver, &log).await)
}

/// Says what keeps a Receiver from being called.
fn check_ready(receiver: &Receiver) -> Result<(), &'static str> {
    if receiver.spec.suspend {
        return Err("receiver is suspended");
    }
    let list = receiver.status.as_ref().map(|status| status.conditions.as_slice()).unwrap_or_default();
    let busy = conditions::is_true(list, RECONCILING) || conditions::is_true(list, STALLED);
    if conditions::is_true(list, READY) && !busy { Ok(()) } else { Err("receiver is not ready") }
}

async fn verify(
    hooks: &Hooks,
    receiver: &Receiver,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<Accepted, Rejection> {
    let namespace = receiver.metadata.namespace.as_deref().unwrap_or_default();
    let data = match &receiver.spec.secret_ref {
        None => None,
        Some(reference) => {
            let name = &reference.name;
            let data = secret::fetch(&hooks.client, namespace, name).await.map_err(|error| {
                Rejection(format!(
                    "unable to read secret, error: unable to read secret \"{namespace}/{name}\": {error}"
                ))
            })?;
            if data.get("token").is_none() {
                let text = format!("invalid \"{namespace}/{name}\" secret data: required field 'token'");
                return Err(Rejection(text));
            }
            Some(data)
        }
    };
    let token = data.as_ref().and_then(|data| secret::bytes(data, "token")).unwrap_or_default();
    let type_ = &receiver.spec.type_;
    let known = receivers::find(type_).ok_or_else(|| {
        let known = receivers::known();
        Rejection(format!("recevier type \"{type_}\" not supported\nspec.type must be one of: {known}"))
    })?;
    (known.verify)(&Call { headers, body, token, events: &receiver.spec.events }).map_err(|rejection| {
        // A caller that sends the token itself where a signature belongs must not find it in our log.
        let mut masker = Masker::new();
        masker.add(String::from_utf8_lossy(token).trim());
        Rejection(masker.mask(&rejection.0))
    })
}

/// Asks every object the Receiver lists to reconcile; one that fails keeps none of the others.
async fn wake(hooks: &Hooks, receiver: &Receiver, log: &Log<'_>) -> StatusCode {
    let mut status = StatusCode::OK;
    let namespace = receiver.metadata.namespace.as_deref().unwrap_or_default();
    for resource in &receiver.spec.resources {
        let woken = match resolve(resource, namespace, hooks.no_cross_namespace_refs) {
            Ok(target) => annotate::wake(&hooks.client, &*hooks.clock, &target, log).await,
            Err(error) => Err(vec![error.to_string()]),
        };
        for error in woken.err().unwrap_or_default() {
            log.error("unable to request reconciliation", &error);
            status = StatusCode::INTERNAL_SERVER_ERROR;
        }
    }
    status
}

/// The first field of a Receiver that asks for a filter.
///
/// Filters decide which objects may be woken, so a Receiver with one is refused as a whole as long as they can't be
/// evaluated.
pub fn filter_field(receiver: &Receiver) -> Option<String> {
    let is_set = |filter: &Option<String>| filter.as_deref().is_some_and(|filter| !filter.is_empty());
    if is_set(&receiver.spec.resource_filter) {
        return Some("resourceFilter".to_owned());
    }
    let at = receiver.spec.resources.iter().position(|resource| is_set(&resource.filter))?;
    Some(format!("resources[{at}].filter"))
}

/// What is said about a Receiver with a filter.
pub(crate) fn unsupported_filter(field: &str) -> String {
    format!("spec.{field} is set, but CEL expressions are not supported by this version")
}

/// Log lines about one Receiver.
pub(crate) struct Log<'a> {
    name: &'a str,
    namespace: &'a str,
}

impl<'a> Log<'a> {
    fn of(receiver: &'a Receiver) -> Self {
        let metadata = &receiver.metadata;
        Self {
            name: metadata.name.as_deref().unwrap_or_default(),
            namespace: metadata.namespace.as_deref().unwrap_or_default(),
        }
    }

    fn flat(&self) -> String {
        serde_json::json!({ "reconciler kind": "Receiver", "name": self.name, "namespace": self.namespace })
            .to_string()
    }

    pub(crate) fn info(&self, text: &str) {
        tracing::info!(logger = LOGGER, json.flat = self.flat(), "{text}");
    }

    pub(crate) fn error(&self, text: &str, error: &str) {
        tracing::error!(logger = LOGGER, json.flat = self.flat(), error, "{text}");
    }
}

/// Keeps callers waiting until Receivers are known, so that a call during the start is not lost.
pub(crate) fn unavailable() -> Response {
    let mut response = web::empty(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::RETRY_AFTER, header::HeaderValue::from_static("5"));
    response
}
