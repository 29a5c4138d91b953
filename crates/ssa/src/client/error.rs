//! Why a request failed.

use super::mask::Mask;
use crate::object::Gvk;

/// What is said of a path that leads to no kind: its version is not served, or it lacks its namespace.
pub(super) const NOT_SERVED: &str = "the server could not find the requested resource";

/// A failed request. Its text is what the reference's client would say.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// The API server refused.
    #[error("{}", .0.message)]
    Refused(Box<Refusal>),
    /// The API server does not serve the kind.
    #[error("no matches for kind {:?} in version {:?}", .0.kind, .0.api_version())]
    NoMatch(Box<Gvk>),
    /// Part of the API could not be listed, so that a kind may just be unknown for now.
    #[error(
        "unable to retrieve the complete list of server APIs: {group_version}: stale GroupVersion discovery: {group_version}"
    )]
    Incomplete {
        /// The group and version whose server did not answer.
        group_version: String,
    },
    /// There was no answer, or none that can be read.
    #[error("{message}")]
    Transport {
        /// What went wrong.
        message: String,
    },
}

/// A refusal as the API server words it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP status code.
    pub code: u16,
    /// The machine-readable reason; empty if there is none.
    pub reason: String,
    /// The text.
    pub message: String,
    /// Whether fields are owned by another manager.
    pub is_manager_conflict: bool,
}

impl ApiError {
    /// A refusal with this code, reason and message.
    pub(crate) fn refused(code: u16, reason: &str, message: impl Into<String>) -> Self {
        Self::Refused(Box::new(Refusal {
            code,
            reason: reason.to_owned(),
            message: message.into(),
            is_manager_conflict: false,
        }))
    }

    /// Reads a refusal from an answer's status code and body. What the server says passes `mask` before anything is cut off.
    pub(crate) fn from_answer(code: u16, body: &[u8], mask: &Mask) -> Self {
        let Ok(status) = serde_json::from_slice::<Status>(body) else {
            return Self::without_status(code, &mask.apply(&String::from_utf8_lossy(body)));
        };
        let causes = status.details.into_iter().flat_map(|details| details.causes);
        Self::Refused(Box::new(Refusal {
            code,
            is_manager_conflict: causes.into_iter().any(|cause| cause.reason == "FieldManagerConflict"),
            reason: status.reason,
            message: mask.apply(&status.message).into_owned(),
        }))
    }

    /// The same error with its text masked.
    pub(super) fn masked(self, mask: &Mask) -> Self {
        match self {
            Self::Transport { message } => Self::Transport { message: mask.apply(&message).into_owned() },
            // Refusals are masked where they are read; the others hold names alone.
            Self::Refused(_) | Self::NoMatch(_) | Self::Incomplete { .. } => self,
        }
    }

    /// Answers that don't come from an API's own code, as the reference's client words them.
    fn without_status(code: u16, body: &str) -> Self {
        let (reason, message) = match code {
            401 => ("Unauthorized", "the server has asked for the client to provide credentials"),
            403 => ("Forbidden", "the server does not allow access to the requested resource"),
            404 => ("NotFound", NOT_SERVED),
            405 => ("MethodNotAllowed", "the server does not allow this method on the requested resource"),
            409 => ("Conflict", "the server reported a conflict"),
            429 => (
                "TooManyRequests",
                "the server has received too many requests and has asked us to try again later",
            ),
            503 => ("ServiceUnavailable", "the server is currently unable to handle the request"),
            504 => ("Timeout", "the server was unable to return a response in the time allotted"),
            _ => {
                let quoted: String = body.chars().filter(|c| !c.is_control()).take(512).collect();
                let message =
                    format!("an error on the server ({quoted:?}) has prevented the request from succeeding");
                return Self::refused(code, if code >= 500 { "InternalError" } else { "" }, message);
            }
        };
        Self::refused(code, reason, message)
    }

    /// The machine-readable reason; empty if there is none.
    pub fn reason(&self) -> &str {
        match self {
            Self::Refused(refusal) => &refusal.reason,
            Self::NoMatch(_) | Self::Incomplete { .. } | Self::Transport { .. } => "",
        }
    }

    /// Whether the object does not exist.
    pub fn is_not_found(&self) -> bool {
        self.has_code_or_reason(404, "NotFound")
    }

    /// Whether there is no such kind at the place, so that nothing is told about the object.
    pub fn is_not_served(&self) -> bool {
        matches!(self, Self::Refused(refusal) if refusal.code == 404 && refusal.message == NOT_SERVED)
    }

    /// Whether the identity may not do this.
    pub fn is_forbidden(&self) -> bool {
        self.has_code_or_reason(403, "Forbidden")
    }

    /// Whether a watch has to start anew.
    pub fn is_gone(&self) -> bool {
        self.has_code_or_reason(410, "Expired") || self.reason() == "Gone"
    }

    fn has_code_or_reason(&self, code: u16, reason: &str) -> bool {
        match self {
            Self::Refused(refusal) => {
                refusal.reason == reason || (refusal.reason.is_empty() && refusal.code == code)
            }
            Self::NoMatch(_) | Self::Incomplete { .. } | Self::Transport { .. } => false,
        }
    }
}

/// The parts of a `Status` that matter here.
#[derive(serde::Deserialize)]
struct Status {
    #[serde(default)]
    message: String,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    details: Option<Details>,
}

#[derive(serde::Deserialize)]
struct Details {
    #[serde(default)]
    causes: Vec<Cause>,
}

#[derive(serde::Deserialize)]
struct Cause {
    #[serde(default)]
    reason: String,
}
