//! Objects of list kinds that are not as they should be.

use millrace_kustomize::{MemoryFiles, Options, build};

const OBJECT: &str = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}";

/// What a file of objects comes to: how many there are, or the words about the file.
fn built(text: &str) -> Result<usize, String> {
    let mut files = MemoryFiles::new();
    files.insert("kustomization.yaml", "resources: [a.yaml]\n");
    files.insert("a.yaml", text);
    let built = build(&files, "", &Options::cli("/r"));
    built.map(|output| output.resources.len()).map_err(|error| {
        let words = error.reference.split_once("resources from 'a.yaml': ").map_or("", |(_, words)| words);
        words.split_once("': must build at directory").map_or(words, |(words, _)| words).to_owned()
    })
}

#[test]
fn a_list_whose_items_are_a_map_or_a_value_is_refused_unless_the_file_is_that_alone() {
    let no_array =
        |kind: &str, found: &str| Err(format!("expected array in {kind}/items, but found {found}"));
    let map = "map[string]interface {}";
    for (items, alone, beside, of_kind) in [
        ("{a: b}".to_owned(), Err("missing Resource metadata".to_owned()), Err(map), Err(map)),
        (format!("{{x: {OBJECT}}}"), Err("missing Resource metadata".to_owned()), Err(map), Err(map)),
        ("{}".to_owned(), Ok(0), Err(map), Err(map)),
        ("x".to_owned(), Ok(0), Err("string"), Err("string")),
        (String::new(), Ok(0), Ok(0), Ok(0)),
        (format!("[{OBJECT}]"), Ok(1), Ok(1), Ok(1)),
    ] {
        let list = |kind: &str| format!("apiVersion: v1\nkind: {kind}\nitems: {items}\n");
        let expected =
            |kind: &str, outcome: Result<usize, &str>| outcome.or_else(|found| no_array(kind, found));
        for kind in ["List", "ResourceList"] {
            for head in ["", "---\n"] {
                assert_eq!(built(&format!("{head}{}", list(kind))), alone, "{kind} {items}");
            }
            for text in [format!("# a\n---\n{}", list(kind)), format!("{}---\n", list(kind))] {
                assert_eq!(built(&text), expected(kind, beside), "{text}");
            }
        }
        assert_eq!(built(&list("ConfigMapList")), expected("ConfigMapList", of_kind), "{items}");
    }
}

#[test]
fn what_a_replacement_rejects_is_a_list_of_pointers() {
    let mut files = MemoryFiles::new();
    files.insert(
        "kustomization.yaml",
        "replacements: [{sourceValue: x, targets: [{select: {kind: A}, reject: {name: a}}]}]\n",
    );
    let error = build(&files, "", &Options::cli("/r")).unwrap_err();
    assert_eq!(
        error.reference,
        "invalid Kustomization: json: cannot unmarshal object into Go struct field TargetSelector.replacements.Replacement.targets.reject of type []*types.Selector"
    );
}

#[test]
fn annotations_that_a_json_patch_makes_a_list_are_keys_and_values_in_turn() {
    let built = |list: &str, field: &str, patch: &str| {
        let mut files = MemoryFiles::new();
        let copy = r#"{"op": "copy", "path": "/metadata/annotations", "from": "/spec/k"}"#;
        let entry = format!("- target: {{name: a}}\n  patch: '[{copy}{patch}]'\n");
        files.insert("kustomization.yaml", format!("resources: [a.yaml]\n{field}:\n{entry}"));
        files.insert(
            "a.yaml",
            format!("apiVersion: v1\nkind: Thing\nmetadata: {{name: a}}\nspec:\n  k: {list}\n"),
        );
        let built = build(&files, "", &Options::cli("/r"));
        built.map(|output| output.to_yaml()).map_err(|error| error.reference)
    };
    let remove = r#", {"op": "remove", "path": "/spec"}"#;
    for (list, annotations) in [
        ("[a, b]", "  annotations:\n    a: b\n"),
        ("[c, 1, a, ~]", "  annotations:\n    a: \"null\"\n    c: \"1\"\n"),
        ("[a, b, a, c]", "  annotations:\n    a: c\n"),
        ("[a, {b: c}]", "  annotations:\n    a: \"\"\n"),
        ("[]", ""),
        // A name without text cannot be written, and no other beside it.
        ("[[x], b]", ""),
        ("[a, b, {c: d}, e]", ""),
    ] {
        let expected = format!("apiVersion: v1\nkind: Thing\nmetadata:\n{annotations}  name: a\n");
        assert_eq!(built(list, "patches", remove), Ok(expected), "{list}");
    }
    let shown = "metadata\":map[string]interface {}{\"annotations\":map[interface {}]interface {}{1:\"b\"}, \"name\":\"a\"}}: \
         json: unsupported type: map[interface {}]interface {}";
    let error = built("[1, b]", "patches", remove).unwrap_err();
    assert!(error.ends_with(shown), "{error}");
    assert_eq!(
        built("[{n: x}, {n: y}]", "patchesJson6902", remove).unwrap_err(),
        "wrong node kind: expected ScalarNode but got MappingNode: node contents:\n{}\n"
    );
    // The reference panics where they do not come out even.
    for field in ["patches", "patchesJson6902"] {
        assert_eq!(
            built("[a]", field, remove).unwrap_err(),
            "wrong node kind: expected MappingNode but got SequenceNode: node contents:\n- a\n"
        );
    }
}

#[test]
fn a_subject_whose_name_is_no_text_cannot_be_told_from_the_default_one() {
    let built = |subjects: &str| {
        let mut files = MemoryFiles::new();
        files.insert("kustomization.yaml", "resources: [a.yaml]\nnamespace: other\n");
        files.insert(
            "a.yaml",
            format!(
                "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {{name: a}}\nsubjects: {subjects}\n"
            ),
        );
        build(&files, "", &Options::cli("/r")).map(|_| ()).map_err(|error| error.reference)
    };
    let words = "setting namespace on (cluster)role binding subjects: looking up name on (cluster)role binding subject: \
         wrong node kind: expected ScalarNode but got";
    for (subjects, shown) in [
        ("[{kind: ServiceAccount, name: [b]}]", "SequenceNode: node contents:\n[b]\n"),
        ("[{kind: User, name: c}, {kind: User, name: {}}]", "MappingNode: node contents:\n{}\n"),
    ] {
        assert_eq!(built(subjects), Err(format!("{words} {shown}")), "{subjects}");
    }
    for subjects in ["[{kind: User, name: ~}]", "[{kind: User, name: b}]", "~"] {
        assert_eq!(built(subjects), Ok(()), "{subjects}");
    }
}
