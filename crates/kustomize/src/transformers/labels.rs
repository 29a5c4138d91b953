//! `labels` and `commonLabels`.
//!
//! Contract: kustomize-build §3.6.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::{Steps, Transform};
use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::fields::{CompiledRows, Create, expect_map, set_entry};
use crate::kustomization::Label;
use crate::resource::{Collection, Place, Resource, Step, links};
use crate::syntax;
use crate::tables::{Conflict, Row, Tables, merge_rows};
use crate::target::Target;
use millrace_yaml::{Node, Scalar, ScalarKind};

/// Sets entries of maps, such as labels and annotations.
pub(super) struct SetEntries {
    entries: BTreeMap<String, String>,
    rows: Rc<CompiledRows>,
}

pub(super) fn configure(target: &Target<'_, '_>, tables: &Tables) -> Result<Steps> {
    let file = target.kustomization();
    let labels = file.labels.as_deref().unwrap_or_default();
    let common = file.common_labels.clone().unwrap_or_default();
    if labels.is_empty() && common.is_empty() {
        return Ok(Vec::new());
    }
    let mut steps: Steps = Vec::new();
    // Entries without fields of their own have rows in common: a table may be long, and the entries many.
    let mut common_rows: HashMap<(bool, bool), Rc<CompiledRows>> = HashMap::new();
    for label in labels {
        target.context.check()?;
        let has_own = label.fields.as_ref().is_some_and(|fields| !fields.is_empty());
        let rows = match common_rows.entry((label.include_selectors, label.include_templates)) {
            Entry::Occupied(rows) if !has_own => Rc::clone(rows.get()),
            Entry::Vacant(place) if !has_own => {
                Rc::clone(place.insert(Rc::new(CompiledRows::new(&rows_of(label, tables)?))))
            }
            Entry::Occupied(_) | Entry::Vacant(_) => {
                let rows = rows_of(label, tables)?;
                target.context.make(size_of_val(&*rows)).map_err(BuildError::limit)?;
                Rc::new(CompiledRows::new(&rows))
            }
        };
        let entries = label.pairs.clone().unwrap_or_default();
        steps.push(Box::new(SetEntries { entries, rows }));
    }
    // This step is configured, and recorded, even where it has nothing to do.
    steps.push(Box::new(SetEntries::new(common, &tables.common_labels)));
    Ok(steps)
}

fn rows_of(label: &Label, tables: &Tables) -> Result<Vec<Row>> {
    let mut rows: Vec<Row> = label.fields.iter().flatten().map(Row::from).collect();
    let mut merge = |more: &[Row], what: &str| {
        merge_rows(&mut rows, more)
            .map_err(|Conflict| BuildError::new(format!("failed to merge {what}: conflicting fieldspecs")))
    };
    merge(&tables.labels, "labels")?;
    if label.include_selectors {
        merge(&tables.common_labels, "labels")?;
    } else {
        if label.include_templates {
            merge(&tables.template_labels, "template fieldSpec")?;
        }
        merge(&[Row::everywhere("metadata/labels")], "labels")?;
    }
    Ok(rows)
}

/// A step that sets entries of maps.
pub(crate) fn set_entries(entries: BTreeMap<String, String>, rows: &[Row]) -> Box<dyn Transform> {
    Box::new(SetEntries::new(entries, rows))
}

impl SetEntries {
    pub(super) fn new(entries: BTreeMap<String, String>, rows: &[Row]) -> Self {
        Self { entries, rows: Rc::new(CompiledRows::new(rows)) }
    }

    fn apply(&self, resource: &mut Resource, context: &Context<'_>) -> Result<()> {
        for (index, (key, value)) in self.entries.iter().enumerate() {
            context.check()?;
            let mut added: Vec<Place> = Vec::new();
            let mut shared = syntax::string(value);
            let mut set = |node: &mut Node, place: &Place| {
                // Where a step may make fields, nulls have become maps by now; what the reference adds to others is never
                // printed.
                if node.is_null() {
                    return Ok(());
                }
                context.make(key.len() + value.len())?;
                match set_entry(expect_map(node)?, key, value) {
                    None => {
                        added.push(place.iter().cloned().chain([Step::Key(key.as_str().into())]).collect());
                    }
                    // What is added is one value, also with those that it takes the quotes of.
                    Some(style) => shared = Scalar::new(value.as_str(), ScalarKind::Str, style),
                }
                Ok(())
            };
            self.rows.visit(resource, Some(Create::Map), &context.names, &mut set)?;
            // What steps before this one have written is carried on once; an entry touches those of its key alone.
            let only = (index > 0).then_some(key.as_str());
            let make = |bytes| context.make(bytes);
            resource.links.settle_counted(&mut resource.node, only, make).map_err(BuildError::limit)?;
            if shared.style() != syntax::string(value).style() {
                links::write(&shared, &added, &mut resource.node);
            }
            resource.links.join(shared, added);
        }
        Ok(())
    }
}

impl Transform for SetEntries {
    fn run(&self, collection: &mut Collection, context: &Context<'_>) -> Result<()> {
        if self.entries.is_empty() {
            return Ok(());
        }
        collection.iter_mut().try_for_each(|resource| {
            self.apply(resource, context)?;
            resource.refresh_id(&context.names);
            Ok(())
        })
    }
}
