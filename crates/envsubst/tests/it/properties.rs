//! What holds for every text.

use millrace_envsubst::{Mode, Options, Outcome, Strategy, Variables, substitute_node, substitute_text};
use millrace_yaml::{Map, Node, Scalar, canonicalize};
use proptest::prelude::*;

fn variables() -> Variables {
    Variables::from_iter([("a", "x/y"), ("b", "é😀"), ("c", ""), ("d", "$${a}")])
}

/// Each level replaces every letter by the whole of the level below.
#[test]
fn nested_replacements_grow_up_to_a_limit() {
    let variables = Variables::from_iter([("x", "aaaaaaaaaaaaaaaa")]);
    let nested = |levels: usize| format!("{}a{}", "${x//a/".repeat(levels), "}".repeat(levels));
    assert_eq!(substitute_text(&nested(6), &variables, Mode::Strict).unwrap().len(), 1 << 24);
    let error = substitute_text(&nested(20), &variables, Mode::Strict).unwrap_err();
    assert_eq!(error.to_string(), "substituted text exceeds 33554432 bytes");
}

proptest! {
    #[test]
    fn text_without_dollars_stays(text in "[^$]{0,40}") {
        prop_assert_eq!(substitute_text(&text, &variables(), Mode::Strict).unwrap(), text);
    }

    #[test]
    fn no_expression_makes_it_panic(text in "([$]|[$][{]|[}]|[a-e]|[:=#%/^,?*\\[\\]!-]|[0-9]|é|\\\\| ){0,16}") {
        for mode in [Mode::Strict, Mode::Lax] {
            let _ = substitute_text(&text, &variables(), mode);
        }
    }

    #[test]
    fn doubled_dollars_come_back_single(text in "[a-z${}]{0,20}") {
        let doubled = text.replace('$', "$$");
        prop_assert_eq!(substitute_text(&doubled, &variables(), Mode::Strict).unwrap(), text);
    }

    #[test]
    fn objects_without_expressions_come_back_equal(values in prop::collection::btree_map("[a-z.]{1,8}", "[ -~éß\n]{0,60}", 0..8)) {
        let data: Map = values.iter().map(|(key, value)| (Scalar::string(key.as_str()), Node::string(value.replace("${", "$ {").replace("$$", "$ ")))).collect();
        let mut node = Node::Map([(Scalar::string("data"), Node::Map(data))].into_iter().collect());
        canonicalize(&mut node).unwrap();
        let options = Options { strategy: Strategy::Always, ..Options::default() };
        prop_assert_eq!(substitute_node(&node, &Variables::default(), &options).unwrap(), Outcome::Substituted(node));
    }
}
