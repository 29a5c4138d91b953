//! What paths walk over: objects, and structured text inside of them.

use millrace_yaml::read::Limits;
use millrace_yaml::{Node, Scalar, ScalarKind, Style, styled};

use super::walk::Make;
use crate::fields;
use crate::syntax;

/// A tree that a path leads through, with what the reference's node tree does for it.
pub(super) trait Tree: Sized {
    /// One step of the way to a value, as far as it is of use.
    type Step: Copy;

    /// The reference's word for what a node is.
    fn kind(&self) -> &'static str;
    /// Whether it is of the type null: a path may end there, but goes nowhere.
    fn is_null(&self) -> bool;
    /// A scalar's text.
    fn as_text(&self) -> Option<&str>;
    fn field(&self, name: &str) -> Option<&Self>;
    /// A field and the step to it.
    fn field_mut(&mut self, name: &str) -> Option<(Self::Step, &mut Self)>;
    /// Adds a field to a map.
    fn push_field(&mut self, name: &str, value: Self);
    fn items_mut(&mut self) -> Option<&mut [Self]>;
    /// The step to an item.
    fn item_step(index: usize) -> Self::Step;
    /// Adds an item to a list, nothing to anything else.
    fn push_item(&mut self, item: Self);
    /// An empty node, its type still open.
    fn made(make: Make) -> Self;
    /// A scalar that means what it reads as.
    fn plain(text: &str) -> Self;
    /// The text of the node as the reference prints it.
    fn print(&self) -> String;

    /// The message where a node is of the wrong kind.
    fn wrong_kind(&self, expected: &str) -> String {
        wrong_kind(expected, self.kind(), &self.print())
    }
}

pub(super) fn wrong_kind(expected: &str, kind: &str, shown: &str) -> String {
    format!("wrong node kind: expected {expected} but got {kind}: node contents:\n{shown}")
}

impl Tree for Node {
    /// The position among the values of a map or list.
    type Step = usize;

    fn kind(&self) -> &'static str {
        fields::node_kind(self)
    }

    fn is_null(&self) -> bool {
        Node::is_null(self)
    }

    fn as_text(&self) -> Option<&str> {
        self.as_scalar().map(Scalar::text)
    }

    fn field(&self, name: &str) -> Option<&Self> {
        self.get(name)
    }

    fn field_mut(&mut self, name: &str) -> Option<(usize, &mut Self)> {
        let mut fields = self.as_map_mut()?.iter_mut().enumerate();
        fields.find(|(_, (key, _))| *key == name).map(|(position, (_, value))| (position, value))
    }

    fn push_field(&mut self, name: &str, value: Self) {
        if let Node::Map(map) = self {
            map.push(syntax::key(name), value);
        }
    }

    fn items_mut(&mut self) -> Option<&mut [Self]> {
        self.as_list_mut().map(|items| &mut **items)
    }

    fn item_step(index: usize) -> usize {
        index
    }

    fn push_item(&mut self, item: Self) {
        if let Some(items) = self.as_list_mut() {
            items.push(item);
        }
    }

    fn made(make: Make) -> Self {
        match make {
            Make::Scalar => Node::Scalar(Scalar::untyped("", ScalarKind::Null, Style::Plain)),
            Make::List => Node::list(Vec::new()),
            Make::Map => Node::map(),
        }
    }

    fn plain(text: &str) -> Self {
        syntax::untyped(text)
    }

    fn print(&self) -> String {
        Tree::print(&styled::Node::from(self))
    }
}

impl Tree for styled::Node {
    /// Its values are written while the walk is there.
    type Step = ();

    fn kind(&self) -> &'static str {
        match styled::Node::kind(self) {
            styled::Kind::Scalar => "ScalarNode",
            styled::Kind::List => "SequenceNode",
            styled::Kind::Map => "MappingNode",
            styled::Kind::Alias => "AliasNode",
        }
    }

    fn is_null(&self) -> bool {
        styled::Node::is_null(self)
    }

    fn as_text(&self) -> Option<&str> {
        (styled::Node::kind(self) == styled::Kind::Scalar).then(|| self.text())
    }

    fn field(&self, name: &str) -> Option<&Self> {
        self.get(name)
    }

    fn field_mut(&mut self, name: &str) -> Option<((), &mut Self)> {
        Some(((), self.get_mut(name)?))
    }

    fn push_field(&mut self, name: &str, value: Self) {
        self.push_entry(name, value);
    }

    fn items_mut(&mut self) -> Option<&mut [Self]> {
        self.as_list_mut().map(|items| &mut **items)
    }

    fn item_step(_: usize) {}

    fn push_item(&mut self, item: Self) {
        if let Some(items) = self.as_list_mut() {
            items.push(item);
        }
    }

    fn made(make: Make) -> Self {
        match make {
            Make::Scalar => styled::Node::untyped(""),
            Make::List => styled::Node::list(),
            Make::Map => styled::Node::map(),
        }
    }

    fn plain(text: &str) -> Self {
        styled::Node::untyped(text)
    }

    fn print(&self) -> String {
        self.print(Limits::default().text_bytes).unwrap_or_default()
    }
}

/// The document that a scalar's text is; `None` where the text has none.
pub(super) fn parse(text: &str) -> Result<Option<styled::Document>, String> {
    styled::Document::read(text, &Limits::default()).map_err(|error| error.to_string())
}

/// A document as text, for messages.
pub(super) fn print(document: &styled::Document) -> String {
    document.print(Limits::default().text_bytes).unwrap_or_default()
}
