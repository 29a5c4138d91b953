//! A `kube::Client` over a script instead of an API server, for tests.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response};
use kube::Client;
use kube::client::Body;
use serde_json::Value;
use tower::service_fn;

/// A request that the script saw.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: Method,
    pub(crate) uri: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Seen {
    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }
}

/// All requests so far.
#[derive(Clone, Default)]
pub(crate) struct Requests(Arc<Mutex<Vec<Seen>>>);

impl Requests {
    pub(crate) fn all(&self) -> Vec<Seen> {
        self.0.lock().expect("lock").clone()
    }
}

/// A client whose n-th request gets the n-th answer, and then the last one again.
pub(crate) fn answering<const N: usize>(answers: [(u16, &'static str); N]) -> (Client, Requests) {
    let mut next = 0;
    client(move |_| {
        let (status, body) = answers[next.min(N - 1)];
        next += 1;
        Some((status, body.to_owned()))
    })
}

/// How a request is answered: a status with a body, or a connection that breaks.
pub(crate) type Answer = Option<(u16, String)>;

/// When a request is answered.
pub(crate) enum Reply {
    Now(Answer),
    After(Duration, Answer),
    Never,
}

/// A client whose requests are answered by `answer`.
pub(crate) fn client(answer: impl FnMut(&Seen) -> Answer + Send + 'static) -> (Client, Requests) {
    let mut answer = answer;
    timed_client(move |seen| Reply::Now(answer(seen)))
}

/// A client whose requests are answered by `reply`, which is called as soon as a request arrives.
pub(crate) fn timed_client(reply: impl FnMut(&Seen) -> Reply + Send + 'static) -> (Client, Requests) {
    let requests = Requests::default();
    let log = requests.clone();
    let reply = Arc::new(Mutex::new(reply));
    let service = service_fn(move |request: Request<Body>| {
        let (log, reply) = (log.clone(), Arc::clone(&reply));
        async move {
            let (parts, body) = request.into_parts();
            let body = body.collect_bytes().await.expect("a request body");
            let seen =
                Seen { method: parts.method, uri: parts.uri.to_string(), headers: parts.headers, body };
            log.0.lock().expect("lock").push(seen.clone());
            let reply = (reply.lock().expect("lock"))(&seen);
            let answer = match reply {
                Reply::Now(answer) => answer,
                Reply::After(pause, answer) => {
                    tokio::time::sleep(pause).await;
                    answer
                }
                Reply::Never => std::future::pending().await,
            };
            let (status, body) = answer.ok_or_else(|| std::io::Error::other("connection reset"))?;
            let response = Response::builder().status(status).header("content-type", "application/json");
            Ok::<_, std::io::Error>(response.body(Body::from(body.into_bytes())).expect("a response"))
        }
    });
    (Client::new(service, "default"), requests)
}

/// A refusal as an API server phrases it.
pub(crate) fn refusal(code: u16, reason: &str) -> (u16, String) {
    let status = serde_json::json!({ "kind": "Status", "status": "Failure", "reason": reason, "message": reason, "code": code });
    (code, status.to_string())
}

/// Applies a JSON merge patch.
pub(crate) fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = serde_json::json!({});
    }
    for (key, value) in patch {
        if value.is_null() {
            target.as_object_mut().expect("a map").remove(key);
        } else {
            merge(&mut target[key], value);
        }
    }
}

/// Applies a JSON merge patch to an object as an API server does it: only over the version that the patch names, if it
/// names one, and giving it a new version.
pub(crate) fn patch(object: &mut Value, patch: &Value) -> (u16, String) {
    let version = object["metadata"]["resourceVersion"].as_str().expect("a version").to_owned();
    let named = &patch["metadata"]["resourceVersion"];
    if !named.is_null() && *named != version.as_str() {
        return refusal(409, "Conflict");
    }
    merge(object, patch);
    let next: u64 = version.parse::<u64>().expect("a number") + 1;
    object["metadata"]["resourceVersion"] = next.to_string().into();
    (200, object.to_string())
}
