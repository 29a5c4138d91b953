//! Files of settings that do not read, or do not fit.

use millrace_yaml::Node;

use super::near::{listed, nearest, quoted};
use super::{Draft, Key, syntax_errors};
use crate::kustomization::decode::{DecodeError, Problem};
use crate::syntax::SyntaxError;

/// Fields that a hint names where none is near.
const FEW: usize = 8;

/// Text that is not YAML.
pub(crate) fn unreadable(file: &str, text: &str, error: &SyntaxError) -> Draft {
    let is_utf8 = !text.contains('\u{fffd}');
    let cause = syntax_errors::cause(text, is_utf8, error.line, &error.text);
    Draft::line(file, cause.line).and(": ").and(cause.text)
}

/// That a file with the name of a kustomization file states an object, such as one of Flux.
pub(crate) fn no_kustomization(file: &str, node: &Node) -> Option<Draft> {
    let text = |path: &[&str]| node.str_at(path).unwrap_or_default();
    let (api_version, kind) = (text(&["apiVersion"]), text(&["kind"]));
    let is_object = node.get("metadata").is_some() && !kind.is_empty();
    if !is_object || api_version.is_empty() || api_version.starts_with("kustomize.config.k8s.io/") {
        return None;
    }
    let group = api_version.split_once('/').map_or(api_version, |(group, _)| group);
    Some(Draft::field(file, vec![Key::name("apiVersion")], None).and(format!(
        ": this is a {} of {}, not a kustomization file: rename the file, and list it under resources",
        super::near::shown(kind),
        super::near::shown(group)
    )))
}

/// Text that does not fit what it is read for.
pub(crate) fn undecodable(file: &str, error: &DecodeError) -> Draft {
    let way: Vec<Key> = error.way.iter().rev().cloned().collect();
    let field = shown(&way);
    let says = match &error.problem {
        Problem::UnknownField { name, known } => {
            let above = shown(&way[..way.len().saturating_sub(1)]);
            let place = if above.is_empty() {
                "there is no field".to_owned()
            } else {
                format!("{above} has no field")
            };
            let instead = match nearest(name, known.iter().copied()) {
                Some(near) => format!(": did you mean '{near}'?"),
                None if known.len() <= FEW => format!(": its fields are {}", listed(known.iter().copied())),
                None => String::new(),
            };
            format!("{place} {}{instead}", quoted(name))
        }
        Problem::WrongType { value, wanted, .. } => {
            let (wanted, value) = (words(wanted), words(value));
            let field = if field.is_empty() { "this".to_owned() } else { field };
            match (wanted, value) {
                ("a list", "a map") => {
                    format!("{field} is to be a list, not a map: begin its entries with '- '")
                }
                ("a list", value) => {
                    format!("{field} is to be a list, not {value}: write '- ' before each entry")
                }
                ("text", value) if value == "a number" || value == "true or false" => {
                    format!("{field} is to be text, not {value}: put it in quotes")
                }
                (wanted, value) => format!("{field} is to be {wanted}, not {value}"),
            }
        }
    };
    Draft::field(file, way, None).and(": ").and(says)
}

/// The way to a field in words, such as `patches[0].target`.
fn shown(way: &[Key]) -> String {
    let mut text = String::new();
    for key in way {
        match key {
            Key::Name(name) if text.is_empty() => text.push_str(&super::near::shown(name)),
            Key::Name(name) => text.extend([".", &super::near::shown(name)]),
            Key::Item(index) => text.extend(["[", &index.to_string(), "]"]),
        }
    }
    text
}

/// A type of the reference's language in words.
fn words(of_type: &str) -> &'static str {
    match of_type {
        "string" | "types.SortOrder" => "text",
        "bool" => "true or false",
        "int" | "int64" | "number" => "a number",
        "array" => "a list",
        other if other.starts_with("[]") => "a list",
        other if other.starts_with("number ") => "a number",
        _ => "a map",
    }
}
