//! Tags: printed where they stood, and where the text would otherwise be of another type.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::Printer;
use crate::ScalarKind;
use crate::read::Resolver;
use crate::resolve;
use crate::styled::node::{Content, Node, Tag, name_of};

/// A tag as it is printed.
pub(super) struct Presented<'n> {
    /// `!`, `!!`, or nothing before a complete tag.
    handle: &'static str,
    suffix: Cow<'n, str>,
}

impl Presented<'_> {
    pub(super) fn length(&self) -> usize {
        self.handle.len() + self.suffix.len()
    }
}

/// The tag to print, if any.
pub(super) fn presented(node: &Node) -> Option<Presented<'_>> {
    let tag = node.tag.as_ref()?;
    if !tag.written && is_implied(node, tag) {
        return None;
    }
    let name = tag.long_name();
    let (handle, length) = if name.starts_with('!') {
        ("!", 1)
    } else if name.starts_with("tag:yaml.org,2002:") {
        ("!!", "tag:yaml.org,2002:".len())
    } else {
        ("", 0)
    };
    let suffix = match name {
        Cow::Borrowed(name) => Cow::Borrowed(&name[length..]),
        Cow::Owned(name) => Cow::Owned(name[length..].to_owned()),
    };
    Some(Presented { handle, suffix })
}

/// Whether the node is of that type without its tag; a string that isn't gets quotes.
fn is_implied(node: &Node, tag: &Tag) -> bool {
    match &node.content {
        Content::Scalar { .. } if tag.name == name_of(ScalarKind::Str) => true,
        Content::Scalar { text, .. } => tag.name == name_of(resolve::plain(text, Resolver::Kustomize).kind()),
        Content::List { .. } => tag.name == Tag::LIST.name,
        Content::Map { .. } => tag.name == Tag::MAP.name,
        Content::Alias(_) => true,
    }
}

/// Whether a plain text would not be the string that it is.
pub(super) fn wants_quotes(node: &Node, text: &str) -> bool {
    let string = name_of(ScalarKind::Str);
    let is_string = node.tag.as_ref().is_some_and(|tag| !tag.written && tag.name == string);
    is_string && resolve::plain(text, Resolver::Kustomize).kind() != ScalarKind::Str
}

impl Printer<'_> {
    pub(super) fn write_tag(&mut self, tag: Option<&Presented<'_>>) {
        let Some(Presented { handle, suffix }) = tag else { return };
        if !self.whitespace {
            self.put(' ');
        }
        self.put_str(if handle.is_empty() { "!<" } else { handle });
        self.put_str(&escaped(suffix));
        if handle.is_empty() {
            self.put('>');
        }
        (self.whitespace, self.indention) = (false, false);
    }
}

/// A tag's text with what no URI may have in hexadecimal.
fn escaped(suffix: &str) -> String {
    let mut out = String::with_capacity(suffix.len());
    for byte in suffix.bytes() {
        if byte.is_ascii_alphanumeric() || b"-;/?:@&=+$,_.~*'()[]".contains(&byte) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").expect("writing to a string never fails");
        }
    }
    out
}
