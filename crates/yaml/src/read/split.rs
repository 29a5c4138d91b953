//! Splitting a text into documents.
//!
//! Contract: kustomize-build §6.2.

use std::borrow::Cow;

use super::{ReadError, Resolver};

/// The text of one document.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    pub(super) text: Cow<'a, str>,
    /// The line of the whole text on which it starts, from 1.
    pub(super) first_line: usize,
}

/// Cuts a text at the lines that the resolver's reference takes for separators; nothing follows an error.
pub(super) fn pieces(text: &str, resolver: Resolver) -> Vec<Result<Piece<'_>, ReadError>> {
    match resolver {
        Resolver::Kubernetes => kubernetes(text),
        Resolver::Kustomize => match kustomize(text) {
            Ok(pieces) => pieces.into_iter().map(Ok).collect(),
            Err(err) => vec![Err(err)],
        },
    }
}

/// A line that begins with `---` ends the document; before any content it belongs to what follows.
///
/// Only a comment may stand behind the dashes: the documents before are read, the one that the line ends is not. The
/// last line always has a line break.
fn kubernetes(text: &str) -> Vec<Result<Piece<'_>, ReadError>> {
    let mut pieces = Vec::new();
    let (mut start, mut at, mut line, mut first_line) = (0, 0, 1, 1);
    for content in text.split_inclusive('\n') {
        if let Some(rest) = content.strip_prefix("---") {
            let rest = rest.trim();
            if !is_comment(rest) {
                pieces.push(Err(ReadError::separator("invalid Yaml document separator", rest, line)));
                return pieces;
            }
            if at > start {
                pieces.push(Ok(Piece { text: text[start..at].into(), first_line }));
                start = at + content.len();
                first_line = line + 1;
            }
        }
        at += content.len();
        line += 1;
    }
    if at > start {
        let last = &text[start..at];
        let text = if last.ends_with('\n') { last.into() } else { format!("{last}\n").into() };
        pieces.push(Ok(Piece { text, first_line }));
    }
    pieces
}

/// Every line that begins with `---`, but the first of the text and the one after a separator, separates.
fn kustomize(text: &str) -> Result<Vec<Piece<'_>>, ReadError> {
    let text: Cow<'_, str> =
        if text.contains("\r\n") { text.replace("\r\n", "\n").into() } else { text.into() };
    let mut cuts = Vec::new();
    let (mut at, mut line) = (0, 1);
    let mut after_cut = true;
    for content in text.split_inclusive('\n') {
        let separates = !after_cut && content.starts_with("---") && content.ends_with('\n');
        if separates {
            if !is_comment(content[3..].trim()) {
                return Err(ReadError::separator("invalid document separator", content.trim(), line));
            }
            cuts.push((at, at + content.len(), line + 1));
        }
        after_cut = separates;
        at += content.len();
        line += 1;
    }
    let mut pieces = Vec::with_capacity(cuts.len() + 1);
    let (mut start, mut first_line) = (0, 1);
    for (end, next, next_line) in cuts {
        pieces.push(Piece { text: cut(&text, start, end), first_line });
        (start, first_line) = (next, next_line);
    }
    pieces.push(Piece { text: cut(&text, start, text.len()), first_line });
    Ok(pieces)
}

fn cut<'a>(text: &Cow<'a, str>, start: usize, end: usize) -> Cow<'a, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[start..end]),
        Cow::Owned(text) => Cow::Owned(text[start..end].to_owned()),
    }
}

fn is_comment(text: &str) -> bool {
    text.is_empty() || text.starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, resolver: Resolver) -> Vec<(String, usize)> {
        pieces(text, resolver)
            .into_iter()
            .map(Result::unwrap)
            .map(|piece| (piece.text.into_owned(), piece.first_line))
            .collect()
    }

    fn owned(pieces: &[(&str, usize)]) -> Vec<(String, usize)> {
        pieces.iter().map(|(text, line)| ((*text).to_owned(), *line)).collect()
    }

    #[test]
    fn kubernetes_cuts_at_lines_of_dashes() {
        let cut = |text| texts(text, Resolver::Kubernetes);
        assert_eq!(cut("a: 1\n---\nb: 2\n"), owned(&[("a: 1\n", 1), ("b: 2\n", 3)]));
        assert_eq!(cut("---\na: 1\n--- # c\nb: 2"), owned(&[("---\na: 1\n", 1), ("b: 2\n", 4)]));
        let mut refused = pieces("a: 1\n---\nb: 2\n--- c\nd: 4\n", Resolver::Kubernetes);
        assert_eq!(refused.len(), 2);
        let err = refused.pop().unwrap().unwrap_err();
        assert_eq!(err.to_string(), "invalid Yaml document separator: c");
        assert_eq!(err.line(), Some(4));
        assert_eq!(cut("a: 1\r\n---\r\nb: 2\r\n"), owned(&[("a: 1\r\n", 1), ("b: 2\r\n", 3)]));
        assert_eq!(cut(""), owned(&[]));
    }

    #[test]
    fn kustomize_cuts_at_lines_that_begin_with_dashes() {
        let cut = |text| texts(text, Resolver::Kustomize);
        assert_eq!(cut("a: 1\r\n---\r\nb: 2\r\n"), owned(&[("a: 1\n", 1), ("b: 2\n", 3)]));
        assert_eq!(cut("--- {a: 1}\n---\n---\nb: 2\n"), owned(&[("--- {a: 1}\n", 1), ("---\nb: 2\n", 3)]));
        assert_eq!(cut("a: 1\n---"), owned(&[("a: 1\n---", 1)]));
        let err = pieces("a: 1\n--- foo\nb: 2\n", Resolver::Kustomize).remove(0).unwrap_err();
        assert_eq!(err.to_string(), "invalid document separator: --- foo");
        assert_eq!(err.line(), Some(2));
    }
}
