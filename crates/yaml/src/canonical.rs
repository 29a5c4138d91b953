//! The last step of a build: the tree that the reference's output would be read as.

use crate::read::Resolver;
use crate::refold::refolded;
use crate::resolve::{self, Resolved};
use crate::{Node, Scalar, ScalarKind, Style, number, print, text_time};

/// A tree that has no output.
///
/// Contract: kustomize-build §6.5; texts are the tails of that table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CanonicalError {
    /// A scalar was given text that its type doesn't allow.
    #[error("yaml: cannot decode !!{found} `{text}` as a !!{wanted}")]
    Typed {
        /// The text.
        text: String,
        /// What it reads as.
        found: &'static str,
        /// What it should be.
        wanted: &'static str,
    },
    /// A key that stands twice in a map.
    #[error("yaml: unmarshal errors: a key of a map stands twice")]
    Repeated,
    /// A key that is no string.
    #[error("json: unsupported type: map[interface {{}}]interface {{}}")]
    Key,
    /// A number that JSON doesn't have.
    #[error("json: unsupported value: {0}")]
    NotFinite(&'static str),
    /// A character that YAML doesn't have.
    #[error("yaml: control characters are not allowed")]
    Control,
}

impl CanonicalError {
    /// The reference's trip has stages; the first stage that fails decides what is reported.
    fn stage(&self) -> u8 {
        match self {
            Self::Typed { .. } | Self::Repeated => 0,
            Self::Key | Self::NotFinite(_) => 1,
            Self::Control => 2,
        }
    }
}

/// [`canonicalize`] on a copy.
pub fn canonical(node: &Node) -> Result<Node, CanonicalError> {
    let mut node = node.clone();
    canonicalize(&mut node)?;
    Ok(node)
}

/// Brings a tree that [`Resolver::Kustomize`] read into the form it has after kustomize's output is read again.
///
/// Keys are sorted, styles forgotten; numbers are decimal, whole floats integers; timestamps are RFC 3339 strings; folded text
/// gains and loses line breaks, as the reference writes it another way than it reads it.
///
/// Contract: kustomize-build §6.5.
pub fn canonicalize(node: &mut Node) -> Result<(), CanonicalError> {
    let mut first = None;
    if let Node::Map(map) = node {
        map.entries_mut().iter_mut().for_each(|(key, _)| name(key));
    }
    walk(node, false, &mut first);
    first.map_or(Ok(()), Err)
}

/// Makes a key of the outermost map a string, as the reference reads that one, and none below, into a map with keys of strings.
fn name(key: &mut Scalar) {
    if key.kind() != ScalarKind::Null && !key.is_name() {
        *key = Scalar::string(key.text());
    }
}

/// `flow` says whether it stands in brackets.
fn walk(node: &mut Node, flow: bool, first: &mut Option<CanonicalError>) {
    match node {
        Node::Scalar(scalar) => {
            if scalar.kind() == ScalarKind::Str && has_control(scalar.text()) {
                note(first, CanonicalError::Control);
            }
            match plain(scalar, flow) {
                Ok(None) => {}
                Ok(Some(plain)) => *scalar = plain,
                Err(err) => note(first, err),
            }
        }
        Node::List(items) => {
            let flow = flow || items.is_flow();
            items.iter_mut().for_each(|item| walk(item, flow, first));
        }
        Node::Map(map) => {
            let flow = flow || map.is_flow();
            for (key, value) in map.entries_mut() {
                if !key.is_tagged() && is_quoted_key(key, flow) {
                    *key = Scalar::string(key.text());
                }
                if !key.is_name() {
                    note(first, CanonicalError::Key);
                }
                if has_control(key.text()) {
                    note(first, CanonicalError::Control);
                }
                if key.style() != Style::Plain || key.is_tagged() {
                    *key = Scalar::string(key.text());
                }
                walk(value, flow, first);
            }
            if print::sort_keys(map) {
                note(first, CanonicalError::Repeated);
            }
        }
    }
}

/// Whether a key is printed in quotes that it did not have: one that is missing, and a time in brackets.
fn is_quoted_key(key: &Scalar, flow: bool) -> bool {
    match key.kind() {
        ScalarKind::Null => key.text().is_empty(),
        ScalarKind::Timestamp => flow && key.text().contains(':'),
        ScalarKind::Str | ScalarKind::Bool | ScalarKind::Int | ScalarKind::Float => false,
    }
}

fn note(first: &mut Option<CanonicalError>, err: CanonicalError) {
    if first.as_ref().is_none_or(|noted| noted.stage() > err.stage()) {
        *first = Some(err);
    }
}

/// The plain form of a scalar; `None` where it has it already.
fn plain(scalar: &Scalar, flow: bool) -> Result<Option<Scalar>, CanonicalError> {
    let text = scalar.text();
    let resolved = match scalar.kind() {
        ScalarKind::Str if scalar.style() == Style::Plain && !scalar.is_tagged() => return Ok(None),
        // In brackets it stands in quotes.
        ScalarKind::Str if scalar.style() == Style::Folded && !flow => {
            return Ok(Some(Scalar::string(refolded(text).unwrap_or_else(|| text.to_owned()))));
        }
        ScalarKind::Str => return Ok(Some(Scalar::string(text))),
        // In brackets a text with a colon is printed in quotes.
        ScalarKind::Timestamp if flow && text.contains(':') && !scalar.is_tagged() => {
            return Ok(Some(Scalar::string(text)));
        }
        // What is missing inside of brackets is printed as a string without text.
        ScalarKind::Null if flow && text.is_empty() && !scalar.is_tagged() => {
            return Ok(Some(Scalar::string("")));
        }
        // In quotes stands a string, unless the tag has to be printed as well: where the text alone is of another type.
        kind if scalar.style() != Style::Plain
            && kind == resolve::plain(text, Resolver::Kustomize).kind() =>
        {
            return Ok(Some(Scalar::string(text)));
        }
        ScalarKind::Null | ScalarKind::Bool | ScalarKind::Int | ScalarKind::Float | ScalarKind::Timestamp => {
            resolve::plain(text, Resolver::Kustomize)
        }
    };
    let typed = |found: ScalarKind| CanonicalError::Typed {
        text: text.to_owned(),
        // The reference looks for times where it may find one.
        found: if found == ScalarKind::Timestamp { ScalarKind::Str } else { found }.tag(),
        wanted: scalar.kind().tag(),
    };
    let plain = match (scalar.kind(), resolved) {
        (ScalarKind::Null, Resolved::Null) => Scalar::new("null", ScalarKind::Null, Style::Plain),
        (ScalarKind::Bool, Resolved::Bool(value)) => {
            Scalar::new(if value { "true" } else { "false" }, ScalarKind::Bool, Style::Plain)
        }
        (ScalarKind::Int, Resolved::Int(value)) => {
            Scalar::new(value.to_string(), ScalarKind::Int, Style::Plain)
        }
        #[expect(clippy::cast_precision_loss, reason = "an integer tagged as float is rounded")]
        (ScalarKind::Float, Resolved::Int(value)) if i64::try_from(value).is_ok() => {
            number::scalar_of(value as f64)
        }
        (ScalarKind::Float, Resolved::Float(value)) => finite(value)?,
        (ScalarKind::Timestamp, Resolved::Timestamp(time)) => {
            Scalar::string(text_time::Timestamp::rfc3339(time))
        }
        (_, other) => return Err(typed(other.kind())),
    };
    Ok(Some(plain))
}

/// The scalar of a number that JSON has.
pub(crate) fn finite(value: f64) -> Result<Scalar, CanonicalError> {
    if value.is_nan() {
        Err(CanonicalError::NotFinite("NaN"))
    } else if value.is_infinite() {
        Err(CanonicalError::NotFinite(if value > 0.0 { "+Inf" } else { "-Inf" }))
    } else {
        Ok(number::scalar_of(value))
    }
}

/// Whether text holds a character that go-yaml refuses to read and that JSON leaves as it is.
fn has_control(text: &str) -> bool {
    const DELETE: u8 = 0x7f;
    if text.is_ascii() {
        return text.as_bytes().contains(&DELETE);
    }
    text.chars().any(
        |character| matches!(character, '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}'),
    )
}
