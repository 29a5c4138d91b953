//! Why a run ended before its end. Contract: kustomize-controller §2.3, §2.4, §2.5.

use millrace_reconcile::Reason;

/// A run that did not succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// Only an edit can help.
    Stalled {
        /// Why, for `Ready` and `Stalled`.
        reason: Reason,
        /// The text of conditions and event.
        message: String,
        /// Whether the generation counts as dealt with.
        observed: bool,
    },
    /// The source is not there.
    SourceNotFound {
        /// The API server's text.
        message: String,
        /// How the source is called in the log.
        source: String,
    },
    /// The source could not be read.
    SourceUnreadable(String),
    /// The source has no artifact yet.
    NoArtifact {
        /// Why that may not change soon.
        hint: Option<&'static str>,
    },
    /// The artifact is not served (any more, or yet).
    ArtifactNotServed,
    /// The artifact, or a remote base, could not be had so far, and the source offers another artifact by now, or the object has
    /// changed.
    SourceMoved,
    /// A dependency is not ready.
    Dependency(String),
    /// Something went wrong that may work next time.
    Failed {
        /// Why, for `Ready`.
        reason: Reason,
        /// The text of the condition.
        message: String,
        /// The text of the event and the log, where it differs.
        event: Option<String>,
    },
    /// What the run does could not be shown.
    Unshown(Unshown),
    /// A newer change ended the health check.
    Canceled,
    /// The process is ending.
    Shutdown,
}

impl Halt {
    /// A failure that is retried.
    pub(crate) fn failed(reason: Reason, message: impl Into<String>) -> Self {
        Self::Failed { reason, message: message.into(), event: None }
    }

    /// A failure that is retried, with an error's whole text.
    pub(crate) fn error(reason: Reason, error: &dyn std::error::Error) -> Self {
        Self::failed(reason, millrace_reconcile::failure::chain(error))
    }
}

/// A progress patch that failed, with the API server's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("failed to update status: {0}")]
pub(crate) struct Unshown(pub(crate) String);

impl From<Unshown> for Halt {
    fn from(unshown: Unshown) -> Self {
        Self::Unshown(unshown)
    }
}

impl From<millrace_reconcile::run::Cancelled> for Halt {
    fn from(_: millrace_reconcile::run::Cancelled) -> Self {
        Self::Shutdown
    }
}
