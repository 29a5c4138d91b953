//! The content of an object in sixteen bytes.

use millrace_yaml::{Map, Node};
use sha2::{Digest as _, Sha256};

use super::{body, even};

/// A hash of what a comparison looks at: labels, annotations, and all but metadata and status.
///
/// Two objects without drift between them have the same fingerprint, and the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 16]);

impl Fingerprint {
    /// The fingerprint of `object`.
    pub fn of(object: &Node) -> Self {
        let mut hash = Sha256::new();
        for field in ["labels", "annotations"] {
            match object.at(&["metadata", field]).and_then(Node::as_map).filter(|map| !map.is_empty()) {
                Some(map) => write_map(&mut hash, map.iter()),
                None => hash.update(b"-"),
            }
        }
        even(object, |object| {
            if let Some(map) = object.as_map() {
                write_map(&mut hash, body(map));
            }
        });
        let digest = hash.finalize();
        let mut short = [0; 16];
        short.copy_from_slice(&digest[..16]);
        Self(short)
    }
}

/// Entries sorted by key, so that their order in the document doesn't matter.
fn write_map<'a>(hash: &mut Sha256, entries: impl Iterator<Item = (&'a str, &'a Node)>) {
    let mut entries: Vec<_> = entries.collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    write_tag(hash, b'{', entries.len());
    for (key, value) in entries {
        write_text(hash, b'k', key);
        write(hash, value);
    }
}

fn write(hash: &mut Sha256, node: &Node) {
    match node {
        Node::Map(map) => write_map(hash, Map::iter(map)),
        Node::List(items) => {
            write_tag(hash, b'[', items.len());
            for item in items {
                write(hash, item);
            }
        }
        Node::Scalar(scalar) => {
            hash.update([scalar.kind() as u8]);
            if !node.is_null() {
                write_text(hash, b's', scalar.text());
            }
        }
    }
}

fn write_text(hash: &mut Sha256, tag: u8, text: &str) {
    write_tag(hash, tag, text.len());
    hash.update(text.as_bytes());
}

/// Lengths make the encoding unambiguous.
fn write_tag(hash: &mut Sha256, tag: u8, length: usize) {
    hash.update([tag]);
    hash.update((length as u64).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use millrace_yaml::json;

    use super::*;

    fn fingerprint(text: &str) -> Fingerprint {
        Fingerprint::of(&json::from_str(text).expect("valid JSON"))
    }

    #[test]
    fn only_what_a_comparison_looks_at_changes_a_fingerprint() {
        let base =
            fingerprint(r#"{"kind":"A","metadata":{"labels":{"a":"1","b":"2"},"uid":"x"},"data":{"k":"v"}}"#);
        let same = [
            r#"{"metadata":{"labels":{"b":"2","a":"1"},"uid":"y","annotations":{}},"kind":"A","data":{"k":"v"}}"#,
            r#"{"kind":"A","metadata":{"labels":{"a":"1","b":"2"}},"data":{"k":"v"},"status":{"x":1}}"#,
        ];
        for text in same {
            assert_eq!(fingerprint(text), base, "{text}");
        }
        let different = [
            r#"{"kind":"A","metadata":{"labels":{"a":"1"}},"data":{"k":"v"}}"#,
            r#"{"kind":"A","metadata":{"annotations":{"a":"1","b":"2"}},"data":{"k":"v"}}"#,
            r#"{"kind":"A","metadata":{"labels":{"a":"1","b":"2"}},"data":{"k":"v"},"binaryData":null}"#,
            r#"{"kind":"A","metadata":{"labels":{"a":"1","b":"2"}},"data":{"k":["v"]}}"#,
        ];
        for text in different {
            assert_ne!(fingerprint(text), base, "{text}");
        }
    }
}
