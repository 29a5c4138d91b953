//! Lists and maps.

use super::{Place, Printer, tag};
use crate::styled::Node;
use crate::styled::node::Content;

/// The longest key in bytes that stands on the line of its value without a `?`.
const SIMPLE_KEY_BYTES: usize = 128;

impl<'n> Printer<'n> {
    pub(super) fn block_list(&mut self, list: &'n Node, items: &'n [Node], foot: &'n str) {
        let compact = self.in_map && (self.column == 0 || !self.indention);
        self.increase_indent(false, compact);
        for item in items {
            self.announce(item, "");
            self.write_head();
            self.write_indent();
            self.write_indicator("-", true, false, true);
            self.begin(item, Place::Item);
            self.write_line();
            self.write_foot();
            self.finish(item, &item.comments().foot);
        }
        self.wait("", &list.comments().line, foot, "");
        self.decrease_indent();
    }

    pub(super) fn block_map(&mut self, map: &'n Node, entries: &'n [(Node, Node)], foot: &'n str) {
        self.increase_indent(false, false);
        let mut tail = "";
        for (key, value) in entries {
            self.announce_key(key, tail);
            tail = &key.comments().foot;
            self.write_head();
            self.write_indent();
            if !self.waiting.line.is_empty() {
                self.waiting.key_line = std::mem::take(&mut self.waiting.line);
            }
            let simple = fits_simple_key(key);
            if !simple {
                self.write_indicator("?", true, false, true);
            }
            self.begin(key, Place::Key { simple });
            self.finish(key, "");
            self.announce(value, "");
            self.block_value(value, simple);
        }
        self.wait("", &map.comments().line, foot, tail);
        self.write_head();
        self.decrease_indent();
    }

    fn block_value(&mut self, value: &'n Node, simple: bool) {
        if simple {
            self.write_indicator(":", false, false, false);
        } else {
            self.write_indent();
            self.write_indicator(":", true, false, true);
        }
        if !self.waiting.key_line.is_empty() {
            self.write_key_line(value);
        }
        self.begin(value, Place::Value);
        self.write_line();
        self.write_foot();
        self.finish(value, &value.comments().foot);
    }

    /// What stood behind a key goes behind a scalar, or before a block.
    fn write_key_line(&mut self, value: &Node) {
        let waiting = &mut self.waiting;
        match value.content {
            Content::Scalar { .. } if waiting.line.is_empty() => {
                waiting.line = std::mem::take(&mut waiting.key_line);
            }
            Content::List { flow: false, .. } | Content::Map { flow: false, .. } => {
                std::mem::swap(&mut waiting.line, &mut waiting.key_line);
                self.write_line();
                let waiting = &mut self.waiting;
                std::mem::swap(&mut waiting.line, &mut waiting.key_line);
            }
            Content::Scalar { .. } | Content::List { .. } | Content::Map { .. } | Content::Alias(_) => {}
        }
    }

    pub(super) fn flow_list(&mut self, list: &'n Node, items: &'n [Node], foot: &'n str) {
        self.open("[");
        // Whether a comma has been written that the next item would write.
        let mut separated = true;
        for item in items {
            self.announce(item, "");
            self.flow_entry(separated);
            separated = self.has_trailing();
            self.begin(item, Place::Plain);
            self.end_flow_entry();
            self.finish(item, &item.comments().foot);
        }
        self.wait("", &list.comments().line, foot, "");
        self.close();
        if self.column == 0 {
            self.write_indent();
        }
        self.write_indicator("]", false, false, false);
        self.write_line();
        self.write_foot();
    }

    pub(super) fn flow_map(&mut self, map: &'n Node, entries: &'n [(Node, Node)], foot: &'n str) {
        self.open("{");
        let (mut separated, mut tail) = (true, "");
        for (key, value) in entries {
            self.announce_key(key, tail);
            tail = &key.comments().foot;
            self.flow_entry(separated);
            let simple = fits_simple_key(key);
            if !simple {
                self.write_indicator("?", true, false, false);
            }
            self.begin(key, Place::Key { simple });
            self.finish(key, "");
            self.announce(value, "");
            self.write_indicator(":", !simple, false, false);
            separated = self.has_trailing();
            self.begin(value, Place::Value);
            self.end_flow_entry();
            self.finish(value, &value.comments().foot);
        }
        self.wait("", &map.comments().line, foot, tail);
        let below = self.waiting.head.len() + self.waiting.foot.len() + self.waiting.tail.len();
        if below > 0 && !separated {
            self.write_indicator(",", false, false, false);
        }
        self.write_head();
        self.close();
        self.write_indicator("}", false, false, false);
        self.write_line();
        self.write_foot();
    }

    fn open(&mut self, bracket: &str) {
        self.write_indicator(bracket, true, true, false);
        self.increase_indent(true, false);
        self.flow_level += 1;
    }

    fn close(&mut self) {
        self.flow_level -= 1;
        self.decrease_indent();
    }

    /// What stands before an item, or an entry, in brackets.
    fn flow_entry(&mut self, separated: bool) {
        if !separated {
            self.write_indicator(",", false, false, false);
        }
        self.write_head();
        if self.column == 0 {
            self.write_indent();
        }
    }

    /// A comment at the end of a line comes after the comma.
    fn end_flow_entry(&mut self) {
        if self.has_trailing() {
            self.write_indicator(",", false, false, false);
        }
        self.write_line();
        self.write_foot();
    }

    fn has_trailing(&self) -> bool {
        !(self.waiting.line.is_empty() && self.waiting.foot.is_empty() && self.waiting.tail.is_empty())
    }

    /// A key's own foot is written once its value is.
    fn announce_key(&mut self, key: &'n Node, tail: &'n str) {
        let foot = self.waiting.foot;
        self.announce(key, tail);
        self.waiting.foot = foot;
    }
}

/// Whether a key can stand before a `:` on its line.
fn fits_simple_key(key: &Node) -> bool {
    let text = match &key.content {
        Content::Alias(name) => return name.len() <= SIMPLE_KEY_BYTES,
        Content::Scalar { text, .. } if text.contains(crate::print::is_break) => return false,
        Content::Scalar { text, .. } => text,
        Content::List { items, .. } if !items.is_empty() => return false,
        Content::Map { entries, .. } if !entries.is_empty() => return false,
        Content::List { .. } | Content::Map { .. } => "",
    };
    let anchor = key.anchor.as_ref().map_or(0, |name| name.len());
    let tag = tag::presented(key).map_or(0, |tag| tag.length());
    anchor + tag + text.len() <= SIMPLE_KEY_BYTES
}
