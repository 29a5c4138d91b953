//! What a failed dry run is called, and whether recreating the object may help.
//!
//! Contract: kustomize-controller §4.6, §4.8.

use std::sync::LazyLock;

use regex::Regex;

use crate::client::ApiError;
use crate::id::ObjectId;

/// A dry run that failed. Prints the contract's text.
#[derive(Debug)]
pub struct DryRunError {
    /// The object as its manifest names it.
    pub id: Box<ObjectId>,
    /// The API's error.
    pub source: ApiError,
}

impl std::fmt::Display for DryRunError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (subject, error) = (self.id.subject(), &self.source);
        if error.is_not_found() {
            let what = if self.id.namespace.is_empty() { "namespace not specified" } else { "not found" };
            return write!(out, "{subject} {what}: {error}");
        }
        let reason = match error {
            ApiError::Refused(refusal) if refusal.is_manager_conflict => "FieldManagerConflict",
            other => other.reason(),
        };
        if reason.is_empty() {
            write!(out, "{subject} dry-run failed: {error}")
        } else {
            write!(out, "{subject} dry-run failed ({reason}): {error}")
        }
    }
}

impl std::error::Error for DryRunError {}

/// Whether an error says in so many words that a field can't be changed, so that it is nothing else that is wrong.
pub fn names_immutability(error: &ApiError) -> bool {
    static WORDS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?i)\bimmutable\b|(may|can) ?not (be )?(change|update|modif)|updates? to .*(forbidden|fields other than)",
        )
        .expect("a valid expression")
    });
    WORDS.is_match(&error.to_string())
}

/// Whether an error tells, as far as can be seen, that a field can't be changed: by its reason, or by the words of
/// webhooks and validation rules.
pub fn is_immutable(error: &ApiError) -> bool {
    static WORDS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"is\simmutable|immutable\sfield").expect("a valid expression"));
    matches!(error.reason(), "Conflict" | "Invalid") || WORDS.is_match(&error.to_string())
}
