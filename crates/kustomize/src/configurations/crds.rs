//! Rows from definitions of types.

use std::collections::{BTreeMap, HashSet};

use millrace_yaml::{Map, Node};

use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::hints::{self, Draft, Key};
use crate::kustomization::decode::{Decode, DecodeError, Raw, Trail, decode_json, decode_lax, record};
use crate::schema::{self, check_schema};
use crate::tables::{Conflict, NameReference, Row, Selector, Tables, merge_rows};
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
/// How many bytes the paths of all rows may have: a way may be as long as the file.
const MAX_PATHS: usize = 16 << 20;
/// How many steps of a way messages show.
const SHOWN_STEPS: usize = 6;

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
pub(super) fn tables(text: &Text<'_>, path: &str, file: &str, context: &Context<'_>) -> Result<Tables> {
    let Definitions(definitions) = read(text, file)
        .map_err(|error| error.wrap(format_args!("unable to parse open API definition from '{path}'")))?;
    let mut rows = Tables::default();
    let mut room = Room { properties: MAX_PROPERTIES, path_bytes: MAX_PATHS };
    for (name, definition) in &definitions {
        let Some(properties) = properties(definition) else { continue };
        if ["kind", "apiVersion", "metadata"].iter().all(|key| properties.contains_key(key)) {
            let kind = name.rsplit('.').next().unwrap_or(name).to_owned();
            let of = Selector { kind: kind.into(), ..Selector::default() };
            let within = HashSet::new();
            let mut walk =
                Walk { definitions: &definitions, of, rows: &mut rows, within, room: &mut room, context };
            walk.definition(name, &mut Vec::new()).map_err(|error| {
                let says = format!(": the way begins at the definition {}", hints::quoted(name));
                error.with_hint(Draft::line(file, None).and(says))
            })?;
        }
    }
    let mut tables = Tables { name_reference: rows.name_reference, ..Tables::default() };
    for (table, rows) in [
        (&mut tables.common_annotations, rows.common_annotations),
        (&mut tables.common_labels, rows.common_labels),
        (&mut tables.name_prefix, rows.name_prefix),
    ] {
        merge_rows(table, &rows).map_err(|Conflict| BuildError::new("conflicting fieldspecs"))?;
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

/// What may still be found.
struct Room {
    properties: usize,
    path_bytes: usize,
}

struct Walk<'w, 'c> {
    definitions: &'w BTreeMap<String, Definition>,
    of: Selector,
    /// All rows that were found.
    rows: &'w mut Tables,
    /// The definitions that are being walked.
    within: HashSet<&'w str>,
    room: &'w mut Room,
    context: &'w Context<'c>,
}

impl<'w> Walk<'w, '_> {
    /// What is not the way itself is done elsewhere, so that a level costs little stack.
    fn definition(&mut self, name: &str, path: &mut Vec<&'w str>) -> Result<()> {
        let Some((name, definition)) = self.definitions.get_key_value(name) else { return Ok(()) };
        let Some(properties) = properties(definition) else { return Ok(()) };
        self.enter(name, path)?;
        for (key, property) in properties.iter() {
            path.push(key);
            self.note(property, path)?;
            if let Some(name) = extension(property, "$ref") {
                self.definition(name, path)?;
            }
            path.pop();
        }
        self.within.remove(&**name);
        Ok(())
    }

    fn enter(&mut self, name: &'w str, path: &[&str]) -> Result<()> {
        self.context.check()?;
        if self.within.len() >= MAX_DEPTH {
            let text = format!("definitions refer to each other more than {MAX_DEPTH} levels deep");
            return Err(BuildError::limit(text));
        }
        if !self.within.insert(name) {
            let (name, way) = (hints::quoted(name), shown_way(path));
            return Err(BuildError::new(format!("definition {name} refers to itself by {way}")));
        }
        Ok(())
    }

    /// The rows that a property asks for.
    fn note(&mut self, property: &Node, path: &[&str]) -> Result<()> {
        self.room.properties = self.room.properties.checked_sub(1).ok_or_else(|| {
            BuildError::limit(format!("definitions lead to more than {MAX_PROPERTIES} properties"))
        })?;
        let room = &mut self.room.path_bytes;
        let mut row = |last: Option<&str>| {
            let path = path.iter().copied().chain(last).collect::<Vec<_>>().join("/");
            *room = room.checked_sub(path.len()).ok_or_else(|| {
                BuildError::limit(format!("definitions lead to paths of more than {MAX_PATHS} bytes"))
            })?;
            Ok(Row { of: self.of.clone(), path: path.into(), create: false })
        };
        for (key, table) in [
            (ANNOTATION, &mut self.rows.common_annotations),
            (LABEL_SELECTOR, &mut self.rows.common_labels),
            (IDENTITY, &mut self.rows.name_prefix),
        ] {
            if extension(property, key).is_some() {
                table.push(row(None)?);
            }
        }
        let referent = (extension(property, REFERENCE_VERSION), extension(property, REFERENCE_KIND));
        if let (Some(version), Some(kind)) = referent {
            let key = extension(property, REFERENCE_NAME_KEY).unwrap_or("name");
            let (version, kind) = (version.to_owned().into(), kind.to_owned().into());
            let referent = Selector { version, kind, ..Selector::default() };
            self.rows.name_reference.push(NameReference { referent, referrers: vec![row(Some(key))?] });
        }
        Ok(())
    }
}

fn extension<'n>(property: &'n Node, key: &str) -> Option<&'n str> {
    property.get(key).and_then(Node::as_str)
}

/// A way through definitions: its first and last steps.
fn shown_way(path: &[&str]) -> String {
    match (path.get(..SHOWN_STEPS / 2), path.get(path.len().saturating_sub(SHOWN_STEPS / 2)..)) {
        (Some(first), Some(last)) if path.len() > SHOWN_STEPS => {
            format!("{} … {}", hints::quoted(&first.join("/")), hints::quoted(&last.join("/")))
        }
        _ => hints::quoted(&path.join("/")),
    }
}
