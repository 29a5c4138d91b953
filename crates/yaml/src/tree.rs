//! The object tree: maps, lists and scalars, in document order.

use std::hash::{Hash, Hasher};

use crate::{List, Map, number};

/// One value of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Text with a resolved type.
    Scalar(Scalar),
    /// An ordered list.
    List(List),
    /// Keys and values in document order.
    Map(Map),
}

/// What a scalar's text means under the resolver that read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarKind {
    /// `null`, `~` or nothing at all.
    Null,
    /// A boolean; the text is `true` or `false` once canonical.
    Bool,
    /// A whole number of any size; the text is kept as it was written.
    Int,
    /// A number with a fraction or exponent, or one of `.inf`, `-.inf`, `.nan`.
    Float,
    /// A string.
    Str,
    /// An unquoted date or timestamp, which only kustomize's resolver tells from a string; the text is kept as it was
    /// written, and becomes an RFC 3339 string in the build's output.
    Timestamp,
}

impl ScalarKind {
    /// The name of the type in YAML, without `!!`.
    pub fn tag(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Float => "float",
            Self::Str => "str",
            Self::Timestamp => "timestamp",
        }
    }
}

/// How a scalar stood in its document; the printers decide whether to follow it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Style {
    /// Without quotes.
    #[default]
    Plain,
    /// `'…'`.
    SingleQuoted,
    /// `"…"`.
    DoubleQuoted,
    /// `|`.
    Literal,
    /// `>`.
    Folded,
}

/// Text with its resolved type.
#[derive(Clone, Debug)]
pub struct Scalar {
    /// The text, and behind it the tag where that is none of a [`ScalarKind`]: in one allocation, so that a
    /// scalar without a tag is no larger.
    text_and_tag: Box<str>,
    /// Bytes of that tag.
    tag_length: u16,
    /// Whether it stood with a tag, which messages show; it does not count in comparisons.
    tagged: bool,
    kind: ScalarKind,
    style: Style,
    /// Whether the type follows the text; it does not count in comparisons.
    untyped: bool,
    /// Whether it was read as the sign of a merge; it does not count in comparisons.
    merge: bool,
}

impl Scalar {
    /// A scalar as a reader resolved it.
    pub fn new(text: impl Into<Box<str>>, kind: ScalarKind, style: Style) -> Self {
        let text_and_tag = text.into();
        Self { text_and_tag, tag_length: 0, tagged: false, kind, style, untyped: false, merge: false }
    }

    /// What a plain `<<` is read as: a string that kustomize shows with the tag `!!merge`, also where nothing is merged.
    pub fn merge_sign() -> Self {
        Self { merge: true, ..Self::string("<<") }
    }

    /// Whether this was read as the sign of a merge; a string with the same text is none.
    pub fn is_merge_sign(&self) -> bool {
        self.merge
    }

    /// A plain string.
    pub fn string(text: impl Into<Box<str>>) -> Self {
        Self::new(text, ScalarKind::Str, Style::Plain)
    }

    /// A scalar that a step wrote without a type: other text in its place is of the type that it reads as.
    pub fn untyped(text: impl Into<Box<str>>, kind: ScalarKind, style: Style) -> Self {
        Self { untyped: true, ..Self::new(text, kind, style) }
    }

    /// The same scalar as it was written with the tag of its kind, such as `!!str`.
    #[must_use]
    pub fn with_tag_of_kind(self) -> Self {
        Self { tagged: true, ..self }
    }

    /// The same scalar as it was written with a tag that is none of a [`ScalarKind`], such as `!mine`.
    #[must_use]
    pub fn with_tag(self, tag: &str) -> Self {
        // Readers keep no longer ones.
        let Ok(tag_length) = u16::try_from(tag.len()) else { return self };
        let text_and_tag = [self.text(), tag].concat().into();
        Self { text_and_tag, tag_length, tagged: true, ..self }
    }

    /// Other text without a type in the place of this scalar, as in [`Self::untyped`].
    #[must_use]
    pub fn without_type(&self, text: impl Into<Box<str>>, kind: ScalarKind) -> Self {
        Self::untyped(text, kind, self.style).written_as(self)
    }

    /// Other text in the place of this scalar, of the same type and in the same style.
    #[must_use]
    pub fn with_text(&self, text: impl Into<Box<str>>) -> Self {
        let new = Self { untyped: self.untyped, merge: self.merge, ..Self::new(text, self.kind, self.style) };
        match self.tag() {
            Some(tag) => new.with_tag(tag).written_as(self),
            None => new.written_as(self),
        }
    }

    /// The same scalar as it would stand in the place of another: in its style, and with its tag if that had one.
    #[must_use]
    pub fn written_as(self, other: &Self) -> Self {
        Self { style: other.style, tagged: other.tagged, ..self }
    }

    /// Whether this is [`Self::untyped`].
    pub fn is_untyped(&self) -> bool {
        self.untyped
    }

    /// The text, without quotes and with escapes resolved.
    pub fn text(&self) -> &str {
        &self.text_and_tag[..self.text_and_tag.len() - usize::from(self.tag_length)]
    }

    /// The tag, where it is none of a [`ScalarKind`].
    pub fn tag(&self) -> Option<&str> {
        let start = self.text_and_tag.len() - usize::from(self.tag_length);
        (self.tag_length > 0).then(|| &self.text_and_tag[start..])
    }

    /// Whether it is a string to go-yaml: what has a tag of its own is read as one, but as a key it is no name of a field.
    pub fn is_name(&self) -> bool {
        self.kind == ScalarKind::Str && self.tag_length == 0
    }

    /// Whether it stood with a tag, of whatever type.
    pub fn is_tagged(&self) -> bool {
        self.tagged
    }

    /// The resolved type.
    pub fn kind(&self) -> ScalarKind {
        self.kind
    }

    /// How it stood in its document.
    pub fn style(&self) -> Style {
        self.style
    }
}

impl PartialEq for Scalar {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text() && self.kind == other.kind && self.style == other.style
    }
}

impl Eq for Scalar {}

impl Hash for Scalar {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.text(), self.kind, self.style).hash(state);
    }
}

impl Node {
    /// The `null` value.
    pub fn null() -> Self {
        Self::Scalar(Scalar::new("null", ScalarKind::Null, Style::Plain))
    }

    /// A string.
    pub fn string(text: impl Into<Box<str>>) -> Self {
        Self::Scalar(Scalar::string(text))
    }

    /// A boolean.
    pub fn bool(value: bool) -> Self {
        Self::Scalar(Scalar::new(if value { "true" } else { "false" }, ScalarKind::Bool, Style::Plain))
    }

    /// A whole number.
    pub fn int(value: i64) -> Self {
        Self::Scalar(Scalar::new(value.to_string(), ScalarKind::Int, Style::Plain))
    }

    /// A number; whole ones become integers.
    pub fn float(value: f64) -> Self {
        Self::Scalar(number::scalar_of(value))
    }

    /// A list.
    pub fn list(items: Vec<Self>) -> Self {
        Self::List(items.into())
    }

    /// An empty map.
    pub fn map() -> Self {
        Self::Map(Map::default())
    }

    /// Puts all collections of a tree in brackets, as JSON has them: messages show it so.
    pub fn put_in_brackets(&mut self) {
        self.set_all_flow(true);
    }

    /// Takes all collections of a tree out of their brackets.
    pub fn put_in_lines(&mut self) {
        self.set_all_flow(false);
    }

    fn set_all_flow(&mut self, flow: bool) {
        match self {
            Self::Scalar(_) => {}
            Self::List(items) => {
                items.set_flow(flow);
                items.iter_mut().for_each(|item| item.set_all_flow(flow));
            }
            Self::Map(map) => {
                map.set_flow(flow);
                map.iter_mut().for_each(|(_, value)| value.set_all_flow(flow));
            }
        }
    }

    /// Whether this is a collection in brackets.
    pub fn is_flow(&self) -> bool {
        match self {
            Self::Scalar(_) => false,
            Self::List(items) => items.is_flow(),
            Self::Map(map) => map.is_flow(),
        }
    }

    /// Whether this is a map or a list with nothing in it.
    pub fn is_empty_collection(&self) -> bool {
        match self {
            Self::Scalar(_) => false,
            Self::List(items) => items.is_empty(),
            Self::Map(map) => map.is_empty(),
        }
    }

    /// Puts a collection in brackets, or takes them away; nothing happens to a scalar.
    pub fn set_flow(&mut self, flow: bool) {
        match self {
            Self::Scalar(_) => {}
            Self::List(items) => items.set_flow(flow),
            Self::Map(map) => map.set_flow(flow),
        }
    }

    /// Whether this is the `null` value; what a step wrote without a type is not, though it may be printed as one.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Scalar(scalar) if scalar.kind == ScalarKind::Null && !scalar.untyped)
    }

    /// The text of a string scalar (a timestamp's as it was written); `None` for every other type.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Scalar(scalar) if matches!(scalar.kind, ScalarKind::Str | ScalarKind::Timestamp) => {
                Some(scalar.text())
            }
            Self::Scalar(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// The value of a boolean scalar.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Scalar(scalar) if scalar.kind == ScalarKind::Bool => {
                Some(matches!(scalar.text(), "true" | "True" | "TRUE"))
            }
            Self::Scalar(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// The value of a whole number that fits.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Scalar(scalar) if scalar.kind == ScalarKind::Int => {
                scalar.text().parse().ok().or_else(|| number::parse_whole(scalar.text())?.try_into().ok())
            }
            Self::Scalar(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// The value of a number, whole or not.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Scalar(scalar) => number::value_of(scalar),
            Self::List(_) | Self::Map(_) => None,
        }
    }

    /// The scalar, whatever its type.
    pub fn as_scalar(&self) -> Option<&Scalar> {
        match self {
            Self::Scalar(scalar) => Some(scalar),
            Self::List(_) | Self::Map(_) => None,
        }
    }

    /// The list's items.
    pub fn as_list(&self) -> Option<&[Node]> {
        match self {
            Self::List(items) => Some(items),
            Self::Scalar(_) | Self::Map(_) => None,
        }
    }

    /// The list's items, to change.
    pub fn as_list_mut(&mut self) -> Option<&mut List> {
        match self {
            Self::List(items) => Some(items),
            Self::Scalar(_) | Self::Map(_) => None,
        }
    }

    /// The map.
    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Self::Map(map) => Some(map),
            Self::Scalar(_) | Self::List(_) => None,
        }
    }

    /// The map, to change.
    pub fn as_map_mut(&mut self) -> Option<&mut Map> {
        match self {
            Self::Map(map) => Some(map),
            Self::Scalar(_) | Self::List(_) => None,
        }
    }

    /// The value under `key`; `None` where this is no map or the key is absent.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.as_map()?.get(key)
    }

    /// The value under `key`, to change.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.as_map_mut()?.get_mut(key)
    }

    /// Follows map keys from here; `None` as soon as one is missing.
    pub fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// Follows map keys from here, to change what stands there.
    pub fn at_mut(&mut self, path: &[&str]) -> Option<&mut Node> {
        path.iter().try_fold(self, |node, key| node.get_mut(key))
    }

    /// The string at `path`.
    pub fn str_at(&self, path: &[&str]) -> Option<&str> {
        self.at(path)?.as_str()
    }

    /// The map at `path`, made (also over a `null`) where it is missing; `None` where something else stands in the way.
    pub fn map_at_mut(&mut self, path: &[&str]) -> Option<&mut Map> {
        let mut node = self;
        for key in path {
            let map = node.as_map_mut()?;
            if map.get(key).is_none_or(Node::is_null) {
                map.insert(*key, Node::map());
            }
            node = map.get_mut(key)?;
        }
        node.as_map_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn a_node_is_three_words() {
        assert_eq!(size_of::<Node>(), 24);
    }
}
