//! A `kube::Client` over a script instead of an API server, for tests.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response};
use kube::Client;
use kube::client::Body;
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
    pub(crate) fn json(&self) -> serde_json::Value {
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

/// A client whose requests are answered by `answer`; `None` is a connection that breaks.
pub(crate) fn client(
    answer: impl FnMut(&Seen) -> Option<(u16, String)> + Send + 'static,
) -> (Client, Requests) {
    let requests = Requests::default();
    let log = requests.clone();
    let answer = Arc::new(Mutex::new(answer));
    let service = service_fn(move |request: Request<Body>| {
        let (log, answer) = (log.clone(), Arc::clone(&answer));
        async move {
            let (parts, body) = request.into_parts();
            let body = body.collect_bytes().await.expect("a request body");
            let seen =
                Seen { method: parts.method, uri: parts.uri.to_string(), headers: parts.headers, body };
            log.0.lock().expect("lock").push(seen.clone());
            let answer = (answer.lock().expect("lock"))(&seen);
            let (status, body) = answer.ok_or_else(|| std::io::Error::other("connection reset"))?;
            let response = Response::builder().status(status).header("content-type", "application/json");
            Ok::<_, std::io::Error>(response.body(Body::from(body.into_bytes())).expect("a response"))
        }
    });
    (Client::new(service, "default"), requests)
}
