//! Rows, prepared for many objects.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::walk::{Create, Fault, Visit, visit};
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
    /// Whether it leads to what an object is called by, or to a map that holds it.
    leads_to_id: bool,
}

/// A row that could not be followed through an object.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) error: BuildError,
    /// Whether what stood there is of another kind than must be, and no scalar.
    pub(crate) not_scalar: bool,
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

    /// Does something with each row for an object, in order. A row may change the kind: then those behind it are the ones for the
    /// new kind.
    pub(crate) fn try_each<E>(
        &self,
        resource: &mut Resource,
        names: &Names,
        mut act: impl FnMut(&CompiledRow, &mut Resource) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let mut gvk = resource.id().gvk;
        let mut indexes = self.indexes(gvk, names);
        let mut position = 0;
        while let Some(&index) = indexes.get(position) {
            act(&self.rows[index], resource)?;
            position += 1;
            if resource.id().gvk != gvk {
                gvk = resource.id().gvk;
                indexes = self.indexes(gvk, names);
                position = indexes.partition_point(|other| *other <= index);
            }
        }
        Ok(())
    }

    /// Visits every place of an object that a row leads to; its id is up to date then.
    pub(crate) fn visit(
        &self,
        resource: &mut Resource,
        create: Option<Create>,
        names: &Names,
        act: Visit<'_>,
    ) -> Result<()> {
        self.try_visit(resource, create, names, act).map_err(|refused| refused.error)
    }

    /// Like [`Self::visit`]; an error says also what kind of thing did not fit.
    pub(crate) fn try_visit(
        &self,
        resource: &mut Resource,
        create: Option<Create>,
        names: &Names,
        act: Visit<'_>,
    ) -> std::result::Result<(), Refused> {
        let has_annotations = resource.has_history();
        self.try_each(resource, names, |row, resource| {
            // The reference keeps what it remembers of an object there, so the map is never missing.
            let is_there = has_annotations && &*row.path == ANNOTATIONS;
            let create = create.filter(|_| row.create || is_there);
            row.walk(resource, create, names, &mut *act).map_err(|fault| Refused {
                not_scalar: fault.not_scalar,
                error: row.refused_by(resource, &fault.text, names),
            })
        })
    }

    /// Whether there is a row for the annotations of an object of this kind.
    pub(crate) fn lead_to_annotations(&self, resource: &Resource, names: &Names) -> bool {
        let indexes = self.indexes(resource.id().gvk, names);
        indexes.iter().any(|index| &*self.rows[*index].path == ANNOTATIONS)
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
        let segments = split_path(&row.path);
        Self {
            of: row.of.clone(),
            path: (&*row.path).into(),
            leads_to_id: leads_to_id(&segments),
            segments,
            create: row.create,
        }
    }

    /// Visits every place of an object that the row leads to; its id is up to date then.
    pub(crate) fn visit(
        &self,
        resource: &mut Resource,
        create: Option<Create>,
        names: &Names,
        act: Visit<'_>,
    ) -> Result<()> {
        self.walk(resource, create.filter(|_| self.create), names, act)
            .map_err(|fault| self.refused_by(resource, &fault.text, names))
    }

    /// The error where the row does not fit an object.
    fn refused_by(&self, resource: &Resource, problem: &str, names: &Names) -> BuildError {
        let id = resource.id().text(names);
        let error = BuildError::new(format!("considering field '{}' of object {id}: {problem}", self.path));
        hints::with_shape(error, resource, &self.path, names)
    }

    fn walk(
        &self,
        resource: &mut Resource,
        create: Option<Create>,
        names: &Names,
        act: Visit<'_>,
    ) -> std::result::Result<(), Fault> {
        let walk =
            |node: &mut Node, act: Visit<'_>| visit(node, &self.segments, create, &mut Place::new(), act);
        let mut acted = false;
        let mut noting = |node: &mut Node, place: &Place| act(node, place).inspect_err(|_| acted = true);
        let walked = walk(&mut resource.node, &mut noting);
        if self.leads_to_id {
            resource.refresh_id(names);
        }
        walked.map_err(|fault| {
            if acted {
                return fault;
            }
            // A path that does not fit may show the whole object: then with what is remembered of it.
            let mut shown = as_remembered(resource, names);
            walk(&mut shown, &mut |_, _| Ok(())).err().unwrap_or(fault)
        })
    }
}

/// Whether a path leads to what an object is called by, or to a map that holds it.
fn leads_to_id(segments: &[Box<str>]) -> bool {
    let key =
        |at: usize| segments.get(at).map(|segment| segment.strip_suffix("[]").unwrap_or(segment).trim());
    match (key(0), key(1)) {
        (Some("apiVersion" | "kind"), _) | (Some("metadata"), Some("name" | "namespace") | None) => true,
        (Some(_) | None, _) => false,
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
