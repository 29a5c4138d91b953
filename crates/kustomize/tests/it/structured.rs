//! Replacements into YAML and JSON text inside of objects.
//!
//! What is expected is what `kustomize build` 5.8.1 makes of the same files.

use millrace_kustomize::{MemoryFiles, Options, build};
use millrace_yaml::{Map, Node, json};

/// Text, path in it, value, whether what is missing is made; and the text after the build, or its error.
type Row<'t> = (&'t str, &'t str, &'t str, bool, Result<&'t str, &'t str>);

const SETTINGS: &str =
    "# Settings\ndb:\n  host: old # why\n  port: 5\n\n# second\nlog: {level: info, to: [a, b]}\n";
const PROMETHEUS: &str = "global:\n  scrape_interval: 15s # By default\n\n# Rules\nrule_files:\n  # - first.rules\n\nscrape_configs:\n  - job_name: prometheus\n    static_configs:\n      - targets: ['localhost:9090', \"b\"]\n";

fn map(entries: &[(&str, Node)]) -> Node {
    let mut map = Map::default();
    for (key, value) in entries {
        map.insert(*key, value.clone());
    }
    Node::Map(map)
}

/// The text of an object after a replacement.
fn replaced(text: &str, path: &str, value: &str, create: bool) -> Result<String, String> {
    let object = map(&[
        ("apiVersion", Node::string("v1")),
        ("kind", Node::string("ConfigMap")),
        ("metadata", map(&[("name", Node::string("a"))])),
        ("data", map(&[("text", Node::string(text))])),
    ]);
    let target = map(&[
        ("select", map(&[("kind", Node::string("ConfigMap"))])),
        ("fieldPaths", Node::list(vec![Node::string(format!("data.text.{path}"))])),
        ("options", map(&[("create", Node::bool(create))])),
    ]);
    let replacement = map(&[("sourceValue", Node::string(value)), ("targets", Node::list(vec![target]))]);
    let kustomization = map(&[
        ("resources", Node::list(vec![Node::string("a.yaml")])),
        ("replacements", Node::list(vec![replacement])),
    ]);
    let mut files = MemoryFiles::new();
    files.insert("a.yaml", json::to_string(&object));
    files.insert("kustomization.yaml", json::to_string(&kustomization));
    let output = build(&files, "", &Options::cli("/r")).map_err(|error| error.reference)?;
    Ok(output.resources[0].str_at(&["data", "text"]).unwrap_or_default().to_owned())
}

fn check(rows: &[Row<'_>]) {
    for (text, path, value, create, expected) in rows {
        let replaced = replaced(text, path, value, *create);
        assert_eq!(replaced.as_deref().map_err(String::as_str), *expected, "{path} in {text:?}");
    }
}

#[test]
fn what_surrounds_a_change_in_yaml_text_stays() {
    check(&[
        (
            SETTINGS,
            "db.host",
            "new",
            false,
            Ok("# Settings\ndb:\n  host: new # why\n  port: 5\n# second\nlog: {level: info, to: [a, b]}"),
        ),
        (
            SETTINGS,
            "db.port",
            "7",
            false,
            Ok("# Settings\ndb:\n  host: old # why\n  port: 7\n# second\nlog: {level: info, to: [a, b]}"),
        ),
        (
            SETTINGS,
            "log.level",
            "debug",
            false,
            Ok("# Settings\ndb:\n  host: old # why\n  port: 5\n# second\nlog: {level: debug, to: [a, b]}"),
        ),
        (
            SETTINGS,
            "log.to.1",
            "x, y",
            false,
            Ok(
                "# Settings\ndb:\n  host: old # why\n  port: 5\n# second\nlog: {level: info, to: [a, 'x, y']}",
            ),
        ),
        (
            SETTINGS,
            "db.port",
            "none",
            false,
            Ok(
                "# Settings\ndb:\n  host: old # why\n  port: !!int none\n# second\nlog: {level: info, to: [a, b]}",
            ),
        ),
        (
            SETTINGS,
            "db.host",
            "true",
            false,
            Ok(
                "# Settings\ndb:\n  host: \"true\" # why\n  port: 5\n# second\nlog: {level: info, to: [a, b]}",
            ),
        ),
        (
            SETTINGS,
            "db.host",
            "l1\nl2",
            false,
            Ok(
                "# Settings\ndb:\n  host: |- # why\n    l1\n    l2\n  port: 5\n# second\nlog: {level: info, to: [a, b]}",
            ),
        ),
        (SETTINGS, "db", "gone", false, Ok("# Settings\ndb: gone\n# second\nlog: {level: info, to: [a, b]}")),
    ]);
}

#[test]
fn a_change_deep_in_yaml_text_touches_nothing_else() {
    check(&[
        (
            PROMETHEUS,
            "global.scrape_interval",
            "30s",
            false,
            Ok(
                "global:\n  scrape_interval: 30s # By default\n# Rules\nrule_files:\n# - first.rules\nscrape_configs:\n- job_name: prometheus\n  static_configs:\n  - targets: ['localhost:9090', \"b\"]",
            ),
        ),
        (
            PROMETHEUS,
            "scrape_configs.[job_name=prom].static_configs.0.targets.0",
            "host:1",
            false,
            Ok(
                "global:\n  scrape_interval: 15s # By default\n# Rules\nrule_files:\n# - first.rules\nscrape_configs:\n- job_name: prometheus\n  static_configs:\n  - targets: ['host:1', \"b\"]",
            ),
        ),
    ]);
}

#[test]
fn anchors_blocks_and_tags_around_a_change_stay() {
    check(&[
        (
            "base: &base\n  a: 1\nprod:\n  <<: *base\n  host: h\n",
            "prod.host",
            "n",
            false,
            Ok("base: &base\n  a: 1\nprod:\n  !!merge <<: *base\n  host: n"),
        ),
        ("base: &base {a: 1}\nprod: *base\n", "prod", "n", false, Ok("base: &base {a: 1}\nprod: n")),
        (
            "script: |\n  #!/bin/sh\n  echo hi\n\nfold: >-\n  one\n  two\nhost: 'x'\n",
            "host",
            "it's",
            false,
            Ok("script: |\n  #!/bin/sh\n  echo hi\nfold: >-\n  one two\nhost: 'it''s'"),
        ),
        ("host: old\r\na: b # c\r\n", "host", "new", false, Ok("host: new\na: b # c")),
        ("a: 1\n---\nb: 2\n", "a", "3", false, Ok("a: 3")),
        ("%YAML 1.1\n---\na: x\n", "a", "y", false, Ok("a: y")),
        ("a: !!str 5\nb: null\n", "b", "x", false, Ok("a: !!str 5\nb: !!null x")),
        ("- name: web # w\n- name: api\n", "[name=api].name", "x", false, Ok("- name: web # w\n- name: x")),
        ("- a # c\n- b\n", "[=b]", "x", false, Ok("- a # c\n- x")),
    ]);
}

#[test]
fn what_is_made_in_yaml_text_goes_to_the_end() {
    check(&[
        (
            SETTINGS,
            "db.tls",
            "true",
            true,
            Ok(
                "# Settings\ndb:\n  host: old # why\n  port: 5\n  tls: true\n# second\nlog: {level: info, to: [a, b]}",
            ),
        ),
        (
            SETTINGS,
            "log.to.2",
            "c",
            true,
            Ok("# Settings\ndb:\n  host: old # why\n  port: 5\n# second\nlog: {level: info, to: [a, b, c]}"),
        ),
        (
            SETTINGS,
            "new.sub.key",
            "v",
            true,
            Ok(
                "# Settings\ndb:\n  host: old # why\n  port: 5\n# second\nlog: {level: info, to: [a, b]}\nnew:\n  sub:\n    key: v",
            ),
        ),
        ("a:\n  - name: x # c\n", "a.[name=y].v", "1", true, Ok("a:\n- name: x # c\n- name: y\n  v: 1")),
        ("a: {}\n", "a.b", "null", true, Ok("a: {b: null}")),
        ("a: []\n", "a.0", "x", true, Ok("a: [x]")),
        ("a: 1\n", "b.0.c", "a: b", true, Ok("a: 1\nb:\n- c: 'a: b'")),
    ]);
}

#[test]
fn nothing_is_made_of_a_null_in_yaml_text() {
    check(&[
        (
            "a:\nb: 1 # c\n",
            "a.b",
            "x",
            true,
            Err(
                "unable to find or create field \"data.text.a.b\" in replacement target: wrong node kind: expected MappingNode but got : node contents:\nnull\n",
            ),
        ),
        ("a: ~\n", "a.0", "x", true, Ok("a: ~")),
        ("- null\n", "0.b", "x", true, Ok("- null")),
        ("null", "a", "x", true, Ok("null")),
    ]);
}

#[test]
fn json_text_stays_json() {
    check(&[
        (
            "{\"b\": 1.0, \"a\": [1, {\"d\": null}], \"t\": \"<&>\"}",
            "b",
            "x",
            false,
            Ok("{\"b\": 1.0, \"a\": [1, {\"d\": null}], \"t\": \"<&>\"}"),
        ),
        (
            "{\n  \"b\": 1,\n  \"a\": {\"c\": [1, 2]}\n}\n",
            "a.c.0",
            "x",
            false,
            Ok("{\n  \"b\": 1,\n  \"a\": {\"c\": [1, 2]}\n}\n"),
        ),
        ("{b: 1, # c\n a: x}", "a", "y", false, Ok("{\"a\":\"y\",\"b\":1}")),
        (
            "[1, {\"name\": \"web\", \"v\": 2}]",
            "[name=web].v",
            "3",
            false,
            Ok("[1,{\"name\":\"web\",\"v\":3}]"),
        ),
        (" {\"a\": 1}\n", "a", "2", false, Ok("{\"a\":2}")),
        ("{\"a\": 1}", "b.c", "v", true, Ok("{\"a\":1,\"b\":{\"c\":\"v\"}}")),
    ]);
}

#[test]
fn text_that_no_path_leads_into_is_left_alone_with_an_error() {
    check(&[
        (
            "# only a comment\n",
            "a",
            "x",
            true,
            Err(
                "unable to find or create field \"data.text.a\" in replacement target: wrong node kind: expected MappingNode but got : node contents:\nnull\n",
            ),
        ),
        (
            "word",
            "a",
            "x",
            true,
            Err(
                "unable to find or create field \"data.text.a\" in replacement target: wrong node kind: expected MappingNode but got ScalarNode: node contents:\nword\n",
            ),
        ),
        (
            "a: [b\n",
            "a",
            "x",
            false,
            Err(
                "unable to find field \"data.text.a\" in replacement target: yaml: line 1: did not find expected ',' or ']'",
            ),
        ),
        (
            "a: *x\n",
            "a",
            "x",
            false,
            Err(
                "unable to find field \"data.text.a\" in replacement target: yaml: unknown anchor 'x' referenced",
            ),
        ),
        (
            "# c\n\nk: v # d\n",
            "0",
            "x",
            false,
            Err(
                "unable to find field \"data.text.0\" in replacement target: wrong node kind: expected SequenceNode but got MappingNode: node contents:\n# c\n\nk: v # d\n",
            ),
        ),
        (
            "a: &x {b: 1}\nc: *x\n",
            "c.b",
            "x",
            false,
            Err(
                "unable to find field \"data.text.c.b\" in replacement target: wrong node kind: expected MappingNode but got AliasNode: node contents:\n*x\n",
            ),
        ),
        ("a: 1\n", "b", "x", false, Err("unable to find field \"data.text.b\" in replacement target")),
        (
            "",
            "a",
            "x",
            true,
            Err(
                "unable to find or create field \"data.text.a\" in replacement target: wrong node kind: expected MappingNode but got : node contents:\nnull\n",
            ),
        ),
    ]);
}

#[test]
fn what_is_written_below_text_in_text_is_lost() {
    check(&[
        ("a: 'b: 1'\n", "a.b", "2", false, Ok("a: 'b: 1'")),
        ("a:   1 # c\nb: 'c: {d: 1}'\n", "b.c.d", "2", false, Ok("a: 1 # c\nb: 'c: {d: 1}'")),
        ("{\"a\": 1, \"a\": 2}", "a", "3", false, Ok("{\"a\": 1, \"a\": 2}")),
        ("{1: a, b: c}", "b", "x", false, Ok("{1: a, b: c}")),
    ]);
}
