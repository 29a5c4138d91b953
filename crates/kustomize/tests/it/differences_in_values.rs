//! Where values and their types once came out otherwise than with the reference program; expected texts are the reference's.

use millrace_kustomize::{BuildError, MemoryFiles, Options, Output, build};

type Files<'t> = &'t [(&'t str, &'t str)];

const CONFIG_MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

fn run(files: Files<'_>) -> Result<Output, BuildError> {
    let mut memory = MemoryFiles::new();
    for (path, text) in files {
        memory.insert(path, *text);
    }
    build(&memory, "", &Options::cli("/r"))
}

/// What is printed, or the reference's words.
fn built(kustomization: &str, objects: &str) -> Result<String, String> {
    let files = [("kustomization.yaml", kustomization), ("objects.yaml", objects)];
    run(&files).map(|output| output.to_yaml()).map_err(|error| error.reference)
}

/// The data of the map `a`.
fn data(kustomization: &str, data: &str) -> Result<String, String> {
    let kustomization = format!("resources: [objects.yaml]\n{kustomization}");
    let printed = built(&kustomization, &format!("{CONFIG_MAP}data:\n{data}"))?;
    let data = printed.split_once("data:\n").and_then(|(_, rest)| rest.split_once("kind: ConfigMap"));
    Ok(data.map_or(printed.as_str(), |(data, _)| data).to_owned())
}

const PATCH: &str =
    "patches: [{patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: 5, l: 1.5}}'}]\n";

fn replacement(value: &str, more: &str) -> String {
    format!(
        "replacements: [{{sourceValue: '{value}', targets: [{{select: {{kind: ConfigMap}}, {more}}}]}}]\n"
    )
}

#[test]
fn a_number_that_was_put_in_quotes_takes_no_other_text() {
    let replace = replacement("text", "fieldPaths: [data.k]");
    let error = "map[string]interface {}(nil): yaml: cannot decode !!str `text` as a !!int".to_owned();
    assert_eq!(data(&format!("{PATCH}{replace}"), "  k: 'v'\n"), Err(error));
    let replace = replacement("6", "fieldPaths: [data.k, data.l, data.m, data.n]");
    let old = "  k: 'v'\n  l: \"w\"\n  m: !!float \"5\"\n  n: !!int '5'\n";
    let new = "  k: \"6\"\n  l: 6\n  m: 6\n  \"n\": 6\n";
    assert_eq!(data(&format!("{PATCH}{replace}"), old).as_deref(), Ok(new));
}

#[test]
fn replicas_in_quotes_take_no_other_text() {
    let kustomization = "resources: [objects.yaml]\nreplicas: [{name: app, count: 5}]\n\
        replacements: [{sourceValue: app, targets: [{select: {kind: ReplicaSet}, fieldPaths: [spec.replicas]}]}]\n";
    let object =
        "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: app}\nspec:\n  replicas: \"2\"\n".to_owned();
    let error = "map[string]interface {}(nil): yaml: cannot decode !!str `app` as a !!int".to_owned();
    assert_eq!(built(kustomization, &object), Err(error));
}

#[test]
fn a_null_has_a_type_and_nothing_that_was_put_there_has_none() {
    let error = "map[string]interface {}(nil): yaml: cannot decode !!str `x` as a !!null".to_owned();
    assert_eq!(
        data(&replacement("x", "fieldPaths: [data.m], options: {create: true}"), "  m:\n"),
        Err(error)
    );
    let twice = "replacements:\n- {sourceValue: '', targets: [{select: {kind: ConfigMap}, fieldPaths: [data.m]}]}\n\
        - {source: {kind: ConfigMap, fieldPath: data.m}, targets: [{select: {kind: ConfigMap}, fieldPaths: [data.k]}]}\n";
    assert_eq!(data(twice, "  k: v\n  m: {x: y}\n").as_deref(), Ok("  k: \"\"\n  m: null\n"));
}

#[test]
fn a_variable_has_the_number_that_the_reference_reads() {
    let variable = "configurations: [tables.yaml]\nvars: [{name: A, objref: {apiVersion: v1, kind: ConfigMap, name: a}, fieldref: {fieldpath: spec.a}}]\n";
    let value = |text: &str| {
        let kustomization = format!("resources: [objects.yaml]\n{variable}");
        let object = format!("{CONFIG_MAP}spec: {{a: {text}}}\ndata: {{k: $(A), l: x$(A)}}\n");
        let files = [
            ("kustomization.yaml", &*kustomization),
            ("objects.yaml", &*object),
            ("tables.yaml", "varReference: [{path: data}]\n"),
        ];
        let printed = run(&files).map(|output| output.to_yaml()).map_err(|error| error.reference)?;
        let lines: Vec<&str> = printed.lines().skip(2).take(2).map(str::trim).collect();
        Ok::<String, String>(lines.join(", "))
    };
    for (text, put) in [
        ("007", "k: 7, l: x7"),
        ("0777", "k: 777, l: x777"),
        ("+5", "k: 5, l: x5"),
        ("1e3", "k: 1000, l: x1000"),
        ("1.10", "k: 1.1, l: x1.1"),
        ("1e6", "k: 1000000, l: x1e+06"),
        ("1_0.5", "k: 10.5, l: x10.5"),
        ("True", "k: true, l: xtrue"),
        ("2020-01-01", "k: \"2020-01-01\", l: x2020-01-01"),
        ("~", "k: \"~\", l: x~"),
    ] {
        assert_eq!(value(text).as_deref(), Ok(put), "{text}");
    }
    let missing =
        "field specified in var '{A ConfigMap.v1.[noGrp] {spec.a}}' not found in corresponding resource";
    for text in ["0x1F", "1_000", ".inf", ".nan", "[!!int x]"] {
        assert_eq!(value(text), Err(missing.to_owned()), "{text}");
    }
}

#[test]
fn lists_and_maps_are_not_put_in_and_shown() {
    let kustomization = "resources: [objects.yaml]\nconfigurations: [tables.yaml]\n\
        vars: [{name: A, objref: {apiVersion: v1, kind: ConfigMap, name: a}, fieldref: {fieldpath: spec.a}}]\n";
    for (value, shown) in [
        ("[1, x, 1.50, null, {b: 0x10}]", "[]interface {} val=[1 x 1.5 <nil> map[b:16]]"),
        ("{k: [true], a: ''}", "map[string]interface {} val=map[a: k:[true]]"),
    ] {
        let object = format!("{CONFIG_MAP}spec: {{a: {value}}}\ndata: {{k: $(A), l: x$(A)}}\n");
        let files = [
            ("kustomization.yaml", kustomization),
            ("objects.yaml", &*object),
            ("tables.yaml", "varReference: [{path: data}]\n"),
        ];
        let output = run(&files).expect(value);
        let line = format!("MakePrimitiveReplacer: bad replacement type={shown}");
        let lines: Vec<&String> = output.warnings.iter().filter(|line| line.starts_with("Make")).collect();
        assert_eq!(lines, [&line, &line], "{value}");
    }
}

#[test]
fn what_an_object_was_called_uses_variables_too() {
    let files = [
        ("kustomization.yaml", "resources: [base]\nnamePrefix: pre-\n"),
        (
            "base/kustomization.yaml",
            "resources: [objects.yaml]\nvars: [{name: VAR, objref: {apiVersion: v1, kind: Secret, name: b}}]\n\
             replacements: [{sourceValue: $(VAR), targets: [{select: {kind: ConfigMap}}]}]\n",
        ),
        (
            "base/objects.yaml",
            &*format!("{CONFIG_MAP}---\napiVersion: v1\nkind: Secret\nmetadata: {{name: b}}\n"),
        ),
    ];
    let output = run(&files).expect("a build");
    assert!(output.to_yaml().contains("name: pre-$(VAR)"));
    assert!(!output.warnings.iter().any(|line| line.contains("never replaced")), "{:?}", output.warnings);
}

#[test]
fn a_value_is_what_stands_there_when_it_is_put_in() {
    let kustomization = "resources: [objects.yaml]\nreplacements:\n\
        - source: {kind: ConfigMap, name: b}\n  targets: [{select: {kind: ConfigMap}, options: {delimiter: /, index: 1}}]\n\
        - source: {kind: Secret, fieldPath: data.m}\n  targets: [{select: {kind: Secret}, fieldPaths: [data.m.x, data.n, data.o]}]\n\
        - source: {kind: Secret, fieldPath: data.o.x}\n  targets: [{select: {kind: Secret}, fieldPaths: [data.o, data.p]}]\n";
    let objects = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n\
        apiVersion: v1\nkind: Secret\nmetadata: {name: b}\ndata:\n  m: {x: {z: y}}\n  n: {}\n  o: {}\n  p: q\n";
    let printed = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a/b/b\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b/b\n---\n\
        apiVersion: v1\ndata:\n  m:\n    x:\n      x:\n        z: \"y\"\n  \"n\":\n    x:\n      x:\n        z: \"y\"\n\
        \x20 o:\n    x:\n      z: \"y\"\n  p: \"\"\nkind: Secret\nmetadata:\n  name: b\n";
    assert_eq!(built(kustomization, objects).as_deref(), Ok(printed));
}

#[test]
fn a_list_in_a_list_stands_for_its_items() {
    let map = |name: &str| format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}}}");
    let (one, two) = (map("one"), map("two"));
    let objects = format!(
        "kind: ThingList\nitems: [{{apiVersion: v1, kind: List, items: [{one}]}}]\n---\nkind: List\nitems: [{two}]\n"
    );
    let printed =
        built("resources: [objects.yaml]\nsortOptions: {order: fifo}\n", &objects).expect("a build");
    let names: Vec<&str> = printed.lines().filter(|line| line.starts_with("  name")).collect();
    assert_eq!(names, ["  name: one", "  name: two"]);
}

#[test]
fn a_part_of_a_path_that_is_empty_stands_for_a_scalar() {
    let error = |path: &str| {
        data(&replacement("x", &format!("fieldPaths: [{path}]")), "  a: w\n  k: v\n").expect_err(path)
    };
    for (path, problem) in [
        (
            "data..a",
            ": wrong node kind: expected ScalarNode but got MappingNode: node contents:\na: w\nk: v\n",
        ),
        ("data.", ": wrong node kind: expected ScalarNode but got MappingNode: node contents:\na: w\nk: v\n"),
        ("data.a.", ""),
    ] {
        let text = format!("unable to find field \"{path}\" in replacement target{problem}");
        assert_eq!(error(path), text);
    }
}

const TWO: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {note: x}}\n---\n\
    apiVersion: v1\nkind: Secret\nmetadata: {name: b}\ndata: {k: v}\n";

#[test]
fn annotations_are_replaced_with_all_that_the_reference_keeps_in_them() {
    let replace = |paths: &str| {
        let kustomization = format!(
            "resources: [objects.yaml]\nnamePrefix: p-\nreplacements:\n\
             - {{source: {{kind: ConfigMap, fieldPath: metadata.annotations}}, targets: [{{select: {{kind: Secret}}, fieldPaths: [{paths}]}}]}}\n"
        );
        built(&kustomization, TWO)
    };
    let printed = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  annotations:\n    note: x\n  name: p-a\n---\n\
        apiVersion: v1\ndata:\n  internal.config.kubernetes.io/prefixes: p-\n  internal.config.kubernetes.io/previousKinds: ConfigMap\n\
        \x20 internal.config.kubernetes.io/previousNames: a\n  internal.config.kubernetes.io/previousNamespaces: default\n  note: x\n\
        kind: Secret\nmetadata:\n  annotations:\n    note: x\n  name: p-b\n";
    assert_eq!(replace("metadata.annotations, data").as_deref(), Ok(printed));
    let error = "missing metadata.name in object {{v1 Secret} {{ } map[] map[]}}".to_owned();
    assert_eq!(replace("metadata"), Err(error));
}

#[test]
fn directives_leave_what_a_patch_adds() {
    let patch = "resources: [objects.yaml]\npatches:\n- patch: |-\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata: {name: d}\n    \
        spec: {template: {spec: {containers: [{name: c, env: [{name: A, $patch: merge, value: v}], more: {$patch: merge, x: y}}]}}}\n";
    let object = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {template: {spec: {containers: [{name: c}]}}}\n";
    let printed = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d\nspec:\n  template:\n    spec:\n      containers:\n\
        \x20     - env:\n        - name: A\n          value: v\n        more:\n          x: \"y\"\n        name: c\n";
    assert_eq!(built(patch, object).as_deref(), Ok(printed));
}

#[test]
fn a_directive_in_a_list_that_a_patch_adds_takes_no_item_away() {
    let patch = "resources: [objects.yaml]\npatches:\n- patch: |-\n    apiVersion: v1\n    kind: Service\n    metadata: {name: db}\n    \
        spec: {ports: [{port: 80}, {}, {$patch: replace}]}\n";
    let printed = "apiVersion: v1\nkind: Service\nmetadata:\n  name: db\nspec:\n  ports:\n  - port: 80\n";
    assert_eq!(built(patch, "apiVersion: v1\nkind: Service\nmetadata: {name: db}\n").as_deref(), Ok(printed));
}

#[test]
fn an_empty_item_of_a_patch_stands_for_the_last_that_it_agrees_with() {
    let patch = "resources: [objects.yaml]\npatches:\n- patch: |-\n    apiVersion: v1\n    kind: Service\n    metadata: {name: web}\n    \
        spec: {ports: [{}, {port: blue}]}\n";
    let object = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 8080}]}\n";
    let printed = "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  ports:\n  - port: 8080\n  - port: blue\n";
    assert_eq!(built(patch, object).as_deref(), Ok(printed));
}

#[test]
fn a_field_of_a_table_may_not_be_an_item() {
    let error = |path: &str| {
        let tables = format!("namePrefix: [{{path: '{path}', create: true}}]\n");
        let files = [
            (
                "kustomization.yaml",
                "resources: [objects.yaml]\nconfigurations: [tables.yaml]\nnamePrefix: p-\n",
            ),
            ("objects.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n"),
            ("tables.yaml", &*tables),
        ];
        run(&files).map(|output| output.to_yaml()).map_err(|error| error.reference)
    };
    let kind = "wrong node kind: expected SequenceNode but got MappingNode: node contents:\n{k: v}\n";
    for (path, name, problem) in [
        ("data/5", "5", kind),
        ("data/ 5", " 5", kind),
        ("data/[k=v]", "[k=v]", kind),
        ("data/*", "*", "wildcard is not supported in PathGetter"),
        ("-1", "-1", "array index -1 cannot be negative"),
    ] {
        let text = format!(
            "considering field '{path}' of object ConfigMap.v1.[noGrp]/p-a.[noNs]: fieldName: {name}: {problem}"
        );
        assert_eq!(error(path), Err(text));
    }
    assert!(error(" data/k").is_ok_and(|printed| printed.contains("k: p-v")));
}

#[test]
fn an_object_whose_kind_may_change_is_shown_so() {
    let kustomization = "resources: [objects.yaml]\npatches:\n\
        - {target: {}, patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}', options: {allowKindChange: true, allowNameChange: true}}\n\
        - {target: {}, patch: '[{\"op\":\"remove\",\"path\":\"/metadata/name\"}]'}\n";
    let error = "missing metadata.name in object {{v1 ConfigMap} {{ } map[] map[internal.config.kubernetes.io/allowKindChange:enabled internal.config.kubernetes.io/allowNameChange:enabled internal.config.kubernetes.io/previousKinds:ConfigMap,ConfigMap internal.config.kubernetes.io/previousNames:a,a internal.config.kubernetes.io/previousNamespaces:default,default]}}".to_owned();
    assert_eq!(built(kustomization, CONFIG_MAP), Err(error));
}

#[test]
fn generated_strings_get_their_quotes_when_they_are_generated() {
    let patch = "patches: [{patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {level: 1.10, on: yes, text: 5}}'}]\n";
    let top = format!(
        "resources: [base]\n{patch}configMapGenerator: [{{name: a, behavior: merge, literals: [x=y], options: {{disableNameSuffixHash: true}}}}]\n"
    );
    let object = format!("{CONFIG_MAP}data: {{level: 1.10, on: 'yes', text: 'plain'}}\n");
    let files = [
        ("kustomization.yaml", &*top),
        ("base/kustomization.yaml", "resources: [objects.yaml]\n"),
        ("base/objects.yaml", &*object),
    ];
    let printed = "apiVersion: v1\ndata:\n  level: \"1.10\"\n  \"on\": \"yes\"\n  text: 5\n  x: \"y\"\nkind: ConfigMap\nmetadata:\n  name: a\n";
    let output = run(&files).expect("a build");
    assert_eq!(output.to_yaml(), printed);
}

#[test]
fn a_whole_number_beyond_64_bits_is_no_float() {
    let objects = format!("{CONFIG_MAP}data: {{a: 12345678901234567890, b: 1.0, c: 1234567890123456789}}\n");
    let put = |from: &str| {
        format!(
            "resources: [objects.yaml]\nreplacements: [{{source: {{kind: ConfigMap, fieldPath: data.{from}}}, targets: \
             [{{select: {{kind: ConfigMap}}, fieldPaths: [data.b]}}]}}]\n"
        )
    };
    assert_eq!(
        built(&put("a"), &objects).unwrap_err(),
        "map[string]interface {}(nil): yaml: cannot decode !!int `12345678901234567890` as a !!float"
    );
    assert!(built(&put("c"), &objects).is_ok());
}

#[test]
fn a_value_that_is_joined_to_itself_is_longer_at_the_next_place() {
    let service =
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\nspec:\n  ports:\n  - name: b\n  - name: b\n";
    let fields = "resources: [objects.yaml]\nreplacements: [{source: {kind: Service, fieldPath: 'spec.ports.[name=b].name'}, targets: \
                  [{select: {kind: Service}, fieldPaths: ['spec.ports.[name=b].name'], options: {delimiter: '-', index: -1}}]}]\n";
    let printed = service.replacen("name: b", "name: b-b", 1).replace("name: b\n", "name: b-b-b\n");
    assert_eq!(built(fields, service), Ok(printed));
}

#[test]
fn a_value_that_is_put_into_itself_has_the_place_that_was_made_for_it() {
    for (object, source, target, printed) in [
        ("x: {a: b}", "x", "x.y", "x:\n  a: b\n  \"y\":\n    a: b\n    \"y\": {}\n"),
        ("x: [a]", "x", "x.1", "x:\n- a\n- - a\n  - []\n"),
    ] {
        let fields = format!(
            "resources: [objects.yaml]\nreplacements: [{{source: {{kind: Thing, fieldPath: {source}}}, targets: [{{select: \
             {{kind: Thing}}, options: {{create: true}}, fieldPaths: [{target}]}}]}}]\n"
        );
        let head = "apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: a\n";
        assert_eq!(built(&fields, &format!("{head}{object}\n")), Ok(format!("{head}{printed}")));
    }
}
