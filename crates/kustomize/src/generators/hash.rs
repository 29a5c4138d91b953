//! The hash that generated objects carry in their names.
//!
//! Contract: kustomize-build §3.3.

use std::fmt::Write as _;

use millrace_yaml::{Map, Node, Scalar, json, round_to_f64};
use sha2::{Digest as _, Sha256};

use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::fields::set_text;
use crate::hints::Draft;
use crate::resource::{Collection, text_at};
use crate::syntax;

const LENGTH: usize = 10;
/// What a name gets where the hash is refused. No hash has a zero, and nobody calls anything so.
const REFUSED: &str = "0unhashed0";

/// The first object that can have no hash.
///
/// The reference names it by its own form of the tree, lines and columns included, so that moving a line gives a new name.
/// No build ends with such an object; what else is wrong with it is told first.
#[derive(Debug)]
pub(crate) struct Refusal(BuildError);

impl Refusal {
    /// What a build comes to that went on with a made-up hash.
    pub(crate) fn settle<T>(self, outcome: Result<T>) -> Result<T> {
        match outcome {
            Err(error) if !error.is_input() => Err(error),
            Err(error) if !error.reference.contains(REFUSED) => {
                Err(error.with_other(self.0.reference.into()))
            }
            _ => Err(self.0),
        }
    }
}

/// Appends the hash of the content to the names of all objects that need one.
pub(crate) fn append_hashes(collection: &mut Collection, context: &Context<'_>) -> Result<()> {
    let names = &context.names;
    if !collection.iter().any(|resource| resource.needs_hash) {
        return Ok(());
    }
    for resource in collection.iter_mut().filter(|resource| resource.needs_hash) {
        let hash = hash(&resource.node)?.unwrap_or_else(|| {
            context.refuse(|| refusal(&resource.node, &names.text(resource.file)));
            REFUSED.to_owned()
        });
        resource.record_id();
        let name = format!("{}-{hash}", text_at(&resource.node, &["metadata", "name"]));
        if let Some(metadata) = resource.node.map_at_mut(&["metadata"]) {
            set_text(metadata, "name", &name).map_err(|fault| BuildError::new(fault.text))?;
        }
        resource.refresh_id(names);
    }
    Ok(())
}

fn refusal(object: &Node, file: &str) -> Refusal {
    let kind = text_at(object, &["kind"]);
    let error = BuildError::new(format!(
        "no hash suffix can be made for an object of kind '{kind}', only for ConfigMaps and Secrets"
    ));
    Refusal(error.with_hint(Draft::line(file, None).and(": the object stands in this file")))
}

/// The hash of a `ConfigMap` or `Secret`.
fn hash(object: &Node) -> Result<Option<String>> {
    let mut content = Map::default();
    let optional: &[&str] = match text_at(object, &["kind"]) {
        "ConfigMap" => {
            content.insert("kind", Node::string("ConfigMap"));
            &["binaryData"]
        }
        "Secret" => {
            content.insert("kind", Node::string("Secret"));
            content.insert("type", value_of(object, "type")?);
            &["stringData"]
        }
        _ => return Ok(None),
    };
    // The reference looks for a field called `metadata/name`, which no object has.
    content.insert("name", Node::string(""));
    content.insert("data", value_of(object, "data")?);
    for field in optional {
        if object.get(field).is_some_and(|value| value.as_map().is_some()) {
            content.insert(*field, value_of(object, field)?);
        }
    }
    content.sort_keys();
    let digest = Sha256::digest(json::to_string_with(&Node::Map(content), json::Escape::Html));
    let mut text = String::with_capacity(LENGTH);
    for byte in digest.iter().take(LENGTH.div_ceil(2)) {
        let _ = write!(text, "{byte:02x}");
    }
    Ok(Some(text.chars().map(letter).collect()))
}

fn value_of(object: &Node, field: &str) -> Result<Node> {
    match object.get(field) {
        None => Ok(Node::string("")),
        Some(Node::Scalar(scalar)) => Ok(Node::string(Scalar::text(scalar))),
        Some(node) => {
            syntax::check_blocks(node).map_err(|error| BuildError::new(error.to_string()))?;
            let mut node = syntax::canonical_for_json(node).map_err(BuildError::new)?;
            round_to_f64(&mut node);
            if let Some(map) = node.as_map_mut() {
                map.sort_keys();
            }
            Ok(node)
        }
    }
}

/// Letters that could spell words are replaced.
fn letter(letter: char) -> char {
    match letter {
        '0' => 'g',
        '1' => 'h',
        '3' => 'k',
        'a' => 'm',
        'e' => 't',
        other => other,
    }
}
