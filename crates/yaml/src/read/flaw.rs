//! Where text that isn't YAML goes wrong: of the two places that a reader knows, its error prints one. For messages.

use super::parse::{Stop, parse_or_stop};
use super::scan::{Mark, Scanner, Token, TokenKind};
use super::{Limits, Resolver, split};
use crate::Style;

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// From 1.
    pub line: usize,
    /// In characters, from 0.
    pub column: usize,
}

/// Why a text isn't YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// go-yaml's words for it.
    pub problem: String,
    /// Where it was met.
    pub met: Place,
    /// Where what it was met in begins, such as a collection or a scalar.
    pub within: Place,
    /// The last scalar that begins before the place where it was met.
    pub scalar: Option<Place>,
    /// The last one of those in quotes.
    pub quoted: Option<Place>,
    /// The last bracket before that place that nothing closes there.
    pub open: Option<Place>,
}

/// The first flaw in the grammar of a text's documents.
pub fn flaw(text: &str, resolver: Resolver) -> Option<Flaw> {
    let limits = Limits::default();
    split::pieces(text, resolver).into_iter().flatten().find_map(|piece| {
        let Err(Stop::Fault(fault)) = parse_or_stop(&piece.text, resolver, &limits) else { return None };
        let fault = fault.parts();
        let place = |mark: Mark| Place { line: mark.line + piece.first_line, column: mark.column };
        let (mut scalar, mut quoted, mut open) = (None, None, Vec::new());
        for token in tokens(&piece.text, resolver) {
            if token.start.index >= fault.place.index {
                break;
            }
            match token.kind {
                TokenKind::Scalar { style, .. } => {
                    scalar = Some(place(token.start));
                    if matches!(style, Style::SingleQuoted | Style::DoubleQuoted) {
                        quoted = scalar;
                    }
                }
                TokenKind::FlowListStart | TokenKind::FlowMapStart => open.push(place(token.start)),
                TokenKind::FlowListEnd | TokenKind::FlowMapEnd => drop(open.pop()),
                _ => {}
            }
        }
        let (met, within) = (place(fault.place), place(fault.context));
        Some(Flaw { problem: fault.problem.clone(), met, within, scalar, quoted, open: open.pop() })
    })
}

/// The line of the first document's text, of the documents that begin at a line or behind it, that nothing reads: what
/// stands behind the end of the document without a line of dashes between them.
pub fn unread(text: &str, resolver: Resolver, from: usize) -> Option<usize> {
    let mut pieces = split::pieces(text, resolver).into_iter().flatten();
    let piece = pieces.find(|piece| piece.first_line >= from)?;
    let next = parse_or_stop(&piece.text, resolver, &Limits::default()).ok()?;
    next.map(|line| line + piece.first_line)
}

/// The lines on which values of a text are given an anchor, whether or not the text reads.
pub fn anchors(text: &str, resolver: Resolver, name: &str) -> Vec<usize> {
    let pieces = split::pieces(text, resolver).into_iter().flatten();
    let lines = pieces.flat_map(|piece| {
        let anchors = tokens(&piece.text, resolver).filter(|token| token.kind == TokenKind::Anchor(name));
        anchors.map(|token| token.start.line + piece.first_line).collect::<Vec<_>>()
    });
    lines.collect()
}

/// The lines of a text on which nothing but more of a scalar stands that begins further up, or a comment behind it, as far as
/// the text can be read.
pub fn continued(text: &str, resolver: Resolver) -> Vec<usize> {
    let mut lines = Vec::new();
    for piece in split::pieces(text, resolver).into_iter().flatten() {
        let mut scalar = None;
        let mut note = |line: usize, is_scalar: bool| {
            if let Some(first) = scalar {
                lines.extend((first + 1..line).map(|line| line + piece.first_line));
            }
            scalar = is_scalar.then_some(line);
        };
        for token in tokens(&piece.text, resolver) {
            note(token.start.line, matches!(token.kind, TokenKind::Scalar { .. }));
        }
        let end = match parse_or_stop(&piece.text, resolver, &Limits::default()) {
            Err(Stop::Fault(fault)) => fault.parts().place.line,
            Ok(_) | Err(_) => piece.text.lines().count(),
        };
        note(end, false);
    }
    lines
}

/// The tokens of a text up to the first that can't be read.
fn tokens(text: &str, resolver: Resolver) -> impl Iterator<Item = Token<'_>> {
    let mut scanner = Scanner::new(text, resolver, Limits::MAX_DEPTH);
    let mut failed = false;
    std::iter::from_fn(move || {
        // What is ready when the scanner fails is read all the same.
        failed = failed || scanner.peek().is_err();
        scanner.take().filter(|token| token.kind != TokenKind::StreamEnd)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: usize, column: usize) -> Place {
        Place { line, column }
    }

    #[test]
    fn both_places_of_a_flaw_are_known() {
        for (text, problem, within, met, scalar) in [
            ("a: b\nc: 'd\ne: f\n", "found unexpected end of stream", (2, 3), (4, 0), (2, 0)),
            ("a:\n  b:1\n  c: d\n", "mapping values are not allowed in this context", (3, 3), (3, 3), (2, 2)),
            ("a: b\nc:d\n", "could not find expected ':'", (2, 0), (3, 0), (2, 0)),
            ("a: {b: c\nd: {}\n", "did not find expected ',' or '}'", (1, 3), (2, 1), (1, 7)),
            ("a:\n  b: c\n d: e\n", "did not find expected key", (1, 0), (3, 1), (2, 5)),
            ("a: b\n---\nc: [d\n", "did not find expected ',' or ']'", (3, 3), (4, 0), (3, 4)),
        ] {
            let found = flaw(text, Resolver::Kustomize).expect("it is no YAML");
            assert_eq!(found.problem, problem, "{text:?}");
            assert_eq!(
                (found.within, found.met),
                (place(within.0, within.1), place(met.0, met.1)),
                "{text:?}"
            );
            assert_eq!(found.scalar, Some(place(scalar.0, scalar.1)), "{text:?}");
        }
        assert_eq!(flaw("a: b\n", Resolver::Kustomize), None);
        let quoted = flaw("a: \"b\nc: \"d\ne: f\n", Resolver::Kustomize).and_then(|flaw| flaw.quoted);
        assert_eq!(quoted, Some(place(1, 3)));
        let open = flaw("a: [b]\nc: {d: [e],\n", Resolver::Kustomize).and_then(|flaw| flaw.open);
        assert_eq!(open, Some(place(2, 3)));
    }

    #[test]
    fn anchors_are_found_whether_or_not_the_text_reads() {
        let text = "a: |\n  &x\nb: {c: &x d}\ne: &xy f\ng: &x *y\n---\n- &x h\ni\n";
        assert_eq!(anchors(text, Resolver::Kustomize, "x"), [3, 5, 7]);
    }

    #[test]
    fn lines_that_go_on_with_a_scalar_are_known() {
        for (text, lines) in [
            ("a: |\n  b: {{ c }}\n  d\ne: f\n", &[2, 3][..]),
            ("a: >-\n  b\ne: f: g\n", &[2]),
            ("a: |\n  b\n\tc: d\n", &[]),
            ("a: \"b\n  c: {{ d }}\n  e\"\nf: {{ g }}\n", &[2, 3]),
            ("a: b\n---\nc: |\n  d\n", &[4]),
            ("a: {{ b }}\nc: d\n", &[]),
            ("a: [b\nc: d\n", &[]),
        ] {
            assert_eq!(continued(text, Resolver::Kustomize), lines, "{text:?}");
        }
    }

    #[test]
    fn what_stands_behind_a_document_is_unread() {
        for (text, from, line) in [
            (" a: b\nc: d\n", 1, Some(2)),
            ("a: b\nc: d\n", 1, None),
            ("a: b\n---\n c: d\n\ne: f\n", 3, Some(5)),
            ("a: b\n...\nc: d\n", 1, None),
        ] {
            assert_eq!(unread(text, Resolver::Kustomize, from), line, "{text:?}");
        }
    }
}
