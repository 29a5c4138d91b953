//! JSON patches of objects, and `patchesJson6902`.

use millrace_yaml::Node;

use super::{Target, config};
use crate::annotations;
use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::fields::wrong_kind;
use crate::kustomization::Patch;
use crate::patch::JsonPatch;
use crate::resource::{Collection, Resource};
use crate::syntax;
use crate::tables::Tables;
use crate::target;
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
        let decoded = JsonPatch::decode(&text)
            .map_err(|problem| BuildError::new(format!("decoding {text}: {problem}")))?;
        if decoded.is_empty() {
            let shown = if text.starts_with('[') { text.into_owned() } else { as_json(&text) };
            return Err(BuildError::new(format!(
                "patch appears to be empty; file={}, JsonOp={shown}",
                patch.path
            )));
        }
        Ok(Self { patch: decoded, target: Target::new(selector, &target.context.names) })
    }
}

fn as_json(text: &str) -> String {
    syntax::read_config(text).map(|node| syntax::print_json(&node)).unwrap_or_default()
}

impl Transform for ApplyJsonPatch {
    fn run(&self, collection: &mut Collection, context: &Context<'_>) -> Result<()> {
        for index in self.target.select(collection, &context.names)? {
            // A new name is not remembered here: references keep the old one.
            let resource = collection.get_mut(index);
            apply(resource, &self.patch, context)?;
            // The reference writes the annotations back, into metadata that may be no map any longer.
            let metadata = resource.node.get("metadata");
            if let Some(metadata) = metadata.filter(|found| !found.is_null() && found.as_map().is_none()) {
                return Err(BuildError::new(wrong_kind("MappingNode", metadata).text));
            }
        }
        Ok(())
    }
}

/// Applies a patch to one object.
pub(super) fn apply(resource: &mut Resource, patch: &JsonPatch, context: &Context<'_>) -> Result<()> {
    let names = &context.names;
    if resource.has_history() {
        // The reference keeps what it remembers of an object in annotations, so a patch always finds that map.
        resource.node.map_at_mut(&["metadata", "annotations"]);
    }
    let patched = patch.apply(&resource.node, &|value, depth| context.copy(value, depth));
    resource.node =
        patched.map_err(|error| error.with_hint(format!("the object is {}", resource.id().text(names))))?;
    syntax::restyle(&mut resource.node, syntax::printed_style);
    resource.links.clear();
    if let Some(metadata) = resource.node.get_mut("metadata").filter(|metadata| metadata.is_null()) {
        // The reference writes the annotations back into a map that replaces the null without them.
        *metadata = Node::map();
        resource.forget_history();
    }
    annotations::rebuild(&mut resource.node, |_| true);
    resource.refresh_id(names);
    Ok(())
}
