//! Where single fields and files once came out otherwise than with the reference program; expected texts are the reference's.

use millrace_kustomize::{MemoryFiles, Options, build};

type Files<'t> = &'t [(&'t str, &'t str)];

const CONFIG_MAP: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {app: web}}\ndata: {k: v}\n";

/// What is printed, or the reference's words.
fn built(files: Files<'_>) -> Result<String, String> {
    let mut memory = MemoryFiles::new();
    for (path, text) in files {
        memory.insert(path, *text);
    }
    let output = build(&memory, "", &Options::cli("/r")).map_err(|error| error.reference.clone())?;
    Ok(output.to_yaml())
}

/// Builds a map of one entry with a kustomization file.
fn of_map(kustomization: &str) -> Result<String, String> {
    let kustomization = format!("resources: [objects.yaml]\n{kustomization}\n");
    built(&[("kustomization.yaml", &kustomization), ("objects.yaml", CONFIG_MAP)])
}

/// The error of a kustomization file that has another file beside it.
fn error_of(kustomization: &str, path: &str, text: &str) -> String {
    let kustomization = format!("resources: [objects.yaml]\n{kustomization}\n");
    let files = [("kustomization.yaml", &*kustomization), ("objects.yaml", CONFIG_MAP), (path, text)];
    built(&files).expect_err(&kustomization)
}

#[test]
fn folded_text_is_what_the_reference_reads_once_it_has_written_it() {
    let object = format!(
        "{CONFIG_MAP}f: >\n  a\n   b\n  c\n\n  d\ng: >+\n  a\n\n\nh: >2\n   a\n  b\n  c\ni: >-\n  a\n  b\n\n  c\n"
    );
    let expected = "apiVersion: v1\ndata:\n  k: v\nf: |\n  a\n\n   b\n  c\n  d\ng: |+\n  a\n\n\n\nh: |2\n   a\n  b c\n\
                    i: |-\n  a b\n  c\nkind: ConfigMap\nmetadata:\n  labels:\n    app: web\n  name: a\n";
    // A JSON patch makes the object lose its styles, so that nothing changes once more at the end.
    for patches in
        ["", "patches: [{target: {}, patch: '[{\"op\":\"add\",\"path\":\"/data/k\",\"value\":\"v\"}]'}]"]
    {
        let kustomization = format!("resources: [objects.yaml]\n{patches}\n");
        let files = [("kustomization.yaml", &*kustomization), ("objects.yaml", &*object)];
        assert_eq!(built(&files).as_deref(), Ok(expected), "{patches}");
    }
}

#[test]
fn keys_of_an_object_itself_are_strings() {
    let object = format!("{CONFIG_MAP}5: a\ntrue: b\n1.5: c\n2020-01-01: d\n");
    let files = [("kustomization.yaml", "resources: [objects.yaml]\n"), ("objects.yaml", &*object)];
    let expected = "\"1.5\": c\n\"5\": a\n\"2020-01-01\": d\napiVersion: v1\ndata:\n  k: v\nkind: ConfigMap\n\
                    metadata:\n  labels:\n    app: web\n  name: a\n\"true\": b\n";
    assert_eq!(built(&files).as_deref(), Ok(expected));
}

#[test]
fn selectors_that_are_none_are_refused_in_the_words_of_the_reference() {
    let target = |target: &str| {
        let patch = r#"'[{"op":"add","path":"/x","value":"1"}]'"#;
        of_map(&format!("patches: [{{patch: {patch}, target: {{{target}}}}}]")).map(drop)
    };
    for (part, problem) in [
        ("name: '['", "error parsing regexp: missing closing ]: `[)$`"),
        ("name: '(a'", "error parsing regexp: missing closing ): `^(?:(a)$`"),
        ("kind: '*'", "error parsing regexp: missing argument to repetition operator: `*`"),
        ("name: 'a**'", "error parsing regexp: invalid nested repetition operator: `**`"),
        (
            "labelSelector: app web",
            "unable to parse requirement: found 'web', expected: '=', '!=', '==', 'in', notin'",
        ),
        ("labelSelector: '='", "found '=', expected: !, identifier, or 'end of string'"),
        (
            "annotationSelector: /a=b",
            "unable to parse requirement: invalid label key \"/a\": prefix part must be non-empty",
        ),
    ] {
        assert_eq!(target(part), Err(problem.to_owned()), "{part}");
    }
    for part in
        ["name: 'b{,1}|a'", "name: '[a[]'", "labelSelector: 'app in (,web)'", "labelSelector: app notin (in)"]
    {
        assert_eq!(target(part), Ok(()), "{part}");
    }
}

#[test]
fn types_have_the_names_of_the_reference() {
    let field = |text: &str| of_map(text).expect_err(text);
    assert_eq!(
        field("patchesStrategicMerge: 5"),
        "invalid Kustomization: json: cannot unmarshal number into Go struct field Kustomization.patchesStrategicMerge of type []types.PatchStrategicMerge"
    );
    assert_eq!(
        field("patchesStrategicMerge: [5]"),
        "invalid Kustomization: json: cannot unmarshal number into Go struct field Kustomization.patchesStrategicMerge of type types.PatchStrategicMerge"
    );
    assert_eq!(
        field("replacements: [{targets: 5}]"),
        "invalid Kustomization: json: cannot unmarshal number into Go struct field ReplacementField.replacements.Replacement.targets of type []*types.TargetSelector"
    );
    assert_eq!(
        error_of("configurations: [tables.yaml]", "tables.yaml", "text\n"),
        "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go value of type builtinconfig.TransformerConfig"
    );
}

#[test]
fn configurations_that_do_not_read_say_what_was_being_done() {
    assert_eq!(
        error_of("configurations: [tables.yaml]", "tables.yaml", "namePrefix: []\nnamePrefix: []\n"),
        "error converting YAML to JSON: yaml: unmarshal errors:\n  line 2: key \"namePrefix\" already set in map"
    );
    assert_eq!(
        error_of("configurations: [tables.yaml]", "tables.yaml", "a: [\n"),
        "error converting YAML to JSON: yaml: line 1: did not find expected node content"
    );
}

#[test]
fn a_file_of_replacements_is_decoded_as_the_replacement_itself() {
    let trouble = |problem: &str| {
        format!(
            "trouble configuring builtin ReplacementTransformer with config: `\nReplacements:\n- path: r.yaml\n`: {problem}"
        )
    };
    for (text, problem) in [
        ("a: [\n", "error converting YAML to JSON: yaml: line 1: did not find expected node content"),
        (
            "source: {kind: 5}\n",
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal number into Go struct field SourceSelector.source.ResId.Gvk.kind of type string",
        ),
        (
            "targets: [{fieldPaths: data.k}]\n",
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go struct field TargetSelector.targets.fieldPaths of type []string",
        ),
    ] {
        assert_eq!(error_of("replacements: [{path: r.yaml}]", "r.yaml", text), trouble(problem), "{text}");
    }
}

#[test]
fn a_plugin_has_every_key_once() {
    let plugin = "apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: t}\nprefix: a\nprefix: b\n";
    assert_eq!(
        error_of("transformers: [t.yaml]", "t.yaml", plugin),
        "marshalling yaml from res PrefixTransformer.builtin.[noGrp]/t.[noNs]: yaml: unmarshal errors:\n  line 5: mapping key \"prefix\" already defined at line 4"
    );
}

#[test]
fn json_patches_that_are_no_lists_of_operations_are_refused_in_the_words_of_the_reference() {
    let error = |patch: &str| {
        let kustomization = format!("patchesJson6902: [{{target: {{name: a}}, patch: '{patch}'}}]");
        let error = of_map(&kustomization).expect_err(patch);
        error.rsplit("`: ").next().unwrap_or_default().to_owned()
    };
    for (patch, problem) in [
        ("{}", "decoding {}: json: cannot unmarshal object into Go value of type jsonpatch.Patch"),
        ("text", "decoding \"text\": json: cannot unmarshal string into Go value of type jsonpatch.Patch"),
        (
            "[\"a\"]",
            "decoding [\"a\"]: json: cannot unmarshal string into Go value of type jsonpatch.Operation",
        ),
    ] {
        assert_eq!(error(patch), problem, "{patch}");
    }
    let list = "[{\"op\":\"add\",\"path\":\"/l\",\"value\":[]},{\"op\":\"add\",\"path\":\"/l/99999999999999999999\",\"value\":1}]";
    assert_eq!(
        error(list),
        "error in add for path: '/l/99999999999999999999': value was not a proper array index: '99999999999999999999': strconv.Atoi: parsing \"99999999999999999999\": value out of range"
    );
}

#[test]
fn arguments_that_a_plugin_embeds_are_named_below_it() {
    let plugin = "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: t}\n";
    let error = |more: &str| error_of("generators: [t.yaml]", "t.yaml", &format!("{plugin}{more}\n"));
    let place = "loading generator plugins: failed to load generator: plugin ConfigMapGenerator.builtin.[noGrp]/t.[noNs] fails configuration: error unmarshaling JSON: while decoding JSON: json:";
    assert_eq!(
        error("literals: a=b"),
        format!(
            "{place} cannot unmarshal string into Go struct field ConfigMapGeneratorPlugin.ConfigMapArgs.GeneratorArgs.KvPairSources.literals of type []string"
        )
    );
    assert_eq!(
        error("literals: [5]"),
        format!(
            "{place} cannot unmarshal number into Go struct field ConfigMapGeneratorPlugin.ConfigMapArgs.GeneratorArgs.KvPairSources.literals of type string"
        )
    );
}

#[test]
fn a_validator_takes_nothing_away() {
    let plugin = "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: v}\npatch: |-\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n  $patch: delete\n";
    assert_eq!(
        error_of("validators: [v.yaml]", "v.yaml", plugin),
        "validator shouldn't modify the resource map: id in self missing from other; id: ConfigMap.v1.[noGrp]/a.[noNs]"
    );
}

#[test]
fn a_role_that_a_binding_names_by_what_is_no_text_has_none() {
    let name = |group: &str, kind: &str, role: &str| {
        let mut files = MemoryFiles::new();
        files.insert("kustomization.yaml", "resources: [a.yaml]\nnamePrefix: p-\n");
        let head = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ";
        files.insert(
            "a.yaml",
            format!("{head}{role}\nmetadata: {{name: s}}\n---\n{head}RoleBinding\nmetadata: {{name: b}}\nroleRef: {{{group}{kind}name: s}}\n"),
        );
        let output = build(&files, "", &Options::cli("/r")).unwrap();
        output.resources[1].str_at(&["roleRef", "name"]).unwrap_or_default().to_owned()
    };
    for (group, kind, role, expected) in [
        ("apiGroup: {k: v}, ", "kind: Role, ", "Role", "p-s"),
        ("apiGroup: {k: v}, ", "kind: Role, ", "ClusterRole", "s"),
        ("apiGroup: [v], ", "kind: ClusterRole, ", "Role", "s"),
        ("apiGroup: x, ", "kind: {k: v}, ", "Role", "s"),
        ("apiGroup: null, ", "kind: Role, ", "Role", "s"),
        ("apiGroup: , ", "kind: Role, ", "Role", "p-s"),
        ("", "kind: Role, ", "ClusterRole", "p-s"),
    ] {
        assert_eq!(name(group, kind, role), expected, "{group}{kind}{role}");
    }
}

/// The reference reads what it has printed before it looks at anything else of an object.
#[test]
fn a_text_that_begins_with_a_tab_is_told_before_what_else_keeps_an_object_from_being_printed() {
    let shown = "map[string]interface {}{\"data\":map[interface {}]interface {}{5:\"b\"}, \"kind\":\"ConfigMap\", \"metadata\":map[string]interface {}{\"a\":\"\\tb\\n\", \"name\":\"one\"}}";
    let nothing = "map[string]interface {}(nil)";
    for (data, shown) in [
        ("5: b", shown),
        ("a: 1\n  a: 2", nothing),
        ("{{ x }}: y", nothing),
        ("a: !!int x", nothing),
        ("a: !!bool y", nothing),
    ] {
        let object = format!("metadata:\n  name: one\n  a: |2\n    \tb\nkind: ConfigMap\ndata:\n  {data}\n");
        let error =
            built(&[("kustomization.yaml", "resources: [a.yaml]\n"), ("a.yaml", &object)]).unwrap_err();
        let words = "yaml: line 3: found a tab character where an indentation space is expected";
        assert_eq!(error, format!("{shown}: {words}"), "{data}");
    }
}

#[test]
fn a_text_that_begins_with_a_tab_is_told_with_its_line_among_comments() {
    let rest = "kind: ConfigMap\nmetadata:\n  name: one\n  a: |2\n    \tb\n";
    let line = |text: &str| {
        let mut memory = MemoryFiles::new();
        memory.insert("kustomization.yaml", "resources: [a.yaml]\nnamePrefix: p-\n");
        memory.insert("a.yaml", text);
        let error = build(&memory, "", &Options::cli("/r")).expect_err(text).reference;
        error.split_once("yaml: line ").and_then(|(_, rest)| rest.split(':').next()?.parse().ok())
    };
    for (text, expected) in [
        (rest.to_owned(), 4),
        (format!("# c\n{rest}"), 5),
        // A comment of the document, and the blank line behind it.
        (format!("# c\n\n{rest}"), 6),
        (format!("--- # c\n{rest}"), 5),
        (format!("---\n# c\n# d\n\n\n# e\n{rest}"), 8),
        (rest.replace("metadata:", "# x\nmetadata: # y\n  # z"), 6),
        (rest.replace("  a:", "  b: # q\n  - # r\n    x: y\n  a:"), 7),
        (rest.replace("  a:", "  b: [ # q\n    c, # r\n    d]\n  a:"), 6),
        (format!("{rest}# below\n"), 4),
    ] {
        assert_eq!(line(&text), Some(expected), "{text}");
    }
}
