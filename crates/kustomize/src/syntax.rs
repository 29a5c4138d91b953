//! The dialects of text that a build reads, and the forms it prints into messages.
//!
//! Contract: kustomize-build §6.1.

use millrace_yaml::read::{self, Document, Limits, ReadError, Resolver};
use millrace_yaml::{Node, Scalar, ScalarKind, Style, json, print as printer};

use crate::go;

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
pub(crate) fn read_config(text: &str) -> Result<Node, SyntaxError> {
    Ok(read::one(text, Resolver::Kubernetes, &Limits::default())?.node)
}

/// Like [`read_config`], but a key may stand once only.
pub(crate) fn read_config_strict(text: &str) -> Result<Node, SyntaxError> {
    let document = read::one(text, Resolver::Kustomize, &Limits::default())?;
    if document.duplicates.is_empty() {
        return read_config(text);
    }
    let error = ReadError::duplicates(&document.duplicates);
    let text = format!("error converting YAML to JSON: {error}");
    Err(SyntaxError { text, line: document.duplicates.first().map(|duplicate| duplicate.line) })
}

/// Reads the documents of objects or strategic patches: YAML 1.2 with leftovers of 1.1.
pub(crate) fn read_objects(text: &str) -> Result<Vec<Document>, ReadError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    read::documents(text, Resolver::Kustomize, &Limits::default())
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
    scalar(text, kind_of(text), Style::Plain)
}

/// A string that a step makes; in quotes where YAML 1.1 would read something else, which later writes into it keep.
pub(crate) fn string(text: &str) -> Scalar {
    let style = if is_string_in_1_1(text) { Style::Plain } else { Style::DoubleQuoted };
    scalar(text, ScalarKind::Str, style)
}

/// A scalar that a step makes from text without a type: a string wherever YAML 1.1 would read something else.
pub(crate) fn made(text: &str) -> Node {
    Node::Scalar(if is_string_in_1_1(text) {
        scalar(text, kind_of(text), Style::Plain)
    } else {
        string(text)
    })
}

/// Whether text on one line is no string for YAML 1.1.
pub(crate) fn wants_quotes(text: &str) -> bool {
    !text.is_empty() && !text.contains('\n') && !is_string_in_1_1(text)
}

fn is_string_in_1_1(text: &str) -> bool {
    read::kind_of(text, Resolver::Kubernetes) == ScalarKind::Str
}

/// Gives every string the quotes that `style` chooses; for trees that have passed through JSON.
pub(crate) fn restyle(node: &mut Node, style: fn(&str) -> Style) {
    match node {
        Node::Map(map) => map.iter_mut().for_each(|(_, value)| restyle(value, style)),
        Node::List(items) => items.iter_mut().for_each(|item| restyle(item, style)),
        Node::Scalar(found) if found.kind() == ScalarKind::Str => {
            *found = scalar(found.text(), ScalarKind::Str, style(found.text()));
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

/// A plain scalar that means what it reads as.
pub(crate) fn plain(text: &str) -> Node {
    Node::Scalar(scalar(text, kind_of(text), Style::Plain))
}

/// A tree as text in its own order, for messages and annotations.
pub(crate) fn print(node: &Node) -> String {
    printer::to_yaml_in_order(node)
}

/// A tree as text in its own order and with the quotes of its scalars.
pub(crate) fn print_styled(node: &Node) -> String {
    let mut out = String::new();
    write_styled(node, 0, false, &mut out);
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

/// Writes a node at `indent`; `begun` says that its first line has begun.
fn write_styled(node: &Node, indent: usize, mut begun: bool, out: &mut String) {
    let start = |begun: &mut bool, out: &mut String| {
        if !std::mem::replace(begun, false) {
            if !out.is_empty() && !out.ends_with('\n') {
                out.push('\n');
            }
            out.push_str(&" ".repeat(indent));
        }
    };
    match node {
        Node::Map(map) if !map.is_empty() => {
            for (key, value) in map.entries() {
                start(&mut begun, out);
                out.push_str(&styled_scalar(key, 0));
                out.push(':');
                match value {
                    Node::Map(map) if !map.is_empty() => write_styled(value, indent + 2, false, out),
                    Node::List(items) if !items.is_empty() => write_styled(value, indent, false, out),
                    Node::Map(_) | Node::List(_) | Node::Scalar(_) => {
                        out.push(' ');
                        write_styled(value, indent, true, out);
                    }
                }
            }
        }
        Node::List(items) if !items.is_empty() => {
            for item in items {
                start(&mut begun, out);
                out.push_str("- ");
                write_styled(item, indent + 2, true, out);
            }
        }
        Node::Map(_) => out.push_str("{}"),
        Node::List(_) => out.push_str("[]"),
        Node::Scalar(scalar) => out.push_str(&styled_scalar(scalar, indent)),
    }
}

fn styled_scalar(scalar: &Scalar, indent: usize) -> String {
    match scalar.style() {
        Style::DoubleQuoted => go::quote(scalar.text()),
        Style::SingleQuoted if !scalar.text().contains('\n') => {
            format!("'{}'", scalar.text().replace('\'', "''"))
        }
        Style::Plain if is_old_word(scalar) => scalar.text().to_owned(),
        Style::SingleQuoted | Style::Plain | Style::Literal | Style::Folded => {
            let plain = Node::Scalar(scalar.clone());
            let text = printer::to_yaml_in_order(&plain);
            text.trim_end_matches('\n').replace('\n', &format!("\n{}", " ".repeat(indent)))
        }
    }
}

/// Whether a string without quotes may have been written so: words such as `on` and `12:30`, which the printer quotes for
/// the sake of YAML 1.1.
fn is_old_word(scalar: &Scalar) -> bool {
    let text = scalar.text();
    let is_word =
        text.split(':').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    is_word && scalar.kind() == ScalarKind::Str && kind_of(text) == ScalarKind::Str
}

/// A tree as text with its keys sorted, for messages.
pub(crate) fn print_sorted(node: &Node) -> String {
    printer::to_yaml(node)
}

/// A tree as JSON on one line with its keys sorted, for messages.
pub(crate) fn print_json(node: &Node) -> String {
    json::to_string(&millrace_yaml::canonical(node).unwrap_or_else(|_| node.clone()))
}
