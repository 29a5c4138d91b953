//! Reading texts that state types: JSON where they begin like it, else YAML.

use millrace_yaml::Node;
use millrace_yaml::json::{self, JsonError};
use millrace_yaml::read::{self, Limits, Resolver};

use super::swagger::KeyOrder;
use crate::error::{BuildError, Result};
use crate::hints::{self, Draft};
use crate::syntax::{self, SyntaxError};
use crate::text::Text;

/// The tree of a text, and the order in which its keys count.
pub(crate) fn read(text: &Text<'_>, file: &str) -> Result<(Node, KeyOrder)> {
    if text.starts_with('{') {
        let node = json::from_str(text).map_err(|error| {
            let line = text.get(..error.offset()).unwrap_or(text).matches('\n').count() + 1;
            let hint = Draft::line(file, Some(line)).and(": ").and(json_cause(text, &error));
            BuildError::new(error.to_string()).with_hint(hint)
        })?;
        return Ok((node, KeyOrder::Written));
    }
    let node = syntax::read_config(text).map_err(|error| {
        let hint = hints::unreadable(file, text, &placed(text, &error));
        BuildError::new(error.text).with_hint(hint)
    })?;
    Ok((node, KeyOrder::Sorted))
}

/// The same error of YAML at the line that a person looks for, where the reference names another one.
pub(crate) fn placed(text: &str, error: &SyntaxError) -> SyntaxError {
    let problem =
        error.text.strip_prefix("error converting YAML to JSON: ").unwrap_or(&error.text).to_owned();
    let is_about = |words: &str| problem.contains(words);
    let line = if is_about("found unexpected end of stream") {
        opening_quote(text).or(error.line)
    } else if is_about("did not find expected key") || is_about("did not find expected '-' indicator") {
        // The reference counts the lines before the one that fits nowhere.
        Some(error.line.unwrap_or(0) + 1)
    } else if is_about("did not find expected") {
        error.line.or(Some(1))
    } else {
        error.line
    };
    SyntaxError { text: problem, line }
}

/// Where a quote opens that nothing closes: the reader of objects names that line, unless it is the first one.
fn opening_quote(text: &str) -> Option<usize> {
    let line = read::one(text, Resolver::Kustomize, &Limits::default()).err()?.line()?;
    let is_behind = text.lines().nth(line - 1).is_none_or(|line| !line.contains(['"', '\'']));
    Some(if is_behind { 1 } else { line })
}

/// Why text is no JSON, in the words of those who write it.
fn json_cause(text: &str, error: &JsonError) -> String {
    let problem = error.to_string();
    let before = text.get(..error.offset()).unwrap_or(text).trim_end();
    let at = text.get(error.offset()..).unwrap_or_default();
    if problem == "unexpected end of JSON input" {
        "not JSON: the text ends before its brackets and quotes are closed".to_owned()
    } else if before.ends_with(',') && at.starts_with(['}', ']', ',']) {
        "not JSON: a ',' stands with no entry behind it".to_owned()
    } else if problem.ends_with("after top-level value") {
        "not JSON: more text follows the bracket that closes the first one".to_owned()
    } else if at.starts_with('\'') {
        "not JSON: text wants double quotes".to_owned()
    } else {
        format!("not JSON: {problem}")
    }
}
