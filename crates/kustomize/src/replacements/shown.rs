//! Replacements as the reference shows them in messages.

use millrace_yaml::{Map, Node};

use crate::kustomization::{FieldOptions, ReplacementField, ReplacementSource, ReplacementTarget, Selector};

/// All replacements of a target.
pub(super) fn replacements(fields: &[ReplacementField]) -> Node {
    let mut map = Map::default();
    map.insert("Replacements", Node::list(fields.iter().map(replacement).collect()));
    Node::Map(map)
}

fn replacement(field: &ReplacementField) -> Node {
    let mut map = texts(&[("path", &field.path)]);
    if let Some(value) = &field.source_value {
        map.insert("sourceValue", Node::string(value.as_str()));
    }
    if let Some(ReplacementSource { group, version, kind, name, namespace, field_path, options: set }) =
        &field.source
    {
        let id = [
            ("group", group),
            ("version", version),
            ("kind", kind),
            ("name", name),
            ("namespace", namespace),
        ];
        let mut source = texts(&id);
        source_field(&mut source, "fieldPath", field_path);
        insert_options(&mut source, set.as_ref());
        map.insert("source", Node::Map(source));
    }
    if let Some(targets) = &field.targets {
        map.insert("targets", Node::list(targets.iter().map(target).collect()));
    }
    Node::Map(map)
}

fn target(target: &ReplacementTarget) -> Node {
    let mut map = Map::default();
    map.insert("select", target.select.as_ref().map_or_else(Node::null, selector));
    if let Some(reject) = target.reject.as_ref().filter(|reject| !reject.is_empty()) {
        map.insert("reject", Node::list(reject.iter().map(|reject| selector(&reject.0)).collect()));
    }
    if let Some(paths) = target.field_paths.as_ref().filter(|paths| !paths.is_empty()) {
        map.insert("fieldPaths", Node::list(paths.iter().map(|path| Node::string(path.as_str())).collect()));
    }
    insert_options(&mut map, target.options.as_ref());
    Node::Map(map)
}

fn selector(selector: &Selector) -> Node {
    Node::Map(texts(&[
        ("group", &selector.group),
        ("version", &selector.version),
        ("kind", &selector.kind),
        ("name", &selector.name),
        ("namespace", &selector.namespace),
        ("annotationSelector", &selector.annotation_selector),
        ("labelSelector", &selector.label_selector),
    ]))
}

fn insert_options(map: &mut Map, options: Option<&FieldOptions>) {
    let Some(options) = options else { return };
    let mut shown = texts(&[("delimiter", &options.delimiter), ("encoding", &options.encoding)]);
    if options.index != 0 {
        shown.insert("index", Node::int(i64::try_from(options.index).unwrap_or(i64::MAX)));
    }
    if options.create {
        shown.insert("create", Node::bool(true));
    }
    map.insert("options", Node::Map(shown));
}

fn source_field(map: &mut Map, key: &str, text: &str) {
    if !text.is_empty() {
        map.insert(key, Node::string(text));
    }
}

fn texts(fields: &[(&str, &String)]) -> Map {
    let mut map = Map::default();
    for (key, text) in fields {
        source_field(&mut map, key, text);
    }
    map
}
