//! `namePrefix` and `nameSuffix`.
//!
//! Contract: kustomize-build §3.4.

use millrace_yaml::{Node, Scalar};

use super::{Steps, Transform};
use crate::build::Context;
use crate::error::Result;
use crate::fields::{CompiledRow, Create, write_text, wrong_kind};
use crate::resource::{Collection, Id, Names, Place, Resource};
use crate::tables::{Row, Tables};
use crate::target::Target;

enum Affix {
    Prefix(String),
    Suffix(String),
}

struct Rename {
    affix: Affix,
    rows: Vec<CompiledRow>,
}

#[expect(clippy::unnecessary_wraps, reason = "all kinds of steps are configured alike")]
pub(super) fn configure_prefix(target: &Target<'_, '_>, tables: &Tables) -> Result<Steps> {
    let prefix = target.kustomization().name_prefix.clone();
    Ok(if prefix.is_empty() {
        Vec::new()
    } else {
        vec![Rename::step(Affix::Prefix(prefix), &tables.name_prefix)]
    })
}

#[expect(clippy::unnecessary_wraps, reason = "all kinds of steps are configured alike")]
pub(super) fn configure_suffix(target: &Target<'_, '_>, tables: &Tables) -> Result<Steps> {
    let suffix = target.kustomization().name_suffix.clone();
    Ok(if suffix.is_empty() {
        Vec::new()
    } else {
        vec![Rename::step(Affix::Suffix(suffix), &tables.name_suffix)]
    })
}

/// A step that puts a prefix before names.
pub(crate) fn add_prefix(prefix: String, rows: &[Row]) -> Box<dyn Transform> {
    Rename::step(Affix::Prefix(prefix), rows)
}

/// A step that puts a suffix behind names.
pub(crate) fn add_suffix(suffix: String, rows: &[Row]) -> Box<dyn Transform> {
    Rename::step(Affix::Suffix(suffix), rows)
}

impl Rename {
    fn step(affix: Affix, rows: &[Row]) -> Box<dyn Transform> {
        Box::new(Self { affix, rows: rows.iter().map(CompiledRow::new).collect() })
    }

    fn apply(&self, resource: &mut Resource, context: &Context<'_>) -> Result<()> {
        let names = &context.names;
        let original = resource.original_id();
        for row in self.rows.iter().filter(|row| row.of.selects(original.gvk, names)) {
            if &*row.path == "metadata/name" {
                match &self.affix {
                    Affix::Prefix(text) | Affix::Suffix(text) if text.is_empty() => {}
                    Affix::Prefix(prefix) => resource.record_prefix(names.intern(prefix)),
                    Affix::Suffix(suffix) => resource.record_suffix(names.intern(suffix)),
                }
            }
            if !row.of.selects(resource.id().gvk, names) {
                continue;
            }
            let mut write = |node: &mut Node, _: &Place| {
                let old = node.as_scalar().map(Scalar::text).ok_or_else(|| wrong_kind("ScalarNode", node))?;
                let new = match &self.affix {
                    Affix::Prefix(prefix) => format!("{prefix}{old}"),
                    Affix::Suffix(suffix) => format!("{old}{suffix}"),
                };
                context.make(new.len())?;
                write_text(node, &new)
            };
            row.visit(resource, Some(Create::Scalar), names, &mut write)?;
            resource.settle(names, |bytes| context.make(bytes))?;
        }
        Ok(())
    }
}

impl Transform for Rename {
    fn run(&self, collection: &mut Collection, context: &Context<'_>) -> Result<()> {
        let names = &context.names;
        collection
            .iter_mut()
            .filter(|resource| !keeps_its_name(resource.original_id(), names))
            .try_for_each(|resource| self.apply(resource, context))
    }
}

/// Whether objects are named by something that the build doesn't see, so that they keep their names.
fn keeps_its_name(id: Id, names: &Names) -> bool {
    match &*names.text(id.gvk.kind) {
        "CustomResourceDefinition" | "Namespace" => true,
        "APIService" => names.is(id.gvk.group, "apiregistration.k8s.io"),
        _ => false,
    }
}
