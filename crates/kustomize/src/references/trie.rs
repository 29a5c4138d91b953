//! The fields of one kind that hold names, as one tree that is walked once per object.

use std::rc::Rc;

use millrace_yaml::Node;

use crate::fields::{self, split_path};
use crate::resource::{Gvk, Names};
use crate::tables::{NameReference, Selector};

/// What a field refers to.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) referent: Selector,
    pub(super) path: Rc<str>,
    /// Whether the field is the name of a role reference, whose group and kind stand beside it.
    pub(super) role: bool,
}

/// The fields of one kind that hold names.
#[derive(Debug, Default)]
pub(super) struct Trie {
    rules: Vec<Rule>,
    fields: Vec<Field>,
}

/// A segment of paths, and what lies below it.
#[derive(Debug)]
struct Field {
    name: Box<str>,
    /// Whether the segment is a key of maps as it stands.
    is_key: bool,
    below: Trie,
}

/// Why a walk ended.
#[derive(Debug)]
pub(super) struct Fault {
    /// The path of the rule that was followed.
    path: Rc<str>,
    /// What the walk was at.
    context: String,
    cause: Cause,
}

/// What is wrong with a reference.
#[derive(Debug)]
pub(super) enum Cause {
    /// A message.
    Text(String),
    /// The objects it may refer to.
    Ambiguous(Vec<usize>),
}

/// What happens at a field; says whether it lies within another one that was visited just before.
pub(super) type Visit<'v> = &'v mut dyn FnMut(&mut Node, &[Rule], bool) -> Result<(), Fault>;

impl Fault {
    pub(super) fn new(rule: &Rule, cause: Cause) -> Self {
        Self { path: Rc::clone(&rule.path), context: String::new(), cause }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn context(&self) -> &str {
        &self.context
    }

    pub(super) fn cause(&self) -> &Cause {
        &self.cause
    }
}

impl Trie {
    pub(super) fn new(rows: &[NameReference], gvk: Gvk, names: &Names) -> Self {
        let mut root = Self::default();
        for reference in rows {
            for row in reference.referrers.iter().filter(|row| row.of.selects(gvk, names)) {
                root.add(&reference.referent, &row.path);
            }
        }
        root
    }

    /// A tree for each row alone, in order.
    pub(super) fn of_each_row(rows: &[NameReference], gvk: Gvk, names: &Names) -> impl Iterator<Item = Self> {
        let referrers =
            rows.iter().flat_map(|reference| reference.referrers.iter().map(move |row| (reference, row)));
        referrers.filter(move |(_, row)| row.of.selects(gvk, names)).map(|(reference, row)| {
            let mut root = Self::default();
            root.add(&reference.referent, &row.path);
            root
        })
    }

    fn add(&mut self, referent: &Selector, path: &str) {
        let mut at = self;
        for segment in split_path(path) {
            let segment = segment.strip_suffix("[]").map_or(segment.clone(), Box::from);
            let position = at.fields.iter().position(|field| field.name == segment).unwrap_or_else(|| {
                let is_key = fields::is_key(&segment);
                at.fields.push(Field { name: segment, is_key, below: Self::default() });
                at.fields.len() - 1
            });
            at = &mut at.fields[position].below;
        }
        let role = path.ends_with("roleRef/name");
        at.rules.push(Rule { referent: referent.clone(), path: Rc::from(path), role });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.fields.is_empty()
    }

    /// Visits every field of an object that a rule leads to.
    pub(super) fn walk(&self, node: &mut Node, visit: Visit<'_>) -> Result<(), Fault> {
        self.walk_within(node, false, visit)
    }

    fn walk_within(&self, node: &mut Node, is_within: bool, visit: Visit<'_>) -> Result<(), Fault> {
        if !self.rules.is_empty() {
            visit(node, &self.rules, is_within)?;
        }
        if self.fields.is_empty() {
            return Ok(());
        }
        self.children_of(node, is_within || !self.rules.is_empty(), visit)
    }

    fn children_of(&self, node: &mut Node, is_within: bool, visit: Visit<'_>) -> Result<(), Fault> {
        match node {
            node if node.is_null() => Ok(()),
            Node::List(items) => items
                .iter_mut()
                .try_for_each(|item| self.children_of(item, is_within, visit))
                .map_err(|fault| {
                    let context = format!(
                        "visit traversal on path: [{}]: {}",
                        self.rest_of(&fault.path),
                        fault.context
                    );
                    Fault { context, ..fault }
                }),
            Node::Map(_) => self.fields.iter().try_for_each(|field| {
                let Field { name, is_key, below } = field;
                let key = if *is_key {
                    name
                } else {
                    fields::key_in(node, name).map_err(|fault| below.fault(fault.text))?
                };
                match node.as_map_mut().and_then(|map| map.get_mut(key)) {
                    Some(value) => below.walk_within(value, is_within, visit),
                    None => Ok(()),
                }
            }),
            Node::Scalar(_) => Err(self.fault("expected sequence or mapping node".to_owned())),
        }
    }

    /// The failure of the first rule at or below this point.
    fn fault(&self, text: String) -> Fault {
        Fault { path: self.first_path(), context: String::new(), cause: Cause::Text(text) }
    }

    /// The path of the first rule at or below this point.
    fn first_path(&self) -> Rc<str> {
        match (self.rules.first(), self.fields.first()) {
            (Some(rule), _) => Rc::clone(&rule.path),
            (None, Some(field)) => field.below.first_path(),
            (None, None) => Rc::from(""),
        }
    }

    /// The segments of a rule's path that lie below this point.
    fn rest_of(&self, path: &str) -> String {
        let segments = split_path(path);
        let below = segments.iter().skip(segments.len().saturating_sub(self.depth_to(path).unwrap_or(0)));
        below.map(|segment| &**segment).collect::<Vec<&str>>().join(" ")
    }

    fn depth_to(&self, path: &str) -> Option<usize> {
        if self.rules.iter().any(|rule| &*rule.path == path) {
            return Some(0);
        }
        self.fields.iter().find_map(|field| field.below.depth_to(path)).map(|depth| depth + 1)
    }
}
