//! What can go wrong, and where it shows.

use millrace_reconcile::failure::Remedy;
use millrace_reconcile::{Failure, Reason};

/// Where in an object's state a failure shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trouble {
    /// The condition that becomes true; none for what only the summary shows.
    pub(crate) condition: Option<&'static str>,
    /// What happened and what it means.
    pub(crate) failure: Failure,
}

impl Trouble {
    /// A failure that shows in a condition of its own.
    pub(crate) fn at(condition: &'static str, failure: Failure) -> Self {
        Self { condition: Some(condition), failure }
    }

    /// A retryable failure whose message is no error value.
    pub(crate) fn retry(condition: &'static str, reason: Reason, message: impl Into<String>) -> Self {
        Self::at(condition, Failure::with_message(Remedy::Retry, reason, message.into()))
    }

    /// A failure that only an edit mends, whose message is no error value.
    pub(crate) fn stalled(condition: &'static str, reason: Reason, message: impl Into<String>) -> Self {
        Self::at(condition, Failure::with_message(Remedy::Edit, reason, message.into()))
    }

    /// A failure without a condition of its own.
    pub(crate) fn unseen(failure: Failure) -> Self {
        Self { condition: None, failure }
    }
}
