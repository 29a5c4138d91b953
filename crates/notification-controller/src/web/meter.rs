//! The request metrics of one server.
//!
//! Contract: notification-controller §5.4.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use axum::{extract::Request, middleware::Next, response::Response};
use http::Method;
use http_body::Body as _;
use millrace_reconcile::metrics::{Gauge, Histogram, Metrics};

const SECONDS: &[f64] = &[0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
const BYTES: &[f64] = &[1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

const REQUEST_LABELS: &[&str] = &["code", "handler", "method", "service"];
const INFLIGHT_LABELS: &[&str] = &["handler", "service"];

const DURATION_HELP: &str = "The latency of the HTTP requests.";
const SIZE_HELP: &str = "The size of the HTTP responses.";
const INFLIGHT_HELP: &str = "The number of inflight requests being handled at the same time.";

/// How many different paths become label values, and how long they may be.
const MAX_PATHS: usize = 1000;
const MAX_PATH_BYTES: usize = 256;

/// What stands for values beyond those limits.
const OTHER: &str = "other";

/// There is only one service; the label stays for the dashboards that name it.
const SERVICE: &str = "";

/// Measures the requests of one server.
#[derive(Clone)]
pub(crate) struct Meter {
    duration: Histogram,
    size: Histogram,
    inflight: Gauge,
    /// The value of the label `handler`.
    handler: &'static str,
    /// The paths that stand for it, where they are asked for.
    paths: Option<Paths>,
}

impl Meter {
    /// The meter of the event server.
    pub(crate) fn of_events(metrics: &Metrics, per_path: bool) -> Self {
        Self {
            duration: metrics.histogram(
                "gotk_event_http_request_duration_seconds",
                DURATION_HELP,
                REQUEST_LABELS,
                SECONDS,
            ),
            size: metrics.histogram("gotk_event_http_response_size_bytes", SIZE_HELP, REQUEST_LABELS, BYTES),
            inflight: metrics.gauge("gotk_event_http_requests_inflight", INFLIGHT_HELP, INFLIGHT_LABELS),
            handler: "/",
            paths: per_path.then(Paths::default),
        }
    }

    /// The meter of the webhook server.
    pub(crate) fn of_hooks(metrics: &Metrics, per_path: bool) -> Self {
        Self {
            duration: metrics.histogram(
                "gotk_receiver_http_request_duration_seconds",
                DURATION_HELP,
                REQUEST_LABELS,
                SECONDS,
            ),
            size: metrics.histogram(
                "gotk_receiver_http_response_size_bytes",
                SIZE_HELP,
                REQUEST_LABELS,
                BYTES,
            ),
            inflight: metrics.gauge("gotk_receiver_http_requests_inflight", INFLIGHT_HELP, INFLIGHT_LABELS),
            handler: "/hook/",
            paths: per_path.then(Paths::default),
        }
    }

    /// Measures one request.
    pub(crate) async fn measure(self, request: Request, next: Next) -> Response {
        let path = self.paths.as_ref().map(|paths| paths.label(request.uri().path()));
        let handler = path.as_deref().unwrap_or(self.handler);
        let method = method_label(request.method());
        let inflight = Inflight::enter(&self.inflight, handler);
        let began = Instant::now();
        let response = next.run(request).await;
        drop(inflight);
        let status = response.status();
        let labels = [status.as_str(), handler, method, SERVICE];
        self.duration.observe(&labels, began.elapsed().as_secs_f64());
        let size = response.body().size_hint().exact().unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "answers are a few bytes long")]
        self.size.observe(&labels, size as f64);
        response
    }
}

/// The paths that have become label values: callers choose them, so there is an end to their number.
#[derive(Clone, Default)]
struct Paths(Arc<Mutex<HashSet<String>>>);

impl Paths {
    /// The label value for a path: itself, as long as there are few and short ones.
    fn label(&self, path: &str) -> String {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains(path) {
            return path.to_owned();
        }
        if known.len() >= MAX_PATHS || path.len() > MAX_PATH_BYTES {
            return OTHER.to_owned();
        }
        known.insert(path.to_owned());
        path.to_owned()
    }
}

/// The label value for a method: callers may invent them.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::CONNECT => "CONNECT",
        Method::OPTIONS => "OPTIONS",
        Method::TRACE => "TRACE",
        _ => OTHER,
    }
}

/// Counts a request as under way until it is dropped, also when the caller goes away.
struct Inflight<'a> {
    gauge: &'a Gauge,
    handler: &'a str,
}

impl<'a> Inflight<'a> {
    fn enter(gauge: &'a Gauge, handler: &'a str) -> Self {
        gauge.add(&[handler, SERVICE], 1.0);
        Self { gauge, handler }
    }
}

impl Drop for Inflight<'_> {
    fn drop(&mut self) {
        self.gauge.add(&[self.handler, SERVICE], -1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_can_not_make_labels_without_end() {
        let paths = Paths::default();
        assert_eq!(paths.label("/x"), "/x");
        assert_eq!(paths.label(&format!("/{}", "y".repeat(MAX_PATH_BYTES))), OTHER);
        for at in 0..2 * MAX_PATHS {
            paths.label(&format!("/{at}"));
        }
        assert_eq!((paths.label("/x"), paths.label("/new")), ("/x".to_owned(), OTHER.to_owned()));
        assert_eq!(paths.0.lock().unwrap().len(), MAX_PATHS);
        let invented = Method::from_bytes(b"INVENTED").unwrap();
        assert_eq!([Method::PUT, invented].map(|method| method_label(&method)), ["PUT", OTHER]);
    }
}
