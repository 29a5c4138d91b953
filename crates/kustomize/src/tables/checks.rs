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

fn same_kind(row: &Row, data: &Node) -> bool {
    row.of.group == text(data, "group")
        && row.of.version == text(data, "version")
        && row.of.kind == text(data, "kind")
}

fn same_row(row: &Row, data: &Node) -> bool {
    same_kind(row, data)
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
        for (row, of_kind) in rows.iter().zip(wanted) {
            assert!(same_kind(row, of_kind), "{name}: {row:?} is not of the kind of {of_kind:?}");
            // Among the rows of a kind the data have another order than the reference's sorting leaves.
            assert!(wanted.iter().any(|wanted| same_row(row, wanted)), "{name}: {row:?}");
        }
        for (index, row) in rows.iter().enumerate() {
            assert!(rows[..index].iter().all(|other| other != row), "{name}: {row:?} stands twice");
        }
    }
    let wanted = data.get("nameReference").and_then(Node::as_list).expect("the table is there");
    assert_eq!(tables.name_reference.len(), wanted.len());
    for (reference, wanted) in tables.name_reference.iter().zip(wanted) {
        assert!(same_reference(reference, wanted), "{reference:?} is not {wanted:?}");
    }
}

#[test]
fn rows_of_one_kind_stand_where_the_references_sorting_leaves_them() {
    let paths: Vec<String> = Tables::builtin()
        .var_reference
        .iter()
        .filter(|row| row.of.kind == "CronJob")
        .map(|row| row.path.replace("spec/jobTemplate/spec/template/", ""))
        .collect();
    assert_eq!(
        paths,
        [
            "spec/initContainers/env/value",
            "spec/initContainers/command",
            "spec/initContainers/args",
            "spec/containers/volumeMounts/mountPath",
            "spec/containers/env/value",
            "spec/containers/command",
            "spec/initContainers/volumeMounts/mountPath",
            "volumes/nfs/server",
            "spec/containers/args"
        ]
    );
}
