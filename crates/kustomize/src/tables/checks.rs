//! The tables against the reference's data, which lie beside the repository.

#![expect(clippy::print_stderr, reason = "a skipped test says so")]

use millrace_yaml::Node;

use super::{NameReference, Row, SchemaAt, Scope, Tables, scope};
use crate::syntax;

fn data(name: &str) -> Option<Node> {
    let path = format!("{}/../../../shared/kustomize/{name}", env!("CARGO_MANIFEST_DIR"));
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(syntax::read_config(&text).expect("the data are YAML")),
        Err(_) => {
            eprintln!("skipped: {path} is absent");
            None
        }
    }
}

fn text<'n>(node: &'n Node, key: &str) -> &'n str {
    node.str_at(&[key]).unwrap_or("")
}

fn same_row(row: &Row, data: &Node) -> bool {
    row.of.group == text(data, "group")
        && row.of.version == text(data, "version")
        && row.of.kind == text(data, "kind")
        && row.path == text(data, "path")
        && row.create == data.get("create").and_then(Node::as_bool).unwrap_or(false)
}

fn same_reference(reference: &NameReference, data: &Node) -> bool {
    let Some(referent) = data.get("referent") else { return false };
    let referrers = data.get("referrers").and_then(Node::as_list).unwrap_or_default();
    reference.referent.group == text(referent, "group")
        && reference.referent.version == text(referent, "version")
        && reference.referent.kind == text(referent, "kind")
        && reference.referrers.len() == referrers.len()
        && reference.referrers.iter().zip(referrers).all(|(row, data)| same_row(row, data))
}

#[test]
fn the_field_tables_are_those_of_the_reference() {
    let Some(data) = data("fieldspecs.yaml") else { return };
    let tables = Tables::builtin();
    for (name, rows) in [
        ("namePrefix", &tables.name_prefix),
        ("nameSuffix", &tables.name_suffix),
        ("namespace", &tables.namespace),
        ("commonLabels", &tables.common_labels),
        ("templateLabels", &tables.template_labels),
        ("commonAnnotations", &tables.common_annotations),
        ("images", &tables.images),
        ("replicas", &tables.replicas),
        ("varReference", &tables.var_reference),
    ] {
        let wanted = data.get(name).and_then(Node::as_list).expect("the table is there");
        assert_eq!(rows.len(), wanted.len(), "{name}");
        for (row, wanted) in rows.iter().zip(wanted) {
            assert!(same_row(row, wanted), "{name}: {row:?} is not {wanted:?}");
        }
    }
    let wanted = data.get("nameReference").and_then(Node::as_list).expect("the table is there");
    assert_eq!(tables.name_reference.len(), wanted.len());
    for (reference, wanted) in tables.name_reference.iter().zip(wanted) {
        assert!(same_reference(reference, wanted), "{reference:?} is not {wanted:?}");
    }
}

#[test]
fn scopes_and_merge_keys_are_those_of_the_reference() {
    let Some(data) = data("merge-keys.yaml") else { return };
    for kind in data.get("kinds").and_then(Node::as_list).expect("the kinds are there") {
        let (api_version, name) = (text(kind, "apiVersion"), text(kind, "kind"));
        let wanted = match text(kind, "scope") {
            "Cluster" => Scope::Cluster,
            "Namespaced" => Scope::Namespaced,
            _ => Scope::Unknown,
        };
        assert_eq!(scope(api_version, name), wanted, "{api_version} {name}");
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
            assert_eq!(merge_keys(api_version, name, path), Some(keys), "{api_version} {name} {path}");
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked} lists");
}

/// The keys at a path such as `spec.containers[].ports`.
fn merge_keys(api_version: &str, kind: &str, path: &str) -> Option<Vec<&'static str>> {
    let mut at = SchemaAt::of_kind(api_version, kind)?;
    let mut in_list = false;
    for part in path.split('.') {
        if in_list {
            at = at.item()?;
        }
        let name = part.strip_suffix("[]").unwrap_or(part);
        in_list = name != part;
        at = at.field(name)?;
    }
    at.merge_keys().map(<[&str]>::to_vec)
}
