//! Definitions of types, made ready to be walked: each is read once, however many ways lead to it.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use millrace_yaml::{Map, Node};

use crate::error::{BuildError, Result};
use crate::hints::{self, Draft, Key};
use crate::kustomization::decode::{Decode, DecodeError, Raw, Trail, decode_json, decode_lax, record};
use crate::schema::{self, check_schema};
use crate::text::Text;

const ANNOTATION: &str = "x-kubernetes-annotation";
const LABEL_SELECTOR: &str = "x-kubernetes-label-selector";
const IDENTITY: &str = "x-kubernetes-identity";
const REFERENCE_VERSION: &str = "x-kubernetes-object-ref-api-version";
const REFERENCE_KIND: &str = "x-kubernetes-object-ref-kind";
const REFERENCE_NAME_KEY: &str = "x-kubernetes-object-ref-name-key";

record! {
    /// A definition.
    struct Definition = "accumulator.OpenAPIDefinition" {
        schema: Raw = "Schema",
        dependencies: Option<Vec<String>> = "Dependencies",
    }
}

/// Definitions by name.
#[derive(Default)]
pub(super) struct Definitions(BTreeMap<String, Definition>);

impl Decode for Definitions {
    fn type_name() -> String {
        "accumulator.nameToApiMap".to_owned()
    }

    fn decode(node: &Node, trail: &mut Trail) -> std::result::Result<Self, DecodeError> {
        trail.map_of::<Self, Definition>(node).map(Self)
    }
}

/// A definition that has properties.
pub(super) struct Prepared<'d> {
    pub(super) name: &'d str,
    /// Whether it is that of a kind of objects.
    pub(super) is_kind: bool,
    pub(super) properties: Vec<Property<'d>>,
}

/// A property and what it is marked with.
pub(super) struct Property<'d> {
    pub(super) name: &'d str,
    pub(super) annotation: bool,
    pub(super) label_selector: bool,
    pub(super) identity: bool,
    pub(super) reference: Option<ObjectReference<'d>>,
    /// Which definition is its type.
    pub(super) definition: Option<usize>,
}

/// Whose name a property holds.
pub(super) struct ObjectReference<'d> {
    pub(super) version: Rc<str>,
    pub(super) kind: Rc<str>,
    /// Where the name stands in the property.
    pub(super) name_key: &'d str,
}

/// Reads a file of definitions; the reference looks at schemas before all else of them, and so does this.
pub(super) fn read(text: &Text<'_>, file: &str) -> Result<Definitions> {
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

impl Definitions {
    /// Those that have properties, in the order of their names.
    pub(super) fn prepared(&self) -> Vec<Prepared<'_>> {
        let with_properties: Vec<(&str, &Map)> = self
            .0
            .iter()
            .filter_map(|(name, definition)| {
                Some((&**name, definition.schema.0.get("properties")?.as_map()?))
            })
            .collect();
        let places: HashMap<&str, usize> =
            with_properties.iter().enumerate().map(|(place, (name, _))| (*name, place)).collect();
        with_properties
            .into_iter()
            .map(|(name, properties)| Prepared {
                name,
                is_kind: ["kind", "apiVersion", "metadata"].iter().all(|key| properties.contains_key(key)),
                properties: properties.iter().map(|(key, node)| Property::new(key, node, &places)).collect(),
            })
            .collect()
    }
}

impl<'d> Property<'d> {
    fn new(name: &'d str, node: &'d Node, places: &HashMap<&str, usize>) -> Self {
        let extension = |key| node.get(key).and_then(Node::as_str);
        let name_key = || extension(REFERENCE_NAME_KEY).unwrap_or("name");
        let referent = extension(REFERENCE_VERSION).zip(extension(REFERENCE_KIND));
        Self {
            name,
            annotation: extension(ANNOTATION).is_some(),
            label_selector: extension(LABEL_SELECTOR).is_some(),
            identity: extension(IDENTITY).is_some(),
            reference: referent.map(|(version, kind)| ObjectReference {
                version: version.into(),
                kind: kind.into(),
                name_key: name_key(),
            }),
            definition: extension("$ref").and_then(|name| places.get(name).copied()),
        }
    }
}
