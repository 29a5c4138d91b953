//! Merging tables.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::tables::{self, Conflict, NameReference, Numbers, Row, Tables, merge_rows};

/// Merges tables into shared ones.
///
/// Into none at all they are merged row by row as well, since a row of few kinds keeps one of all kinds out that comes after
/// it. The built-in tables pass that unchanged, and merging them twice changes nothing: a chain of bases shares them.
pub(crate) fn merge_shared(
    tables: &mut Option<Rc<Tables>>,
    added: &Rc<Tables>,
    context: &Context<'_>,
) -> Result<()> {
    let builtin = &context.builtin_tables;
    match tables {
        Some(tables) if Rc::ptr_eq(tables, added) => Ok(()),
        Some(tables) => merge_into(Rc::make_mut(tables), added, context),
        None if Rc::ptr_eq(added, builtin) => {
            *tables = Some(Rc::clone(builtin));
            Ok(())
        }
        None => {
            let mut merged = Tables::default();
            merge_into(&mut merged, added, context)?;
            *tables = Some(Rc::new(merged));
            Ok(())
        }
    }
}

/// Merges tables; rows are kept in the order of their kinds.
pub(super) fn merge_into(tables: &mut Tables, added: &Tables, context: &Context<'_>) -> Result<()> {
    let Tables {
        name_prefix,
        name_suffix,
        namespace,
        common_labels,
        labels,
        template_labels,
        common_annotations,
        images,
        replicas,
        var_reference,
        name_reference,
    } = tables;
    let merge_one = |table: &mut Vec<Row>, added: &[Row], name| {
        context.check()?;
        merge_one(table, added, name)
    };
    merge_one(name_prefix, &added.name_prefix, "NamePrefix")?;
    merge_one(name_suffix, &added.name_suffix, "NameSuffix")?;
    merge_one(namespace, &added.namespace, "NameSpace")?;
    merge_one(common_annotations, &added.common_annotations, "CommonAnnotations")?;
    merge_one(common_labels, &added.common_labels, "CommonLabels")?;
    merge_one(labels, &added.labels, "Labels")?;
    merge_one(template_labels, &added.template_labels, "TemplateLabels")?;
    merge_one(var_reference, &added.var_reference, "VarReference")?;
    merge_references(name_reference, &added.name_reference, context)?;
    merge_one(images, &added.images, "Images")?;
    merge_one(replicas, &added.replicas, "Replicas")
}

fn merge_one(table: &mut Vec<Row>, added: &[Row], name: &str) -> Result<()> {
    // What is sorted stays as it is.
    if added.is_empty() {
        return Ok(());
    }
    merge_rows(table, added).map_err(|conflict| failure(conflict, name))?;
    tables::sort(table, |row| &row.of);
    Ok(())
}

fn merge_references(
    table: &mut Vec<NameReference>,
    added: &[NameReference],
    context: &Context<'_>,
) -> Result<()> {
    if added.is_empty() {
        return Ok(());
    }
    let (mut numbers, mut places) = (Numbers::default(), HashMap::new());
    for (position, existing) in table.iter().enumerate() {
        places.entry(numbers.selector(&existing.referent)).or_insert(position);
    }
    let mut new: Vec<&NameReference> = Vec::new();
    let mut more: Vec<Vec<&Row>> = vec![Vec::new(); table.len()];
    for reference in added {
        match places.entry(numbers.selector(&reference.referent)) {
            Entry::Occupied(place) => more[*place.get()].extend(&reference.referrers),
            Entry::Vacant(place) => {
                place.insert(more.len());
                new.push(reference);
                more.push(Vec::new());
            }
        }
    }
    table.extend(new.into_iter().cloned());
    for (existing, more) in table.iter_mut().zip(more).filter(|(_, more)| !more.is_empty()) {
        context.check()?;
        merge_rows(&mut existing.referrers, more).map_err(|conflict| failure(conflict, "NameReference"))?;
    }
    tables::sort(table, |reference| &reference.referent);
    Ok(())
}

fn failure(Conflict: Conflict, name: &str) -> BuildError {
    BuildError::new(format!("failed to merge {name} fieldSpec: conflicting fieldspecs"))
}
