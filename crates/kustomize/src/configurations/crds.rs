//! Rows from definitions of types.

use std::cell::Cell;
use std::rc::Rc;

use super::definitions::{Prepared, Property, read};
use crate::build::Context;
use crate::error::{BuildError, Result};
use crate::hints::{self, Draft};
use crate::tables::{NameReference, Row, Selector, Tables};
use crate::text::Text;

/// How many definitions may stand within each other by their references.
const MAX_DEPTH: usize = 500;
/// How many properties may be found on all ways through the definitions of a build: each way to a shared one counts.
const MAX_PROPERTIES: usize = 1_000_000;
/// How many bytes the rows of a build may have, beside the texts that they share: a path may be as long as the file.
const MAX_ROWS: usize = 32 << 20;
/// How many steps of a way messages show.
const SHOWN_STEPS: usize = 6;

/// What all definitions of a build may still lead to.
#[derive(Debug)]
pub(crate) struct Room {
    properties: Cell<usize>,
    row_bytes: Cell<usize>,
}

impl Default for Room {
    fn default() -> Self {
        Self { properties: Cell::new(MAX_PROPERTIES), row_bytes: Cell::new(MAX_ROWS) }
    }
}

impl Room {
    /// Whether no definitions can be looked through any more.
    pub(super) fn is_used_up(&self) -> bool {
        self.properties.get() == 0 || self.row_bytes.get() == 0
    }

    fn take_property(&self) -> Result<()> {
        let text = || format!("definitions lead to more than {MAX_PROPERTIES} properties");
        take(&self.properties, 1).map_err(|UsedUp| BuildError::limit(text()))
    }

    fn take_row(&self, bytes: usize) -> Result<()> {
        let text = || format!("definitions lead to rows of more than {MAX_ROWS} bytes");
        take(&self.row_bytes, bytes).map_err(|UsedUp| BuildError::limit(text()))
    }
}

struct UsedUp;

fn take(room: &Cell<usize>, amount: usize) -> std::result::Result<(), UsedUp> {
    let rest = room.get().checked_sub(amount);
    room.set(rest.unwrap_or(0));
    rest.map(drop).ok_or(UsedUp)
}

/// Adds the rows that the definitions in a text ask for; `path` is what the kustomization file names, `file` what a person opens.
pub(super) fn add_rows(
    rows: &mut Tables,
    text: &Text<'_>,
    (path, file): (&str, &str),
    context: &Context<'_>,
) -> Result<()> {
    let definitions = read(text, file)
        .map_err(|error| error.wrap(format_args!("unable to parse open API definition from '{path}'")))?;
    let definitions = definitions.prepared();
    let mut within = vec![false; definitions.len()];
    for (place, Prepared { name, is_kind, .. }) in definitions.iter().enumerate() {
        if !is_kind {
            continue;
        }
        let kind: Rc<str> = name.rsplit('.').next().unwrap_or(name).into();
        let of = Selector { kind: kind.into(), ..Selector::default() };
        let mut walk = Walk {
            definitions: &definitions,
            of,
            rows,
            way: Way { within: &mut within, steps: Vec::new(), depth: 0 },
            context,
        };
        walk.definition(place).map_err(|error| {
            let says = format!(": the way begins at the definition {}", hints::quoted(name));
            error.with_hint(Draft::line(file, None).and(says))
        })?;
    }
    Ok(())
}

struct Walk<'w, 'c> {
    definitions: &'w [Prepared<'w>],
    of: Selector,
    /// All rows that were found.
    rows: &'w mut Tables,
    way: Way<'w>,
    context: &'w Context<'c>,
}

/// How the walk came to where it is.
struct Way<'w> {
    /// Which definitions are being walked.
    within: &'w mut [bool],
    depth: usize,
    /// The names of the properties.
    steps: Vec<&'w str>,
}

impl Walk<'_, '_> {
    /// What is not the way itself is done elsewhere, so that a level costs little stack.
    fn definition(&mut self, place: usize) -> Result<()> {
        let Some(definition) = self.definitions.get(place) else { return Ok(()) };
        self.context.check()?;
        self.way.enter(place, definition.name)?;
        for property in &definition.properties {
            self.way.steps.push(property.name);
            self.note(property)?;
            if let Some(place) = property.definition {
                self.definition(place)?;
            }
            self.way.steps.pop();
        }
        self.way.leave(place);
        Ok(())
    }

    /// The rows that a property asks for.
    fn note(&mut self, property: &Property<'_>) -> Result<()> {
        let room = &self.context.definitions;
        room.take_property()?;
        let row = |path: Rc<str>| {
            room.take_row(size_of::<Row>())?;
            Ok(Row { of: self.of.clone(), path: path.into(), create: false })
        };
        let marks = [property.annotation, property.label_selector, property.identity];
        if marks.contains(&true) {
            let path = self.way.path(None, room)?;
            let tables =
                [&mut self.rows.common_annotations, &mut self.rows.common_labels, &mut self.rows.name_prefix];
            for (table, _) in tables.into_iter().zip(marks).filter(|(_, is_marked)| *is_marked) {
                table.push(row(Rc::clone(&path))?);
            }
        }
        if let Some(reference) = &property.reference {
            room.take_row(size_of::<NameReference>())?;
            let (version, kind) = (Rc::clone(&reference.version).into(), Rc::clone(&reference.kind).into());
            let referent = Selector { version, kind, ..Selector::default() };
            let referrers = vec![row(self.way.path(Some(reference.name_key), room)?)?];
            self.rows.name_reference.push(NameReference { referent, referrers });
        }
        Ok(())
    }
}

impl Way<'_> {
    fn enter(&mut self, place: usize, name: &str) -> Result<()> {
        if self.depth >= MAX_DEPTH {
            let text = format!("definitions refer to each other more than {MAX_DEPTH} levels deep");
            return Err(BuildError::limit(text));
        }
        if self.within[place] {
            let (name, way) = (hints::quoted(name), shown(&self.steps));
            return Err(BuildError::new(format!("definition {name} refers to itself by {way}")));
        }
        self.within[place] = true;
        self.depth += 1;
        Ok(())
    }

    fn leave(&mut self, place: usize) {
        self.within[place] = false;
        self.depth -= 1;
    }

    /// The path of a row, which is not made where there is no room for it.
    fn path(&self, last: Option<&str>, room: &Room) -> Result<Rc<str>> {
        let names = || self.steps.iter().copied().chain(last);
        let bytes = names().map(|name| name.len() + 1).sum();
        room.take_row(bytes)?;
        let mut path = String::with_capacity(bytes);
        for name in names() {
            path.push_str(name);
            path.push('/');
        }
        path.pop();
        Ok(path.into())
    }
}

/// A way through definitions: its first and last steps.
fn shown(steps: &[&str]) -> String {
    match (steps.get(..SHOWN_STEPS / 2), steps.get(steps.len().saturating_sub(SHOWN_STEPS / 2)..)) {
        (Some(first), Some(last)) if steps.len() > SHOWN_STEPS => {
            format!("{} … {}", hints::quoted(&first.join("/")), hints::quoted(&last.join("/")))
        }
        _ => hints::quoted(&steps.join("/")),
    }
}
