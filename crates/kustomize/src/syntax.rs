//! The dialects of text that a build reads, and the forms it prints into messages.
//!
//! Contract: kustomize-build §6.1.

use millrace_yaml::read::{
    self, Document, DuplicateKey, Limits, ReadError, ReadErrorKind, RepeatedKey, Resolver,
};
use millrace_yaml::{
    CanonicalError, Node, Scalar, ScalarKind, Style, canonicalize, json, print as printer, styled,
};

use crate::text::Source;

/// Text that does not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    /// The reference's text.
    pub(crate) text: String,
    /// The line of the whole text, where it is known.
    pub(crate) line: Option<usize>,
}

impl From<ReadError> for SyntaxError {
    fn from(error: ReadError) -> Self {
        Self { text: error.to_string(), line: error.line() }
    }
}

/// Reads a kustomization file or another text that becomes a fixed structure: the first document, YAML 1.1 through JSON.
pub(crate) fn read_config(text: &(impl Source + ?Sized)) -> Result<Node, SyntaxError> {
    Ok(read::one(text.yaml()?, Resolver::Kubernetes, &Limits::default())?.node)
}

/// Like [`read_config`], with the words that the reference has for what doesn't read in most places.
pub(crate) fn read_converted(text: &(impl Source + ?Sized)) -> Result<Node, SyntaxError> {
    read_config(text).map_err(unconverted)
}

/// Like [`read_converted`], with the keys that stand again in a map.
pub(crate) fn read_strict(text: &(impl Source + ?Sized)) -> Result<(Node, Vec<RepeatedKey>), SyntaxError> {
    let text = text.yaml().map_err(|error| unconverted(error.into()))?;
    read::strict(text, &Limits::default()).map_err(|error| unconverted(error.into()))
}

fn unconverted(error: SyntaxError) -> SyntaxError {
    let SyntaxError { text, line } = error;
    SyntaxError { text: format!("error converting YAML to JSON: {text}"), line }
}

/// Reads the documents of objects or strategic patches: YAML 1.2 with leftovers of 1.1.
pub(crate) fn read_objects(text: &str) -> Result<Vec<Document>, ReadError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    read::documents(text, Resolver::Kustomize, &Limits::default())
}

/// Whether a text of objects is one document, with no separator that ends it.
pub(crate) fn is_single_document(text: &str) -> bool {
    read::is_single(text.strip_prefix('\u{feff}').unwrap_or(text), Resolver::Kustomize)
}

/// What text means in a plain scalar of an object.
pub(crate) fn kind_of(text: &str) -> ScalarKind {
    read::kind_of(text, Resolver::Kustomize)
}

/// A scalar of an object.
pub(crate) fn scalar(text: &str, kind: ScalarKind, style: Style) -> Scalar {
    Scalar::new(text, kind, style)
}

/// A key that the build makes: it means what it reads as, so that a key such as `1` or `true` is no string.
pub(crate) fn key(text: &str) -> Scalar {
    Scalar::untyped(text, kind_of(text), Style::Plain)
}

/// A string that a step makes; in quotes where YAML 1.1 would read something else, which later writes into it keep.
pub(crate) fn string(text: &str) -> Scalar {
    let style = if is_string_in_1_1(text) { Style::Plain } else { Style::DoubleQuoted };
    scalar(text, ScalarKind::Str, style)
}

/// A scalar that a step makes from text without a type: a string wherever YAML 1.1 would read something else. No text is
/// printed as a null.
pub(crate) fn made(text: &str) -> Node {
    Node::Scalar(if is_string_in_1_1(text) {
        Scalar::untyped(text, kind_of(text), Style::Plain)
    } else {
        string(text)
    })
}

/// Whether text on one line is no string for YAML 1.1.
pub(crate) fn wants_quotes(text: &str) -> bool {
    !text.is_empty() && !text.contains('\n') && !is_string_in_1_1(text)
}

/// Whether a document of YAML 1.1 that is this text is a string, or none at all; so are several lines, whatever they are.
fn is_string_in_1_1(text: &str) -> bool {
    let is_word = |text: &str| {
        let inner = |byte: u8| byte.is_ascii_alphanumeric() || b"._/+-@".contains(&byte);
        text.bytes().all(inner) && !text.starts_with(['-', '.', '@'])
    };
    if text.is_empty() {
        return true;
    }
    if is_word(text) {
        return read::kind_of(text, Resolver::Kubernetes) == ScalarKind::Str;
    }
    if text.contains('\n') {
        return true;
    }
    // Many values are no scalar, whatever they are.
    let few = Limits { values: 1_000, depth: 50, ..Limits::default() };
    match read::one(text, Resolver::Kubernetes, &few) {
        Ok(document) => document.node.as_scalar().is_some_and(|scalar| scalar.kind() == ScalarKind::Str),
        Err(error) => error.kind() != ReadErrorKind::Limit,
    }
}

/// Gives every string the quotes that `style` chooses; for trees that have passed through JSON.
pub(crate) fn restyle(node: &mut Node, style: fn(&str) -> Style) {
    match node {
        Node::Map(map) => {
            for (key, value) in map.entries_mut() {
                if key.kind() == ScalarKind::Str {
                    *key = scalar(key.text(), ScalarKind::Str, style(key.text()));
                }
                restyle(value, style);
            }
        }
        Node::List(items) => items.iter_mut().for_each(|item| restyle(item, style)),
        Node::Scalar(found) if found.kind() == ScalarKind::Str => {
            let style = style(found.text());
            *found = match (found.text(), style) {
                ("<<", Style::Plain) => Scalar::merge_sign(),
                (text, style) => scalar(text, ScalarKind::Str, style),
            };
        }
        Node::Scalar(_) => {}
    }
}

/// The quotes in which a string is printed.
pub(crate) fn printed_style(text: &str) -> Style {
    match printer::to_yaml_in_order(&Node::string(text)).chars().next() {
        Some('"') => Style::DoubleQuoted,
        Some('\'') => Style::SingleQuoted,
        Some('|') if text.contains('\n') => Style::Literal,
        Some(_) | None => Style::Plain,
    }
}

/// A plain scalar without a type, which means what it reads as, like any other text in its place.
pub(crate) fn untyped(text: &str) -> Node {
    Node::Scalar(Scalar::untyped(text, kind_of(text), Style::Plain))
}

/// A tree as text in its own order, for messages and annotations.
pub(crate) fn print(node: &Node) -> String {
    printer::to_yaml_in_order(node)
}

/// A tree of plain values as text in its own order, for annotations: quoted as in [`print`], but with no line folded.
pub(crate) fn print_wide(node: &Node) -> String {
    let mut node = node.clone();
    restyle(&mut node, printed_style);
    print_styled(&node)
}

/// A tree as text as it was written: in its own order, with the quotes and brackets in which it was read.
pub(crate) fn print_styled(node: &Node) -> String {
    styled::Node::from(node).print(usize::MAX).unwrap_or_default()
}

/// Makes data of a tree without printing it first: brackets change nothing, and folded text stays.
pub(crate) fn as_data(node: &mut Node) {
    node.put_in_lines();
    unfold(node);
}

fn unfold(node: &mut Node) {
    match node {
        Node::Map(map) => map.iter_mut().for_each(|(_, value)| unfold(value)),
        Node::List(items) => items.iter_mut().for_each(unfold),
        Node::Scalar(scalar) if scalar.style() == Style::Folded => *scalar = Scalar::string(scalar.text()),
        Node::Scalar(_) => {}
    }
}

/// The canonical form of a tree, or why it has none: of keys that stand twice, on which lines of its text.
pub(crate) fn canonical(node: &Node) -> Result<Node, String> {
    let mut canonical = node.clone();
    canonicalize(&mut canonical).map_err(|error| in_words(&error, node))?;
    Ok(canonical)
}

/// The canonical form of a tree that becomes JSON, where characters may stand that YAML does not have.
pub(crate) fn canonical_for_json(node: &Node) -> Result<Node, String> {
    let mut canonical = node.clone();
    match canonicalize(&mut canonical) {
        Ok(()) | Err(CanonicalError::Control) => Ok(canonical),
        Err(error) => Err(in_words(&error, node)),
    }
}

/// Why a tree has no canonical form.
pub(crate) fn in_words(error: &CanonicalError, node: &Node) -> String {
    match error {
        CanonicalError::Repeated => ReadError::duplicates(&repeated_keys(node)).to_string(),
        error => error.to_string(),
    }
}

/// The keys that stand twice in a tree, with their lines in its text.
pub(crate) fn repeated_keys(node: &Node) -> Vec<DuplicateKey> {
    let document = read::one(&print_styled(node), Resolver::Kustomize, &Limits::default());
    document.map(|document| document.duplicates).unwrap_or_default()
}

/// Checks that a tree can be read again as the reference has printed it, which it does before it makes JSON of an object.
///
/// A block text is never read that begins with a tab.
pub(crate) fn check_blocks(node: &Node) -> Result<(), ReadError> {
    if read::has_tab_block(node) {
        read::one(&print_styled(node), Resolver::Kustomize, &Limits::default())?;
    }
    Ok(())
}

/// A tree as text with its keys sorted, for messages.
pub(crate) fn print_sorted(node: &Node) -> String {
    printer::to_yaml(node)
}

/// A tree as JSON on one line with its keys sorted, for messages.
pub(crate) fn print_json(node: &Node) -> String {
    match canonical(node) {
        Ok(node) => json::to_string_with(&node, json::Escape::Html),
        Err(error) => format!("<{error}>"),
    }
}
