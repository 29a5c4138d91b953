//! Merging tables.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use crate::error::{BuildError, Result};
use crate::go_sort;
use crate::order;
use crate::tables::{Conflict, NameReference, Row, Tables, merge_rows};

/// Merges tables into shared ones.
///
/// Into none at all they are merged row by row as well, since a row of few kinds keeps one of all kinds out that comes after
/// it. The built-in tables pass that unchanged, and merging them twice changes nothing: a chain of bases shares them.
pub(crate) fn merge_shared(
    tables: &mut Option<Rc<Tables>>,
    added: &Rc<Tables>,
    builtin: &Rc<Tables>,
) -> Result<()> {
    match tables {
        Some(tables) if Rc::ptr_eq(tables, added) => Ok(()),
        Some(tables) => merge_into(Rc::make_mut(tables), added),
        None if Rc::ptr_eq(added, builtin) => {
            *tables = Some(Rc::clone(builtin));
            Ok(())
        }
        None => {
            let mut merged = Tables::default();
            merge_into(&mut merged, added)?;
            *tables = Some(Rc::new(merged));
            Ok(())
        }
    }
}

/// Merges tables; rows are kept in the order of their kinds.
pub(super) fn merge_into(tables: &mut Tables, added: &Tables) -> Result<()> {
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
    merge_one(name_prefix, &added.name_prefix, "NamePrefix")?;
    merge_one(name_suffix, &added.name_suffix, "NameSuffix")?;
    merge_one(namespace, &added.namespace, "NameSpace")?;
    merge_one(common_annotations, &added.common_annotations, "CommonAnnotations")?;
    merge_one(common_labels, &added.common_labels, "CommonLabels")?;
    merge_one(labels, &added.labels, "Labels")?;
    merge_one(template_labels, &added.template_labels, "TemplateLabels")?;
    merge_one(var_reference, &added.var_reference, "VarReference")?;
    merge_references(name_reference, &added.name_reference)?;
    merge_one(images, &added.images, "Images")?;
    merge_one(replicas, &added.replicas, "Replicas")
}

fn merge_one(table: &mut Vec<Row>, added: &[Row], name: &str) -> Result<()> {
    merge_rows(table, added).map_err(|conflict| failure(conflict, name))?;
    go_sort::sort_by_key(table, |row| order::selector_key(&row.of));
    Ok(())
}

fn merge_references(table: &mut Vec<NameReference>, added: &[NameReference]) -> Result<()> {
    let mut places = HashMap::new();
    for (position, existing) in table.iter().enumerate() {
        places.entry(existing.referent.clone()).or_insert(position);
    }
    let mut more: Vec<Vec<&Row>> = vec![Vec::new(); table.len()];
    for reference in added {
        match places.entry(reference.referent.clone()) {
            Entry::Occupied(place) => more[*place.get()].extend(&reference.referrers),
            Entry::Vacant(place) => {
                place.insert(table.len());
                table.push(reference.clone());
                more.push(Vec::new());
            }
        }
    }
    for (existing, more) in table.iter_mut().zip(more).filter(|(_, more)| !more.is_empty()) {
        merge_rows(&mut existing.referrers, more).map_err(|conflict| failure(conflict, "NameReference"))?;
    }
    go_sort::sort_by_key(table, |reference| order::selector_key(&reference.referent));
    Ok(())
}

fn failure(Conflict: Conflict, name: &str) -> BuildError {
    BuildError::new(format!("failed to merge {name} fieldSpec: conflicting fieldspecs"))
}
