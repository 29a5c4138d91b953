//! Reading YAML and JSON.

use millrace_yaml::read::{self, Document, Limits, ReadError, ReadErrorKind, Resolver, Step};
use millrace_yaml::{canonicalize, json, print};

use crate::trees;

/// Small, so that input comes near them.
const LIMITS: Limits = Limits { depth: 50, text_bytes: 1 << 16, values: 5_000 };

pub(crate) fn run(data: &[u8]) {
    for resolver in [Resolver::Kubernetes, Resolver::Kustomize] {
        match read::documents_from_slice(data, resolver, &LIMITS) {
            Ok(documents) => documents.iter().for_each(|document| check(document, data, resolver)),
            Err(error) => check_error(&error, data),
        }
        match read::one_from_slice(data, resolver, &LIMITS) {
            Ok(document) => check(&document, data, resolver),
            Err(error) => check_error(&error, data),
        }
    }
    if let Ok(node) = json::from_slice(data) {
        let text = json::to_string(&node);
        assert_eq!(json::from_str(&text).as_ref(), Ok(&normal(&node)), "{text}");
    }
}

fn check(document: &Document, data: &[u8], resolver: Resolver) {
    let Document { node, first_line, duplicates, complex_key, tab_line: _ } = document;
    if let Some(error) = complex_key {
        assert_eq!(resolver, Resolver::Kustomize, "{error}");
        check_error(error, data);
    }
    assert!(trees::depth(node) <= LIMITS.depth);
    assert!(trees::values(node) <= LIMITS.values);
    for duplicate in duplicates {
        assert!(duplicate.first_line <= duplicate.line, "{duplicate}");
    }
    let text = &*read::decode(data).expect("what was read is text");
    for path in [&[][..], &[Step::Index(0)], &[Step::Key("a"), Step::Index(1)]] {
        let line = read::locate(text, resolver, *first_line, path);
        assert!(line.is_none_or(|line| line <= lines(data)), "{path:?} is on line {line:?}");
    }
    print::to_yaml_in_order(node);
    let mut canonical = node.clone();
    if canonicalize(&mut canonical).is_ok() {
        trees::check_round_trip(&canonical);
    }
}

fn check_error(error: &ReadError, data: &[u8]) {
    let text = error.to_string();
    assert!(!text.is_empty());
    assert!(text.len() <= 1024 + 8 * data.len(), "an error of {} bytes", text.len());
    if error.kind() == ReadErrorKind::Limit {
        return;
    }
    assert!(error.line().is_none_or(|line| line <= lines(data)), "{text} on line {:?}", error.line());
}

/// The number of the line after the last one, with every break that YAML knows: what is missing at the end is missed there.
fn lines(data: &[u8]) -> usize {
    let text = String::from_utf8_lossy(data);
    2 + text.matches(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).count()
}

/// The tree that JSON's own text of a tree is read as: `1e3` and `1000` are one number.
fn normal(node: &millrace_yaml::Node) -> millrace_yaml::Node {
    json::from_str(&json::to_string(node)).expect("JSON that was printed is read")
}
