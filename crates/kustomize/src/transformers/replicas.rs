//! `replicas`.
//!
//! Contract: kustomize-build §3.16.

use millrace_yaml::{Node, Scalar, ScalarKind};

use super::{Steps, Transform};
use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::fields::{CompiledRow, Create, wrong_kind};
use crate::go;
use crate::hints;
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
            *node = Node::Scalar(Scalar::new(count.as_str(), ScalarKind::Int, style));
            Ok(())
        };
        for row in &self.rows {
            collection.change_all(|resource| {
                let is_meant = |id: crate::resource::Id| {
                    names.is(id.name, &self.replica.name) && row.of.selects(id.gvk, names)
                };
                if !resource.any_ids().any(is_meant) {
                    return Ok(());
                }
                found = true;
                if !row.of.selects(resource.id().gvk, names) {
                    return Ok(());
                }
                row.visit(resource, Some(Create::Scalar), names, &mut write)?;
                resource.settle(names, |bytes| context.make(bytes))
            })?;
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
        let failed = BuildError::new(format!(
            "resource with name {} does not match a config with the following GVK {}",
            self.replica.name,
            go::list(&kinds)
        ));
        let scaled: Vec<_> = collection
            .iter()
            .filter(|resource| self.rows.iter().any(|row| row.of.selects(resource.id().gvk, names)))
            .map(|resource| names.text(resource.id().name))
            .collect();
        let scaled = || scaled.iter().map(|name| &**name);
        Err(match hints::nearest(&self.replica.name, scaled()) {
            Some(near) => {
                let name = hints::quoted(&self.replica.name);
                failed.with_hint(format!(
                    "no object of these kinds is called {name}: did you mean {}?",
                    hints::quoted(near)
                ))
            }
            None if scaled().next().is_none() => failed.with_hint("no object of these kinds is there"),
            None => failed.with_hint(format!("the objects of these kinds are {}", hints::listed(scaled()))),
        })
    }
}
