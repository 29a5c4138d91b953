//! What a failed build says.

use std::fmt;

use crate::hints::Draft;
use crate::remote::Need;

/// A build that failed.
///
/// Displays the reference program's text first and unchanged, then each hint and each further error on lines of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    /// The text of the reference program.
    pub reference: String,
    /// What a person can act on: file and line, field, nearest name.
    pub hints: Vec<String>,
    /// Other errors of the same build that do not follow from the first.
    pub others: Box<[String]>,
    /// Lines for a person that came up before the build failed.
    pub warnings: Box<[String]>,
    kind: ErrorKind,
    /// Hints whose places have no lines yet.
    detail: Option<Box<Detail>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Detail {
    drafts: Vec<Draft>,
    /// Independent errors of the same step or of steps after it.
    others: Vec<Draft>,
}

/// Why a build failed, as far as callers and outer layers treat it differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The input is wrong.
    Input,
    /// A file is not YAML.
    MalformedYaml,
    /// A server answered the request for a file with an error.
    HttpStatus,
    /// Git took too long to fetch a repository.
    Timeout,
    /// The build needs something from another host: it is to be run again with that among the options' remotes.
    Needs(Box<Need>),
    /// The cancellation flag was raised.
    Cancelled,
    /// The input exceeds a limit of the options.
    Limit,
}

/// The longest text of an error, in bytes.
const MAX_TEXT: usize = 64 << 10;

pub(crate) type Result<T> = std::result::Result<T, BuildError>;

impl BuildError {
    pub(crate) fn new(reference: impl Into<String>) -> Self {
        Self::of_kind(ErrorKind::Input, reference)
    }

    pub(crate) fn malformed_yaml(reference: impl Into<String>) -> Self {
        Self::of_kind(ErrorKind::MalformedYaml, reference)
    }

    pub(crate) fn http_status(reference: impl Into<String>) -> Self {
        Self::of_kind(ErrorKind::HttpStatus, reference)
    }

    pub(crate) fn timeout(reference: impl Into<String>) -> Self {
        Self::of_kind(ErrorKind::Timeout, reference)
    }

    /// `file` is where the entry stands.
    pub(crate) fn needs(need: Need, file: &str) -> Self {
        let entry = match &need {
            Need::File(address) => address,
            Need::Repository(repository) => &repository.raw,
        };
        let reference = format!("the remote entry {entry} in {file} was not fetched");
        Self::of_kind(ErrorKind::Needs(Box::new(need)), reference)
    }

    pub(crate) fn cancelled() -> Self {
        Self::of_kind(ErrorKind::Cancelled, "build cancelled")
    }

    pub(crate) fn limit(reference: impl Into<String>) -> Self {
        Self::of_kind(ErrorKind::Limit, reference)
    }

    fn of_kind(kind: ErrorKind, reference: impl Into<String>) -> Self {
        let (hints, others, warnings) = (Vec::new(), Box::default(), Box::default());
        Self { reference: cut(reference.into()), hints, others, warnings, kind, detail: None }
    }

    /// Why the build failed.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Puts `context` and a colon before the text.
    pub(crate) fn wrap(self, context: impl fmt::Display) -> Self {
        self.map_text(|text| format!("{context}: {text}"))
    }

    /// Rewrites the text; what is not a matter of the input keeps its own.
    pub(crate) fn map_text(mut self, rewrite: impl FnOnce(&str) -> String) -> Self {
        if self.is_input() {
            self.reference = cut(rewrite(&self.reference));
        }
        self
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<Draft>) -> Self {
        self.detail.get_or_insert_default().drafts.push(hint.into());
        self
    }

    /// Puts a place before hints that have none.
    pub(crate) fn with_hints_at(self, place: &Draft) -> Self {
        self.with_hints_by(|draft| draft.placed(place))
    }

    /// Rewrites every hint.
    pub(crate) fn with_hints_by(mut self, rewrite: impl Fn(Draft) -> Draft) -> Self {
        for draft in self.detail.iter_mut().flat_map(|detail| &mut detail.drafts) {
            *draft = rewrite(std::mem::take(draft));
        }
        self
    }

    /// Adds another error that does not follow from this one.
    pub(crate) fn with_other(mut self, other: Draft) -> Self {
        self.detail.get_or_insert_default().others.push(other);
        self
    }

    /// Other errors, as long as the build goes on.
    pub(crate) fn other_drafts(&self) -> &[Draft] {
        self.detail.as_ref().map_or(&[], |detail| &detail.others)
    }

    /// The hints, as long as the build goes on.
    pub(crate) fn drafts(&self) -> &[Draft] {
        self.detail.as_ref().map_or(&[], |detail| &detail.drafts)
    }

    /// Whether the input is wrong, so that another reading of it may be tried.
    pub(crate) fn is_input(&self) -> bool {
        matches!(
            self.kind,
            ErrorKind::Input | ErrorKind::MalformedYaml | ErrorKind::HttpStatus | ErrorKind::Timeout
        )
    }
}

/// Errors quote the input, and each component that one passes quotes it again, which doubles its backslashes: the text is
/// cut where nobody reads on.
fn cut(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        text.truncate(text.floor_char_boundary(MAX_TEXT));
        text.push('…');
    }
    text
}

impl fmt::Display for BuildError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.reference)?;
        self.hints.iter().try_for_each(|hint| write!(out, "\nhint: {hint}"))?;
        self.others.iter().try_for_each(|other| write!(out, "\nalso: {other}"))
    }
}

impl std::error::Error for BuildError {}
