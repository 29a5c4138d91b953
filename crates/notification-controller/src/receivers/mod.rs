//! What makes a webhook call genuine.
//!
//! A receiver type looks at one HTTP request and the Receiver's token and says whether the call counts. It reads
//! nothing and wakes nothing, so each is tested with tables. A type that is not listed here is refused by name.
//!
//! Contract: notification-controller §4.4.

mod generic;
mod generic_hmac;
mod github;
mod path;

use std::borrow::Cow;

use http::HeaderMap;

pub use self::path::webhook_path;

/// A kind of service that calls webhooks.
pub struct ReceiverType {
    /// The value of `spec.type`.
    pub name: &'static str,
    /// Verifies a call.
    pub verify: fn(&Call<'_>) -> Result<Accepted, Rejection>,
}

/// Every receiver type there is, by name.
pub const RECEIVERS: &[ReceiverType] = &[generic::TYPE, generic_hmac::TYPE, github::TYPE];

/// Finds a receiver type by its name.
pub fn find(name: &str) -> Option<&'static ReceiverType> {
    RECEIVERS.iter().find(|receiver| receiver.name == name)
}

/// Which types there are, for messages about others.
pub(crate) fn known() -> String {
    let names: Vec<_> = RECEIVERS.iter().map(|receiver| receiver.name).collect();
    names.join(", ")
}

/// One call of a webhook, and what it is verified with.
pub struct Call<'a> {
    /// The request's headers.
    pub headers: &'a HeaderMap,
    /// The request's body, as it came.
    pub body: &'a [u8],
    /// The token as stored in the Receiver's Secret.
    pub token: &'a [u8],
    /// The event types the Receiver wants; every one if empty.
    pub events: &'a [String],
}

impl<'a> Call<'a> {
    /// The first value of a header, empty if there is none.
    fn header(&self, name: &str) -> Cow<'a, str> {
        self.headers.get(name).map_or(Cow::Borrowed(""), |value| String::from_utf8_lossy(value.as_bytes()))
    }

    /// Whether the Receiver wants events of this type.
    fn wants(&self, event: &str) -> bool {
        self.events.is_empty()
            || self.events.iter().any(|wanted| wanted.to_lowercase() == event.to_lowercase())
    }
}

/// A call that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// What to log about it.
    pub note: Option<String>,
}

/// Why a call does not count: for the log, never for the caller.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Rejection(pub String);

#[cfg(test)]
pub(crate) mod fixtures {
    //! Calls for the tests of single types.

    use http::{HeaderMap, HeaderName, HeaderValue};

    use super::{Accepted, Call, ReceiverType, Rejection};

    pub(crate) const TOKEN: &[u8] = b"s3cr3t";
    pub(crate) const BODY: &[u8] = br#"{"action":"push"}"#;
    pub(crate) const SHA1: &str = "sha1=d145c63db883c00cce679477e5e91dfbd7d17ce5";
    pub(crate) const SHA256: &str = "sha256=edb2b3eec995bab6f8464cd2de3fe3259080370ee15255a750a0d37c56671d8d";
    pub(crate) const SHA512: &str = "sha512=1c5557a38cabff95abfb14573cc585d369575e9e275354af6de87f18883604e2e589d9f42b519aebbb36f61bbbe591cb41248d36174a3badc8b4746ff7116bbf";

    pub(crate) fn headers(list: &[(&str, &str)]) -> HeaderMap {
        list.iter()
            .map(|(name, value)| (name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value).unwrap()))
            .collect()
    }

    pub(crate) fn call(
        receiver: &ReceiverType,
        list: &[(&str, &str)],
        body: &[u8],
        events: &[&str],
    ) -> Result<Accepted, Rejection> {
        let events: Vec<_> = events.iter().map(|event| (*event).to_owned()).collect();
        (receiver.verify)(&Call { headers: &headers(list), body, token: TOKEN, events: &events })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_found_by_name_and_listed_in_order() {
        assert!(find("github").is_some());
        assert!(find("nope").is_none());
        assert!(RECEIVERS.is_sorted_by_key(|receiver| receiver.name));
    }
}
