//! The object that was probably meant where none fits.

use millrace_yaml::read::{Lined, LinedValue, ReadError, Resolver, lined};

use super::Draft;
use super::near::{listed, nearest, quoted, shown};
use super::patches::misshapen;
use super::syntax_errors::TEMPLATE;
use crate::error::BuildError;
use crate::resource::{Collection, Id, Name, Names, Resource};

/// Objects that are looked through.
const LOOKED_AT: usize = 20_000;

/// An item of a list of objects that is none, and its line.
pub(super) struct LackingItem {
    pub(super) line: usize,
    pub(super) says: String,
}

/// The first item without kind or name, of the list of objects that begins at a line of a text.
pub(super) fn lacking_item(text: &str, from: usize) -> Option<LackingItem> {
    let documents = lined(text, Resolver::Kustomize);
    let list = documents.iter().find(|document| document.line >= from)?;
    let stated = |of: Option<&Lined>, key| {
        of.and_then(|of| of.key(key)).is_some_and(|value| value.text().is_none_or(|text| !text.is_empty()))
    };
    let is_list = list.key("kind").and_then(Lined::text).is_some_and(|kind| kind.ends_with("List"));
    let items = list.key("items")?;
    if let (true, LinedValue::Map(entries)) = (is_list, &items.value) {
        let line = entries.first().map_or(items.line, |(_, first)| first.line);
        let says = "items is to be a list: begin each of its objects with '- '".to_owned();
        return Some(LackingItem { line, says });
    }
    items.items().iter().enumerate().filter(|_| is_list).find_map(|(index, item)| {
        let lacks = match (stated(Some(item), "kind"), stated(item.key("metadata"), "name")) {
            (false, _) => "kind",
            (true, false) => "metadata.name",
            (true, true) => return None,
        };
        Some(LackingItem { line: item.line, says: format!("items[{index}] has no {lacks}") })
    })
}

/// Whether the object that begins at a line of a text leaves its name to the cluster.
pub(super) fn has_generated_name(text: &str, from: usize) -> bool {
    let documents = lined(text, Resolver::Kustomize);
    let object = documents.iter().find(|document| document.line >= from);
    object.and_then(|object| object.key("metadata")?.key("generateName")).is_some()
}

/// What an entry looks for; an empty part fits everything.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted<'w> {
    pub(crate) group: &'w str,
    pub(crate) version: &'w str,
    pub(crate) kind: &'w str,
    pub(crate) name: &'w str,
    pub(crate) namespace: &'w str,
    /// What looks for it by an exact apiVersion, if anything does.
    pub(crate) by: &'w str,
}

impl Wanted<'_> {
    /// Whether a group or version that is not stated fits none.
    fn is_exact(self) -> bool {
        !self.by.is_empty()
    }
}

/// That an object is not there, and what the build has instead.
pub(crate) fn no_object(wanted: Wanted<'_>, collection: &Collection, names: &Names) -> Draft {
    let objects = || collection.iter().filter(|resource| !resource.deleted).take(LOOKED_AT);
    let is = |wanted: &str, name| wanted.is_empty() || names.is(name, wanted);
    let of_kind = |resource: &&Resource| is(wanted.kind, resource.id().gvk.kind);
    let called = |resource: &&Resource| resource.any_ids().any(|id| is(wanted.name, id.name));
    if let Some(found) = objects().find(|resource| of_kind(resource) && called(resource)) {
        return other_part(wanted, found, names);
    }
    let kind = if wanted.kind.is_empty() { "object".to_owned() } else { shown(wanted.kind) };
    let missing = match wanted.name {
        "" => Draft::from(format!("there is no {kind}: ")),
        name => Draft::from(format!("there is no {kind} {}: ", quoted(name))),
    };
    let same_kind: Vec<&Resource> = objects().filter(of_kind).collect();
    if let Some(near) = nearest_by(&same_kind, wanted.name, |id| id.name, names) {
        return missing.and("did you mean ").and_named(near, names).and("?");
    }
    let same_name: Vec<&Resource> =
        objects().filter(|resource| !wanted.name.is_empty() && called(resource)).collect();
    let near_kind = nearest_by(&same_name, wanted.kind, |id| id.gvk.kind, names);
    if let Some(near) = near_kind.or_else(|| same_name.first().copied()) {
        return missing.and("the build has ").and_named(near, names);
    }
    match same_kind[..] {
        [only] => missing.and("the only one is ").and_named(only, names),
        [] => missing.and(kinds(objects(), names)),
        [..] => {
            let all: Vec<_> = same_kind.iter().map(|resource| names.text(resource.id().name)).collect();
            missing.and(format!("there are {}", listed(all.iter().map(|name| &**name))))
        }
    }
}

/// The kinds of some objects.
fn kinds<'c>(objects: impl Iterator<Item = &'c Resource>, names: &Names) -> String {
    let mut kinds: Vec<_> = objects.map(|resource| names.text(resource.id().gvk.kind)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    if kinds.is_empty() {
        return "the build has no objects at this point".to_owned();
    }
    format!("the build has objects of kind {}", listed(kinds.iter().map(|kind| &**kind)))
}

/// That an object has the kind and the name, and which other part differs.
fn other_part(wanted: Wanted<'_>, found: &Resource, names: &Names) -> Draft {
    let id = found.id();
    let object = Draft::default().and_named(found, names);
    let namespace = names.text(id.namespace);
    let differs = wanted.namespace != &*namespace;
    match (wanted.namespace, &*namespace) {
        (wanted, "") if !wanted.is_empty() => {
            return object.and(format!(" has no namespace, {} is wanted", quoted(wanted)));
        }
        ("", namespace) if !namespace.is_empty() => {
            return object.and(format!(" is in namespace {}, none is stated here", quoted(namespace)));
        }
        (wanted, namespace) if differs => {
            return object.and(format!(
                " is in namespace {}, {} is wanted",
                quoted(namespace),
                quoted(wanted)
            ));
        }
        _ => {}
    }
    if wanted.version.contains('/') && !id.gvk.group.is_empty() {
        let [group, version] = [id.gvk.group, id.gvk.version].map(|part| quoted(&names.text(part)));
        let says = format!(" is of group {group} and version {version}: each has a field of its own");
        return object.and(says);
    }
    let same = |wanted: &str, name| wanted.is_empty() || names.is(name, wanted);
    // A patch without a group looks for objects without one, a source for any.
    let same_group = if wanted.group.is_empty() && !wanted.version.is_empty() && wanted.is_exact() {
        id.gvk.group.is_empty()
    } else {
        same(wanted.group, id.gvk.group)
    };
    if same_group && same(wanted.version, id.gvk.version) {
        let version = id.gvk.api_version(names);
        return if wanted.version.is_empty() && wanted.is_exact() && !version.is_empty() {
            object.and(format!(" is of apiVersion {}, and {} states none", quoted(&version), wanted.by))
        } else {
            object.and(" is near, but another is wanted")
        };
    }
    let wanted = if wanted.group.is_empty() {
        wanted.version.to_owned()
    } else {
        format!("{}/{}", wanted.group, wanted.version)
    };
    object.and(format!(
        " is of apiVersion {}, {} is wanted",
        quoted(&id.gvk.api_version(names)),
        quoted(&wanted)
    ))
}

/// The object with the nearest name or kind.
fn nearest_by<'c>(
    objects: &[&'c Resource],
    wanted: &str,
    part: impl Fn(Id) -> Name,
    names: &Names,
) -> Option<&'c Resource> {
    let texts: Vec<_> = objects.iter().map(|resource| names.text(part(resource.id()))).collect();
    let near = nearest(wanted, texts.iter().map(|text| &**text))?;
    objects.iter().find(|resource| names.is(part(resource.id()), near)).copied()
}

/// The error of a step that follows a path such as `spec/replicas` into an object, with what has another form than is wanted.
pub(crate) fn with_shape(error: BuildError, resource: &Resource, path: &str, names: &Names) -> BuildError {
    if let Some(key) = &resource.complex_key {
        return error.with_hint(complex_key(resource, key, names));
    }
    match misshapen(&resource.node, path, &error.reference) {
        Some(says) => error.with_hint(Draft::from(says).of_object(resource, names)),
        None => error,
    }
}

/// What to say of an object with a key that is a map or a list.
pub(crate) fn complex_key(resource: &Resource, key: &ReadError, names: &Names) -> Draft {
    // A template is a map in a map: its only key has no value.
    let is_template = key.to_string().ends_with(":\"\"}");
    let says = if is_template {
        TEMPLATE
    } else {
        "a key is to be text, and one of this object's is a map or a list"
    };
    let place = match key.line() {
        Some(line) => Draft::line(&names.text(resource.file), Some(line)),
        None => Draft::default().and_object(resource, names),
    };
    place.and(": ").and(says)
}

impl Draft {
    /// Kind and name of an object follow, and its place where it has one.
    pub(crate) fn and_named(self, resource: &Resource, names: &Names) -> Self {
        let id = resource.id();
        let draft = self.and(format!("{} {}", shown(&names.text(id.gvk.kind)), quoted(&names.text(id.name))));
        if resource.file.is_empty() { draft } else { draft.and(" (").and_object(resource, names).and(")") }
    }
}
