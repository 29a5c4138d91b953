//! The built-in schema against the reference's data, which lie beside the repository.

use millrace_yaml::Node;

use super::{Schema, Scope};
use crate::syntax;

fn text<'n>(node: &'n Node, key: &str) -> &'n str {
    node.str_at(&[key]).unwrap_or("")
}

#[test]
fn scopes_and_merge_keys_are_those_of_the_reference() {
    let path = format!("{}/../../../shared/kustomize/merge-keys.yaml", env!("CARGO_MANIFEST_DIR"));
    let Ok(data) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: {path} is absent");
        return;
    };
    let data = syntax::read_config(&data).expect("the data are YAML");
    let schema = Schema::default();
    for kind in data.get("kinds").and_then(Node::as_list).expect("the kinds are there") {
        let (api_version, name) = (text(kind, "apiVersion"), text(kind, "kind"));
        let wanted = match text(kind, "scope") {
            "Cluster" => Scope::Cluster,
            "Namespaced" => Scope::Namespaced,
            _ => Scope::Unknown,
        };
        assert_eq!(schema.scope(api_version, name), wanted, "{api_version} {name}");
    }
    let mut checked = 0;
    for kind in data.get("flat").and_then(Node::as_list).expect("the flat form is there") {
        let (api_version, name) = (text(kind, "apiVersion"), text(kind, "kind"));
        for list in kind.get("lists").and_then(Node::as_list).unwrap_or_default() {
            let path = text(list, "path");
            let keys: Vec<&str> = list
                .get("keys")
                .and_then(Node::as_list)
                .unwrap_or_default()
                .iter()
                .filter_map(Node::as_str)
                .collect();
            assert_eq!(
                merge_keys(&schema, api_version, name, path),
                Some(keys),
                "{api_version} {name} {path}"
            );
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked} lists");
}

/// The keys at a path such as `spec.containers[].ports`.
fn merge_keys<'s>(schema: &'s Schema, api_version: &str, kind: &str, path: &str) -> Option<Vec<&'s str>> {
    let mut at = schema.of_kind(api_version, kind)?;
    let mut in_list = false;
    for part in path.split('.') {
        if in_list {
            at = at.item()?;
        }
        let name = part.strip_suffix("[]").unwrap_or(part);
        in_list = name != part;
        at = at.field(name)?;
    }
    at.merge_keys().map(std::borrow::Cow::into_owned)
}
