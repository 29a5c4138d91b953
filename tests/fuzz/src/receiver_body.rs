//! Calls of webhooks: lines of headers, an empty line, the body.

use http::{HeaderMap, HeaderName, HeaderValue};
use millrace_notification_controller::receivers::{Accepted, Call, RECEIVERS, Rejection, find};
use millrace_notification_controller::signature::{sign_sha256, verify};

const TOKEN: &[u8] = b"token";

pub(crate) fn run(data: &[u8]) {
    let (mut headers, body) = parse(data);
    for receiver in RECEIVERS {
        let events = ["push".to_owned()];
        let verdict = (receiver.verify)(&Call { headers: &headers, body, token: TOKEN, events: &[] });
        let restricted = (receiver.verify)(&Call { headers: &headers, body, token: TOKEN, events: &events });
        assert!(restricted.is_err() || verdict.is_ok(), "fewer events let more calls in");
        if receiver.name != "generic" && verdict.is_ok() {
            assert!(is_signed(&headers, body), "{} took a call that nobody signed", receiver.name);
        }
    }
    let signature = HeaderValue::try_from(format!("sha256={}", sign_sha256(TOKEN, body)));
    let signature = signature.expect("a signature is ASCII");
    headers.insert("x-signature", signature.clone());
    headers.insert("x-hub-signature-256", signature);
    headers.insert("content-type", HeaderValue::from_static("application/json"));
    for name in ["generic-hmac", "github"] {
        assert_eq!(call(name, &headers, body).map(|_| ()), Ok(()), "{name} refused a signed call");
    }
}

fn call(name: &str, headers: &HeaderMap, body: &[u8]) -> Result<Accepted, Rejection> {
    let receiver = find(name).expect("the type is there");
    (receiver.verify)(&Call { headers, body, token: TOKEN, events: &[] })
}

/// Whether some header holds a signature over the body.
fn is_signed(headers: &HeaderMap, body: &[u8]) -> bool {
    headers
        .values()
        .any(|value| verify(String::from_utf8_lossy(value.as_bytes()).trim(), TOKEN, body).is_ok())
}

fn parse(data: &[u8]) -> (HeaderMap, &[u8]) {
    let mut headers = HeaderMap::new();
    let mut rest = data;
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let (line, after) = (&rest[..end], &rest[end + 1..]);
        rest = after;
        if line.is_empty() {
            break;
        }
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        let name = HeaderName::from_bytes(&line[..colon]);
        let value = HeaderValue::from_bytes(line[colon + 1..].trim_ascii());
        if let (Ok(name), Ok(value)) = (name, value) {
            headers.append(name, value);
        }
    }
    (headers, rest)
}
