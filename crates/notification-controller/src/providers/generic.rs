//! `generic`: the event itself, as JSON.
//!
//! Contract: notification-controller §3.6.

use super::{BuildError, Message, Options, ProviderType};
use crate::event::Event;

pub(super) const TYPE: ProviderType = ProviderType { name: "generic", build };

/// Forwards the event; user headers may replace the standard ones.
pub(super) fn build(options: &Options, event: &Event) -> Result<Message, BuildError> {
    options.check_address(|address, cause| format!("invalid hook URL {address}: {cause}"))?;
    let mut message = Message::post(&options.address, event.encode());
    let headers = &mut message.request.headers;
    headers.set("Gotk-Component", event.reporting_controller.as_str());
    for (name, value) in &options.headers {
        headers.set(name, value.as_str());
    }
    Ok(message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::fixtures::{D1, d1};

    fn options() -> Options {
        Options { address: "http://stub/x".into(), ..Options::default() }
    }

    /// NC-015
    #[test]
    fn the_body_is_the_event_byte_for_byte() {
        let message = build(&options(), &d1()).unwrap();
        assert_eq!(String::from_utf8(message.request.body).unwrap(), D1);
        let headers: Vec<_> = message.request.headers.iter().collect();
        assert_eq!(
            headers,
            [("Content-Type", "application/json"), ("Gotk-Component", "kustomize-controller")]
        );
    }

    /// NC-040
    #[test]
    fn user_headers_are_added_and_win() {
        let headers = [("Authorization", "t"), ("X-N", "1"), ("content-type", "a/b")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let message = build(&Options { headers, ..options() }, &d1()).unwrap();
        let mut headers: Vec<_> = message.request.headers.iter().collect();
        headers.sort_unstable();
        let expected = [
            ("Authorization", "t"),
            ("Content-Type", "a/b"),
            ("Gotk-Component", "kustomize-controller"),
            ("X-N", "1"),
        ];
        assert_eq!(headers, expected);
    }

    #[test]
    fn an_address_that_is_no_url_is_refused() {
        let error = build(&Options { address: "hooks/x".into(), ..options() }, &d1()).err().unwrap();
        assert_eq!(error.0, "invalid hook URL hooks/x: parse \"hooks/x\": invalid URI for request");
        let login = Options { address: "http://me:pw@h/%zz".into(), ..options() };
        let error = build(&login, &d1()).err().unwrap();
        assert_eq!(
            error.0,
            "invalid hook URL http://***@h/%zz: parse \"http://***@h/%zz\": invalid URL escape \"%zz\""
        );
    }
}
