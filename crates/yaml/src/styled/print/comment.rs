//! Comments.

use super::Printer;
use crate::print::is_break;

impl Printer<'_> {
    /// The foot of the entry before, and the head of what follows.
    pub(super) fn write_head(&mut self) {
        let tail = std::mem::take(&mut self.waiting.tail);
        if !tail.is_empty() {
            self.write_indent();
            self.write_comment(tail);
            self.foot_indent = Some(self.indent.max(0));
        }
        let head = std::mem::take(&mut self.waiting.head);
        if !head.is_empty() {
            self.write_indent();
            self.write_comment(head);
        }
    }

    pub(super) fn write_line(&mut self) {
        let line = std::mem::take(&mut self.waiting.line);
        if !line.is_empty() {
            if !self.whitespace {
                self.put(' ');
            }
            self.write_comment(line);
        }
    }

    pub(super) fn write_foot(&mut self) {
        let foot = std::mem::take(&mut self.waiting.foot);
        if !foot.is_empty() {
            self.write_indent();
            self.write_comment(foot);
            self.foot_indent = Some(self.indent.max(0));
        }
    }

    fn write_comment(&mut self, comment: &str) {
        let (mut breaks, mut pound) = (false, false);
        for character in comment.chars() {
            if self.is_full() {
                return;
            }
            if is_break(character) {
                self.put_any_break(character);
                (breaks, pound) = (true, false);
                continue;
            }
            if breaks {
                self.write_indent();
            }
            if !pound && character != '#' {
                self.put_str("# ");
            }
            self.put(character);
            (breaks, pound, self.indention) = (false, true, false);
        }
        if !breaks {
            self.put_break();
        }
        self.whitespace = true;
    }
}
