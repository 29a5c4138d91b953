//! Rows from definitions of types.

use std::collections::BTreeMap;

use millrace_yaml::{Map, Node, json};

use crate::error::{BuildError, Result};
use crate::kustomization::decode::{Decode, DecodeError, Raw, Trail, decode_lax};
use crate::syntax;
use crate::tables::{NameReference, Row, Selector, Tables, merge_rows};
use crate::text::Text;

const ANNOTATION: &str = "x-kubernetes-annotation";
const LABEL_SELECTOR: &str = "x-kubernetes-label-selector";
const IDENTITY: &str = "x-kubernetes-identity";
const REFERENCE_VERSION: &str = "x-kubernetes-object-ref-api-version";
const REFERENCE_KIND: &str = "x-kubernetes-object-ref-kind";
const REFERENCE_NAME_KEY: &str = "x-kubernetes-object-ref-name-key";

/// A definition; anything but a map is an error.
#[derive(Default)]
struct Definition(Map);

impl Decode for Definition {
    fn type_name() -> String {
        "accumulator.OpenAPIDefinition".to_owned()
    }

    fn decode(node: &Node, trail: &mut Trail) -> std::result::Result<Self, DecodeError> {
        let fields: BTreeMap<String, Raw> = trail.map_of::<Self, Raw>(node)?;
        Ok(Self(
            fields.into_iter().map(|(key, value)| (millrace_yaml::Scalar::string(key), value.0)).collect(),
        ))
    }
}

/// The rows that the definitions in a text ask for.
pub(super) fn tables(text: &Text<'_>, path: &str) -> Result<Tables> {
    let failed = |problem: String| {
        BuildError::new(format!("unable to parse open API definition from '{path}': {problem}"))
    };
    if text.is_empty() {
        return Err(failed("the file is empty".to_owned()));
    }
    let node = if text.starts_with('{') {
        json::from_str(text).map_err(|error| failed(error.to_string()))?
    } else {
        let converting =
            |error: syntax::SyntaxError| format!("error converting YAML to JSON: {}", error.text);
        syntax::read_config(text).map_err(|error| failed(converting(error)))?
    };
    let decoded: std::result::Result<BTreeMap<String, Definition>, DecodeError> = decode_lax(&node);
    let definitions = decoded.map_err(|error| {
        let context =
            if text.starts_with('{') { "" } else { "error unmarshaling JSON: while decoding JSON: " };
        failed(format!("{context}{error}"))
    })?;
    let mut tables = Tables::default();
    for (name, definition) in &definitions {
        let Some(properties) = properties(definition) else { continue };
        if ["kind", "apiVersion", "metadata"].iter().all(|key| properties.contains_key(key)) {
            let kind = name.rsplit('.').next().unwrap_or(name).to_owned();
            let of = Selector { kind: kind.into(), ..Selector::default() };
            let mut walk = Walk { definitions: &definitions, of, tables: &mut tables, within: Vec::new() };
            walk.definition(name, &[])?;
        }
    }
    Ok(tables)
}

fn properties(definition: &Definition) -> Option<&Map> {
    definition.0.get("Schema").or_else(|| definition.0.get("schema"))?.get("properties")?.as_map()
}

struct Walk<'w> {
    definitions: &'w BTreeMap<String, Definition>,
    of: Selector,
    tables: &'w mut Tables,
    /// The definitions that are being walked: one that refers to itself ends the walk.
    within: Vec<String>,
}

impl Walk<'_> {
    fn definition(&mut self, name: &str, path: &[&str]) -> Result<()> {
        let Some(properties) = self.definitions.get(name).and_then(properties) else { return Ok(()) };
        if self.within.iter().any(|outer| outer == name) {
            return Ok(());
        }
        self.within.push(name.to_owned());
        for (key, property) in properties.iter() {
            let path: Vec<&str> = path.iter().copied().chain([key]).collect();
            self.property(property, &path)?;
        }
        self.within.pop();
        Ok(())
    }

    fn property(&mut self, property: &Node, path: &[&str]) -> Result<()> {
        let extension = |key: &str| property.get(key).and_then(Node::as_str);
        let row = |path: String| Row { of: self.of.clone(), path: path.into(), create: false };
        let own = row(path.join("/"));
        let tables = [
            (ANNOTATION, &mut self.tables.common_annotations),
            (LABEL_SELECTOR, &mut self.tables.common_labels),
            (IDENTITY, &mut self.tables.name_prefix),
        ];
        for (key, table) in tables {
            if extension(key).is_some() {
                merge_rows(table, std::slice::from_ref(&own))
                    .map_err(|_| BuildError::new("conflicting fieldspecs"))?;
            }
        }
        if let (Some(version), Some(kind)) = (extension(REFERENCE_VERSION), extension(REFERENCE_KIND)) {
            let key = extension(REFERENCE_NAME_KEY).unwrap_or("name");
            self.tables.name_reference.push(NameReference {
                referent: Selector {
                    version: version.to_owned().into(),
                    kind: kind.to_owned().into(),
                    ..Selector::default()
                },
                referrers: vec![row(format!("{}/{key}", path.join("/")))],
            });
        }
        match extension("$ref") {
            Some(name) => self.definition(name, path),
            None => Ok(()),
        }
    }
}
