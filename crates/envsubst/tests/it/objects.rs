//! Whole objects: kustomize-controller §3.5.1, §3.5.4 and the rows of §10 about them.

use millrace_envsubst::{
    Mode, Options, Outcome, Strategy, Variables, reads_variables, substitute_node, substitute_nodes,
};
use millrace_yaml::read::{Limits, Resolver, one};
use millrace_yaml::{Node, json};

fn node(text: &str) -> Node {
    one(text, Resolver::Kubernetes, &Limits::default()).unwrap().node
}

/// A ConfigMap with one value.
fn config_map(value: &str) -> Node {
    let mut config_map = node("{apiVersion: v1, kind: ConfigMap, metadata: {name: app}, data: {}}");
    config_map.map_at_mut(&["data"]).unwrap().insert("k", Node::string(value));
    config_map
}

/// What `data.k` becomes, as JSON, or the error.
fn becomes(value: &str, variables: &[(&str, &str)]) -> String {
    let variables: Variables = variables.iter().copied().collect();
    match substitute_node(&config_map(value), &variables, &Options::default()) {
        Ok(Outcome::Substituted(node)) => json::to_string(node.at(&["data", "k"]).unwrap()),
        Ok(other) => format!("{other:?}"),
        Err(err) => err.to_string(),
    }
}

/// KC-041: the value decides the type; quotes in the variable make a string.
#[test]
fn the_value_of_a_variable_decides_the_type() {
    for (value, x, expected) in [
        ("${x}", "123", "123"),
        ("${x}", "true", "true"),
        ("${x}", "yes", "true"),
        ("${x}", "on", "true"),
        ("${x}", "", "null"),
        ("${x}", "null", "null"),
        ("${x}", "~", "null"),
        ("${x}", "1.10", "1.1"),
        ("${x}", "1e3", "1000"),
        ("${x}", "010", "8"),
        ("${x}", "0x1F", "31"),
        ("${x}", "1_000", "1000"),
        ("${x}", "2024-01-01", "\"2024-01-01\""),
        ("${x}", "12:30:45", "\"12:30:45\""),
        ("${x}", "10.0.0.1", "\"10.0.0.1\""),
        ("${x}", "{a: 1}", "{\"a\":1}"),
        ("${x}", "[1,2]", "[1,2]"),
        ("${x}", "a #b", "\"a\""),
        ("${x}", " x ", "\"x\""),
        ("${x}", "!!str 123", "\"123\""),
        ("x-${x}", "123", "\"x-123\""),
        ("${x}m", "123", "\"123m\""),
        ("a: ${x}", "123", "\"a: 123\""),
        ("0${x}", "123", "83"),
        ("${m:=\"5\"}", "", "\"5\""),
        ("line\n${x}\n", "123", "\"line\\n123\\n\""),
        ("${x}", "9007199254740993", "9007199254740992"),
    ] {
        assert_eq!(becomes(value, &[("x", x)]), expected, "{value} {x:?}");
    }
    assert_eq!(becomes("${q}${x}${q}", &[("q", "\""), ("x", "123")]), "\"123\"");
}

#[test]
fn values_that_break_the_text_are_errors() {
    for (x, expected) in [
        ("a: b", "envsubst error: YAMLToJSON: yaml: line 3: mapping values are not allowed in this context"),
        ("*a", "envsubst error: YAMLToJSON: yaml: unknown anchor 'a' referenced"),
        ("@a", "envsubst error: YAMLToJSON: yaml: line 3: found character that cannot start any token"),
        (".inf", "envsubst error: YAMLToJSON: json: unsupported value: +Inf"),
        (
            "- a",
            "envsubst error: YAMLToJSON: yaml: line 3: block sequence entries are not allowed in this context",
        ),
    ] {
        assert_eq!(becomes("${x}", &[("x", x)]), expected, "{x}");
    }
    assert_eq!(
        becomes("${x", &[("x", "1")]),
        "envsubst error: variable substitution failed: missing closing brace"
    );
    assert_eq!(
        becomes("x", &[("a-b", "1")]),
        "envsubst error: 'a-b' var name is invalid, must match '^[_[:alpha:]][_[:alpha:][:digit:]]*$'"
    );
}

/// KC-035: without variables nothing happens, unless the strategy says so.
#[test]
fn the_strategy_decides_where_there_are_no_variables() {
    let object = config_map("${a:=b}");
    let run = |strategy| {
        let options = Options { strategy, ..Options::default() };
        substitute_node(&object, &Variables::default(), &options).unwrap()
    };
    assert_eq!(run(Strategy::WithVariables), Outcome::Unchanged);
    let Outcome::Substituted(node) = run(Strategy::Always) else { panic!("left alone") };
    assert_eq!(node.str_at(&["data", "k"]), Some("b"));
}

/// KC-040: only the exact word opts out.
#[test]
fn a_label_or_annotation_opts_an_object_out() {
    let variables = Variables::from_iter([("x", "1")]);
    let with = |field: &str, value: &str| {
        let mut object = config_map("x-${x}");
        let fields = object.map_at_mut(&["metadata", field]).unwrap();
        fields.insert("kustomize.toolkit.fluxcd.io/substitute", Node::string(value));
        object
    };
    for field in ["labels", "annotations"] {
        let disabled = with(field, "disabled");
        assert_eq!(substitute_node(&disabled, &variables, &Options::default()).unwrap(), Outcome::Skipped);
        assert!(reads_variables(std::slice::from_ref(&disabled)).is_none());
        let other = with(field, "Disabled");
        let outcome = substitute_node(&other, &variables, &Options::default()).unwrap();
        assert!(matches!(outcome, Outcome::Substituted(node) if node.str_at(&["data", "k"]) == Some("x-1")));
        assert_eq!(reads_variables(&[disabled, other.clone()]), Some(&other));
    }
    assert!(reads_variables(&[]).is_none());
}

/// KC-042: dollars collapse in blocks, backslashes stay.
#[test]
fn literal_blocks_keep_their_text() {
    assert_eq!(becomes("a\n$${x}\n\\?\n", &[("x", "1")]), "\"a\\n${x}\\n\\\\?\\n\"");
}

#[test]
fn objects_without_expressions_only_lose_precision() {
    let object = node(
        "{apiVersion: v1, kind: A, metadata: {name: a}, big: 9007199254740993, f: 1.50, m: 18446744073709551615}",
    );
    let variables = Variables::from_iter([("x", "1")]);
    let outcome = substitute_node(&object, &variables, &Options::default()).unwrap();
    let Outcome::Substituted(node) = outcome else { panic!("left alone") };
    assert_eq!(
        json::to_string(&node),
        r#"{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"big":9007199254740992,"f":1.5,"m":18446744073709552000}"#
    );
}

#[test]
fn keys_and_names_take_part_and_the_last_of_equal_keys_wins() {
    let object =
        node("{apiVersion: v1, kind: ConfigMap, metadata: {name: 'app-${x}'}, data: {'${y}': a, z: b}}");
    let variables = Variables::from_iter([("x", "1"), ("y", "z")]);
    let outcome = substitute_node(&object, &variables, &Options::default()).unwrap();
    let Outcome::Substituted(node) = outcome else { panic!("left alone") };
    assert_eq!(node.str_at(&["metadata", "name"]), Some("app-1"));
    assert_eq!(json::to_string(node.get("data").unwrap()), r#"{"z":"b"}"#);
}

#[test]
fn a_builds_objects_are_substituted_in_place_and_failures_name_theirs() {
    let variables = Variables::from_iter([("x", "1")]);
    let mut nodes = vec![
        config_map("v${x}"),
        node("{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, a: '${b}'}"),
    ];
    let err = substitute_nodes(&mut nodes, &variables, &Options::default()).unwrap_err();
    assert_eq!(nodes[0].str_at(&["data", "k"]), Some("v1"));
    assert_eq!(
        err.to_string(),
        "post build failed for 'Deployment.v1.apps/d': envsubst error: variable substitution failed: \
         variable not set (strict mode): \"b\""
    );
    let lax = Options { mode: Mode::Lax, ..Options::default() };
    substitute_nodes(&mut nodes, &variables, &lax).unwrap();
    assert!(nodes[1].get("a").is_some_and(Node::is_null));

    let err = substitute_nodes(&mut [config_map("${b}")], &variables, &Options::default()).unwrap_err();
    assert!(
        err.to_string().starts_with("post build failed for 'ConfigMap.v1.[noGrp]/app': envsubst error: ")
    );
}

#[test]
fn objects_that_become_the_same_are_an_error() {
    let named =
        |name: &str| node(&format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: '{name}'}}}}"));
    let mut nodes = vec![named("app-1"), named("app-${x}")];
    let err =
        substitute_nodes(&mut nodes, &Variables::from_iter([("x", "1")]), &Options::default()).unwrap_err();
    assert_eq!(err.to_string(), "in Replace: id matched 2 resources");
}
