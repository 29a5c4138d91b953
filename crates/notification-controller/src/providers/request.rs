//! A request as a value, and the verdict on its answer.

use http::{Method, StatusCode};
use serde::Serialize;

use crate::go;

/// What a provider wants sent.
pub struct Message {
    /// The request.
    pub request: Request,
    /// How its answer is judged.
    pub judge: Judge,
    /// What stands before the text of any failure to send it.
    pub failure_prefix: &'static str,
}

/// Decides from the final answer whether the message was accepted.
pub type Judge = fn(StatusCode, &[u8]) -> Result<(), String>;

impl Message {
    /// A JSON message whose acceptance is told by the status alone.
    pub(super) fn json(address: &str, payload: &impl Serialize) -> Self {
        Self::post(address, go::json::to_bytes(payload))
    }

    /// As [`Self::json`], with a body that is JSON already.
    pub(super) fn post(address: &str, body: Vec<u8>) -> Self {
        let mut headers = Headers::default();
        headers.set("Content-Type", "application/json");
        let request = Request { method: Method::POST, url: address.to_owned(), headers, body };
        Self { request, judge: judge_status, failure_prefix: "postMessage failed: " }
    }
}

/// An HTTP request, not yet checked for what HTTP allows.
#[derive(Clone)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// Where it goes, exactly as configured.
    pub url: String,
    /// The headers it sets.
    pub headers: Headers,
    /// The body.
    pub body: Vec<u8>,
}

/// Request headers; names compare without regard to case.
#[derive(Clone, Default)]
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// Sets `name`, replacing an earlier value.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        match self.0.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    /// The headers in the order they were first set.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// How much of a refusal is quoted.
const MAX_QUOTED_BYTES: usize = 1024;

/// Accepts every 2xx answer.
fn judge_status(status: StatusCode, body: &[u8]) -> Result<(), String> {
    if status.is_success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(body);
    let end = text.floor_char_boundary(MAX_QUOTED_BYTES);
    let more = if end < text.len() { "…" } else { "" };
    Err(format!("request failed with status code {}: {}{more}", status.as_u16(), &text[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_set_twice_has_the_later_value() {
        let mut headers = Headers::default();
        headers.set("Content-Type", "a");
        headers.set("X", "b");
        headers.set("content-type", "c");
        assert_eq!(headers.iter().collect::<Vec<_>>(), [("Content-Type", "c"), ("X", "b")]);
    }

    #[test]
    fn a_refusal_quotes_status_and_body() {
        assert_eq!(judge_status(StatusCode::NO_CONTENT, b""), Ok(()));
        let refusal = judge_status(StatusCode::BAD_REQUEST, b"nope").unwrap_err();
        assert_eq!(refusal, "request failed with status code 400: nope");
    }
}
