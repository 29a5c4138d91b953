//! Why text can't be read.

use super::{DuplicateKey, Limits};

/// The longest text of an error, in bytes.
const MAX_MESSAGE: usize = 64 << 10;
/// How a text begins that lists lines.
const LISTED: &str = "yaml: unmarshal errors:";

/// Text that can't be read; prints go-yaml's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    kind: ReadErrorKind,
    message: String,
    line: Option<usize>,
    document: usize,
    first_line: usize,
    is_template: bool,
    is_late: bool,
}

/// What is wrong with text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadErrorKind {
    /// It isn't YAML.
    Syntax,
    /// It is YAML, but a value can't be had: aliases, merges, tags, keys, numbers.
    Value,
    /// A line that separates documents has other text.
    Separator,
    /// One of [`Limits`] is exceeded.
    Limit,
}

impl ReadError {
    /// What is wrong.
    pub fn kind(&self) -> ReadErrorKind {
        self.kind
    }

    /// The number of the document in its text, from 0.
    pub fn document(&self) -> usize {
        self.document
    }

    /// The line of the whole text, from 1, where known. The printed line counts from the document's start.
    pub fn line(&self) -> Option<usize> {
        self.line.map(|line| line + self.first_line - 1)
    }

    /// Whether it is about a key that only a template has, as in `{{ name }}`.
    pub fn is_template(&self) -> bool {
        self.is_template
    }

    /// The same error, about the key of a template.
    pub(super) fn of_template(self) -> Self {
        Self { is_template: true, ..self }
    }

    /// An error whose printed text names `line` (from 1) where it is known.
    pub(super) fn syntax(line: Option<usize>, problem: &str) -> Self {
        let message = match line {
            Some(line) => format!("yaml: line {line}: {problem}"),
            None => format!("yaml: {problem}"),
        };
        Self::plain(ReadErrorKind::Syntax, line, message)
    }

    /// An error about a value; `line` (from 1) is for [`Self::line`] alone.
    pub(super) fn value(line: usize, problem: &str) -> Self {
        Self::plain(ReadErrorKind::Value, Some(line), format!("yaml: {problem}"))
    }

    /// An error that JSON, not YAML, has with a value.
    pub(super) fn json(line: usize, problem: &str) -> Self {
        Self::plain(ReadErrorKind::Value, Some(line), problem.to_owned())
    }

    /// The same error, of a text that is YAML.
    pub(super) fn found_late(self) -> Self {
        Self { is_late: true, ..self }
    }

    /// Whether it was found only when values were made of a text that is YAML: aliases, merges, tags, bounds of values.
    pub(super) fn is_late(&self) -> bool {
        self.is_late
    }

    /// The error that go-yaml reports for keys that stand twice.
    pub fn duplicates(duplicates: &[DuplicateKey]) -> Self {
        let lines: Vec<_> = duplicates.iter().map(DuplicateKey::to_string).collect();
        let line = duplicates.first().map(|duplicate| duplicate.line);
        Self::plain(ReadErrorKind::Value, line, format!("{LISTED}\n  {}", lines.join("\n  ")))
    }

    /// The error that go-yaml reports for a key of an outermost map that is no name.
    pub(super) fn unfit_key(line: usize, tag: &str) -> Self {
        let message = format!("{LISTED}\n  line {line}: cannot unmarshal {tag} into string");
        Self::plain(ReadErrorKind::Value, Some(line), message)
    }

    /// Adds what another error of this kind lists.
    pub(super) fn add(&mut self, other: &Self) {
        let rest = other.message.strip_prefix(LISTED).unwrap_or_default();
        if self.message.len() + rest.len() <= MAX_MESSAGE {
            self.message.push_str(rest);
        }
    }

    /// Whether its text lists lines.
    pub(super) fn lists_lines(&self) -> bool {
        self.message.starts_with(LISTED)
    }

    /// This error in the words of another one.
    pub(super) fn told_as(self, other: Self) -> Self {
        Self { message: other.message, ..self }
    }

    pub(super) fn separator(problem: &str, text: &str, line: usize) -> Self {
        Self::plain(ReadErrorKind::Separator, Some(line), format!("{problem}: {text}"))
    }

    pub(super) fn limit(line: Option<usize>, problem: &str) -> Self {
        Self { kind: ReadErrorKind::Limit, ..Self::syntax(line, problem) }
    }

    pub(super) fn too_large(bytes: usize, limits: &Limits) -> Self {
        let problem = format!("text of {bytes} bytes exceeds the limit of {}", limits.text_bytes);
        Self::limit(None, &problem)
    }

    /// The same error, so many lines further down.
    #[must_use]
    pub fn moved(self, lines: usize) -> Self {
        let Some(line) = self.line else { return self };
        let Some(problem) = self.message.strip_prefix(&format!("yaml: line {line}: ")) else { return self };
        let message = format!("yaml: line {}: {problem}", line + lines);
        Self { message, line: Some(line + lines), ..self }
    }

    pub(super) fn in_document(self, document: usize, first_line: usize) -> Self {
        Self { document, first_line, ..self }
    }

    /// Texts may quote the input, which may be all of it: they are cut where nobody reads on.
    fn plain(kind: ReadErrorKind, line: Option<usize>, mut message: String) -> Self {
        if message.len() > MAX_MESSAGE {
            message.truncate(message.floor_char_boundary(MAX_MESSAGE));
            message.push('…');
        }
        Self { kind, message, line, document: 0, first_line: 1, is_template: false, is_late: false }
    }
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for ReadError {}
