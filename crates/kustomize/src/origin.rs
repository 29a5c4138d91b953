//! Where objects come from and which steps they went through.
//!
//! Contract: kustomize-build §2.8.

use millrace_yaml::{Map, Node};

use crate::kustomization::Kustomization;
use crate::remote::Repository;
use crate::resource::text_at;

/// What the root's `buildMetadata` asks for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tracking {
    /// Whether anything is tracked.
    pub(crate) enabled: bool,
    pub(crate) origin: bool,
    pub(crate) transformations: bool,
    pub(crate) managed_by: bool,
}

impl Tracking {
    pub(crate) fn of(kustomization: &Kustomization) -> Self {
        let options = kustomization.build_metadata.as_deref().unwrap_or_default();
        let has = |name: &str| options.iter().any(|option| option == name);
        Self {
            enabled: !options.is_empty(),
            origin: has("originAnnotations"),
            transformations: has("transformerAnnotations"),
            managed_by: has("managedByLabel"),
        }
    }
}

/// The origin of what a target holds: a path relative to the folder the build was called with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin {
    pub(crate) path: String,
    /// The repository it is from, and the reference that was asked for; empty where it is local.
    repository: String,
    reference: String,
}

/// The folder that a repository has for the reference before it is fetched, which shows where its top is named.
const NOT_FETCHED: &str = "notCloned";

impl Origin {
    /// The origin of what an entry leads to.
    pub(crate) fn append(&self, entry: &str) -> Self {
        let Some(repository) = Repository::parse(entry) else {
            return Self { path: relative_join(&self.path, entry), ..self.clone() };
        };
        let path = crate::fs::clean(&repository.path);
        Self {
            path: if path.is_empty() { NOT_FETCHED.to_owned() } else { path },
            repository: repository.url,
            reference: repository.reference.unwrap_or_default(),
        }
    }

    /// The annotation of an object read from a file.
    pub(crate) fn file_text(&self) -> String {
        let fields = [("path", &*self.path), ("repo", &self.repository), ("ref", &self.reference)];
        crate::syntax::print_wide(&record(&fields))
    }

    /// The record of a step or a generator of the kustomization file `file_name`.
    pub(crate) fn configured_by(&self, file_name: &str, kind: &str) -> Node {
        let mut by = Map::default();
        by.insert("apiVersion", Node::string("builtin"));
        by.insert("kind", Node::string(kind));
        let place = relative_join(&self.path, file_name);
        let fields = [("repo", &*self.repository), ("ref", &self.reference), ("configuredIn", &place)];
        let mut node = record(&fields);
        if let Some(map) = node.as_map_mut() {
            map.insert("configuredBy", Node::Map(by));
        }
        node
    }
}

/// A map of the fields that have a value.
fn record(fields: &[(&str, &str)]) -> Node {
    let mut map = Map::default();
    for (key, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        map.insert(*key, Node::string(*value));
    }
    Node::Map(map)
}

fn relative_join(base: &str, entry: &str) -> String {
    crate::fs::clean(&if base.is_empty() { entry.to_owned() } else { format!("{base}/{entry}") })
}

/// The record of what a plugin does that is configured by an object: `origin` is the record of the object itself.
pub(crate) fn plugin_record(origin: &str, object: &Node) -> Node {
    let origin = crate::syntax::read_config(origin).ok();
    let of_origin =
        |field: &str| origin.as_ref().and_then(|origin| origin.str_at(&[field])).unwrap_or_default();
    let mut by = Map::default();
    let fields = [
        ("apiVersion", &["apiVersion"][..]),
        ("kind", &["kind"]),
        ("name", &["metadata", "name"]),
        ("namespace", &["metadata", "namespace"]),
    ];
    for (key, path) in fields {
        let text = text_at(object, path);
        if !text.is_empty() {
            by.insert(key, Node::string(text));
        }
    }
    let mut node = record(&[
        ("repo", of_origin("repo")),
        ("ref", of_origin("ref")),
        ("configuredIn", of_origin("path")),
    ]);
    if let Some(map) = node.as_map_mut() {
        map.insert("configuredBy", Node::Map(by));
    }
    node
}
