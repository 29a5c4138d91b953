//! From the tree back to text, as go-yaml's emitter writes it.
//!
//! The emitter is a machine whose state decides where spaces, line breaks and comments go, and comments may wait in it for
//! an event that has room for them. The same state is kept here, and changed in the same order.

mod analysis;
mod collection;
mod comment;
mod scalar;
mod tag;

use super::Node;
use super::node::{Comments, Content};

/// By how much a level of nesting is indented.
const INDENT: isize = 2;

/// A document as text; `None` where it would be longer than `limit` bytes.
pub(super) fn document(head: &str, root: &Node, foot: &str, limit: usize) -> Option<String> {
    let mut printer = Printer {
        out: String::new(),
        limit,
        column: 0,
        indent: -1,
        indents: Vec::new(),
        whitespace: true,
        indention: true,
        foot_indent: None,
        flow_level: 0,
        in_map: false,
        in_item: false,
        simple_key: false,
        waiting: Waiting::default(),
    };
    printer.document(head, root, foot);
    (printer.out.len() <= limit).then_some(printer.out)
}

/// Whether a text that is no key, and stands in no braces, may be printed as a block.
pub(super) fn allows_block(text: &str) -> bool {
    analysis::analyze(text).block
}

/// Writes nodes at the end of `out`; stops somewhere behind the limit.
struct Printer<'n> {
    out: String,
    limit: usize,
    column: isize,
    indent: isize,
    indents: Vec<isize>,
    /// Whether the last character separates.
    whitespace: bool,
    /// Whether nothing but indentation and indicators stand on this line.
    indention: bool,
    /// The indentation of the foot comment that was written last: a blank line separates it from what follows there.
    foot_indent: Option<isize>,
    flow_level: usize,
    /// Whether the node that was begun last is a key or a value, an item of a block list, a simple key.
    in_map: bool,
    in_item: bool,
    simple_key: bool,
    waiting: Waiting<'n>,
}

/// Comments that wait to be written.
#[derive(Clone, Copy, Default)]
struct Waiting<'n> {
    head: &'n str,
    line: &'n str,
    foot: &'n str,
    /// The foot of the entry before.
    tail: &'n str,
    /// What stood behind a key, as its value begins on another line.
    key_line: &'n str,
}

/// Where a node begins.
#[derive(Clone, Copy)]
enum Place {
    /// As the root, or in a flow list.
    Plain,
    /// In a block list.
    Item,
    Key {
        simple: bool,
    },
    Value,
}

impl<'n> Printer<'n> {
    fn document(&mut self, head: &'n str, root: &'n Node, foot: &'n str) {
        if !head.is_empty() {
            self.waiting.head = head;
            self.write_head();
            self.put_break();
        }
        self.announce(root, "");
        self.write_head();
        self.begin(root, Place::Plain);
        self.write_line();
        self.write_foot();
        self.finish(root, &root.comments().foot);
        if !foot.is_empty() {
            self.waiting.foot = foot;
        }
        self.foot_indent = Some(0);
        self.write_foot();
        self.foot_indent = None;
        self.write_indent();
    }

    /// Makes the comments wait that come with a node's beginning, and the foot of the entry before it.
    fn announce(&mut self, node: &'n Node, tail: &'n str) {
        let Comments { head, line, foot } = node.comments();
        let (tail, line, foot) = match node.content {
            Content::Scalar { .. } => (tail, &**line, &**foot),
            Content::Alias(_) => ("", &**line, &**foot),
            Content::List { .. } => ("", "", ""),
            Content::Map { .. } => (tail, "", ""),
        };
        self.wait(head, line, foot, tail);
    }

    fn wait(&mut self, head: &'n str, line: &'n str, foot: &'n str, tail: &'n str) {
        let Waiting { head: old_head, line: old_line, foot: old_foot, tail: old_tail, key_line: _ } =
            &mut self.waiting;
        for (old, new) in [(old_head, head), (old_line, line), (old_foot, foot), (old_tail, tail)] {
            if !new.is_empty() {
                *old = new;
            }
        }
    }

    /// Writes a scalar or an alias, or what stands before a collection.
    fn begin(&mut self, node: &'n Node, place: Place) {
        self.in_map = matches!(place, Place::Key { .. } | Place::Value);
        self.in_item = matches!(place, Place::Item);
        self.simple_key = matches!(place, Place::Key { simple: true });
        match &node.content {
            Content::Alias(name) => self.write_name("*", name),
            Content::Scalar { text, style } => self.scalar(node, text, *style),
            Content::List { .. } | Content::Map { .. } => {
                self.write_anchor(node);
                let tag = tag::presented(node);
                self.write_tag(tag.as_ref());
            }
        }
    }

    /// Writes what follows the beginning of a collection; `foot` goes below it.
    fn finish(&mut self, node: &'n Node, foot: &'n str) {
        if self.is_full() {
            return;
        }
        match &node.content {
            Content::List { items, flow } if *flow || items.is_empty() || self.flow_level > 0 => {
                self.flow_list(node, items, foot);
            }
            Content::List { items, .. } => self.block_list(node, items, foot),
            Content::Map { entries, flow } if *flow || entries.is_empty() || self.flow_level > 0 => {
                self.flow_map(node, entries, foot);
            }
            Content::Map { entries, .. } => self.block_map(node, entries, foot),
            Content::Scalar { .. } | Content::Alias(_) => {}
        }
    }

    fn write_anchor(&mut self, node: &Node) {
        if let Some(name) = &node.anchor {
            self.write_name("&", name);
        }
    }

    fn write_name(&mut self, indicator: &str, name: &str) {
        self.write_indicator(indicator, true, false, false);
        self.put_str(name);
        (self.whitespace, self.indention) = (false, false);
    }

    fn is_full(&self) -> bool {
        self.out.len() > self.limit
    }

    fn put(&mut self, character: char) {
        self.out.push(character);
        self.column += 1;
    }

    fn put_str(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.chars().count().cast_signed();
    }

    fn put_break(&mut self) {
        self.put_any_break('\n');
    }

    fn put_any_break(&mut self, character: char) {
        self.out.push(character);
        self.column = 0;
        self.indention = true;
    }

    /// Goes to the indentation, on a new line if need be.
    fn write_indent(&mut self) {
        let indent = self.indent.max(0);
        if !self.indention || self.column > indent || (self.column == indent && !self.whitespace) {
            self.put_break();
        }
        if self.foot_indent.take() == Some(indent) {
            self.put_break();
        }
        while self.column < indent && !self.is_full() {
            self.put(' ');
        }
        self.whitespace = true;
    }

    fn write_indicator(&mut self, indicator: &str, separate: bool, is_whitespace: bool, is_indention: bool) {
        if separate && !self.whitespace {
            self.put(' ');
        }
        self.put_str(indicator);
        self.whitespace = is_whitespace;
        self.indention &= is_indention;
    }

    fn increase_indent(&mut self, flow: bool, compact: bool) {
        self.indents.push(self.indent);
        if self.indent < 0 {
            self.indent = if flow { INDENT } else { 0 };
        } else if self.in_item {
            self.indent += 2;
        } else {
            self.indent = INDENT * ((self.indent + INDENT) / INDENT) - if compact { 2 } else { 0 };
        }
    }

    fn decrease_indent(&mut self) {
        self.indent = self.indents.pop().unwrap_or(-1);
    }
}
