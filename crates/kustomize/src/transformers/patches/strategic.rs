//! Strategic patches of objects, and `patchesStrategicMerge`.

use millrace_yaml::{MapBuilder, Node, Scalar};

use super::config;
use crate::build::{Context, text_bytes};
use crate::error::{BuildError, Result};
use crate::fields::set_text;
use crate::go;
use crate::hints::{self, Draft, Wanted};
use crate::kustomization::PatchOptions;
use crate::patch::merge;
use crate::resource::{
    Collection, Id, Name, Names, Repeated, Resource, Step, history_texts, parse_resources,
};
use crate::syntax;
use crate::tables::Tables;
use crate::target::Target;
use crate::transformers::{MAX_MISSED, Steps, Transform};

/// Patches of one entry that are looked at behind a step that failed.
const MAX_CHECKED: usize = 200;

/// All entries of `patchesStrategicMerge`.
struct ApplyPatches {
    patches: Vec<Resource>,
}

pub(in super::super) fn configure(target: &Target<'_, '_>, _: &Tables) -> Result<Steps> {
    let entries = target.kustomization().patches_strategic_merge.as_deref().unwrap_or_default();
    if entries.is_empty() {
        return Ok(Vec::new());
    }
    let trouble = |error| config::trouble(error, "PatchStrategicMergeTransformer", &config::paths(entries));
    Ok(vec![apply_strategic_patches(entries, "", target).map_err(trouble)?])
}

/// A step that applies strategic patches: those of some entries, and those in a text.
pub(crate) fn apply_strategic_patches(
    entries: &[String],
    inline: &str,
    target: &Target<'_, '_>,
) -> Result<Box<dyn Transform>> {
    if entries.is_empty() && inline.is_empty() {
        return Err(BuildError::new("empty file path and empty patch content"));
    }
    let mut patches = Vec::new();
    for entry in entries {
        patches.extend(load(entry, target)?);
    }
    if !inline.is_empty() {
        let parsed = parse_resources(inline, Name::EMPTY, &target.context.names);
        patches.extend(parsed.map_err(|error| BuildError::new(error.text()))?);
    }
    if patches.is_empty() {
        let files = go::list(entries);
        let failed = BuildError::new(format!("patch appears to be empty; files={files}, Patch={inline}"));
        return Err(match entries {
            [entry] if target.loader.load(entry).is_ok() => {
                let file = target.loader.display(entry);
                failed.with_hint(Draft::line(&file, None).and(": the file holds no patch"))
            }
            _ => failed,
        });
    }
    Ok(Box::new(ApplyPatches { patches }))
}

/// An entry is a patch where it reads as one, and the path of a file otherwise.
fn load(entry: &str, target: &Target<'_, '_>) -> Result<Vec<Resource>> {
    let names = &target.context.names;
    if let Ok(patches) = parse_resources(entry, Name::EMPTY, names) {
        return Ok(patches);
    }
    let text = target.loader.load(entry)?;
    let file = names.intern(&target.loader.display(entry));
    let parsed = parse_resources(&text, file, names);
    parsed.map_err(|error| error.in_file(entry))
}

impl Transform for ApplyPatches {
    fn run(&self, collection: &mut Collection, context: &Context<'_>) -> Result<()> {
        let names = &context.names;
        self.patches.iter().try_for_each(|patch| {
            context.check()?;
            let index = only_match(collection, patch.id(), names)?;
            apply_to_all(collection, &[index], patch, &PatchOptions::default(), context)
        })
    }

    fn misses(&self, collection: &mut Collection, context: &Context<'_>) -> Vec<BuildError> {
        missed(&self.patches, collection, &context.names)
    }
}

/// The errors of patches that find no object.
pub(super) fn missed(patches: &[Resource], collection: &mut Collection, names: &Names) -> Vec<BuildError> {
    let patches = patches.iter().take(MAX_CHECKED);
    patches.filter_map(|patch| only_match(collection, patch.id(), names).err()).take(MAX_MISSED).collect()
}

/// The only object that has or had an id.
pub(super) fn only_match(collection: &mut Collection, id: Id, names: &Names) -> Result<usize> {
    let mut found = collection.with_any_id(id);
    found.retain(|index| !collection.get(*index).deleted);
    let count = match found[..] {
        [index] => return Ok(index),
        [] => "no",
        [..] => "multiple",
    };
    let text = id.text(names);
    let error = BuildError::new(format!(
        "{count} matches for Id {text}; failed to find unique target for patch {text}"
    ));
    Err(error.with_hint(if found.is_empty() {
        missing(id, collection, names)
    } else {
        let [first, second] = [found[0], found[1]].map(|index| collection.get(index));
        let both = Draft::from("more than one object fits: ").and_named(first, names).and(" and ");
        let both = both.and_named(second, names);
        let (first, second) = (first.id(), second.id());
        if first.name != second.name {
            both.and(": a patch with one of these names tells them apart")
        } else if first.effective_namespace() != second.effective_namespace() {
            both.and(": a patch with a namespace tells them apart")
        } else {
            both
        }
    }))
}

/// What a patch without an object may have meant.
fn missing(id: Id, collection: &Collection, names: &Names) -> Draft {
    let [kind, name, namespace] = [id.gvk.kind, id.name, id.namespace].map(|part| names.text(part));
    let (group, version) = (names.text(id.gvk.group), names.text(id.gvk.version));
    let wanted = Wanted {
        group: &group,
        version: &version,
        kind: &kind,
        name: &name,
        namespace: &namespace,
        by: "the patch",
        anywhere: false,
    };
    hints::no_object(wanted, collection, names)
}

/// Applies a patch to the selected objects, whatever their apiVersion, and checks the ids of all.
pub(super) fn apply_to_all(
    collection: &mut Collection,
    selected: &[usize],
    patch: &Resource,
    options: &PatchOptions,
    context: &Context<'_>,
) -> Result<()> {
    let names = &context.names;
    let size = text_bytes(&patch.node);
    for index in collection.with_ids_of(selected) {
        context.check()?;
        context.make(size).map_err(BuildError::limit)?;
        let mut node = patch.node.clone();
        for field in ["labels", "annotations"] {
            with_string_values(&mut node, field);
        }
        let api_version = collection.get(index).id().gvk.api_version(names);
        if let Some(map) = node.as_map_mut() {
            map.insert("apiVersion", syntax::made(&api_version));
        }
        set(&mut node, &[], "kind", &names.text(patch.id().gvk.kind))?;
        set(&mut node, &["metadata"], "name", &names.text(patch.id().name))?;
        collection.change(index, |resource| {
            note_repeated(resource, patch);
            apply(resource, node, options, names)
                .map_err(|error| with_misfit(error, &patch.node, resource, names))
        })?;
    }
    collection.check_ids(names)
}

/// A key that stands twice in a patch may stand twice in the object that it is applied to.
pub(super) fn note_repeated(resource: &mut Resource, patch: &Resource) {
    if patch.repeated.is_some() && resource.repeated.is_none() {
        resource.repeated = Some(Repeated::default());
    }
}

/// An error with the field that a patch takes for something else.
pub(super) fn with_misfit(error: BuildError, patch: &Node, resource: &Resource, names: &Names) -> BuildError {
    if !error.drafts().is_empty() {
        return error;
    }
    match hints::misfit(&resource.node, patch, &error.reference) {
        Some(says) => error.with_hint(Draft::from(says).of_object(resource, names)),
        None => error,
    }
}

/// A patch that says in its annotations what it may change, as the reference has it: it writes them anew for that.
pub(super) fn as_allowed(mut patch: Node, options: &PatchOptions) -> Node {
    if options.allow_name_change || options.allow_kind_change {
        with_string_values(&mut patch, "annotations");
    }
    patch
}

/// Writes a map of the metadata anew, every value a string; an empty one goes.
fn with_string_values(node: &mut Node, field: &str) {
    let Some(metadata) = node.get_mut("metadata").and_then(Node::as_map_mut) else { return };
    let Some(values) = metadata.remove(field) else { return };
    let Node::Map(values) = values else { return };
    // Of equal keys the last one counts.
    let mut strings = MapBuilder::with_capacity(values.len());
    for (key, value) in values {
        let text = value.as_scalar().map_or("", Scalar::text);
        strings.insert(syntax::key(key.text()), Node::Scalar(syntax::string(text)));
    }
    let strings = strings.finish();
    if !strings.is_empty() {
        metadata.insert(field, Node::Map(strings));
    }
}

/// Applies a patch to one object. Kind and name stay unless the options say otherwise, the namespace stays always.
pub(super) fn apply(
    resource: &mut Resource,
    patch: Node,
    options: &PatchOptions,
    names: &Names,
) -> Result<()> {
    let before = resource.id();
    if options.allow_name_change || options.allow_kind_change {
        resource.record_id();
    }
    // What would replace the object as a whole leaves it as it is.
    let changes = patch.str_at(&["$patch"]) != Some("replace");
    let forgets = changes && drops(&patch, &[&[], &["metadata"], &["metadata", "annotations"]]);
    let brackets = brackets_of_history(resource, names).filter(|_| !drops(&patch, &[&[], &["metadata"]]));
    let keeps_allowed = changes && !deletes_annotations(&patch);
    for place in changes.then(|| replaced_places(&patch)).into_iter().flatten() {
        resource.links.part(&place);
    }
    if !merge(&mut resource.node, patch, &names.schema()).map_err(BuildError::new)? {
        resource.deleted = true;
        return Ok(());
    }
    if let (Some(is_flow), Some(metadata)) = (brackets, resource.node.get_mut("metadata")) {
        metadata.set_flow(is_flow);
    }
    resource.links.settle(&mut resource.node);
    if forgets {
        resource.forget_history();
    }
    resource.allowed.name |= options.allow_name_change && keeps_allowed;
    resource.allowed.kind |= options.allow_kind_change && keeps_allowed;
    if !options.allow_kind_change {
        set(&mut resource.node, &[], "kind", &names.text(before.gvk.kind))?;
    }
    if !options.allow_name_change {
        set(&mut resource.node, &["metadata"], "name", &names.text(before.name))?;
    }
    let namespace = names.text(before.namespace);
    if namespace.is_empty() {
        let metadata = resource.node.get_mut("metadata").and_then(Node::as_map_mut);
        metadata.map(|metadata| metadata.remove("namespace"));
    } else {
        set(&mut resource.node, &["metadata"], "namespace", &namespace)?;
    }
    // What was put back may be shared as well.
    resource.links.settle(&mut resource.node);
    resource.refresh_id(names);
    Ok(())
}

/// Whether the metadata is in brackets where it is empty but for what the reference remembers of the object in annotations: to
/// a patch these are content, so that the brackets stay.
fn brackets_of_history(resource: &Resource, names: &Names) -> Option<bool> {
    let metadata = resource.node.get("metadata").filter(|metadata| metadata.is_empty_collection())?;
    (!history_texts(resource, names).is_empty()).then(|| metadata.is_flow())
}

/// Whether a patch takes one of some places away; with the annotations goes what the reference remembers of the object.
fn drops(patch: &Node, places: &[&[&str]]) -> bool {
    places.iter().any(|place| {
        patch.at(place).is_some_and(|node| {
            node.is_null() || matches!(node.str_at(&["$patch"]), Some("delete" | "replace"))
        })
    })
}

/// Whether a patch deletes what it would itself add to the annotations.
fn deletes_annotations(patch: &Node) -> bool {
    [&["metadata", "$patch"][..], &["metadata", "annotations", "$patch"]]
        .into_iter()
        .any(|place| patch.str_at(place) == Some("delete"))
}

fn set(node: &mut Node, path: &[&str], key: &str, text: &str) -> Result<()> {
    let Some(map) = node.map_at_mut(path) else { return Ok(()) };
    set_text(map, key, text).map_err(|fault| BuildError::new(fault.text))
}

/// The maps and lists that a patch replaces as a whole, so that nothing below them is shared any longer.
fn replaced_places(patch: &Node) -> Vec<Vec<Step>> {
    fn walk(node: &Node, place: &mut Vec<Step>, found: &mut Vec<Vec<Step>>) {
        let Some(map) = node.as_map() else {
            if node.as_list().is_some() {
                found.push(place.clone());
            }
            return;
        };
        if map.get("$patch").and_then(Node::as_str) == Some("replace") {
            found.push(place.clone());
        }
        for (key, value) in map.iter().filter(|(_, value)| value.as_scalar().is_none()) {
            place.push(Step::Key(key.into()));
            walk(value, place, found);
            place.pop();
        }
    }
    let mut found = Vec::new();
    walk(patch, &mut Vec::new(), &mut found);
    found
}
