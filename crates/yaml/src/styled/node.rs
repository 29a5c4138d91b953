//! The tree.

use std::borrow::Cow;

use crate::read::Resolver;
use crate::{Map, Scalar, ScalarKind, Style, resolve};

/// What tags of the YAML specification begin with.
const CORE_TAGS: &str = "tag:yaml.org,2002:";

/// A value and how it was written.
#[derive(Clone, Debug)]
pub struct Node {
    pub(crate) content: Content,
    /// None on what is made without a type.
    pub(crate) tag: Option<Tag>,
    pub(crate) anchor: Option<Box<str>>,
    comments: Option<Box<Comments>>,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Scalar,
    /// A list.
    List,
    /// A map.
    Map,
    /// The name of an anchor.
    Alias,
}

#[derive(Clone, Debug)]
pub(crate) enum Content {
    Scalar { text: Box<str>, style: Style },
    List { items: Vec<Node>, flow: bool },
    Map { entries: Vec<(Node, Node)>, flow: bool },
    Alias(Box<str>),
}

/// A type, written or resolved.
#[derive(Clone, Debug)]
pub(crate) struct Tag {
    /// With `!!` for the specification's own.
    pub(crate) name: Cow<'static, str>,
    /// Whether it stood in the text, and so is always printed.
    pub(crate) written: bool,
}

/// The comments of a node: with `#`, lines separated by line breaks; empty where there is none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comments {
    pub(crate) head: String,
    pub(crate) line: String,
    pub(crate) foot: String,
}

const NO_COMMENTS: &Comments = &Comments { head: String::new(), line: String::new(), foot: String::new() };

impl Tag {
    pub(crate) const LIST: Self = Self::known("!!seq");
    pub(crate) const MAP: Self = Self::known("!!map");
    const MERGE: Self = Self::known("!!merge");

    const fn known(name: &'static str) -> Self {
        Self { name: Cow::Borrowed(name), written: false }
    }

    /// A tag that stands in the text.
    pub(crate) fn written(prefix: &str, suffix: &str) -> Self {
        let name = format!("{prefix}{suffix}");
        let name = match name.strip_prefix(CORE_TAGS) {
            Some(core) => format!("!!{core}"),
            None => name,
        };
        Self { name: name.into(), written: true }
    }

    /// The type that text has.
    pub(crate) fn of(text: &str, style: Style) -> Self {
        match style {
            Style::Plain if text == "<<" => Self::MERGE,
            Style::Plain => Self::known(name_of(resolve::plain(text, Resolver::Kustomize).kind())),
            Style::SingleQuoted | Style::DoubleQuoted | Style::Literal | Style::Folded => {
                Self::known(name_of(ScalarKind::Str))
            }
        }
    }

    /// With the specification's prefix spelled out.
    pub(crate) fn long_name(&self) -> Cow<'_, str> {
        match self.name.strip_prefix("!!") {
            Some(core) => Cow::Owned(format!("{CORE_TAGS}{core}")),
            None => Cow::Borrowed(&self.name),
        }
    }
}

/// The tag of a type.
pub(crate) fn name_of(kind: ScalarKind) -> &'static str {
    match kind {
        ScalarKind::Null => "!!null",
        ScalarKind::Bool => "!!bool",
        ScalarKind::Int => "!!int",
        ScalarKind::Float => "!!float",
        ScalarKind::Str => "!!str",
        ScalarKind::Timestamp => "!!timestamp",
    }
}

impl Node {
    pub(crate) fn new(content: Content, tag: Option<Tag>) -> Self {
        Self { content, tag, anchor: None, comments: None }
    }

    /// A value that the text leaves out.
    pub(crate) fn absent() -> Self {
        let content = Content::Scalar { text: "".into(), style: Style::Plain };
        Self::new(content, Some(Tag::of("", Style::Plain)))
    }

    /// A scalar of no type: once written, it means what it reads as.
    pub fn untyped(text: &str) -> Self {
        Self::new(Content::Scalar { text: text.into(), style: Style::Plain }, None)
    }

    /// An empty list.
    pub fn list() -> Self {
        Self::new(Content::List { items: Vec::new(), flow: false }, None)
    }

    /// An empty map.
    pub fn map() -> Self {
        Self::new(Content::Map { entries: Vec::new(), flow: false }, None)
    }

    /// What it is.
    pub fn kind(&self) -> Kind {
        match self.content {
            Content::Scalar { .. } => Kind::Scalar,
            Content::List { .. } => Kind::List,
            Content::Map { .. } => Kind::Map,
            Content::Alias(_) => Kind::Alias,
        }
    }

    /// Whether it is of the type null.
    pub fn is_null(&self) -> bool {
        self.tag.as_ref().is_some_and(|tag| tag.name == name_of(ScalarKind::Null))
    }

    /// A scalar's text, an alias's name; nothing else has text.
    pub fn text(&self) -> &str {
        match &self.content {
            Content::Scalar { text, .. } | Content::Alias(text) => text,
            Content::List { .. } | Content::Map { .. } => "",
        }
    }

    /// Gives a scalar another text; its type and its style stay. Nothing happens to other nodes.
    pub fn set_text(&mut self, new: &str) {
        if let Content::Scalar { text, .. } = &mut self.content {
            *text = new.into();
        }
    }

    /// The value under the first key of that text.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Content::Map { entries, .. } = &self.content else { return None };
        entries.iter().find(|(name, _)| name.text() == key).map(|(_, value)| value)
    }

    /// The value under the first key of that text, to change.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        let Content::Map { entries, .. } = &mut self.content else { return None };
        entries.iter_mut().find(|(name, _)| name.text() == key).map(|(_, value)| value)
    }

    /// Adds an entry at the end of a map, without looking for the key.
    pub fn push_entry(&mut self, key: &str, value: Self) {
        if let Content::Map { entries, .. } = &mut self.content {
            entries.push((Self::untyped(key), value));
        }
    }

    /// A list's items, to change.
    pub fn as_list_mut(&mut self) -> Option<&mut Vec<Self>> {
        match &mut self.content {
            Content::List { items, .. } => Some(items),
            Content::Scalar { .. } | Content::Map { .. } | Content::Alias(_) => None,
        }
    }

    pub(crate) fn comments(&self) -> &Comments {
        self.comments.as_deref().unwrap_or(NO_COMMENTS)
    }

    pub(crate) fn set_comments(&mut self, comments: Comments) {
        let Comments { head, line, foot } = &comments;
        let is_some = !(head.is_empty() && line.is_empty() && foot.is_empty());
        self.comments = is_some.then(|| Box::new(comments));
    }

    pub(crate) fn take_foot(&mut self) -> String {
        self.comments.as_mut().map(|comments| std::mem::take(&mut comments.foot)).unwrap_or_default()
    }

    pub(crate) fn set_foot(&mut self, foot: String) {
        if !foot.is_empty() {
            self.comments.get_or_insert_default().foot = foot;
        }
    }
}

impl From<&crate::Node> for Node {
    /// Scalars keep their quotes, and collections their brackets.
    fn from(node: &crate::Node) -> Self {
        match node {
            crate::Node::Scalar(scalar) => Node::from(scalar),
            crate::Node::List(items) => {
                let content =
                    Content::List { items: items.iter().map(Node::from).collect(), flow: items.is_flow() };
                Node::new(content, Some(Tag::LIST))
            }
            crate::Node::Map(map) => {
                let entries =
                    Map::entries(map).iter().map(|(key, value)| (Node::from(key), Node::from(value)));
                let content = Content::Map { entries: entries.collect(), flow: map.is_flow() };
                Node::new(content, Some(Tag::MAP))
            }
        }
    }
}

impl From<&Scalar> for Node {
    fn from(scalar: &Scalar) -> Self {
        let tag = match scalar.tag() {
            Some(name) => Tag { name: name.to_owned().into(), written: scalar.is_tagged() },
            None if scalar.is_merge_sign() => Tag::MERGE,
            None => Tag { written: scalar.is_tagged(), ..Tag::known(name_of(scalar.kind())) },
        };
        let tag = (!scalar.is_untyped()).then_some(tag);
        Self::new(Content::Scalar { text: scalar.text().into(), style: scalar.style() }, tag)
    }
}
