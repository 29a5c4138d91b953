//! Rows of the tables: which field of which kinds.

use std::collections::HashMap;

use super::numbers::Numbers;
use super::shared::SharedText;
use crate::resource::{Gvk, Names};

/// Group, version and kind to look for; an empty part fits everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Selector {
    pub(crate) group: SharedText,
    pub(crate) version: SharedText,
    pub(crate) kind: SharedText,
}

/// A field of some kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) of: Selector,
    /// Segments joined by `/`; `\/` is a slash inside of one.
    pub(crate) path: SharedText,
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
}

/// Two rows for one field disagree on making it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conflict;

/// Adds rows to a table; a row is dropped where one with the same path is there that it would cover.
pub(crate) fn merge_rows<'r>(
    table: &mut Vec<Row>,
    incoming: impl IntoIterator<Item = &'r Row>,
) -> Result<(), Conflict> {
    let incoming: Vec<&Row> = incoming.into_iter().collect();
    let mut index = Index::of(&incoming);
    for row in &*table {
        index.add(row);
    }
    let mut added = Vec::new();
    for row in incoming {
        match index.first_covered_by(row) {
            Some(create) if create != row.create => return Err(Conflict),
            Some(_) => {}
            None => {
                index.add(row);
                added.push(row.clone());
            }
        }
    }
    table.extend(added);
    Ok(())
}

/// Which parts of a selector are not empty, and so have to be the same.
type Mask = [bool; 3];

/// Rows by their path and by those parts of their selectors that a row which would cover them asks for.
struct Index<'r> {
    numbers: Numbers<'r>,
    /// What the rows that are looked for ask for: eight at most.
    masks: Vec<Mask>,
    /// Of the first such row, whether a missing field is made.
    create: HashMap<(usize, [usize; 3]), bool>,
}

impl<'r> Index<'r> {
    /// An index to look for rows like these.
    fn of(rows: &[&Row]) -> Self {
        let mut masks = Vec::new();
        for row in rows {
            let Selector { group, version, kind } = &row.of;
            let mask = [!group.is_empty(), !version.is_empty(), !kind.is_empty()];
            if !masks.contains(&mask) {
                masks.push(mask);
            }
        }
        Self { numbers: Numbers::default(), masks, create: HashMap::new() }
    }

    fn add(&mut self, row: &'r Row) {
        let (path, parts) = (self.numbers.text(&row.path), self.numbers.selector(&row.of));
        for mask in &self.masks {
            let [group, version, kind] = mask;
            // What is empty in the row itself fits nothing that is asked for; then this is no other key than a smaller mask's.
            let asked = [(*group, parts[0]), (*version, parts[1]), (*kind, parts[2])]
                .map(|(is_asked, part)| if is_asked { part } else { 0 });
            self.create.entry((path, asked)).or_insert(row.create);
        }
    }

    fn first_covered_by(&mut self, row: &'r Row) -> Option<bool> {
        let key = (self.numbers.text(&row.path), self.numbers.selector(&row.of));
        self.create.get(&key).copied()
    }
}
