//! Where keys that stand twice once came out otherwise than with the reference program, which keeps both until it makes JSON
//! of an object. All texts are the reference's.

use millrace_kustomize::{MemoryFiles, Options, build};

const CONFIG_MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";
const PATCHED: &str = "patchesStrategicMerge: [patch.yaml]";

/// What is printed, or the error, of fields beside a file of objects and a patch.
fn built(objects: &str, fields: &str, patch: &str) -> Result<String, String> {
    let mut memory = MemoryFiles::new();
    memory.insert("kustomization.yaml", format!("resources: [objects.yaml]\n{fields}\n"));
    memory.insert("objects.yaml", objects);
    memory.insert("patch.yaml", patch);
    build(&memory, "", &Options::cli("/r")).map(|output| output.to_yaml()).map_err(|error| error.reference)
}

/// What stands twice, in the reference's words.
fn repeated(keys: &[(usize, &str, usize)]) -> Result<String, String> {
    let lines: String = keys
        .iter()
        .map(|(line, key, first)| {
            format!("\n  line {line}: mapping key \"{key}\" already defined at line {first}")
        })
        .collect();
    Err(format!("map[string]interface {{}}(nil): yaml: unmarshal errors:{lines}"))
}

/// The map `a` with more metadata.
fn with_metadata(lines: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n{lines}  name: a\n")
}

/// The map `a` with data.
fn with_data(data: &str) -> String {
    format!("apiVersion: v1\ndata:{data}kind: ConfigMap\nmetadata:\n  name: a\n")
}

#[test]
fn of_equal_annotations_the_last_one_counts_and_equal_labels_are_refused() {
    let object = |field: &str| format!("{CONFIG_MAP}  {field}:\n    x: 1\n    x: b\n");
    assert_eq!(built(&object("annotations"), "", ""), Ok(with_metadata("  annotations:\n    x: b\n")));
    assert_eq!(built(&object("labels"), "", ""), repeated(&[(7, "x", 6)]));
    for labels in ["commonLabels: {z: w}", "commonLabels: {x: w}"] {
        assert_eq!(built(&object("labels"), labels, ""), repeated(&[(7, "x", 6)]), "{labels}");
    }
}

#[test]
fn keys_that_stand_twice_are_told_with_their_lines_at_the_end_of_the_build() {
    let data = format!("{CONFIG_MAP}data:\n  x: a\n  x: b\n");
    let commented = format!("# one\n\n# two\n{data}");
    assert_eq!(built(&data, "namePrefix: p-", ""), repeated(&[(7, "x", 6)]));
    assert_eq!(built(&data, "commonLabels: {z: w}", ""), repeated(&[(9, "x", 8)]));
    assert_eq!(built(&commented, "commonLabels: {z: w}", ""), repeated(&[(12, "x", 11)]));
    let annotated = format!("{CONFIG_MAP}  annotations:\n    x: a\n    x: 1\ndata:\n  a: b\n  a: c\n");
    assert_eq!(built(&annotated, "", ""), repeated(&[(9, "a", 8)]));
}

#[test]
fn a_step_that_takes_a_key_away_takes_the_first_of_two() {
    let data = format!("{CONFIG_MAP}data:\n  x: a\n  x: b\n");
    let patch = |data: &str| format!("{CONFIG_MAP}data: {data}\n");
    assert_eq!(built(&data, PATCHED, &patch("{x: null}")), Ok(with_data("\n  x: b\n")));
    assert_eq!(built(&data, PATCHED, &patch("{x: c}")), repeated(&[(7, "x", 6)]));
    assert_eq!(built(&data, PATCHED, &patch("null")), Ok(CONFIG_MAP.to_owned()));
    let merge = "configMapGenerator: [{name: a, behavior: merge, literals: [z=w]}]";
    assert_eq!(built(&data, merge, ""), Ok(with_data("\n  x: a\n  z: w\n")));
}

#[test]
fn a_json_patch_is_refused_where_a_key_stands_twice() {
    let object = format!("{CONFIG_MAP}data:\n  x: a\n  x: b\n");
    let patch = "patches: [{target: {kind: ConfigMap}, patch: '[{\"op\": \"add\", \"path\": \"/data/n\", \"value\": 1}]'}]";
    // The lines are those of the object with what the reference remembers of it.
    let error = "yaml: unmarshal errors:\n  line 11: mapping key \"x\" already defined at line 10";
    assert_eq!(built(&object, patch, ""), Err(error.to_owned()));
    let annotated = format!("{CONFIG_MAP}  annotations:\n    x: a\n    x: b\n");
    let error = "yaml: unmarshal errors:\n  line 7: mapping key \"x\" already defined at line 6";
    assert_eq!(built(&annotated, patch, ""), Err(error.to_owned()));
}

#[test]
fn of_equal_keys_of_a_patch_the_first_is_merged_and_the_last_label_counts() {
    let pod = |fields: &str| {
        format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  containers:\n{fields}")
    };
    let data = |text: &str| format!("{CONFIG_MAP}data: {text}\n");
    for (object, patch, expected) in [
        (data("{x: w}"), data("\n  x: a\n  x: b"), Ok(with_data("\n  x: a\n"))),
        (data("{x: w}"), data("\n  x: null\n  x: b"), Ok(with_data(" {}\n"))),
        (CONFIG_MAP.to_owned(), data("\n  x: null\n  x: b"), Ok(with_data("\n  x: b\n"))),
        (
            CONFIG_MAP.to_owned(),
            data("\n  x: a\n  x: b\n  x: c"),
            repeated(&[(7, "x", 6), (8, "x", 6), (8, "x", 7)]),
        ),
        (CONFIG_MAP.to_owned(), data("\n  x: a\ndata:\n  y: b"), Ok(with_data("\n  x: a\n"))),
        (
            CONFIG_MAP.to_owned(),
            format!("{CONFIG_MAP}  labels:\n    x: 1\n    x: null\n"),
            Ok(with_metadata("  labels:\n    x: \"null\"\n")),
        ),
        (
            pod("  - name: c\n"),
            pod("  - name: d\n    image: e\n    image: f\n"),
            repeated(&[(8, "image", 7)]),
        ),
        (
            pod("  - {name: c, image: d}\n"),
            pod("  - name: c\n    image: e\n    image: f\n"),
            Ok("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n  - image: e\n    name: c\n"
                .to_owned()),
        ),
    ] {
        assert_eq!(built(&object, PATCHED, &patch), expected, "{patch}");
    }
}

#[test]
fn no_hash_is_made_of_data_with_a_key_that_stands_twice() {
    let object = format!(
        "{CONFIG_MAP}  annotations:\n    internal.config.kubernetes.io/needsHashSuffix: enabled\ndata:\n  a: b\n  a: c\n"
    );
    let error = "yaml: unmarshal errors:\n  line 2: mapping key \"a\" already defined at line 1";
    assert_eq!(built(&object, "", ""), Err(error.to_owned()));
}
