//! YAML text: block style, as `kustomize build` and the Kubernetes libraries print it.
//!
//! Contract: kustomize-build §7.2, kustomize-controller §3.5.4.

mod analysis;
mod natural;
mod scalar;

use crate::{Map, Node, Scalar};

pub(crate) use analysis::{is_break, is_printable};
pub(crate) use natural::sort_keys;
use scalar::Place;
pub(crate) use scalar::write_escape;

/// The node as one YAML document that ends in a line break, keys in natural order.
pub fn to_yaml(node: &Node) -> String {
    let mut out = String::new();
    append(&mut out, node, KeyOrder::Natural);
    out
}

/// The node as one YAML document that ends in a line break, keys in the tree's order.
pub fn to_yaml_in_order(node: &Node) -> String {
    let mut out = String::new();
    append(&mut out, node, KeyOrder::Kept);
    out
}

/// Several documents with `---` lines between them; nothing at all for no document.
pub fn documents<'n>(nodes: impl IntoIterator<Item = &'n Node>) -> String {
    let mut out = String::new();
    for node in nodes {
        if !out.is_empty() {
            out.push_str("---\n");
        }
        append(&mut out, node, KeyOrder::Natural);
    }
    out
}

/// In which order keys are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyOrder {
    Natural,
    Kept,
}

fn append(out: &mut String, node: &Node, order: KeyOrder) {
    let mut printer = Printer { out, order };
    // A scalar that is the whole document is indented as if it stood under a key.
    printer.node(node, if node.as_scalar().is_some() { 2 } else { 0 });
    printer.end_line();
}

/// Writes nodes at the end of `out`.
struct Printer<'o> {
    out: &'o mut String,
    order: KeyOrder,
}

impl Printer<'_> {
    /// A node whose first line has begun, `indent` columns wide so far.
    fn node(&mut self, node: &Node, indent: usize) {
        match node {
            Node::Map(map) if !map.is_empty() => self.map(map, indent, true),
            Node::List(items) if !items.is_empty() => self.list(items, indent, true),
            Node::Map(_) => self.out.push_str("{}"),
            Node::List(_) => self.out.push_str("[]"),
            Node::Scalar(scalar) => scalar::write(self.out, scalar, Place::Value { indent }),
        }
    }

    fn map(&mut self, map: &Map, indent: usize, mut begun: bool) {
        let entries = map.entries();
        match self.order {
            KeyOrder::Natural if !natural::is_sorted(map) => {
                let mut sorted: Vec<_> = entries.iter().collect();
                natural::sort(&mut sorted, |(key, _)| key.text());
                for (key, value) in sorted {
                    self.entry(key, value, indent, std::mem::take(&mut begun));
                }
            }
            KeyOrder::Natural | KeyOrder::Kept => {
                for (key, value) in entries {
                    self.entry(key, value, indent, std::mem::take(&mut begun));
                }
            }
        }
    }

    fn entry(&mut self, key: &Scalar, value: &Node, indent: usize, begun: bool) {
        if !begun {
            self.line(indent);
        }
        if !scalar::fits_simple_key(key) {
            self.out.push_str("? ");
            scalar::write(self.out, key, Place::Value { indent: indent + 2 });
            self.line(indent);
            self.out.push_str(": ");
            self.node(value, indent + 2);
            return;
        }
        scalar::write(self.out, key, Place::Key);
        self.out.push(':');
        match value {
            Node::Map(map) if !map.is_empty() => self.map(map, indent + 2, false),
            Node::List(items) if !items.is_empty() => self.list(items, indent, false),
            Node::Map(_) | Node::List(_) | Node::Scalar(_) => {
                self.out.push(' ');
                self.node(value, indent + 2);
            }
        }
    }

    fn list(&mut self, items: &[Node], indent: usize, mut begun: bool) {
        for item in items {
            if !std::mem::take(&mut begun) {
                self.line(indent);
            }
            self.out.push_str("- ");
            self.node(item, indent + 2);
        }
    }

    /// Begins a line.
    fn line(&mut self, indent: usize) {
        self.end_line();
        scalar::pad(self.out, indent);
    }

    fn end_line(&mut self) {
        // A literal block may also end with one of the breaks that YAML 1.1 has beside LF.
        if !self.out.is_empty() && !self.out.ends_with(['\n', '\u{2028}', '\u{2029}']) {
            self.out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn yaml(text: &str) -> String {
        to_yaml(&json::from_str(text).unwrap())
    }

    #[test]
    fn lists_stand_at_their_keys_column() {
        assert_eq!(
            yaml(r#"{"b":[[1,[]],{"x":[{"y":null}],"a":{}}],"a":true}"#),
            "a: true\nb:\n- - 1\n  - []\n- a: {}\n  x:\n  - \"y\": null\n"
        );
    }

    #[test]
    fn long_and_multi_line_keys_are_explicit() {
        let long = "k".repeat(129);
        assert_eq!(
            yaml(&format!(r#"{{"{long}":[1],"b\nc":{{"d":1}}}}"#)),
            format!("? |-\n  b\n  c\n: d: 1\n? {long}\n: - 1\n")
        );
    }

    #[test]
    fn roots_may_be_scalars_and_lists() {
        assert_eq!(yaml(r#""a""#), "a\n");
        assert_eq!(yaml(r#"[{"a":1,"b":"x\ny\n"}]"#), "- a: 1\n  b: |\n    x\n    y\n");
    }

    #[test]
    fn documents_are_separated_by_lines_of_dashes() {
        assert_eq!(documents(&[Node::int(1), Node::int(2)]), "1\n---\n2\n");
        assert_eq!(documents(&[]), "");
    }
}
