//! `generators`, `transformers` and `validators` of every built-in kind.

use super::{file, with_samples};
use crate::chooser::Chooser;
use crate::project::Project;

const ROWS: &[&str] = &[
    "",
    "fieldSpecs: []\n",
    "fieldSpecs:\n- path: metadata/name\n",
    "fieldSpecs:\n- path: metadata/name\n  kind: ConfigMap\n",
    "fieldSpecs:\n- path: metadata/labels\n  create: true\n",
    "fieldSpecs:\n- path: spec/template/metadata/labels\n",
    "fieldSpecs:\n- path: data/a\n  kind: ConfigMap\n",
    "fieldSpecs:\n- path: data/new\n  kind: ConfigMap\n  create: true\n",
    "fieldSpecs:\n- path: spec/replicas\n  kind: Deployment\n  create: true\n",
    "fieldSpecs:\n- path: subjects/name\n",
    "fieldSpecs:\n- path: spec/template/spec/containers[]/image\n",
    "fieldSpecs:\n- create: true\n",
];

const TRANSFORMERS: &[(&str, &[&str])] = &[
    (
        "NamespaceTransformer",
        &[
            "",
            "unsetOnly: true\n",
            "setRoleBindingSubjects: none\n",
            "setRoleBindingSubjects: allServiceAccounts\n",
            "unsetOnly: true\nsetRoleBindingSubjects: allServiceAccounts\n",
            "setRoleBindingSubjects: other\n",
            "namespace: 5\n",
        ],
    ),
    (
        "LabelTransformer",
        &["", "labels:\n  a: b\n", "labels:\n  a: \"1\"\n  app: x\n", "labels:\n- a\n", "labels:\n  a: 5\n"],
    ),
    (
        "AnnotationsTransformer",
        &["", "annotations:\n  a: b\n", "annotations:\n  note: new\n", "annotations: text\n"],
    ),
    ("PrefixTransformer", &["", "prefix: p-\n", "prefix: \"\"\n", "prefix: 5\n"]),
    ("SuffixTransformer", &["", "suffix: -s\n", "suffix: 5\n"]),
    ("PrefixSuffixTransformer", &["prefix: p-\nsuffix: -s\n", "suffix: -s\n"]),
    (
        "ImageTagTransformer",
        &[
            "",
            "imageTag:\n  name: nginx\n  newTag: v2\n",
            "imageTag:\n  name: x\n  newName: z\n",
            "imageTag:\n  name: nginx\n  tagSuffix: -x\n",
            "imageTag:\n  name: nginx\n  digest: sha256:zz\n",
            "imageTag: text\n",
        ],
    ),
    (
        "ReplicaCountTransformer",
        &[
            "",
            "replica:\n  name: web\n  count: 3\n",
            "replica:\n  name: nobody\n  count: 3\n",
            "replica:\n  name: web\n",
            "replica:\n  name: web\n  count: \"3\"\n",
            "replica:\n  name: web\n  count: 1.5\n",
        ],
    ),
    (
        "PatchJson6902Transformer",
        &[
            "target:\n  name: cm\n",
            "target:\n  kind: ConfigMap\n  name: cm\npath: operations.yaml\n",
            "target:\n  kind: ConfigMap\npath: operations.yaml\n",
            "target:\n  name: cm\npath: none.yaml\n",
            "target:\n  name: cm\njsonOp: '[{\"op\":\"add\",\"path\":\"/data/z\",\"value\":\"1\"}]'\n",
            "target:\n  name: cm\njsonOp: text\n",
            "target:\n  name: cm\njsonOp: '{\"op\":\"add\"}'\n",
            "target:\n  name: cm\njsonOp: '[\"a\"]'\n",
            "target:\n  name: cm\njsonOp: '[]'\n",
            "target:\n  name: cm\npath: operations.yaml\njsonOp: '[]'\n",
        ],
    ),
    (
        "PatchStrategicMergeTransformer",
        &[
            "",
            "paths:\n- merge.yaml\n",
            "paths:\n- none.yaml\n",
            "paths: merge.yaml\n",
            "paths:\n- several.yaml\n",
            "patches: text\n",
            "patches: |-\n  apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: cm\n  data:\n    y: \"2\"\n",
            "paths:\n- list.yaml\n",
            "paths:\n- empty.yaml\n",
        ],
    ),
    (
        "PatchTransformer",
        &[
            "",
            "path: merge.yaml\n",
            "path: several.yaml\n",
            "path: several.yaml\ntarget:\n  kind: ConfigMap\n",
            "path: none.yaml\n",
            "path: list.yaml\n",
            "path: operations.yaml\n",
            "path: operations.yaml\ntarget:\n  kind: ConfigMap\n",
            "path: operations.yaml\ntarget:\n  kind: Conf.*\n  labelSelector: app=web\n",
            "path: empty.yaml\n",
            "path: merge.yaml\ntarget:\n  labelSelector: app in web\n",
            "patch: text\n",
            "patch: 'a: b'\n",
            "path: merge.yaml\ntarget:\n  name: '['\n",
            "path: merge.yaml\noptions:\n  allowNameChange: true\n",
            "path: merge.yaml\npatch: text\n",
        ],
    ),
    (
        "ReplacementTransformer",
        &[
            "",
            "replacements: []\n",
            "replacements: text\n",
            "replacements:\n- path: replacement.yaml\n",
            "replacements:\n- path: none.yaml\n",
            "replacements:\n- source:\n    kind: ConfigMap\n",
            "replacements:\n- source:\n    kind: ConfigMap\n    fieldPath: data.a\n  targets:\n  - select:\n      kind: Deployment\n    fieldPaths:\n    - metadata.annotations.note\n",
        ],
    ),
    (
        "ValueAddTransformer",
        &[
            "",
            "value: v\n",
            "value: v\ntargets:\n- fieldPath: metadata/namespace\n",
            "value: v\ntargets:\n- selector:\n    kind: ConfigMap\n  fieldPath: data/new\n",
            "targets:\n- selector:\n    kind: ConfigMap\n  fieldPath: data/new\n",
            "value: v\ntargets:\n- selector:\n    kind: ConfigMap\n  fieldPath: data/path\n  filePathPosition: 2\n",
            "value: v\ntargets:\n- selector:\n    kind: ConfigMap\n  fieldPath: data/path\n  filePathPosition: 9\n",
            "value: v\ntargets:\n- selector:\n    kind: ConfigMap\n",
        ],
    ),
    ("HashTransformer", &["", "a: b\n"]),
];

const GENERATORS: &[(&str, &[&str])] = &[
    (
        "ConfigMapGenerator",
        &[
            "",
            "literals:\n- a=b\n",
            "name: other\nliterals:\n- a=b\n",
            "namespace: ns\nliterals:\n- a=b\n",
            "literals:\n- a=b\nbehavior: merge\n",
            "name: cm\nliterals:\n- a=b\nbehavior: merge\n",
            "literals:\n- a\n",
            "files:\n- operations.yaml\n",
            "files:\n- none\n",
            "envs:\n- values.env\n",
            "env: values.env\n",
            "literals: a=b\n",
            "literals:\n- 5\n",
            "options:\n  disableNameSuffixHash: true\n  labels:\n    a: b\n",
            "immutable: true\n",
        ],
    ),
    (
        "SecretGenerator",
        &[
            "",
            "literals:\n- a=b\n",
            "type: x\nliterals:\n- a=b\n",
            "envs:\n- values.env\n",
            "literals: a=b\n",
        ],
    ),
    (
        "IAMPolicyGenerator",
        &[
            "cloud: gke\nkubernetesService:\n  name: k\n  namespace: ns\nserviceAccount:\n  name: s\n  projectId: p\n",
            "cloud: other\nkubernetesService:\n  name: k\n",
        ],
    ),
    ("HelmChartInflationGenerator", &["name: x\n"]),
];

/// `transformers`.
pub(super) fn transformers(choose: &mut Chooser) -> Project {
    let count = 1 + choose.below(2);
    let configs: Vec<String> = (0..count)
        .map(|index| {
            let (kind, bodies) = choose.one(TRANSFORMERS);
            let namespace = choose.one(&["", "", "  namespace: foo\n"]);
            let body = choose.one(bodies);
            let rows = choose.one(ROWS);
            format!("apiVersion: builtin\nkind: {kind}\nmetadata:\n  name: t{index}\n{namespace}{body}{rows}")
        })
        .collect();
    project(choose, "transformers", &configs)
}

/// `generators`.
pub(super) fn generators(choose: &mut Chooser) -> Project {
    let (kind, bodies) = choose.one(GENERATORS);
    let body = choose.one(bodies);
    let namespace = choose.one(&["", "", "  namespace: foo\n"]);
    let config = format!("apiVersion: builtin\nkind: {kind}\nmetadata:\n  name: g\n{namespace}{body}");
    project(choose, "generators", &[config])
}

/// Plugins in the wrong field, of no kind that there is, and what is no plugin.
pub(super) fn misplaced(choose: &mut Chooser) -> Project {
    let field = choose.one(&["generators", "transformers", "validators"]);
    let config = choose.one(&[
        "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata:\n  name: x\n",
        "apiVersion: builtin\nkind: LabelTransformer\nmetadata:\n  name: x\n",
        "apiVersion: builtin\nkind: HashTransformer\nmetadata:\n  name: x\n",
        "apiVersion: builtin\nkind: Nothing\nmetadata:\n  name: x\n",
        "apiVersion: builtin/v1\nkind: LabelTransformer\nmetadata:\n  name: x\n",
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n",
        "apiVersion: builtin\nkind: LabelTransformer\n",
        "apiVersion: builtin\nmetadata:\n  name: x\n",
        "kind: LabelTransformer\nmetadata:\n  name: x\n",
        "text\n",
        "{\n",
        "# nothing\n",
        "apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: x\n  annotations:\n    config.kubernetes.io/function: |\n      container:\n        image: x\n",
        "apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: x\n  annotations:\n    config.kubernetes.io/function: |\n      exec:\n        path: ./x\n",
    ]);
    project(choose, field, &[config.to_owned()])
}

fn project(choose: &mut Chooser, field: &str, configs: &[String]) -> Project {
    // Tracking shows in the words of errors as annotations that the program doesn't have.
    let tracking = "buildMetadata:\n- transformerAnnotations\n- originAnnotations\n";
    let tracking = if field == "generators" { tracking } else { "nameSuffix: -x\n" };
    let more = choose.one(&["", "", "namePrefix: x-\n", tracking]);
    let text = configs.join("---\n");
    let (entry, path) = match choose.below(4) {
        0 => (format!("|-\n{}", super::indented(&text, 4)), None),
        1 => ("plugins\n".to_owned(), Some("plugins/plugin.yaml")),
        _ => ("plugin.yaml\n".to_owned(), Some("plugin.yaml")),
    };
    let mut project = with_samples(&format!("{field}:\n- {entry}{more}"));
    if let Some(path) = path {
        file(&mut project, path, &text);
        if path.contains('/') {
            let prefix = choose.one(&["", "namePrefix: p-\n"]);
            file(&mut project, "plugins/kustomization.yaml", &format!("resources:\n- plugin.yaml\n{prefix}"));
        }
    }
    let merge = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cm\ndata:\n  z: \"1\"\n";
    for (path, text) in [
        ("merge.yaml", merge.to_owned()),
        ("several.yaml", format!("{merge}---\n{}", merge.replace("\"1\"", "\"2\""))),
        ("list.yaml", format!("apiVersion: v1\nkind: List\nitems:\n- {}", super::indented(merge, 2).trim_start())),
        ("empty.yaml", "# nothing\n".to_owned()),
        ("operations.yaml", "- op: add\n  path: /data/z\n  value: \"9\"\n".to_owned()),
        ("values.env", "A=1\n# x\nB\n".to_owned()),
        (
            "replacement.yaml",
            "source:\n  kind: ConfigMap\n  fieldPath: data.a\ntargets:\n- select:\n    kind: Deployment\n  fieldPaths:\n  - metadata.annotations.note\n".to_owned(),
        ),
    ] {
        file(&mut project, path, &text);
    }
    project
}
