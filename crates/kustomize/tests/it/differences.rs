//! Where made-up projects once came out otherwise than with the reference program.

use millrace_kustomize::{MemoryFiles, Options, build};

type Files<'t> = &'t [(&'t str, &'t str)];

const CONFIG_MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

/// What is printed, or the error; and the warnings.
fn outcome(files: Files<'_>) -> (Result<String, String>, Vec<String>) {
    let mut memory = MemoryFiles::new();
    for (path, text) in files {
        memory.insert(path, *text);
    }
    match build(&memory, "", &Options::cli("/r")) {
        Ok(output) => (Ok(output.to_yaml()), output.warnings),
        Err(error) => (Err(error.reference.clone()), error.warnings.to_vec()),
    }
}

/// Builds a file of objects with a kustomization file.
fn built(kustomization: &str, objects: &str) -> Result<String, String> {
    let kustomization = format!("resources: [objects.yaml]\n{kustomization}\n");
    outcome(&[("kustomization.yaml", &kustomization), ("objects.yaml", objects)]).0
}

fn error_of(kustomization: &str) -> String {
    outcome(&[("kustomization.yaml", kustomization)]).0.expect_err(kustomization)
}

#[test]
fn a_generated_object_takes_name_and_namespace_of_the_one_it_replaces_as_they_read() {
    let base = "configMapGenerator: [{name: made, options: {disableNameSuffixHash: true}}]\nnamespace: '1'\n";
    let replacing = "configMapGenerator: [{name: made, behavior: replace, namespace: '1', options: {disableNameSuffixHash: true}}]\n";
    let top = format!("resources: [base]\n{replacing}");
    let (built, _) = outcome(&[("kustomization.yaml", &top), ("base/kustomization.yaml", base)]);
    assert_eq!(
        built.as_deref(),
        Ok("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: made\n  namespace: \"1\"\n"),
        "the generator's namespace is in quotes, which stay"
    );
    let replacing = "configMapGenerator: [{name: made, behavior: replace, namespace: default, options: {disableNameSuffixHash: true}}]\n";
    let part = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamespace: '1'\n";
    let middle =
        "components: [../part]\nconfigMapGenerator: [{name: made, options: {disableNameSuffixHash: true}}]\n";
    let top = format!("resources: [middle]\n{replacing}");
    let (built, _) = outcome(&[
        ("kustomization.yaml", &top),
        ("middle/kustomization.yaml", middle),
        ("part/kustomization.yaml", part),
    ]);
    assert_eq!(
        built.as_deref(),
        Ok("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: made\n  namespace: 1\n")
    );
}

#[test]
fn a_replacement_into_what_a_step_wrote_means_what_it_reads_as() {
    let value = "replacements: [{sourceValue: '1', targets: [{select: {kind: ConfigMap}, fieldPaths: [metadata.name]}]}]";
    for (steps, name) in [("", "\"1\""), ("namePrefix: p-\n", "1")] {
        let base = format!("resources: [a.yaml]\n{steps}");
        let top = format!("resources: [base]\n{value}\n");
        let files: Files<'_> =
            &[("kustomization.yaml", &top), ("base/kustomization.yaml", &base), ("base/a.yaml", CONFIG_MAP)];
        let expected = format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n");
        assert_eq!(outcome(files).0.as_deref(), Ok(expected.as_str()), "{steps}");
    }
}

#[test]
fn variables_that_nothing_used_are_named_before_the_step_fails() {
    let job = "kind: CronJob\nmetadata: {name: c}\nspec: {jobTemplate: {spec: {template: {spec: {containers: [{args: [1]}]}}}}}\n";
    let target = "resources: [a.yaml]\nvars: [{name: V, objref: {kind: CronJob, name: c}}]\n";
    let (built, warnings) = outcome(&[("kustomization.yaml", target), ("a.yaml", job)]);
    assert!(built.is_err_and(|error| error.ends_with("invalid value type expect a string")));
    assert_eq!(
        warnings.last().map(String::as_str),
        Some("well-defined vars that were never replaced: V"),
        "{warnings:?}"
    );
}

#[test]
fn messages_about_types_name_the_structures_that_others_embed() {
    for (target, place, wanted) in [
        ("apiVersion: 1", "Kustomization.TypeMeta.apiVersion", "string"),
        (
            "replacements: [{sourceValue: 1}]",
            "ReplacementField.replacements.Replacement.sourceValue",
            "string",
        ),
        (
            "replacements: [{source: {kind: 1}}]",
            "SourceSelector.replacements.Replacement.source.ResId.Gvk.kind",
            "string",
        ),
        (
            "replacements: [{targets: [{select: {name: 1}}]}]",
            "Selector.replacements.Replacement.targets.select.ResId.name",
            "string",
        ),
        (
            "replacements: [{targets: [{options: {index: 1.5}}]}]",
            "FieldOptions.replacements.Replacement.targets.options.index",
            "int",
        ),
        ("configMapGenerator: [{name: 1}]", "ConfigMapArgs.configMapGenerator.GeneratorArgs.name", "string"),
        (
            "secretGenerator: [{files: [1]}]",
            "SecretArgs.secretGenerator.GeneratorArgs.KvPairSources.files",
            "string",
        ),
        ("secretGenerator: [{type: 1}]", "SecretArgs.secretGenerator.type", "string"),
        ("vars: [{objref: {kind: 1}}]", "Target.vars.objref.Gvk.kind", "string"),
        ("labels: [{fields: [{kind: 1}]}]", "FieldSpec.labels.fields.Gvk.kind", "string"),
        ("sortOptions: {order: 1}", "SortOptions.sortOptions.order", "types.SortOrder"),
        ("helmCharts: [{name: 1}]", "HelmChart.helmCharts.name", "string"),
    ] {
        let value = if wanted == "int" { "number 1.5" } else { "number" };
        let expected = format!(
            "invalid Kustomization: json: cannot unmarshal {value} into Go struct field {place} of type {wanted}"
        );
        assert_eq!(error_of(&format!("{target}\n")), expected);
    }
    assert_eq!(error_of("helmCharts: [{nam: a}]\n"), "invalid Kustomization: json: unknown field \"nam\"");
}

#[test]
fn operations_without_a_path_fail_in_the_words_of_each_kind() {
    let number = "json: cannot unmarshal number into Go value of type string";
    for (operation, problem) in [
        ("{op: add}", "add operation failed to decode path: missing value"),
        ("{op: add, path: 1}", "add operation failed to decode path: missing value"),
        ("{op: remove}", "remove operation failed to decode path: missing value"),
        (
            "{op: replace}",
            "replace operation failed to decode path: operation missing path field: missing value",
        ),
        ("{op: replace, path: 1}", &format!("replace operation failed to decode path: {number}")),
        ("{op: test}", "test operation failed to decode path: operation missing path field: missing value"),
        (
            "{op: move, path: /a}",
            "move operation failed to decode from: operation, missing from field: missing value",
        ),
        (
            "{op: move, from: /kind}",
            "move operation failed to decode path: operation missing path field: missing value",
        ),
        (
            "{op: copy, path: /a}",
            "copy operation failed to decode from: operation, missing from field: missing value",
        ),
        ("{op: copy, from: /kind}", "copy operation failed to decode path: missing value"),
    ] {
        let target = format!("patches: [{{target: {{kind: ConfigMap}}, patch: '[{operation}]'}}]");
        let target = target.replace("'[", "'- ").replace("]'", "'");
        assert_eq!(built(&target, CONFIG_MAP), Err(problem.to_owned()), "{operation}");
    }
}

#[test]
fn json_patches_that_leave_no_object_are_errors() {
    let patch = |field: &str, value: &str| {
        let operation = format!("[{{\"op\": \"replace\", \"path\": \"\", \"value\": {value}}}]");
        built(&format!("{field}: [{{target: {{name: a}}, patch: '{operation}'}}]"), CONFIG_MAP)
    };
    assert_eq!(patch("patchesJson6902", "{}"), Err("missing Resource metadata".to_owned()));
    let history = "internal.config.kubernetes.io/previousKinds:ConfigMap \
                   internal.config.kubernetes.io/previousNames:a internal.config.kubernetes.io/previousNamespaces:default";
    assert_eq!(
        patch("patches", "{}"),
        Err(format!("missing kind in object {{{{ }} {{{{ }} map[] map[{history}]}}}}"))
    );
    assert_eq!(
        patch("patches", "[1]"),
        Err("json: cannot unmarshal array into Go value of type map[string]interface {}".to_owned())
    );
}

#[test]
fn metadata_that_a_json_patch_makes_no_map_is_an_error_of_the_old_field_alone() {
    let patch =
        "[{target: {name: a}, patch: '[{\"op\": \"replace\", \"path\": \"/metadata\", \"value\": \"x\"}]'}]";
    assert_eq!(
        built(&format!("patchesJson6902: {patch}"), CONFIG_MAP),
        Err("wrong node kind: expected MappingNode but got ScalarNode: node contents:\nx\n".to_owned())
    );
    let error = built(&format!("patches: {patch}"), CONFIG_MAP).expect_err("the object has no name");
    assert!(error.starts_with("missing metadata.name in object {{v1 ConfigMap}"), "{error}");
}

#[test]
fn a_hash_becomes_the_name_of_what_has_none() {
    let target = "configMapGenerator: [{name: made}]\n\
                  patchesJson6902: [{target: {name: made}, patch: '[{\"op\": \"add\", \"path\": \"/metadata\", \"value\": {}}]'}]\n";
    assert_eq!(
        outcome(&[("kustomization.yaml", target)]).0.as_deref(),
        Ok("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: -6ct58987ht\n")
    );
}

#[test]
fn a_replacement_without_targets_is_incomplete_before_its_source_is_looked_for() {
    let target = "replacements: [{source: {name: gone}, targets: []}]";
    assert_eq!(
        built(target, CONFIG_MAP),
        Err("replacements must specify a source and at least one target".to_owned())
    );
}

#[test]
fn objects_that_a_generator_could_merge_with_are_shown_whole() {
    let target = "resources: [base, a.yaml]\nconfigMapGenerator: [{name: a, behavior: merge}]\n";
    let files: Files<'_> = &[
        ("kustomization.yaml", target),
        ("a.yaml", CONFIG_MAP),
        ("base/kustomization.yaml", "resources: [a.yaml]\nnamePrefix: x.\n"),
        ("base/a.yaml", CONFIG_MAP),
    ];
    let history = "\"annotations\":{\"internal.config.kubernetes.io/prefixes\":\"x.\",\
                   \"internal.config.kubernetes.io/previousKinds\":\"ConfigMap\",\
                   \"internal.config.kubernetes.io/previousNames\":\"a\",\
                   \"internal.config.kubernetes.io/previousNamespaces\":\"default\"},";
    let object = |metadata: &str| {
        format!("{{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{{{metadata}}}}}")
    };
    let (first, second) = (object(&format!("{history}\"name\":\"x.a\"")), object("\"name\":\"a\""));
    assert_eq!(
        outcome(files).0,
        Err(format!(
            "merging from generator a: found multiple objects [{first} {second}] that could accept merge of \
             ConfigMap.v1.[noGrp]/a.[noNs]"
        ))
    );
}

#[test]
fn charts_are_refused_with_what_was_understood_of_them() {
    for (chart, shown) in [
        ("helmCharts: [{version: '1', name: c, debug: false}]", "name: c\nnamespace: shop\nversion: \"1\"\n"),
        (
            "helmChartInflationGenerator: [{chartName: c, chartHome: here, releaseNamespace: x}]",
            "chartHome: here\nname: c\nnamespace: shop\n",
        ),
    ] {
        assert_eq!(
            error_of(&format!("{chart}\nnamespace: shop\n")),
            format!(
                "trouble configuring builtin HelmChartInflationGenerator with config: `\n{shown}`: must specify --enable-helm"
            )
        );
    }
}

#[test]
fn a_strategic_patch_quotes_what_it_passes_and_quotes_stay() {
    let patch = "patches: [{patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}'}]\n";
    let files: Files<'_> = &[
        ("kustomization.yaml", &format!("resources: [base]\n{patch}")),
        ("base/kustomization.yaml", "resources: [a.yaml]\nnamespace: '1'\n"),
        ("base/a.yaml", CONFIG_MAP),
    ];
    let expected = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: \"1\"\n";
    assert_eq!(outcome(files).0.as_deref(), Ok(expected));
}

#[test]
fn nulls_that_a_generator_merges_with_are_empty_strings() {
    let target = "configMapGenerator: [{name: a, behavior: merge, literals: [b=]}]\n";
    for null in ["~", "null", ""] {
        let object = format!("{CONFIG_MAP}data:\n  m: {null}\n");
        let expected = "apiVersion: v1\ndata:\n  b: \"\"\n  m: \"\"\nkind: ConfigMap\nmetadata:\n  name: a\n";
        assert_eq!(built(target, &object).as_deref(), Ok(expected), "{null}");
    }
}

#[test]
fn a_chart_is_shown_with_the_namespace_around_it() {
    let files: Files<'_> = &[
        ("kustomization.yaml", "resources: [middle]\nnamespace: outer\n"),
        ("middle/kustomization.yaml", "resources: [base]\n"),
        ("middle/base/kustomization.yaml", "helmCharts: [{name: c}]\n"),
    ];
    let error = outcome(files).0.expect_err("charts are refused");
    assert!(error.ends_with("`\nname: c\nnamespace: outer\n`: must specify --enable-helm"), "{error}");
}

#[test]
fn definitions_that_do_not_parse_say_as_what_they_were_read() {
    for (text, problem) in [
        ("a: [\n", "error converting YAML to JSON: yaml: line 1: did not find expected node content"),
        ("{]\n", "invalid character ']' looking for beginning of object key string"),
    ] {
        let files: Files<'_> = &[("kustomization.yaml", "crds: [d.json]\n"), ("d.json", text)];
        assert_eq!(
            outcome(files).0,
            Err(format!(
                "loading CRDs [d.json]: unable to parse open API definition from 'd.json': {problem}"
            ))
        );
    }
}

#[test]
fn rows_of_labels_that_clash_say_with_what() {
    let row = "fields: [{path: metadata/labels}]";
    for (options, what) in [("includeTemplates: true, ", "template fieldSpec"), ("", "labels")] {
        assert_eq!(
            built(&format!("labels: [{{{options}{row}}}]"), CONFIG_MAP),
            Err(format!("failed to merge {what}: conflicting fieldspecs"))
        );
    }
}

#[test]
fn messages_show_words_of_old_yaml_as_they_were_written() {
    let object = format!("{CONFIG_MAP}data:\n  on: yes\n  \"off\": 12:30\n");
    let target = "replacements: [{sourceValue: x, targets: [{select: {name: a}, fieldPaths: [data.1]}]}]";
    assert_eq!(
        built(target, &object),
        Err("unable to find field \"data.1\" in replacement target: wrong node kind: expected SequenceNode but got \
             MappingNode: node contents:\non: yes\n\"off\": 12:30\n"
            .to_owned())
    );
}

#[test]
fn annotations_are_never_missing_where_the_build_remembers_something() {
    let step = "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: s}\nlabels: {tier: db}\nfieldSpecs: [{path: metadata/annotations}]\n";
    for (prefix, annotations) in [("", ""), ("namePrefix: p-\n", "  annotations:\n    tier: db\n")] {
        let target = format!("resources: [a.yaml]\ntransformers: [step.yaml]\n{prefix}");
        let files: Files<'_> =
            &[("kustomization.yaml", &target), ("a.yaml", CONFIG_MAP), ("step.yaml", step)];
        let name = if prefix.is_empty() { "a" } else { "p-a" };
        let expected = format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n{annotations}  name: {name}\n");
        assert_eq!(outcome(files).0, Ok(expected));
    }
}

#[test]
fn a_json_patch_that_makes_metadata_null_makes_the_build_forget() {
    let patch = "[{target: {name: made}, patch: '[{\"op\": \"replace\", \"path\": \"/metadata\"}]'}]";
    for field in ["patches", "patchesJson6902"] {
        assert_eq!(
            error_of(&format!("configMapGenerator: [{{name: made}}]\n{field}: {patch}\n")),
            "missing metadata.name in object {{v1 ConfigMap} {{ } map[] map[]}}"
        );
    }
}
