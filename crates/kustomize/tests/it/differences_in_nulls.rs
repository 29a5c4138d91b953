//! Where nulls, and text that steps wrote without a type, once came out otherwise than with the reference program. All texts
//! are the reference's.

use millrace_kustomize::{BuildError, MemoryFiles, Options, Output, build};

const CONFIG_MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

fn run(files: &[(&str, &str)], dir: &str) -> Result<Output, BuildError> {
    let mut memory = MemoryFiles::new();
    for (path, text) in files {
        memory.insert(path, *text);
    }
    build(&memory, dir, &Options::cli("/r"))
}

/// What is printed, or the error, of fields beside a file of objects.
fn built(objects: &str, fields: &str) -> Result<String, String> {
    let kustomization = format!("resources: [objects.yaml]\n{fields}\n");
    let files = [("kustomization.yaml", &*kustomization), ("objects.yaml", objects)];
    run(&files, "").map(|output| output.to_yaml()).map_err(|error| error.reference)
}

fn patch(operation: &str) -> String {
    format!("patches: [{{target: {{kind: Deployment|ConfigMap}}, patch: '[{operation}]'}}]\n")
}

fn replacement(path: &str, value: &str) -> String {
    format!(
        "replacements: [{{sourceValue: '{value}', targets: [{{select: {{kind: ConfigMap}}, fieldPaths: [{path}], options: {{create: true}}}}]}}]\n"
    )
}

#[test]
fn an_object_whose_kind_is_a_null_is_not_what_its_references_take_it_for() {
    let deployment = "apiVersion: v1\nkind: Deployment\nmetadata: {name: a}\n";
    for (objects, fields, field, stated, known) in [
        (
            "apiVersion: null\nkind: Deployment\nmetadata: {name: a}\n",
            String::new(),
            "APIVersion",
            "",
            "null",
        ),
        ("apiVersion: ~\nkind: Deployment\nmetadata: {name: a}\n", String::new(), "APIVersion", "", "~"),
        (
            "apiVersion: /v1\nkind: Deployment\nmetadata: {name: a}\n",
            String::new(),
            "APIVersion",
            "/v1",
            "v1",
        ),
        (
            deployment,
            patch(r#"{"op": "replace", "path": "/apiVersion", "value": null}"#),
            "APIVersion",
            "",
            "null",
        ),
        (deployment, patch(r#"{"op": "replace", "path": "/kind", "value": null}"#), "Kind", "", "null"),
    ] {
        assert_eq!(
            built(objects, &fields),
            Err(format!("node-referrerOriginal '{field}' mismatch '{stated}' != '{known}'"))
        );
    }
}

#[test]
fn a_null_in_an_id_is_told_as_it_is_written() {
    let missed = "patchesStrategicMerge: ['{apiVersion: ~, kind: C, metadata: {name: w}}']";
    let id = "C.~.[noGrp]/w.[noNs]";
    let text = format!("no matches for Id {id}; failed to find unique target for patch {id}");
    assert_eq!(built(CONFIG_MAP, missed), Err(text));
}

#[test]
fn a_patch_leaves_an_object_without_a_version_a_null_for_one() {
    let patch = "patches: [{target: {}, patch: '{kind: X, metadata: {name: y}}'}]";
    assert_eq!(
        built("kind: ConfigMap\nmetadata: {name: a}\n", patch).as_deref(),
        Ok("apiVersion: null\nkind: ConfigMap\nmetadata:\n  name: a\n")
    );
}

#[test]
fn a_name_that_a_patch_brings_has_no_type() {
    let fields = "patches: [{target: {kind: ConfigMap}, options: {allowNameChange: true}, patch: '{kind: ConfigMap, metadata: {name: b}}'}]\n";
    let fields = format!("{fields}{}", replacement("metadata.name", "true"));
    assert_eq!(
        built(CONFIG_MAP, &fields).as_deref(),
        Ok("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: true\n")
    );
}

#[test]
fn a_namespace_that_a_generator_takes_over_has_no_type() {
    let object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n";
    let fields = "configMapGenerator: [{name: a, behavior: merge, options: {disableNameSuffixHash: true}}]\n";
    let fields = format!("{fields}{}", replacement("metadata.namespace", "true"));
    assert_eq!(
        built(object, &fields).as_deref(),
        Ok("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: true\n")
    );
}

#[test]
fn a_prefix_comes_before_the_text_of_a_null() {
    let rows = "[{path: data/a, create: true}, {path: data/b, create: true}, {path: data/c, create: true}]";
    let fields = format!(
        "transformers: ['{{apiVersion: builtin, kind: PrefixTransformer, metadata: {{name: s}}, prefix: p-, fieldSpecs: {rows}}}']"
    );
    let data = |printed: Result<String, String>| {
        let printed = printed?;
        let data = printed.split_once("data:\n").and_then(|(_, rest)| rest.split_once("kind: ConfigMap"));
        Ok::<_, String>(data.map_or(printed.as_str(), |(data, _)| data).to_owned())
    };
    let text = "data:\n  a: ~\n  b: null\n  c:\n";
    let printed = built(&format!("{CONFIG_MAP}{text}"), &fields);
    assert_eq!(data(printed).as_deref(), Ok("  a: p-~\n  b: p-null\n  c: p-\n"));
    // The items of a list have passed through JSON.
    let item = text.replace('\n', "\n  ");
    let list = format!(
        "kind: ConfigMapList\nitems:\n- kind: ConfigMap\n  metadata: {{name: a}}\n  {}\n",
        item.trim()
    );
    assert_eq!(data(built(&list, &fields)).as_deref(), Ok("  a: p-null\n  b: p-null\n  c: p-null\n"));
}

#[test]
fn text_that_was_put_in_without_a_type_is_no_null_for_references() {
    let objects = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{name: c}]}}}\n";
    let fields = "replacements: [{sourceValue: '', targets: [{select: {kind: Deployment}, fieldPaths: [spec.template.spec.containers]}]}]";
    let (path, id) =
        ("spec/template/spec/containers/env/valueFrom/configMapKeyRef/name", "Deployment.v1.apps/a.[noNs]");
    assert_eq!(
        built(objects, fields),
        Err(format!(
            "updating name reference in '{path}' field of '{id}': considering field '{path}' of object {id}: expected sequence or mapping node"
        ))
    );
}

#[test]
fn a_part_of_a_path_without_text_stands_for_a_scalar_without_text() {
    let object = format!("{CONFIG_MAP}spec:\n  l:\n  - \"\"\n  - b\n  - null\n");
    let paths = "'spec.l.0.', 'spec.l.1.', 'spec.l.2.'";
    assert_eq!(
        built(&object, &replacement(paths, "x")),
        Ok(format!(
            "{}spec:\n  l:\n  - x\n  - \"\"\n  - null\n",
            CONFIG_MAP.replace(" {name: a}", "\n  name: a")
        ))
    );
    assert_eq!(
        built(CONFIG_MAP, &replacement("data..a", "x")),
        Err("unable to find or create field \"data..a\" in replacement target: wrong node kind: expected ScalarNode but got : node contents:\nnull\n".to_owned())
    );
}

#[test]
fn keys_and_numbers_that_passed_through_json_are_shown_as_it_leaves_them() {
    let source = "replacements: [{source: {kind: ConfigMap, fieldPath: data.1}, targets: [{select: {kind: ConfigMap}, fieldPaths: [data.x]}]}]";
    let object = format!("{CONFIG_MAP}data: {{on: x}}\n");
    let operation = r#"{"op": "add", "path": "/data/n", "value": 1234567}"#;
    assert_eq!(
        built(&object, &format!("{}{source}", patch(operation))),
        Err("error looking up replacement source: wrong node kind: expected SequenceNode but got MappingNode: node contents:\n\"n\": 1.234567e+06\n\"on\": x\n".to_owned())
    );
}

#[test]
fn data_that_was_merged_is_quoted_wherever_it_would_read_as_anything_but_a_string() {
    let object = format!(
        "{CONFIG_MAP}data: {{a: \"- a\", b: \"c: d\", c: \"#\", d: \"[x]\", e: \"*x\", f: \" y\", g: \"z: \", h: a b, i: <<}}\n"
    );
    let fields = "configMapGenerator: [{name: a, behavior: merge}]\n\
        replacements: [{source: {kind: ConfigMap, fieldPath: data.1}, targets: [{select: {kind: ConfigMap}, fieldPaths: [data.x]}]}]";
    let shown =
        "a: \"- a\"\nb: \"c: d\"\nc: \"#\"\nd: \"[x]\"\ne: '*x'\nf: \" y\"\ng: \"z: \"\nh: a b\ni: <<\n";
    assert_eq!(
        built(&object, fields),
        Err(format!(
            "error looking up replacement source: wrong node kind: expected SequenceNode but got MappingNode: node contents:\n{shown}"
        ))
    );
}

#[test]
fn an_object_that_cannot_be_json_is_shown_with_its_times_and_numbers() {
    let object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {5: b}}\n\
        data: {a: 2024-01-02, b: 2024-01-02T03:04:05.5+02:00, c: 1234567.0, d: 0x1F, e: .00001, f: 2024-01-02T03:04:05+00:00, g: 12345678901234567890}\n";
    let data = r#"map[string]interface {}{"a":time.Date(2024, time.January, 2, 0, 0, 0, 0, time.UTC), "b":time.Date(2024, time.January, 2, 3, 4, 5, 500000000, time.Location("")), "c":1.234567e+06, "d":31, "e":1e-05, "f":time.Date(2024, time.January, 2, 3, 4, 5, 0, time.Local), "g":0xab54a98ceb1f0ad2}"#;
    let metadata = r#"map[string]interface {}{"labels":map[interface {}]interface {}{5:"b"}, "name":"a"}"#;
    assert_eq!(
        built(object, ""),
        Err(format!(
            "map[string]interface {{}}{{\"apiVersion\":\"v1\", \"data\":{data}, \"kind\":\"ConfigMap\", \"metadata\":{metadata}}}: json: unsupported type: map[interface {{}}]interface {{}}"
        ))
    );
}

#[test]
fn an_object_that_cannot_be_json_is_shown_with_numbers_in_quotes_as_numbers() {
    let object = format!("{CONFIG_MAP}data:\n  1: x\n  k: v\n");
    let fields = "configMapGenerator: [{name: a, behavior: merge, literals: [k=7]}]\n\
        patchesStrategicMerge: ['{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: 0777}}']";
    let data = r#"map[interface {}]interface {}{"k":511, 1:"x"}"#;
    assert_eq!(
        built(&object, fields),
        Err(format!(
            "map[string]interface {{}}{{\"apiVersion\":\"v1\", \"data\":{data}, \"kind\":\"ConfigMap\", \"metadata\":map[string]interface {{}}{{\"name\":\"a\"}}}}: json: unsupported type: map[interface {{}}]interface {{}}"
        ))
    );
}

#[test]
fn a_key_that_stands_twice_is_told_with_its_lines_as_printed() {
    let error = "map[string]interface {}(nil): yaml: unmarshal errors:\n  line 7: mapping key \"b\" already defined at line 6";
    let object = "\n# x\n\nkind: ConfigMap\nmetadata:\n  name: a\n\n  b: 1\n  b: 2\n";
    assert_eq!(built(object, ""), Err(error.to_owned()));
}

#[test]
fn nothing_is_merged_with_an_object_of_another_kind_by_now() {
    let patch = "{target: {kind: ConfigMap}, options: {allowKindChange: true}, patch: '{apiVersion: v1, kind: Secret, metadata: {name: a}}'}";
    let files = [
        ("base/kustomization.yaml", &*format!("resources: [objects.yaml]\npatches: [{patch}]\n")),
        ("base/objects.yaml", CONFIG_MAP),
        (
            "over/kustomization.yaml",
            "resources: [../base]\nconfigMapGenerator: [{name: a, behavior: merge}]\n",
        ),
    ];
    let error = run(&files, "over").expect_err("the object is a Secret");
    assert_eq!(
        error.reference,
        "merging from generator a: cannot find resource with id ConfigMap.v1.[noGrp]/a.[noNs] to replace"
    );
    assert_eq!(
        error.hints,
        [
            "over/kustomization.yaml:2: Secret 'a' (base/objects.yaml:1) was ConfigMap.v1.[noGrp]/a.[noNs] until a step changed its kind"
        ]
    );
}

#[test]
fn a_plugin_that_steps_of_its_own_changed_is_shown_with_what_it_was_called() {
    let files = [
        ("kustomization.yaml", "transformers: [plugins]\n"),
        ("plugins/kustomization.yaml", "resources: [plugin.yaml]\nnamePrefix: p-\n"),
        ("plugins/plugin.yaml", "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: t}\n"),
    ];
    assert_eq!(
        run(&files, "").expect_err("no patch").reference,
        "plugin PatchTransformer.builtin.[noGrp]/t.default fails configuration: must specify one of patch and path in\n\
         apiVersion: builtin\nkind: PatchTransformer\nmetadata:\n  annotations:\n    \
         internal.config.kubernetes.io/prefixes: p-\n    \
         internal.config.kubernetes.io/previousKinds: PatchTransformer\n    \
         internal.config.kubernetes.io/previousNames: t\n    \
         internal.config.kubernetes.io/previousNamespaces: default\n  name: p-t\n"
    );
}

#[test]
fn an_object_is_sorted_by_the_null_that_was_put_in_as_its_name() {
    let object = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
    let objects = [object("b"), object("z"), object("y")].join("---\n");
    // The patch takes the type of the name away.
    let fields = "patches: [{target: {name: z}, patch: '{kind: ConfigMap, metadata: {name: z}}'}]\n\
        replacements: [{sourceValue: 'null', targets: [{select: {name: z}, fieldPaths: [metadata.name]}]}]\n\
        sortOptions: {order: legacy}";
    let printed = built(&objects, fields).expect("the reference builds it");
    let names: Vec<&str> = printed.lines().filter_map(|line| line.strip_prefix("  name: ")).collect();
    assert_eq!(names, ["b", "null", "\"y\""]);
}

#[test]
fn metadata_that_a_patch_deletes_holds_nothing_of_what_the_patch_may_do() {
    let patch = "patches: [{patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: a, $patch: delete}}', options: {allowNameChange: true}}]";
    assert_eq!(
        built(CONFIG_MAP, patch),
        Err("missing metadata.name in object {{v1 ConfigMap} {{ } map[] map[]}}".to_owned())
    );
}

#[test]
fn a_null_of_a_new_item_that_replaces_another_goes() {
    let pod = |spec: &str| format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec: {spec}\n");
    let patch = pod("{containers: [{name: c, env: [{name: A, $patch: replace, protocol: null}]}]}");
    let expected = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n  - env:\n    - name: A\n    name: c\n";
    let patch = format!("patchesStrategicMerge: ['{}']", patch.trim().replace('\n', "\n\n  "));
    assert_eq!(built(&pod("{}"), &patch).as_deref(), Ok(expected));
    assert_eq!(built(&pod("{containers: [{name: c}]}"), &patch).as_deref(), Ok(expected));
}

#[test]
fn an_empty_item_of_a_new_list_takes_the_items_behind_it_away() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n";
    for (volumes, left) in [
        ("[{}, {name: b}]", " []\n"),
        ("[null, {name: b}]", " []\n"),
        ("[{name: c}, {}, {name: b}, {name: d}]", "\n  - name: c\n"),
        ("[{name: c}, {name: d}, {}]", "\n  - name: c\n  - name: d\n"),
    ] {
        let patch = format!(
            "patchesStrategicMerge: ['{{apiVersion: v1, kind: Pod, metadata: {{name: a}}, spec: {{volumes: {volumes}}}}}']"
        );
        let expected = format!("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  volumes:{left}");
        assert_eq!(built(pod, &patch), Ok(expected), "{volumes}");
    }
}

#[test]
fn an_item_that_a_replacement_makes_has_no_type() {
    let path = "spec.args.[=a]";
    let fields = format!(
        "replacements: [{{source: {{kind: ConfigMap, fieldPath: metadata}}, targets: [{{select: {{kind: ConfigMap}}, fieldPaths: ['{path}'], options: {{create: true}}}}]}}]"
    );
    let printed = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\nspec:\n  args:\n  - null\n";
    assert_eq!(built(CONFIG_MAP, &fields).as_deref(), Ok(printed));
}

#[test]
fn an_item_that_replaces_one_of_two_that_agree_is_merged_the_second_time() {
    let pod = |ports: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec: {{containers: [{{name: c, ports: [{ports}]}}]}}\n"
        )
    };
    let objects = pod("{containerPort: 80}, {containerPort: 80, protocol: UDP, s: t}");
    let patch = pod("{containerPort: 80, protocol: UDP, h: b, $patch: replace}");
    let patch = format!("patchesStrategicMerge: ['{}']", patch.trim().replace('\n', "\n\n  "));
    let ports =
        "    - containerPort: 80\n    - containerPort: 80\n      h: b\n      protocol: UDP\n      s: t\n";
    assert_eq!(
        built(&objects, &patch),
        Ok(format!(
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n  - name: c\n    ports:\n{ports}"
        ))
    );
}

#[test]
fn a_type_that_is_a_map_counts_in_the_hash_of_a_secret() {
    let fields = "secretGenerator: [{name: a}]\npatches:\n- target: {kind: Secret}\n  patch: '[{\"op\": \"replace\", \"path\": \"/type\", \"value\": {\"k\": \"\"}}]'\n";
    let printed = built("", fields).expect("the reference builds it");
    assert!(printed.contains("  name: a-b55t7t7tb2\n"), "{printed}");
}

#[test]
fn labels_are_not_added_to_a_null_where_no_field_is_made() {
    let object = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a, labels: null}\nspec:\n  \
                  podSelector:\n    matchLabels:\n  ingress:\n  - from:\n    - podSelector: {matchLabels: null}\n";
    assert_eq!(
        built(object, "labels: [{pairs: {b: c}, includeSelectors: true}]").as_deref(),
        Ok(
            "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata:\n  labels:\n    b: c\n  name: a\nspec:\n  \
            ingress:\n  - from:\n    - podSelector:\n        matchLabels: null\n  podSelector:\n    matchLabels: null\n"
        )
    );
}

#[test]
fn a_generator_takes_over_a_name_that_a_patch_took_away() {
    let base = format!(
        "resources: [objects.yaml]\n{}",
        patch(r#"{"op": "replace", "path": "/metadata", "value": {}}"#)
    );
    let top = "resources: [base]\nconfigMapGenerator: [{name: a, behavior: BEHAVIOR, literals: [x=y]}]\nreplacements: \
               [{sourceValue: b, targets: [{select: {kind: ConfigMap}, fieldPaths: [metadata.name]}]}]\n";
    for behavior in ["merge", "replace"] {
        let top = top.replace("BEHAVIOR", behavior);
        let files = [
            ("base/objects.yaml", CONFIG_MAP),
            ("base/kustomization.yaml", &*base),
            ("kustomization.yaml", &*top),
        ];
        let output = run(&files, "").unwrap().to_yaml();
        assert_eq!(output, "apiVersion: v1\ndata:\n  x: \"y\"\nkind: ConfigMap\nmetadata:\n  name: b\n");
    }
}
