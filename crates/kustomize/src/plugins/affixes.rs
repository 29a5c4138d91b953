//! How the plugins for prefixes and suffixes are configured.
//!
//! The reference reads their configuration as YAML, all others' through JSON: names of fields must be exact, a null item is
//! none at all, and errors tell lines of the configuration as it is printed.

use millrace_yaml::read::{Lined, LinedValue, Resolver, lined};
use millrace_yaml::{Node, ScalarKind};

use crate::error::{BuildError, Result};
use crate::kustomization::FieldSpec;
use crate::syntax;
use crate::tables::Row;

/// So many bytes of a value are shown where it is longer than [`LONGEST_SHOWN`].
const SHOWN: usize = 7;
const LONGEST_SHOWN: usize = 10;

/// More faults than these are not told.
const MAX_FAULTS: usize = 1_000;

/// What words stand for in quotes where a boolean is wanted.
const TRUE_WORDS: [&str; 8] = ["y", "Y", "yes", "Yes", "YES", "on", "On", "ON"];
const FALSE_WORDS: [&str; 8] = ["n", "N", "no", "No", "NO", "off", "Off", "OFF"];

/// The text in `field`, and the fields that it is put into.
pub(super) fn decode(config: &Node, field: &str) -> Result<(String, Vec<Row>)> {
    let printed = lined(&syntax::print_sorted(config), Resolver::Kustomize);
    let (mut text, mut rows) = (String::new(), None);
    let mut faults = Faults::default();
    if let Some(top) = printed.first() {
        for (key, node, at) in entries(config, top) {
            match key {
                "fieldSpecs" => rows = faults.rows(node, at),
                key if key == field => faults.text(node, at, &mut text),
                _ => {}
            }
        }
    }
    faults.check()?;
    let rows = rows.ok_or_else(|| BuildError::new("fieldSpecs is not expected to be nil"))?;
    Ok((text, rows))
}

/// The values of a map as it is printed, each with where it stands.
fn entries<'n>(node: &'n Node, at: &'n Lined) -> Vec<(&'n str, &'n Node, &'n Lined)> {
    let (Some(map), LinedValue::Map(printed)) = (node.as_map(), &at.value) else { return Vec::new() };
    // Both are in the order in which the configuration is printed.
    map.iter().zip(printed).map(|((key, value), (_, at))| (key, value, at)).collect()
}

/// Values that are not of the type that is wanted.
#[derive(Default)]
struct Faults(Vec<String>);

impl Faults {
    fn check(self) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        Err(BuildError::new(format!("yaml: unmarshal errors:\n{}", self.0.join("\n"))))
    }

    fn add(&mut self, node: &Node, at: &Lined, wanted: &str) {
        if self.0.len() >= MAX_FAULTS {
            return;
        }
        let value = shown(node);
        self.0.push(format!("  line {}: cannot unmarshal {value} into {wanted}", line(at)));
    }

    fn text(&mut self, node: &Node, at: &Lined, text: &mut String) {
        match node {
            Node::Scalar(scalar) if scalar.kind() == ScalarKind::Null => {}
            Node::Scalar(scalar) => scalar.text().clone_into(text),
            Node::List(_) | Node::Map(_) => self.add(node, at, "string"),
        }
    }

    fn flag(&mut self, node: &Node, at: &Lined, flag: &mut bool) {
        let word = node.as_str().unwrap_or_default();
        match node.as_bool() {
            _ if node.is_null() => {}
            Some(value) => *flag = value,
            None if TRUE_WORDS.contains(&word) => *flag = true,
            None if FALSE_WORDS.contains(&word) => *flag = false,
            None => self.add(node, at, "bool"),
        }
    }

    fn rows(&mut self, node: &Node, at: &Lined) -> Option<Vec<Row>> {
        let Node::List(items) = node else {
            if !node.is_null() {
                self.add(node, at, "types.FsSlice");
            }
            return None;
        };
        let items = items.iter().zip(at.items()).filter(|(item, _)| !item.is_null());
        Some(items.map(|(item, at)| Row::from(&self.field(item, at))).collect())
    }

    fn field(&mut self, node: &Node, at: &Lined) -> FieldSpec {
        let mut field = FieldSpec::default();
        if node.as_map().is_none() {
            self.add(node, at, "types.FieldSpec");
        }
        for (key, value, at) in entries(node, at) {
            match key {
                "group" => self.text(value, at, &mut field.group),
                "version" => self.text(value, at, &mut field.version),
                "kind" => self.text(value, at, &mut field.kind),
                "path" => self.text(value, at, &mut field.path),
                "create" => self.flag(value, at, &mut field.create),
                _ => {}
            }
        }
        field
    }
}

/// The line on which a value itself begins: that of its first child, if it has any.
fn line(at: &Lined) -> usize {
    let first = match &at.value {
        LinedValue::List(items) => items.first(),
        LinedValue::Map(entries) => entries.first().map(|(_, value)| value),
        LinedValue::Scalar(_) | LinedValue::Alias => None,
    };
    first.map_or(at.line, |first| first.line)
}

fn shown(node: &Node) -> String {
    match node {
        Node::Map(_) => "!!map".to_owned(),
        Node::List(_) => "!!seq".to_owned(),
        Node::Scalar(scalar) => format!("!!{} `{}`", scalar.kind().tag(), shortened(scalar.text())),
    }
}

fn shortened(text: &str) -> String {
    if text.len() <= LONGEST_SHOWN {
        return text.to_owned();
    }
    format!("{}...", String::from_utf8_lossy(&text.as_bytes()[..SHOWN]))
}
