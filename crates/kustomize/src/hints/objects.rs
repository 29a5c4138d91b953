//! The object that was probably meant where none fits.

use millrace_yaml::read::{Lined, LinedValue, ReadError, Resolver, lined, unread};

use super::flaws::{outside_of_block_text, without_colon, without_consequence};
use super::near::{listed, nearest, quoted, shown};
use super::shapes::{misshapen, misshapen_image};
use super::syntax_errors::{Cause, NO_BREAK_SPACE, TEMPLATE, is_template};
use super::{Draft, UNREAD};
use crate::error::BuildError;
use crate::kustomization::{COMPONENT, FILE_NAMES, KUSTOMIZATION};
use crate::resource::{Collection, Id, Name, Names, Resource};

/// Objects that are looked through.
const LOOKED_AT: usize = 20_000;

/// Why the object that begins at a line of a text lacks something, if more is to be said than that; `problem` is the
/// reader's word for it.
pub(super) fn lacking(text: &str, from: usize, problem: &str) -> Option<Cause> {
    let own = outside_of_block_text(text).filter(|(index, _)| *index + 1 >= from);
    let mut own = own.enumerate().take_while(|(at, (_, line))| *at == 0 || !line.starts_with("---"));
    let wrong = own.find_map(|(_, (index, line))| {
        if is_template(line) {
            return Some(Cause::at(index + 1, TEMPLATE));
        }
        let blank = line.trim_start_matches(' ').chars().next().filter(|first| first.is_whitespace());
        blank.filter(|first| !first.is_ascii()).map(|_| Cause::at(index + 1, NO_BREAK_SPACE))
    });
    let behind = || unread(text, Resolver::Kustomize, from).map(|line| Cause::at(line, UNREAD));
    if let Some(cause) = wrong.or_else(behind) {
        return Some(cause);
    }
    let documents = lined(text, Resolver::Kustomize);
    let object = documents.iter().find(|document| document.line >= from)?;
    kustomization(object).or_else(|| lacking_item(object)).or_else(|| {
        let part = if problem.starts_with("missing kind") { "kind" } else { "name" };
        misshapen_part(object, part, text)
    })
}

/// That an object is what a kustomization file states.
fn kustomization(object: &Lined) -> Option<Cause> {
    let stated = |key| object.key(key).and_then(Lined::text).unwrap_or_default();
    let is_own = stated("apiVersion").starts_with("kustomize.config.k8s.io/");
    let list = match stated("kind") {
        KUSTOMIZATION => "",
        COMPONENT => " under components",
        _ => return None,
    };
    let [name, ..] = FILE_NAMES;
    is_own.then(|| {
        let says = format!("this is a kustomization file: list a folder that holds it as '{name}'{list}");
        Cause::at(object.line, says)
    })
}

/// The first item without kind or name, of a list of objects, or that its items are no list.
fn lacking_item(list: &Lined) -> Option<Cause> {
    let stated = |of: Option<&Lined>, key| {
        of.and_then(|of| of.key(key)).is_some_and(|value| value.text().is_none_or(|text| !text.is_empty()))
    };
    let is_list = list.key("kind").and_then(Lined::text).is_some_and(|kind| kind.ends_with("List"));
    let items = list.key("items")?;
    if let (true, LinedValue::Map(entries)) = (is_list, &items.value) {
        let line = entries.first().map_or(items.line, |(_, first)| first.line);
        return Some(Cause::at(line, "items is to be a list: begin each of its objects with '- '"));
    }
    items.items().iter().enumerate().filter(|_| is_list).find_map(|(index, item)| {
        let lacks = match (stated(Some(item), "kind"), stated(item.key("metadata"), "name")) {
            (false, _) => "kind",
            (true, false) => "metadata.name",
            (true, true) => return None,
        };
        Some(Cause::at(item.line, format!("items[{index}] has no {lacks}")))
    })
}

/// That an object states its kind or its name in a form that is none, or leaves the name to the cluster.
fn misshapen_part(object: &Lined, part: &str, text: &str) -> Option<Cause> {
    let is = |value: &Lined| match &value.value {
        LinedValue::List(_) => Some("a list"),
        LinedValue::Map(_) => Some("a map"),
        LinedValue::Scalar(_) | LinedValue::Alias => None,
    };
    let misshapen = |value: &Lined, name: &str| {
        is(value).map(|is| Cause::at(value.line, format!("{name} is to be text, not {is}")))
    };
    if part == "kind" {
        return misshapen(object.key("kind")?, "kind");
    }
    let metadata = object.key("metadata")?;
    match &metadata.value {
        LinedValue::Map(_) => {}
        LinedValue::List(_) => return Some(Cause::at(metadata.line, "metadata is to be a map, not a list")),
        LinedValue::Scalar(value) if !value.is_empty() => {
            let below = text.lines().enumerate().skip(metadata.line);
            let own =
                below.take_while(|(_, line)| line.starts_with(' ')).find(|(_, line)| !line.trim().is_empty());
            let wrong = own.and_then(|(index, line)| Some((index, without_colon(line.trim_start(), false)?)));
            return Some(match wrong {
                Some((index, says)) => Cause::at(index + 1, without_consequence(says)),
                None => Cause::at(metadata.line, "metadata is to be a map, not text"),
            });
        }
        LinedValue::Scalar(_) => {
            let says = "name stands beside metadata, not in it: indent it further";
            return object.key("name").map(|name| Cause::at(name.line, says));
        }
        LinedValue::Alias => return None,
    }
    let generates = "the object has no metadata.name, and generateName does not stand for it";
    match metadata.key("name") {
        Some(name) => misshapen(name, "metadata.name"),
        None => metadata.key("generateName").map(|_| Cause::at(object.line, generates)),
    }
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
    /// Whether it may be in any namespace where none is stated.
    pub(crate) anywhere: bool,
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
    let swallows = |resource: &&Resource| {
        let repeated = resource.repeated.as_ref();
        repeated.is_some_and(|repeated| ["apiVersion", "kind"].iter().all(|key| repeated.is_in_text(key)))
    };
    let same_kind: Vec<&Resource> = objects().filter(of_kind).collect();
    if let Some(near) = nearest_by(&same_kind, wanted.name, |id| id.name, names) {
        return missing.and("did you mean ").and_named(near, names).and("?");
    }
    let same_name: Vec<&Resource> =
        objects().filter(|resource| !wanted.name.is_empty() && called(resource)).collect();
    // Objects that belong together often have one name.
    let swallowing = same_name.iter().copied().find(swallows);
    let near_kind = nearest_by(&same_name, wanted.kind, |id| id.gvk.kind, names);
    let near = near_kind.or_else(|| same_name.first().copied()).filter(|_| swallowing.is_none());
    if let Some(near) = near {
        return missing.and("the build has ").and_named(near, names);
    }
    if let Some(swallowing) = swallowing.or_else(|| objects().find(swallows)) {
        let says = " states its kind twice, as where '---' is missing between two objects";
        return missing.and_named(swallowing, names).and(says);
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
    let version = id.gvk.api_version(names);
    if wanted.is_exact() && wanted.group.is_empty() && wanted.version.is_empty() && !version.is_empty() {
        return object.and(format!(" is of apiVersion {}, and {} states none", quoted(&version), wanted.by));
    }
    let differs = wanted.namespace != &*namespace && !(wanted.anywhere && wanted.namespace.is_empty());
    match (wanted.namespace, &*namespace) {
        (wanted, "") if !wanted.is_empty() => {
            return object.and(format!(" has no namespace, {} is wanted", quoted(wanted)));
        }
        ("", namespace) if differs => {
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
        return object.and(" is near, but another is wanted");
    }
    let wanted = match (wanted.group, wanted.version) {
        (group, "") => {
            let is = if id.gvk.group.is_empty() {
                "no group".to_owned()
            } else {
                format!("group {}", quoted(&names.text(id.gvk.group)))
            };
            return object.and(format!(" is of {is}, {} is wanted", quoted(group)));
        }
        ("", version) => version.to_owned(),
        (group, version) => format!("{group}/{version}"),
    };
    object.and(format!(" is of apiVersion {}, {} is wanted", quoted(&version), quoted(&wanted)))
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

/// The error of the step that sets images, with the image or the container that has another form than is wanted.
pub(crate) fn of_image(error: BuildError, resource: &Resource, names: &Names) -> BuildError {
    if !error.is_input() {
        return error;
    }
    if let Some(key) = &resource.complex_key {
        return error.with_hint(complex_key(resource, key, names));
    }
    match misshapen_image(&resource.node) {
        Some(says) => error.with_hint(Draft::from(says).of_object(resource, names)),
        None => error,
    }
}

/// What to say of an object with a key that is a map or a list.
pub(crate) fn complex_key(resource: &Resource, key: &ReadError, names: &Names) -> Draft {
    let says = if key.is_template() {
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
