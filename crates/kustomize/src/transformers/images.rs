//! `images`.
//!
//! Contract: kustomize-build §3.8.

use std::cell::Cell;

use millrace_yaml::{Map, Node};

use super::image_name::ImageName;
use super::{Steps, Transform};
use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::fields::{CompiledRows, Fault, expect_map, write_text, wrong_kind};
use crate::hints::{self, Draft, Key};
use crate::kustomization::Image;
use crate::resource::{Collection, Place, Resource};
use crate::tables::{Row, Tables};
use crate::target::Target;

/// So many patterns stay compiled from the time they are checked until they are used.
const KEPT_PATTERNS: usize = 32;

/// Keys below which containers are looked for anywhere in an object.
pub(crate) const CONTAINER_LISTS: [&str; 2] = ["containers", "initContainers"];

struct SetImage {
    image: Image,
    /// The compiled name, unless there are many: a short one may take megabytes.
    matches: Option<ImageName>,
    rows: CompiledRows,
}

pub(super) fn configure(target: &Target<'_, '_>, tables: &Tables) -> Result<Steps> {
    let images = target.kustomization().images.as_deref().unwrap_or_default();
    let step = |image: &Image, index: usize| -> Result<Box<dyn Transform>> {
        let mut step = SetImage::new(image.clone(), &tables.images).map_err(|error| {
            let way = vec![Key::name("images"), Key::Item(index), Key::name("name")];
            let place = Draft::field(&target.file(), way, Some(&image.name));
            error.with_hint(place.and(format!(": images[{index}].name is no regular expression")))
        })?;
        step.matches = step.matches.filter(|_| index < KEPT_PATTERNS);
        Ok(Box::new(step))
    };
    let mut steps = Steps::new();
    for (index, image) in images.iter().enumerate() {
        target.context.check()?;
        steps.push(step(image, index)?);
    }
    Ok(steps)
}

/// A step that sets images.
pub(crate) fn set_image(image: Image, rows: &[Row]) -> Result<Box<dyn Transform>> {
    Ok(Box::new(SetImage::new(image, rows)?))
}

impl SetImage {
    fn new(image: Image, rows: &[Row]) -> Result<Self> {
        let matches = ImageName::compile(&image.name).map_err(|error| {
            BuildError::new(format!("image name '{}' is not a regular expression: {error}", image.name))
        })?;
        Ok(Self { image, matches: Some(matches), rows: CompiledRows::new(rows) })
    }

    fn update_all(&self, collection: &mut Collection, update: &Update<'_>) -> Result<()> {
        let names = &update.context.names;
        let skipped = |name| names.is(name, "CustomResourceDefinition");
        collection.change_all(|resource| {
            if skipped(resource.id().gvk.kind) {
                return Ok(());
            }
            update
                .scan(&mut resource.node)
                .map_err(|fault| hints::of_image(BuildError::new(fault.text), resource, names))?;
            update.settle(resource)
        })?;
        collection.change_all(|resource| {
            if skipped(resource.id().gvk.kind) {
                return Ok(());
            }
            let mut act = |node: &mut Node, _: &Place| update.update(node);
            self.rows.try_each(resource, names, |row, resource| {
                row.visit(resource, None, names, &mut act)?;
                update.settle(resource)
            })
        })
    }
}

/// One run of a step.
struct Update<'u> {
    image: &'u Image,
    matches: &'u ImageName,
    context: &'u Context<'u>,
    /// Whether something was written since shared values were carried on. Most images stand in few objects.
    wrote: Cell<bool>,
}

impl Update<'_> {
    /// Carries what was written to a shared value to all of its places.
    fn settle(&self, resource: &mut Resource) -> Result<()> {
        if !self.wrote.take() {
            return Ok(());
        }
        resource.settle(&self.context.names, |bytes| self.context.make(bytes))
    }

    /// Updates what stands at a place that holds an image.
    fn update(&self, node: &mut Node) -> std::result::Result<(), Fault> {
        let old = node.as_scalar().ok_or_else(|| wrong_kind("ScalarNode", node))?.text();
        if self.matches.is_match(old) {
            let new = rewrite(old, self.image);
            self.context.make(new.len())?;
            write_text(node, &new)?;
            self.wrote.set(true);
        }
        Ok(())
    }

    /// Updates the images of all containers, wherever their lists stand.
    fn scan(&self, node: &mut Node) -> std::result::Result<(), Fault> {
        match node {
            Node::Map(map) => self.scan_map(map),
            Node::List(items) => items.iter_mut().try_for_each(|item| self.scan(item)),
            Node::Scalar(_) => Ok(()),
        }
    }

    fn scan_map(&self, map: &mut Map) -> std::result::Result<(), Fault> {
        for (key, value) in map.iter_mut() {
            self.scan(value)?;
            let Node::List(items) = value else { continue };
            if !CONTAINER_LISTS.contains(&key) {
                continue;
            }
            for container in items.iter_mut().filter(|container| !container.is_null()) {
                if let Some(image) = expect_map(container)?.get_mut("image") {
                    self.update(image)?;
                }
            }
        }
        Ok(())
    }
}

impl Transform for SetImage {
    fn run(&self, collection: &mut Collection, context: &Context<'_>) -> Result<()> {
        let compiled;
        let matches = if let Some(matches) = &self.matches {
            matches
        } else {
            compiled = ImageName::compile(&self.image.name).map_err(BuildError::new)?;
            &compiled
        };
        self.update_all(collection, &Update { image: &self.image, matches, context, wrote: Cell::new(false) })
    }
}

/// The image that stands for `old`.
fn rewrite(old: &str, image: &Image) -> String {
    let (name, mut tag, mut digest) = split(old);
    let name = if image.new_name.is_empty() { name } else { &image.new_name };
    let suffixed;
    match (image.new_tag.is_empty(), image.digest.is_empty(), image.tag_suffix.is_empty()) {
        (false, _, _) => (tag, digest) = (&image.new_tag, &image.digest),
        (true, false, _) => (tag, digest) = ("", &image.digest),
        (true, true, false) => {
            suffixed = format!("{tag}{}", image.tag_suffix);
            (tag, digest) = (&suffixed, "");
        }
        (true, true, true) => {}
    }
    let mut new = name.to_owned();
    for (mark, part) in [(':', tag), ('@', digest)] {
        if !part.is_empty() {
            new.push(mark);
            new.push_str(part);
        }
    }
    new
}

/// Name, tag and digest; what stands before the first slash may hold a port.
fn split(image: &str) -> (&str, &str, &str) {
    let start = image.find('/').unwrap_or(0);
    let find = |mark| image[start..].find(mark).map(|at: usize| at + start);
    match (find(':'), find('@')) {
        (None, None) => (image, "", ""),
        (Some(colon), None) => (&image[..colon], &image[colon + 1..], ""),
        (Some(colon), Some(at)) if colon < at => (&image[..colon], &image[colon + 1..at], &image[at + 1..]),
        (_, Some(at)) => (&image[..at], "", &image[at + 1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_of_registries_are_no_tags() {
        for (image, parts) in [
            ("nginx", ("nginx", "", "")),
            ("nginx:1", ("nginx", "1", "")),
            ("host:5000/a/b", ("host:5000/a/b", "", "")),
            ("host:5000/a/b:1@sha256:0", ("host:5000/a/b", "1", "sha256:0")),
            ("a@sha256:0", ("a", "", "sha256:0")),
        ] {
            assert_eq!(split(image), parts, "{image}");
        }
    }
}
