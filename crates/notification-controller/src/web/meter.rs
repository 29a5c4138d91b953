//! The request metrics of one server.
//!
//! Contract: notification-controller §5.4.

use std::time::Instant;

use axum::{extract::Request, middleware::Next, response::Response};
use http_body::Body as _;
use millrace_reconcile::metrics::{Gauge, Histogram, Metrics};

const SECONDS: &[f64] = &[0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
const BYTES: &[f64] = &[1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

const REQUEST_LABELS: &[&str] = &["code", "handler", "method", "service"];
const INFLIGHT_LABELS: &[&str] = &["handler", "service"];

const DURATION_HELP: &str = "The latency of the HTTP requests.";
const SIZE_HELP: &str = "The size of the HTTP responses.";
const INFLIGHT_HELP: &str = "The number of inflight requests being handled at the same time.";

/// There is only one service; the label stays for the dashboards that name it.
const SERVICE: &str = "";

/// Measures the requests of one server.
#[derive(Clone)]
pub(crate) struct Meter {
    duration: Histogram,
    size: Histogram,
    inflight: Gauge,
    /// The value of the label `handler`; the request's path without one.
    handler: Option<&'static str>,
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
            handler: (!per_path).then_some("/"),
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
            handler: (!per_path).then_some("/hook/"),
        }
    }

    /// Measures one request.
    pub(crate) async fn measure(self, request: Request, next: Next) -> Response {
        let path = request.uri().path().to_owned();
        let handler = self.handler.unwrap_or(&path);
        let method = request.method().clone();
        let inflight = Inflight::enter(&self.inflight, handler);
        let began = Instant::now();
        let response = next.run(request).await;
        drop(inflight);
        let status = response.status();
        let labels = [status.as_str(), handler, method.as_str(), SERVICE];
        self.duration.observe(&labels, began.elapsed().as_secs_f64());
        let size = response.body().size_hint().exact().unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "answers are a few bytes long")]
        self.size.observe(&labels, size as f64);
        response
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
