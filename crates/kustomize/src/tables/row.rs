//! Rows of the tables: which field of which kinds.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::resource::{Gvk, Names};

type Text = Cow<'static, str>;

/// Group, version and kind to look for; an empty part fits everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Selector {
    pub(crate) group: Text,
    pub(crate) version: Text,
    pub(crate) kind: Text,
}

/// A field of some kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) of: Selector,
    /// Segments joined by `/`; `\/` is a slash inside of one.
    pub(crate) path: Text,
    /// Whether a missing field is made.
    pub(crate) create: bool,
}

/// A kind and the fields that hold names of its objects.
#[derive(Clone, Debug)]
pub(crate) struct NameReference {
    pub(crate) referent: Selector,
    pub(crate) referrers: Vec<Row>,
}

/// A row of a built-in table: group, version, kind, path, create.
#[derive(Clone, Copy, Debug)]
pub(super) struct BuiltinRow(&'static str, &'static str, &'static str, &'static str, bool);

/// A built-in [`NameReference`]: group, version, kind, referrers.
#[derive(Clone, Copy, Debug)]
pub(super) struct BuiltinReference(&'static str, &'static str, &'static str, &'static [BuiltinRow]);

/// A row that makes nothing.
pub(super) const fn row(
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    path: &'static str,
) -> BuiltinRow {
    BuiltinRow(group, version, kind, path, false)
}

pub(super) const fn referent(
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    referrers: &'static [BuiltinRow],
) -> BuiltinReference {
    BuiltinReference(group, version, kind, referrers)
}

impl BuiltinRow {
    /// The same row, making what is missing.
    pub(super) const fn create(mut self) -> Self {
        self.4 = true;
        self
    }
}

impl From<BuiltinRow> for Row {
    fn from(BuiltinRow(group, version, kind, path, create): BuiltinRow) -> Self {
        Self { of: Selector::builtin(group, version, kind), path: path.into(), create }
    }
}

impl From<BuiltinReference> for NameReference {
    fn from(BuiltinReference(group, version, kind, referrers): BuiltinReference) -> Self {
        let referrers = referrers.iter().copied().map(Row::from).collect();
        Self { referent: Selector::builtin(group, version, kind), referrers }
    }
}

impl Row {
    /// A row for all kinds that makes what is missing.
    pub(crate) fn everywhere(path: &'static str) -> Self {
        Self { of: Selector::default(), path: path.into(), create: true }
    }
}

impl Selector {
    fn builtin(group: &'static str, version: &'static str, kind: &'static str) -> Self {
        Self { group: group.into(), version: version.into(), kind: kind.into() }
    }

    /// Whether an object's group, version and kind fit.
    pub(crate) fn selects(&self, gvk: Gvk, names: &Names) -> bool {
        let fits = |wanted: &str, is| wanted.is_empty() || names.is(is, wanted);
        fits(&self.group, gvk.group) && fits(&self.version, gvk.version) && fits(&self.kind, gvk.kind)
    }

    fn selects_all_of(&self, narrower: &Self) -> bool {
        let fits = |wanted: &Text, is: &Text| wanted.is_empty() || wanted == is;
        fits(&self.group, &narrower.group)
            && fits(&self.version, &narrower.version)
            && fits(&self.kind, &narrower.kind)
    }
}

/// Two rows for one field disagree on making it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conflict;

/// Adds rows to a table; a row is dropped where one with the same path is there that it would cover.
pub(crate) fn merge_rows<'r>(
    table: &mut Vec<Row>,
    incoming: impl IntoIterator<Item = &'r Row>,
) -> Result<(), Conflict> {
    let mut by_path: HashMap<&str, Vec<&Row>> = HashMap::new();
    for row in &*table {
        by_path.entry(&row.path).or_default().push(row);
    }
    let mut added = Vec::new();
    for row in incoming {
        let same_path = by_path.entry(&row.path).or_default();
        match same_path.iter().find(|existing| row.of.selects_all_of(&existing.of)) {
            Some(existing) if existing.create != row.create => return Err(Conflict),
            Some(_) => {}
            None => {
                same_path.push(row);
                added.push(row.clone());
            }
        }
    }
    table.extend(added);
    Ok(())
}
