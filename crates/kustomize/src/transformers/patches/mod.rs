//! `patches`, `patchesStrategicMerge` and `patchesJson6902`.
//!
//! Contract: kustomize-build §3.10–§3.12.

mod config;
mod json6902;
mod strategic;

use super::{Steps, Transform};
use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::go;
use crate::hints;
use crate::kustomization::{Patch, PatchOptions, Selector};
use crate::patch::{JsonPatch, ObjectSelector};
use crate::resource::{Collection, Gvk, Id, Name, Names, Resource, parse_resources};
use crate::tables::Tables;
use crate::target;

pub(crate) use json6902::apply_json_patch;
pub(super) use json6902::configure as configure_json6902;
pub(crate) use strategic::apply_strategic_patches;
pub(super) use strategic::configure as configure_strategic;

/// An entry of `patches`.
struct ApplyPatch {
    patch: Kind,
    target: Option<Target>,
    options: PatchOptions,
    /// How messages name the entry.
    source: String,
}

enum Kind {
    Strategic(Vec<Resource>),
    Json(JsonPatch),
}

pub(super) fn configure(target: &target::Target<'_, '_>, _: &Tables) -> Result<Steps> {
    let patches = target.kustomization().patches.as_deref().unwrap_or_default();
    let step = |patch: &Patch| {
        let trouble = |error| config::trouble(error, "PatchTransformer", &config::entry(patch));
        apply_patch(patch, target, &|| config::yaml(&config::entry(patch))).map_err(trouble)
    };
    patches.iter().map(step).collect()
}

/// A step that applies a patch; `entry` is how messages show what states it.
pub(crate) fn apply_patch(
    patch: &Patch,
    target: &target::Target<'_, '_>,
    entry: &dyn Fn() -> String,
) -> Result<Box<dyn Transform>> {
    Ok(Box::new(ApplyPatch::new(patch, target, entry)?))
}

impl ApplyPatch {
    fn new(patch: &Patch, target: &target::Target<'_, '_>, entry: &dyn Fn() -> String) -> Result<Self> {
        let inline = patch.patch.trim();
        let (text, source) = match (inline.is_empty(), patch.path.is_empty()) {
            (true, true) => {
                let failed = BuildError::new(format!("must specify one of patch and path in\n{}", entry()));
                return Err(
                    failed.with_hint("the entry has no patch: state one, or the path of a file with one")
                );
            }
            (false, false) => {
                let failed =
                    BuildError::new(format!("patch and path can't be set at the same time\n{}", entry()));
                return Err(failed.with_hint("the entry has patch as well as path: leave one of them out"));
            }
            (false, true) => (inline.into(), format!("[patch: {}]", go::quote(inline))),
            (true, false) => {
                let file = &patch.path;
                let reading = |error: BuildError| {
                    error.wrap(format_args!("failed to get the patch file from path({file})"))
                };
                (target.loader.load(file).map_err(reading)?, format!("[path: {}]", go::quote(file)))
            }
        };
        let names = &target.context.names;
        let file = if patch.path.is_empty() {
            Name::EMPTY
        } else {
            names.intern(&target.loader.display(&patch.path))
        };
        let kind = match (parse_resources(&text, file, names), JsonPatch::decode(&text)) {
            (Ok(objects), Ok(operations)) if !objects.is_empty() && !operations.is_empty() => {
                return Err(BuildError::new(format!(
                    "illegally qualifies as both an SM and JSON patch: {source}"
                )));
            }
            (Ok(objects), _) => Kind::Strategic(objects),
            (Err(_), Ok(operations)) => Kind::Json(operations),
            (Err(as_objects), Err(_)) => {
                let error = BuildError::new(format!("unable to parse SM or JSON patch from {source}"));
                let file = (!patch.path.is_empty()).then(|| target.loader.display(&patch.path));
                let place = (file.as_deref(), patch.target.is_some());
                return Err(error.with_hint(hints::not_a_patch(&as_objects, place, &text)));
            }
        };
        Ok(Self {
            patch: kind,
            target: patch.target.as_ref().map(|selector| Target::new(selector, names)),
            options: patch.options.clone().unwrap_or_default(),
            source,
        })
    }

    fn run_strategic(
        &self,
        patches: &[Resource],
        collection: &mut Collection,
        context: &Context<'_>,
    ) -> Result<()> {
        let names = &context.names;
        let Some(target) = &self.target else {
            return patches.iter().try_for_each(|patch| {
                context.check()?;
                let id = patch.id();
                let index = strategic::only_match(collection, id, names).map_err(|error| {
                    let id = go::quote(&id.text(names));
                    error.wrap(format_args!("no resource matches strategic merge patch {id}"))
                })?;
                let node = strategic::as_allowed(patch.node.clone(), &self.options);
                collection.change(index, |resource| {
                    strategic::note_repeated(resource, patch);
                    strategic::apply(resource, node, &self.options, names)
                        .map_err(|error| strategic::with_misfit(error, &patch.node, resource, names))
                })
            });
        };
        let [patch] = patches else {
            if patches.is_empty() {
                return Ok(());
            }
            let source = &self.source;
            let failed = BuildError::new(format!(
                "Multiple Strategic-Merge Patches in one `patches` entry is not allowed to set `patches.target` field: {source}"
            ));
            let says =
                "the patch holds several objects: give each an entry of its own, or leave out the target";
            return Err(failed.with_hint(says));
        };
        let selected = target.select(collection, names).map_err(|error| {
            let text = go::quote(&target.text);
            error.wrap(format_args!("unable to find patch target {text} in `resources`"))
        })?;
        strategic::apply_to_all(collection, &selected, patch, &self.options, context)
    }

    fn run_json(&self, patch: &JsonPatch, collection: &mut Collection, context: &Context<'_>) -> Result<()> {
        let names = &context.names;
        let Some(target) = &self.target else {
            let failed = BuildError::new(format!("must specify a target for JSON patch {}", self.source));
            return Err(failed.with_hint(if patch.is_of_objects() {
                "this is a list of objects: leave out the '- ' before each, and put '---' between them"
            } else {
                "a JSON patch needs a target with the kind and name of its objects"
            }));
        };
        context.check()?;
        for index in target.select(collection, names)? {
            context.check()?;
            let resource = collection.get_mut(index);
            resource.record_id();
            // That what is remembered of the object is lost with its metadata is no error here.
            _ = json6902::apply(resource, patch, context)?;
        }
        Ok(())
    }
}

impl Transform for ApplyPatch {
    fn run(&self, collection: &mut Collection, context: &Context<'_>) -> Result<()> {
        match &self.patch {
            Kind::Strategic(patches) => self.run_strategic(patches, collection, context),
            Kind::Json(patch) if patch.is_empty() => Ok(()),
            Kind::Json(patch) => self.run_json(patch, collection, context),
        }
    }

    fn misses(&self, collection: &mut Collection, context: &Context<'_>) -> Vec<BuildError> {
        match (&self.patch, &self.target) {
            (Kind::Strategic(patches), None) => strategic::missed(patches, collection, &context.names),
            (Kind::Strategic(_) | Kind::Json(_), _) => Vec::new(),
        }
    }
}

/// Which objects an entry is for; a selector that does not read is an error once it is used. It is compiled no earlier, since
/// a short one may take megabytes.
struct Target {
    selector: Selector,
    /// How messages show it.
    text: String,
}

impl Target {
    fn new(selector: &Selector, names: &Names) -> Self {
        let gvk = Gvk {
            group: names.intern(&selector.group),
            version: names.intern(&selector.version),
            kind: names.intern(&selector.kind),
        };
        let (name, namespace) = (names.intern(&selector.name), names.intern(&selector.namespace));
        let id = Id { gvk, name, namespace, cluster: false }.text(names);
        let Selector { annotation_selector, label_selector, .. } = selector;
        let text = format!("{id}:a={annotation_selector}:l={label_selector}");
        Self { selector: selector.clone(), text }
    }

    fn select(&self, collection: &Collection, names: &Names) -> Result<Vec<usize>> {
        let selector = ObjectSelector::new(&self.selector)?;
        let mut selected = Vec::new();
        for (index, resource) in collection.iter().enumerate() {
            if selector.selects(resource, names)? {
                selected.push(index);
            }
        }
        Ok(selected)
    }
}
