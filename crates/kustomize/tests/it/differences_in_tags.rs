//! Scalars with tags, which messages show.

use millrace_kustomize::{MemoryFiles, Options, build};

/// How a field is shown that is an object's and then, if that is not empty, a patch's.
fn shown(value: &str, patched: &str) -> String {
    let object =
        |value: &str| format!("apiVersion: v1\nkind: Thing\nmetadata: {{name: a}}\nspec:\n  k: {value}\n");
    let entry = if patched.is_empty() { "" } else { "patches: [{path: p.yaml}]\n" };
    let mut files = MemoryFiles::new();
    files.insert(
        "kustomization.yaml",
        format!("resources: [o.yaml]\nconfigurations: [c.yaml]\ncommonLabels: {{l: v}}\n{entry}"),
    );
    files.insert("c.yaml", "commonLabels: [{path: spec/k, kind: Thing}]\n");
    files.insert("o.yaml", object(value));
    files.insert("p.yaml", object(patched));
    let error = build(&files, "", &Options::cli("/r")).expect_err("a label wants a map");
    let text = error.reference.split_once("node contents:\n").map_or("", |(_, text)| text);
    text.trim_end().to_owned()
}

#[test]
fn a_tag_is_shown_as_it_was_written() {
    for (value, expected) in [
        ("!!str x", "!!str x"),
        ("!!str 1", "!!str 1"),
        ("!!int 5", "!!int 5"),
        ("!foo x", "!foo x"),
        ("!foo \"x\"", "!foo \"x\""),
        ("!!foo x", "!!foo x"),
        ("!foo yes", "!foo yes"),
        ("!foo", "!foo"),
        ("!!str |\n    x", "!!str |\n  x"),
        ("!<tag:yaml.org,2002:str> 1", "!!str 1"),
        ("!<tag:x,2000:y> v", "!<tag:x,2000:y> v"),
        ("! x", "x"),
    ] {
        assert_eq!(shown(value, ""), expected, "{value}");
    }
}

/// What a patch brings has the tag of its type, shown where that of the object was, and keeps a tag of its own.
#[test]
fn a_patch_leaves_it_to_the_object_whether_a_tag_is_shown() {
    for (value, patched, expected) in [
        ("x", "!foo x", "!foo x"),
        ("!foo x", "y", "!!str y"),
        ("!foo \"x\"", "y", "!!str \"y\""),
        ("!!str 1", "2", "!!int 2"),
        ("1", "!!str 2", "\"2\""),
        ("!!int 5", "x", "!!str x"),
        ("x", "!!int 5", "5"),
        ("!!str yes", "no", "!!str no"),
        ("yes", "no", "no"),
        ("!!null null", "x", "!!str x"),
        ("!!foo x", "!bar y", "!bar y"),
        ("x", "!foo yes", "!foo yes"),
    ] {
        assert_eq!(shown(value, patched), expected, "{value} by {patched}");
    }
}

#[test]
fn keys_that_are_no_text_are_shown_by_type_and_value() {
    for (keys, shown) in [
        ("10: a, 9: b, 0x3: c, -1: d, -10: e", "-10:\"e\", -1:\"d\", 3:\"c\", 9:\"b\", 10:\"a\""),
        ("10.5: a, 9.5: b, -1.5: c, 1e2: d", "-1.5:\"c\", 9.5:\"b\", 10.5:\"a\", 100:\"d\""),
        (
            "1: a, 2.5: b, true: c, x: d, 18446744073709551615: e, false: f",
            "\"x\":\"d\", 0xffffffffffffffff:\"e\", 1:\"a\", 2.5:\"b\", false:\"f\", true:\"c\"",
        ),
    ] {
        let mut files = MemoryFiles::new();
        files.insert("kustomization.yaml", "resources: [a.yaml]\n");
        files.insert(
            "a.yaml",
            format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata: {{{keys}}}\n"),
        );
        let error = build(&files, "", &Options::cli("/r")).expect_err("JSON has texts alone for keys");
        let data = format!("\"data\":map[interface {{}}]interface {{}}{{{shown}}}, ");
        assert!(error.reference.contains(&data), "{}", error.reference);
    }
}

#[test]
fn a_key_with_a_tag_of_its_own_is_no_name_and_a_null_with_a_tag_is_no_text() {
    let built = |data: &str| {
        let mut files = MemoryFiles::new();
        files.insert("kustomization.yaml", "resources: [a.yaml]\n");
        files.insert("a.yaml", format!("apiVersion: v1\nkind: Thing\nmetadata: {{name: a}}\nx:\n  {data}\n"));
        build(&files, "", &Options::cli("/r")).map(|output| output.to_yaml()).map_err(|error| error.reference)
    };
    let printed = |x: &str| Ok(format!("apiVersion: v1\nkind: Thing\nmetadata:\n  name: a\nx:\n  {x}\n"));
    assert_eq!(
        built("!foo y: v"),
        Err("map[string]interface {}{\"apiVersion\":\"v1\", \"kind\":\"Thing\", \"metadata\":map[string]interface {}{\"name\":\"a\"}, \
             \"x\":map[interface {}]interface {}{\"y\":\"v\"}}: json: unsupported type: map[interface {}]interface {}"
            .to_owned())
    );
    assert_eq!(built("!!str 1: v"), printed("\"1\": v"));
    assert_eq!(built("k: [!!null \"\"]"), printed("k:\n  - null"));
    assert_eq!(built("k: [ ~, a: ]"), printed("k:\n  - null\n  - a: \"\""));
}

#[test]
fn a_generated_object_with_characters_that_yaml_does_not_have_is_shown() {
    let mut files = MemoryFiles::new();
    files.insert("kustomization.yaml", "configMapGenerator: [{name: a, files: [t]}]\n");
    files.insert("t", "a\u{7f}b\u{fffe}");
    let error = build(&files, "", &Options::cli("/r")).expect_err("the file cannot stand in a manifest");
    assert_eq!(
        error.reference,
        "map[string]interface {}{\"apiVersion\":\"v1\", \"data\":map[string]interface {}{\"t\":\"a\\x7fb\\ufffe\"}, \
         \"kind\":\"ConfigMap\", \"metadata\":map[string]interface {}{\"name\":\"a-8587m9t6kd\"}}: yaml: control characters are not allowed"
    );
}
