//! Printing trees that no reader would make.
//!
//! The input is a tree in a forgiving notation: `{`, `[`, `]` and `}` open and close, `"` begins a string that ends with the next
//! one (`\` takes the byte after it as it is), `~`, `t` and `f` are words, `#` takes eight bytes as a float, `%` as an integer.
//! In a map, strings are keys and values in turn. Everything else separates.

use millrace_yaml::{MapBuilder, Node, Scalar, canonicalize, json, print};

use crate::trees;

const MAX_DEPTH: usize = 60;

pub(crate) fn run(data: &[u8]) {
    let mut node = Reader { rest: data }.items(MAX_DEPTH, None);
    print::to_yaml_in_order(&node);
    print::to_yaml(&node);
    let bytes = serde_json::to_vec(&node).expect("every tree has its JSON");
    let own = json::from_slice(&bytes).expect("serde's JSON is read");
    assert!(own.same_value(&json::from_str(&json::to_string(&node)).expect("our JSON is read")));
    if canonicalize(&mut node).is_ok() {
        trees::check_round_trip(&node);
        let documents = [node.clone(), node];
        assert!(!print::documents(&documents).is_empty());
    }
}

struct Reader<'d> {
    rest: &'d [u8],
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// The items up to `end` as a list; of the whole input, an only item is the tree.
    fn items(&mut self, depth: usize, end: Option<u8>) -> Node {
        let mut items = Vec::new();
        while let Some(byte) = self.byte() {
            if Some(byte) == end {
                break;
            }
            items.extend(self.node(byte, depth));
        }
        match (end, items.len()) {
            (None, 1) => items.remove(0),
            _ => Node::list(items),
        }
    }

    fn map(&mut self, depth: usize) -> Node {
        let mut map = MapBuilder::default();
        let mut key = None;
        while let Some(byte) = self.byte() {
            match (byte, &key) {
                (b'}', _) => break,
                (b'"', None) => key = Some(Scalar::string(self.string())),
                (_, None) => {}
                (_, Some(_)) => {
                    if let Some(value) = self.node(byte, depth) {
                        key.take().map(|key| map.insert(key, value));
                    }
                }
            }
        }
        Node::Map(map.finish())
    }

    fn node(&mut self, first: u8, depth: usize) -> Option<Node> {
        Some(match first {
            b'[' if depth > 0 => self.items(depth - 1, Some(b']')),
            b'{' if depth > 0 => self.map(depth - 1),
            b'"' => Node::string(self.string()),
            b'~' => Node::null(),
            b't' => Node::bool(true),
            b'f' => Node::bool(false),
            b'#' => Node::float(f64::from_le_bytes(self.eight())),
            b'%' => Node::int(i64::from_le_bytes(self.eight())),
            b'0'..=b'9' => Node::int(i64::from(first - b'0')),
            _ => return None,
        })
    }

    fn string(&mut self) -> String {
        let mut bytes = Vec::new();
        while let Some(byte) = self.byte() {
            match byte {
                b'"' => break,
                b'\\' => bytes.extend(self.byte()),
                _ => bytes.push(byte),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn eight(&mut self) -> [u8; 8] {
        let mut bytes = [0; 8];
        for byte in &mut bytes {
            *byte = self.byte().unwrap_or(0);
        }
        bytes
    }
}
