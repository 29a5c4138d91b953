//! Files as hints show them, and the lines of what they hold.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use millrace_yaml::read::{Lined, LinedValue, Resolver, lined};

use super::Key;
use super::near::shown;
use crate::fs::{FileSystem, clean, starts_with};
use crate::options::Options;

/// Larger files are named without a line.
const LARGEST: usize = 16 << 20;
/// Bytes of all files that are read for their lines: what is read is kept.
const MOST_BYTES: usize = 32 << 20;
/// Files that are read for their lines.
const MAX_FILES: usize = 50;

/// Looks up lines, reading each file once.
pub(crate) struct Places<'p> {
    pub(super) files: &'p dyn FileSystem,
    options: &'p Options,
    read: RefCell<HashMap<String, Rc<[Lined]>>>,
    /// Bytes that may still be read.
    left: Cell<usize>,
    /// For files that were asked for, whether the build saw them as a person knows them.
    originals: RefCell<HashMap<String, bool>>,
}

impl<'p> Places<'p> {
    pub(crate) fn new(files: &'p dyn FileSystem, options: &'p Options) -> Self {
        let (read, originals) = (RefCell::default(), RefCell::default());
        Self { files, options, read, left: Cell::new(MOST_BYTES), originals }
    }

    /// A file, and its line where that is known.
    pub(super) fn at(&self, file: &str, line: Option<usize>) -> String {
        let file = self.file(file);
        line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"))
    }

    /// A path as a person knows it: below the tree's root, or seen from where the command was called.
    pub(super) fn file(&self, path: &str) -> String {
        let root = self.options.root.as_str();
        if !root.is_empty() {
            return match below(path, root) {
                Some("") => ".".to_owned(),
                Some(below) => shown(below),
                None => shown(path),
            };
        }
        match &self.options.working_folder {
            Some(here) => shown(&seen_from(path, here)),
            None => shown(path),
        }
    }

    /// Whether the build saw the file as a person knows it.
    pub(super) fn is_original(&self, file: &str) -> bool {
        if let Some(known) = self.originals.borrow().get(file) {
            return *known;
        }
        let is_original = self.path(file).is_some_and(|path| {
            let original = self.files.original(path);
            original.is_some_and(|original| self.files.read(path).is_ok_and(|read| read == original))
        });
        self.originals.borrow_mut().insert(file.to_owned(), is_original);
        is_original
    }

    /// The line of a value of a kustomization file.
    pub(super) fn field(&self, file: &str, way: &[Key], value: Option<&str>) -> Option<usize> {
        let documents = self.lines(file);
        let top = documents.first()?;
        let found = walk(top, way).filter(|found| value.is_none_or(|value| found.text() == Some(value)));
        let Some(value) = value else { return Some(found?.line) };
        found.or_else(|| elsewhere(top, way, value)).map(|found| found.line)
    }

    /// The line on which an object begins, of those of one kind, name and namespace the one with a number.
    pub(super) fn object(
        &self,
        file: &str,
        (kind, name, namespace): (&str, &str, &str),
        number: usize,
    ) -> Option<usize> {
        let documents = self.lines(file);
        let is_it = |object: &&Lined| {
            let stated = text_of(object.key("metadata"), "namespace");
            let same = match namespace {
                "default" => stated.is_empty() || stated == namespace,
                "_non_namespaceable_" => true,
                namespace => stated == namespace,
            };
            is_called(object, kind, name) && same
        };
        let items = documents.iter().filter_map(|document| document.key("items")).flat_map(Lined::items);
        let found = documents.iter().chain(items).filter(is_it).nth(number).map(|object| object.line);
        found.or_else(|| {
            documents.iter().find_map(|document| generator(document, (kind, name, namespace), number))
        })
    }

    /// The line on which a key of an object stands again.
    pub(super) fn repeated(&self, file: &str, kind: &str, name: &str, key: &str) -> Option<usize> {
        let documents = self.lines(file);
        documents.iter().filter(|object| is_called(object, kind, name)).find_map(|object| again(object, key))
    }

    /// The first line of a file on which a key stands again in one map.
    pub(super) fn repeated_anywhere(&self, file: &str, key: &str) -> Option<usize> {
        self.lines(file).iter().find_map(|document| again(document, key))
    }

    /// The line and the text of a key of a map in a file.
    pub(super) fn written(
        &self,
        file: &str,
        way: &[Key],
        is_it: impl Fn(&str) -> bool,
    ) -> Option<(usize, String)> {
        let documents = self.lines(file);
        let LinedValue::Map(entries) = &walk(documents.first()?, way)?.value else { return None };
        entries.iter().find(|(key, _)| is_it(key)).map(|(key, value)| (value.line, key.clone()))
    }

    /// Whether an object of a file has a key that is so.
    pub(super) fn has_key_in(
        &self,
        file: &str,
        kind: &str,
        name: &str,
        is_it: impl Fn(&str) -> bool,
    ) -> bool {
        self.lines(file).iter().any(|object| is_called(object, kind, name) && has_key(object, &is_it))
    }

    /// How many objects a file states or generates.
    pub(super) fn objects_of(&self, file: &str) -> usize {
        let is_object = |object: &&Lined| !text_of(object.key("metadata"), "name").is_empty();
        let lists = ["items", "configMapGenerator", "secretGenerator"];
        let documents = self.lines(file);
        let items = |document: &Lined| -> usize {
            lists.iter().filter_map(|list| document.key(list)).map(|list| list.items().len()).sum()
        };
        documents.iter().filter(is_object).count() + documents.iter().map(items).sum::<usize>()
    }

    /// Whether an item of a list of objects stands elsewhere in the file.
    pub(super) fn has_alias(&self, file: &str) -> bool {
        let documents = self.lines(file);
        let mut items = documents.iter().filter_map(|document| document.key("items")).flat_map(Lined::items);
        items.any(|item| matches!(item.value, LinedValue::Alias))
    }

    /// What the file holds, with lines; nothing where it isn't to be had as a person knows it.
    fn lines(&self, file: &str) -> Rc<[Lined]> {
        if let Some(read) = self.read.borrow().get(file) {
            return Rc::clone(read);
        }
        let mut read = self.read.borrow_mut();
        if read.len() >= MAX_FILES {
            return Rc::new([]);
        }
        let original = self.path(file).and_then(|path| self.files.original(path));
        let text = original.as_ref().and_then(|content| std::str::from_utf8(content).ok());
        let largest = self.left.get().min(LARGEST);
        let text = text.filter(|text| text.len() <= largest).unwrap_or_default();
        self.left.set(self.left.get() - text.len());
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines: Rc<[Lined]> = lined(text, Resolver::Kustomize).into();
        read.insert(file.to_owned(), Rc::clone(&lines));
        lines
    }

    fn path<'f>(&self, file: &'f str) -> Option<&'f str> {
        below(file, &self.options.root)
    }
}

fn text_of<'l>(of: Option<&'l Lined>, key: &str) -> &'l str {
    of.and_then(|of| of.key(key)).and_then(Lined::text).unwrap_or_default()
}

fn is_called(object: &Lined, kind: &str, name: &str) -> bool {
    text_of(Some(object), "kind") == kind && text_of(object.key("metadata"), "name") == name
}

fn has_key(value: &Lined, is_it: &dyn Fn(&str) -> bool) -> bool {
    match &value.value {
        LinedValue::Map(entries) => entries.iter().any(|(key, value)| is_it(key) || has_key(value, is_it)),
        LinedValue::List(items) => items.iter().any(|item| has_key(item, is_it)),
        LinedValue::Scalar(_) | LinedValue::Alias => false,
    }
}

/// The line on which a key stands for the second time in one map.
fn again(value: &Lined, key: &str) -> Option<usize> {
    match &value.value {
        LinedValue::Map(entries) => {
            let second = entries.iter().filter(|(name, _)| name == key).nth(1).map(|(_, value)| value.line);
            second.or_else(|| entries.iter().find_map(|(_, value)| again(value, key)))
        }
        LinedValue::List(items) => items.iter().find_map(|item| again(item, key)),
        LinedValue::Scalar(_) | LinedValue::Alias => None,
    }
}

/// `path` as it is below `root`.
fn below<'f>(path: &'f str, root: &str) -> Option<&'f str> {
    starts_with(path, root).then(|| path[root.len()..].trim_start_matches('/'))
}

/// The way from one folder to a path, where the two have more in common than the root.
fn seen_from(path: &str, here: &str) -> String {
    let (to, from): (Vec<&str>, Vec<&str>) = (path.split('/').collect(), here.split('/').collect());
    let common = to.iter().zip(&from).take_while(|(to, from)| to == from).count();
    if common <= 1 {
        return path.to_owned();
    }
    let up = "../".repeat(from.len() - common);
    let way = format!("{up}{}", to[common..].join("/"));
    match way.trim_end_matches('/') {
        "" => ".".to_owned(),
        way => way.to_owned(),
    }
}

/// The way from one folder to a path, as an entry would say it.
pub(super) fn entry_to(path: &str, folder: &str) -> String {
    let parts =
        |path| clean(path).split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let (to, from) = (parts(path), parts(folder));
    let common = to.iter().zip(&from).take_while(|(to, from)| to == from).count();
    let way = format!("{}{}", "../".repeat(from.len() - common), to[common..].join("/"));
    match way.trim_end_matches('/') {
        "" => ".".to_owned(),
        way => way.to_owned(),
    }
}

fn walk<'l>(top: &'l Lined, way: &[Key]) -> Option<&'l Lined> {
    way.iter().try_fold(top, |at, key| match key {
        Key::Name(name) => at.key(name),
        Key::Item(index) => at.items().get(*index),
    })
}

/// The value where lists were put together of several fields, or begin with items that the file doesn't have.
fn elsewhere<'l>(top: &'l Lined, way: &[Key], value: &str) -> Option<&'l Lined> {
    let [above @ .., field, Key::Item(_)] = way else { return None };
    let Key::Name(field) = field else { return None };
    let older = match &**field {
        "resources" => "bases",
        "envs" => "env",
        _ => "",
    };
    let above = walk(top, above)?;
    [&**field, older].into_iter().filter_map(|field| above.key(field)).find_map(|found| {
        let is_it = |item: &&Lined| item.text() == Some(value);
        if found.text() == Some(value) { Some(found) } else { found.items().iter().find(is_it) }
    })
}

/// The entry of a kustomization file that generates an object.
fn generator(document: &Lined, (kind, name, namespace): (&str, &str, &str), number: usize) -> Option<usize> {
    let field = match kind {
        "ConfigMap" => "configMapGenerator",
        "Secret" => "secretGenerator",
        _ => return None,
    };
    let is_called = |entry: &&Lined| text_of(Some(entry), "name") == name;
    let is_it = |entry: &&Lined| match (text_of(Some(entry), "namespace"), namespace) {
        (stated, "default") => stated.is_empty() || stated == namespace,
        (stated, namespace) => stated == namespace,
    };
    let called: Vec<&Lined> = document.key(field)?.items().iter().filter(is_called).collect();
    let found = called.iter().filter(|entry| is_it(entry)).nth(number);
    found.or_else(|| called.get(number)).map(|entry| entry.line)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::fs::{FileKind, ReadError};

    /// Files of one content, which counts how often they are read.
    #[derive(Debug)]
    struct Counted(Vec<u8>, Cell<usize>);

    impl FileSystem for Counted {
        fn kind(&self, _: &str) -> Option<FileKind> {
            Some(FileKind::File)
        }

        fn read(&self, _: &str) -> Result<Cow<'_, [u8]>, ReadError> {
            self.1.set(self.1.get() + 1);
            Ok(Cow::Borrowed(&self.0))
        }

        fn list(&self, _: &str) -> Option<Vec<String>> {
            None
        }
    }

    #[test]
    fn a_file_is_compared_with_its_original_once() {
        let (files, options) = (Counted(b"a: b".to_vec(), Cell::new(0)), Options::cli("/r"));
        let places = Places::new(&files, &options);
        assert!(places.is_original("/r/a.yaml"));
        let read = files.1.get();
        assert!(places.is_original("/r/a.yaml"));
        assert_eq!(files.1.get(), read);
    }

    #[test]
    fn beyond_a_size_of_all_files_together_none_has_lines() {
        let text = format!("a: b # {}", "x".repeat(MOST_BYTES / 3));
        let (files, options) = (Counted(text.into_bytes(), Cell::new(0)), Options::cli("/r"));
        let places = Places::new(&files, &options);
        let line = |file: &str| places.field(file, &[Key::name("a")], None);
        assert_eq!(["/r/1", "/r/2", "/r/3", "/r/1"].map(line), [Some(1), Some(1), None, Some(1)]);
    }

    #[test]
    fn paths_are_seen_from_where_the_command_was_called() {
        for (path, here, seen) in [
            ("/home/me/repo/a/k.yaml", "/home/me/repo", "a/k.yaml"),
            ("/home/me/repo/b/k.yaml", "/home/me/repo/a", "../b/k.yaml"),
            ("/home/me/repo", "/home/me/repo", "."),
            ("/tmp/k.yaml", "/home/me", "/tmp/k.yaml"),
            ("/k.yaml", "/", "/k.yaml"),
        ] {
            assert_eq!(seen_from(path, here), seen, "{path} from {here}");
        }
        assert_eq!(entry_to("/r/base", "/r/app"), "../base");
        assert_eq!(entry_to("/r/app/x/a.yaml", "/r/app"), "x/a.yaml");
        assert_eq!(entry_to("/app", "/"), "app");
    }
}
