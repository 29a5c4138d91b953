//! Where replacements whose source stands in the object they write to once came out otherwise than with the reference
//! program, which copies the source anew for each place. All texts are the reference's.

use millrace_kustomize::{MemoryFiles, Options, build};

const HEAD: &str = "apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: a\n";

/// What is printed behind the metadata, or the error, of an object whose own value is put where paths lead.
fn put(object: &str, source: &str, paths: &str, options: &str) -> Result<String, String> {
    let printed = built("", object, source, paths, options)?;
    Ok(printed.strip_prefix(HEAD).expect(&printed).to_owned())
}

fn built(fields: &str, object: &str, source: &str, paths: &str, options: &str) -> Result<String, String> {
    let mut files = MemoryFiles::new();
    files.insert("base/kustomization.yaml", format!("resources: [a.yaml]\n{fields}"));
    files.insert("base/a.yaml", format!("{HEAD}{object}\n"));
    files.insert(
        "kustomization.yaml",
        format!(
            "resources: [base]\nreplacements: [{{source: {{kind: Thing, fieldPath: '{source}'}}, targets: [{{select: \
             {{kind: Thing}}, options: {{{options}}}, fieldPaths: [{paths}]}}]}}]\n"
        ),
    );
    build(&files, "", &Options::cli("/r")).map(|output| output.to_yaml()).map_err(|error| error.reference)
}

#[test]
fn what_is_written_inside_a_value_is_put_into_the_next_place() {
    for (object, source, path, printed) in [
        (
            "x: [[a], [b]]",
            "x.0",
            "x.*.1",
            "x:\n- - a\n  - - a\n    - []\n- - b\n  - - a\n    - - a\n      - []\n",
        ),
        (
            "x: [{}, {}]",
            "x",
            "x.*.q",
            "x:\n- q:\n  - q: []\n  - q: []\n- q:\n  - q:\n    - q: []\n    - q: []\n  - q: []\n",
        ),
        (
            "x: [{a: {b: c}}, {a: {b: d}}]",
            "x.0.a",
            "x.*.a.e",
            "x:\n- a:\n    b: c\n    e:\n      b: c\n      e: {}\n- a:\n    b: d\n    e:\n      b: c\n      e:\n        b: \
             c\n        e: {}\n",
        ),
        (
            "x: [{a: {b: c}}, {a: {b: d}}]",
            "x.0",
            "x.*.a",
            "x:\n- a:\n    a:\n      b: c\n- a:\n    a:\n      a:\n        b: c\n",
        ),
    ] {
        assert_eq!(put(object, source, path, "create: true").as_deref(), Ok(printed), "{object} {path}");
    }
}

#[test]
fn a_value_stays_the_one_that_its_path_led_to_at_first() {
    for (object, source, paths, options, printed) in [
        (
            "x: [{a: c, v: 1}, {a: b, v: 2}, {a: c, v: 3}]\nw: 0",
            "x.[a=c].v",
            "x.0.a, w, x.1.v",
            "",
            "w: 1\nx:\n- a: \"1\"\n  v: 1\n- a: b\n  v: 1\n- a: c\n  v: 3\n",
        ),
        ("x: [a, b]\nw: c", "x.-", "x.2, w", "create: true", "w: b\nx:\n- a\n- b\n- b\n"),
    ] {
        assert_eq!(put(object, source, paths, options).as_deref(), Ok(printed), "{object} {paths}");
    }
}

#[test]
fn a_value_whose_surroundings_are_replaced_stands_nowhere() {
    for (object, paths, options, printed) in [
        (
            "x: {a: {a: {q: 1}}}\nv: {z: {}}\nw: {}",
            "x, v.z, w",
            "",
            "v:\n  z:\n    a:\n      q: 1\nw:\n  a:\n    q: 1\nx:\n  a:\n    q: 1\n",
        ),
        (
            "x: {a: {b: c}}\nw: {}",
            "x.a.d, x, x.a.e, w",
            "create: true",
            "w:\n  b: c\n  d:\n    b: c\n    d: {}\nx:\n  a:\n    e:\n      b: c\n      d:\n        b: c\n        d: {}\n  b: \
             c\n  d:\n    b: c\n    d: {}\n",
        ),
    ] {
        assert_eq!(put(object, "x.a", paths, options).as_deref(), Ok(printed), "{object} {paths}");
    }
}

#[test]
fn a_value_with_annotations_of_the_build_is_the_one_that_stands_there_too() {
    let built = |fields, object, source, paths| built(fields, object, source, paths, "create: true").unwrap();
    assert_eq!(
        built("", "x: a", "metadata", "metadata.labels, metadata.z"),
        "apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  labels:\n    labels: {}\n    name: a\n  name: a\n  z:\n    \
         labels:\n      labels: {}\n      name: a\n    name: a\n    z: {}\nx: a\n"
    );
    let output = built("namePrefix: p-\n", "x: {}", "metadata.annotations", "metadata.annotations.k, x.n");
    let history = |indent: &str| {
        [
            ("prefixes", "p-"),
            ("previousKinds", "Thing"),
            ("previousNames", "a"),
            ("previousNamespaces", "default"),
        ]
        .map(|(key, text)| format!("{indent}internal.config.kubernetes.io/{key}: {text}\n"))
        .concat()
    };
    let (once, twice) = (history("    "), history("      "));
    assert_eq!(
        output.split_once("  name: p-a\n").unwrap().1,
        format!("x:\n  \"n\":\n{once}    k:\n{twice}      k: {{}}\n")
    );
}

#[test]
fn a_value_that_several_places_share_changes_with_each_of_them() {
    let shared = |source, paths, options| {
        let fields = "labels: [{pairs: {app: l}, includeSelectors: true, includeTemplates: true}]\n";
        let mut files = MemoryFiles::new();
        files.insert("base/kustomization.yaml", format!("resources: [a.yaml]\n{fields}"));
        files.insert(
            "base/a.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\nx: w\ny: {}\n",
        );
        files.insert(
            "kustomization.yaml",
            format!(
                "resources: [base]\nreplacements: [{{source: {{fieldPath: {source}}}, targets: [{{select: {{name: a}}, \
                 options: {{{options}}}, fieldPaths: [{paths}]}}]}}]\n"
            ),
        );
        build(&files, "", &Options::cli("/r")).unwrap().to_yaml()
    };
    let deployment = |labels: [&str; 3], rest: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  labels:\n    app: {}\n  name: a\nspec:\n  selector:\n    \
             matchLabels:\n      app: {}\n  template:\n    metadata:\n      labels:\n        app: {}\n{rest}",
            labels[0], labels[1], labels[2]
        )
    };
    assert_eq!(
        shared(
            "metadata.labels.app",
            "spec.selector.matchLabels.app, spec.template.metadata.labels.app, x, y.q",
            "create: true, delimiter: ':', index: 9"
        ),
        deployment(["l:l:l:l"; 3], "x: w:l:l:l:l\n\"y\":\n  q: :l:l:l:l\n")
    );
    // A label in a map that is replaced is another one.
    assert_eq!(
        shared(
            "spec.template.metadata.labels",
            "metadata.labels, y.q, metadata.labels.app, y.z",
            "create: true"
        ),
        deployment(["\"\"", "l", "l"], "x: w\n\"y\":\n  q:\n    app: l\n  z:\n    app: l\n")
    );
}

#[test]
fn a_place_that_is_missing_counts_before_one_that_cannot_be_joined() {
    assert_eq!(
        put("x: [{a: {}}, b]\nw: z", "w", "x.*.a", "delimiter: ':'").unwrap_err(),
        "unable to find field \"x.*.a\" in replacement target: wrong node kind: expected MappingNode but got ScalarNode: \
         node contents:\nb\n"
    );
}

#[test]
fn text_that_is_put_in_the_place_of_a_merge_sign_is_shown_as_one() {
    let mut files = MemoryFiles::new();
    files.insert(
        "kustomization.yaml",
        "resources: [a.yaml]\nreplacements:\n- sourceValue: b\n  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.x]}]\n\
         - source: {kind: ConfigMap, fieldPath: data.1}\n  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.y]}]\n",
    );
    files.insert("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  x: <<\n  y: z\n");
    let error = build(&files, "", &Options::cli("/r")).unwrap_err();
    assert_eq!(
        error.reference,
        "error looking up replacement source: wrong node kind: expected SequenceNode but got MappingNode: node contents:\n\
         x: !!merge b\ny: z\n"
    );
}
