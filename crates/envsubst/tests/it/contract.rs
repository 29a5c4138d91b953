//! The tables of kustomize-controller §3.5.3 and the rows of §10 that assert them.

use millrace_envsubst::{Mode, Variables, substitute_text};

fn variables() -> Variables {
    Variables::from_iter([
        ("v", "abcABC123ABCabc"),
        ("e", ""),
        ("n", "123"),
        ("p", "a/b/c.tar.gz"),
        ("s", "foo/bar"),
        ("u", "héllo"),
        ("d", "$$"),
        ("r", "${v}"),
    ])
}

fn strict(input: &str) -> String {
    substitute_text(input, &variables(), Mode::Strict).unwrap_or_else(|err| format!("error: {err}"))
}

/// KC-033: every row of the table, strict mode on.
#[test]
fn expressions_give_the_contracts_results() {
    for (input, expected) in [
        ("${v}", "abcABC123ABCabc"),
        ("$v", "$v"),
        ("$${v}", "${v}"),
        ("$$v", "$v"),
        ("$$$v", "$$v"),
        ("$$${v}", "$abcABC123ABCabc"),
        ("$$$${v}", "$${v}"),
        ("a$$b", "a$b"),
        ("$$", "$"),
        ("$5 $(v) {{v}}", "$5 $(v) {{v}}"),
        ("\\${v}", "\\abcABC123ABCabc"),
        ("${v}}", "abcABC123ABCabc}"),
        ("${r}", "${v}"),
        ("${d}", "$$"),
        ("${m:-x}${m:=x}${m=x}", "xxx"),
        ("${e:-x}${e:=x}${e=x}", "xxx"),
        ("${m:-}${m:=}${m=}", ""),
        ("${v:=x}", "abcABC123ABCabc"),
        ("${m:?err}", "err"),
        ("${m:+x}", "x"),
        ("${v:+x}", "abcABC123ABCabc"),
        ("${m:=a b: c}", "a b: c"),
        ("${m:=${n}-${v:0:3}}", "123-abc"),
        ("${m:-${q:-deep}}", "deep"),
        ("${m:=a}b}", "ab}"),
        ("${m:=$$}", "$$"),
        ("${m:=$${n}}", "$123"),
        ("${m:=\"q\"}", "\"q\""),
        ("${m:=$v}", "$v"),
        ("${#v} ${#u}", "15 6"),
        ("${v^} ${v^^}", "AbcABC123ABCabc ABCABC123ABCABC"),
        ("${v,} ${v,,}", "abcABC123ABCabc abcabc123abcabc"),
        ("${u^^}", "HÉLLO"),
        ("${v:3}", "ABC123ABCabc"),
        ("${v:3:2}", "AB"),
        ("${v:100}", ""),
        ("${v:0:100}${v: -3}${v:a}", "abcABC123ABCabcabcABC123ABCabcabcABC123ABCabc"),
        ("${v/abc/X}", "XABC123ABCabc"),
        ("${v//abc/X}", "XABC123ABCX"),
        ("${v/#abc/X}", "XABC123ABCabc"),
        ("${v/%abc/X}", "abcABC123ABCX"),
        ("${v/abc/} ${v//abc/}", "ABC123ABCabc ABC123ABC"),
        ("${v/#abc/}", "abcABC123ABCabc"),
        ("${v/${n}/Z}", "abcABCZABCabc"),
        ("${v/a*/X}", "abcABC123ABCabc"),
        ("${s/\\//-}${s//\\//-}", "foo-barfoo-bar"),
        ("${v/ABC/$$}", "abc$123ABCabc"),
        ("${p#*/} ${p##*/} ${p%.*} ${p%%.*}", "b/c.tar.gz c.tar.gz a/b/c.tar a/b/c"),
        ("${p%/*} ${p%%/*}", "a/b a"),
        ("${p##*}${p%%*}", ""),
        ("${p#?} ${p#[a-z]} ${p#x}", "/b/c.tar.gz /b/c.tar.gz a/b/c.tar.gz"),
        ("${p%[a-z]}", "a/b/c.tar.gz"),
        ("${1:-x}", "x"),
    ] {
        assert_eq!(strict(input), expected, "{input}");
    }
}

/// KC-033: every error row, in both modes.
#[test]
fn malformed_expressions_give_the_contracts_errors() {
    let tables: [(&str, &[&str]); 4] = [
        ("unable to parse variable name", &["${", "${}", "${ v }", "${!v}", "${-}", "${$}"]),
        (
            "missing closing brace",
            &["${v", "${v }", "${v.x}", "${v-x}", "${m+x}", "${m?e}", "${v@Q}", "${v[0]}"],
        ),
        (
            "bad substitution",
            &[
                "${v^^^}",
                "${v^a}",
                "${#v:-x}",
                "${#}",
                "${#v",
                "${v/abc}",
                "${v//abc}",
                "${v/123/${n}x}",
                "${p#a${n}}",
            ],
        ),
        (
            "unable to parse substitution within function",
            &["${v:}", "${v:1:}", "${v::2}", "${p#}", "${s////-}", "${m:=x", "${m:=${n}"],
        ),
    ];
    for (error, inputs) in tables {
        for input in inputs {
            for mode in [Mode::Strict, Mode::Lax] {
                assert_eq!(
                    substitute_text(input, &variables(), mode).unwrap_err().to_string(),
                    error,
                    "{input}"
                );
            }
        }
    }
    for input in ["${v:0:-2}", "${v:2:-1}"] {
        assert!(substitute_text(input, &variables(), Mode::Lax).is_err(), "{input}");
    }
}

/// KC-034: what isn't set is an error that names it, unless there is a default.
#[test]
fn variables_that_are_not_set_are_errors_in_strict_mode_alone() {
    assert_eq!(strict("${missing}"), "error: variable not set (strict mode): \"missing\"");
    assert_eq!(strict("${missing:=x}"), "x");
    assert_eq!(strict("${v:-${missing}}"), "error: variable not set (strict mode): \"missing\"");
    assert_eq!(strict("${e}"), "");
    assert_eq!(substitute_text("[${missing}]", &variables(), Mode::Lax).unwrap(), "[]");
}

#[test]
fn expressions_may_not_nest_without_end() {
    let deep = format!("{}x{}", "${m:-".repeat(10_000), "}".repeat(10_000));
    assert_eq!(strict(&deep), "error: expressions nest deeper than 100 levels");
    let shallow = format!("{}x{}", "${m:-".repeat(100), "}".repeat(100));
    assert_eq!(strict(&shallow), "x");
}
