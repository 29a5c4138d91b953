//! How the time of a build grows with the number of objects.

use std::fmt::Write as _;
use std::time::Duration;

use millrace_kustomize::{MemoryFiles, Options, build};
use millrace_matrix::clock::processor_time;

const TARGET: &str = "\
namePrefix: p-
namespace: ns
labels: [{pairs: {team: a, tier: b}, includeSelectors: true}]
resources: [objects.yaml]
";

/// Gives all items a label, which stays one value.
const LABELS: &str = "labels: [{pairs: {app: l}, fields: [{path: x/m, kind: T, create: true}]}]\n";

fn config_maps(count: usize) -> MemoryFiles {
    let mut text = String::new();
    for number in 0..count {
        let _ = write!(
            text,
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cm-{number}\ndata:\n  key: value\n---\n"
        );
    }
    let mut files = MemoryFiles::new();
    files.insert("kustomization.yaml", TARGET);
    files.insert("objects.yaml", text);
    files
}

/// An object whose items share a label, and a replacement of its own value.
fn shared_label(count: usize, source: &str, paths: &[&str]) -> MemoryFiles {
    let object = format!(
        "apiVersion: e.com/v1\nkind: T\nmetadata: {name}\ns: {{q: w}}\nz: v\nx:\n{items}",
        name = "{name: a}",
        items = "- {m: {}, t: {}}\n".repeat(count)
    );
    let target = format!(
        "resources: [b]\nreplacements: [{{source: {{kind: T, fieldPath: {source}}}, targets: [{{select: {{kind: T}}, fieldPaths: [{}]}}]}}]\n",
        paths.join(", ")
    );
    let mut files = MemoryFiles::new();
    files.insert("kustomization.yaml", target);
    files.insert("b/kustomization.yaml", format!("resources: [a.yaml]\n{LABELS}"));
    files.insert("b/a.yaml", object);
    files
}

/// Rows for one field of very many kinds.
fn rows_of_one_path(count: usize) -> MemoryFiles {
    let rows: String = (0..count).map(|number| format!("- {{path: a/b, kind: K{number}}}\n")).collect();
    let mut files = MemoryFiles::new();
    files.insert("kustomization.yaml", "configurations: [rows.yaml]\n");
    files.insert("rows.yaml", format!("namePrefix:\n{rows}"));
    files
}

/// Marked properties of very many definitions, whose rows share their paths.
fn marked_properties(count: usize) -> MemoryFiles {
    let marks =
        r#"{"x-kubernetes-annotation": "", "x-kubernetes-label-selector": "", "x-kubernetes-identity": ""}"#;
    let properties = format!(r#""kind": {marks}, "apiVersion": {marks}, "metadata": {marks}"#);
    let definition = |number| format!(r#""K{number}": {{"Schema": {{"properties": {{{properties}}}}}}}"#);
    let definitions: Vec<String> = (0..count).map(definition).collect();
    let mut files = MemoryFiles::new();
    files.insert("kustomization.yaml", "crds: [crds.json]\n");
    files.insert("crds.json", format!("{{{}}}", definitions.join(",")));
    files
}

fn time(files: &MemoryFiles) -> Duration {
    let run = || {
        let start = processor_time();
        build(files, "", &Options::flux("/r")).expect("the build succeeds");
        processor_time().saturating_sub(start)
    };
    (0..3).map(|_| run()).min().unwrap_or_default()
}

/// That four times the size takes about four times the time: quadratic growth would be 16 times.
fn check_growth(what: &str, files: impl Fn(usize) -> MemoryFiles) -> Result<(), String> {
    let look = |_| {
        let (small, large) = (time(&files(500)), time(&files(2000)));
        (large >= small * 9).then(|| format!("{what}: 500 take {small:?}, 2000 take {large:?}"))
    };
    // Caches may be cold, so further looks are taken.
    let slow: Option<Vec<String>> = (0..4).map(look).collect();
    slow.map_or(Ok(()), |looks| Err(looks.join("; ")))
}

#[test]
fn four_times_the_objects_take_about_four_times_the_time() {
    check_growth("objects", config_maps).unwrap();
}

#[test]
fn replacements_in_an_object_that_shares_a_label_take_no_time_for_each_place_of_it() {
    let paths = |path: &'static str| move |count| shared_label(count, "s.q", &vec![path; count]);
    check_growth("many paths", paths("z")).unwrap();
    check_growth("many paths to the label", paths("x.0.m.app")).unwrap();
    check_growth("many paths to a map", |count| shared_label(count, "s", &vec!["x.0.t"; count])).unwrap();
    check_growth("many places", |count| shared_label(count, "s", &["'x.*.t'"])).unwrap();
}

#[test]
fn rows_that_share_a_path_take_no_time_for_each_other() {
    check_growth("rows of configurations", |count| rows_of_one_path(count * 4)).unwrap();
    check_growth("rows of definitions", |count| marked_properties(count * 2)).unwrap();
}

#[test]
fn patches_take_no_time_for_each_object_that_they_leave_alone() {
    let patched = |count: usize| {
        let mut files = config_maps(count);
        let patch = |number| {
            format!(
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: cm-{number}}}\ndata: {{key: other}}\n"
            )
        };
        let patches: Vec<String> = (0..count).map(patch).collect();
        files.insert("kustomization.yaml", "resources: [objects.yaml]\npatches: [{path: patches.yaml}]\n");
        files.insert("patches.yaml", patches.join("---\n"));
        files
    };
    check_growth("patches", patched).unwrap();
}

#[test]
fn labels_of_an_object_take_no_time_for_each_place_of_the_others() {
    let labels = |count: usize| {
        let pairs: String = (0..count).map(|number| format!("l{number}: v, ")).collect();
        let mut files = MemoryFiles::new();
        files.insert("kustomization.yaml", format!("resources: [a.yaml]\ncommonLabels: {{{pairs}}}\n"));
        files.insert(
            "a.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {}}\n",
        );
        files
    };
    // Maps are searched key by key, so that the square of their number stays, of very short steps.
    check_growth("labels", |count| labels(count / 10)).unwrap();
}
