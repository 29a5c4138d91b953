//! Where configured plugins, and variables in what steps add, once came out otherwise than with the reference program. All texts
//! but those of what we hide are the reference's.

use millrace_kustomize::{MemoryFiles, Options, build};

const CONFIG_MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v, l: [{n: 1}]}\n";

/// What is printed, or the error, of fields beside a file of objects.
fn built(objects: &str, fields: &str) -> Result<String, String> {
    let mut files = MemoryFiles::new();
    files.insert("objects.yaml", objects);
    files.insert("kustomization.yaml", format!("resources: [objects.yaml]\n{fields}\n"));
    build(&files, "", &Options::cli("/r")).map(|output| output.to_yaml()).map_err(|error| error.reference)
}

/// What a plugin makes of a ConfigMap.
fn plugin(list: &str, kind: &str, fields: &str) -> Result<String, String> {
    built(CONFIG_MAP, &entry(list, kind, fields))
}

/// An entry that configures a plugin.
fn entry(list: &str, kind: &str, fields: &str) -> String {
    format!("{list}: ['{{apiVersion: builtin, kind: {kind}, metadata: {{name: m}}, {fields}}}']")
}

fn misconfigured(kind: &str, problem: &str) -> Result<String, String> {
    Err(format!("plugin {kind}.builtin.[noGrp]/m.[noNs] fails configuration: {problem}"))
}

#[test]
fn wrong_fields_of_prefixes_and_suffixes_are_all_told_with_lines_and_tags() {
    let wrong = |kind: &str, fields: &str, problems: &[&str]| {
        let problem = format!("yaml: unmarshal errors:\n  {}", problems.join("\n  "));
        assert_eq!(plugin("transformers", kind, fields), misconfigured(kind, &problem), "{fields}");
    };
    wrong(
        "PrefixTransformer",
        r#"prefix: [a], fieldSpecs: [{path: [x], create: "yes"}, x, ~, 123456789012, {create: "true", group: {a: b}}, {create: 1.5}]"#,
        &[
            "line 5: cannot unmarshal !!seq into string",
            "line 6: cannot unmarshal !!str `x` into types.FieldSpec",
            "line 8: cannot unmarshal !!int `1234567...` into types.FieldSpec",
            "line 9: cannot unmarshal !!str `true` into bool",
            "line 11: cannot unmarshal !!map into string",
            "line 12: cannot unmarshal !!float `1.5` into bool",
            "line 17: cannot unmarshal !!seq into string",
        ],
    );
    wrong(
        "SuffixTransformer",
        "suffix: {a: b}, fieldSpecs: 12",
        &[
            "line 2: cannot unmarshal !!int `12` into types.FsSlice",
            "line 7: cannot unmarshal !!map into string",
        ],
    );
    let rows = "fieldSpecs: [{path: metadata/name}]";
    let both = "PrefixSuffixTransformer";
    let problem = "line 9: cannot unmarshal !!map into string";
    wrong(both, &format!("prefix: a, suffix: {{a: b}}, {rows}"), &[problem]);
    let problem = "line 7: cannot unmarshal !!seq into string";
    wrong(both, &format!("prefix: [], suffix: {{a: b}}, {rows}"), &[problem]);
    let text = "prefix: p-, description: \"x\\ny\\nz\\n\", fieldSpecs: \"a\\nb\"";
    wrong("PrefixTransformer", text, &["line 6: cannot unmarshal !!str `a\nb` into types.FsSlice"]);
    wrong("PrefixTransformer", "fieldSpecs: {}", &["line 2: cannot unmarshal !!map into types.FsSlice"]);
}

#[test]
fn prefixes_and_suffixes_want_names_of_fields_as_they_are_and_skip_null_items() {
    let named = |name: &str| {
        Ok(format!(
            "apiVersion: v1\ndata:\n  k: v\n  l:\n  - \"n\": 1\nkind: ConfigMap\nmetadata:\n  name: {name}\n"
        ))
    };
    let prefix = |fields: &str| plugin("transformers", "PrefixTransformer", fields);
    let row = "{path: metadata/name, group: ~, kind: ConfigMap, create: \"yes\", GROUP: x}";
    assert_eq!(prefix(&format!("prefix: p-, fieldSpecs: [{row}, ~]")), named("p-a"));
    assert_eq!(prefix("PREFIX: p-, fieldSpecs: [{path: metadata/name}]"), named("a"));
    assert_eq!(prefix("prefix: p-, fieldSpecs: [~]"), named("a"));
    assert_eq!(prefix("prefix: 1.0, fieldSpecs: [{path: metadata/name}]"), named("1a"));
    for fields in ["Prefix: p-, FieldSpecs: []", "prefix: p-, fieldSpecs: ~"] {
        assert_eq!(
            prefix(fields),
            misconfigured("PrefixTransformer", "fieldSpecs is not expected to be nil"),
            "{fields}"
        );
    }
}

#[test]
fn wrong_types_in_plugins_are_told_as_the_reference_calls_them() {
    let place = "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal";
    for (kind, fields, problem) in [
        (
            "NamespaceTransformer",
            "unsetOnly: x",
            format!(
                "unmarshalling NamespaceTransformer config: {place} string into Go struct field NamespaceTransformerPlugin.unsetOnly of type bool"
            ),
        ),
        (
            "NamespaceTransformer",
            "setRoleBindingSubjects: []",
            format!(
                "unmarshalling NamespaceTransformer config: {place} array into Go struct field NamespaceTransformerPlugin.setRoleBindingSubjects of type namespace.RoleBindingSubjectMode"
            ),
        ),
        (
            "ValueAddTransformer",
            "targets: [{filePathPosition: x}]",
            format!("{place} string into Go struct field Target.targets.filePathPosition of type int"),
        ),
        (
            "ValueAddTransformer",
            "targets: x",
            format!(
                "{place} string into Go struct field ValueAddTransformerPlugin.targets of type []builtins.Target"
            ),
        ),
    ] {
        assert_eq!(plugin("transformers", kind, fields), misconfigured(kind, &problem), "{fields}");
    }
    for (value, found) in [("[]", "array"), ("1", "number")] {
        let problem = format!(
            "{place} {found} into Go struct field IAMPolicyGeneratorPlugin.IAMPolicyGeneratorArgs.cloud of type types.Cloud"
        );
        let expected = misconfigured("IAMPolicyGenerator", &problem)
            .map_err(|error| format!("loading generator plugins: failed to load generator: {error}"));
        assert_eq!(plugin("generators", "IAMPolicyGenerator", &format!("cloud: {value}")), expected);
    }
}

#[test]
fn an_account_of_a_cloud_is_what_its_names_read_as_in_their_places() {
    let bound = |fields: &str| {
        let generator = entry("generators", "IAMPolicyGenerator", &format!("cloud: gke, {fields}"));
        let mut files = MemoryFiles::new();
        files.insert("kustomization.yaml", generator);
        build(&files, "", &Options::cli("/r")).map(|output| output.to_yaml()).map_err(|error| error.reference)
    };
    let account = |annotation: &str, rest: &str| {
        Ok(format!(
            "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  annotations:\n    iam.gke.io/gcp-service-account: {annotation}\n{rest}"
        ))
    };
    let error = |text: &str| Err(text.to_owned());
    let cloud = "serviceAccount: {name: s, projectId: p}";
    let full = "s@p.iam.gserviceaccount.com";
    let token = "yaml: line 6: found character that cannot start any token";
    assert_eq!(bound("kubernetesService: {name: k}"), error(token));
    assert_eq!(bound("kubernetesService: {name: k}, serviceAccount: {projectId: p}"), error(token));
    assert_eq!(
        bound("kubernetesService: {name: k}, serviceAccount: {name: s}"),
        account("s@.iam.gserviceaccount.com", "  name: k\n")
    );
    assert_eq!(
        bound(cloud),
        error(
            "missing metadata.name in object {{v1 ServiceAccount} {{ } map[] map[iam.gke.io/gcp-service-account:s@p.iam.gserviceaccount.com]}}"
        )
    );
    let service = |name: &str, namespace: &str| {
        bound(&format!("kubernetesService: {{name: \"{name}\", namespace: \"{namespace}\"}}, {cloud}"))
    };
    assert_eq!(service("a: b", ""), error("yaml: line 7: mapping values are not allowed in this context"));
    assert_eq!(service("k", "[a"), error("yaml: line 8: did not find expected ',' or ']'"));
    assert_eq!(service("k # x", "\\\"q\\\""), account(full, "  name: k\n  namespace: q\n"));
    assert_eq!(service("12 ", " true"), account(full, "  name: 12\n  namespace: true\n"));
    assert_eq!(service("k", "!!tag"), account(full, "  name: k\n  namespace: \"\"\n"));
    assert_eq!(service("k\\n  labels: {a: b}", ""), account(full, "  labels:\n    a: b\n  name: k\n"));
}

const UNEQUAL: &str = "validator shouldn't modify the resource map: nodes unequal: \n -- ";

#[test]
fn a_validator_that_changes_an_object_is_told_with_what_it_was_and_is() {
    let labels = |labels: &str, path: &str| {
        let rows = format!("fieldSpecs: [{{path: {path}, create: true}}]");
        plugin("validators", "LabelTransformer", &format!("labels: {labels}, {rows}"))
    };
    let object = |data: &str, metadata: &str| {
        format!(
            "{{\"apiVersion\":\"v1\",\"data\":{{\"k\":\"v\",\"l\":[{{\"n\":1}}]{data}}},\"kind\":\"ConfigMap\",\"metadata\":{{{metadata}\"name\":\"a\"}}}}"
        )
    };
    let unequal = |is: String| Err(format!("{UNEQUAL}{},\n -- {is}", object("", "")));
    let label = |label: &str| object("", &format!("\"labels\":{{{label}}},"));
    assert_eq!(labels("{a: b}", "metadata/labels"), unequal(label("\"a\":\"b\"")));
    assert_eq!(labels("{validated-by: b, c: d}", "metadata/labels"), unequal(label("\"c\":\"d\"")));
    assert_eq!(labels("{validated-by: b}", "data"), unequal(object(",\"validated-by\":\"b\"", "")));
    assert!(labels("{validated-by: b}", "metadata/labels").is_ok());
}

#[test]
fn what_a_validator_left_is_shown_with_what_is_remembered_of_the_object() {
    let annotate = entry(
        "validators",
        "AnnotationsTransformer",
        "annotations: {a: b}, fieldSpecs: [{path: metadata/annotations, create: true}]",
    );
    let history = "\"internal.config.kubernetes.io/prefixes\":\"p-\",\"internal.config.kubernetes.io/previousKinds\":\"ConfigMap\",\"internal.config.kubernetes.io/previousNames\":\"a\",\"internal.config.kubernetes.io/previousNamespaces\":\"default\"";
    let object = |own: &str| {
        format!(
            "{{\"apiVersion\":\"v1\",\"data\":{{\"k\":\"v\",\"l\":[{{\"n\":1}}]}},\"kind\":\"ConfigMap\",\"metadata\":{{\"annotations\":{{{own}{history}}},\"name\":\"p-a\"}}}}"
        )
    };
    assert_eq!(
        built(CONFIG_MAP, &format!("namePrefix: p-\n{annotate}")),
        Err(format!("{UNEQUAL}{},\n -- {}", object(""), object("\"a\":\"b\",")))
    );
}

#[test]
fn the_label_of_a_validator_is_no_change_only_where_it_is_the_only_one() {
    let validator = entry(
        "validators",
        "LabelTransformer",
        "labels: {validated-by: b}, fieldSpecs: [{path: metadata/labels, create: true}]",
    );
    let labelled = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {a: b}}\n";
    let shown = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"labels\":{\"a\":\"b\"},\"name\":\"a\"}}";
    assert_eq!(built(labelled, &validator), Err(format!("{UNEQUAL}{shown},\n -- {shown}")));
}

#[test]
fn a_validator_that_changes_a_secret_does_not_show_it() {
    let validator = entry(
        "validators",
        "LabelTransformer",
        "labels: {a: b}, fieldSpecs: [{path: metadata/labels, create: true}]",
    );
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {password: hunter2}\n";
    let error = built(secret, &validator).unwrap_err();
    assert!(error.starts_with("validator shouldn't modify the resource map: nodes unequal"), "{error}");
    assert!(!error.contains("hunter2"), "{error}");
}

#[test]
fn an_image_without_text_becomes_an_empty_one() {
    let deployment = |image: &str| {
        format!(
            "apiVersion: v1\nkind: Deployment\nmetadata: {{name: a}}\nspec: {{template: {{spec: {{containers: [{{image: {image}}}]}}}}}}\n"
        )
    };
    let printed = |image: &str| {
        Ok(format!(
            "apiVersion: v1\nkind: Deployment\nmetadata:\n  name: a\nspec:\n  template:\n    spec:\n      containers:\n      - image: {image}\n"
        ))
    };
    for images in ["[~]", "[{}]", "[null, {name: nginx, newName: a}]"] {
        assert_eq!(built(&deployment(""), &format!("images: {images}")), printed("\"\""), "{images}");
        assert_eq!(built(&deployment("~"), &format!("images: {images}")), printed("null"), "{images}");
    }
}

#[test]
fn a_plugin_that_is_no_json_is_not_printed() {
    assert_eq!(
        plugin("transformers", "PrefixTransformer", "prefix: .inf, fieldSpecs: [{path: metadata/name}]"),
        Err("marshalling yaml from res PrefixTransformer.builtin.[noGrp]/m.[noNs]: json: unsupported value: +Inf".to_owned())
    );
}

#[test]
fn a_value_is_added_to_items_of_lists() {
    let added = |path: &str| {
        let printed = plugin(
            "transformers",
            "ValueAddTransformer",
            &format!("value: x, targets: [{{fieldPath: \"{path}\"}}]"),
        )?;
        let data = printed.split_once("data:\n").and_then(|(_, rest)| rest.split_once("kind: ConfigMap"));
        Ok(data.map_or(printed.clone(), |(data, _)| data.to_owned()))
    };
    let data = |rest: &str| Ok::<_, String>(format!("  k: v\n{rest}"));
    let same = data("  l:\n  - \"n\": 1\n");
    for path in ["data/l/0/n", "data/l/-/n", "data/l/[n=1]/n", " data /l//+0/n/"] {
        assert_eq!(added(path), data("  l:\n  - \"n\": x\n"), "{path}");
    }
    assert_eq!(added("data/l/[n=2]/m"), data("  l:\n  - \"n\": 1\n  - m: x\n    \"n\": 2\n"));
    assert_eq!(added("data/m/[=z]"), data("  l:\n  - \"n\": 1\n  m:\n  - x\n"));
    assert_eq!(added("data/m/[a=b]/c"), data("  l:\n  - \"n\": 1\n  m:\n  - a: b\n    c: x\n"));
    assert_eq!(added("data/l/5"), same);
    for (path, problem) in [
        ("data/-1", "array index -1 cannot be negative"),
        ("data/*", "wildcard is not supported in PathGetter"),
        ("data/m/[a]", "list path element must contain fieldName=fieldValue for element to match"),
        (
            "data/0",
            "wrong node kind: expected SequenceNode but got MappingNode: node contents:\n{k: v, l: [{n: 1}]}\n",
        ),
        (
            "data/l/x",
            "wrong node kind: expected MappingNode but got SequenceNode: node contents:\n[{n: 1}]\n",
        ),
        ("data/k/x", "wrong node kind: expected MappingNode but got ScalarNode: node contents:\nv\n"),
    ] {
        assert_eq!(added(path), Err(problem.to_owned()), "{path}");
    }
}

#[test]
fn an_entry_states_plugins_wherever_it_reads_as_objects_that_differ_in_their_ids() {
    let keyed = "transformers: ['{apiVersion: builtin, kind: LabelTransformer, metadata: {name: m}, labels: {? [a] : b}}']";
    assert_eq!(
        built(CONFIG_MAP, keyed),
        Err("marshalling yaml from res LabelTransformer.builtin.[noGrp]/m.[noNs]: yaml: invalid map key: []interface {}{\"a\"}".to_owned())
    );
    let hash = "{apiVersion: builtin, kind: HashTransformer, metadata: {name: m}}";
    let twice = format!("transformers: [\"{hash}\\n---\\n{hash}\"]");
    let error = built(CONFIG_MAP, &twice).unwrap_err();
    assert!(error.starts_with("accumulation err='accumulating resources from '{apiVersion"), "{error}");
    let other = "{apiVersion: builtin, kind: HashTransformer, metadata: {name: n}}";
    assert!(built(CONFIG_MAP, &format!("transformers: [\"{hash}\\n---\\n{other}\"]")).is_ok());
}

#[test]
fn a_variable_in_a_label_is_put_in_wherever_the_step_added_the_label() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {selector: {a: b}}\n";
    let fields =
        "commonLabels: {v: $(A)}\nvars: [{name: A, objref: {apiVersion: v1, kind: Service, name: s}}]\n";
    assert_eq!(
        built(service, fields).as_deref(),
        Ok(
            "apiVersion: v1\nkind: Service\nmetadata:\n  labels:\n    v: s\n  name: s\nspec:\n  selector:\n    a: b\n    v: s\n"
        )
    );
}

#[test]
fn a_variable_in_an_annotation_is_put_in_again_wherever_the_step_added_it() {
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {template: {spec: {nodeName: x}}}\n";
    let fields = "commonAnnotations: {v: $$(A)}\nvars: [{name: A, objref: {apiVersion: apps/v1, kind: Deployment, name: d}}]\n";
    assert_eq!(
        built(deployment, fields).as_deref(),
        Ok(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  annotations:\n    v: d\n  name: d\nspec:\n  template:\n    metadata:\n      annotations:\n        v: d\n    spec:\n      nodeName: x\n"
        )
    );
}

#[test]
fn a_replacement_of_a_plugin_may_have_no_targets() {
    let printed = plugin(
        "transformers",
        "ReplacementTransformer",
        "replacements: [{source: {kind: ConfigMap}, targets: []}]",
    );
    assert!(printed.is_ok(), "{printed:?}");
    let missing =
        plugin("transformers", "ReplacementTransformer", "replacements: [{source: {kind: ConfigMap}}]");
    assert_eq!(missing, Err("replacements must specify a source and at least one target".to_owned()));
}
