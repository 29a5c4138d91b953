//! That hints name the line of the entry they are about, and say no number twice.

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
