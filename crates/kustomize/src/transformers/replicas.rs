//! `replicas`.
//!
//! Contract: kustomize-build §3.16.

use millrace_yaml::{Node, Scalar, ScalarKind, Style};

use super::{Steps, Transform};
use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::fields::{CompiledRow, Create, wrong_kind};
use crate::go;
use crate::kustomization::Replica;
use crate::resource::{Collection, Gvk, Place};
use crate::tables::{Row, Tables};
use crate::target::Target;

struct SetReplicas {
    replica: Replica,
    rows: Vec<CompiledRow>,
}

#[expect(clippy::unnecessary_wraps, reason = "all kinds of steps are configured alike")]
pub(super) fn configure(target: &Target<'_, '_>, tables: &Tables) -> Result<Steps> {
    let replicas = target.kustomization().replicas.as_deref().unwrap_or_default();
    let step = |replica: &Replica| {
        Box::new(SetReplicas::new(replica.clone(), &tables.replicas)) as Box<dyn Transform>
    };
    Ok(replicas.iter().map(step).collect())
}

/// A step that sets replica counts.
pub(crate) fn set_replicas(replica: Replica, rows: &[Row]) -> Box<dyn Transform> {
    Box::new(SetReplicas::new(replica, rows))
}

impl SetReplicas {
    fn new(replica: Replica, rows: &[Row]) -> Self {
        Self { replica, rows: rows.iter().map(CompiledRow::new).collect() }
    }
}

impl Transform for SetReplicas {
    fn run(&self, collection: &mut Collection, context: &Context<'_>) -> Result<()> {
        let names = &context.names;
        let mut found = false;
        let count = self.replica.count.to_string();
        let mut write = |node: &mut Node, _: &Place| {
            // A quoted count stays quoted, and so a string.
            let style = node.as_scalar().map(Scalar::style).ok_or_else(|| wrong_kind("ScalarNode", node))?;
            let kind = if style == Style::Plain { ScalarKind::Int } else { ScalarKind::Str };
            *node = Node::Scalar(Scalar::new(count.as_str(), kind, style));
            Ok(())
        };
        for row in &self.rows {
            for resource in collection.iter_mut_keeping_ids() {
                let is_meant = |id: crate::resource::Id| {
                    names.is(id.name, &self.replica.name) && row.of.selects(id.gvk, names)
                };
                if !resource.any_ids().any(is_meant) {
                    continue;
                }
                found = true;
                if !row.of.selects(resource.id().gvk, names) {
                    continue;
                }
                row.visit(&mut resource.node, Some(Create::Scalar), &mut write).map_err(|text| {
                    let id = resource.id().text(names);
                    BuildError::new(format!("considering field '{}' of object {id}: {text}", row.path))
                })?;
            }
        }
        if found {
            return Ok(());
        }
        let kinds: Vec<String> = self
            .rows
            .iter()
            .map(|row| {
                let gvk = Gvk {
                    group: names.intern(&row.of.group),
                    version: names.intern(&row.of.version),
                    kind: names.intern(&row.of.kind),
                };
                gvk.text(names)
            })
            .collect();
        Err(BuildError::new(format!(
            "resource with name {} does not match a config with the following GVK {}",
            self.replica.name,
            go::list(&kinds)
        )))
    }
}
