//! Where made-up projects once came out otherwise than with the reference program: what it keeps in annotations, what it
//! does with objects of one id, and how its messages print what stood in a file. All texts are the reference's.

use millrace_kustomize::{MemoryFiles, Options, build};

const CONFIG_MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

/// What is printed, or the error, of a kustomization file beside a file of objects and one more.
fn built(kustomization: &str, objects: &str, other: (&str, &str)) -> Result<String, String> {
    let mut memory = MemoryFiles::new();
    memory.insert("kustomization.yaml", kustomization);
    memory.insert("objects.yaml", objects);
    memory.insert(other.0, other.1);
    build(&memory, "", &Options::cli("/r")).map(|output| output.to_yaml()).map_err(|error| error.reference)
}

fn built_of(objects: &str, fields: &str) -> Result<String, String> {
    built(&format!("resources: [objects.yaml]\n{fields}\n"), objects, ("unused", ""))
}

fn error_of(objects: &str, fields: &str) -> String {
    built_of(objects, fields).expect_err(fields)
}

#[test]
fn a_json_patch_copies_what_is_remembered_of_an_object_with_its_metadata() {
    let fields = "secretGenerator: [{name: more, options: {disableNameSuffixHash: true}}]\n\
                  patchesJson6902: [{target: {name: more}, patch: '[{\"op\": \"copy\", \"path\": \"/x\", \"from\": \"/metadata\"}]'}]\n";
    let expected = "apiVersion: v1\ndata: {}\nkind: Secret\nmetadata:\n  name: more\ntype: Opaque\nx:\n  annotations:\n    \
                    internal.config.kubernetes.io/generatorBehavior: unspecified\n  name: more\n";
    assert_eq!(built(fields, "", ("unused", "")).as_deref(), Ok(expected));
}

#[test]
fn an_object_that_loses_its_metadata_is_not_found_by_its_old_name() {
    let patches = "patches:\n\
                   - {target: {name: a}, patch: '[{\"op\": \"replace\", \"path\": \"/metadata\", \"value\": \"x\"}]'}\n\
                   - {patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}'}";
    let id = "ConfigMap.v1.[noGrp]/a.[noNs]";
    assert_eq!(
        error_of(CONFIG_MAP, patches),
        format!(
            "no resource matches strategic merge patch \"{id}\": no matches for Id {id}; failed to find unique target for patch {id}"
        )
    );
}

#[test]
fn an_object_that_a_generator_merged_with_remembers_the_old_ones_behavior() {
    let fields = "secretGenerator: [{name: a, behavior: merge}]\n\
                  patchesJson6902: [{target: {name: a}, patch: '[{\"op\": \"remove\", \"path\": \"/metadata\"}]'}]";
    assert_eq!(
        error_of("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n", fields),
        "missing metadata.name in object {{v1 Secret} {{ } map[] map[]}}"
    );
}

#[test]
fn labels_that_are_no_map_take_no_label_of_the_build() {
    let object = "apiVersion: v1\nkind: Secret\nmetadata: {name: a, labels: \"x\"}\n";
    assert_eq!(
        error_of(object, "buildMetadata: [managedByLabel]"),
        "considering field 'metadata/labels' of object Secret.v1.[noGrp]/a.[noNs]: wrong node kind: expected MappingNode \
         but got ScalarNode: node contents:\n\"x\"\n"
    );
}

#[test]
fn a_local_object_stays_where_another_has_its_id() {
    let objects = "apiVersion: v1\nkind: Service\nmetadata: {name: a, annotations: {config.kubernetes.io/local-config: 'true'}}\n\
                   ---\napiVersion: v1\nkind: Service\nmetadata: {name: b}\n";
    let fields =
        "replacements: [{sourceValue: a, targets: [{select: {name: b}, fieldPaths: [metadata.name]}]}]";
    assert_eq!(
        error_of(objects, fields),
        "SortOrderTransformer: Failed to append to resources: may not add resource with an already registered id: \
         Service.v1.[noGrp]/a.[noNs]"
    );
}

#[test]
fn a_schema_that_does_not_read_is_an_error_once_something_asks_for_it() {
    let schema = ("schema.json", "}}}\n");
    let generator = "openapi: {path: schema.json}\nconfigMapGenerator: [{name: a, options: {disableNameSuffixHash: true}}]\n";
    let expected = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";
    assert_eq!(built(generator, "", schema).as_deref(), Ok(expected));
    let thing = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\n";
    let error = built("openapi: {path: schema.json}\nresources: [objects.yaml]\n", thing, schema);
    assert!(error.is_err_and(|error| error.starts_with("invalid schema file: ")), "the kind is not built in");
}

#[test]
fn messages_print_scalars_as_they_stood() {
    let number = "patchesJson6902: [{target: {name: a}, patch: '[{\"op\": \"replace\", \"path\": \"/metadata\", \"value\": 9007199254740993}]'}]";
    assert_eq!(
        error_of(CONFIG_MAP, number),
        "wrong node kind: expected MappingNode but got ScalarNode: node contents:\n9.007199254740992e+15\n"
    );
    let long =
        "a long line of plain text that goes on and on until it is longer than the eighty columns of a page";
    let data = format!("n: ~\ne:\nm: <<\nd: 2024-01-02\nf: >-\n  folded lines\n\n  gap\nl: {long}\n");
    let object = format!(
        "{CONFIG_MAP}data:\n{}",
        data.lines().fold(String::new(), |text, line| text + "  " + line + "\n")
    );
    let contents = data.replace("m: <<", "m: !!merge <<");
    let target = "replacements: [{sourceValue: x, targets: [{select: {name: a}, fieldPaths: [data.1]}]}]";
    assert_eq!(
        error_of(&object, target),
        format!(
            "unable to find field \"data.1\" in replacement target: wrong node kind: expected SequenceNode but got MappingNode: \
             node contents:\n{contents}"
        )
    );
}

#[test]
fn messages_name_every_list_that_a_path_goes_through() {
    let role =
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: a}\nrules:\n- - x\n";
    let place = "'rules/resourceNames' field of 'ClusterRole.v1.rbac.authorization.k8s.io/a.[noNs]'";
    let error = error_of(role, "");
    assert!(error.contains(place), "{error}");
    let list = "visit traversal on path: [resourceNames]: ";
    assert!(error.ends_with(&format!(": {list}{list}expected sequence or mapping node")), "{error}");
}

#[test]
fn messages_show_objects_as_json_with_escapes() {
    let objects = format!(
        "{CONFIG_MAP}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a, namespace: other}}\ndata: {{x: '&'}}\n"
    );
    let error = error_of(&objects, "namespace: default");
    assert!(error.contains(r#"{"apiVersion":"v1","data":{"x":"\u0026"},"kind":"ConfigMap","#), "{error}");
}

#[test]
fn a_patch_that_may_change_the_kind_has_annotations_of_strings() {
    let patch = "patches: [{options: {allowKindChange: true}, patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {b: ~}}}'}]";
    assert_eq!(
        built_of(CONFIG_MAP, patch).as_deref(),
        Ok("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  annotations:\n    b: \"~\"\n  name: a\n")
    );
}

#[test]
fn metadata_that_was_lost_comes_back_where_something_is_remembered() {
    let lose = r#"{target: {kind: ConfigMap, name: a}, patch: '[{"op": "add", "path": "/metadata", "value": null}]'}"#;
    let missing = "missing metadata.name in object {{v1 ConfigMap} {{ } map[] ";
    let history = "internal.config.kubernetes.io/previousKinds:ConfigMap internal.config.kubernetes.io/previousNamespaces:default";
    let origin =
        "configuredIn: kustomization.yaml\nconfiguredBy:\n  apiVersion: builtin\n  kind: SuffixTransformer\n";
    assert_eq!(
        error_of(
            CONFIG_MAP,
            &format!("patches: [{lose}]\nnameSuffix: -x\nbuildMetadata: [originAnnotations]")
        ),
        format!(
            "{missing}map[config.kubernetes.io/origin:{origin} {history} internal.config.kubernetes.io/suffixes:-x]}}}}"
        )
    );
    let replace = r#"{target: {}, patch: '[{"op": "replace", "path": "/metadata/namespace"}]'}"#;
    assert_eq!(
        error_of(CONFIG_MAP, &format!("patchesJson6902: [{lose}]\npatches: [{replace}]")),
        format!("{missing}map[]}}}}")
    );
}

#[test]
fn an_object_that_is_shown_amid_the_steps_has_what_they_remember_of_it() {
    let object = CONFIG_MAP.replace(" {name: a}", "\n  name: a");
    let error = |fields: &str| {
        let fields = format!(
            "resources: [objects.yaml]\nconfigurations: [tables.yaml]\nreplicas: [{{name: a, count: 1}}]\n{fields}"
        );
        built(&fields, &object, ("tables.yaml", "replicas: [{path: 5}]\n")).expect_err("no list")
    };
    let shown = |name: &str, lines: &[&str]| {
        let lines: String =
            lines.iter().map(|line| format!("    internal.config.kubernetes.io/{line}\n")).collect();
        format!(
            "considering field '5' of object ConfigMap.v1.[noGrp]/{name}.[noNs]: fieldName: 5: wrong node kind: expected SequenceNode but got MappingNode: node contents:\n\
             apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  annotations:\n{lines}"
        )
    };
    assert_eq!(
        error("namePrefix: p-\nnameSuffix: -s"),
        shown(
            "p-a-s",
            &[
                "prefixes: 'p-'",
                "previousNames: 'a,p-a'",
                "previousNamespaces: 'default,default'",
                "previousKinds: 'ConfigMap,ConfigMap'",
                "suffixes: '-s'",
            ]
        )
    );
    assert_eq!(
        error("nameSuffix: -s"),
        shown(
            "a-s",
            &[
                "suffixes: '-s'",
                "previousNames: 'a'",
                "previousNamespaces: 'default'",
                "previousKinds: 'ConfigMap'",
            ]
        )
    );
}

#[test]
fn names_that_several_objects_have_are_told_after_what_earlier_rows_have_found() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\n";
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  volumes:\n  - name: x\n    secret: {secretName: db}\n  - name: y\n    configMap: {name: app}\n";
    let mut memory = MemoryFiles::new();
    memory.insert("kustomization.yaml", "resources: [base, more, objects.yaml]\nnamePrefix: q-\n");
    memory.insert("base/kustomization.yaml", "resources: [objects.yaml]\n");
    memory.insert("base/objects.yaml", secret);
    memory.insert("more/kustomization.yaml", "resources: [objects.yaml]\nnamePrefix: q-\n");
    memory.insert("more/objects.yaml", secret);
    memory.insert("objects.yaml", format!("{}---\n{pod}", CONFIG_MAP.replace("name: a", "name: app")));
    let error = build(&memory, "", &Options::cli("/r")).expect_err("two Secrets were called db").reference;
    let shown =
        error.split("**** Too many possible referral targets to referrer:\n").nth(1).unwrap_or_default();
    assert!(shown.contains("  - configMap:\n      name: q-app\n"), "{error}");
    assert!(shown.contains("    secret:\n      secretName: db\n"), "{error}");
}

#[test]
fn a_patch_of_an_object_is_one_of_all_that_are_called_alike() {
    let two = format!("{CONFIG_MAP}---\n{}", CONFIG_MAP.replace("name: a", "name: b"));
    let lose = r#"{target: {kind: ConfigMap}, patch: '[{"op": "replace", "path": "/metadata", "value": {"name": "c"}}]'}"#;
    let delete = "{target: {name: a}, patch: '{kind: ConfigMap, metadata: {name: a}, $patch: delete}'}";
    assert_eq!(built_of(&two, &format!("patches: [{lose}, {delete}]")).as_deref(), Ok(""));
}

#[test]
fn an_item_of_a_list_is_shown_as_the_json_that_it_has_passed_through() {
    let list = "kind: ConfigMapList\nitems:\n- kind: ConfigMap\n  metadata: {name: a}\n  data:\n    a:\n      x: [1, {b: c}, [], {}]\n      b: on\n      c: \"5\"\n      d: 1.5e3\n      e: ~\n      f: |\n        a\n        b\n";
    let step = "transformers: ['{apiVersion: builtin, kind: ImageTagTransformer, metadata: {name: s}, imageTag: {name: n, newTag: t}, fieldSpecs: [{path: data/a}]}']";
    let shown = r#"{"b": "on", "c": "5", "d": 1500, "e": null, "f": "a\nb\n", "x": [1, {"b": "c"}, [], {}]}"#;
    assert_eq!(
        error_of(list, step),
        format!(
            "considering field 'data/a' of object ConfigMap.[noVer].[noGrp]/a.[noNs]: wrong node kind: expected ScalarNode but got MappingNode: node contents:\n{shown}\n"
        )
    );
}

#[test]
fn a_label_that_a_step_adds_takes_the_quotes_of_the_one_that_it_replaces() {
    let fields =
        "replacements: [{source: {fieldPath: data.1}, targets: [{select: {}, fieldPaths: [data.x]}]}]\n";
    let labels =
        "labels:\n- {pairs: {part: \"1\"}}\n- {pairs: {part: web}, fields: [{path: data, create: true}]}\n";
    let mut memory = MemoryFiles::new();
    memory.insert("kustomization.yaml", format!("resources: [base]\n{fields}"));
    memory.insert("base/kustomization.yaml", format!("resources: [objects.yaml]\n{labels}"));
    memory.insert("base/objects.yaml", CONFIG_MAP);
    let error = build(&memory, "", &Options::cli("/r")).expect_err("data is no list").reference;
    assert_eq!(
        error,
        "error looking up replacement source: wrong node kind: expected SequenceNode but got MappingNode: node contents:\npart: \"web\"\n"
    );
}

#[test]
fn annotations_that_are_no_map_go_where_something_is_remembered_and_are_refused_where_an_origin_is() {
    let ingress = |annotations: &str| {
        format!(
            "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: a\n  annotations: {annotations}\n"
        )
    };
    for annotations in ["x", "5", "\"\""] {
        assert_eq!(
            built_of(&ingress(annotations), "namePrefix: p-").as_deref(),
            Ok("apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: p-a\n"),
            "{annotations}"
        );
    }
    let error = error_of(&ingress("[x]"), "buildMetadata: [managedByLabel]");
    let expected = "accumulation err='cannot add path annotation for 'objects.yaml': considering field 'metadata/annotations' of object \
                    Ingress.v1.networking.k8s.io/a.[noNs]: wrong node kind: expected MappingNode but got SequenceNode: node contents:\n[x]\n'";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn a_label_in_a_list_that_a_patch_replaces_is_no_longer_one_with_the_others() {
    let set = |labels: &str| {
        format!(
            "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {{name: a}}\nspec: {{volumeClaimTemplates: [{{metadata: {{name: v{labels}}}}}]}}\n"
        )
    };
    let mut memory = MemoryFiles::new();
    memory.insert("kustomization.yaml", "resources: [base]\npatches: [{path: patch.yaml}]\n");
    memory.insert("patch.yaml", set(", labels: {tier: web}"));
    memory.insert("base/kustomization.yaml", "resources: [objects.yaml]\ncommonLabels: {tier: db}\n");
    memory.insert("base/objects.yaml", set(""));
    let printed = build(&memory, "", &Options::cli("/r")).expect("the reference builds it").to_yaml();
    assert_eq!(printed.matches("tier: db\n").count(), 3, "{printed}");
    assert!(
        printed.contains("volumeClaimTemplates:\n  - metadata:\n      labels:\n        tier: web\n"),
        "{printed}"
    );
}

#[test]
fn a_name_with_a_comma_is_more_than_one_once_it_is_remembered() {
    let objects = CONFIG_MAP.replace("name: a", "name: \"a,b\"");
    let fields = "namespace: x\nreplacements: [{sourceValue: v, targets: [{select: {kind: ConfigMap}, fieldPaths: [data.k], options: {create: true}}]}]";
    let error = "number of previous names, number of previous namespaces, number of previous kinds not equal";
    assert_eq!(error_of(&objects, fields), error);
}

#[test]
fn a_generator_takes_over_what_patches_were_allowed_to_change() {
    let base = "configMapGenerator: [{name: a, options: {disableNameSuffixHash: true}}]\npatches: [{patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}', \
                options: {allowKindChange: true}}]\n";
    let top = "resources: [base]\nconfigMapGenerator: [{name: a, behavior: merge}]\nreplacements: [{sourceValue: '', targets: \
               [{select: {kind: ConfigMap}, fieldPaths: [metadata.name]}]}]\n";
    let annotations = [
        "allowKindChange:enabled",
        "generatorBehavior:unspecified",
        "previousKinds:ConfigMap",
        "previousNames:a",
        "previousNamespaces:default",
    ]
    .map(|annotation| format!("internal.config.kubernetes.io/{annotation}"))
    .join(" ");
    assert_eq!(
        built(top, "", ("base/kustomization.yaml", base)),
        Err(format!(
            "missing metadata.name in object {{{{v1 ConfigMap}} {{{{ }} map[] map[{annotations}]}}}}"
        ))
    );
}

/// The reference panics where they do not come out even, or hold no values.
#[test]
fn annotations_that_are_a_list_are_keys_and_values_in_turn() {
    let built = |annotations: &str| {
        let mut files = MemoryFiles::new();
        files.insert("kustomization.yaml", "resources: [a.yaml]\n");
        files.insert(
            "a.yaml",
            format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations: {annotations}\n"),
        );
        build(&files, "", &Options::cli("/r"))
    };
    for (annotations, printed) in
        [("[c, d, a, b]", "  annotations:\n    a: b\n    c: d\n"), ("[]", ""), ("x", "")]
    {
        let expected = format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n{printed}  name: a\n");
        assert_eq!(built(annotations).unwrap().to_yaml(), expected, "{annotations}");
    }
    for annotations in ["[{a: b}]", "[{a: b}, {c: d}]", "[a]"] {
        let error = built(annotations).unwrap_err();
        let words = "wrong node kind: expected MappingNode but got SequenceNode: node contents:\n";
        assert_eq!(error.reference, format!("{words}{annotations}\n"));
        assert_eq!(
            error.hints,
            ["ConfigMap 'a' (a.yaml:1): 'metadata.annotations' is a list, and a map is wanted"]
        );
    }
}

#[test]
fn what_else_is_wrong_is_told_before_an_object_that_can_have_no_hash() {
    let set = |name: &str, template: &str| {
        format!(
            "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {{name: {name}, annotations: \
             {{internal.config.kubernetes.io/needsHashSuffix: enabled}}}}\nspec: {{template: {template}}}\n"
        )
    };
    let other = "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: b}\nspec: {template: text}\n";
    let made = "configMapGenerator: [{name: made}]";
    let refused =
        "no hash suffix can be made for an object of kind 'ReplicaSet', only for ConfigMaps and Secrets";
    assert_eq!(error_of(&set("a", "{}"), made), refused);
    let reference = "updating name reference in 'spec/template/spec/volumes/configMap/name' field of \
                     'ReplicaSet.v1.apps/b.[noNs]': considering field 'spec/template/spec/volumes/configMap/name' of \
                     object ReplicaSet.v1.apps/b.[noNs]: expected sequence or mapping node";
    assert_eq!(error_of(&format!("{}---\n{other}", set("a", "{}")), made), reference);
    // The reference tells the name with the hash here.
    assert_eq!(error_of(&set("a", "text"), made), refused);
}
