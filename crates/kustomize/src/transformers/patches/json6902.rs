//! JSON patches of objects, and `patchesJson6902`.

use millrace_yaml::read::has_tab_block;
use millrace_yaml::{Node, Scalar, Style};

use super::{Target, config};
use crate::annotations;
use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::fields::{Fault, wrong_kind};
use crate::hints::{self, Draft};
use crate::kustomization::Patch;
use crate::patch::JsonPatch;
use crate::resource::{
    Collection, Name, Names, Resource, expose, internal_annotations, parse_resources, take_back, with_history,
};
use crate::syntax;
use crate::tables::Tables;
use crate::target;
use crate::text::Text;
use crate::transformers::{Steps, Transform};

/// An entry of `patchesJson6902`.
struct ApplyJsonPatch {
    patch: JsonPatch,
    target: Target,
}

pub(in super::super) fn configure(target: &target::Target<'_, '_>, _: &Tables) -> Result<Steps> {
    let patches = target.kustomization().patches_json6902.as_deref().unwrap_or_default();
    let step = |patch: &Patch| {
        let trouble = |error| config::trouble(error, "PatchJson6902Transformer", &config::json6902(patch));
        apply_json_patch(patch, target).map_err(trouble)
    };
    patches.iter().map(step).collect()
}

/// A step that applies a JSON patch.
pub(crate) fn apply_json_patch(patch: &Patch, target: &target::Target<'_, '_>) -> Result<Box<dyn Transform>> {
    Ok(Box::new(ApplyJsonPatch::new(patch, target)?))
}

impl ApplyJsonPatch {
    fn new(patch: &Patch, target: &target::Target<'_, '_>) -> Result<Self> {
        let Some(selector) = &patch.target else { return Err(BuildError::new("must specify a target")) };
        if selector.name.is_empty() {
            return Err(BuildError::new("must specify the target name"));
        }
        let text = match (patch.path.is_empty(), patch.patch.is_empty()) {
            (true, true) => return Err(BuildError::new("empty file path and empty jsonOp")),
            (false, false) => return Err(BuildError::new("must specify a file path or jsonOp, not both")),
            (true, false) => patch.patch.as_str().into(),
            (false, true) => target.loader.load(&patch.path)?,
        };
        if text.is_empty() {
            return Err(BuildError::new(format!("patch file '{}' empty seems to be empty", patch.path)));
        }
        let shown = || if text.starts_with('[') { Ok(text.to_string()) } else { as_json(&text) };
        let decoded = match JsonPatch::decode(&text) {
            Ok(decoded) => decoded,
            Err(problem) => {
                let shown = shown().map(|shown| BuildError::new(format!("decoding {shown}: {problem}")));
                let as_objects = parse_resources(&text, Name::EMPTY, &target.context.names).err();
                let file = (!patch.path.is_empty()).then(|| target.loader.display(&patch.path));
                let draft = hints::not_a_json_patch(as_objects.as_ref(), file.as_deref(), &text);
                return Err(shown.unwrap_or_else(|error| error).with_hint(draft));
            }
        };
        if decoded.is_empty() {
            let shown = shown()?;
            let failed =
                BuildError::new(format!("patch appears to be empty; file={}, JsonOp={shown}", patch.path));
            return Err(failed.with_hint("the patch has no operations"));
        }
        Ok(Self { patch: decoded, target: Target::new(selector, &target.context.names) })
    }
}

fn as_json(text: &Text<'_>) -> Result<String> {
    let node = syntax::read_config(text).map_err(|error| BuildError::new(error.text))?;
    Ok(syntax::print_json(&node))
}

impl Transform for ApplyJsonPatch {
    fn run(&self, collection: &mut Collection, context: &Context<'_>) -> Result<()> {
        context.check()?;
        for index in self.target.select(collection, &context.names)? {
            context.check()?;
            // A new name is not remembered here: references keep the old one.
            let applied = collection.change(index, |resource| apply(resource, &self.patch, context));
            applied?.map_err(|fault| BuildError::new(fault.text))?;
        }
        Ok(())
    }
}

/// Applies a patch to one object; says what is wrong where its annotations cannot be written any longer.
pub(super) fn apply(
    resource: &mut Resource,
    patch: &JsonPatch,
    context: &Context<'_>,
) -> Result<std::result::Result<(), Fault>> {
    let names = &context.names;
    let repeated = resource.repeated.as_ref();
    if let Some(error) = repeated.and_then(|repeated| repeated.error(&with_history(resource, names))) {
        return Err(BuildError::new(error.to_string()));
    }
    check_tabs(resource, resource.comment_lines, names)?;
    let sees_annotations = patch.reaches(&["metadata", "annotations"]);
    if sees_annotations {
        expose(resource, names);
    }
    let internal = internal_annotations(&resource.node);
    let patched = patch.apply(&resource.node, &|value, depth| context.copy(value, depth));
    resource.node = patched.map_err(|error| {
        if error.drafts().is_empty() {
            return error.with_hint(Draft::from("an operation fails on ").and_named(resource, names));
        }
        error.with_hints_by(|draft| draft.of_object(resource, names))
    })?;
    syntax::restyle(&mut resource.node, syntax::printed_style);
    check_tabs_of_json(resource, names)?;
    resource.links.clear();
    annotations::pair_up(&mut resource.node).map_err(|fault| BuildError::new(fault.text))?;
    let lost = lose_annotations(&mut resource.node);
    let forgets = lost.is_some();
    let written = lost.map_or_else(|| write_back(&mut resource.node, internal), Err);
    if sees_annotations {
        take_back(resource, names);
    }
    if forgets {
        resource.forget_history();
    }
    resource.refresh_id(names);
    Ok(written)
}

/// Fails where a text begins with a tab that the reference prints as a block: it reads what it has printed.
fn check_tabs(resource: &Resource, comment_lines: usize, names: &Names) -> Result<()> {
    if !has_tab_block(&resource.node) {
        return Ok(());
    }
    syntax::check_blocks(&with_history(resource, names)).map_err(|error| {
        let says = Draft::default().and_named(resource, names);
        BuildError::new(error.moved(comment_lines).to_string())
            .with_hint(says.and(" has a text that begins with a tab, which no JSON patch takes"))
    })
}

/// The same of an object that was JSON, whose texts of several lines are printed as blocks, whatever they were before.
fn check_tabs_of_json(resource: &Resource, names: &Names) -> Result<()> {
    if !has_tab_text(&resource.node) {
        return Ok(());
    }
    let mut printed = resource.clone();
    let style = |text: &str| if text.contains('\n') { Style::Literal } else { syntax::printed_style(text) };
    syntax::restyle(&mut printed.node, style);
    check_tabs(&printed, 0, names)
}

/// Whether a text of several lines begins with a tab.
fn has_tab_text(node: &Node) -> bool {
    match node {
        Node::Scalar(scalar) => scalar.text().starts_with('\t') && scalar.text().contains('\n'),
        Node::List(items) => items.iter().any(has_tab_text),
        Node::Map(map) => map.iter().any(|(_, value)| has_tab_text(value)),
    }
}

/// Annotations of which one has no name cannot be written: all of them go, and with them what the build remembers.
fn lose_annotations(node: &mut Node) -> Option<Fault> {
    let metadata = node.get_mut("metadata")?.as_map_mut()?;
    metadata.get("annotations").and_then(Node::as_map).filter(|annotations| annotations.contains_key(""))?;
    metadata.remove("annotations");
    Some(wrong_kind("ScalarNode", &Node::map()))
}

/// The reference's own annotations survive a patch wherever the metadata is a map, and are lost in a null.
fn write_back(node: &mut Node, internal: Vec<(Scalar, Node)>) -> std::result::Result<(), Fault> {
    let Some(root) = node.as_map_mut() else { return Ok(()) };
    if !root.contains_key("metadata") {
        root.insert("metadata", Node::map());
    }
    match root.get_mut("metadata") {
        Some(metadata) if metadata.is_null() => return Ok(()),
        Some(Node::Map(metadata)) => {
            if metadata.get("annotations").and_then(Node::as_map).is_none() {
                metadata.insert("annotations", Node::map());
            }
            if let Some(Node::Map(annotations)) = metadata.get_mut("annotations") {
                for (key, value) in internal {
                    annotations.insert(key.text(), value);
                }
            }
        }
        Some(other) => return Err(wrong_kind("MappingNode", other)),
        None => {}
    }
    annotations::rebuild(node, |_| true)
}
