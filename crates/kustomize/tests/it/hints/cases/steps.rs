//! Patches, replacements, generators and other steps that fail.

use super::super::Broken;

pub(super) const CASES: &[Broken] = &[
    Broken {
        name: "patches whose objects have another name or namespace",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\npatches:\n- path: p.yaml\n- path: q.yaml\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n",
            ),
            (
                "p.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: wbe\nspec:\n  replicas: 2\n",
            ),
            ("q.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: prod\n"),
        ],
        folder: "",
        reference: "no resource matches strategic merge patch \"Deployment.v1.apps/wbe.[noNs]\": no matches for Id Deployment.v1.apps/wbe.[noNs]; failed to find unique target for patch Deployment.v1.apps/wbe.[noNs]",
        told: &[
            "hint: kustomization.yaml:4: there is no Deployment 'wbe': did you mean Deployment 'web' (a.yaml:1)?",
            "also: kustomization.yaml:5: Deployment 'web' (a.yaml:1) has no namespace, 'prod' is wanted",
        ],
    },
    Broken {
        name: "a patch without a name",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\npatches:\n- path: p.yaml\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n",
            ),
            ("p.yaml", "apiVersion: apps/v1\nkind: Deployment\nspec:\n  replicas: 2\n"),
        ],
        folder: "",
        reference: "trouble configuring builtin PatchTransformer with config: `\npath: p.yaml\n`: unable to parse SM or JSON patch from [path: \"p.yaml\"]",
        told: &["hint: p.yaml:1: the object has no metadata.name: it says which object is patched"],
    },
    Broken {
        name: "a JSON patch of a field that is not there",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\npatches:\n- target:\n    kind: Deployment\n  patch: |-\n    - op: replace\n      path: /spec/template/spec/container/0/image\n      value: nginx:2\n",
            ),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n",
            ),
        ],
        folder: "",
        reference: "replace operation does not apply: doc is missing path: /spec/template/spec/container/0/image: missing value",
        told: &[
            "hint: kustomization.yaml:4: Deployment 'web' (a.yaml:1): '/spec/template/spec' has no 'container': did you mean 'containers'?",
        ],
    },
    Broken {
        name: "a replacement without a source",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\nreplacements:\n- source:\n    kind: ConfigMap\n    name: cfg\n    fieldPath: data.host\n  targets:\n  - select:\n      kind: Deployment\n    fieldPaths:\n    - spec.replicas\n",
            ),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config\ndata:\n  a: b\n",
            ),
        ],
        folder: "",
        reference: "nothing selected by ConfigMap.[noVer].[noGrp]/cfg.[noNs]:data.host",
        told: &[
            "hint: kustomization.yaml:4: there is no ConfigMap 'cfg': the only one is ConfigMap 'config' (a.yaml:13)",
        ],
    },
    Broken {
        name: "a replacement whose source lacks the field",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\nreplacements:\n- source:\n    kind: ConfigMap\n    name: config\n    fieldPath: data.host\n  targets:\n  - select:\n      kind: Deployment\n    fieldPaths:\n    - spec.replicas\n",
            ),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config\ndata:\n  a: b\n",
            ),
        ],
        folder: "",
        reference: "fieldPath `data.host` is missing for replacement source ConfigMap.[noVer].[noGrp]/config.[noNs]",
        told: &[
            "hint: kustomization.yaml:4: ConfigMap 'config' (a.yaml:13): 'data' has no 'host': it has 'a'",
        ],
    },
    Broken {
        name: "a replacement whose target lacks the item",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\nreplacements:\n- source:\n    kind: ConfigMap\n    name: config\n    fieldPath: data.a\n  targets:\n  - select:\n      kind: Deployment\n    fieldPaths:\n    - spec.template.spec.containers.[name=wbe].image\n",
            ),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config\ndata:\n  a: b\n",
            ),
        ],
        folder: "",
        reference: "unable to find field \"spec.template.spec.containers.[name=wbe].image\" in replacement target",
        told: &[
            "hint: kustomization.yaml:4: Deployment 'web' (a.yaml:1): 'spec.template.spec.containers' has no item whose name is 'wbe': did you mean 'web'?",
        ],
    },
    Broken {
        name: "objects that one namespace brings together",
        files: &[
            ("kustomization.yaml", "namespace: prod\nresources:\n- a.yaml\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n  namespace: one\ndata:\n  a: b\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n  namespace: two\ndata:\n  a: b\n",
            ),
        ],
        folder: "",
        reference: "namespace transformation produces ID conflict: [{\"apiVersion\":\"v1\",\"data\":{\"a\":\"b\"},\"kind\":\"ConfigMap\",\"metadata\":{\"annotations\":{\"internal.config.kubernetes.io/previousKinds\":\"ConfigMap\",\"internal.config.kubernetes.io/previousNames\":\"x\",\"internal.config.kubernetes.io/previousNamespaces\":\"one\"},\"name\":\"x\",\"namespace\":\"prod\"}} {\"apiVersion\":\"v1\",\"data\":{\"a\":\"b\"},\"kind\":\"ConfigMap\",\"metadata\":{\"annotations\":{\"internal.config.kubernetes.io/previousKinds\":\"ConfigMap\",\"internal.config.kubernetes.io/previousNames\":\"x\",\"internal.config.kubernetes.io/previousNamespaces\":\"two\"},\"name\":\"x\",\"namespace\":\"prod\"}}]",
        told: &[
            "hint: kustomization.yaml:1: the objects stand at a.yaml:1 and at a.yaml:9: in one namespace their names must differ",
        ],
    },
    Broken {
        name: "a variable without an object",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\nvars:\n- name: HOST\n  objref:\n    apiVersion: v1\n    kind: ConfigMap\n    name: cfg\n  fieldref:\n    fieldpath: data.host\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config\ndata:\n  a: b\n"),
        ],
        folder: "",
        reference: "var '{HOST ConfigMap.v1.[noGrp] {data.host}}' cannot be mapped to a field in the set of known resources",
        told: &[
            "hint: kustomization.yaml:4: there is no ConfigMap 'cfg': the only one is ConfigMap 'config' (a.yaml:1)",
        ],
    },
    Broken {
        name: "replicas of a name that is not there",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\nreplicas:\n- name: wbe\n  count: 2\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n",
            ),
        ],
        folder: "",
        reference: "resource with name wbe does not match a config with the following GVK [Deployment.[noVer].[noGrp] StatefulSet.[noVer].[noGrp] ReplicaSet.[noVer].[noGrp] ReplicationController.[noVer].[noGrp]]",
        told: &["hint: kustomization.yaml:4: no object of these kinds is called 'wbe': did you mean 'web'?"],
    },
    Broken {
        name: "an unknown field of an image",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\nimages:\n- name: nginx\n  tag: \"1\"\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n",
            ),
        ],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"tag\"",
        told: &[
            "hint: kustomization.yaml:5: images[0] has no field 'tag': its fields are 'name', 'newName', 'tagSuffix', 'newTag', 'digest'",
        ],
    },
    Broken {
        name: "a JSON patch that adds below what is not there",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\npatches:\n- target:\n    kind: Deployment\n  path: p.yaml\n",
            ),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n",
            ),
            ("p.yaml", "- op: add\n  path: /spec/strategy/type\n  value: x\n"),
        ],
        folder: "",
        reference: "add operation does not apply: doc is missing path: \"/spec/strategy/type\": missing value",
        told: &[
            "hint: kustomization.yaml:4: Deployment 'web' (a.yaml:1): '/spec' has no 'strategy': it has 'replicas', 'template'; add makes the last part of a path only",
        ],
    },
    Broken {
        name: "a source that fits two objects",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\nreplacements:\n- source:\n    kind: ConfigMap\n    fieldPath: data.a\n  targets:\n  - select:\n      kind: ConfigMap\n    fieldPaths:\n    - data.b\n",
            ),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: b\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: y\ndata:\n  a: b\n",
            ),
        ],
        folder: "",
        reference: "multiple matches for selector ConfigMap.[noVer].[noGrp]/[noName].[noNs]:data.a",
        told: &[
            "hint: kustomization.yaml:4: more than one object fits: ConfigMap 'x' (a.yaml:1) and ConfigMap 'y' (a.yaml:8)",
        ],
    },
    Broken {
        name: "a variable whose field is not there",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\nvars:\n- name: HOST\n  objref:\n    apiVersion: v1\n    kind: ConfigMap\n    name: a\n  fieldref:\n    fieldpath: data.host\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
        ],
        folder: "",
        reference: "field specified in var '{HOST ConfigMap.v1.[noGrp] {data.host}}' not found in corresponding resource",
        told: &["hint: kustomization.yaml:4: ConfigMap 'a' (a.yaml:1): 'data' has no 'host': it has 'a'"],
    },
    Broken {
        name: "a generator with a key twice",
        files: &[("kustomization.yaml", "configMapGenerator:\n- name: a\n  literals:\n  - k=1\n  - k=2\n")],
        folder: "",
        reference: "configmap a illegally repeats the key `k`",
        told: &["hint: kustomization.yaml:2: the key 'k' is given twice, by literals[0] and literals[1]"],
    },
    Broken {
        name: "a literal without a key",
        files: &[(
            "kustomization.yaml",
            "configMapGenerator:\n- name: a\n  literals:\n  - hunter2\n- name: b\n  files:\n  - gone.txt\n",
        )],
        folder: "",
        reference: "loading KV pairs: literal sources [hunter2]: invalid literal source hunter2, expected key=value",
        told: &[
            "hint: kustomization.yaml:2: literals[0] of the generator 'a' is no key=value",
            "also: kustomization.yaml:7: 'gone.txt' is not there",
        ],
    },
    Broken {
        name: "two replacements without sources",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\nreplacements:\n- source:\n    kind: Secret\n    name: db\n  targets:\n  - select:\n      kind: ConfigMap\n- source:\n    kind: ConfigMap\n    name: z\n  targets:\n  - select:\n      kind: ConfigMap\n",
            ),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: b\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: y\ndata:\n  a: b\n",
            ),
        ],
        folder: "",
        reference: "nothing selected by Secret.[noVer].[noGrp]/db.[noNs]",
        told: &[
            "hint: kustomization.yaml:4: there is no Secret 'db': the build has objects of kind 'ConfigMap'",
            "also: kustomization.yaml:10: there is no ConfigMap 'z': there are 'x', 'y'",
        ],
    },
    Broken {
        name: "a file of replacements that is not YAML",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\nreplacements:\n- path: rep.yaml\n- path: rpe.yaml\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: b\n"),
            ("rep.yaml", "- source: [x\n"),
        ],
        folder: "",
        reference: "trouble configuring builtin ReplacementTransformer with config: `\nReplacements:\n- path: rep.yaml\n- path: rpe.yaml\n`: error converting YAML to JSON: yaml: line 1: did not find expected ',' or ']'",
        told: &[
            "hint: rep.yaml:1: a '[' that is opened here is never closed",
            "also: kustomization.yaml:5: 'rpe.yaml' is not there: did you mean 'rep.yaml'?",
        ],
    },
    Broken {
        name: "a patch in the kustomization file without a name",
        files: &[
            (
                "kustomization.yaml",
                "resources:\n- a.yaml\npatches:\n- patch: |-\n    apiVersion: v1\n    kind: ConfigMap\n    metadata:\n      nam: a\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: b\n"),
        ],
        folder: "",
        reference: "trouble configuring builtin PatchTransformer with config: `\npatch: |-\n  apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    nam: a\n`: unable to parse SM or JSON patch from [patch: \"apiVersion: v1\\nkind: ConfigMap\\nmetadata:\\n  nam: a\"]",
        told: &[
            "hint: kustomization.yaml:4: line 1 of the patch: the object has no metadata.name: it says which object is patched",
        ],
    },
    Broken {
        name: "a patch of another kind",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\npatches:\n- path: p.yaml\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n",
            ),
            ("p.yaml", "apiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  name: web\n"),
        ],
        folder: "",
        reference: "no resource matches strategic merge patch \"StatefulSet.v1.apps/web.[noNs]\": no matches for Id StatefulSet.v1.apps/web.[noNs]; failed to find unique target for patch StatefulSet.v1.apps/web.[noNs]",
        told: &[
            "hint: kustomization.yaml:4: there is no StatefulSet 'web': the build has Deployment 'web' (a.yaml:1)",
        ],
    },
    Broken {
        name: "a patch of an older version",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\npatches:\n- path: p.yaml\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n",
            ),
            ("p.yaml", "apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata:\n  name: web\n"),
        ],
        folder: "",
        reference: "no resource matches strategic merge patch \"Deployment.v1beta1.extensions/web.[noNs]\": no matches for Id Deployment.v1beta1.extensions/web.[noNs]; failed to find unique target for patch Deployment.v1beta1.extensions/web.[noNs]",
        told: &[
            "hint: kustomization.yaml:4: Deployment 'web' (a.yaml:1) is of apiVersion 'apps/v1', 'extensions/v1beta1' is wanted",
        ],
    },
    Broken {
        name: "charts",
        files: &[(
            "kustomization.yaml",
            "helmCharts:\n- name: x\n  repo: https://charts.example.com\nresources:\n- gone.yaml\n",
        )],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'gone.yaml': evalsymlink failure on '/r/gone.yaml' : lstat /r/gone.yaml: no such file or directory': must build at directory: not a valid directory: evalsymlink failure on '/r/gone.yaml' : lstat /r/gone.yaml: no such file or directory",
        told: &[
            "hint: kustomization.yaml:5: 'gone.yaml' is not there",
            "also: kustomization.yaml:1: charts are never inflated here: keep their output among your files, or use a HelmRelease",
        ],
    },
];
