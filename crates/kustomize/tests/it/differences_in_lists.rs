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
