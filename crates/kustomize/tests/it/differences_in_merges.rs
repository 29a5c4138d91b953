//! Where strategic merges once came out otherwise than with the reference program. All texts are the reference's.

use millrace_kustomize::{MemoryFiles, Options, build};

/// What is printed of one object with one patch, or the error.
fn merged(object: &str, patch: &str) -> Result<String, String> {
    let mut files = MemoryFiles::new();
    files.insert("kustomization.yaml", "resources: [object.yaml]\npatches: [{path: patch.yaml}]\n");
    files.insert("object.yaml", object);
    files.insert("patch.yaml", patch);
    build(&files, "", &Options::cli("/r")).map(|output| output.to_yaml()).map_err(|error| error.reference)
}

const HOLDER: &str = "apiVersion: example.com/v1\nkind: Holder\nmetadata:\n  name: h\n";

#[test]
fn an_object_inside_of_another_is_merged_like_its_kind() {
    let pod = "apiVersion: v1\n  kind: Pod\n";
    for (object, patch, printed) in [
        (
            format!("pod:\n  {pod}  spec:\n    containers: [{{name: a, image: x}}, {{name: b}}]\n"),
            "pod:\n  spec:\n    containers: [{name: a, tty: true}]\n".to_owned(),
            format!(
                "pod:\n  {pod}  spec:\n    containers:\n    - image: x\n      name: a\n      tty: true\n    - name: b\n"
            ),
        ),
        // The type may stand in the patch alone.
        (
            "pod:\n  spec:\n    containers: [{name: a, image: x}]\n".to_owned(),
            format!("pod:\n  {pod}  spec:\n    containers: [{{name: a, $patch: delete}}, {{name: b}}]\n"),
            format!("pod:\n  {pod}  spec:\n    containers:\n    - name: b\n"),
        ),
        // With a kind that says nothing in the object, the patch is asked.
        (
            "pod:\n  apiVersion: v1\n  kind: Other\n  spec:\n    containers: [{name: a, image: x}]\n"
                .to_owned(),
            format!("pod:\n  {pod}  spec:\n    containers: [{{name: b}}]\n"),
            format!("pod:\n  {pod}  spec:\n    containers:\n    - name: b\n    - image: x\n      name: a\n"),
        ),
        // A list of objects is replaced all the same, whatever they are.
        (
            format!("pods:\n- {pod}  spec:\n    containers: [{{name: a, image: x}}]\n"),
            format!("pods:\n- {pod}  spec:\n    containers: [{{name: a}}]\n"),
            format!("pods:\n- {pod}  spec:\n    containers:\n    - name: a\n"),
        ),
    ] {
        let output = merged(&format!("{HOLDER}{object}"), &format!("{HOLDER}{patch}"));
        assert_eq!(output, Ok(format!("{HOLDER}{printed}")), "{patch}");
    }
}

#[test]
fn what_a_known_kind_says_of_a_field_goes_before_the_kind_of_an_object_in_it() {
    let patched = |api_version: &str, kind: &str, path: &str| {
        let (field, below) = path.split_once('.').unwrap_or((path, ""));
        let object = |container: &str| {
            let pod = format!("{{apiVersion: v1, kind: Pod, spec: {{containers: [{{name: {container}}}]}}}}");
            let below = below.rsplit('.').filter(|field| !field.is_empty());
            let value = below.fold(pod, |value, field| format!("{{{field}: {value}}}"));
            format!("apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: c}}\n{field}: {value}\n")
        };
        let output = merged(&object("a"), &object("b")).unwrap();
        output.contains("- name: a")
    };
    for (api_version, kind, path, both) in [
        ("apps/v1", "ControllerRevision", "data", false),
        ("apps/v1", "ControllerRevision", "data.x", true),
        ("apps/v1", "ControllerRevision", "other", true),
        ("apps/v1", "Deployment", "other", true),
        ("apps/v1", "Deployment", "spec.other", true),
        ("apps/v1", "Deployment", "spec.strategy", false),
        ("apps/v1", "Deployment", "spec.template.spec.nodeSelector.x", false),
        ("apps/v1", "Deployment", "spec.template.x", true),
        ("v1", "ConfigMap", "data", false),
        ("v1", "ConfigMap", "data.x", false),
        ("v1", "Secret", "stringData", false),
        ("v1", "Secret", "other", true),
        ("v1", "Namespace", "spec", false),
        ("rbac.authorization.k8s.io/v1", "Role", "rules", false),
        ("example.com/v1", "Thing", "data", true),
    ] {
        assert_eq!(patched(api_version, kind, path), both, "{kind} {path}");
    }
}

#[test]
fn a_key_that_a_patch_brings_is_what_its_text_says() {
    let head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    let refused = |data: &str| {
        Err(format!(
            "map[string]interface {{}}{{\"apiVersion\":\"v1\", \"data\":map[interface {{}}]interface {{}}{{{data}}}, \"kind\":\"ConfigMap\", \"metadata\":map[string]interface {{}}{{\"name\":\"a\"}}}}: json: unsupported type: map[interface {{}}]interface {{}}"
        ))
    };
    let printed =
        |data: &str| Ok(format!("apiVersion: v1\ndata:\n{data}kind: ConfigMap\nmetadata:\n  name: a\n"));
    for (object, patch, expected) in [
        ("x: y", "80: z", refused("\"x\":\"y\", 80:\"z\"")),
        ("x: y", "true: z", refused("\"x\":\"y\", true:\"z\"")),
        ("80: y", "81: z", refused("80:\"y\", 81:\"z\"")),
        ("x: y", "\"80\": z", printed("  \"80\": z\n  x: \"y\"\n")),
        ("\"80\": y", "80: z", printed("  \"80\": z\n")),
        // Its tag is lost.
        ("x: y", "!!str 80: z", refused("\"x\":\"y\", 80:\"z\"")),
    ] {
        assert_eq!(
            merged(&format!("{head}data: {{{object}}}\n"), &format!("{head}data: {{{patch}}}\n")),
            expected,
            "{object} {patch}"
        );
    }
}

#[test]
fn maps_of_an_object_that_lacks_something_are_shown_by_key_with_what_stands_first() {
    let object = "a: b\nmetadata:\n  annotations: {b: 1, a/c: 2, a: 3, b: 4}\n";
    let text = "missing kind in object {{ } {{ } map[] map[a:3 a/c:2 b:1]}}";
    assert_eq!(
        merged(object, ""),
        Err(format!(
            "accumulating resources: accumulation err='accumulating resources from 'object.yaml': {text}': must build at directory: '/r/object.yaml': file is not directory"
        ))
    );
}

#[test]
fn what_a_file_says_of_earlier_names_counts() {
    let mut files = MemoryFiles::new();
    let note = "internal.config.kubernetes.io/previous";
    files.insert("kustomization.yaml", "resources: [object.yaml]\npatches: [{target: {name: c}, patch: '[{\"op\": \"add\", \"path\": \"/data\", \"value\": {\"x\": \"y\"}}]'}]\n");
    files.insert(
        "object.yaml",
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations: {{{note}Names: 'c,b', {note}Kinds: 'ConfigMap,Old', {note}Namespaces: 'default,default'}}\n"),
    );
    let output = build(&files, "", &Options::cli("/r")).unwrap();
    assert_eq!(
        output.to_yaml(),
        "apiVersion: v1\ndata:\n  x: \"y\"\nkind: ConfigMap\nmetadata:\n  name: a\n"
    );
}

#[test]
fn strings_in_a_map_that_a_patch_brings_get_the_quotes_of_those_that_are_merged() {
    let head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    for (object, patch, shown) in [
        ("", "data:\n  k: yes\n", "k: \"yes\"\n"),
        ("", "data:\n  k:\n    l: yes\n", "k:\n  l: \"yes\"\n"),
        ("data: {}\n", "data:\n  k: off\n", "k: \"off\"\n"),
        ("data:\n  k: off\n", "data:\n  k: yes\n", "k: yes\n"),
        ("data:\n  j: k\n", "data:\n  $patch: replace\n  k: yes\n", "k: \"yes\"\n"),
    ] {
        let mut files = MemoryFiles::new();
        files.insert("kustomization.yaml", "resources: [object.yaml]\npatches: [{path: patch.yaml}]\nreplacements: [{sourceValue: x, targets: [{select: {name: a}, fieldPaths: [data.1]}]}]\n");
        files.insert("object.yaml", format!("{head}{object}"));
        files.insert("patch.yaml", format!("{head}{patch}"));
        let error = build(&files, "", &Options::cli("/r")).unwrap_err();
        let text = "unable to find field \"data.1\" in replacement target: wrong node kind: expected SequenceNode but got MappingNode: node contents:";
        assert_eq!(error.reference, format!("{text}\n{shown}"), "{object:?} {patch:?}");
    }
}

#[test]
fn maps_are_merged_when_all_documents_are_read() {
    let refused = |document: &str| {
        let mut files = MemoryFiles::new();
        files.insert("kustomization.yaml", "resources: [object.yaml]\n");
        files.insert("object.yaml", format!("{HOLDER}data:\n  <<: 5\n---\n{document}"));
        build(&files, "", &Options::cli("/r")).expect_err(document).reference
    };
    let malformed = |problem: &str| {
        format!(
            "accumulating resources: accumulating resources from 'object.yaml': MalformedYAMLError: yaml: {problem} in File: object.yaml"
        )
    };
    assert_eq!(refused("a: [b\n"), malformed("line 1: did not find expected ',' or ']'"));
    assert_eq!(refused("a: *b\n"), malformed("unknown anchor 'b' referenced"));
    let of_merge = "accumulating resources: accumulation err='accumulating resources from 'object.yaml': map merge requires map or \
                    sequence of maps as the value': must build at directory: '/r/object.yaml': file is not directory";
    for document in [
        "kind: X\n",
        "kind: X\nmetadata: {name: a}\n{{ a }}: b\n",
        "kind: X\ndata:\n  <<: [[]]\n",
        "kind: X\ndata: &x {a: *x}\n",
        "kind: X\ndata: !!binary \"%%\"\n",
    ] {
        assert_eq!(refused(document), of_merge, "{document}");
    }
}
