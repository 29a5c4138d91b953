//! Files of `configurations`, `crds` and `openapi` that are wrong: expected texts are the reference's. Of its two words for what
//! does not fit, `cannot` and `unable`, it takes one by chance.

use millrace_kustomize::{BuildError, MemoryFiles, Options, Output, build};

const OBJECTS: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n---\n\
    apiVersion: x.io/v1\nkind: Thing\nmetadata: {name: t, annotations: {a: b}}\n\
    spec: {a: a, list: [{name: a, v: 1}], n: 5, m: {a: a}, note: x}\n";

/// Each line a text, and what is said of it.
const TYPES: &str = r#"
nameReference: [{kind: true, fieldSpecs: [{path: spec/a}]}] => json: cannot unmarshal bool into Go struct field NameBackReferences.nameReference.Gvk.kind of type string
nameReference: [{version: 1, kind: ConfigMap, fieldSpecs: [{path: spec/a}]}] => json: cannot unmarshal number into Go struct field NameBackReferences.nameReference.Gvk.version of type string
nameReference: [{kind: ConfigMap, fieldSpecs: [{path: spec/a, kind: 5}]}] => json: cannot unmarshal number into Go struct field FieldSpec.nameReference.fieldSpecs.Gvk.kind of type string
nameReference: [{kind: ConfigMap, fieldSpecs: [{path: spec/a, kind: Thing, create: 'yes'}]}] => json: cannot unmarshal string into Go struct field FieldSpec.nameReference.fieldSpecs.create of type bool
nameReference: [{kind: ConfigMap, fieldSpecs: [{path: spec/a, kind: Thing, create: 1}]}] => json: cannot unmarshal number into Go struct field FieldSpec.nameReference.fieldSpecs.create of type bool
nameReference: [{kind: ConfigMap, fieldSpecs: [{path: [spec], kind: Thing}]}] => json: cannot unmarshal array into Go struct field FieldSpec.nameReference.fieldSpecs.path of type string
nameReference: {kind: ConfigMap} => json: cannot unmarshal object into Go struct field TransformerConfig.nameReference of type builtinconfig.nbrSlice
nameReference: ConfigMap => json: cannot unmarshal string into Go struct field TransformerConfig.nameReference of type builtinconfig.nbrSlice
nameReference: [ConfigMap] => json: cannot unmarshal string into Go struct field TransformerConfig.nameReference of type builtinconfig.NameBackReferences
nameReference: [[ConfigMap]] => json: cannot unmarshal array into Go struct field TransformerConfig.nameReference of type builtinconfig.NameBackReferences
nameReference: [{kind: ConfigMap, fieldSpecs: {path: spec/a}}] => json: cannot unmarshal object into Go struct field NameBackReferences.nameReference.fieldSpecs of type types.FsSlice
nameReference: [{kind: ConfigMap, fieldSpecs: [5]}] => json: cannot unmarshal number into Go struct field NameBackReferences.nameReference.fieldSpecs of type types.FieldSpec
nameReference: [{kind: ConfigMap, fieldSpec: [{path: spec/a}]}] => json: unknown field "fieldSpec"
namePrefix: [{path: spec/n, kind: 5}] => json: cannot unmarshal number into Go struct field FieldSpec.namePrefix.Gvk.kind of type string
namePrefix: [{path: spec/n, kind: Thing, create: maybe}] => json: cannot unmarshal string into Go struct field FieldSpec.namePrefix.create of type bool
hello => json: cannot unmarshal string into Go value of type builtinconfig.TransformerConfig
[] => json: cannot unmarshal array into Go value of type builtinconfig.TransformerConfig
nameReference: [{group: 1.5, kind: ConfigMap, fieldSpecs: [{path: 'spec/a', kind: Thing}]}] => json: cannot unmarshal number into Go struct field NameBackReferences.nameReference.Gvk.group of type string
namePrefix: [{path: spec/note, group: yes}] => json: cannot unmarshal bool into Go struct field FieldSpec.namePrefix.Gvk.group of type string
"#;

const PATHS: &str = "
 => cannot set or create an empty field name
spec/5 => fieldName: 5: no list: {a: a, list: [{name: a, v: 1}], n: 5, m: {a: a}, note: x}
spec/m/ => cannot set or create an empty field name
spec//a => cannot set or create an empty field name
spec/* => fieldName: *: wildcard is not supported in PathGetter
spec/- => fieldName: -: no list: {a: a, list: [{name: a, v: 1}], n: 5, m: {a: a}, note: x}
spec/[name=a] => fieldName: [name=a]: no list: {a: a, list: [{name: a, v: 1}], n: 5, m: {a: a}, note: x}
spec/[a] => fieldName: [a]: list path element must contain fieldName=fieldValue for element to match
spec/-1 => fieldName: -1: array index -1 cannot be negative
[] => cannot set or create an empty field name
spec/list/5 => visit traversal on path: [5]: fieldName: 5: no list: {name: a, v: 1}
spec/list/ => visit traversal on path: []: cannot set or create an empty field name
";

/// `Name: ` stands for what the decoder of that type says first.
const CRDS: &str = r##"
{"a":{"Schema":{"type":5}}} => Schema: StringOrArray: expected string or array, not 'number'
hello => error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go value of type accumulator.nameToApiMap
[] => error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type accumulator.nameToApiMap
{"a":5} => json: cannot unmarshal number into Go value of type accumulator.OpenAPIDefinition
{"a":{"Schema":5}} => Schema: JSON number into struct { spec.Extensions; spec.SchemaProps; spec.SwaggerSchemaProps }
{"a":{"Schema":[]}} => Schema: JSON array into struct { spec.Extensions; spec.SchemaProps; spec.SwaggerSchemaProps }
{"a":{"Schema":{"properties":5}}} => Schema: JSON number into map[string]spec.Schema
{"a":{"Schema":{"properties":{"x":5}}}} => Schema: Schema: JSON number into struct { spec.Extensions; spec.SchemaProps; spec.SwaggerSchemaProps }
{"a":{"Schema":{"type":{}}}} => Schema: StringOrArray: expected string or array, not '{'
{"a":{"Schema":{"type":[5]}}} => Schema: StringOrArray: JSON number into string
{"a":{"Schema":{"required":"x"}}} => Schema: JSON string into []string
{"a":{"Dependencies":5}} => json: cannot unmarshal number into Go struct field OpenAPIDefinition.Dependencies of type []string
{"a":{"Dependencies":[5]}} => json: cannot unmarshal number into Go struct field OpenAPIDefinition.Dependencies of type string
{"a":{"dependencies":"x"}} => json: cannot unmarshal string into Go struct field OpenAPIDefinition.Dependencies of type []string
{"a":{"Schema":{"description":5}}} => Schema: JSON number into string
{"a":{"Schema":{"items":[5]}}} => Schema: SchemaOrArray: Schema: JSON number into struct { spec.Extensions; spec.SchemaProps; spec.SwaggerSchemaProps }
{"a":{"Schema":{"additionalProperties":5}}} => Schema: SchemaOrBool: expected object or bool, not 'number'
{"a":{"Schema":{"maximum":"x"}}} => Schema: JSON string into float64
{"a":{"Schema":{"minLength":1.5}}} => Schema: JSON number into int64: cannot parse "1.5" as signed integer: invalid syntax
{"a":{"Schema":{"enum":5}}} => Schema: JSON number into []interface {}
{"a":{"Schema":{"properties":{"b":{"type":true}}}}} => Schema: Schema: StringOrArray: expected string or array, not 'true'
{"a":{"Schema":{"allOf":{}}}} => Schema: JSON object into []spec.Schema
{"a":{},} => invalid character '}' looking for beginning of object key string
a: {Schema: {type: 5}} => error unmarshaling JSON: while decoding JSON: Schema: StringOrArray: expected string or array, not 'number'
a: 5 => error unmarshaling JSON: while decoding JSON: json: cannot unmarshal number into Go value of type accumulator.OpenAPIDefinition
{"a":{"Schema":{"externalDocs":5}}} => Schema: JSON number into spec.ExternalDocumentation
{"a":{"Schema":{"definitions":5}}} => Schema: JSON number into spec.Definitions
{"a":{"Schema":{"$ref":"#/%zz"}}} => Schema: parse "#/%zz": invalid URL escape "%zz"
{"a":{"schema":{"type":5}}} => Schema: StringOrArray: expected string or array, not 'number'
"##;

const SCHEMAS: &str = r#"
hello => JSON string into struct { spec.Extensions; spec.SwaggerProps }
[] => JSON array into struct { spec.Extensions; spec.SwaggerProps }
{"definitions":[]} => JSON array into spec.Definitions
{"definitions":{"a":{"type":5}}} => Schema: StringOrArray: expected string or array, not 'number'
{"definitions":5} => JSON number into spec.Definitions
{"definitions":{"a":5}} => Schema: JSON number into struct { spec.Extensions; spec.SchemaProps; spec.SwaggerSchemaProps }
{"definitions":{"a":{"properties":{"b":5}}}} => Schema: Schema: JSON number into struct { spec.Extensions; spec.SchemaProps; spec.SwaggerSchemaProps }
{"paths":5} => Paths: unknown JSON kind: number
{"paths":[]} => Paths: unknown JSON kind: [
{"paths":{"/a":5}} => Paths: PathItem: JSON number into struct { spec.Extensions; spec.PathItemProps }
{"paths":{"/a":{"get":5}}} => Paths: PathItem: Operation: JSON number into struct { spec.Extensions; spec.OperationPropsNoMethods }
{"swagger":5} => JSON number into string
{"info":5} => Info: JSON number into struct { spec.Extensions; spec.InfoProps }
definitions: {a: {type: 5}} => Schema: StringOrArray: expected string or array, not 'number'
- a => JSON array into struct { spec.Extensions; spec.SwaggerProps }
{"definitions":{"a":{"required":5}}} => Schema: JSON number into []string
{"definitions":{"a":{"x-a":5}},"parameters":5} => JSON number into map[string]spec.Parameter
{"schemes":5} => JSON number into []string
{"definitions":{"a":{"type":["a",5]}}} => Schema: StringOrArray: JSON number into string
{"definitions":{"a":{"enum":{}}}} => Schema: JSON object into []interface {}
{"definitions":{"a":{"$ref":"%zz"}}} => Schema: parse "%zz": invalid URL escape "%zz"
"#;

fn cases(lines: &str) -> impl Iterator<Item = (&str, &str)> {
    lines.lines().filter_map(|line| line.split_once(" => "))
}

/// The words of the reference for what [`CRDS`] and [`SCHEMAS`] say in short.
fn spelt_out(problem: &str) -> String {
    const CONVERTED: &str = "error unmarshaling JSON: while decoding JSON: ";
    if let Some(problem) = problem.strip_prefix(CONVERTED) {
        return format!("{CONVERTED}{}", spelt_out(problem));
    }
    let decoder =
        problem.split_once(": ").filter(|(name, _)| name.bytes().all(|byte| byte.is_ascii_alphabetic()));
    match (decoder, problem.strip_prefix("JSON ").and_then(|rest| rest.split_once(" into "))) {
        (_, Some((kind, wanted))) => {
            format!("json: cannot unmarshal JSON {kind} into Go value of type {wanted}")
        }
        (Some((name, inner)), None) if name.starts_with(|first: char| first.is_ascii_uppercase()) => {
            format!("json: cannot unmarshal Go value of type spec.{name}: {}", spelt_out(inner))
        }
        _ => problem.to_owned(),
    }
}

fn run(kustomization: &str, file: &str, text: &str) -> Result<Output, BuildError> {
    let mut files = MemoryFiles::new();
    for (path, text) in [("kustomization.yaml", kustomization), ("objects.yaml", OBJECTS), (file, text)] {
        files.insert(path, text);
    }
    build(&files, "", &Options::cli("/r"))
}

fn configured(text: &str) -> Result<Output, BuildError> {
    run("resources: [objects.yaml]\nnamePrefix: p-\nconfigurations: [c.yaml]\n", "c.yaml", text)
}

fn with_crds(text: &str) -> Result<Output, BuildError> {
    run("resources: [objects.yaml]\nnamePrefix: p-\ncrds: [c.json]\n", "c.json", text)
}

/// With a patch, for which the schema is needed.
fn with_schema(text: &str) -> Result<Output, BuildError> {
    let kustomization = "resources: [objects.yaml]\nopenapi: {path: s.json}\n\
        patches: [{patch: '{apiVersion: x.io/v1, kind: Thing, metadata: {name: t}, spec: {list: [{name: b}]}}'}]\n";
    run(kustomization, "s.json", text)
}

fn reference(built: Result<Output, BuildError>) -> String {
    built.map_or_else(|error| error.reference, |output| output.to_yaml())
}

fn hints(built: Result<Output, BuildError>) -> Vec<String> {
    built.map_or_else(|error| error.hints, |_| Vec::new())
}

/// A schema in which the list of the object has these fields.
fn listed(fields: &str) -> String {
    let kind = r#""x-kubernetes-group-version-kind":[{"group":"x.io","version":"v1","kind":"Thing"}]"#;
    format!(
        r#"{{"definitions":{{"x.Thing":{{{kind},"properties":{{"spec":{{"properties":{{"list":{{{fields}}}}}}}}}}}}}}}"#
    )
}

#[test]
fn configurations_of_wrong_types_are_refused() {
    for (text, problem) in cases(TYPES) {
        let error = format!("error unmarshaling JSON: while decoding JSON: {problem}");
        assert_eq!(reference(configured(text)), error, "{text}");
    }
}

#[test]
fn errors_of_configurations_name_the_line_that_the_reference_names_and_hints_the_one_to_look_at() {
    let cases = [
        (
            "namePrefix:\n- path: spec/note\n\tkind: Thing\n",
            "line 3: found a tab character that violates indentation",
        ),
        (
            "nameReference:\n  - kind: ConfigMap\n    fieldSpecs:\n    - kind: Thing\n     path: spec/a\n",
            "line 4: did not find expected key",
        ),
        (
            "namePrefix:\n  - path: spec/note\n   kind: Thing\n\n\n\nnameSuffix: []\n",
            "line 2: did not find expected '-' indicator",
        ),
        (
            "namePrefix:\n- path: \"spec/note\n  kind: Thing\nnameSuffix:\n- path: a\nimages:\n- path: b\n- path: c\n- path: d\n",
            "line 10: found unexpected end of stream",
        ),
    ];
    for ((text, problem), line) in cases.into_iter().zip([3, 5, 3, 2]) {
        let built = configured(text);
        let error = built.expect_err(text);
        assert_eq!(error.reference, format!("error converting YAML to JSON: yaml: {problem}"), "{text}");
        assert!(error.hints[0].contains(&format!("c.yaml:{line}: ")), "{text}: {:?}", error.hints);
    }
    let hint = &hints(configured("namePrefix: 'x\nimages: []\n"))[0];
    assert!(hint.ends_with("c.yaml:1: a quote that is opened here is never closed"), "{hint}");
}

#[test]
fn keys_that_stand_twice_in_configurations_have_types_and_the_lines_of_their_values() {
    let cases = [
        (
            "namePrefix:\n- {path: spec/note, kind: Thing}\nnamePrefix:\n- {path: spec/n, kind: Thing}\n",
            "line 4: key \"namePrefix\" already set in map",
        ),
        (
            "namePrefix:\n- path: spec/note\n  path: spec/a\n  kind: Thing\n",
            "line 3: key \"path\" already set in map",
        ),
        (
            "a:\n  b: 1\n  c: 2\n  c: 3\n  b: 4\n",
            "line 4: key \"c\" already set in map\n  line 5: key \"b\" already set in map",
        ),
        ("namePrefix:\n- path: a\n  path:\n    b\n", "line 4: key \"path\" already set in map"),
        ("a: 1\na: [\n 1]\n", "line 2: key \"a\" already set in map"),
        ("yes: 1\ntrue: 2\n", "line 2: key true already set in map"),
        ("1: a\n1: b\n", "line 2: key 1 already set in map"),
        ("\"1\": a\n1: b\n\"1\": c\n", "line 3: key \"1\" already set in map"),
        ("a: 1 # a: \na:\n\n  # c\n\n  - x\n", "line 6: key \"a\" already set in map"),
        (
            "x: &x {k: 1}\ny:\n  k: 2\n  <<: *x\n  k: 3\n",
            "line 1: key \"k\" already set in map\n  line 5: key \"k\" already set in map",
        ),
        (
            "x: &x {k: 1, k: 2}\ny: *x\n",
            "line 1: key \"k\" already set in map\n  line 1: key \"k\" already set in map",
        ),
        (
            "a: {b: {c: 1, c: 2}, b: 3}\n",
            "line 1: key \"c\" already set in map\n  line 1: key \"b\" already set in map",
        ),
        ("1000000.0: a\n1e6: b\n", "line 2: key 1e+06 already set in map"),
        ("~: 1\n~: 2\n", "line 2: key <nil> already set in map"),
        ("2020-01-01: a\n2020-01-01: b\n", "line 2: key \"2020-01-01\" already set in map"),
        (
            "18446744073709551615: a\n18446744073709551615: b\n",
            "line 2: key 0xffffffffffffffff already set in map",
        ),
        ("? a\n: 1\n? a\n: 2\n", "line 4: key \"a\" already set in map"),
    ];
    let lines = [3, 3, 4, 3, 2, 2, 2, 3, 2, 1, 1, 1, 2, 2, 2, 2, 3];
    assert_eq!(cases.len(), lines.len());
    for ((text, repeated), line) in cases.into_iter().zip(lines) {
        let error = configured(text).expect_err(text);
        let words = "error converting YAML to JSON: yaml: unmarshal errors:\n  ";
        assert_eq!(error.reference, format!("{words}{repeated}"), "{text}");
        assert!(error.hints[0].contains(&format!("c.yaml:{line}: ")), "{text}: {:?}", error.hints);
    }
}

#[test]
fn paths_to_references_that_lead_to_no_field_are_refused() {
    let referring = |path: &str| {
        format!("nameReference: [{{kind: ConfigMap, fieldSpecs: [{{path: {path}, kind: Thing}}]}}]")
    };
    let object = "apiVersion: x.io/v1\nkind: Thing\nmetadata: {name: p-t, annotations: {a: b, \
        internal.config.kubernetes.io/prefixes: 'p-', internal.config.kubernetes.io/previousNames: 't', \
        internal.config.kubernetes.io/previousNamespaces: 'default', \
        internal.config.kubernetes.io/previousKinds: 'Thing'}}\n\
        spec: {a: a, list: [{name: a, v: 1}], n: 5, m: {a: a}, note: x}";
    let whole = format!("fieldName: 5: no list: {object}");
    for (path, problem) in cases(PATHS).chain([("5", &*whole)]) {
        let mut problem = problem.replace(
            "no list: ",
            "wrong node kind: expected SequenceNode but got MappingNode: node contents:\n",
        );
        if problem.contains('\n') {
            problem.push('\n');
        }
        let id = "Thing.v1.x.io/p-t.[noNs]";
        let error = format!(
            "updating name reference in '{path}' field of '{id}': considering field '{path}' of object {id}: {problem}"
        );
        assert_eq!(reference(configured(&referring(&format!("'{path}'")))), error);
    }
    // Blanks around a segment are passed over.
    for path in ["' spec/a'", "'spec /a'", "/spec/a", "spec/a"] {
        assert!(reference(configured(&referring(path))).contains("\n  a: p-a\n"), "{path}");
    }
}

#[test]
fn definitions_of_types_that_do_not_fit_are_refused() {
    for (text, problem) in cases(CRDS) {
        let problem = spelt_out(problem);
        let error =
            format!("loading CRDs [c.json]: unable to parse open API definition from 'c.json': {problem}");
        assert_eq!(reference(with_crds(text)), error, "{text}");
        assert!(!hints(with_crds(text)).is_empty(), "{text}");
    }
    for text in [r#"{"a":{"Schema":{"$ref":5,"items":5,"xml":5,"x-k":5}}}"#, r#"{"a":null}"#, "null", "{}"] {
        assert!(reference(with_crds(text)).contains("name: p-a\n"), "{text}");
    }
    let hint = &hints(with_crds(r#"{"a":{"Schema":{"required":[5]}}}"#))[0];
    assert!(hint.ends_with("c.json:1: a.Schema.required[0] is to be text, not a number"), "{hint}");
}

/// Where the reference panics, with these words.
#[test]
fn schemas_that_do_not_fit_are_refused_once_they_are_needed() {
    for (text, problem) in cases(SCHEMAS) {
        let problem = spelt_out(problem);
        let error =
            format!("invalid schema file: json: cannot unmarshal Go value of type spec.Swagger: {problem}");
        assert_eq!(reference(with_schema(text)), error, "{text}");
        assert!(hints(with_schema(text))[0].contains("s.json"), "{text}");
        let scoped =
            run("resources: [objects.yaml]\nopenapi: {path: s.json}\nnamespace: ns\n", "s.json", text);
        assert_eq!(reference(scoped), error, "{text}: the scope of a kind is asked for");
    }
    for text in
        ["null", "{}", "# nothing\n", r#"{"definitions":null,"foo":5}"#, r#"{"definitions":{"a":null}}"#]
    {
        assert!(reference(with_schema(text)).contains("- name: b\n"), "{text}");
    }
}

/// Where the reference panics with other words, or with words that say nothing.
#[test]
fn what_is_wrong_with_a_schema_is_told_with_its_place() {
    for (text, problem, hint) in [
        ("", "the file is empty", "s.json: the file is empty: put a schema into it, or take it away"),
        (
            "{\"definitions\":{},\n}",
            "invalid character '}' looking for beginning of object key string",
            "s.json:2: not JSON: a ',' stands with no entry behind it",
        ),
        (
            "{\"definitions\":{}}\n{\"definitions\":{}}",
            "invalid character '{' after top-level value",
            "s.json:2: not JSON: more text follows the bracket that closes the first one",
        ),
        (
            "{\"definitions\":{}\n",
            "unexpected end of JSON input",
            "s.json:2: not JSON: the text ends before its brackets and quotes are closed",
        ),
        (
            r#"{"definitions":{"a":{"x-kubernetes-group-version-kind":[{"version":1,"kind":"A"}]}}}"#,
            "definitions.a.x-kubernetes-group-version-kind[0].version is to be text",
            "s.json:1: state the version as text",
        ),
        (
            r#"{"paths":{"/a":{"get":{"x-kubernetes-group-version-kind":{"version":"v1"}}}}}"#,
            "paths./a.get.x-kubernetes-group-version-kind.kind is to be text",
            "s.json: state the kind as text",
        ),
    ] {
        let error = with_schema(text).expect_err(text);
        assert_eq!(error.reference, format!("invalid schema file: {problem}"));
        assert!(error.hints[0].ends_with(hint), "{:?}", error.hints);
    }
}

/// Where the reference panics as well: it looks at these when a patch needs them.
#[test]
fn what_is_wrong_with_a_list_of_a_schema_is_told_once_a_patch_needs_it() {
    const MERGE: &str = r#""type":"array","x-kubernetes-patch-strategy":"merge","#;
    for (fields, problem) in [
        (r#""x-kubernetes-patch-strategy":5"#, "x-kubernetes-patch-strategy is to be text"),
        (
            r#""x-kubernetes-patch-strategy":"replace","x-kubernetes-patch-merge-key":5"#,
            "x-kubernetes-patch-merge-key is to be text",
        ),
        (
            &format!(r#"{MERGE}"x-kubernetes-list-map-keys":"name""#),
            "x-kubernetes-list-map-keys is to be a list of texts",
        ),
        (
            &format!(r#"{MERGE}"x-kubernetes-patch-merge-key":"name","items":[{{}}]"#),
            "items is to be one schema",
        ),
    ] {
        let place = "definitions.x.Thing.properties.spec.properties.list";
        let error = with_schema(&listed(fields)).expect_err(fields);
        assert_eq!(error.reference, format!("invalid schema file: {place}.{problem}"));
        assert!(error.hints[0].ends_with(&format!("s.json:1: {problem}")), "{:?}", error.hints);
    }
}

#[test]
fn a_list_is_merged_by_its_strategy_whatever_its_type() {
    let merge = r#""x-kubernetes-patch-strategy":"merge""#;
    for of_type in ["", r#""type":"object","#, r#""type":["array"],"#, r#""type":["array","string"],"#] {
        let fields = format!(r#"{of_type}{merge},"x-kubernetes-patch-merge-key":"name""#);
        let printed = reference(with_schema(&listed(&fields)));
        assert!(printed.contains("  - name: b\n  - name: a\n    v: 1\n"), "{of_type}: {printed}");
    }
    let error = "wrong node kind: expected ScalarNode but got MappingNode: node contents:\n{name: b, v: 1}\n";
    assert_eq!(reference(with_schema(&listed(merge))), error);
}
