//! Objects from text.
//!
//! Contract: kustomize-build §6.2–§6.4.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use millrace_yaml::read::{Document, DuplicateKey, ReadError};
use millrace_yaml::{CanonicalError, List, Map, Node, Style, canonicalize};

use super::history::take_stated;
use super::names::{Name, Names};
use super::object::Resource;
use super::repeated::Repeated;
use crate::error::BuildError;
use crate::hints::Draft;
use crate::syntax;
use crate::text::Source;

/// Text that holds no objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParseError {
    text: String,
    malformed: bool,
    line: Option<usize>,
}

/// What an object lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MetadataError(String);

impl From<ReadError> for ParseError {
    fn from(error: ReadError) -> Self {
        // What aliases and merges make of a document that reads well is not called malformed.
        let text = error.to_string();
        let malformed = text.starts_with("yaml: ");
        let text = if malformed { format!("MalformedYAMLError: {text}") } else { text };
        Self { text, malformed, line: error.line() }
    }
}

impl ParseError {
    fn new(text: impl Into<String>, line: usize) -> Self {
        Self { text: text.into(), malformed: false, line: Some(line) }
    }

    /// What is wrong with an item of a list that passes through JSON: read again, it may be no YAML.
    fn of_item(error: &CanonicalError, item: &Node, line: usize) -> Self {
        match error {
            CanonicalError::Control => {
                Self { text: format!("MalformedYAMLError: {error}"), malformed: true, line: Some(line) }
            }
            error => Self::new(syntax::in_words(error, item), line),
        }
    }

    /// The build error for text that stands in the file of an entry.
    pub(crate) fn in_file(self, entry: &str) -> BuildError {
        if self.malformed {
            BuildError::malformed_yaml(format!("{} in File: {entry}", self.text))
        } else {
            BuildError::new(self.text)
        }
    }

    pub(crate) fn is_malformed(&self) -> bool {
        self.malformed
    }

    /// The line of the text, where it is known.
    pub(crate) fn line(&self) -> Option<usize> {
        self.line
    }

    /// What is wrong with an object, for a hint.
    pub(crate) fn says(&self) -> &'static str {
        if self.text.starts_with("missing Resource metadata") {
            "this is no Kubernetes object: it has no kind and no metadata"
        } else if self.text.starts_with("missing kind") {
            "the object has no kind"
        } else if self.text.starts_with("missing metadata.name") {
            "the object has no metadata.name"
        } else {
            "the objects of this file cannot be read"
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

impl MetadataError {
    pub(crate) fn into_build_error(self, names: &Names, resource: &Resource) -> BuildError {
        let error = BuildError::new(self.0);
        if resource.file.is_empty() {
            error
        } else {
            error.with_hint(Draft::from("the object stands at ").and_object(resource, names))
        }
    }
}

/// An object on its way from text to resource.
struct Parsed {
    node: Node,
    line: usize,
    duplicates: Vec<DuplicateKey>,
    complex_key: Option<ReadError>,
    tab_line: Option<usize>,
}

/// The objects in a text, in order, each with output as far as its keys matter; lists are replaced by their items.
pub(crate) fn parse_resources(
    text: &(impl Source + ?Sized),
    file: Name,
    names: &Names,
) -> Result<Vec<Resource>, ParseError> {
    let resources = parse_any_resources(text, file, names)?;
    match resources.iter().find_map(|resource| resource.complex_key.as_deref()) {
        Some(error) => Err(error.clone().into()),
        None => Ok(resources),
    }
}

/// Like [`parse_resources`], also of objects with keys that are no scalars, which are refused at the end of the build.
pub(crate) fn parse_any_resources(
    text: &(impl Source + ?Sized),
    file: Name,
    names: &Names,
) -> Result<Vec<Resource>, ParseError> {
    let mut objects = documents(text.yaml()?)?;
    objects.retain(|object| object.complex_key.is_some() || !is_empty(&object.node));
    for object in &objects {
        check_metadata(&object.node).map_err(|error| ParseError::new(error.0, object.line))?;
    }
    let objects = expand_lists(objects)?;
    Ok(objects
        .into_iter()
        .map(|object| {
            let repeated = Repeated::of(&object.node, &object.duplicates);
            let comment_lines = comments_before_tab(&object);
            let mut resource = Resource::new(object.node, file, names);
            take_stated(&mut resource, names);
            resource.repeated = repeated;
            resource.comment_lines = comment_lines;
            resource.complex_key = object.complex_key.map(Rc::new);
            resource
        })
        .collect())
}

/// How many lines of comments stand before the first block text that begins with a tab.
fn comments_before_tab(object: &Parsed) -> usize {
    let Some(commented) = object.tab_line else { return 0 };
    let bare = syntax::check_blocks(&object.node).err().and_then(|error| error.line());
    bare.map_or(0, |bare| commented.saturating_sub(bare))
}

/// The documents of a text; where the only one is a list, its items.
fn documents(text: &str) -> Result<Vec<Parsed>, ParseError> {
    let documents = syntax::read_objects(text)?;
    let single = || syntax::is_single_document(text);
    let mut objects = Vec::with_capacity(documents.len());
    for document in documents {
        let Document { node, first_line: line, duplicates, complex_key, tab_line } = document;
        match node {
            Node::Map(map) if is_wrapper(&map) && (complex_key.is_none() || has_items(&map)) && single() => {
                let item = |node: Node| {
                    let repeated = !duplicates.is_empty();
                    let duplicates = if repeated { syntax::repeated_keys(&node) } else { Vec::new() };
                    Parsed { node, line, duplicates, complex_key: complex_key.clone(), tab_line: None }
                };
                objects.extend(unwrapped(map).into_iter().map(item));
            }
            node => objects.push(Parsed { node, line, duplicates, complex_key, tab_line }),
        }
    }
    Ok(objects)
}

/// The items of a list that stands for them. To the reference, the items of a map are its keys and its values.
fn unwrapped(map: Map) -> List {
    match map.into_iter().find(|(key, _)| key.text() == "items") {
        Some((_, Node::List(items))) => items,
        Some((_, Node::Map(items))) => {
            items.into_iter().flat_map(|(key, value)| [Node::Scalar(key), value]).collect::<Vec<_>>().into()
        }
        Some((_, Node::Scalar(_))) | None => List::default(),
    }
}

fn has_items(map: &Map) -> bool {
    map.get("items").and_then(Node::as_list).is_some_and(|items| !items.is_empty())
}

fn is_wrapper(map: &Map) -> bool {
    let kind = map.get("kind").and_then(Node::as_scalar).map_or("", |kind| kind.text());
    matches!(kind, "List" | "ResourceList")
        && (map.contains_key("items") || map.contains_key("functionConfig"))
}

/// Replaces objects of list kinds by their items, which go behind everything else of the text.
fn expand_lists(objects: Vec<Parsed>) -> Result<Vec<Parsed>, ParseError> {
    let mut queue = VecDeque::from(objects);
    let mut expanded = Vec::with_capacity(queue.len());
    while let Some(mut object) = queue.pop_front() {
        let kind = super::text_at(&object.node, &["kind"]);
        if !kind.ends_with("List") || object.node.get("items").is_none() {
            expanded.push(object);
            continue;
        }
        let (kind, line) = (kind.to_owned(), object.line);
        let repeated = (!object.duplicates.is_empty()).then(|| ReadError::duplicates(&object.duplicates));
        if let Some(error) = repeated.or(object.complex_key) {
            return Err(ParseError::new(
                format!(
                    "trouble expanding list of {kind}; received error {error} for the following resource:\n{}",
                    syntax::print(&object.node)
                ),
                line,
            ));
        }
        let items = object.node.as_map_mut().and_then(|map| map.remove("items")).unwrap_or_else(Node::null);
        let items = match items {
            items if items.is_null() => continue,
            Node::List(items) => items,
            other => {
                return Err(ParseError::new(
                    format!("expected array in {kind}/items, but found {}", go_type(&other)),
                    line,
                ));
            }
        };
        for item in items.into_iter().filter(|item| !is_empty(item)) {
            // Items pass through JSON, and are not printed as YAML on the way: folded text stays.
            let mut item = item;
            syntax::restyle(&mut item, |_| Style::Plain);
            item.put_in_lines();
            let mut node = item.clone();
            canonicalize(&mut node).map_err(|error| ParseError::of_item(&error, &item, line))?;
            syntax::restyle(&mut node, |_| Style::DoubleQuoted);
            node.put_in_brackets();
            // Each item is read like a text of its own, where a list may stand for what is in it.
            let nodes = match node {
                Node::Map(map) if is_wrapper(&map) => unwrapped(map),
                node => vec![node].into(),
            };
            for node in nodes.into_iter().filter(|node| !is_empty(node)) {
                check_metadata(&node).map_err(|error| ParseError::new(error.0, line))?;
                queue.push_back(Parsed {
                    node,
                    line,
                    duplicates: Vec::new(),
                    complex_key: None,
                    tab_line: None,
                });
            }
        }
    }
    Ok(expanded)
}

/// Checks that an object has a kind, and a name unless it is a list.
pub(crate) fn check_metadata(node: &Node) -> Result<(), MetadataError> {
    let text = |path: &[&str]| match node.at(path) {
        Some(value) if !is_empty(value) => value.as_scalar().map_or("", |scalar| scalar.text()),
        Some(_) | None => "",
    };
    let (kind, name) = (text(&["kind"]), text(&["metadata", "name"]));
    let has = |path: &[&str]| node.at(path).is_some_and(|value| !is_empty(value));
    let stated = [&["apiVersion"][..], &["kind"], &["metadata", "name"], &["metadata", "namespace"]];
    let maps = [&["metadata", "labels"][..], &["metadata", "annotations"]];
    if !stated.into_iter().chain(maps).any(has) {
        return Err(MetadataError("missing Resource metadata".to_owned()));
    }
    let describe = || {
        format!(
            "{{{{{} {kind}}} {{{{{name} {}}} {} {}}}}}",
            text(&["apiVersion"]),
            text(&["metadata", "namespace"]),
            go_map(node, "labels"),
            go_map(node, "annotations")
        )
    };
    if kind.is_empty() {
        return Err(MetadataError(format!("missing kind in object {}", describe())));
    }
    if name.is_empty() && !kind.ends_with("List") {
        return Err(MetadataError(format!("missing metadata.name in object {}", describe())));
    }
    Ok(())
}

/// A map of strings as the reference's language prints it.
fn go_map(node: &Node, field: &str) -> String {
    let Some(map) = node.at(&["metadata", field]).and_then(Node::as_map) else { return "map[]".to_owned() };
    let value_of = |value: &Node| {
        let text = value.as_scalar().filter(|_| !value.is_null());
        text.map_or_else(String::new, |value| value.text().to_owned())
    };
    let mut entries = BTreeMap::new();
    for (key, value) in map.iter() {
        entries.entry(key).or_insert_with(|| value_of(value));
    }
    let entries: Vec<String> = entries.into_iter().map(|(key, value)| format!("{key}:{value}")).collect();
    format!("map[{}]", entries.join(" "))
}

fn is_empty(node: &Node) -> bool {
    match node {
        Node::Map(map) => map.is_empty(),
        Node::List(items) => items.is_empty(),
        Node::Scalar(_) => node.is_null(),
    }
}

fn go_type(node: &Node) -> &'static str {
    use millrace_yaml::ScalarKind;
    match node {
        Node::Map(_) => "map[string]interface {}",
        Node::List(_) => "[]interface {}",
        Node::Scalar(scalar) => match scalar.kind() {
            ScalarKind::Null => "<nil>",
            ScalarKind::Bool => "bool",
            ScalarKind::Int => "int",
            ScalarKind::Float => "float64",
            ScalarKind::Str => "string",
            ScalarKind::Timestamp => "time.Time",
        },
    }
}
