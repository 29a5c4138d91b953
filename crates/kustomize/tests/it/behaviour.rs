//! Behaviour that the recorded builds don't show.

use std::collections::BTreeSet;

use millrace_kustomize::remote::Need;
use millrace_kustomize::{ErrorKind, Limits, MemoryFiles, Options, Output, Reorder, build};

const CONFIG_MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

fn files(entries: &[(&str, &str)]) -> MemoryFiles {
    let mut files = MemoryFiles::new();
    for (path, text) in entries {
        files.insert(path, *text);
    }
    files
}

fn flux() -> Options {
    Options::flux("/r")
}

fn names(output: &Output) -> Vec<&str> {
    output.resources.iter().filter_map(|node| node.str_at(&["metadata", "name"])).collect()
}

#[test]
fn a_build_says_what_it_looked_at() {
    let files = files(&[
        ("app/kustomization.yaml", "resources: [../base, a.yaml]"),
        ("app/a.yaml", CONFIG_MAP),
        ("base/kustomization.yaml", "namePrefix: b-\nresources: [a.yaml]"),
        ("base/a.yaml", CONFIG_MAP),
        ("other/a.yaml", CONFIG_MAP),
    ]);
    let output = build(&files, "app", &flux()).expect("the build succeeds");
    assert_eq!(names(&output), ["b-a", "a"]);
    let read: BTreeSet<&str> = output.observed.read.iter().map(String::as_str).collect();
    assert_eq!(
        read,
        BTreeSet::from(["app/kustomization.yaml", "app/a.yaml", "base/kustomization.yaml", "base/a.yaml"])
    );
    assert!(output.observed.missing.contains("app/kustomization.yml"), "{:?}", output.observed.missing);
    assert!(!output.observed.missing.iter().any(|path| path.starts_with("other")));
}

#[test]
fn the_controllers_keep_the_order_and_the_command_sorts() {
    let files = files(&[
        ("kustomization.yaml", "resources: [a.yaml]"),
        ("a.yaml", &format!("{CONFIG_MAP}---\napiVersion: v1\nkind: Namespace\nmetadata: {{name: z}}\n")),
    ]);
    assert_eq!(names(&build(&files, "", &flux()).expect("builds")), ["a", "z"]);
    assert_eq!(names(&build(&files, "", &Options::cli("/r")).expect("builds")), ["z", "a"]);
}

#[test]
fn the_caller_chooses_the_order_unless_the_root_does() {
    let objects = format!("{CONFIG_MAP}---\napiVersion: v1\nkind: Namespace\nmetadata: {{name: z}}\n");
    for (sort, reorder, expected, warned) in [
        ("", Reorder::None, ["a", "z"], false),
        ("", Reorder::Legacy, ["z", "a"], false),
        ("sortOptions: {order: fifo}\n", Reorder::Legacy, ["a", "z"], true),
    ] {
        let target = format!("resources: [a.yaml]\n{sort}");
        let files = files(&[("kustomization.yaml", &target), ("a.yaml", &objects)]);
        let options = Options { reorder: Some(reorder), ..Options::cli("/r") };
        let output = build(&files, "", &options).expect("builds");
        assert_eq!(names(&output), expected, "{sort}{reorder:?}");
        assert_eq!(!output.warnings.is_empty(), warned, "{:?}", output.warnings);
    }
}

#[test]
fn what_there_was_to_warn_of_comes_with_the_error() {
    let files = files(&[("kustomization.yaml", "bases: [gone]\n")]);
    let error = build(&files, "", &Options::cli("/r")).expect_err("the build fails");
    assert!(matches!(&*error.warnings, [line] if line.starts_with("# Warning: 'bases' is deprecated.")));
}

#[test]
fn a_folder_that_is_named_from_where_the_caller_stands_is_shown_so() {
    let files = files(&[("there/a/kustomization.yaml", "namePrefix: a-\n"), ("there/file", "")]);
    let options = Options { working_folder: Some("/r/there".to_owned()), ..Options::cli("/r") };
    assert!(build(&files, "a", &options).is_ok() && build(&files, "../there/a", &options).is_ok());
    for (folder, text) in [
        (
            "gone",
            "not a valid directory: evalsymlink failure on 'gone' : lstat /r/there/gone: no such file or directory",
        ),
        ("file", "'file': file is not directory"),
        ("./file/x", "not a valid directory: evalsymlink failure on './file/x' : not a directory"),
        ("", "directory path cannot be empty"),
    ] {
        let error = build(&files, folder, &options).expect_err("the build fails");
        assert_eq!(error.reference, format!("must build at directory: {text}"));
    }
}

#[test]
fn nothing_outside_of_the_root_is_read() {
    let files = files(&[("kustomization.yaml", "resources: [../a.yaml]")]);
    let error = build(&files, "", &flux()).expect_err("the build fails");
    assert!(
        error
            .reference
            .contains("fs-security-constraint read /a.yaml: path '/a.yaml' is not in or below '/r'"),
        "{error}"
    );
}

#[test]
fn a_cancelled_build_stops() {
    let files = files(&[("kustomization.yaml", "resources: [a.yaml]"), ("a.yaml", CONFIG_MAP)]);
    let options = flux();
    options.cancel.cancel();
    let error = build(&files, "", &options).expect_err("the build fails");
    assert_eq!(*error.kind(), ErrorKind::Cancelled);
}

#[test]
fn limits_hold() {
    let files = files(&[
        ("kustomization.yaml", "resources: [base, a.yaml]"),
        ("a.yaml", CONFIG_MAP),
        ("base/kustomization.yaml", "namePrefix: b-\nresources: [a.yaml]"),
        ("base/a.yaml", CONFIG_MAP),
    ]);
    for limits in [
        Limits { depth: 1, ..Limits::default() },
        Limits { resources: 1, ..Limits::default() },
        Limits { bytes: 20, ..Limits::default() },
    ] {
        let error = build(&files, "", &Options { limits, ..flux() }).expect_err("a limit is exceeded");
        assert_eq!(*error.kind(), ErrorKind::Limit, "{limits:?}: {error}");
    }
    assert!(build(&files, "", &flux()).is_ok());
}

#[test]
fn a_long_chain_of_bases_ends_in_a_limit() {
    let mut files = MemoryFiles::new();
    for level in 0..150 {
        files.insert(&format!("l{level}/kustomization.yaml"), format!("resources: [../l{}]", level + 1));
    }
    let error = build(&files, "l0", &flux()).expect_err("the build fails");
    assert_eq!(*error.kind(), ErrorKind::Limit, "{error}");
}

#[test]
fn what_is_not_there_yet_is_named_with_its_file() {
    let files = files(&[("kustomization.yaml", "resources: ['https://example.com/a.yaml']")]);
    let error = build(&files, "", &flux()).expect_err("the build fails");
    assert_eq!(error.reference, "the remote entry https://example.com/a.yaml in /r was not fetched");
    let needed = Need::File("https://example.com/a.yaml".to_owned());
    assert!(matches!(error.kind(), ErrorKind::Needs(need) if **need == needed));
}

#[test]
fn remote_entries_are_errors_where_they_are_off() {
    let options = Options { remote_bases: false, ..flux() };
    for entry in
        ["https://example.com/a.yaml", "https://git.example/a/b//deploy?ref=main", "git@git.example:a/b"]
    {
        let files = files(&[("kustomization.yaml", &format!("resources: ['{entry}']"))]);
        let error = build(&files, "", &options).expect_err("the build fails");
        assert_eq!(*error.kind(), ErrorKind::Input, "{error}");
        assert!(error.reference.ends_with(&format!("'{entry}' is refused: remote bases are off")), "{error}");
    }
}

#[test]
fn no_input_makes_a_build_panic() {
    let odd = [
        "",
        "{}",
        "[]",
        "- a",
        "a: [",
        "\u{0}",
        "resources: {a: b}",
        "labels: [{}]",
        "images: [{name: '('}]",
        "patches: [{}]",
        "patches: [{patch: '[1]', target: {}}]",
        "patchesJson6902: [{patch: '[]'}]",
        "resources: ['']",
        "resources: [.]",
        "vars: [{name: a}]",
        "replacements: [{}]",
        "replicas: [{}]",
        "configMapGenerator: [{}]",
        "namePrefix: ''",
        "transformers: ['apiVersion: builtin\nkind: X\nmetadata: {name: a}']",
        "crds: [a.yaml]",
        "configurations: [a.yaml]",
        "patches: [{patch: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: []}'}]",
        "sortOptions: {}",
    ];
    let objects = [
        CONFIG_MAP,
        "",
        "null",
        "kind: List\nitems: [null]",
        "kind: AList\nmetadata: {name: b}\nitems: {}",
        "metadata: []\nkind: A",
        "apiVersion: 1\nkind: 2\nmetadata: {name: 3, labels: [], annotations: 4}",
        "{kind: A, metadata: {name: a}, spec: [[[{}]]]}",
    ];
    for target in odd {
        for object in objects {
            for name in ["kustomization.yaml", "Kustomization"] {
                let target = format!("{target}\n");
                let with_object = if target.contains("resources") {
                    target
                } else {
                    format!("resources: [a.yaml]\n{target}")
                };
                let files = files(&[(name, &with_object), ("a.yaml", object)]);
                let _ = build(&files, "", &flux());
                let _ = build(&files, "", &Options::cli("/r"));
            }
        }
    }
}

#[test]
fn copies_of_copies_end_in_a_limit() {
    let operations: Vec<String> = (0..40)
        .map(|step| format!(r#"{{"op": "copy", "from": "/spec", "path": "/spec/c{step}"}}"#))
        .collect();
    let target = format!(
        "resources: [a.yaml]\npatches: [{{target: {{kind: A}}, patch: '[{}]'}}]",
        operations.join(", ")
    );
    let object = "{apiVersion: x/v1, kind: A, metadata: {name: a}, spec: {a: b}}";
    let error = build(&files(&[("kustomization.yaml", &target), ("a.yaml", object)]), "", &flux())
        .expect_err("a limit");
    assert_eq!(*error.kind(), ErrorKind::Limit, "{error}");

    let replacements: Vec<String> = (0..40)
        .map(|step| {
            format!("{{source: {{kind: A, fieldPath: spec}}, targets: [{{select: {{kind: A}}, fieldPaths: [spec.c{step}], options: {{create: true}}}}]}}")
        })
        .collect();
    let target = format!("resources: [a.yaml]\nreplacements: [{}]", replacements.join(", "));
    let error = build(&files(&[("kustomization.yaml", &target), ("a.yaml", object)]), "", &flux())
        .expect_err("a limit");
    assert_eq!(*error.kind(), ErrorKind::Limit, "{error}");
}

#[test]
fn deep_input_neither_overflows_the_stack_nor_grows() {
    let depth = 400;
    let nested = |open: &str, close: &str| format!("{}{}", open.repeat(depth), close.repeat(depth));
    let object =
        format!("{{apiVersion: x/v1, kind: A, metadata: {{name: a}}, spec: {}}}", nested("{a: ", "}"));
    let path = "a/".repeat(5000);
    let target = format!(
        "resources: [a.yaml]\nnamePrefix: p-\nimages: [{{name: i}}]\npatches: [{{path: a.yaml}}, {{target: {{kind: A}}, patch: '[]'}}]\n\
         labels: [{{pairs: {{x: z}}, fields: [{{path: spec/{path}b, create: true}}]}}]\n"
    );
    let error = build(&files(&[("kustomization.yaml", &target), ("a.yaml", &object)]), "", &flux())
        .expect_err("too deep");
    assert!(error.reference.ends_with("the field lies deeper than objects may nest"), "{error}");
    let target = "resources: [a.yaml]\nnamePrefix: p-\nimages: [{name: i}]\npatches: [{path: a.yaml}]\n";
    assert!(build(&files(&[("kustomization.yaml", target), ("a.yaml", &object)]), "", &flux()).is_ok());
}

#[test]
fn a_quoted_name_stays_a_string_through_a_json_patch() {
    let object = "{apiVersion: v1, kind: ConfigMap, metadata: {name: '1'}}";
    let patch = "{target: {kind: ConfigMap}, patch: '[{\"op\": \"add\", \"path\": \"/metadata/annotations/n\", \"value\": \"5\"}]'}";
    let target = format!("resources: [a.yaml]\nnamePrefix: '1'\npatches: [{patch}]\n");
    let output =
        build(&files(&[("kustomization.yaml", &target), ("a.yaml", object)]), "", &flux()).expect("builds");
    assert_eq!(names(&output), ["11"]);
    assert_eq!(output.resources[0].str_at(&["metadata", "annotations", "n"]), Some("5"));
}

#[test]
fn tracking_ends_what_annotations_share_with_other_places() {
    let object = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {template: {spec: {containers: []}}}}";
    let patch = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, annotations: {note: v}}}";
    let base = ("base/kustomization.yaml", "resources: [a.yaml]\ncommonAnnotations: {note: w}");
    for (tracking, in_template) in [("", "v"), ("buildMetadata: [originAnnotations]\n", "w")] {
        let target = format!("resources: [base]\npatches: [{{patch: '{patch}'}}]\n{tracking}");
        let files = files(&[("kustomization.yaml", &target), base, ("base/a.yaml", object)]);
        let output = build(&files, "", &flux()).expect("builds");
        let note = output.resources[0].str_at(&["spec", "template", "metadata", "annotations", "note"]);
        assert_eq!(note, Some(in_template), "{tracking}");
    }
}
