//! Rows, prepared for many objects.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::walk::{Create, Visit, visit};
use crate::error::{BuildError, Result};
use crate::hints;
use crate::resource::{Gvk, Names, Place, Resource, as_remembered};
use crate::tables::{Row, Selector};
use millrace_yaml::Node;

const ANNOTATIONS: &str = "metadata/annotations";

/// A row with its path taken apart.
#[derive(Debug)]
pub(crate) struct CompiledRow {
    pub(crate) of: Selector,
    pub(crate) path: Box<str>,
    pub(crate) segments: Vec<Box<str>>,
    pub(crate) create: bool,
}

/// Rows, with those of each kind found once.
#[derive(Debug)]
pub(crate) struct CompiledRows {
    rows: Vec<CompiledRow>,
    by_kind: RefCell<HashMap<Gvk, Rc<[usize]>>>,
}

impl CompiledRows {
    pub(crate) fn new(rows: &[Row]) -> Self {
        Self { rows: rows.iter().map(CompiledRow::new).collect(), by_kind: RefCell::default() }
    }

    /// The rows for objects of a kind, in order.
    pub(crate) fn of_kind(&self, gvk: Gvk, names: &Names) -> impl Iterator<Item = &CompiledRow> {
        let indexes = self.indexes(gvk, names);
        (0..indexes.len()).map(move |position| &self.rows[indexes[position]])
    }

    /// Visits every place of an object that a row leads to.
    pub(crate) fn visit(
        &self,
        resource: &mut Resource,
        create: Option<Create>,
        names: &Names,
        act: Visit<'_>,
    ) -> Result<()> {
        let id = resource.id();
        let has_annotations = resource.has_history();
        self.of_kind(id.gvk, names).try_for_each(|row| {
            // The reference keeps what it remembers of an object there, so the map is never missing.
            let is_there = has_annotations && &*row.path == ANNOTATIONS;
            let create = create.filter(|_| row.create || is_there);
            row.walk(resource, create, names, &mut *act).map_err(|text| {
                let error = BuildError::new(format!(
                    "considering field '{}' of object {}: {text}",
                    row.path,
                    id.text(names)
                ));
                hints::with_shape(error, resource, &row.path, names)
            })
        })
    }

    /// Whether there is a row for the annotations of an object of this kind.
    pub(crate) fn lead_to_annotations(&self, resource: &Resource, names: &Names) -> bool {
        self.of_kind(resource.id().gvk, names).any(|row| &*row.path == ANNOTATIONS)
    }

    fn indexes(&self, gvk: Gvk, names: &Names) -> Rc<[usize]> {
        if let Some(indexes) = self.by_kind.borrow().get(&gvk) {
            return Rc::clone(indexes);
        }
        let indexes: Rc<[usize]> = self
            .rows
            .iter()
            .enumerate()
            .filter(|(_, row)| row.of.selects(gvk, names))
            .map(|(index, _)| index)
            .collect();
        self.by_kind.borrow_mut().insert(gvk, Rc::clone(&indexes));
        indexes
    }
}

impl CompiledRow {
    pub(crate) fn new(row: &Row) -> Self {
        Self {
            of: row.of.clone(),
            path: (&*row.path).into(),
            segments: split_path(&row.path),
            create: row.create,
        }
    }

    /// Visits every place of an object that the row leads to.
    pub(crate) fn visit(
        &self,
        resource: &mut Resource,
        create: Option<Create>,
        names: &Names,
        act: Visit<'_>,
    ) -> std::result::Result<(), String> {
        self.walk(resource, create.filter(|_| self.create), names, act)
    }

    fn walk(
        &self,
        resource: &mut Resource,
        create: Option<Create>,
        names: &Names,
        act: Visit<'_>,
    ) -> std::result::Result<(), String> {
        let walk = |node: &mut Node, act: Visit<'_>| {
            visit(node, &self.segments, create, &mut Place::new(), act).map_err(|fault| fault.text)
        };
        let mut acted = false;
        let mut noting = |node: &mut Node, place: &Place| act(node, place).inspect_err(|_| acted = true);
        let failed = walk(&mut resource.node, &mut noting);
        failed.map_err(|text| {
            if acted {
                return text;
            }
            // A path that does not fit may show the whole object: then with what is remembered of it.
            let mut shown = as_remembered(resource, names);
            walk(&mut shown, &mut |_, _| Ok(())).err().unwrap_or(text)
        })
    }
}

/// The segments of a path; `\/` is a slash inside of one, a leading slash is ignored.
pub(crate) fn split_path(path: &str) -> Vec<Box<str>> {
    let mut segments: Vec<String> = Vec::new();
    for piece in path.strip_prefix('/').unwrap_or(path).split('/') {
        match segments.last_mut() {
            Some(last) if last.ends_with('\\') => {
                last.pop();
                last.push('/');
                last.push_str(piece);
            }
            Some(_) | None => segments.push(piece.to_owned()),
        }
    }
    segments.into_iter().map(String::into_boxed_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escaped_slash_stays_in_its_segment() {
        let segments = split_path("/metadata/annotations/a.b\\/c");
        assert_eq!(
            segments.iter().map(AsRef::as_ref).collect::<Vec<&str>>(),
            ["metadata", "annotations", "a.b/c"]
        );
    }
}
