//! Reading YAML and JSON text.
//!
//! Two dialects are needed. Objects that the controllers send to the API server are read as the Kubernetes libraries
//! read them ([`Resolver::Kubernetes`]); files that a build reads are read as kustomize reads them
//! ([`Resolver::Kustomize`]). Both share one grammar, and errors have go-yaml's texts and line numbers.
//!
//! Contract: kustomize-build §6, kustomize-controller §3.5.4, §3.7.

mod budget;
mod compose;
mod encoding;
mod error;
mod event;
mod flaw;
mod load;
mod locate;
mod merge;
mod parse;
mod scan;
mod split;

pub(crate) use budget::Budget;
pub(crate) use compose::styled;
pub use encoding::decode;
pub use error::{ReadError, ReadErrorKind};
pub use flaw::{Flaw, Place, anchors, continued, flaw, unread};
pub use locate::{Lined, LinedValue, Step, lined, locate};

use crate::{Node, Scalar, ScalarKind, Style, quote, resolve, styled};

/// Whose reading is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolver {
    /// `sigs.k8s.io/yaml`, that is go-yaml v2 and then JSON: `yes` is true, the last of equal keys wins, keys become
    /// strings, numbers lose their spelling. The tree has its canonical form.
    Kubernetes,
    /// kyaml, that is go-yaml v3's node tree: `yes` is a string; text, style and keys' types are kept. Of equal keys
    /// the first is kept and the others are listed in [`Document::duplicates`].
    Kustomize,
}

/// Bounds that input may not exceed, so that no text makes the process fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How deep lists and maps may nest, aliases resolved; at most [`Limits::MAX_DEPTH`] counts.
    pub depth: usize,
    /// The size of the whole text in bytes; also what aliases may repeat of it, and half of what indentation takes once it
    /// is printed.
    pub text_bytes: usize,
    /// The number of values of a text, aliases resolved. Beside it, go-yaml's own rule on the share of a document's
    /// values that come from aliases holds.
    pub values: usize,
}

impl Limits {
    /// The deepest tree that plain recursion is tested to clone, print, compare and drop on small stacks.
    pub const MAX_DEPTH: usize = 1000;

    /// The stack in bytes on which all of that is tested. Threads on which trees are read and worked on must have as much:
    /// a thread whose stack is too small for its input ends the process.
    pub const STACK_BYTES: usize = 2 << 20;
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 500, text_bytes: 64 << 20, values: 8_000_000 }
    }
}

/// One document of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Its content.
    pub node: Node,
    /// The line of the text on which the document's own first line stands, from 1; lines in errors count from there.
    pub first_line: usize,
    /// Keys that stood twice in a map; kustomize fails on them when it prints the object.
    pub duplicates: Vec<DuplicateKey>,
    /// The error of the first key that is a map or a list, as in `{{ template }}`. With [`Resolver::Kustomize`] the tree goes
    /// without that entry; kustomize fails on it when it prints the object.
    pub complex_key: Option<ReadError>,
    /// Where the document has comments and a block text that begins with a tab: the line of that text in the document as
    /// kustomize prints it, which it cannot read again.
    pub tab_line: Option<usize>,
}

/// A key that stood twice in a map.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: mapping key {} already defined at line {first_line}", quote(key))]
pub struct DuplicateKey {
    /// The key.
    pub key: String,
    /// The document's line of the later one, from 1. What [`documents`] reads with [`Resolver::Kustomize`] has the lines of the
    /// document as kustomize prints it, which is when it finds them.
    pub line: usize,
    /// The line of the first one, alike.
    pub first_line: usize,
}

/// A key that stands in a map of [`strict`] again; the merged entries of a map are its own.
#[derive(Clone, Debug, PartialEq)]
pub struct RepeatedKey {
    /// The key with its type: `1` and `"1"` are two keys.
    pub key: Scalar,
    /// The line of the later one, from 1.
    pub line: usize,
    /// The line of the first one.
    pub first_line: usize,
    /// The line on which the later one's value begins.
    pub value_line: usize,
}

/// Reads every document of a text; documents without content and `null` ones are left out.
///
/// Documents are separated as the resolver's reference does it; of what follows a `...` line nothing is read. With
/// [`Resolver::Kubernetes`], text that starts with `{` is first tried as a stream of JSON values.
pub fn documents(text: &str, resolver: Resolver, limits: &Limits) -> Result<Vec<Document>, ReadError> {
    if text.len() > limits.text_bytes {
        return Err(ReadError::too_large(text.len(), limits));
    }
    let maybe_json = resolver == Resolver::Kubernetes && text.trim_start().starts_with('{');
    if maybe_json && let Ok(nodes) = crate::json::documents(text, limits) {
        let json = |node| Document {
            node,
            first_line: 1,
            duplicates: Vec::new(),
            complex_key: None,
            tab_line: None,
        };
        return Ok(nodes.into_iter().filter(|node| !node.is_null()).map(json).collect());
    }
    let mut found = Vec::new();
    // kustomize makes values of aliases and merges when it has read all documents.
    let mut late = None;
    let mut budget = Budget::new(limits);
    for (index, piece) in split::pieces(text, resolver).into_iter().enumerate() {
        let piece = piece?;
        match load::document(&piece.text, resolver, &mut budget) {
            Ok(Some(document)) if document.node.is_null() => {}
            Ok(Some(document)) => found.push(Document {
                first_line: piece.first_line,
                duplicates: printed_places(document.duplicates, &piece.text, resolver, limits),
                complex_key: document.complex_key.map(|err| {
                    printed_lines(err, &piece.text, resolver, limits).in_document(index, piece.first_line)
                }),
                tab_line: tab_line(&document.node, &piece.text, resolver, limits),
                ..document
            }),
            Ok(None) => {}
            Err(err) => {
                let err = err.in_document(index, piece.first_line);
                if resolver == Resolver::Kubernetes || !err.is_late() {
                    return Err(err);
                }
                late.get_or_insert(err);
            }
        }
    }
    match late {
        Some(err) => Err(err),
        None => Ok(found),
    }
}

/// Whether a text is one document, without a separator that ends it or an empty document beside it.
pub fn is_single(text: &str, resolver: Resolver) -> bool {
    split::pieces(text, resolver).len() == 1
}

/// Where keys stand twice in a document as kustomize prints it, which is when it finds them: blank lines are gone by then.
fn printed_places(
    duplicates: Vec<DuplicateKey>,
    text: &str,
    resolver: Resolver,
    limits: &Limits,
) -> Vec<DuplicateKey> {
    if duplicates.is_empty() || resolver != Resolver::Kustomize {
        return duplicates;
    }
    let printed = || {
        let text = styled::Document::read(text, limits).ok()??.print(limits.text_bytes).ok()?;
        Some(load::document(&text, resolver, &mut Budget::new(limits)).ok()??.duplicates)
    };
    printed().filter(|printed| printed.len() == duplicates.len()).unwrap_or(duplicates)
}

/// An error about keys with the lines of the document as kustomize prints it.
fn printed_lines(error: ReadError, text: &str, resolver: Resolver, limits: &Limits) -> ReadError {
    if !error.lists_lines() || resolver != Resolver::Kustomize {
        return error;
    }
    let printed = || {
        let text = styled::Document::read(text, limits).ok()??.print(limits.text_bytes).ok()?;
        load::document(&text, resolver, &mut Budget::new(limits)).ok()??.complex_key
    };
    match printed() {
        Some(printed) => error.told_as(printed),
        None => error,
    }
}

/// Whether a block text in a tree begins with a tab: a block is never read that does, and only text in quotes is not printed as
/// one.
pub fn has_tab_block(node: &Node) -> bool {
    match node {
        Node::Map(map) => map.iter().any(|(_, value)| has_tab_block(value)),
        Node::List(items) => items.iter().any(has_tab_block),
        Node::Scalar(scalar) => {
            scalar.text().starts_with('\t')
                && !matches!(scalar.style(), Style::SingleQuoted | Style::DoubleQuoted)
        }
    }
}

/// Where a document that kustomize prints with its comments does not read again.
fn tab_line(node: &Node, text: &str, resolver: Resolver, limits: &Limits) -> Option<usize> {
    let may_be = resolver == Resolver::Kustomize && text.contains('#') && text.contains('\t');
    if !may_be || !has_tab_block(node) {
        return None;
    }
    let text = styled::Document::read(text, limits).ok()??.print(limits.text_bytes).ok()?;
    load::document(&text, resolver, &mut Budget::new(limits)).err()?.line()
}

/// Like [`documents`], of bytes in an encoding that [`decode`] knows.
pub fn documents_from_slice(
    bytes: &[u8],
    resolver: Resolver,
    limits: &Limits,
) -> Result<Vec<Document>, ReadError> {
    documents(&decode(bytes)?, resolver, limits)
}

/// Reads the first document of a text without splitting it, as `yaml.Unmarshal` does; empty text is `null`.
pub fn one(text: &str, resolver: Resolver, limits: &Limits) -> Result<Document, ReadError> {
    if text.len() > limits.text_bytes {
        return Err(ReadError::too_large(text.len(), limits));
    }
    let document = load::document(text, resolver, &mut Budget::new(limits))?;
    let empty = || Document {
        node: Node::null(),
        first_line: 1,
        duplicates: Vec::new(),
        complex_key: None,
        tab_line: None,
    };
    Ok(document.unwrap_or_else(empty))
}

/// Like [`one`] with [`Resolver::Kubernetes`], with the keys that stand again in a map, in the order in which go-yaml comes
/// to them when it is strict.
pub fn strict(text: &str, limits: &Limits) -> Result<(Node, Vec<RepeatedKey>), ReadError> {
    if text.len() > limits.text_bytes {
        return Err(ReadError::too_large(text.len(), limits));
    }
    let read = load::strict(text, &mut Budget::new(limits))?;
    Ok(read.unwrap_or_else(|| (Node::null(), Vec::new())))
}

/// Like [`one`], of bytes in an encoding that [`decode`] knows.
pub fn one_from_slice(bytes: &[u8], resolver: Resolver, limits: &Limits) -> Result<Document, ReadError> {
    one(&decode(bytes)?, resolver, limits)
}

/// What text means that stands without quotes: for changes of a scalar that keep its style.
pub fn kind_of(text: &str, resolver: Resolver) -> ScalarKind {
    match resolve::plain(text, resolver).kind() {
        ScalarKind::Timestamp if resolver == Resolver::Kubernetes => ScalarKind::Str,
        kind => kind,
    }
}
