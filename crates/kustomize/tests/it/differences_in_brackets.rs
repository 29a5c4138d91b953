//! Where values without text in lists and maps that are written in brackets once came out otherwise than with the reference
//! program: between brackets they are strings, elsewhere nulls. All texts are the reference's.

use millrace_kustomize::{MemoryFiles, Options, build};

const ROLE: &str = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r}\n";
const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n";

/// What is printed, or the error, of fields beside a file of objects.
fn built(objects: &str, fields: &str) -> Result<String, String> {
    let mut files = MemoryFiles::new();
    files.insert("kustomization.yaml", format!("resources: [objects.yaml]\n{fields}\n"));
    files.insert("objects.yaml", objects);
    build(&files, "", &Options::cli("/r")).map(|output| output.to_yaml()).map_err(|error| error.reference)
}

/// A replacement that makes a field without text.
fn empty_at(path: &str) -> String {
    format!(
        "replacements: [{{sourceValue: '', targets: [{{select: {{}}, options: {{create: true}}, fieldPaths: [{path}]}}]}}]\n"
    )
}

/// The lines behind the first field of an object as printed that a test is about.
fn behind<'o>(output: &'o str, field: &str) -> &'o str {
    let (_, lines) = output.split_once(&format!("\n{field}:\n")).expect(output);
    lines
}

#[test]
fn a_field_that_a_step_makes_in_brackets_is_a_string() {
    for (object, path, printed) in [
        ("x: {}\n", "x.new", "  new: \"\"\n"),
        ("x: {}\n", "x.new.deeper", "  new:\n    deeper: \"\"\n"),
        ("x: {y: z}\n", "x.new", "  new: \"\"\n  \"y\": z\n"),
        ("x: []\n", "x.0", "- \"\"\n"),
        ("x: [{}]\n", "x.0.new", "- new: \"\"\n"),
        ("x: [{y: z}]\n", "x.0.new", "- new: \"\"\n  \"y\": z\n"),
        ("x:\n  y: z\n", "x.new", "  new: null\n  \"y\": z\n"),
        ("x:\n- y: z\n", "x.0.new", "- new: null\n  \"y\": z\n"),
        ("y: z\n", "x.new", "  new: null\n\"y\": z\n"),
    ] {
        let output = built(&format!("{ROLE}{object}"), &empty_at(path)).unwrap();
        assert_eq!(behind(&output, "x"), printed, "{object} {path}");
    }
}

#[test]
fn a_merge_leaves_brackets_where_they_are_but_around_what_was_empty() {
    for (object, patch, path, printed) in [
        ("spec: {}\n", "spec:\n  x: y\n", "spec.new", "  new: null\n  x: \"y\"\n"),
        ("spec: {}\n", "spec: {x: y}\n", "spec.new", "  new: \"\"\n  x: \"y\"\n"),
        ("spec: {w: v}\n", "spec:\n  x: y\n", "spec.new", "  new: \"\"\n  w: v\n  x: \"y\"\n"),
        ("spec:\n", "spec: {x: y}\n", "spec.new", "  new: null\n  x: \"y\"\n"),
        ("x: []\n", "x:\n- y: z\n", "x.0.new", "- new: null\n  \"y\": z\n"),
        (
            "spec:\n  x:\n    a: b\n",
            "spec: {x: {$patch: replace, c: d}}\n",
            "spec.x.new",
            "  x:\n    c: d\n    new: null\n",
        ),
        (
            "spec:\n  containers: [{name: c}]\n",
            "spec:\n  containers:\n  - name: d\n",
            "spec.containers.0.new",
            "  containers:\n  - name: d\n    new: \"\"\n  - name: c\n",
        ),
        (
            "spec:\n  containers:\n  - name: c\n",
            "spec: {containers: [{name: c, image: d}]}\n",
            "spec.containers.0.new",
            "  containers:\n  - image: d\n    name: c\n    new: null\n",
        ),
    ] {
        let patch = format!("{POD}{patch}").replace('\n', "\n    ");
        let fields = format!("patches:\n- patch: |\n    {patch}\n{}", empty_at(path));
        let output = built(&format!("{POD}{object}"), &fields).unwrap();
        let (field, _) = path.split_once('.').unwrap();
        assert_eq!(behind(&output, field), printed, "{object} {patch} {path}");
    }
}

#[test]
fn a_json_patch_leaves_brackets_around_nothing_but_what_is_empty() {
    for (object, path, printed) in [
        ("x: {y: z}\n", "x.new", "  new: null\n  \"y\": z\n"),
        ("x: {y: {}}\n", "x.y.new", "  \"y\":\n    new: \"\"\n"),
        ("x: {y: {}}\n", "x.new", "  new: null\n  \"y\": {}\n"),
        ("x: [{}]\n", "x.0.new", "- new: \"\"\n"),
    ] {
        let patch = r#"[{"op": "add", "path": "/kind", "value": "Role"}]"#;
        let fields = format!("patches: [{{target: {{kind: Role}}, patch: '{patch}'}}]\n{}", empty_at(path));
        let output = built(&format!("{ROLE}{object}"), &fields).unwrap();
        assert_eq!(behind(&output, "x"), printed, "{object} {path}");
    }
}

#[test]
fn a_list_of_nothing_but_empty_maps_is_shown_in_the_brackets_that_it_has() {
    let error = built(&format!("{ROLE}x: [{{}}]\n"), &empty_at("x.new")).unwrap_err();
    assert_eq!(
        error,
        "unable to find or create field \"x.new\" in replacement target: wrong node kind: expected MappingNode but got \
         SequenceNode: node contents:\n[{}]\n"
    );
}

#[test]
fn the_sign_of_a_merge_is_of_another_type_than_the_string() {
    let config_map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n";
    // Generators put a string there, in which an empty text stays one.
    let merged = "generators: ['{apiVersion: builtin, kind: ConfigMapGenerator, metadata: {name: g}, name: a, behavior: merge}']\n";
    for text in ["<<", "'<<'", "x"] {
        let output = built(&format!("{config_map}  b: {text}\n"), &format!("{merged}{}", empty_at("data.b")));
        assert_eq!(behind(&output.unwrap(), "data").lines().next(), Some("  b: \"\""), "{text}");
    }
    for text in ["<<", "'<<'"] {
        let error = built(&format!("{ROLE}x: {text}\n"), &empty_at("x.new")).unwrap_err();
        assert_eq!(error.lines().nth(1), Some("!!merge <<"), "{error}");
    }
}

#[test]
fn brackets_that_hold_what_is_remembered_of_an_object_are_not_empty_for_a_patch() {
    let mut files = MemoryFiles::new();
    files.insert("kustomization.yaml", "resources: [a.yaml]\npatches:\n- target: {}\n  patch: '[{\"op\": \"move\", \"path\": \"/metadata\", \"from\": \"/data\"}]'\n- path: p.yaml\nnamespace: x\n");
    files.insert("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata: {}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\ndata: {}\n");
    files.insert("p.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n");
    let error = build(&files, "", &Options::cli("/r")).unwrap_err();
    let object = |names: &str, name: &str| {
        format!(
            "{{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{{\"annotations\":{{\"internal.config.kubernetes.io/previousKinds\":\"ConfigMap,ConfigMap\",\"internal.config.kubernetes.io/previousNames\":\"{names}\",\"internal.config.kubernetes.io/previousNamespaces\":\"default,default\"}},{name}\"namespace\":\"x\"}}}}"
        )
    };
    let (first, second) = (object("a", "\"name\":\"\","), object("b", ""));
    assert_eq!(error.reference, format!("namespace transformation produces ID conflict: [{first} {second}]"));
}
