//! Where objects once came out of patches otherwise than with the reference program. All texts are the reference's.

use millrace_kustomize::{MemoryFiles, Options, build};

const HOLDER: &str = "apiVersion: v1\nkind: Holder\nmetadata: {name: h}\n";
const PATCH: &str = "patches: [{path: patch.yaml}]";

/// What is printed, or the error, of an object and a patch with the fields of a kustomization.
fn built(object: &str, patch: &str, fields: &str) -> Result<String, String> {
    let mut files = MemoryFiles::new();
    files.insert("kustomization.yaml", format!("resources: [object.yaml]\n{fields}\n"));
    files.insert("object.yaml", object);
    files.insert("patch.yaml", patch);
    build(&files, "", &Options::cli("/r")).map(|output| output.to_yaml()).map_err(|error| error.reference)
}

/// The holder with more fields, as it is printed.
fn holder(fields: &str) -> String {
    format!("apiVersion: v1\nkind: Holder\nmetadata:\n  name: h\n{fields}")
}

#[test]
fn a_quoted_merge_sign_is_no_key_of_an_object_or_a_patch() {
    for (object, printed) in [
        (
            "\"<<\": {a: b}\nx: [{\"<<\": null, c: d}]\ny:\n  '<<': 1\n  z: 2\n",
            "x:\n- c: d\n\"y\":\n  z: 2\n",
        ),
        ("x: {!!str <<: a}\n", "x: {}\n"),
        // Only the first one goes.
        ("x: {\"<<\": a, \"<<\": d}\n", "x:\n  <<: d\n"),
        ("w: &w {b: c}\nx: {<<: *w, \"<<\": d}\n", "w:\n  b: c\nx:\n  <<: d\n  b: c\n"),
    ] {
        assert_eq!(built(&format!("{HOLDER}{object}"), "", ""), Ok(holder(printed)), "{object}");
    }
    let json = r#"{"apiVersion": "v1", "kind": "Holder", "metadata": {"name": "h"}, "x": {"<<": 1}}"#;
    assert_eq!(built(json, "", ""), Ok(holder("x: {}\n")));
    let patch = format!("{HOLDER}x: {{\"<<\": {{a: b}}, c: d}}\n");
    assert_eq!(built(&format!("{HOLDER}x: {{z: 1}}\n"), &patch, PATCH), Ok(holder("x:\n  c: d\n  z: 1\n")));
}

#[test]
fn a_map_with_an_empty_key_cannot_be_merged() {
    for (object, patch, shown) in [
        ("x: {\"\": a, b: c}\n", "", "{\"\": a, b: c}\n"),
        ("x: {b: c}\n", "x:\n  \"\": d\n", "{b: c}\n"),
        ("", "x: {\"\": null}\n", "{\"\": null}\n"),
        ("x: {\"\": {b: c}}\n", "x: {\"\": {b: d}}\n", "{\"\": {b: d}}\n"),
    ] {
        let output = built(&format!("{HOLDER}{object}"), &format!("{HOLDER}{patch}"), PATCH);
        let expected = "wrong node kind: expected ScalarNode but got MappingNode: node contents:";
        assert_eq!(output, Err(format!("{expected}\n{shown}")), "{object} {patch}");
    }
    // A list that is replaced isn't looked into.
    let patch = format!("{HOLDER}x: [{{\"\": d}}]\n");
    assert_eq!(built(HOLDER, &patch, PATCH), Ok(holder("x:\n- \"\": d\n")));
}

#[test]
fn items_of_a_set_lose_their_types_and_what_the_object_has_stays() {
    let head = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n";
    let set = |items: &str| format!("{head}  name: h\n  finalizers: [{items}]\n");
    let other = format!("{head}  name: h\n  labels: {{x: y}}\n");
    for (item, printed) in
        [("!!str 5", "5"), ("!!str true", "true"), ("\"5\"", "\"5\""), ("'true'", "\"true\"")]
    {
        let expected =
            format!("{head}  finalizers:\n  - a\n  - {printed}\n  labels:\n    x: \"y\"\n  name: h\n");
        assert_eq!(built(&set(&format!("a, {item}")), &other, PATCH), Ok(expected), "{item}");
        let expected = format!("{head}  finalizers:\n  - {printed}\n  - a\n  name: h\n");
        assert_eq!(built(&set("a"), &set(item), PATCH), Ok(expected), "{item}");
    }
    for (item, patch, printed) in [
        ("\"5\"", "5", "\"5\""),
        ("5", "\"5\"", "5"),
        ("!!str 5", "5", "\"5\""),
        ("!!int \"5\"", "\"5\"", "5"),
    ] {
        let expected = format!("{head}  finalizers:\n  - {printed}\n  name: h\n");
        assert_eq!(built(&set(item), &set(patch), PATCH), Ok(expected), "{item} {patch}");
    }
}

#[test]
fn a_patch_that_replaces_a_whole_object_changes_nothing() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {a: b}\ndata: {x: y}\n";
    let patch = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata: {z: w}\n$patch: replace\n";
    let printed = |annotation: &str| {
        Ok(format!(
            "apiVersion: v1\ndata:\n  x: \"y\"\nkind: ConfigMap\nmetadata:\n  annotations:\n    {annotation}  labels:\n    a: b\n  name: a\n"
        ))
    };
    assert_eq!(
        built(map, patch, &format!("{PATCH}\nbuildMetadata: [originAnnotations]")),
        printed("config.kubernetes.io/origin: |\n      path: object.yaml\n")
    );
    assert_eq!(
        built(map, patch, &format!("{PATCH}\nbuildMetadata: [transformerAnnotations]")),
        printed(
            "alpha.config.kubernetes.io/transformations: |\n      - configuredIn: kustomization.yaml\n        configuredBy:\n          apiVersion: builtin\n          kind: PatchTransformer\n"
        )
    );
}

#[test]
fn a_json_patch_that_leaves_an_annotation_without_a_name_loses_them_all() {
    let object = "apiVersion: v1\nkind: Holder\nmetadata:\n  name: h\n  annotations: {x: y}\n";
    let patch = r#"patch: '[{"op": "add", "path": "/metadata/annotations/", "value": "s"}]'"#;
    let patches = format!("patches: [{{target: {{kind: Holder}}, {patch}}}]");
    assert_eq!(built(object, "", &patches), Ok(holder("")));
    assert_eq!(
        built(object, "", &format!("{patches}\nbuildMetadata: [transformerAnnotations]\nnamePrefix: p-")),
        Ok("apiVersion: v1\nkind: Holder\nmetadata:\n  annotations:\n    alpha.config.kubernetes.io/transformations: |\n      - configuredIn: kustomization.yaml\n        configuredBy:\n          apiVersion: builtin\n          kind: PrefixTransformer\n  name: p-h\n".to_owned())
    );
    let patches = format!("patchesJson6902: [{{target: {{version: v1, kind: Holder, name: h}}, {patch}}}]");
    assert_eq!(
        built(object, "", &patches),
        Err("wrong node kind: expected ScalarNode but got MappingNode: node contents:\n{}\n".to_owned())
    );
}

#[test]
fn labels_and_annotations_of_a_patch_with_a_target_are_strings_in_quotes() {
    for (value, shown) in [
        ("\"&a\"", "\"&a\""),
        ("'yes'", "\"yes\""),
        ("\"x\"", "x"),
        ("5", "\"5\""),
        ("~", "\"~\""),
        ("\"a: b\"", "\"a: b\""),
    ] {
        let mut files = MemoryFiles::new();
        let patch = format!(
            "{{apiVersion: v1, kind: Thing, metadata: {{name: a, annotations: {{p: {value}}}, labels: {{q: {value}}}}}}}"
        );
        files.insert(
            "kustomization.yaml",
            format!(
                "resources: [a.yaml]\npatches:\n- target: {{}}\n  patch: '[{{\"op\": \"copy\", \"path\": \"/metadata\", \"from\": \"/s\"}}]'\n- target: {{}}\n  patch: |-\n    {patch}\n"
            ),
        );
        files.insert("a.yaml", "apiVersion: v1\nkind: Thing\nmetadata: {name: a}\ns: web\n");
        let error = build(&files, "", &Options::cli("/r")).expect_err("the metadata are text");
        assert_eq!(
            error.reference,
            format!(
                "wrong node kind: expected ScalarNode but got MappingNode: node contents:\n\
                 {{name: a, labels: {{q: {shown}}}, annotations: {{p: {shown}}}}}\n"
            ),
            "{value}"
        );
    }
}

#[test]
fn a_test_in_json_compares_strings_as_they_are_spelled() {
    let object = format!("{HOLDER}x: {{url: 'http://x/?a=1&b=2', e: é, /: /}}\n");
    let applied = |operations: &str| {
        built(&object, operations, "patches: [{path: patch.yaml, target: {kind: Holder}}]")
    };
    let failed = |path: &str| Err(format!("testing value {path} failed: test failed"));
    let test = |path: &str, value: &str| format!(r#"{{"op":"test","path":"{path}","value":{value}}}"#);
    let add = |path: &str, value: &str| format!(r#"{{"op":"add","path":"{path}","value":{value}}}"#);
    let copy = r#"{"op":"copy","from":"/y","path":"/z"}"#;
    let kept = holder("x:\n  /: /\n  e: é\n  url: http://x/?a=1&b=2\n");
    let with = |more: &str| Ok(kept.clone() + more);

    assert_eq!(applied(&format!("[{}]", test("/x/url", r#""http://x/?a=1&b=2""#))), failed("/x/url"));
    assert_eq!(applied(&format!("[{}]", test("/x/url", r#""http://x/?a=1\u0026b=2""#))), with(""));
    assert_eq!(applied(&format!("[{}]", test("/x/e", r#""\u00e9""#))), failed("/x/e"));
    assert_eq!(applied(&format!("[{}]", test("/x/~1", r#""\/""#))), failed("/x/~1"));
    let whole = r#"{"url":"http://x/?a=1\u0026b=2","e":"\u00e9","/":"/"}"#;
    assert_eq!(applied(&format!("[{}]", test("/x", whole))), failed("/x"));
    assert_eq!(applied(&format!("[{}]", test("/x", &whole.replace("\\u00e9", "é")))), with(""));
    // What an operation of the same patch has put there has its spelling, until it is copied.
    assert_eq!(
        applied(&format!("[{},{}]", add("/y", r#""a&\/""#), test("/y", r#""a&\/""#))),
        with("\"y\": a&/\n")
    );
    assert_eq!(applied(&format!("[{},{}]", add("/y", r#""a&\/""#), test("/y", r#""a&/""#))), failed("/y"));
    assert_eq!(
        applied(&format!("[{},{copy},{}]", add("/y", r#""a&\/""#), test("/z", r#""a\u0026\/""#))),
        with("\"y\": a&/\nz: a&/\n")
    );
    assert_eq!(
        applied(&format!("[{},{copy},{}]", add("/y", r#""a&\/""#), test("/z", r#""a&\/""#))),
        failed("/z")
    );
    // A patch in YAML has no spelling.
    assert_eq!(applied("- {op: test, path: /x/url, value: 'http://x/?a=1&b=2'}\n"), with(""));
}

#[test]
fn a_json_patch_reads_characters_that_yaml_does_not_have() {
    let object = format!("{HOLDER}x: \"a\\x7f\"\n\"y\": 1\n");
    let applied = |operations: &str| {
        built(&object, operations, "patches: [{path: patch.yaml, target: {kind: Holder}}]")
    };
    assert_eq!(applied("- {op: remove, path: /x}\n"), Ok(holder("\"y\": 1\n")));
    assert_eq!(
        applied("- {op: remove, path: /y}\n"),
        Err("map[string]interface {}{\"apiVersion\":\"v1\", \"kind\":\"Holder\", \"metadata\":map[string]interface {}{\"name\":\"h\"}, \
             \"x\":\"a\\x7f\"}: yaml: control characters are not allowed"
            .to_owned())
    );
    let list = "apiVersion: v1\nkind: HolderList\nitems:\n- {apiVersion: v1, kind: Holder, metadata: {name: h}, x: \"\\x7f\"}\n";
    assert_eq!(
        built(list, "", ""),
        Err("accumulating resources: accumulating resources from 'object.yaml': MalformedYAMLError: yaml: control \
             characters are not allowed in File: object.yaml"
            .to_owned())
    );
}

#[test]
fn a_null_that_a_json_patch_writes_is_another_than_one_of_the_object() {
    let object = format!("{HOLDER}x: {{a: b, q: null}}\n");
    let applied = |operations: &str| {
        built(&object, &format!("[{operations}]"), "patches: [{path: patch.yaml, target: {kind: Holder}}]")
    };
    let replace = r#"{"op":"replace","path":"/x/q","value":null}"#;
    let add = r#"{"op":"add","path":"/y","value":null}"#;
    let [to_z, to_q] = ["/z", "/x/q"].map(|to| format!(r#"{add},{{"op":"copy","from":"/y","path":"{to}"}}"#));
    let test = |path: &str, value: &str| format!(r#"{{"op":"test","path":"{path}"{value}}}"#);
    let whole = r#","value":{"a":"b","q":null}"#;
    let (null, empty) = (r#","value":null"#, r#","value":{}"#);
    for (path, operations) in [
        ("/x", format!("{replace},{}", test("/x", whole))),
        ("/x/q", format!("{replace},{}", test("/x/q", ""))),
        ("/x/q", format!("{replace},{}", test("/x/q", empty))),
        ("/x", format!(r#"{add},{{"op":"move","from":"/y","path":"/x/q"}},{}"#, test("/x", whole))),
        ("/z", format!("{to_z},{}", test("/z", null))),
        ("/z", format!("{to_z},{}", test("/z", r#","value":[]"#))),
    ] {
        assert_eq!(
            applied(&operations),
            Err(format!("testing value {path} failed: test failed")),
            "{operations}"
        );
    }
    let kept = "x:\n  a: b\n  q: null\n";
    for (operations, fields) in [
        (format!("{replace},{}", test("/x/q", null)), ""),
        (format!(r#"{{"op":"replace","path":"/x/q"}},{}"#, test("/x", whole)), ""),
        (
            format!(r#"{replace},{{"op":"copy","from":"/x","path":"/z"}},{}"#, test("/z", whole)),
            "z:\n  a: b\n  q: null\n",
        ),
        (format!("{to_z},{}", test("/z", empty)), "\"y\": null\nz: null\n"),
        (format!("{to_q},{}", test("/x", r#","value":{"a":"b","q":{}}"#)), "\"y\": null\n"),
    ] {
        assert_eq!(applied(&operations), Ok(holder(&format!("{kept}{fields}"))), "{operations}");
    }
}
