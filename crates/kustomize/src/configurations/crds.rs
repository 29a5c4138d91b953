//! Rows from definitions of types.

use std::collections::{BTreeMap, HashSet};

use millrace_yaml::{Map, Node};

use crate::error::{BuildError, Result};
use crate::hints::{self, Draft, Key};
use crate::kustomization::decode::{Decode, DecodeError, Raw, Trail, decode_json, decode_lax, record};
use crate::schema::{self, check_schema};
use crate::tables::{NameReference, Row, Selector, Tables, merge_rows};
use crate::text::Text;

const ANNOTATION: &str = "x-kubernetes-annotation";
const LABEL_SELECTOR: &str = "x-kubernetes-label-selector";
const IDENTITY: &str = "x-kubernetes-identity";
const REFERENCE_VERSION: &str = "x-kubernetes-object-ref-api-version";
const REFERENCE_KIND: &str = "x-kubernetes-object-ref-kind";
const REFERENCE_NAME_KEY: &str = "x-kubernetes-object-ref-name-key";

/// How many definitions may stand within each other by their references.
const MAX_DEPTH: usize = 500;
/// How many properties may be found on all ways through the definitions: each way to a shared one counts.
const MAX_PROPERTIES: usize = 100_000;

record! {
    /// A definition.
    struct Definition = "accumulator.OpenAPIDefinition" {
        schema: Raw = "Schema",
        dependencies: Option<Vec<String>> = "Dependencies",
    }
}

/// Definitions by name.
#[derive(Default)]
struct Definitions(BTreeMap<String, Definition>);

impl Decode for Definitions {
    fn type_name() -> String {
        "accumulator.nameToApiMap".to_owned()
    }

    fn decode(node: &Node, trail: &mut Trail) -> std::result::Result<Self, DecodeError> {
        trail.map_of::<Self, Definition>(node).map(Self)
    }
}

/// The rows that the definitions in a text ask for; `path` is what the kustomization file names, `file` what a person opens.
pub(super) fn tables(text: &Text<'_>, path: &str, file: &str) -> Result<Tables> {
    let Definitions(definitions) = read(text, file)
        .map_err(|error| error.wrap(format_args!("unable to parse open API definition from '{path}'")))?;
    let mut tables = Tables::default();
    let mut room = MAX_PROPERTIES;
    for (name, definition) in &definitions {
        let Some(properties) = properties(definition) else { continue };
        if ["kind", "apiVersion", "metadata"].iter().all(|key| properties.contains_key(key)) {
            let kind = name.rsplit('.').next().unwrap_or(name).to_owned();
            let of = Selector { kind: kind.into(), ..Selector::default() };
            let within = HashSet::new();
            let mut walk = Walk { definitions: &definitions, of, tables: &mut tables, within, room };
            walk.definition(name, &mut Vec::new()).map_err(|error| {
                let hint = Draft::line(file, None).and(format!(": the way begins at the definition {name}"));
                error.with_hint(hint)
            })?;
            room = walk.room;
        }
    }
    Ok(tables)
}

fn read(text: &Text<'_>, file: &str) -> Result<Definitions> {
    if text.is_empty() {
        let hint = Draft::line(file, None).and(": the file is empty: put the definitions of types into it");
        return Err(BuildError::new("the file is empty").with_hint(hint));
    }
    let is_json = text.starts_with('{');
    let (node, order) = schema::read(text, file)
        .map_err(|error| if is_json { error } else { error.wrap("error converting YAML to JSON") })?;
    let context = if is_json { "" } else { "error unmarshaling JSON: while decoding JSON: " };
    // A schema that does not fit ends the reading; other misfits are told at its end.
    order.entries(&node).into_iter().try_for_each(|(name, definition)| {
        let schemas = order.entries(definition).into_iter();
        schemas.filter(|(key, _)| key.eq_ignore_ascii_case("schema")).try_for_each(|(key, schema)| {
            check_schema(schema, order).map_err(|misfit| {
                let misfit = misfit.within(Key::name(key)).within(Key::name(name));
                BuildError::new(format!("{context}{}", misfit.text)).with_hint(misfit.hint(file))
            })
        })
    })?;
    let decoded = if is_json { decode_json(&node) } else { decode_lax(&node) };
    decoded.map_err(|error| {
        let hint = hints::undecodable(file, &error, &node);
        BuildError::new(format!("{context}{error}")).with_hint(hint)
    })
}

fn properties(definition: &Definition) -> Option<&Map> {
    definition.schema.0.get("properties")?.as_map()
}

struct Walk<'w> {
    definitions: &'w BTreeMap<String, Definition>,
    of: Selector,
    tables: &'w mut Tables,
    /// The definitions that are being walked.
    within: HashSet<&'w str>,
    /// How many more properties there may be.
    room: usize,
}

impl<'w> Walk<'w> {
    fn definition(&mut self, name: &str, path: &mut Vec<&'w str>) -> Result<()> {
        let Some((name, definition)) = self.definitions.get_key_value(name) else { return Ok(()) };
        let Some(properties) = properties(definition) else { return Ok(()) };
        if self.within.len() >= MAX_DEPTH {
            let text = format!("definitions refer to each other more than {MAX_DEPTH} levels deep");
            return Err(BuildError::limit(text));
        }
        if !self.within.insert(name) {
            return Err(BuildError::new(format!(
                "definition '{name}' refers to itself by '{}'",
                path.join("/")
            )));
        }
        for (key, property) in properties.iter() {
            self.room = self.room.checked_sub(1).ok_or_else(|| {
                BuildError::limit(format!("definitions lead to more than {MAX_PROPERTIES} properties"))
            })?;
            path.push(key);
            self.property(property, path)?;
            path.pop();
        }
        self.within.remove(&**name);
        Ok(())
    }

    fn property(&mut self, property: &'w Node, path: &mut Vec<&'w str>) -> Result<()> {
        let extension = |key: &str| property.get(key).and_then(Node::as_str);
        let row = |path: String| Row { of: self.of.clone(), path: path.into(), create: false };
        let tables = [
            (ANNOTATION, &mut self.tables.common_annotations),
            (LABEL_SELECTOR, &mut self.tables.common_labels),
            (IDENTITY, &mut self.tables.name_prefix),
        ];
        for (key, table) in tables {
            if extension(key).is_some() {
                merge_rows(table, &[row(path.join("/"))])
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
