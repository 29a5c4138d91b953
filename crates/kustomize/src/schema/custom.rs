//! A schema that a kustomization file brings.
//!
//! Contract: kustomize-build §5.3.

use std::collections::HashMap;

use millrace_yaml::Node;

use super::builtin::Scope;
use crate::resource::text_at;
use crate::syntax;

const GROUP_VERSION_KIND: &str = "x-kubernetes-group-version-kind";
const PATCH_STRATEGY: &str = "x-kubernetes-patch-strategy";
const MAP_KEYS: &str = "x-kubernetes-list-map-keys";
const MERGE_KEY: &str = "x-kubernetes-patch-merge-key";
const REFERENCE: &str = "#/definitions/";

/// Types and scopes from Swagger 2 text.
#[derive(Debug)]
pub(crate) struct CustomSchema {
    document: Node,
    /// The name of the type of each apiVersion and kind.
    kinds: HashMap<(String, String), String>,
    scopes: HashMap<(String, String), Scope>,
}

impl CustomSchema {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let document = syntax::read_config(text).map_err(|error| error.text)?;
        let entries = |key: &str| {
            document.get(key).and_then(Node::as_map).into_iter().flat_map(millrace_yaml::Map::iter)
        };
        let mut kinds = HashMap::new();
        for (name, definition) in entries("definitions") {
            for kind in definition.get(GROUP_VERSION_KIND).and_then(Node::as_list).unwrap_or_default() {
                kinds.insert(type_of(kind), name.to_owned());
            }
        }
        let mut scopes = HashMap::new();
        for (path, operations) in entries("paths") {
            let Some(kind) = operations.at(&["get", GROUP_VERSION_KIND]) else { continue };
            let kind = type_of(kind);
            if path.contains("namespaces/{namespace}") {
                scopes.insert(kind, Scope::Namespaced);
            } else {
                scopes.entry(kind).or_insert(Scope::Cluster);
            }
        }
        Ok(Self { document, kinds, scopes })
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

/// The keys of a list that is merged.
pub(super) fn merge_keys(schema: &Node) -> Option<Vec<&str>> {
    let is_list = schema.str_at(&["type"]) == Some("array");
    let merges = schema.str_at(&[PATCH_STRATEGY])?.split(',').any(|strategy| strategy == "merge");
    if !is_list || !merges {
        return None;
    }
    let keys = schema.get(MAP_KEYS).and_then(Node::as_list);
    Some(match keys {
        Some(keys) => keys.iter().filter_map(Node::as_str).collect(),
        None => schema.str_at(&[MERGE_KEY]).into_iter().collect(),
    })
}

fn type_of(kind: &Node) -> (String, String) {
    let (group, version) = (text_at(kind, &["group"]), text_at(kind, &["version"]));
    let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    (api_version, text_at(kind, &["kind"]).to_owned())
}
