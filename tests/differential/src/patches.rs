//! Patches, made of the objects that they are for.

use std::fmt::Write as _;

use crate::chooser::Chooser;
use crate::doc::Doc;
use crate::make::Layer;
use crate::objects::container;

/// `patches`, of both kinds.
pub(crate) fn entries(choose: &mut Chooser, layer: &mut Layer<'_>) {
    let entries: Vec<Doc> = choose.times(1, 2, |choose| entry(choose, layer)).into_iter().flatten().collect();
    if !entries.is_empty() {
        layer.kustomization.push("patches", Doc::List(entries));
    }
}

/// `patchesStrategicMerge`.
pub(crate) fn strategic(choose: &mut Chooser, layer: &mut Layer<'_>) {
    let Some(object) = choose.any(&layer.objects).cloned() else { return };
    let patch = merge(choose, &object);
    let item = stored(choose, layer, "old", vec![patch], false);
    let item = item.1;
    layer.kustomization.push("patchesStrategicMerge", Doc::List(vec![item]));
}

/// `patchesJson6902`.
pub(crate) fn json(choose: &mut Chooser, layer: &mut Layer<'_>) {
    let Some(object) = choose.any(&layer.objects).cloned() else { return };
    let Some(target) = identity(&object) else { return };
    let operations = operations(choose, &object);
    let (field, value) = stored(choose, layer, "operations", vec![operations], true);
    layer
        .kustomization
        .push("patchesJson6902", Doc::List(vec![Doc::map([("target", target), (field, value)])]));
}

fn entry(choose: &mut Chooser, layer: &mut Layer<'_>) -> Option<Doc> {
    let object = choose.any(&layer.objects).cloned()?;
    let is_json = choose.chance(40);
    let patch = if is_json { operations(choose, &object) } else { merge(choose, &object) };
    let file = format!("patch-{}", layer.project.files.len());
    let mut documents = vec![patch];
    if !is_json && choose.chance(15) {
        let other = choose.any(&layer.objects).cloned()?;
        documents.push(merge(choose, &other));
    }
    let is_one = documents.len() == 1;
    let (field, value) = stored(choose, layer, &file, documents, true);
    let mut entry = Doc::map([(field, value)]);
    if is_json || choose.chance(if is_one { 30 } else { 5 }) {
        let target = target(choose, &object)?;
        entry.push("target", target);
    }
    if !is_json && choose.chance(12) {
        let option = choose.one(&["allowNameChange", "allowKindChange"]);
        entry.push("options", Doc::map([(option, Doc::scalar("true"))]));
    }
    Some(entry)
}

/// The patch in a file or inline, and the field for it.
fn stored(
    choose: &mut Chooser,
    layer: &mut Layer<'_>,
    name: &str,
    documents: Vec<Doc>,
    may_be_inline: bool,
) -> (&'static str, Doc) {
    if may_be_inline && choose.chance(30) {
        let texts: Vec<String> = documents.iter().map(Doc::print).collect();
        return ("patch", Doc::block(&texts.join("---\n")));
    }
    let name = format!("{name}.yaml");
    layer.project.yaml(format!("{}/{name}", layer.folder), documents);
    ("path", Doc::scalar(name))
}

/// Group, version, kind and name.
fn identity(object: &Doc) -> Option<Doc> {
    let version = object.get("apiVersion")?.text()?;
    let mut target = Doc::Map(Vec::new());
    let version = match version.split_once('/') {
        Some((group, version)) => {
            target.push("group", Doc::scalar(group));
            version
        }
        None => version,
    };
    target.push("version", Doc::scalar(version));
    target.push("kind", object.get("kind")?.clone());
    target.push("name", object.at(&["metadata", "name"])?.clone());
    if let Some(namespace) = object.at(&["metadata", "namespace"]) {
        target.push("namespace", namespace.clone());
    }
    Some(target)
}

fn target(choose: &mut Chooser, object: &Doc) -> Option<Doc> {
    Some(match choose.below(5) {
        0 => Doc::map([("kind", object.get("kind")?.clone())]),
        1 => Doc::map([("name", Doc::scalar(choose.one(&["'.*'", "a.*", "'web|db'"])))]),
        2 => Doc::map([(
            "labelSelector",
            Doc::scalar(choose.one(&["app=web", "app", "\"tier in (web, db)\"", "app!=db"])),
        )]),
        _ => identity(object)?,
    })
}

/// A strategic merge patch: parts of the object, changed.
fn merge(choose: &mut Chooser, object: &Doc) -> Doc {
    let mut patch = Doc::Map(Vec::new());
    for key in ["apiVersion", "kind"] {
        if let Some(value) = object.get(key) {
            patch.push(key, value.clone());
        }
    }
    let mut metadata = Doc::Map(Vec::new());
    for key in ["name", "namespace"] {
        if let Some(value) = object.at(&["metadata", key]) {
            metadata.push(key, value.clone());
        }
    }
    if choose.chance(15) {
        metadata.push("annotations", Doc::map([("patched", choose.word())]));
    }
    patch.push("metadata", metadata);
    if choose.chance(4) {
        patch.push("$patch", Doc::scalar("delete"));
    }
    let Doc::Map(entries) = object else { return patch };
    for (key, value) in entries {
        if !["apiVersion", "kind", "metadata"].contains(&key.as_str()) && choose.chance(85) {
            let changed = changed(choose, value);
            patch.push(key, changed);
        }
    }
    patch
}

/// Part of a value, with other scalars, more and fewer items, directives.
fn changed(choose: &mut Chooser, value: &Doc) -> Doc {
    match value {
        Doc::Scalar(text) if choose.chance(30) => Doc::Scalar(text.clone()),
        Doc::Scalar(_) if choose.chance(10) => Doc::scalar("null"),
        Doc::Scalar(_) => choose.word(),
        Doc::Map(entries) => changed_map(choose, entries),
        Doc::List(items) => changed_list(choose, items),
    }
}

fn changed_map(choose: &mut Chooser, entries: &[(String, Doc)]) -> Doc {
    if choose.chance(3) {
        return Doc::scalar("null");
    }
    let mut result = Doc::Map(Vec::new());
    for (key, value) in entries {
        // What names an item stays most of the time, so that items meet.
        let is_key = ["name", "port", "containerPort", "mountPath"].contains(&key.as_str());
        if is_key && choose.chance(85) {
            result.push(key, value.clone());
        } else if choose.chance(55) {
            let value = changed(choose, value);
            result.push(key, value);
        }
    }
    if choose.chance(10) {
        let value = choose.scalar();
        result.push("added", value);
    }
    if choose.chance(5) {
        result.push("$patch", Doc::scalar(choose.one(&["replace", "delete", "merge"])));
    }
    result
}

fn changed_list(choose: &mut Chooser, items: &[Doc]) -> Doc {
    let mut result = Vec::new();
    for item in items {
        if choose.chance(70) {
            result.push(if choose.chance(40) { item.clone() } else { changed(choose, item) });
        }
    }
    if choose.chance(25) {
        let is_of_containers = items.first().is_some_and(|item| item.get("image").is_some());
        result.push(if is_of_containers { container(choose) } else { choose.word() });
    }
    if choose.chance(25) {
        choose.shuffle(&mut result);
    }
    if choose.chance(4) {
        result.push(Doc::map([("$patch", Doc::scalar("replace"))]));
    }
    // A list of maps takes no scalars; the reference refuses them in words of its own parser.
    if items.iter().any(|item| matches!(item, Doc::Map(_))) {
        result.retain(|item| matches!(item, Doc::Map(_)));
    }
    Doc::List(result)
}

/// A JSON patch with one to three operations on places of the object.
fn operations(choose: &mut Chooser, object: &Doc) -> Doc {
    Doc::List(choose.times(1, 3, |choose| operation(choose, object)))
}

fn operation(choose: &mut Chooser, object: &Doc) -> Doc {
    let mut path = pointer(choose, object);
    let operation =
        choose.one(&["add", "add", "add", "replace", "replace", "replace", "remove", "copy", "move", "test"]);
    let may_be_new = matches!(operation, "add" | "copy" | "move");
    if may_be_new && choose.chance(40) || choose.chance(3) {
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        path = format!("{parent}/{}", choose.one(&["new", "a", "-", "0", "x~1y"]));
    }
    let mut result = Doc::map([
        ("op", Doc::scalar(operation)),
        ("path", Doc::scalar(format!("'{}'", path.replace('\'', "''")))),
    ]);
    match operation {
        "add" | "replace" => {
            let value = if choose.chance(20) { Doc::map([("k", choose.scalar())]) } else { choose.scalar() };
            result.push("value", value);
        }
        "test" => {
            let value = at_pointer(object, &path).filter(|_| choose.chance(95)).cloned();
            let value = value.unwrap_or_else(|| choose.word());
            result.push("value", value);
        }
        "copy" | "move" => {
            let from = pointer(choose, object);
            result.push("from", Doc::scalar(format!("'{}'", from.replace('\'', "''"))));
        }
        _ => {}
    }
    result
}

/// A JSON pointer into the object, below what identifies it, sometimes to what is not there.
fn pointer(choose: &mut Chooser, object: &Doc) -> String {
    let mut path = String::new();
    let mut node = object;
    for depth in 0.. {
        match node {
            Doc::Map(entries) => {
                let entries: Vec<_> = entries
                    .iter()
                    .filter(|(key, _)| !["apiVersion", "kind", "name"].contains(&key.as_str()))
                    .collect();
                let Some((key, value)) = choose.any(&entries).copied() else { break };
                path.push('/');
                path.push_str(&key.trim_matches('"').replace('~', "~0").replace('/', "~1"));
                node = value;
            }
            Doc::List(items) => {
                // One behind the last is where a value can be added.
                let beyond = usize::from(choose.chance(5));
                let index = choose.below(items.len() + beyond);
                _ = write!(path, "/{index}");
                let Some(item) = items.get(index) else { break };
                node = item;
            }
            Doc::Scalar(_) => break,
        }
        // An object without metadata is always the same error.
        if depth > 0 && choose.chance(20) {
            break;
        }
    }
    path
}

/// What a pointer leads to, if anything.
fn at_pointer<'d>(object: &'d Doc, path: &str) -> Option<&'d Doc> {
    path.split('/').skip(1).try_fold(object, |node, part| match node {
        Doc::Map(entries) => {
            let part = part.replace("~1", "/").replace("~0", "~");
            entries.iter().find(|(key, _)| key.trim_matches('"') == part).map(|(_, value)| value)
        }
        Doc::List(items) => items.get(part.parse::<usize>().ok()?),
        Doc::Scalar(_) => None,
    })
}

/// A path to a scalar, in the words of replacements.
pub(crate) fn scalar_path(choose: &mut Chooser, object: &Doc) -> Option<String> {
    let mut parts = Vec::new();
    let mut node = object;
    loop {
        match node {
            Doc::Map(entries) => {
                let entries: Vec<_> = entries
                    .iter()
                    .filter(|(key, _)| !["apiVersion", "kind"].contains(&key.as_str()))
                    .collect();
                let (key, value) = choose.any(&entries).copied()?;
                let key = key.trim_matches('"');
                parts.push(if key.contains('.') { format!("[{key}]") } else { key.to_owned() });
                node = value;
            }
            Doc::List(items) => {
                let index = choose.below(items.len());
                let item = items.get(index)?;
                let by_name = item.get("name").and_then(Doc::text).map(|name| format!("[name={name}]"));
                parts.push(match (choose.below(5), by_name) {
                    (0, _) => "*".to_owned(),
                    (1..=3, Some(by_name)) => by_name,
                    _ => index.to_string(),
                });
                node = item;
            }
            Doc::Scalar(_) => return Some(parts.join(".")),
        }
    }
}
