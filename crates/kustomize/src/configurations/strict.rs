//! Reading text in which a key may stand once only.

use std::collections::HashMap;

use millrace_yaml::read::{self, Lined, LinedValue, Resolver};
use millrace_yaml::{Node, ScalarKind};

use crate::error::{BuildError, Result};
use crate::hints::{self, Draft};
use crate::text::Text;
use crate::{go, schema, syntax};

/// Reads a text, or fails with the words of the reference and its line numbers, which are those of its conversion to JSON.
pub(super) fn read(text: &Text<'_>, file: &str) -> Result<Node> {
    let node = syntax::read_converted(text).map_err(|error| {
        let hint = hints::unreadable(file, text, &schema::placed(text, &error));
        BuildError::new(error.text).with_hint(hint)
    })?;
    let lines: Vec<&str> = text.lines().collect();
    let mut repeated = Vec::new();
    if let Some(document) = read::lined(text, Resolver::Kustomize).first() {
        find_repeated(document, &lines, &mut repeated);
    }
    if repeated.is_empty() { Ok(node) } else { Err(failure(file, &repeated)) }
}

/// Quotes around keys are looked for in lines of up to so many bytes, as each key of a line is looked for.
const MAX_LINE: usize = 4 << 10;

/// A key that stands twice in a map.
struct Repeated {
    key: String,
    first_line: usize,
    line: usize,
    value_line: usize,
}

fn failure(file: &str, repeated: &[Repeated]) -> BuildError {
    let line = |Repeated { key, value_line, .. }: &Repeated| {
        format!("\n  line {value_line}: key {key} already set in map")
    };
    let lines: String = repeated.iter().map(line).collect();
    let error = BuildError::new(format!("error converting YAML to JSON: yaml: unmarshal errors:{lines}"));
    let hint = |Repeated { key, first_line, line, .. }: &Repeated| {
        Draft::line(file, Some(*line)).and(format!(
            ": the key {key} stands at line {first_line} already: put both values under one key"
        ))
    };
    repeated.iter().map(hint).take(1).fold(error, BuildError::with_hint)
}

/// Lists keys that stand twice in the order in which the reference comes to them: it looks into a value first.
fn find_repeated(value: &Lined, lines: &[&str], found: &mut Vec<Repeated>) {
    match &value.value {
        LinedValue::List(items) => items.iter().for_each(|item| find_repeated(item, lines, found)),
        LinedValue::Map(entries) => {
            let mut seen = HashMap::new();
            for (key, value) in entries {
                find_repeated(value, lines, found);
                if key == "<<" {
                    continue;
                }
                let here = lines.get(value.line.saturating_sub(1)).copied();
                let here = here.filter(|line| line.len() <= MAX_LINE).unwrap_or_default();
                let key = shown(key, here);
                if let Some(&first_line) = seen.get(&key) {
                    let (line, value_line) = (value.line, value_line(value, here, lines));
                    found.push(Repeated { key, first_line, line, value_line });
                } else {
                    seen.insert(key, value.line);
                }
            }
        }
        LinedValue::Scalar(_) | LinedValue::Alias => {}
    }
}

/// A key as the reference prints it: `yes` and `true` are one.
fn shown(key: &str, line: &str) -> String {
    let is_quoted = line.contains(&format!("'{key}'")) || line.contains(&format!("\"{key}\""));
    match read::kind_of(key, Resolver::Kubernetes) {
        ScalarKind::Bool if !is_quoted => {
            let is_true = matches!(key.to_lowercase().as_str(), "y" | "yes" | "on" | "true");
            is_true.to_string()
        }
        ScalarKind::Int | ScalarKind::Float if !is_quoted => key.to_owned(),
        _ => go::quote(key),
    }
}

/// The line on which the value of a key begins.
fn value_line(value: &Lined, here: &str, lines: &[&str]) -> usize {
    let (content, _) = here.split_once(" #").unwrap_or((here, ""));
    if !content.trim_end().ends_with(':') {
        return value.line;
    }
    let next = || {
        let below = lines.iter().enumerate().skip(value.line);
        let mut below = below.filter(|(_, line)| !line.trim().is_empty() && !line.trim().starts_with('#'));
        below.next().map(|(index, _)| index + 1)
    };
    let first = match &value.value {
        LinedValue::List(items) => items.first().map(|item| item.line),
        LinedValue::Map(entries) => entries.first().map(|(_, value)| value.line),
        LinedValue::Scalar(text) if text.is_empty() => None,
        LinedValue::Scalar(_) | LinedValue::Alias => next(),
    };
    first.unwrap_or(value.line)
}
