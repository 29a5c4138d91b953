//! Goes through the kustomization files of a build that failed: which entry its error is about, and what else is wrong.
//!
//! Every file is looked at for itself, in the order of the build and by its means, so that nothing follows from the first error.
//! Where two targets would clash, or a patch finds no object, only the build knows.

mod odd_keys;
mod repeated;
mod steps;

use std::cell::Cell;
use std::collections::HashSet;

use super::entries::{self, Wants};
use super::syntax_errors::{self, Cause};
use super::{Draft, Key, Places, objects, patches};
use crate::build::Context;
use crate::error::{BuildError, ErrorKind};
use crate::go;
use crate::kustomization::{COMPONENT, COMPONENT_VERSION};
use crate::loader::Loader;
use crate::remote::Recorders;
use crate::resource::{Name, ParseError, parse_resources};
use crate::target::Target;

/// Other errors that are told.
const MAX_OTHERS: usize = 20;
/// Bytes of all of them: a condition of an object of the cluster holds 32 KiB.
const MAX_OTHERS_BYTES: usize = 8 << 10;
/// Entries that are looked at.
const MAX_ENTRIES: usize = 20_000;
/// What to say of the entry that an error is about where nothing better is known.
const WHAT_FAILS: &str = "this entry is what fails";
/// Bytes that are read.
const MAX_BYTES: u64 = 64 << 20;

/// What a review came to.
#[derive(Debug, Default)]
pub(super) struct Reviewed {
    /// What to do about the error itself.
    pub(super) hint: Option<String>,
    /// What is wrong elsewhere than where the error was met, which then has nothing to say itself.
    pub(super) cause: Option<String>,
    /// What else is wrong.
    pub(super) others: Vec<String>,
}

/// Goes through what a build of `dir` reads, for its error; `others` are known already.
pub(super) fn review(
    error: &BuildError,
    context: &Context<'_>,
    places: &Places<'_>,
    dir: &str,
    mut others: Vec<String>,
) -> Reviewed {
    let more = others.len().saturating_sub(MAX_OTHERS);
    others.truncate(MAX_OTHERS);
    let limit = context.options.limits.bytes;
    let bytes = Cell::new(limit.saturating_sub(MAX_BYTES));
    let checkouts = Recorders::of(&context.options.remotes);
    let mut review = Review {
        context,
        places,
        text: &error.reference,
        told: others.iter().cloned().collect(),
        reviewed: Reviewed { others, ..Reviewed::default() },
        repeated_key: repeated::key(&error.reference),
        seeks_odd_keys: odd_keys::is_it(error, places),
        more,
        seen: HashSet::new(),
        entries: 0,
    };
    let at_root = |dir: &str| Loader::at_root(places.files, context.options, &checkouts, &bytes, dir);
    match at_root(dir) {
        Ok(loader) => review.target(&loader, None, Use::Root),
        Err(failed) => {
            // A folder to build that is none.
            let here = context.options.working_folder.as_deref().map_or("", |_| ".");
            let says = if dir.is_empty() {
                Some("the path of what to build is empty: '.' is this folder".to_owned())
            } else {
                at_root(here).ok().and_then(|here| entries::explain(&here, dir, Wants::Folder))
            };
            if let Some(says) = says {
                review.found(&failed, || says.into());
            }
        }
    }
    let Review { mut reviewed, more, .. } = review;
    if more > 0 {
        reviewed.others.push(format!("… and {more} more"));
    }
    reviewed
}

struct Review<'r, 'b> {
    context: &'r Context<'b>,
    places: &'r Places<'r>,
    /// The text of the error.
    text: &'r str,
    reviewed: Reviewed,
    /// The key that stands twice in a map, where that is the error.
    repeated_key: Option<String>,
    /// Whether the error is a key that is no text.
    seeks_odd_keys: bool,
    /// What was told, so that nothing is told twice.
    told: HashSet<String>,
    /// Errors that are counted only.
    more: usize,
    /// Folders that were gone through.
    seen: HashSet<String>,
    entries: usize,
}

/// An entry of a kustomization file that names something.
struct Entry<'e> {
    file: &'e str,
    way: Vec<Key>,
    text: &'e str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Root,
    Base,
    Component,
}

impl Entry<'_> {
    fn place(&self) -> Draft {
        let value = (!self.text.is_empty()).then_some(self.text);
        Draft::field(self.file, self.way.clone(), value)
    }

    fn draft(&self, says: impl Into<String>) -> Draft {
        self.place().and(": ").and(says)
    }
}

fn way<const N: usize>(keys: [Key; N]) -> Vec<Key> {
    keys.into()
}

impl<'r, 'b> Review<'r, 'b> {
    /// Takes note of an error, which `draft` tells.
    fn found(&mut self, error: &BuildError, draft: impl FnOnce() -> Draft) {
        if !error.is_input() {
            return;
        }
        if self.is_it(error) {
            let told = draft().told(self.places);
            self.told.insert(told.clone());
            self.reviewed.hint = Some(told);
        } else {
            self.other(draft);
        }
    }

    /// Takes note of what else is wrong.
    fn other(&mut self, draft: impl FnOnce() -> Draft) {
        if self.is_full() {
            self.more += 1;
            return;
        }
        let told = draft().told(self.places);
        if self.told.insert(told.clone()) {
            self.reviewed.others.push(told);
        }
    }

    /// Whether an error is the one of the build.
    fn is_it(&self, error: &BuildError) -> bool {
        self.reviewed.hint.is_none() && mentions(self.text, &error.reference)
    }

    /// What to say of an error of which nothing better is known: of that of the build, its own words stand above.
    fn words(&self, error: &BuildError) -> String {
        if self.is_it(error) { WHAT_FAILS.to_owned() } else { last_words(error) }
    }

    fn is_full(&self) -> bool {
        let others = &self.reviewed.others;
        others.len() >= MAX_OTHERS || others.iter().map(String::len).sum::<usize>() >= MAX_OTHERS_BYTES
    }

    /// Whether to look at one more entry.
    fn goes_on(&mut self) -> bool {
        self.entries += 1;
        self.entries <= MAX_ENTRIES && !self.context.options.cancel.is_cancelled()
    }

    fn target(&mut self, loader: &Loader<'r>, named: Option<&Entry<'_>>, used: Use) {
        let folder = loader.root_display();
        if !self.seen.insert(folder.clone()) {
            return;
        }
        let target = match Target::load(self.context, loader.clone(), None) {
            Ok(target) => target,
            Err(error) => {
                let shown = named.map_or_else(|| self.places.file(&folder), |entry| entry.text.to_owned());
                let from = named.and_then(|entry| Some(entry.file.rsplit_once('/')?.0));
                let missing = entries::without_kustomization(loader, &shown, from);
                let missing = missing
                    .map(|says| named.map_or_else(|| says.clone().into(), |entry| entry.draft(says.clone())));
                let own = error.drafts().first().cloned();
                let words = self.words(&error);
                let fallback = || Draft::line(&folder, None).and(": ").and(words);
                self.found(&error, || missing.or(own).unwrap_or_else(fallback));
                for other in error.other_drafts() {
                    self.other(|| other.clone());
                }
                match Target::load_rest(self.context, loader.clone()) {
                    Some(target) => target,
                    None => return,
                }
            }
        };
        let kind = &target.kustomization().kind;
        let misused = match used {
            Use::Base if kind == COMPONENT => Some((
                format!("expected kind != '{COMPONENT}' for path '{folder}'"),
                "is a component: list it under components".to_owned(),
            )),
            Use::Component if kind != COMPONENT => Some((
                format!("expected kind '{COMPONENT}' for path '{folder}' but got '{kind}'"),
                format!(
                    "is no component: list it under resources, or state 'apiVersion: {COMPONENT_VERSION}' and 'kind: {COMPONENT}' in it"
                ),
            )),
            Use::Root | Use::Base | Use::Component => None,
        };
        if let (Some((text, says)), Some(entry)) = (misused, named) {
            self.found(&BuildError::new(text), || {
                entry.draft(format!("{} {says}", super::quoted(entry.text)))
            });
            return;
        }
        self.content(&target);
    }

    /// All that a kustomization file names, in the order of the build.
    fn content(&mut self, target: &Target<'r, 'b>) {
        let file = target.file();
        let content = target.kustomization();
        self.odd_keys(target, &file);
        for (index, entry) in content.resources.iter().flatten().enumerate() {
            let way = way([Key::name("resources"), Key::Item(index)]);
            self.objects(target, &Entry { file: &file, way, text: entry });
        }
        self.tables(target, &file);
        self.generators(target, &file);
        for (index, text) in content.components.iter().flatten().enumerate() {
            let entry = Entry { file: &file, way: way([Key::name("components"), Key::Item(index)]), text };
            if !self.goes_on() {
                return;
            }
            match target.loader.below(text) {
                Ok(below) => self.target(&below, Some(&entry), Use::Component),
                Err(error) => self.at(&error, &entry, &target.loader, Wants::Folder),
            }
        }
        self.patches(target, &file);
        for (field, entries) in [("transformers", &content.transformers), ("validators", &content.validators)]
        {
            self.plugins(target, &file, field, entries.as_deref().unwrap_or_default());
        }
    }

    /// An error at an entry.
    fn at(&mut self, error: &BuildError, entry: &Entry<'_>, loader: &Loader<'_>, wants: Wants) {
        let words = self.words(error);
        self.found(error, || {
            let cycle = error.reference.starts_with("cycle detected").then(|| loader.cycle(entry.text));
            let own = || error.drafts().first().map(|own| own.clone().placed(&entry.place()));
            if let Some(says) = cycle {
                return entry.draft(says);
            }
            let says = || entries::explain(loader, entry.text, wants).map(|says| entry.draft(says));
            own().or_else(says).unwrap_or_else(|| entry.draft(words))
        });
    }

    /// A file of objects, or else a folder.
    fn objects(&mut self, target: &Target<'r, 'b>, entry: &Entry<'_>) {
        if !self.goes_on() {
            return;
        }
        let (loader, text) = (&target.loader, entry.text);
        let as_file = match loader.load(text) {
            Ok(content) => {
                let names = &self.context.names;
                let path = loader.display(text);
                self.keys_of(&path);
                // What the build has read already and says nothing of is good.
                if names.find(&path).is_some() && !self.text.contains(text) {
                    return;
                }
                let Err(error) = parse_resources(&content, Name::EMPTY, names) else { return };
                let draft = match entries::kustomization_file(text) {
                    Some(says) if !error.is_malformed() => entry.draft(says),
                    Some(_) | None => parse_draft(&error, &path, &content, is_utf8(loader, text)),
                };
                self.found(&error.in_file(text), || draft);
                return;
            }
            Err(error) => error,
        };
        if *as_file.kind() == ErrorKind::HttpStatus || !as_file.is_input() {
            self.at(&as_file, entry, loader, Wants::Objects);
            return;
        }
        match loader.below(text) {
            Ok(below) => self.target(&below, Some(entry), Use::Base),
            Err(error) => self.at(&error, entry, loader, Wants::Objects),
        }
    }

    /// A file of any content; whether it is there.
    fn file(&mut self, loader: &Loader<'_>, entry: &Entry<'_>) -> bool {
        if !self.goes_on() {
            return true;
        }
        match loader.load_bytes(entry.text) {
            Ok(_) => true,
            Err(error) => {
                self.at(&error, entry, loader, Wants::File);
                false
            }
        }
    }
}

/// What to say of text that is no JSON patch; `as_objects` is what reading it as objects came to.
pub(crate) fn not_a_json_patch(as_objects: Option<&ParseError>, file: Option<&str>, text: &str) -> Draft {
    match (as_objects.filter(|error| error.is_malformed()), file) {
        (Some(error), file) => not_a_patch(error, (file, true), text),
        (None, Some(file)) => Draft::line(file, None).and(": ").and(patches::not_operations(text, false)),
        (None, None) => patches::not_operations(text, true).into(),
    }
}

/// What to say of text that is no patch, in a file or in the kustomization file itself, beside a target or without one.
pub(crate) fn not_a_patch(error: &ParseError, (file, has_target): (Option<&str>, bool), text: &str) -> Draft {
    let operations = text.trim_start().starts_with(['-', '['])
        || patches::is_operation(text)
        || (file.is_none() && patches::is_path(text));
    let says = if operations && !error.is_malformed() {
        patches::not_operations(text, file.is_none()).to_owned()
    } else {
        let mut cause = parse_cause(error, text, !text.contains('\u{fffd}'));
        if error.text().starts_with("missing metadata.name") && cause.text == error.says() {
            cause.text.push_str(if has_target {
                ": with a target, any name does"
            } else {
                ": it says which object is patched"
            });
        }
        return match file {
            Some(file) => Draft::line(file, cause.line).and(": ").and(cause.text),
            None => format!("line {} of the patch: {}", cause.line.unwrap_or(1), cause.text).into(),
        };
    };
    match file {
        Some(file) => Draft::line(file, error.line()).and(": ").and(says),
        None => says.into(),
    }
}

/// What to say of text that holds no objects.
fn parse_draft(error: &ParseError, file: &str, text: &str, is_utf8: bool) -> Draft {
    let cause = parse_cause(error, text, is_utf8);
    Draft::line(file, cause.line).and(": ").and(cause.text)
}

/// Why a text holds no objects.
fn parse_cause(error: &ParseError, text: &str, is_utf8: bool) -> Cause {
    if error.is_malformed() {
        return syntax_errors::cause(text, is_utf8, error.line(), error.text());
    }
    let says = || {
        let text = syntax_errors::of_value(error.text()).unwrap_or_else(|| error.says());
        Cause { line: error.line(), text: text.to_owned() }
    };
    if !error.text().starts_with("missing ") {
        return says();
    }
    objects::lacking(text, error.line().unwrap_or(1), error.text()).unwrap_or_else(says)
}

fn is_utf8(loader: &Loader<'_>, entry: &str) -> bool {
    loader.load_bytes(entry).is_ok_and(|bytes| std::str::from_utf8(&bytes).is_ok())
}

/// Whether the text of an error has another in it, quoted or not.
fn mentions(text: &str, part: &str) -> bool {
    let mut part = part.trim_end_matches('\n').to_owned();
    if part.is_empty() {
        return false;
    }
    for _ in 0..4 {
        if text.contains(&part) {
            return true;
        }
        let quoted = go::quote(&part);
        quoted.trim_start_matches('"').strip_suffix('"').unwrap_or_default().clone_into(&mut part);
    }
    false
}

/// What an error says happened, without what it quotes, which may be secret.
fn last_words(error: &BuildError) -> String {
    let line = error.reference.lines().next().unwrap_or_default();
    let words = line.split(['"', '`', '{', '[']).next().unwrap_or_default();
    let words = words.trim_end_matches([' ', ':', ';', ',']);
    if words.is_empty() { "this entry cannot be used".to_owned() } else { words.to_owned() }
}
