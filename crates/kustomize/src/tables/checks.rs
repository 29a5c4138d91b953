//! The tables against the reference's data, which lie beside the repository.

use millrace_yaml::Node;

use super::{NameReference, Row, Tables};
use crate::syntax;

fn data(name: &str) -> Option<Node> {
    let path = format!("{}/../../../shared/kustomize/{name}", env!("CARGO_MANIFEST_DIR"));
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: {path} is absent");
        return None;
    };
    Some(syntax::read_config(&text).expect("the data are YAML"))
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
