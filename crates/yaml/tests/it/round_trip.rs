//! What is printed reads as what it was.

use millrace_yaml::read::{Limits, Resolver, one};
use millrace_yaml::{Map, Node, Scalar, canonicalize, json, print};
use proptest::prelude::*;

/// Text that makes printers stumble: indicators, blanks, breaks, words and numbers of YAML 1.1.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("yes"),
        Just("null"),
        Just("~"),
        Just("1"),
        Just("1e3"),
        Just("0x1F"),
        Just("2020-01-01"),
        Just("1:30"),
        Just("---"),
        Just("..."),
        Just(": "),
        Just(" #"),
        Just("- "),
        Just("'"),
        Just("\""),
        Just("\\"),
        Just("\n"),
        Just(" "),
        Just("  "),
        Just("\t"),
        Just("é"),
        Just("😀"),
        Just("\u{85}"),
        Just("\u{2028}"),
        Just("{"),
        Just("&a"),
        Just("<<"),
        Just("="),
        Just("a"),
        Just("some longer text with blanks"),
        Just("\r\n"),
        Just("\u{feff}"),
        Just("%"),
    ];
    prop_oneof![prop::collection::vec(word, 0..12).prop_map(|words| words.concat()), "\\PC{0,20}",]
}

fn scalar() -> impl Strategy<Value = Node> {
    prop_oneof![
        text().prop_map(Node::string),
        Just(Node::null()),
        any::<bool>().prop_map(Node::bool),
        any::<i64>().prop_map(Node::int),
        any::<f64>().prop_filter("JSON has no such number", |value| value.is_finite()).prop_map(Node::float),
    ]
}

fn node() -> impl Strategy<Value = Node> {
    scalar().prop_recursive(5, 48, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Node::list),
            prop::collection::btree_map(
                text().prop_filter("go-yaml prints this key like a merge", |key| key != "<<"),
                inner,
                0..5
            )
            .prop_map(|entries| {
                Node::Map(
                    entries.into_iter().map(|(key, value)| (Scalar::string(key), value)).collect::<Map>(),
                )
            }),
        ]
    })
}

/// Characters that YAML can't hold unescaped, or not at all in the reference.
fn readable(node: &Node) -> bool {
    !json::to_string(node)
        .chars()
        .any(|character| matches!(character, '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}'))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn printing_and_reading_is_identity(mut node in node().prop_filter("readable", readable)) {
        canonicalize(&mut node).unwrap();
        let yaml = print::to_yaml(&node);
        for resolver in [Resolver::Kubernetes, Resolver::Kustomize] {
            let mut read = one(&yaml, resolver, &Limits::default()).unwrap_or_else(|err| panic!("{err}\n{yaml}")).node;
            canonicalize(&mut read).unwrap();
            prop_assert_eq!(&read, &node, "{:?}\n{}", resolver, yaml);
        }
    }

    #[test]
    fn json_is_yaml_and_reads_back(mut node in node().prop_filter("readable", readable)) {
        canonicalize(&mut node).unwrap();
        let text = json::to_string(&node);
        prop_assert!(json::from_str(&text).unwrap().same_value(&node));
        let read = one(&text, Resolver::Kubernetes, &Limits::default()).unwrap().node;
        prop_assert!(read.same_value(&node), "{}", text);
    }

    #[test]
    fn no_text_makes_the_readers_panic(text in "[-?:,\\[\\]{}#&*!|>'\"%@` \\na-c0-9<~.\\\\\t]{0,60}") {
        for resolver in [Resolver::Kubernetes, Resolver::Kustomize] {
            let _ = one(&text, resolver, &Limits::default());
        }
    }
}
