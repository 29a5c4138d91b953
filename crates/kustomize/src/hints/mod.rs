//! What stands below the reference's text of a failure: hints a person can act on, and the other errors of the build.
//!
//! A step that fails knows what it was about, not where that stands: trees carry no positions, and a build that succeeds pays
//! for none of this. So an error takes drafts, which name files, fields and objects; once the build has failed, their lines are
//! looked up ([`Places`]), and the kustomization files are gone through for what is wrong with them beside ([`review`]).
//!
//! A hint is right or absent, short, and quotes names alone: never values, which may be secret.

mod config;
mod entries;
mod flaws;
mod near;
mod objects;
mod patches;
mod places;
mod plugins;
mod pointers;
mod review;
mod shapes;
mod syntax_errors;
mod types;

use crate::build::Context;
use crate::error::{BuildError, ErrorKind};
use crate::fs::FileSystem;
use crate::resource::{Id, Name, Names, Resource};

pub(crate) use config::{
    empty, is_of_flux, misfit_of, no_kustomization, of_no_kind, undecodable, unreadable,
};
pub(crate) use near::{listed, nearest, quoted};
pub(crate) use objects::{Wanted, complex_key, no_object, of_image, with_shape};
pub(crate) use patches::{failed_operation, misfit};
pub(crate) use places::Places;
pub(crate) use plugins::unconfigured;
pub(crate) use pointers::{missing_field, missing_target};
pub(crate) use review::{not_a_json_patch, not_a_patch};
pub(crate) use syntax_errors::NOT_UTF8;
pub(crate) use types::unprintable;

/// Hints of one error.
const MAX_HINTS: usize = 8;
/// Bytes of one hint or of one line about another error.
const MAX_LINE: usize = 600;
/// What to say of the line behind a document whose first line is indented further.
const UNREAD: &str = "this line is indented less than the first one, and nothing is read from here on";
/// Stands for the rest of a line.
const CUT: char = '…';

/// One step from a value of a file to one it contains.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    /// The value under a key.
    Name(Box<str>),
    /// An item of a list.
    Item(usize),
}

impl Key {
    pub(crate) fn name(name: &str) -> Self {
        Self::Name(name.into())
    }
}

/// A hint whose places have no lines yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Draft(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    /// A line of a file.
    Line {
        file: String,
        line: Option<usize>,
    },
    /// A value of a file; `value` is its text, so that no other is taken for it where the file was rewritten.
    Field {
        file: String,
        way: Vec<Key>,
        value: Option<String>,
    },
    /// An object of a file, as that states it.
    Object {
        file: String,
        kind: String,
        name: String,
        namespace: String,
    },
    /// The second object of a file that is called so; where there is none, the file is read twice, or another object of it
    /// has got that name. `taken` objects of the file are known to be in the build.
    Again {
        file: String,
        kind: String,
        name: String,
        namespace: String,
        taken: usize,
    },
    /// The second place of a key that stands twice in an object of a file.
    Repeated {
        file: String,
        kind: String,
        name: String,
        key: String,
    },
}

impl From<String> for Draft {
    fn from(text: String) -> Self {
        Self(vec![Part::Text(text)])
    }
}

impl From<&str> for Draft {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl Draft {
    /// A hint that begins with a line of a file.
    pub(crate) fn line(file: &str, line: Option<usize>) -> Self {
        Self(vec![Part::Line { file: file.to_owned(), line }])
    }

    /// A hint that begins with the place of a value.
    pub(crate) fn field(file: &str, way: Vec<Key>, value: Option<&str>) -> Self {
        Self(vec![Part::Field { file: file.to_owned(), way, value: value.map(str::to_owned) }])
    }

    pub(crate) fn and(mut self, text: impl Into<String>) -> Self {
        self.0.push(Part::Text(text.into()));
        self
    }

    /// The place of an object follows; nothing where that is in no file.
    pub(crate) fn and_object(self, resource: &Resource, names: &Names) -> Self {
        self.and_id(resource.file, resource.original_id(), names)
    }

    /// The place of what a file calls so follows.
    pub(crate) fn and_id(mut self, file: Name, id: Id, names: &Names) -> Self {
        let text = |name: Name| names.text(name).to_string();
        if !file.is_empty() {
            let (kind, name, namespace) = (text(id.gvk.kind), text(id.name), text(id.namespace));
            self.0.push(Part::Object { file: text(file), kind, name, namespace });
        }
        self
    }

    /// The places of two objects with one id follow; `taken` says how many objects the build has of the file of one.
    pub(crate) fn and_both(
        self,
        first: &Resource,
        second: &Resource,
        taken: impl FnOnce(Name) -> usize,
        names: &Names,
    ) -> Self {
        let is_same = first.file == second.file && first.original_id() == second.original_id();
        let mut draft = self.and_object(first, names);
        if !is_same {
            return draft.and(" and at ").and_object(second, names);
        }
        if let Some(Part::Object { file, kind, name, namespace, .. }) = draft.0.last().cloned() {
            draft.0.push(Part::Again { file, kind, name, namespace, taken: taken(first.file) });
        }
        draft
    }

    /// Another draft follows.
    pub(crate) fn and_draft(mut self, other: &Self) -> Self {
        self.0.extend_from_slice(&other.0);
        self
    }

    /// What an object lacks, behind its name and place.
    pub(crate) fn of_object(self, resource: &Resource, names: &Names) -> Self {
        let mut draft = Self::default().and_named(resource, names).and(": ");
        draft.0.extend(self.0);
        draft
    }

    /// A hint that begins with the second place of a key in an object.
    pub(crate) fn repeated(resource: &Resource, key: &str, names: &Names) -> Self {
        let (text, id) = (|name: Name| names.text(name).to_string(), resource.original_id());
        let (file, key) = (text(resource.file), key.to_owned());
        Self(vec![Part::Repeated { file, kind: text(id.gvk.kind), name: text(id.name), key }])
    }

    /// The same hint behind the place of a value, unless it begins with a place of its own.
    pub(crate) fn placed(self, place: &Self) -> Self {
        match self.0.first() {
            Some(Part::Text(_)) if !place.0.is_empty() => {
                let between = Part::Text(": ".to_owned());
                Self(place.0.iter().cloned().chain([between]).chain(self.0).collect())
            }
            Some(
                Part::Text(_)
                | Part::Line { .. }
                | Part::Field { .. }
                | Part::Object { .. }
                | Part::Again { .. }
                | Part::Repeated { .. },
            )
            | None => self,
        }
    }

    /// Whether this names an object, by its file, kind and name, of which something is so.
    fn is_of_object(&self, is_so: impl Fn(&str, &str, &str) -> bool) -> bool {
        self.0.iter().any(|part| match part {
            Part::Object { file, kind, name, .. } => is_so(file, kind, name),
            Part::Text(_)
            | Part::Line { .. }
            | Part::Field { .. }
            | Part::Again { .. }
            | Part::Repeated { .. } => false,
        })
    }

    /// Whether this names the line on which a key stands again.
    fn is_repeated(&self, places: &Places<'_>) -> bool {
        self.0.iter().any(|part| match part {
            Part::Repeated { file, kind, name, key } => places.repeated(file, kind, name, key).is_some(),
            Part::Text(_)
            | Part::Line { .. }
            | Part::Field { .. }
            | Part::Object { .. }
            | Part::Again { .. } => false,
        })
    }

    fn told(&self, places: &Places<'_>) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Line { file, line } => places.at(file, places.is_original(file).then_some(*line).flatten()),
            Part::Field { file, way, value } => places.at(file, places.field(file, way, value.as_deref())),
            Part::Object { file, kind, name, namespace } => {
                places.at(file, places.object(file, (kind, name, namespace), 0))
            }
            Part::Again { file, kind, name, namespace, taken } => {
                match places.object(file, (kind, name, namespace), 1) {
                    Some(line) => format!(" and at {}", places.at(file, Some(line))),
                    None if places.has_alias(file) => ", and an alias of that file repeats it".to_owned(),
                    None if places.objects_of(file) < *taken => {
                        ", in a file that is taken in twice".to_owned()
                    }
                    None => ", and another one is called so by now".to_owned(),
                }
            }
            Part::Repeated { file, kind, name, key } => {
                places.at(file, places.repeated(file, kind, name, key))
            }
        };
        cut(self.0.iter().map(part).collect())
    }
}

/// Hints are one line each, and have an end.
fn cut(text: String) -> String {
    let mut text = if text.contains('\n') { text.replace('\n', " ") } else { text };
    if text.len() > MAX_LINE {
        text.truncate(text.floor_char_boundary(MAX_LINE - CUT.len_utf8()));
        text.push(CUT);
    }
    text
}

/// Completes the error of a build of `dir`: its hints, and what else is wrong.
pub(crate) fn explain(error: &mut BuildError, context: &Context<'_>, files: &dyn FileSystem, dir: &str) {
    let places = &Places::new(files, context.options);
    let mut hints: Vec<String> = Vec::new();
    let mut add = |hint: String| {
        let is_told = hints.iter().any(|told| told.ends_with(&hint));
        if !hint.is_empty() && !is_told && hints.len() < MAX_HINTS {
            hints.push(hint);
        }
    };
    let mut own = error.drafts().to_vec();
    if matches!(error.kind(), ErrorKind::Cancelled | ErrorKind::Limit | ErrorKind::Needs(_)) {
        for draft in &own {
            add(draft.told(places));
        }
        error.hints = hints;
        return;
    }
    let others: Vec<String> = error.other_drafts().iter().map(|draft| draft.told(places)).collect();
    let reviewed = review::review(error, context, places, dir, others);
    if let Some(cause) = reviewed.cause.filter(|_| !own.iter().any(|draft| draft.is_repeated(places))) {
        own.clear();
        add(cause);
    }
    reviewed.hint.into_iter().for_each(&mut add);
    for draft in &own {
        add(draft.told(places));
    }
    error.hints = hints;
    error.others = reviewed.others.into();
}

/// What is wrong with the kustomization files that a build of `dir` reads, and with the files that these name.
pub(crate) fn survey(context: &Context<'_>, files: &dyn FileSystem, dir: &str) -> Vec<String> {
    review::review(&BuildError::new(""), context, &Places::new(files, context.options), dir, Vec::new())
        .others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_cut_is_no_longer_than_a_line_may_be() {
        for text in ["é".repeat(MAX_LINE), "a".repeat(MAX_LINE + 1)] {
            let line = cut(text);
            assert!(line.ends_with(CUT) && line.len() <= MAX_LINE, "{} bytes", line.len());
        }
        assert_eq!(cut("a".repeat(MAX_LINE)), "a".repeat(MAX_LINE));
    }

    #[test]
    fn a_hint_that_says_nothing_is_none() {
        let (files, options) = (crate::MemoryFiles::new(), crate::Options::cli("/r"));
        let mut error =
            BuildError::limit("too much").with_hint("").with_hint("b").with_hint("a b").with_hint("b");
        explain(&mut error, &Context::new(&options), &files, "");
        assert_eq!(error.hints, ["b", "a b"]);
    }
}
