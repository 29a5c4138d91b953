//! Variable substitution after a build: `${name}` and its operators, in text and in whole objects.
//!
//! [`substitute_text`] is the grammar. [`substitute_node`] takes one object through its YAML text and back, which is how
//! values find their types, and [`substitute_nodes`] does that for everything a build has yielded.
//!
//! The crate knows nothing of clusters: whoever calls it collects [`Variables`] from the objects that hold them.
//!
//! Contract: kustomize-controller §3.5.

mod error;
mod evaluate;
mod functions;
mod glob;
mod object;
mod parse;
mod scanner;
mod variables;

pub use error::{ObjectError, SubstitutionError, TextError};
pub use object::{
    Options, Outcome, Strategy, is_disabled, printed_id, reads_variables, substitute_node, substitute_nodes,
};
pub use variables::Variables;

/// What a variable that isn't set counts as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// An error, unless the operator has a default.
    #[default]
    Strict,
    /// The empty string.
    Lax,
}

/// Replaces every expression of a text.
///
/// Expressions count in bytes, so their result may cut a character in two; such bytes become U+FFFD here.
///
/// Contract: kustomize-controller §3.5.2, §3.5.3.
pub fn substitute_text(text: &str, variables: &Variables, mode: Mode) -> Result<String, TextError> {
    let bytes = substitute_bytes(text, variables, mode)?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|err| String::from_utf8_lossy(err.as_bytes()).into_owned()))
}

/// Like [`substitute_text`], with the bytes as they are.
pub(crate) fn substitute_bytes(text: &str, variables: &Variables, mode: Mode) -> Result<Vec<u8>, TextError> {
    // The whole text is parsed before anything is evaluated: its errors come first.
    let parts = parse::parse(text)?;
    let mut out = Vec::with_capacity(text.len());
    evaluate::evaluate(&parts, variables, mode, &mut out)?;
    Ok(out)
}
