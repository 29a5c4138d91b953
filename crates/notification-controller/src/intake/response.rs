//! What senders are told.
//!
//! Contract: notification-controller §2.3.

use axum::response::Response;
use http::{HeaderName, HeaderValue, StatusCode, header};

use super::{Outcome, limiter::Decision};
use crate::{go::time::format_http_date, web};

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// The answer to an event.
pub(super) fn of(outcome: Outcome) -> Response {
    match outcome {
        Outcome::Accepted(decision) => with_limits(web::empty(StatusCode::ACCEPTED), decision),
        Outcome::Duplicate(decision) => {
            let refusal = web::line(StatusCode::TOO_MANY_REQUESTS, "Too Many Requests\n");
            let mut response = with_limits(refusal, decision);
            response.headers_mut().insert(header::RETRY_AFTER, reset(decision));
            response
        }
        Outcome::Undecodable => web::empty(StatusCode::BAD_REQUEST),
        Outcome::Busy => web::empty(StatusCode::SERVICE_UNAVAILABLE),
    }
}

fn with_limits(mut response: Response, decision: Decision) -> Response {
    let headers = response.headers_mut();
    headers.insert(LIMIT, HeaderValue::from_static("1"));
    headers.insert(REMAINING, HeaderValue::from_static("0"));
    headers.insert(RESET, reset(decision));
    response
}

fn reset(decision: Decision) -> HeaderValue {
    HeaderValue::try_from(format_http_date(decision.reset)).expect("dates are ASCII")
}
