//! Reading as kustomize reads, and the way to its output.

use millrace_yaml::read::{Limits, Resolver, documents, kind_of, one};
use millrace_yaml::{Node, ScalarKind, Style, canonical, json};

fn read(text: &str) -> Result<Node, String> {
    one(text, Resolver::Kustomize, &Limits::default())
        .map(|document| document.node)
        .map_err(|err| err.to_string())
}

fn output(text: &str) -> String {
    match read(text).and_then(|node| canonical(&node).map_err(|err| err.to_string())) {
        Ok(node) => json::to_string(&node),
        Err(err) => err,
    }
}

#[test]
fn words_stay_strings_and_numbers_are_numbers() {
    for (text, expected) in [
        ("[yes, No, on, y, TRUE, 'true']", r#"["yes","No","on","y",true,"true"]"#),
        ("[0777, 0o17, 0x1F, 0b11, 1_000, 08]", "[511,15,31,3,1000,8]"),
        ("[-0, -0.0, 1.0, 1.50, 123456.5, 1e-7]", "[0,0,1,1.5,123456.5,1e-7]"),
        (
            "[2020-01-01, '2020-01-01', 2001-12-14t21:59:43.10-05:00]",
            // In brackets the colon is one more reason for quotes.
            r#"["2020-01-01T00:00:00Z","2020-01-01","2001-12-14t21:59:43.10-05:00"]"#,
        ),
        ("- 2001-12-14t21:59:43.10-05:00\n", r#"["2001-12-14T21:59:43.1-05:00"]"#),
        (
            "[!!str 1, !!int \"3\", !!float 1, !!bool \"true\", !!binary aGk=, !local 1]",
            r#"["1",3,1,true,"hi","1"]"#,
        ),
        ("b: 1\na10: 2\na2: 3\n", r#"{"a2":3,"a10":2,"b":1}"#),
        ("1: a", r#"{"1":"a"}"#),
    ] {
        assert_eq!(output(text), expected, "{text}");
    }
}

#[test]
fn a_value_left_out_between_braces_becomes_an_empty_string() {
    for (text, expected) in [
        ("{a: , b: null, c}", r#"{"a":"","b":null,"c":""}"#),
        ("[a: , {b: ~}]", r#"[{"a":""},{"b":null}]"#),
        ("a:\nb: {c:\n}\n", r#"{"a":null,"b":{"c":""}}"#),
    ] {
        assert_eq!(output(text), expected, "{text}");
    }
    let node = read("{a: }").expect("YAML");
    assert_eq!(
        node.get("a").and_then(Node::as_scalar).map(millrace_yaml::Scalar::kind),
        Some(ScalarKind::Null)
    );
}

#[test]
fn the_way_to_output_fails_as_the_references_does() {
    for (text, expected) in [
        ("!!null x", "yaml: cannot decode !!str `x` as a !!null"),
        ("a: !!int b", "yaml: cannot decode !!str `b` as a !!int"),
        ("a: !!int 2024-01-02", "yaml: cannot decode !!str `2024-01-02` as a !!int"),
        ("a: {1: b}", "json: unsupported type: map[interface {}]interface {}"),
        ("a: .inf", "json: unsupported value: +Inf"),
        ("\"a\\x7f\"", "yaml: control characters are not allowed"),
        ("{a: .inf, b: !!int c}", "yaml: cannot decode !!str `c` as a !!int"),
    ] {
        assert_eq!(output(text), expected, "{text}");
    }
}

#[test]
fn text_style_and_type_of_scalars_are_kept() {
    let node = read("a: 0x1F\nb: 'x'\nc: |\n  y\nd: True\ne: 2020-01-01\nf: ~\n").unwrap();
    let scalar = |key: &str| {
        let scalar = node.get(key).and_then(Node::as_scalar).unwrap();
        (scalar.text().to_owned(), scalar.kind(), scalar.style())
    };
    assert_eq!(scalar("a"), ("0x1F".to_owned(), ScalarKind::Int, Style::Plain));
    assert_eq!(scalar("b"), ("x".to_owned(), ScalarKind::Str, Style::SingleQuoted));
    assert_eq!(scalar("c"), ("y\n".to_owned(), ScalarKind::Str, Style::Literal));
    assert_eq!(scalar("d"), ("True".to_owned(), ScalarKind::Bool, Style::Plain));
    assert_eq!(scalar("e"), ("2020-01-01".to_owned(), ScalarKind::Timestamp, Style::Plain));
    assert_eq!(scalar("f"), ("~".to_owned(), ScalarKind::Null, Style::Plain));
    assert_eq!(node.get("a").and_then(Node::as_i64), Some(31));
    assert_eq!(node.get("d").and_then(Node::as_bool), Some(true));
    assert_eq!(kind_of("1e5", Resolver::Kustomize), ScalarKind::Float);
    assert_eq!(kind_of("2020-01-01", Resolver::Kubernetes), ScalarKind::Str);
}

#[test]
fn merged_keys_never_replace_own_ones() {
    let merged = |text: &str| output(text);
    assert_eq!(
        merged("x: &x {a: 1, b: 2}\ny:\n  a: 0\n  <<: *x\n"),
        r#"{"x":{"a":1,"b":2},"y":{"a":0,"b":2}}"#
    );
    assert_eq!(merged("<<: [{a: 1}, {a: 2, b: 3}]\nb: 4"), r#"{"a":1,"b":4}"#);
    assert_eq!(merged("<<: {a: b}\n<<: {c: d}"), "duplicate merge key");
    assert_eq!(merged("x: &x 1\ny: {<<: *x}"), "invalid map merge: received alias for a non-map value");
    assert_eq!(merged("<<: [[{a: 1}]]"), "invalid map merge: received a nested sequence");
    assert_eq!(merged("<<: 1"), "map merge requires map or sequence of maps as the value");
}

#[test]
fn documents_follow_kustomizes_separators() {
    let values = |text: &str| {
        let found = documents(text, Resolver::Kustomize, &Limits::default()).unwrap();
        found
            .iter()
            .map(|document| (json::to_string(&document.node), document.first_line))
            .collect::<Vec<_>>()
    };
    let expected = |pairs: &[(&str, usize)]| {
        pairs.iter().map(|(text, line)| ((*text).to_owned(), *line)).collect::<Vec<_>>()
    };
    assert_eq!(
        values("--- {a: 1}\n--- # c\n\n---\nnull\n---\nb: 2\n"),
        expected(&[("{\"a\":1}", 1), ("{\"b\":2}", 7)])
    );
    assert_eq!(values("a: 1\n...\nb: 2\n"), expected(&[("{\"a\":1}", 1)]));
    assert_eq!(values("{\"a\":1}\n{\"b\":2}\n"), expected(&[("{\"a\":1}", 1)]));
    assert_eq!(values("\u{feff}a: |\r\n  x\r\n"), expected(&[("{\"a\":\"x\\n\"}", 1)]));
    assert_eq!(values(""), expected(&[]));
}
