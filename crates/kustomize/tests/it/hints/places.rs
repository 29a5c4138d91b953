//! That hints name the line of the entry they are about, and say no number twice.

use millrace_kustomize::{MemoryFiles, build};

use super::{OBJECT, cli, error};

#[test]
fn a_json_patch_that_is_none_is_told_by_its_place_and_what_it_is_to_be() {
    let entry = |patch: &str| {
        format!(
            "resources: [a.yaml]\npatchesJson6902:\n- target: {{version: v1, kind: ConfigMap, name: a}}\n  {patch}\n"
        )
    };
    let operations = "a JSON patch is a list of operations, each a map with op and path";
    for (patch, file, told) in [
        ("patch: 'op: add'", "", format!("kustomization.yaml:3: {operations}")),
        ("patch: '[1]'", "", format!("kustomization.yaml:3: {operations}")),
        ("path: p.yaml", "op: add\n", format!("p.yaml: {operations}")),
        (
            "path: p.yaml",
            "- op: add\n\t- op: b\n",
            "p.yaml:2: the line is indented with a tab: YAML takes spaces only".to_owned(),
        ),
        (
            "patch: \"- op: add\\n- op: &\"",
            "",
            "kustomization.yaml:3: line 2 of the patch: a value".to_owned(),
        ),
    ] {
        let entries = [("kustomization.yaml", &*entry(patch)), ("a.yaml", OBJECT), ("p.yaml", file)];
        let failed = error(&entries, &cli());
        let [hint] = &failed.hints[..] else { panic!("{patch}: {failed}") };
        assert!(hint.starts_with(&told), "{patch}: {failed}");
        // The same beside another error.
        let beside = entry(patch).replace("[a.yaml]", "[a.yaml, gone.yaml]");
        let failed = error(&[("kustomization.yaml", &*beside), ("a.yaml", OBJECT), ("p.yaml", file)], &cli());
        let [other] = &*failed.others else { panic!("{patch}: {failed}") };
        assert!(other.starts_with(&told), "{patch}: {failed}");
    }
}

#[test]
fn the_name_of_an_image_that_is_no_expression_is_told_with_its_line() {
    let entries = [
        ("kustomization.yaml", "resources: [a.yaml]\nimages:\n- name: a\n- newTag: x\n  name: 'a('\n"),
        ("a.yaml", OBJECT),
    ];
    assert_eq!(
        error(&entries, &cli()).hints,
        ["kustomization.yaml:5: images[1].name is no regular expression"]
    );
}

#[test]
fn the_line_of_an_env_file_that_is_not_utf8_is_told() {
    for (field, words) in [
        ("configMapGenerator", "line [66 61 255] has invalid utf8 bytes : B=\u{fffd}"),
        ("secretGenerator", "line *** has invalid utf8 bytes : ***"),
    ] {
        let mut files = MemoryFiles::new();
        files.insert("kustomization.yaml", format!("{field}: [{{name: a, envs: [a.env]}}]\n"));
        files.insert("a.env", *b"A=1\nB=\xff\n");
        let error = build(&files, "", &cli()).expect_err("the build fails");
        assert!(error.reference.ends_with(words), "{error}");
        assert_eq!(error.hints, ["a.env:2: this is not UTF-8: save the file in that encoding"]);
    }
}

/// What is shown of the object lacks the template's key.
#[test]
fn a_template_that_a_step_meets_is_told_as_such() {
    for (step, object, line) in [
        ("namespace: a", "metadata:\n  name: a\n  namespace: {{ .Namespace }}\n", 5),
        (
            "replicas: [{name: a, count: 3}]",
            "metadata: {name: a}\nspec:\n  replicas: {{ .Values.count }}\n",
            5,
        ),
        ("namePrefix: a-", "metadata:\n  name: a\nspec:\n- {{ .Values.list }}\n", 6),
    ] {
        let object = format!("apiVersion: apps/v1\nkind: Deployment\n{object}");
        let error = error(
            &[("kustomization.yaml", &format!("resources: [a.yaml]\n{step}\n")), ("a.yaml", &object)],
            &cli(),
        );
        let told = format!(
            "a.yaml:{line}: '{{{{' begins a map in YAML: put the value in quotes, or render the template first"
        );
        assert_eq!(error.hints.last(), Some(&told), "{step}: {error}");
    }
    let error = error(
        &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: A\nmetadata: {name: a}\n[a, b]: c\n"),
        ],
        &cli(),
    );
    assert_eq!(error.hints, ["a.yaml:4: a key is to be text, and one of this object's is a map or a list"]);
}
