//! Text that is read and printed again with what makes it look as it does.

use millrace_yaml::read::{Limits, Resolver, one};
use millrace_yaml::styled::{Document, Kind, Node};

fn read(text: &str) -> Document {
    let document = Document::read(text, &Limits::default());
    document
        .unwrap_or_else(|error| panic!("{text}: {error}"))
        .unwrap_or_else(|| panic!("{text}: no document"))
}

/// Prints each text as it is expected, which is how `go.yaml.in/yaml/v3` 3.0.3 prints its node tree.
fn check(texts: &[(&str, &str)]) {
    for (text, expected) in texts {
        assert_eq!(read(text).print(usize::MAX).unwrap(), *expected, "of {text:?}");
    }
}

#[test]
fn comments_above_behind_and_below_stay() {
    check(&[
        (
            "# head\n\n# above\ndb: # behind a key\n  # first\n  host: h # why\n  port: 5\n  # below\n\n# second\nlog: info\n# end\n",
            "# head\n\n# above\ndb: # behind a key\n  # first\n  host: h # why\n  port: 5\n  # below\n# second\nlog: info\n# end\n",
        ),
        (
            "a:\n  - # of the item\n    x: 1\n  # above\n  - y # behind\n\n  # last\nb: 2\n",
            "a:\n- # of the item\n  x: 1\n# above\n- y # behind\n# last\n\nb: 2\n",
        ),
        ("key: # c\n  - a\n  - b\n", "key: # c\n- a\n- b\n"),
        ("# first\n\n\n# second\na: 1\n\n\n\n# last\n", "# first\n\n# second\na: 1\n\n# last\n"),
        ("a: 1\n  # deeper\n# back\nb: 2\n", "a: 1\n# deeper\n# back\nb: 2\n"),
        ("a:\n  b: 1\n\n  # foot of b\n\nc: 2\n", "a:\n  b: 1\n  # foot of b\nc: 2\n"),
        ("- a\n# foot\n\n- b\n", "- a\n# foot\n\n- b\n"),
        ("? complex # c\n: value # v\n", "complex: value # v\n"),
        ("a: # only\n", "a: # only\n"),
    ]);
}

#[test]
fn collections_in_brackets_stay_there() {
    check(&[
        ("a: {b: 1, c: [x, 'y'], d: {}}\n", "a: {b: 1, c: [x, 'y'], d: {}}\n"),
        ("a: [\n  x, # behind\n  # above\n  y,\n]\n", "a: [x, # behind\n  # above\n  y]\n"),
        ("{a: , b, \"c\": {}}\n", "{a: '', b: '', \"c\": {}}\n"),
        ("[a, [b, {c: d}], e: f]\n", "[a, [b, {c: d}], {e: f}]\n"),
        ("a: {\n  b: 1 # c\n}\n", "a: {b: 1, # c\n}\n"),
        ("a: { b: 1,\n  # above\n  c: 2 } # end\n", "a: {b: 1,\n  # above\n  c: 2} # end\n"),
        (
            "a: [long word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word ]\n",
            "a: [long word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word]\n",
        ),
    ]);
}

#[test]
fn anchors_aliases_and_merges_stay() {
    check(&[
        (
            "base: &base\n  a: 1\nprod:\n  <<: *base\n  b: [*base, &x y, *x]\n",
            "base: &base\n  a: 1\nprod:\n  !!merge <<: *base\n  b: [*base, &x y, *x]\n",
        ),
        ("a: &e\nb: *e # c\n", "a: &e\nb: *e # c\n"),
        ("&r {a: &b 1, *b : 2}\n", "&r {a: &b 1, *b: 2}\n"),
    ]);
}

#[test]
fn tags_stay_where_they_were_written() {
    check(&[
        (
            "a: !!str 5\nb: !local x\nc: !<tag:x.org,2000:t> y\nd: !!map {}\ne: ! 5\nf: !!set {a}\n",
            "a: !!str 5\nb: !local x\nc: !<tag:x.org,2000:t> y\nd: !!map {}\ne: 5\nf: !!set {a: ''}\n",
        ),
        (
            "%TAG !e! tag:e.org,2000:\n---\n!e!m {a: !e!n%20x b}\n",
            "!<tag:e.org,2000:m> {a: !<tag:e.org,2000:n%20x> b}\n",
        ),
    ]);
}

#[test]
fn scalars_keep_their_style() {
    check(&[
        (
            "a: 'it''s'\nb: \"tab\\there\"\nc: |\n  one\n    two\n\nd: |-\n  x\ne: |+\n  x\n\nf: >\n  one\n  two\n\n  three\ng: |2\n   x\n",
            "a: 'it''s'\nb: \"tab\\there\"\nc: |\n  one\n    two\nd: |-\n  x\ne: |+\n  x\n\nf: >\n  one two\n\n  three\n\ng: |2\n   x\n",
        ),
        ("a: >-\n  x\n   y\n  z\n", "a: >-\n  x\n\n   y\n  z\n"),
        (
            "a: \"é\\u00e9\\U0001F600\"\nb: plain\n  folded\n\n  twice\nc: ''\nd:\ne: ~\n",
            "a: \"éé\\U0001F600\"\nb: |-\n  plain folded\n  twice\nc: ''\nd:\ne: ~\n",
        ),
        ("\"q\": 1\n'k': 2\n5: 3\ntrue: 4\n", "\"q\": 1\n'k': 2\n5: 3\ntrue: 4\n"),
        ("a: 'x\n\n  y'\n", "a: 'x\n\n  y'\n"),
        ("a: |  # behind\n  text # not\n", "a: | # behind\n  text # not\n"),
        ("a: 0o7\nb: 1_000\nc: 012\nd: on\ne: 12:30\n", "a: 0o7\nb: 1_000\nc: 012\nd: on\ne: 12:30\n"),
    ]);
}

#[test]
fn lists_stand_at_the_column_of_their_keys() {
    check(&[
        ("a:\n    - x\n    -   y: 1\n        z: 2\n", "a:\n- x\n- y: 1\n  z: 2\n"),
        ("- - a\n  - - b\n-\n  c: 1\n- - \n", "- - a\n  - - b\n- c: 1\n- -\n"),
        ("a:\n- - x\n  - y\n- b:\n  - c\n", "a:\n- - x\n  - y\n- b:\n  - c\n"),
    ]);
}

#[test]
fn what_is_no_content_is_lost() {
    check(&[
        ("---\n# head\n\na: 1\n...\n# after\n---\nb: 2\n", "# head\na: 1\n"),
        ("%YAML 1.1\n--- # c\na: 1\n", "# c\na: 1\n"),
        ("\n\n\na: 1\n\n\n\nb: 2\n", "a: 1\nb: 2\n"),
        ("a:   1   \nb  :   2\n", "a: 1\nb: 2\n"),
        ("a: 1\r\n# c\r\nb: 2 # d\r\n", "a: 1\n# c\n\nb: 2 # d\n"),
        ("\u{feff}a: 1\n", "a: 1\n"),
        ("# c\n---\na: 1\n", "# c\na: 1\n"),
    ]);
}

#[test]
fn a_changed_scalar_keeps_its_type_and_quotes() {
    let mut document = read("number: 5 # n\nword: w\nquoted: 'q'\nmade: {}\nalias: &a x\n");
    for (key, text) in [("number", "x"), ("word", "5"), ("quoted", "it's"), ("alias", "l1\nl2")] {
        document.root_mut().get_mut(key).unwrap().set_text(text);
    }
    let made = document.root_mut().get_mut("made").unwrap();
    for text in ["5", "a: b", "", "x"] {
        made.push_entry(text, Node::untyped(text));
    }
    let expected = "number: !!int x # n\nword: \"5\"\nquoted: 'it''s'\nmade: {5: 5, 'a: b': 'a: b', '': '', x: x}\n\
                    alias: &a |-\n  l1\n  l2\n";
    assert_eq!(document.print(usize::MAX).unwrap(), expected);
}

#[test]
fn a_node_of_the_object_tree_is_printed_in_block_style() {
    let node = millrace_yaml::json::from_str(r#"{"a": [1, {"b": "5"}, []], "c": null}"#).unwrap();
    let mut document = read("x: {y: z} # c\n");
    *document.root_mut().get_mut("x").unwrap() = Node::from(&node);
    assert_eq!(document.print(usize::MAX).unwrap(), "x:\n  a:\n  - 1\n  - b: \"5\"\n  - []\n  c: null\n");
}

#[test]
fn text_of_comments_alone_has_no_document() {
    for text in ["", "\n", "# c\n", " # c\n\n# d"] {
        assert!(Document::read(text, &Limits::default()).unwrap().is_none(), "{text:?}");
    }
    assert!(read("null").root().is_null());
    assert!(read("---\n").root().is_null());
    assert_eq!(read("a: &x 1\nb: *x\n").root().get("b").map(Node::kind), Some(Kind::Alias));
}

#[test]
fn text_that_is_no_yaml_is_an_error() {
    for (text, expected) in [
        ("a: [b\n", "yaml: line 1: did not find expected ',' or ']'"),
        ("a: *x\n", "yaml: unknown anchor 'x' referenced"),
        ("a: b: c\n", "yaml: mapping values are not allowed in this context"),
        ("a: !e!x y\n", "yaml: found undefined tag handle"),
        ("# c\n- a\nb: c\n", "yaml: line 1: did not find expected '-' indicator"),
    ] {
        let error = Document::read(text, &Limits::default()).map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), expected, "{text:?}");
    }
}

#[test]
fn no_more_is_printed_than_allowed() {
    let document = read("a: 1 # c\n");
    assert_eq!(document.print(9).unwrap(), "a: 1 # c\n");
    assert_eq!(document.print(8).unwrap_err().to_string(), "text would exceed the limit of 8 bytes");
}

#[test]
fn comments_in_deep_brackets_cost_no_more_than_the_limit() {
    let deep = 400;
    let comments = "#\n".repeat(1 << 18);
    let text = format!("{}x,\n{comments}{}", "[".repeat(deep), "]".repeat(deep));
    let document = read(&text);
    let (before, limit) = (crate::MEMORY.allocated(), 4 << 20);
    assert!(document.print(limit).is_err());
    assert!(crate::MEMORY.allocated() - before < limit);
}

#[test]
fn an_object_is_shown_in_the_brackets_in_which_it_was_read() {
    let shown = |text: &str| {
        let read = one(text, Resolver::Kustomize, &Limits::default()).unwrap();
        Node::from(&read.node).print(usize::MAX).unwrap()
    };
    for (text, expected) in [
        ("- k: [a, {b: c}]\n", "- k: [a, {b: c}]\n"),
        ("{\"a\": [1, 'x'], e: }\n", "{\"a\": [1, 'x'], e: ''}\n"),
        ("a: [\n  [x], [y, z]\n  ]\nb:\n- {c: 12:30}\n", "a: [[x], [y, z]]\nb:\n- {c: '12:30'}\n"),
        ("a: &x [1]\nb:\n- *x\n- {c: *x}\nd: *x\n", "a: [1]\nb:\n- [1]\n- {c: [1]}\nd: [1]\n"),
        ("a: &x {b: 1}\nc: {<<: *x, d: 2}\n", "a: {b: 1}\nc: {d: 2, b: 1}\n"),
    ] {
        assert_eq!(shown(text), expected, "of {text:?}");
    }
    let equal = |text: &str| one(text, Resolver::Kustomize, &Limits::default()).unwrap().node;
    assert_eq!(equal("a: [b, {c: d}]\n"), equal("a:\n- b\n- c: d\n"), "brackets make no difference");
}
