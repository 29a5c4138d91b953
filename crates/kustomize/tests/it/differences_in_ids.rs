//! Where what an object is called in between, and what is remembered of that, once came out otherwise than with the reference
//! program; expected texts are the reference's.

use millrace_kustomize::{MemoryFiles, Options, build};

const DEPLOYMENT: &str =
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1}\n";
const THING: &str = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: th}\nspec: {a: b}\n";
const RENAME: &str =
    "ReplicaCountTransformer, replica: {name: web, count: 3}, fieldSpecs: [{path: metadata/name}]";

/// What is printed, or the reference's words.
fn built(objects: &str, fields: &str, files: &[(&str, &str)]) -> Result<String, String> {
    let mut memory = MemoryFiles::new();
    memory.insert("objects.yaml", objects);
    memory.insert("kustomization.yaml", format!("resources: [objects.yaml]\n{fields}\n"));
    for (path, text) in files {
        memory.insert(path, *text);
    }
    build(&memory, "", &Options::cli("/r")).map(|output| output.to_yaml()).map_err(|error| error.reference)
}

/// What two transformers make of a Deployment, one after the other.
fn transformed(transformers: [&str; 2]) -> Result<String, String> {
    let config = |(index, fields): (usize, &str)| {
        format!("- '{{apiVersion: builtin, metadata: {{name: t{index}}}, kind: {fields}}}'\n")
    };
    let list: String = transformers.into_iter().enumerate().map(config).collect();
    built(DEPLOYMENT, &format!("transformers:\n{list}"), &[])
}

#[test]
fn objects_that_rows_rename_are_called_by_their_new_name() {
    let scale = "ReplicaCountTransformer, replica: {name: web, count: 3}, fieldSpecs: [{path: spec/replicas, kind: Deployment}]";
    let none =
        "resource with name web does not match a config with the following GVK [Deployment.[noVer].[noGrp]]";
    assert_eq!(transformed([RENAME, scale]), Err(none.to_owned()));
    let images =
        "ImageTagTransformer, imageTag: {name: web, newName: other}, fieldSpecs: [{path: metadata/name}]";
    assert_eq!(transformed([images, scale]), Err(none.to_owned()));
    let annotate = "AnnotationsTransformer, annotations: {a: b}, fieldSpecs: [{path: spec/replicas}]";
    let problem = "considering field 'spec/replicas' of object Deployment.v1.apps/3.[noNs]: wrong node kind: expected MappingNode \
                   but got ScalarNode: node contents:\n1\n";
    assert_eq!(transformed([RENAME, annotate]), Err(problem.to_owned()));
}

#[test]
fn objects_are_called_what_a_value_that_they_share_has_become() {
    let fields = |then: &str| {
        let annotate = "AnnotationsTransformer, annotations: {namespace: web}, fieldSpecs: [{path: metadata}, {path: spec}]";
        let fails = "LabelTransformer, labels: {a: b}, fieldSpecs: [{path: spec/a}]";
        let config = |(index, fields): (usize, &str)| {
            format!("- '{{apiVersion: builtin, metadata: {{name: t{index}}}, kind: {fields}}}'\n")
        };
        let list: String = [annotate, then, fails].into_iter().enumerate().map(config).collect();
        built(THING, &format!("transformers:\n{list}"), &[]).unwrap_err()
    };
    let prefixed = fields("PrefixTransformer, prefix: p-, fieldSpecs: [{path: spec/namespace}]");
    assert!(
        prefixed.starts_with("considering field 'spec/a' of object Thing.v1.example.com/th.p-web: "),
        "{prefixed}"
    );
    let scaled = fields(
        "ReplicaCountTransformer, replica: {name: th, count: 5}, fieldSpecs: [{path: spec/namespace, kind: Thing}]",
    );
    assert!(
        scaled.starts_with("considering field 'spec/a' of object Thing.v1.example.com/th.5: "),
        "{scaled}"
    );
}

#[test]
fn a_namespace_is_carried_to_all_places_that_share_it() {
    let annotate =
        "AnnotationsTransformer, annotations: {namespace: web}, fieldSpecs: [{path: metadata}, {path: spec}]";
    let namespace = "NamespaceTransformer, fieldSpecs: [{path: metadata/namespace, create: true}]";
    let then = |steps: &[&str]| {
        let config = |(index, fields): (usize, &&str)| {
            format!(
                "- '{{apiVersion: builtin, metadata: {{name: t{index}, namespace: ns}}, kind: {fields}}}'\n"
            )
        };
        let list: String = [annotate, namespace].iter().chain(steps).enumerate().map(config).collect();
        built(THING, &format!("transformers:\n{list}"), &[])
    };
    let with = |namespace: &str| {
        Ok(format!(
            "apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: th\n  namespace: {namespace}\nspec:\n  a: b\n  namespace: {namespace}\n"
        ))
    };
    assert_eq!(then(&[]), with("ns"));
    assert_eq!(then(&["PrefixTransformer, prefix: p-, fieldSpecs: [{path: spec/namespace}]"]), with("p-ns"));
    assert_eq!(
        then(&[
            "ReplicaCountTransformer, replica: {name: th, count: 5}, fieldSpecs: [{path: spec/namespace}]"
        ]),
        with("5")
    );
    // A patch leaves the namespace as it is, wherever it stands.
    let patch = "{apiVersion: example.com/v1, kind: Thing, metadata: {name: th}, spec: {namespace: q}}";
    assert_eq!(
        then(&[&format!("PatchTransformer, target: {{kind: Thing}}, patch: \"{patch}\"")]),
        with("ns")
    );
}

#[test]
fn rows_of_replicas_look_for_the_name_that_an_earlier_row_wrote() {
    let fields = "configurations: [name.yaml, data.yaml]\nreplicas: [{name: web, count: 7}]";
    let tables = [
        ("name.yaml", "replicas: [{path: metadata/name}]\n"),
        ("data.yaml", "replicas: [{path: data/a, create: true}]\n"),
    ];
    let expected =
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: 7\nspec:\n  replicas: 7\n".to_owned();
    assert_eq!(built(DEPLOYMENT, fields, &tables), Ok(expected));
}

#[test]
fn rows_for_a_kind_count_once_an_earlier_row_wrote_it() {
    let rows =
        "[{path: kind}, {path: spec/replicas/a, kind: Other}, {path: spec/replicas/b, kind: Deployment}]";
    let images =
        format!("ImageTagTransformer, imageTag: {{name: Deployment, newName: Other}}, fieldSpecs: {rows}");
    let problem = "considering field 'spec/replicas/a' of object Other.v1.apps/web.[noNs]: expected sequence or mapping node";
    assert_eq!(transformed([&images, RENAME]), Err(problem.to_owned()));
}

#[test]
fn objects_that_rows_give_one_name_cannot_stand_together() {
    let objects = format!("{DEPLOYMENT}---\n{}", DEPLOYMENT.replace("web", "two"));
    let fields = "configurations: [tables.yaml]\nimages: [{name: web, newName: two}]";
    let refused =
        built(&objects, fields, &[("tables.yaml", "images: [{path: metadata/name}]\n")]).unwrap_err();
    // The reference panics in these words.
    let problem = "may not add resource with an already registered id: Deployment.v1.apps/two.[noNs]";
    assert!(refused.ends_with(problem), "{refused}");
}

#[test]
fn variables_make_strings_of_what_has_no_type() {
    let vars = "vars: [{name: V, objref: {apiVersion: example.com/v1, kind: Thing, name: th}}]\n";
    let with = "replacements: [{sourceValue: \"5\", targets: [{select: {kind: Thing}, fieldPaths: [spec.extra], options: {create: true}}]}]";
    let fields = format!("configurations: [tables.yaml]\n{vars}{with}");
    let tables = [("tables.yaml", "varReference: [{path: spec/extra, kind: Thing}]\n")];
    let expected =
        "apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: th\nspec:\n  a: b\n  extra: \"5\"\n";
    assert_eq!(built(THING, &fields, &tables).as_deref(), Ok(expected));
    let objects = "apiVersion: v1\nkind: Secret\nmetadata: {name: e5}\n---\napiVersion: networking.k8s.io/v1\nkind: Ingress\n\
                   metadata: {name: i}\nspec: {tls: [{secretName: e5}]}\n";
    let fields = "namePrefix: \"1\"\nvars: [{name: V, objref: {apiVersion: v1, kind: Secret, name: e5}}]";
    let expected = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: 100000\n---\napiVersion: networking.k8s.io/v1\n\
                    kind: Ingress\nmetadata:\n  name: 1i\nspec:\n  tls:\n  - secretName: \"1e5\"\n";
    assert_eq!(built(objects, fields, &[]).as_deref(), Ok(expected));
}

#[test]
fn what_is_remembered_stands_among_the_annotations_where_it_was_noted() {
    let shown = |own: &str, fields: &str| {
        let objects = THING.replace("name: th", &format!("name: th{own}"));
        let fields = format!("configurations: [tables.yaml]\nimages: [{{name: x, newName: z}}]\n{fields}");
        let refused =
            built(&objects, &fields, &[("tables.yaml", "images: [{path: 5}]\n")]).expect_err(&fields);
        let (_, annotations) = refused.split_once("annotations: {").expect(&refused);
        let (annotations, _) = annotations.split_once('}').expect(&refused);
        annotations.replace("internal.config.kubernetes.io/", "")
    };
    let annotated = "commonAnnotations: {an: b}";
    let prefixed =
        "prefixes: 'p-', previousNames: 'th', previousNamespaces: 'default', previousKinds: 'Thing'";
    assert_eq!(shown("", &format!("namePrefix: p-\n{annotated}")), format!("{prefixed}, an: b"));
    assert_eq!(
        shown(", annotations: {own: x}", &format!("namePrefix: p-\n{annotated}")),
        format!("own: x, {prefixed}, an: b")
    );
    assert_eq!(
        shown("", &format!("namePrefix: p-\nnameSuffix: -s\nnamespace: ns\n{annotated}")),
        "previousNames: 'th,th,p-th', previousNamespaces: 'default,ns,ns', previousKinds: 'Thing,Thing,Thing', prefixes: 'p-', \
         suffixes: '-s', an: b"
    );
    assert_eq!(
        shown("", &format!("nameSuffix: -s\n{annotated}")),
        "suffixes: '-s', previousNames: 'th', previousNamespaces: 'default', previousKinds: 'Thing', an: b"
    );
}

#[test]
fn namespace_rows_that_take_a_map_for_a_list_are_told_so() {
    let refused = |path: &str| {
        let tables = format!("namespace: [{{path: '{path}'}}]\n");
        let fields = "configurations: [tables.yaml]\nnamespace: ns";
        built(THING, fields, &[("tables.yaml", &tables)]).expect_err(path)
    };
    let problem = "namespace field specs must target scalar nodes: considering field '5' of object Thing.v1.example.com/th.ns: \
                   fieldName: 5: wrong node kind: expected SequenceNode but got MappingNode: node contents:\n";
    assert!(refused("5").starts_with(problem), "{}", refused("5"));
    assert_eq!(
        refused("*"),
        "namespace transformation failed: considering field '*' of object Thing.v1.example.com/th.ns: fieldName: *: wildcard is not \
         supported in PathGetter"
    );
}

#[test]
fn a_time_is_no_namespace_of_a_subject() {
    let binding = |namespace: &str| {
        format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {{name: b}}\nsubjects:\n- {{kind: ServiceAccount, \
             name: s, namespace: {namespace}}}\n---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {{name: s, namespace: x}}\n"
        )
    };
    let refused = |namespace: &str| built(&binding(namespace), "namePrefix: p-", &[]);
    let problem = "Invalid Input: namespace is blank for resource \"RoleBinding.v1.rbac.authorization.k8s.io/p-b.[noNs]\"\n";
    assert_eq!(refused("2024-01-02"), Err(problem.to_owned()));
    assert_eq!(refused("2001-12-14t21:59:43.10-05:00"), Err(problem.to_owned()));
    assert!(refused("\"2024-01-02\"").is_ok());
    assert!(refused("!!str 2024-01-02").is_ok());
    assert!(refused("2024-13-45").is_ok());
}
