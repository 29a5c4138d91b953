//! Files of settings that do not read, or do not fit.

use millrace_yaml::read::{Resolver, unread};
use millrace_yaml::{Map, Node};

use super::near::{listed, nearest, quoted};
use super::{Draft, Key, UNREAD, patches, syntax_errors};
use crate::kustomization::decode::{DecodeError, Field, Problem, Step};
use crate::kustomization::{COMPONENT, COMPONENT_VERSION, KUSTOMIZATION, VERSION};
use crate::syntax::{self, SyntaxError};

/// Fields that a hint names where none is near.
const FEW: usize = 10;
/// Fields by which a kustomization file is known, whatever it says it is.
const ITS_OWN: [&str; 16] = [
    "resources",
    "bases",
    "components",
    "patches",
    "patchesStrategicMerge",
    "patchesJson6902",
    "configMapGenerator",
    "secretGenerator",
    "generators",
    "transformers",
    "images",
    "namePrefix",
    "nameSuffix",
    "commonLabels",
    "replicas",
    "replacements",
];
/// Fields by which the spec of a Kustomization of Flux is known.
const FLUX: [&str; 16] = [
    "commonMetadata",
    "decryption",
    "deletionPolicy",
    "dependsOn",
    "healthCheckExprs",
    "healthChecks",
    "ignoreMissingComponents",
    "interval",
    "kubeConfig",
    "postBuild",
    "prune",
    "retryInterval",
    "serviceAccountName",
    "sourceRef",
    "suspend",
    "targetNamespace",
];
/// Fields of it that others may have as well.
const FLUX_BESIDE: [&str; 4] = ["force", "path", "timeout", "wait"];
/// Fields of the objects that generators make.
const OF_DATA: [&str; 3] = ["data", "stringData", "binaryData"];
/// A number that counts.
const WHOLE: &str = "a whole number";

/// Text that is not YAML.
pub(crate) fn unreadable(file: &str, text: &str, error: &SyntaxError) -> Draft {
    let is_utf8 = !text.contains('\u{fffd}');
    let cause = syntax_errors::cause(text, is_utf8, error.line, &error.text);
    Draft::line(file, cause.line).and(": ").and(cause.text)
}

/// What to say of a kustomization file that states nothing.
pub(crate) fn empty(file: &str, text: &str) -> Draft {
    if let Some(line) = unread(text, Resolver::Kubernetes, 1) {
        return Draft::line(file, Some(line)).and(": ").and(UNREAD);
    }
    let is_component = |node: &Node| node.get("kind").and_then(Node::as_str) == Some(COMPONENT);
    Draft::line(file, None).and(if syntax::read_config(text).is_ok_and(|node| is_component(&node)) {
        ": the component states nothing: give it patches, generators or resources"
    } else {
        ": the file states nothing: name at least one entry of resources"
    })
}

/// Whether fields of a kustomization file stand where an object has its spec.
fn is_kustomization(node: &Node) -> bool {
    node.get("spec").is_none() && ITS_OWN.iter().any(|field| node.get(field).is_some())
}

/// That a file with the name of a kustomization file states an object, such as one of Flux.
pub(crate) fn no_kustomization(file: &str, node: &Node) -> Option<Draft> {
    let text = |path: &[&str]| node.str_at(path).unwrap_or_default();
    let (api_version, kind) = (text(&["apiVersion"]), text(&["kind"]));
    let is_object = node.get("metadata").is_some() && !kind.is_empty() && !is_kustomization(node);
    if !is_object || api_version.is_empty() || api_version.starts_with("kustomize.config.k8s.io/") {
        return None;
    }
    let group = api_version.split_once('/').map_or(api_version, |(group, _)| group);
    Some(Draft::field(file, vec![Key::name("apiVersion")], None).and(format!(
        ": this is {} {} of {}, not a kustomization file: rename the file, and list it under resources",
        if kind.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" },
        super::near::shown(kind),
        super::near::shown(group)
    )))
}

/// What to do about a file whose apiVersion and kind are not those of a kustomization file.
pub(crate) fn of_no_kind(file: &str, node: &Node) -> Draft {
    let text = |path: &str| node.str_at(&[path]).unwrap_or_default();
    let (version, kind) = (text("apiVersion"), text("kind"));
    let at = |field: &str| Draft::field(file, vec![Key::name(field)], None);
    if version.starts_with("kustomize.toolkit.fluxcd.io/") && !is_kustomization(node) {
        return at("apiVersion")
            .and(": this is an object of Flux, not a kustomization file: give the file another name");
    }
    if let Some(object) = no_kustomization(file, node) {
        return object;
    }
    let is_component = !kind.is_empty() && nearest(kind, [COMPONENT]).is_some();
    if is_component || version == COMPONENT_VERSION && kind != KUSTOMIZATION {
        let wrong = if kind.is_empty() || kind == COMPONENT { "apiVersion" } else { "kind" };
        return at(wrong)
            .and(format!(": a component states 'apiVersion: {COMPONENT_VERSION}' and 'kind: {COMPONENT}'"));
    }
    let draft = at("apiVersion")
        .and(format!(": leave out apiVersion and kind, or let them be '{VERSION}' and '{KUSTOMIZATION}'"));
    if version != COMPONENT_VERSION {
        return draft;
    }
    draft.and(format!(", or of a component '{COMPONENT_VERSION}' and '{COMPONENT}'"))
}

/// Text that does not fit what it is read for; `node` is what it reads as.
pub(crate) fn undecodable(file: &str, error: &DecodeError, node: &Node) -> Draft {
    Draft::field(file, way_of(error), None).and(": ").and(misfit_of(error, node))
}

/// What does not fit in a tree, and what would.
pub(crate) fn misfit_of(error: &DecodeError, node: &Node) -> String {
    let way = way_of(error);
    match &error.problem {
        Problem::UnknownField { name, fields } => {
            let above = &way[..way.len().saturating_sub(1)];
            let place = match shown(above) {
                above if above.is_empty() => "there is no field".to_owned(),
                above => format!("{above} has no field"),
            };
            let instead = instead(name, fields, &error.way, find(node, above));
            let instead = instead.map(|instead| format!(": {instead}")).unwrap_or_default();
            format!("{place} {}{instead}", quoted(name))
        }
        Problem::WrongType { value, wanted, .. } => {
            let field = match shown(&way) {
                field if field.is_empty() => "this".to_owned(),
                field => field,
            };
            match too_deep(value, &error.way) {
                Some(says) => format!("{field}: {says}"),
                None => {
                    wrong_type(&field, (words(wanted), words(value)), find(node, &way), keys_of(&error.way))
                }
            }
        }
    }
}

fn way_of(error: &DecodeError) -> Vec<Key> {
    error.way.iter().rev().map(|step| step.key.clone()).collect()
}

fn find<'n>(node: &'n Node, way: &[Key]) -> Option<&'n Node> {
    way.iter().try_fold(node, |at, key| match key {
        Key::Name(name) => at.get(name),
        Key::Item(index) => at.as_list()?.get(*index),
    })
}

/// What to do about a field that the record which holds it doesn't have.
fn instead(name: &str, fields: &[Field], way: &[Step], record: Option<&Node>) -> Option<String> {
    if name.starts_with('-') {
        return Some("the '-' that begins an entry wants a space behind it".to_owned());
    }
    let is_it = |key: &str| key.eq_ignore_ascii_case(name);
    let field = |key: &str| fields.iter().find(|field| field.key.eq_ignore_ascii_case(key));
    // What stands before it, and might have held it.
    let keys = record.and_then(Node::as_map).into_iter().flat_map(Map::keys);
    let before = keys.take_while(|key| !is_it(key)).filter_map(field).last();
    let has_it = |field: &&Field| field.keys.iter().any(|key| is_it(key));
    if way.len() == 1 && record.is_some_and(|record| is_of_flux(name, record)) {
        let place = "it belongs into the spec of a Kustomization of Flux, an object in a file of its own";
        return Some(place.to_owned());
    }
    if let Some(before) = before.filter(has_it) {
        let place = if words(&before.of_type) == "a list" { "an entry of " } else { "" };
        return Some(format!("it belongs into {place}'{}': indent it further", before.key));
    }
    if record.and_then(|record| record.str_at(&["patch"])) == Some("") && has_key(fields, "patch") {
        return Some("'patch' is empty: indent its text further than the key".to_owned());
    }
    let mut homes = fields.iter().filter(has_it);
    let home = homes.next().filter(|_| homes.next().is_none());
    if let Some((above, outer)) = outer_field(name, way) {
        let beside = format!("beside {above}: indent it less");
        let is_record = outer.of_type.starts_with("types.") && words(&outer.of_type) == "a map";
        // Two maps of labels have one type by chance.
        let same = is_record.then(|| fields.iter().find(|field| field.of_type == outer.of_type)).flatten();
        return Some(match (home, same) {
            (Some(home), _) => format!("it belongs into '{}', or {beside}", home.key),
            (None, Some(same)) => format!("here it is called '{}', or it belongs {beside}", same.key),
            (None, None) => format!("it belongs {beside}"),
        });
    }
    if let Some(home) = home {
        return Some(format!("it belongs into '{}'", home.key));
    }
    let known = || fields.iter().map(|field| field.key);
    if let Some(parts) = parts_of_version(name, fields, record) {
        return Some(parts);
    }
    match nearest(name, known()) {
        Some(near) => Some(format!("did you mean '{near}'?")),
        None if OF_DATA.contains(&name) && has_key(fields, "literals") => {
            Some("its entries belong into 'literals', 'files' or 'envs'".to_owned())
        }
        None if fields.len() <= FEW => {
            let all: Vec<String> = known().map(quoted).collect();
            Some(format!("its fields are {}", all.join(", ")))
        }
        None => None,
    }
}

/// Whether a field of a file that is to be a kustomization file is one of the spec of a Kustomization of Flux.
pub(crate) fn is_of_flux(name: &str, file: &Node) -> bool {
    let is_beside = || FLUX.iter().any(|field| file.get(field).is_some());
    FLUX.contains(&name) || FLUX_BESIDE.contains(&name) && is_beside()
}

fn has_key(fields: &[Field], key: &str) -> bool {
    fields.iter().any(|field| field.key == key)
}

/// An apiVersion where its parts have fields of their own.
fn parts_of_version(name: &str, fields: &[Field], record: Option<&Node>) -> Option<String> {
    let has_parts = has_key(fields, "group") && has_key(fields, "version");
    let text = record?.get(name)?.as_str().filter(|_| name == "apiVersion" && has_parts)?;
    let state = |key: &str, part: &str| format!("'{key}: {}'", super::near::shown(part));
    Some(match text.split_once('/') {
        Some((group, version)) => {
            format!("state {} and {}", state("group", group), state("version", version))
        }
        None => format!("state {}", state("version", text)),
    })
}

/// The field beside which another belongs that stands in it, or in an entry of it, and that other as it is there.
fn outer_field<'w>(name: &str, way: &'w [Step]) -> Option<(String, &'w Field)> {
    let outer = way.iter().skip(1).find(|step| !step.fields.is_empty())?;
    let is_own = ["apiVersion", "kind", "metadata"].iter().any(|key| key.eq_ignore_ascii_case(name));
    let field = outer.fields.iter().find(|field| field.key.eq_ignore_ascii_case(name))?;
    match &outer.key {
        Key::Name(above) if !is_own && !above.eq_ignore_ascii_case(name) => Some((quoted(above), field)),
        Key::Name(_) | Key::Item(_) => None,
    }
}

/// That a key of a map which takes any is a field of the record around it, whose type is that of the value.
fn too_deep(value: &str, way: &[Step]) -> Option<String> {
    let [Step { key: Key::Name(name), fields }, outer, ..] = way else { return None };
    let Key::Name(above) = &outer.key else { return None };
    let is_it = |field: &&Field| {
        let has_type = match value {
            "bool" => field.of_type == "bool",
            "array" => field.of_type.starts_with("[]"),
            "object" => words(&field.of_type) == "a map",
            _ => false,
        };
        has_type && field.key == &**name
    };
    let field = outer.fields.iter().find(is_it).filter(|_| fields.is_empty())?;
    Some(format!("'{}' belongs beside {}: indent it less", field.key, quoted(above)))
}

/// The fields of the record that an entry is to be.
fn keys_of(way: &[Step]) -> &'static [&'static str] {
    let [Step { key: Key::Item(_), .. }, Step { key: Key::Name(list), fields }, ..] = way else { return &[] };
    let field = fields.iter().find(|field| field.key.eq_ignore_ascii_case(list));
    field.map_or(&[], |field| field.keys)
}

fn wrong_type(
    field: &str,
    (wanted, value): (&str, &str),
    node: Option<&Node>,
    keys: &[&'static str],
) -> String {
    let is_to_be = format!("{field} is to be {wanted}, not {value}");
    match (wanted, value) {
        ("a list", "a map") => format!("{is_to_be}: begin its entries with '- '"),
        ("a list", _) => format!("{is_to_be}: write '- ' before each entry"),
        ("text", "a number" | "true or false") => format!("{is_to_be}: put it in quotes"),
        ("text", "a map") if field.ends_with(']') => match node.and_then(|node| node.str_at(&["path"])) {
            Some(path) => format!("{is_to_be}: write '- {}' alone", super::near::shown(path)),
            None if field.starts_with("patchesStrategicMerge[") => {
                format!("{is_to_be}: list the entry under patches")
            }
            None => is_to_be,
        },
        ("a map", "text") if !keys.is_empty() => match node.and_then(Node::as_str) {
            Some(path) if keys.contains(&"path") && patches::is_path(path) => {
                format!("{is_to_be}: write '- path: {}'", super::near::shown(path))
            }
            Some(_) | None if keys.len() <= FEW => {
                format!("{is_to_be}: its fields are {}", listed(keys.iter().copied()))
            }
            Some(_) | None => is_to_be,
        },
        (WHOLE, "a number") => format!("{field} is to be {WHOLE}"),
        _ => is_to_be,
    }
}

/// The way to a field in words, such as `patches[0].target`.
pub(super) fn shown(way: &[Key]) -> String {
    let mut text = String::new();
    for key in way {
        match key {
            Key::Name(name) if text.is_empty() => text.push_str(&super::near::shown(name)),
            Key::Name(name) => text.extend([".", &super::near::shown(name)]),
            Key::Item(index) => text.extend(["[", &index.to_string(), "]"]),
        }
    }
    text
}

/// A type of the reference's language in words.
fn words(of_type: &str) -> &'static str {
    match of_type {
        "string"
        | "types.SortOrder"
        | "types.PatchStrategicMerge"
        | "types.Cloud"
        | "namespace.RoleBindingSubjectMode" => "text",
        "bool" => "true or false",
        "int" | "int64" => WHOLE,
        "number" => "a number",
        "array" | "types.FsSlice" | "builtinconfig.nbrSlice" => "a list",
        other if other.starts_with("[]") => "a list",
        other if other.starts_with("number ") => "a number",
        _ => "a map",
    }
}
