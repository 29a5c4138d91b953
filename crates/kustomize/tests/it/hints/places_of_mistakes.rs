//! Mistakes that are told with the place of their cause.

use super::Broken;

const WEB: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 2\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n";
const SETTINGS: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cfg\ndata:\n  k: v\n";

pub(super) const CASES: &[Broken] = &[
    Broken {
        name: "a field of a table outside of its list",
        files: &[
            ("kustomization.yaml", "resources: [d.yaml, cm.yaml]\nconfigurations: [c.yaml]\n"),
            ("c.yaml", "namePrefix:\npath: metadata/name\n"),
            ("cm.yaml", SETTINGS),
            ("d.yaml", WEB),
        ],
        folder: "",
        reference: "error unmarshaling JSON: while decoding JSON: json: unknown field \"path\"",
        told: &[
            "hint: c.yaml:2: there is no field 'path': it belongs into an entry of 'namePrefix': indent it further",
        ],
    },
    Broken {
        name: "a field of a table beside its entry",
        files: &[
            ("kustomization.yaml", "resources: [d.yaml, cm.yaml]\nconfigurations: [c.yaml]\n"),
            ("c.yaml", "nameReference:\n- kind: ConfigMap\nfieldSpecs:\n- path: spec/x\n"),
            ("cm.yaml", SETTINGS),
            ("d.yaml", WEB),
        ],
        folder: "",
        reference: "error unmarshaling JSON: while decoding JSON: json: unknown field \"fieldSpecs\"",
        told: &[
            "hint: c.yaml:3: there is no field 'fieldSpecs': it belongs into an entry of 'nameReference': indent it further",
        ],
    },
    Broken {
        name: "one key twice in an env file",
        files: &[
            ("kustomization.yaml", "configMapGenerator: [{name: x, envs: [x.env]}]\n"),
            ("x.env", "A=1\nB=2\nA=3\n"),
        ],
        folder: "",
        reference: "configmap x illegally repeats the key `A`",
        told: &["hint: kustomization.yaml:1: the key 'A' is given twice, by x.env:1 and x.env:3"],
    },
    Broken {
        name: "a file of replacements that names its field",
        files: &[
            ("kustomization.yaml", "resources: [d.yaml, cm.yaml]\nreplacements:\n- path: r.yaml\n"),
            ("cm.yaml", SETTINGS),
            ("d.yaml", WEB),
            (
                "r.yaml",
                "replacements:\n- source: {kind: ConfigMap, name: cfg, fieldPath: data.k}\n  targets:\n  - select: {kind: Deployment}\n    fieldPaths: [spec.replicas]\n",
            ),
        ],
        folder: "",
        reference: "replacements must specify a source and at least one target",
        told: &["hint: r.yaml:1: this file is to hold the list alone, without 'replacements:'"],
    },
    Broken {
        name: "a file of a replacement with a field that is none",
        files: &[
            ("kustomization.yaml", "resources: [d.yaml, cm.yaml]\nreplacements:\n- path: r.yaml\n"),
            ("cm.yaml", SETTINGS),
            ("d.yaml", WEB),
            (
                "r.yaml",
                "source: {kind: ConfigMap, name: cfg, fieldPath: data.k}\ntarget:\n- select: {kind: Deployment}\n  fieldPaths: [spec.replicas]\n",
            ),
        ],
        folder: "",
        reference: "replacements must specify a source and at least one target",
        told: &["hint: r.yaml:1: there is no field 'target': did you mean 'targets'?"],
    },
    Broken {
        name: "a name that is no regular expression",
        files: &[
            (
                "kustomization.yaml",
                "resources: [d.yaml, cm.yaml]\npatches:\n- target: {kind: Deployment, name: \"web[\"}\n  patch: '[{\"op\": \"replace\", \"path\": \"/spec/replicas\", \"value\": 3}]'\n",
            ),
            ("cm.yaml", SETTINGS),
            ("d.yaml", WEB),
        ],
        folder: "",
        reference: "error parsing regexp: missing closing ]: `[)$`",
        told: &[
            "hint: kustomization.yaml:3: the name that is selected is no regular expression: where letters such as '[', '(' and '*' stand for themselves, write '\\' before them",
        ],
    },
    Broken {
        name: "a selector of labels that does not read",
        files: &[
            (
                "kustomization.yaml",
                "resources: [d.yaml, cm.yaml]\npatches:\n- target: {kind: Deployment, labelSelector: \"a in b\"}\n  patch: '[{\"op\": \"replace\", \"path\": \"/spec/replicas\", \"value\": 3}]'\n",
            ),
            ("cm.yaml", SETTINGS),
            ("d.yaml", WEB),
        ],
        folder: "",
        reference: "unable to parse requirement: found 'b' expected: '('",
        told: &[
            "hint: kustomization.yaml:3: the labelSelector does not read: it is like 'app=web,tier in (a, b),!old'",
        ],
    },
    Broken {
        name: "a patch that is stated and named",
        files: &[
            (
                "kustomization.yaml",
                "resources: [d.yaml, cm.yaml]\npatches:\n- target: {kind: Deployment}\n  path: p.yaml\n  patch: '[{\"op\": \"replace\", \"path\": \"/spec/replicas\", \"value\": 3}]'\n",
            ),
            ("cm.yaml", SETTINGS),
            ("d.yaml", WEB),
        ],
        folder: "",
        reference: "trouble configuring builtin PatchTransformer with config: `\npatch: '[{\"op\": \"replace\", \"path\": \"/spec/replicas\", \"value\": 3}]'\npath: p.yaml\ntarget:\n  kind: Deployment\n`: patch and path can't be set at the same time\npatch: '[{\"op\": \"replace\", \"path\": \"/spec/replicas\", \"value\": 3}]'\npath: p.yaml\ntarget:\n  kind: Deployment\n",
        told: &["hint: kustomization.yaml:3: the entry has patch as well as path: leave one of them out"],
    },
    Broken {
        name: "a selector of annotations that does not read",
        files: &[
            (
                "kustomization.yaml",
                "resources: [d.yaml, cm.yaml]\npatches:\n- target: {kind: Deployment, annotationSelector: \"=b\"}\n  patch: '[{\"op\": \"replace\", \"path\": \"/spec/replicas\", \"value\": 3}]'\n",
            ),
            ("cm.yaml", SETTINGS),
            ("d.yaml", WEB),
        ],
        folder: "",
        reference: "found '=', expected: !, identifier, or 'end of string'",
        told: &[
            "hint: kustomization.yaml:3: the annotationSelector does not read: it is like 'app=web,tier in (a, b),!old'",
        ],
    },
    Broken {
        name: "a replacement of a plugin",
        files: &[
            ("kustomization.yaml", "resources: [d.yaml, cm.yaml]\ntransformers: [t.yaml]\n"),
            ("cm.yaml", SETTINGS),
            ("d.yaml", WEB),
            (
                "t.yaml",
                "apiVersion: builtin\nkind: ReplacementTransformer\nmetadata: {name: r}\nreplacements:\n- source: {kind: ConfigMap, name: nope, fieldPath: data.k}\n  targets:\n  - select: {kind: Deployment}\n    fieldPaths: [spec.replicas]\n",
            ),
        ],
        folder: "",
        reference: "nothing selected by ConfigMap.[noVer].[noGrp]/nope.[noNs]:data.k",
        told: &["hint: t.yaml:1: there is no ConfigMap 'nope': the only one is ConfigMap 'cfg' (cm.yaml:1)"],
    },
    Broken {
        name: "a count of a plugin",
        files: &[
            ("kustomization.yaml", "resources: [d.yaml, cm.yaml]\ntransformers: [t.yaml]\n"),
            ("cm.yaml", SETTINGS),
            ("d.yaml", WEB),
            (
                "t.yaml",
                "apiVersion: builtin\nkind: ReplicaCountTransformer\nmetadata: {name: r}\nreplica: {name: wbe, count: 3}\nfieldSpecs: [{path: spec/replicas, kind: Deployment}]\n",
            ),
        ],
        folder: "",
        reference: "resource with name wbe does not match a config with the following GVK [Deployment.[noVer].[noGrp]]",
        told: &["hint: t.yaml:1: no object of these kinds is called 'wbe': did you mean 'web'?"],
    },
    Broken {
        name: "a template that nothing meets",
        files: &[
            ("kustomization.yaml", "resources: [d.yaml, cm.yaml]\n"),
            ("cm.yaml", SETTINGS),
            (
                "d.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: {{ .Values.n }}\n",
            ),
        ],
        folder: "",
        reference: "map[string]interface {}(nil): yaml: invalid map key: map[string]interface {}{\".Values.n\":\"\"}",
        told: &[
            "hint: d.yaml:6: '{{' begins a map in YAML: put the value in quotes, or render the template first",
        ],
    },
    Broken {
        name: "a variable twice",
        files: &[
            (
                "kustomization.yaml",
                "resources: [d.yaml, cm.yaml]\nvars:\n- name: A\n  objref: {kind: ConfigMap, name: cfg, apiVersion: v1}\n- name: A\n  objref: {kind: Deployment, name: web, apiVersion: apps/v1}\n",
            ),
            ("cm.yaml", SETTINGS),
            ("d.yaml", WEB),
        ],
        folder: "",
        reference: "merging vars [{A ConfigMap.[noVer].[noGrp] {}} {A Deployment.[noVer].[noGrp] {}}]: var 'A' already encountered",
        told: &["hint: kustomization.yaml:5: the variable 'A' is declared already, at kustomization.yaml:3"],
    },
];
