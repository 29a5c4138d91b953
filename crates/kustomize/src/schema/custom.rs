//! A schema that a kustomization file brings.
//!
//! Contract: kustomize-build §5.3.

use std::collections::HashMap;

use millrace_yaml::Node;

use super::builtin::Scope;
use super::swagger::{check_document, shown};
use crate::error::{BuildError, Result};
use crate::hints::{Draft, Key};
use crate::text::Text;

const GROUP_VERSION_KIND: &str = "x-kubernetes-group-version-kind";
const PATCH_STRATEGY: &str = "x-kubernetes-patch-strategy";
const MAP_KEYS: &str = "x-kubernetes-list-map-keys";
const MERGE_KEY: &str = "x-kubernetes-patch-merge-key";
const REFERENCE: &str = "#/definitions/";
/// What the reference says before what is wrong with a schema.
const INVALID: &str = "invalid schema file";

/// Types and scopes from Swagger 2 text.
#[derive(Debug)]
pub(crate) struct CustomSchema {
    document: Node,
    /// What a person opens.
    file: String,
    /// The name of the type of each apiVersion and kind.
    kinds: HashMap<(String, String), String>,
    scopes: HashMap<(String, String), Scope>,
}

/// A part of a schema with which nothing can be done, where the reference ends in a panic.
#[derive(Debug)]
pub(super) struct Fault {
    key: &'static str,
    wanted: &'static str,
}

impl CustomSchema {
    pub(crate) fn parse(text: &Text<'_>, file: &str) -> Result<Self> {
        Self::read(text, file).map_err(|error| error.wrap(INVALID))
    }

    fn read(text: &Text<'_>, file: &str) -> Result<Self> {
        if text.is_empty() {
            let hint =
                Draft::line(file, None).and(": the file is empty: put a schema into it, or take it away");
            return Err(BuildError::new("the file is empty").with_hint(hint));
        }
        let (document, order) = super::read(text, file)?;
        check_document(&document, order)
            .map_err(|misfit| BuildError::new(misfit.text.clone()).with_hint(misfit.hint(file)))?;
        let entries = |key: &str| document.get(key).map(|node| order.entries(node)).unwrap_or_default();
        let mut kinds = HashMap::new();
        for (name, definition) in entries("definitions") {
            let stated = definition.get(GROUP_VERSION_KIND).and_then(Node::as_list).unwrap_or_default();
            for (index, kind) in stated.iter().enumerate().filter(|(_, kind)| kind.as_map().is_some()) {
                let way = [
                    Key::name("definitions"),
                    Key::name(name),
                    Key::name(GROUP_VERSION_KIND),
                    Key::Item(index),
                ];
                kinds.insert(type_of(kind, file, &way)?, name.to_owned());
            }
        }
        let mut scopes = HashMap::new();
        for (path, operations) in entries("paths").into_iter().filter(|(path, _)| path.starts_with('/')) {
            let kind = operations.at(&["get", GROUP_VERSION_KIND]).filter(|kind| kind.as_map().is_some());
            let Some(kind) = kind else { continue };
            let way = ["paths", path, "get", GROUP_VERSION_KIND].map(Key::name);
            let kind = type_of(kind, file, &way)?;
            if path.contains("namespaces/{namespace}") {
                scopes.insert(kind, Scope::Namespaced);
            } else {
                scopes.entry(kind).or_insert(Scope::Cluster);
            }
        }
        Ok(Self { document, file: file.to_owned(), kinds, scopes })
    }

    /// The error of a part of this schema.
    pub(super) fn failure(&self, schema: &Node, Fault { key, wanted }: &Fault) -> BuildError {
        let mut way = Vec::new();
        way_to(&self.document, schema, &mut way);
        way.push(Key::name(key));
        let problem = format!("{} is to be {wanted}", shown(&way));
        let hint = Draft::field(&self.file, way, None).and(format!(": {key} is to be {wanted}"));
        BuildError::new(problem).wrap(INVALID).with_hint(hint)
    }

    pub(super) fn scope(&self, api_version: &str, kind: &str) -> Scope {
        self.scopes.get(&(api_version.to_owned(), kind.to_owned())).copied().unwrap_or(Scope::Unknown)
    }

    pub(super) fn of_kind(&self, api_version: &str, kind: &str) -> Option<&Node> {
        self.definition(self.kinds.get(&(api_version.to_owned(), kind.to_owned()))?)
    }

    pub(super) fn definition(&self, name: &str) -> Option<&Node> {
        self.document.at(&["definitions", name])
    }
}

/// The name of the type that a schema refers to.
pub(super) fn reference(schema: &Node) -> Option<&str> {
    schema.str_at(&["$ref"])?.strip_prefix(REFERENCE)
}

/// The schema of a field.
pub(super) fn field<'s>(schema: &'s Node, name: &str) -> Option<&'s Node> {
    schema
        .at(&["properties", name])
        .or_else(|| schema.get("additionalProperties").filter(|schema| schema.as_map().is_some()))
}

/// The schema of the items of a list.
pub(super) fn items(schema: &Node) -> std::result::Result<Option<&Node>, Fault> {
    let is_list = match schema.get("type") {
        Some(Node::List(types)) => matches!(&types[..], [of_type] if of_type.as_str() == Some("array")),
        Some(of_type) => of_type.as_str() == Some("array"),
        None => false,
    };
    match schema.get("items").filter(|items| is_list && !items.is_null()) {
        Some(items) if items.as_map().is_none() => Err(Fault { key: "items", wanted: "one schema" }),
        items => Ok(items),
    }
}

/// The keys of a list that is merged.
pub(super) fn merge_keys(schema: &Node) -> std::result::Result<Option<Vec<&str>>, Fault> {
    let text = |key: &'static str| {
        let stated = schema.get(key);
        stated.map(|text| text.as_str().ok_or(Fault { key, wanted: "text" })).transpose()
    };
    let Some(strategies) = text(PATCH_STRATEGY)? else { return Ok(None) };
    let key = text(MERGE_KEY)?;
    if !strategies.split(',').any(|strategy| strategy == "merge") {
        return Ok(None);
    }
    let Some(keys) = schema.get(MAP_KEYS) else { return Ok(Some(key.into_iter().collect())) };
    let keys = keys.as_list().and_then(|keys| keys.iter().map(Node::as_str).collect());
    keys.map(Some).ok_or(Fault { key: MAP_KEYS, wanted: "a list of texts" })
}

/// The apiVersion and the kind that a type is for.
fn type_of(kind: &Node, file: &str, way: &[Key]) -> Result<(String, String)> {
    let text = |key: &str| {
        kind.get(key).and_then(Node::as_str).ok_or_else(|| {
            let way: Vec<Key> = way.iter().cloned().chain([Key::name(key)]).collect();
            let problem = format!("{} is to be text", shown(&way));
            let hint = Draft::field(file, way, None).and(format!(": state the {key} as text"));
            BuildError::new(problem).with_hint(hint)
        })
    };
    let version = text("version")?;
    let group = kind.get("group").and_then(Node::as_str).unwrap_or_default();
    let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    Ok((api_version, text("kind")?.to_owned()))
}

/// Finds the way to a part of a tree.
fn way_to(node: &Node, wanted: &Node, way: &mut Vec<Key>) -> bool {
    if std::ptr::eq(node, wanted) {
        return true;
    }
    let mut found = |child: &Node, step: Key| {
        way.push(step);
        let is_there = way_to(child, wanted, way);
        if !is_there {
            way.pop();
        }
        is_there
    };
    match node {
        Node::Map(map) => map.iter().any(|(key, child)| found(child, Key::name(key))),
        Node::List(items) => items.iter().enumerate().any(|(index, child)| found(child, Key::Item(index))),
        Node::Scalar(_) => false,
    }
}
