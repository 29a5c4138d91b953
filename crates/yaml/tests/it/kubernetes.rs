//! Reading as the Kubernetes libraries read.

use millrace_yaml::json;
use millrace_yaml::read::{Limits, Resolver, documents, one};

fn read(text: &str) -> String {
    one(text, Resolver::Kubernetes, &Limits::default())
        .map_or_else(|err| err.to_string(), |document| json::to_string(&document.node))
}

#[test]
fn scalars_follow_yaml_1_1() {
    for (text, expected) in [
        ("[yes, No, on, off, y, n, TRUE]", "[true,false,true,false,true,false,true]"),
        ("[0777, 0o17, 0x1F, 0b11, 1_000, +1, -0]", "[511,15,31,3,1000,1,0]"),
        ("[1.0, 1.50, 1e3, 08, 1e21, .5]", "[1,1.5,1000,8,1e+21,0.5]"),
        ("[2020-01-01, 1:30, 12:30:45, =]", r#"["2020-01-01","1:30","12:30:45","="]"#),
        ("[~, null, '', \"null\", ]", r#"[null,null,"","null"]"#),
        ("[18446744073709551615, 9007199254740993]", "[18446744073709551615,9007199254740993]"),
        ("[!!str 1, !!int \"3\", !!float 1, !!binary aGk=, !local x]", r#"["1",3,1,"hi","x"]"#),
        ("{yes: a, 1: b, 1.5: c, ~x: d}", r#"{"true":"a","1":"b","1.5":"c","~x":"d"}"#),
        ("", "null"),
        ("# only a comment", "null"),
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
}

#[test]
fn of_equal_keys_the_last_wins() {
    assert_eq!(read("a: 1\nb: 2\na: 3\n"), r#"{"a":3,"b":2}"#);
}

#[test]
fn merges_overwrite_what_stands_before_them() {
    assert_eq!(
        read("x: &x {a: 1, b: 2}\nz:\n  a: 0\n  <<: *x\n  b: 3\n"),
        r#"{"x":{"a":1,"b":2},"z":{"a":1,"b":3}}"#
    );
    assert_eq!(read("<<: [{a: 1}, {a: 2, b: 3}]"), r#"{"a":1,"b":3}"#);
    assert_eq!(read("<<: 1"), "yaml: map merge requires map or sequence of maps as the value");
}

#[test]
fn block_scalars_fold_and_chomp() {
    for (text, expected) in [
        ("|\n  a\n   b\n\n  c\n", r#""a\n b\n\nc\n""#),
        (">\n  a\n  b\n\n  c\n   d\n  e\n", r#""a b\nc\n d\ne\n""#),
        ("|-\n  a\n\n", r#""a""#),
        ("|+\n  a\n\n", r#""a\n\n""#),
        ("|2\n   a\n", r#"" a\n""#),
        ("a: |\n\n  x\nb: 1", r#"{"a":"\nx\n","b":1}"#),
        ("plain\n  over\n\n  lines # comment", r#""plain over\nlines""#),
        ("'it''s\n  here'", r#""it's here""#),
        ("\"a\\\n   b \\x41 \\u00e9\\n\"", r#""ab A é\n""#),
    ] {
        assert_eq!(read(text), expected, "{text:?}");
    }
}

#[test]
fn flow_collections_may_leave_things_out() {
    for (text, expected) in [
        ("{a, b: , c: [1, [2], {d: e}], }", r#"{"a":null,"b":null,"c":[1,[2],{"d":"e"}]}"#),
        ("[a: 1, b]", r#"[{"a":1},"b"]"#),
        (r#"{"a":1,"b":"x"}"#, r#"{"a":1,"b":"x"}"#),
        ("- - a\n  - b\n- c: 1\n  d: 2\n-\n- - \n", r#"[["a","b"],{"c":1,"d":2},null,[null]]"#),
        ("? a\n: b\n? c\n", r#"{"a":"b","c":null}"#),
        ("a:\n- 1\n-\n  b: 2\nc:\n", r#"{"a":[1,{"b":2}],"c":null}"#),
    ] {
        assert_eq!(read(text), expected, "{text:?}");
    }
}

#[test]
fn json_streams_and_yaml_streams_hold_several_objects() {
    let kinds = |text: &str| {
        let found = documents(text, Resolver::Kubernetes, &Limits::default()).unwrap();
        found
            .iter()
            .filter_map(|document| document.node.str_at(&["kind"]).map(str::to_owned))
            .collect::<Vec<_>>()
    };
    assert_eq!(kinds("{\"kind\":\"A\"}\n{\"kind\":\"B\"}"), ["A", "B"]);
    assert_eq!(kinds("---\nkind: A\n---\n# nothing\n---\nkind: B\n...\nkind: C\n"), ["A", "B"]);
    assert_eq!(kinds("{kind: A}\n---\nkind: B\n"), ["A", "B"]);
    assert_eq!(kinds("\u{feff}a: 1\nkind: A\n"), ["A"]);
}
