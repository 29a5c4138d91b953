//! What the spec adds to the kustomization file. Contract: kustomize-controller §3.2.

use millrace_api::kustomize::v1::{Image, KustomizationSpec, Patch, Selector};
use millrace_api::meta::non_empty;
use millrace_kustomize::FileSystem as _;
use millrace_yaml::{Map, Node};

use super::files::{Files, clamp, join};

/// Beginnings of a component's path that make it remote, compared in any case.
const REMOTE: [&str; 8] =
    ["git::", "gh:", "ssh://", "https://", "http://", "git@", "github.com:", "github.com/"];

/// Something in the spec that can't go into the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InjectError {
    /// Components come from the artifact alone.
    #[error("component path '{0}' must be local and relative")]
    Component(String),
}

/// Adds what the spec says to the file that stands in `folder`, in the contract's order.
pub(crate) fn inject(
    content: &mut Map,
    spec: &KustomizationSpec,
    files: &Files,
    folder: &str,
) -> Result<(), InjectError> {
    for (key, value) in [
        ("namespace", &spec.target_namespace),
        ("namePrefix", &spec.name_prefix),
        ("nameSuffix", &spec.name_suffix),
    ] {
        if let Some(value) = non_empty(value.as_ref()) {
            content.insert(key, Node::string(value));
        }
    }
    append(content, "patches", spec.patches.iter().map(patch));
    append(content, "components", components(spec, files, folder)?.into_iter().map(Node::string));
    inject_images(content, &spec.images);
    if !spec.build_metadata.is_empty() {
        let wanted = spec.build_metadata.iter().map(|text| Node::string(text.as_str())).collect();
        content.insert("buildMetadata", Node::list(wanted));
    }
    Ok(())
}

/// Adds items behind those that the file has under `key`.
fn append(content: &mut Map, key: &str, items: impl Iterator<Item = Node>) {
    let mut items = items.peekable();
    if items.peek().is_none() {
        return;
    }
    match content.get_mut(key).and_then(Node::as_list_mut) {
        Some(list) => list.extend(items),
        None => {
            content.insert(key, Node::List(items.collect()));
        }
    }
}

fn patch(patch: &Patch) -> Node {
    let mut node = Map::default();
    node.insert("patch", Node::string(patch.patch.as_str()));
    if let Some(target) = &patch.target {
        node.insert("target", Node::Map(selector(target)));
    }
    Node::Map(node)
}

fn selector(selector: &Selector) -> Map {
    let Selector { group, version, kind, namespace, name, annotation_selector, label_selector } = selector;
    let mut node = Map::default();
    for (key, value) in [
        ("group", group),
        ("version", version),
        ("kind", kind),
        ("namespace", namespace),
        ("name", name),
        ("annotationSelector", annotation_selector),
        ("labelSelector", label_selector),
    ] {
        if let Some(value) = non_empty(value.as_ref()) {
            node.insert(key, Node::string(value));
        }
    }
    node
}

/// The components of the spec; those that are not there are left out if the spec says so.
fn components(spec: &KustomizationSpec, files: &Files, folder: &str) -> Result<Vec<String>, InjectError> {
    let mut wanted = Vec::new();
    for component in &spec.components {
        if !is_local(component) {
            return Err(InjectError::Component(component.clone()));
        }
        let there = way_in(folder, component).is_some_and(|path| files.kind(&path).is_some());
        if there || !spec.ignore_missing_components {
            wanted.push(component.clone());
        }
    }
    Ok(wanted)
}

fn is_local(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let remote = REMOTE.iter().any(|start| lower.starts_with(start));
    let plain = lower.strip_prefix("file://").unwrap_or(&lower);
    !remote && !plain.starts_with('/')
}

/// Where `path`, seen from `folder`, leads in the tree; `None` if that is outside.
fn way_in(folder: &str, path: &str) -> Option<String> {
    let mut depth = folder.split('/').filter(|part| !part.is_empty()).count();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => depth = depth.checked_sub(1)?,
            _ => depth += 1,
        }
    }
    Some(clamp(&join(folder, path)))
}

/// Sets images by name: a new name replaces one that is there, tag and digest are replaced together.
fn inject_images(content: &mut Map, images: &[Image]) {
    for image in images {
        if content.get("images").and_then(Node::as_list).is_none() {
            content.insert("images", Node::list(Vec::new()));
        }
        let Some(list) = content.get_mut("images").and_then(Node::as_list_mut) else { return };
        let known = list.iter_mut().find(|known| known.str_at(&["name"]) == Some(&image.name));
        if let Some(known) = known.and_then(Node::as_map_mut) {
            set_image(known, image);
        } else {
            let mut added = Map::default();
            added.insert("name", Node::string(image.name.as_str()));
            set_image(&mut added, image);
            list.push(Node::Map(added));
        }
    }
}

fn set_image(known: &mut Map, image: &Image) {
    let Image { name: _, new_name, new_tag, digest } = image;
    if let Some(new_name) = non_empty(new_name.as_ref()) {
        known.insert("newName", Node::string(new_name));
    }
    let (tag, digest) = (non_empty(new_tag.as_ref()), non_empty(digest.as_ref()));
    if tag.is_none() && digest.is_none() {
        return;
    }
    for (key, value) in [("newTag", tag), ("digest", digest)] {
        match value {
            Some(value) => known.insert(key, Node::string(value)),
            None => known.remove(key),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(name: &str, new_name: &str, tag: &str, digest: &str) -> Image {
        let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Image { name: name.to_owned(), new_name: text(new_name), new_tag: text(tag), digest: text(digest) }
    }

    fn images(content: &Map) -> String {
        content.get("images").map(millrace_yaml::json::to_string).unwrap_or_default()
    }

    #[test]
    fn tag_and_digest_of_an_image_are_replaced_together_and_other_fields_stay() {
        let mut content = Map::default();
        inject_images(&mut content, &[image("app", "mirror/app", "1", ""), image("db", "", "2", "")]);
        inject_images(&mut content, &[image("app", "", "", "sha256:a"), image("db", "other", "", "")]);
        let expected = r#"[{"name":"app","newName":"mirror/app","digest":"sha256:a"},{"name":"db","newTag":"2","newName":"other"}]"#;
        assert_eq!(images(&content), expected);
    }

    #[test]
    fn components_are_local_and_relative() {
        for (path, local) in [
            ("../components/tls", true),
            ("components", true),
            ("/components", false),
            ("file:///components", false),
            ("GIT::https://example.com", false),
            ("github.com/org/repo", false),
            ("https://example.com/x", false),
        ] {
            assert_eq!(is_local(path), local, "{path}");
        }
    }

    #[test]
    fn the_way_to_a_component_ends_at_the_root() {
        assert_eq!(way_in("apps/web", "../../components/tls").as_deref(), Some("components/tls"));
        assert_eq!(way_in("apps/web", "../../../components"), None);
    }
}
