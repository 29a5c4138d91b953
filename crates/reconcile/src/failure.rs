//! What an error means for the object it happened to.

use std::any::Any;
use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::time::Duration;

/// The machine-readable reason of a condition or event, such as `GitOperationFailed`.
///
/// Controllers list theirs as constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reason(&'static str);

impl Reason {
    /// A reason of the contract's vocabulary.
    pub const fn new(text: &'static str) -> Self {
        Self(text)
    }

    /// The text as it stands in conditions and events.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// What has to happen before the object can get further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Only an edit can help: bad spec, denied access, gate off.
    Edit,
    /// Something else comes first; its watch wakes the object, this delay at the latest.
    Wait(Duration),
    /// It may work next time: network, API server, lock.
    Retry,
}

/// An error together with what it means.
///
/// The message is the error and its sources joined by `: `, as it stands in status, events and logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    remedy: Remedy,
    reason: Reason,
    message: Cow<'static, str>,
}

impl Failure {
    /// A failure that only a spec change can mend.
    pub fn stalled(reason: Reason, error: impl Error) -> Self {
        Self::with_message(Remedy::Edit, reason, chain(&error))
    }

    /// A failure that waits for something else, checked again after `at_most`.
    pub fn waiting(reason: Reason, error: impl Error, at_most: Duration) -> Self {
        Self::with_message(Remedy::Wait(at_most), reason, chain(&error))
    }

    /// A failure that may be gone at the next attempt.
    pub fn transient(reason: Reason, error: impl Error) -> Self {
        Self::with_message(Remedy::Retry, reason, chain(&error))
    }

    /// A failure whose message is no error value.
    pub fn with_message(remedy: Remedy, reason: Reason, message: impl Into<Cow<'static, str>>) -> Self {
        Self { remedy, reason, message: message.into() }
    }

    /// What has to happen next.
    pub fn remedy(&self) -> Remedy {
        self.remedy
    }

    /// The reason for conditions and events.
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// The whole text.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Joins an error and its sources by `: `, the way status, events and logs show them.
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

/// What a panic said, from its payload.
pub fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("failed to fetch")]
    struct Outer(#[source] std::io::Error);

    #[test]
    fn the_message_joins_an_error_with_its_sources() {
        let failure = Failure::transient(Reason::new("Failed"), Outer(std::io::Error::other("refused")));
        assert_eq!(failure.message(), "failed to fetch: refused");
        assert_eq!(failure.remedy(), Remedy::Retry);
    }

    #[test]
    fn a_panic_is_told_in_its_own_words() {
        let payloads: [(Box<dyn Any + Send>, &str); 3] =
            [(Box::new("boom"), "boom"), (Box::new("boom".to_owned()), "boom"), (Box::new(1), "no message")];
        for (payload, expected) in payloads {
            assert_eq!(panic_text(payload.as_ref()), expected);
        }
    }
}
