//! Answers that the API server might give and the proxy gives in its place.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Response, StatusCode};
use serde_json::{Value, json};

/// An answer in the API server's place.
#[derive(Clone, Debug)]
pub struct Refusal {
    code: StatusCode,
    retry_after: Option<u32>,
    /// In a watch that the server has agreed to.
    streamed: bool,
}

impl Refusal {
    /// 429, with the seconds after which the client may come back.
    pub fn too_many_requests(retry_after: u32) -> Self {
        Self { retry_after: Some(retry_after), ..Self::of(StatusCode::TOO_MANY_REQUESTS) }
    }

    /// 500.
    pub fn internal_error() -> Self {
        Self::of(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// 503, without saying when to come back.
    pub fn unavailable() -> Self {
        Self::of(StatusCode::SERVICE_UNAVAILABLE)
    }

    /// 409.
    pub fn conflict() -> Self {
        Self::of(StatusCode::CONFLICT)
    }

    /// 410: the version asked for is too old.
    pub fn gone() -> Self {
        Self::of(StatusCode::GONE)
    }

    /// 410 the way a watch learns it: a stream that begins well and holds an error.
    pub fn expired() -> Self {
        Self { streamed: true, ..Self::gone() }
    }

    fn of(code: StatusCode) -> Self {
        Self { code, retry_after: None, streamed: false }
    }

    /// The answer as it is sent.
    pub(super) fn response(&self) -> Response<Bytes> {
        let status = self.status();
        let (code, body) = if self.streamed {
            (StatusCode::OK, format!("{}\n", json!({ "type": "ERROR", "object": status })))
        } else {
            (self.code, status.to_string())
        };
        let mut response = Response::new(Bytes::from(body));
        *response.status_mut() = code;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }

    fn status(&self) -> Value {
        let (reason, message) = match self.code {
            StatusCode::TOO_MANY_REQUESTS => ("TooManyRequests", "too many requests, please try again later"),
            StatusCode::INTERNAL_SERVER_ERROR => ("InternalError", "an error on the server"),
            StatusCode::SERVICE_UNAVAILABLE => {
                ("ServiceUnavailable", "the server is currently unable to handle it")
            }
            StatusCode::CONFLICT => ("Conflict", "the object has been modified"),
            _ => ("Expired", "too old resource version: 1 (2)"),
        };
        json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": message, "reason": reason, "code": self.code.as_u16(),
            "details": self.retry_after.map(|seconds| json!({ "retryAfterSeconds": seconds })),
        })
    }
}
