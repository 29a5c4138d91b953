//! YAML as it is written: what a scalar looks like matters here, so scalars are text.

/// A node of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Doc {
    /// Keys as they are written, and their values.
    Map(Vec<(String, Doc)>),
    /// Items.
    List(Vec<Doc>),
    /// A scalar as it is written. The lines of a block scalar follow its header and are indented by [`Doc::print`].
    Scalar(String),
}

/// One step down: the number of an entry or item.
pub(crate) type Place = Vec<usize>;

impl Doc {
    pub(crate) fn map<const N: usize>(entries: [(&str, Doc); N]) -> Self {
        Self::Map(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    pub(crate) fn scalar(text: impl Into<String>) -> Self {
        Self::Scalar(text.into())
    }

    /// A literal block of these lines.
    pub(crate) fn block(text: &str) -> Self {
        Self::Scalar(format!("|-\n{}", text.trim_end()))
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Follows keys.
    pub(crate) fn at(&self, keys: &[&str]) -> Option<&Self> {
        keys.iter().try_fold(self, |node, key| node.get(key))
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Scalar(text) => Some(text),
            _ => None,
        }
    }

    /// Appends an entry; nothing happens to what is no map.
    pub(crate) fn push(&mut self, key: &str, value: Self) {
        if let Self::Map(entries) = self {
            entries.push((key.to_owned(), value));
        }
    }

    /// The children in order.
    pub(crate) fn children(&self) -> Vec<&Self> {
        match self {
            Self::Map(entries) => entries.iter().map(|(_, value)| value).collect(),
            Self::List(items) => items.iter().collect(),
            Self::Scalar(_) => Vec::new(),
        }
    }

    /// The places of all nodes below this one, outer ones first.
    pub(crate) fn places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        for (index, child) in self.children().into_iter().enumerate() {
            places.push(vec![index]);
            places.extend(child.places().into_iter().map(|place| [vec![index], place].concat()));
        }
        places
    }

    /// The document without what is at `place`; nothing where nothing is there.
    pub(crate) fn without(&self, place: &[usize]) -> Option<Self> {
        let (&first, rest) = place.split_first()?;
        let mut copy = self.clone();
        match &mut copy {
            Self::Map(entries) if first < entries.len() => match rest {
                [] => drop(entries.remove(first)),
                rest => entries[first].1 = entries[first].1.without(rest)?,
            },
            Self::List(items) if first < items.len() => match rest {
                [] => drop(items.remove(first)),
                rest => items[first] = items[first].without(rest)?,
            },
            _ => return None,
        }
        Some(copy)
    }

    /// The document in block style.
    pub(crate) fn print(&self) -> String {
        let mut out = String::new();
        self.print_at(0, &mut out);
        out
    }

    fn print_at(&self, indent: usize, out: &mut String) {
        let margin = " ".repeat(indent);
        match self {
            Self::Scalar(_) | Self::Map(_) | Self::List(_) if self.is_short() => {
                out.push_str(&margin);
                self.print_value(indent, out);
            }
            Self::Map(entries) => {
                for (key, value) in entries {
                    out.push_str(&margin);
                    out.push_str(key);
                    out.push(':');
                    match value {
                        value if value.is_short() => {
                            out.push(' ');
                            value.print_value(indent, out);
                        }
                        Self::List(_) => {
                            out.push('\n');
                            value.print_at(indent, out);
                        }
                        _ => {
                            out.push('\n');
                            value.print_at(indent + 2, out);
                        }
                    }
                }
            }
            Self::List(items) => {
                for item in items {
                    let mut text = String::new();
                    item.print_at(indent + 2, &mut text);
                    out.push_str(&margin);
                    out.push_str("- ");
                    out.push_str(text.trim_start_matches(' '));
                }
            }
            Self::Scalar(_) => {}
        }
    }

    /// Whether it starts on the line of its key.
    fn is_short(&self) -> bool {
        match self {
            Self::Scalar(_) => true,
            Self::Map(entries) => entries.is_empty(),
            Self::List(items) => items.is_empty(),
        }
    }

    fn print_value(&self, indent: usize, out: &mut String) {
        match self {
            Self::Scalar(text) => {
                let mut lines = text.split('\n');
                out.push_str(lines.next().unwrap_or_default());
                out.push('\n');
                for line in lines {
                    if !line.is_empty() {
                        out.push_str(&" ".repeat(indent + 2));
                        out.push_str(line);
                    }
                    out.push('\n');
                }
            }
            Self::Map(_) => out.push_str("{}\n"),
            Self::List(_) => out.push_str("[]\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_block_style() {
        let document = Doc::map([
            ("name", Doc::scalar("\"1\"")),
            ("none", Doc::Map(Vec::new())),
            (
                "list",
                Doc::List(vec![
                    Doc::map([("a", Doc::scalar("1")), ("b", Doc::block("x\n\ny\n"))]),
                    Doc::scalar("z"),
                ]),
            ),
            ("lists", Doc::List(vec![Doc::List(vec![Doc::scalar("1")])])),
        ]);
        let text = "name: \"1\"\nnone: {}\nlist:\n- a: 1\n  b: |-\n    x\n\n    y\n- z\nlists:\n- - 1\n";
        assert_eq!(document.print(), text);
    }

    #[test]
    fn every_place_can_be_taken_out() {
        let document =
            Doc::map([("a", Doc::List(vec![Doc::scalar("1"), Doc::scalar("2")])), ("b", Doc::scalar("3"))]);
        assert_eq!(document.places(), [vec![0], vec![0, 0], vec![0, 1], vec![1]]);
        assert_eq!(
            document.without(&[0, 0]).map(|document| document.print()).as_deref(),
            Some("a:\n- 2\nb: 3\n")
        );
        assert_eq!(
            document.without(&[1]).map(|document| document.print()).as_deref(),
            Some("a:\n- 1\n- 2\n")
        );
        assert_eq!(document.without(&[1, 0]), None);
    }
}
