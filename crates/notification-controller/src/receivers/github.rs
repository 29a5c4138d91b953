//! `github`: the body is signed in `X-Hub-Signature-256` or, by old servers, `X-Hub-Signature`.
//!
//! Contract: notification-controller §4.4.

use super::{Accepted, Call, ReceiverType, Rejection};
use crate::{
    go::{mime::parse_media_type, quote::Quoted},
    signature,
};

pub(super) const TYPE: ReceiverType = ReceiverType { name: "github", verify };

fn verify(call: &Call<'_>) -> Result<Accepted, Rejection> {
    check_payload(call)
        .map_err(|cause| Rejection(format!("the GitHub signature header is invalid, err: {cause}")))?;
    let event = call.header("X-GitHub-Event");
    if !call.wants(&event) {
        return Err(Rejection(format!("the GitHub event {} is not authorised", Quoted(&event))));
    }
    Ok(Accepted { note: Some(format!("handling GitHub event: {event}")) })
}

/// Checks the payload's type and its signature, which covers the raw body in either type.
///
/// The signature may only be missing when the token is empty, too: the reconciler keeps such a Receiver from becoming
/// ready, so nobody reaches it with an empty token unless the Secret was emptied a moment ago.
fn check_payload(call: &Call<'_>) -> Result<(), String> {
    match parse_media_type(&call.header("Content-Type"))?.as_str() {
        "application/json" => {}
        "application/x-www-form-urlencoded" => check_form(call.body)?,
        other => return Err(format!("webhook request has unsupported Content-Type {}", Quoted(other))),
    }
    let newest = call.header("X-Hub-Signature-256");
    let signature = if newest.is_empty() { call.header("X-Hub-Signature") } else { newest };
    if signature.is_empty() && call.token.is_empty() {
        return Ok(());
    }
    signature::verify(signature.trim(), call.token, call.body).map_err(|err| err.to_string())
}

/// Refuses forms that can't be decoded.
fn check_form(body: &[u8]) -> Result<(), String> {
    for pair in body.split(|byte| *byte == b'&') {
        if pair.contains(&b';') {
            return Err("invalid semicolon separator in query".to_owned());
        }
        let mut rest = pair;
        while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
            let escape = &rest[at..rest.len().min(at + 3)];
            if escape.len() < 3 || !escape[1..].iter().all(u8::is_ascii_hexdigit) {
                return Err(format!("invalid URL escape {}", Quoted(&String::from_utf8_lossy(escape))));
            }
            rest = &rest[at + 3..];
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{super::fixtures::*, *};

    const JSON: (&str, &str) = ("Content-Type", "application/json");
    const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");

    /// NC-114, NC-115
    #[test]
    fn a_signed_call_counts_whatever_its_algorithm() {
        for header in [
            ("X-Hub-Signature-256", SHA256),
            ("X-Hub-Signature", SHA1),
            ("X-Hub-Signature-256", SHA512),
            ("X-Hub-Signature", SHA256),
        ] {
            assert!(call(&TYPE, &[JSON, header], BODY, &[]).is_ok(), "{header:?}");
        }
    }

    /// NC-116
    #[test]
    fn a_call_without_a_valid_signature_is_refused() {
        let zeros = format!("sha256={}", "0".repeat(64));
        for (headers, cause) in [
            (vec![JSON, ("X-Hub-Signature-256", zeros.as_str())], "payload signature check failed"),
            (vec![JSON], "missing signature"),
            (vec![JSON, ("X-Hub-Signature-256", "md5=00")], "unknown hash type prefix: \"md5\""),
            (
                vec![("Content-Type", "text/plain"), ("X-Hub-Signature-256", SHA256)],
                "webhook request has unsupported Content-Type \"text/plain\"",
            ),
            (vec![("X-Hub-Signature-256", SHA256)], "mime: no media type"),
        ] {
            let refusal = call(&TYPE, &headers, BODY, &[]).unwrap_err();
            assert_eq!(refusal.0, format!("the GitHub signature header is invalid, err: {cause}"));
        }
    }

    #[test]
    fn the_newer_signature_header_wins() {
        let headers = [JSON, ("X-Hub-Signature-256", SHA256), ("X-Hub-Signature", "sha1=00")];
        assert!(call(&TYPE, &headers, BODY, &[]).is_ok());
    }

    /// NC-117
    #[test]
    fn events_are_compared_without_regard_to_case() {
        let signed = [JSON, ("X-Hub-Signature-256", SHA256)];
        let with = |event| [signed.as_slice(), &[("X-GitHub-Event", event)]].concat();
        let accepted = call(&TYPE, &with("PUSH"), BODY, &["push"]).unwrap();
        assert_eq!(accepted.note.as_deref(), Some("handling GitHub event: PUSH"));
        let refusal = call(&TYPE, &with("issues"), BODY, &["push"]).unwrap_err();
        assert_eq!(refusal.0, "the GitHub event \"issues\" is not authorised");
        let refusal = call(&TYPE, &signed, BODY, &["push"]).unwrap_err();
        assert_eq!(refusal.0, "the GitHub event \"\" is not authorised");
    }

    #[test]
    fn forms_are_signed_over_the_raw_body() {
        let body = b"payload=%7B%22action%22%3A%22push%22%7D";
        let signature = format!("sha256={}", signature::sign_sha256(TOKEN, body));
        assert!(call(&TYPE, &[FORM, ("X-Hub-Signature-256", &signature)], body, &[]).is_ok());
        let refusal = call(&TYPE, &[FORM, ("X-Hub-Signature-256", SHA256)], b"payload=%zz", &[]).unwrap_err();
        assert_eq!(refusal.0, "the GitHub signature header is invalid, err: invalid URL escape \"%zz\"");
    }

    #[test]
    fn an_empty_token_needs_no_signature_but_checks_one() {
        let list = [JSON];
        let unsigned = headers(&list);
        let mut call = Call { headers: &unsigned, body: BODY, token: b"", events: &[] };
        assert!(verify(&call).is_ok());
        let signed = headers(&[JSON, ("X-Hub-Signature-256", SHA256)]);
        call.headers = &signed;
        assert!(verify(&call).is_err());
    }
}
