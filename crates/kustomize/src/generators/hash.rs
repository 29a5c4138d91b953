//! The hash that generated objects carry in their names.
//!
//! Contract: kustomize-build §3.3.

use std::fmt::Write as _;

use millrace_yaml::{Map, Node, Scalar, json, round_to_f64};
use sha2::{Digest as _, Sha256};

use crate::error::{BuildError, Result};
use crate::fields::set_text;
use crate::hints::Draft;
use crate::resource::{Collection, Names, text_at};
use crate::syntax;

const LENGTH: usize = 10;

/// Appends the hash of the content to the names of all objects that need one.
pub(crate) fn append_hashes(collection: &mut Collection, names: &Names) -> Result<()> {
    if !collection.iter().any(|resource| resource.needs_hash) {
        return Ok(());
    }
    for resource in collection.iter_mut().filter(|resource| resource.needs_hash) {
        let hash = hash(&resource.node, &names.text(resource.file))?;
        resource.record_id();
        let name = format!("{}-{hash}", text_at(&resource.node, &["metadata", "name"]));
        if let Some(metadata) = resource.node.map_at_mut(&["metadata"]) {
            set_text(metadata, "name", &name).map_err(|fault| BuildError::new(fault.text))?;
        }
        resource.refresh_id(names);
    }
    Ok(())
}

fn hash(object: &Node, file: &str) -> Result<String> {
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
        // The reference covers its own form of the tree, lines and columns included, so that moving a line gives a new name.
        other => {
            return Err(BuildError::new(format!(
                "no hash suffix can be made for an object of kind '{other}', only for ConfigMaps and Secrets"
            ))
            .with_hint(Draft::line(file, None).and(": the object stands in this file")));
        }
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
    Ok(text.chars().map(letter).collect())
}

fn value_of(object: &Node, field: &str) -> Result<Node> {
    match object.get(field) {
        None => Ok(Node::string("")),
        Some(Node::Scalar(scalar)) => Ok(Node::string(Scalar::text(scalar))),
        Some(node) => {
            syntax::check_blocks(node).map_err(|error| BuildError::new(error.text))?;
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
