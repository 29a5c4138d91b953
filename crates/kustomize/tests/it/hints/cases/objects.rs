//! Objects, patches and files that are not what a step takes them for.

use super::super::Broken;

use super::WEB;

pub(super) const CASES: &[Broken] = &[
    Broken {
        name: "a path without a dot before the selection of an item",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml, d.yaml]\nreplacements:\n- source: {kind: ConfigMap, name: a, fieldPath: data.k}\n  targets:\n  - select: {kind: Deployment}\n    fieldPaths: [\"spec.template.spec.containers[name=web].image\"]\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
            ("d.yaml", WEB),
        ],
        folder: "",
        reference: "unable to find field \"spec.template.spec.containers[name=web].image\" in replacement target",
        told: &[
            "hint: kustomization.yaml:3: Deployment 'web' (d.yaml:1): 'spec.template.spec' has no 'containers[name=web]': a '.' is missing before '[': 'containers.[name=web]'",
        ],
    },
    Broken {
        name: "a source without a dot before the selection of an item",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml, d.yaml]\nreplacements:\n- source: {kind: Deployment, name: web, fieldPath: \"spec.template.spec.containers[name=web].image\"}\n  targets:\n  - select: {kind: ConfigMap}\n    fieldPaths: [data.k]\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
            ("d.yaml", WEB),
        ],
        folder: "",
        reference: "fieldPath `spec.template.spec.containers[name=web].image` is missing for replacement source Deployment.[noVer].[noGrp]/web.[noNs]",
        told: &[
            "hint: kustomization.yaml:3: Deployment 'web' (d.yaml:1): 'spec.template.spec' has no 'containers[name=web]': a '.' is missing before '[': 'containers.[name=web]'",
        ],
    },
    Broken {
        name: "a replacement with a file and a source",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml, d.yaml]\nreplacements:\n- path: r.yaml\n  source: {kind: ConfigMap, name: a, fieldPath: data.k}\n  targets:\n  - select: {kind: Deployment}\n    fieldPaths: [metadata.name]\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
            ("d.yaml", WEB),
            (
                "r.yaml",
                "source: {kind: ConfigMap, name: a, fieldPath: data.k}\ntargets:\n- select: {kind: Deployment}\n  fieldPaths: [metadata.name]\n",
            ),
        ],
        folder: "",
        reference: "trouble configuring builtin ReplacementTransformer with config: `\nReplacements:\n- path: r.yaml\n  source:\n    fieldPath: data.k\n    kind: ConfigMap\n    name: a\n  targets:\n  - fieldPaths:\n    - metadata.name\n    select:\n      kind: Deployment\n`: cannot specify both path and inline replacement",
        told: &[
            "hint: kustomization.yaml:3: the entry has path as well as source or targets: leave one of them out",
        ],
    },
    Broken {
        name: "a key that stands twice in a base",
        files: &[
            (
                "kustomization.yaml",
                "resources: [base]\npatches:\n- target: {kind: ConfigMap}\n  patch: |-\n    - op: add\n      path: /data/z\n      value: b\n",
            ),
            ("base/d.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n  k: w\n"),
            ("base/kustomization.yaml", "resources: [d.yaml]\n"),
        ],
        folder: "",
        reference: "yaml: unmarshal errors:\n  line 11: mapping key \"k\" already defined at line 10",
        told: &["hint: base/d.yaml:7: the key 'k' stands a second time in this map"],
    },
    Broken {
        name: "a key that stands twice in a patch of a base",
        files: &[
            (
                "kustomization.yaml",
                "resources: [base]\npatches:\n- target: {kind: ConfigMap}\n  patch: |-\n    - op: add\n      path: /data/z\n      value: b\n",
            ),
            ("base/d.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
            ("base/kustomization.yaml", "resources: [d.yaml]\npatches:\n- path: p.yaml\n"),
            (
                "base/p.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\nbinaryData:\n  x: v\n  x: w\n",
            ),
        ],
        folder: "",
        reference: "yaml: unmarshal errors:\n  line 13: mapping key \"x\" already defined at line 12",
        told: &["hint: base/p.yaml:7: the key 'x' stands a second time in this map"],
    },
    Broken {
        name: "a key that stands twice in a strategic patch of a base",
        files: &[
            (
                "kustomization.yaml",
                "resources: [base]\npatches:\n- target: {kind: ConfigMap}\n  patch: |-\n    - op: add\n      path: /data/z\n      value: b\n",
            ),
            ("base/d.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
            ("base/kustomization.yaml", "resources: [d.yaml]\npatchesStrategicMerge:\n- p.yaml\n"),
            (
                "base/p.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\nbinaryData:\n  x: v\n  x: w\n",
            ),
        ],
        folder: "",
        reference: "yaml: unmarshal errors:\n  line 13: mapping key \"x\" already defined at line 12",
        told: &["hint: base/p.yaml:7: the key 'x' stands a second time in this map"],
    },
    Broken {
        name: "two generators of one name that come to one namespace",
        files: &[(
            "kustomization.yaml",
            "namespace: x\nconfigMapGenerator:\n- name: x\n  namespace: a\n  literals: [A=1]\n- name: x\n  namespace: b\n  literals: [B=1]\n",
        )],
        folder: "",
        reference: "namespace transformation produces ID conflict: [{\"apiVersion\":\"v1\",\"data\":{\"A\":\"1\"},\"kind\":\"ConfigMap\",\"metadata\":{\"annotations\":{\"internal.config.kubernetes.io/generatorBehavior\":\"unspecified\",\"internal.config.kubernetes.io/needsHashSuffix\":\"enabled\",\"internal.config.kubernetes.io/previousKinds\":\"ConfigMap\",\"internal.config.kubernetes.io/previousNames\":\"x\",\"internal.config.kubernetes.io/previousNamespaces\":\"a\"},\"name\":\"x\",\"namespace\":\"x\"}} {\"apiVersion\":\"v1\",\"data\":{\"B\":\"1\"},\"kind\":\"ConfigMap\",\"metadata\":{\"annotations\":{\"internal.config.kubernetes.io/generatorBehavior\":\"unspecified\",\"internal.config.kubernetes.io/needsHashSuffix\":\"enabled\",\"internal.config.kubernetes.io/previousKinds\":\"ConfigMap\",\"internal.config.kubernetes.io/previousNames\":\"x\",\"internal.config.kubernetes.io/previousNamespaces\":\"b\"},\"name\":\"x\",\"namespace\":\"x\"}}]",
        told: &[
            "hint: kustomization.yaml:1: the objects stand at kustomization.yaml:3 and at kustomization.yaml:6: in one namespace their names must differ",
        ],
    },
    Broken {
        name: "two namespaces that are given one name",
        files: &[
            ("kustomization.yaml", "namespace: x\nresources: [n.yaml]\n"),
            (
                "n.yaml",
                "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: b}\n",
            ),
        ],
        folder: "",
        reference: "namespace transformation produces ID conflict: [{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"annotations\":{\"internal.config.kubernetes.io/previousKinds\":\"Namespace\",\"internal.config.kubernetes.io/previousNames\":\"a\",\"internal.config.kubernetes.io/previousNamespaces\":\"_non_namespaceable_\"},\"name\":\"x\"}} {\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"annotations\":{\"internal.config.kubernetes.io/previousKinds\":\"Namespace\",\"internal.config.kubernetes.io/previousNames\":\"b\",\"internal.config.kubernetes.io/previousNamespaces\":\"_non_namespaceable_\"},\"name\":\"x\"}}]",
        told: &[
            "hint: kustomization.yaml:1: the objects stand at n.yaml:1 and at n.yaml:5: namespace renames each Namespace to what it states: keep one of them",
        ],
    },
    Broken {
        name: "a key beside a certificate of its name, that is in a folder below",
        files: &[
            ("kustomization.yaml", "secretGenerator:\n- name: t\n  files: [tls.crt, tls.key]\n"),
            ("certs/tls.key", "y"),
            ("tls.crt", "x"),
        ],
        folder: "",
        reference: "loading KV pairs: file sources: [tls.crt tls.key]: evalsymlink failure on '/r/tls.key' : lstat /r/tls.key: no such file or directory",
        told: &["hint: kustomization.yaml:3: 'tls.key' is not there: did you mean 'certs/tls.key'?"],
    },
    Broken {
        name: "a key beside a certificate of its name",
        files: &[
            ("kustomization.yaml", "secretGenerator:\n- name: t\n  files: [tls.crt, tls.key]\n"),
            ("tls.crt", "x"),
        ],
        folder: "",
        reference: "loading KV pairs: file sources: [tls.crt tls.key]: evalsymlink failure on '/r/tls.key' : lstat /r/tls.key: no such file or directory",
        told: &["hint: kustomization.yaml:3: 'tls.key' is not there: the folder has 'tls.crt'"],
    },
    Broken {
        name: "a file of a generator with two signs of equality",
        files: &[
            ("kustomization.yaml", "configMapGenerator:\n- name: t\n  files: [a=b=config.ini]\n"),
            ("config.ini", "x"),
        ],
        folder: "",
        reference: "loading KV pairs: file sources: [a=b=config.ini]: source \"a=b=config.ini\" key name or file path contains '='",
        told: &["hint: kustomization.yaml:3: an entry is a file, or key=file with one '='"],
    },
    Broken {
        name: "a file of a generator without a key before the sign",
        files: &[
            ("kustomization.yaml", "configMapGenerator:\n- name: t\n  files: [\"=config.ini\"]\n"),
            ("config.ini", "x"),
        ],
        folder: "",
        reference: "loading KV pairs: file sources: [=config.ini]: missing key name for file path \"config.ini\" in source \"=config.ini\"",
        told: &["hint: kustomization.yaml:3: an entry is a file, or key=file with one '='"],
    },
    Broken {
        name: "a file in a folder that builds this one",
        files: &[
            ("kustomization.yaml", "resources: [o]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
            ("o/kustomization.yaml", "resources: [../a.yaml]\n"),
        ],
        folder: "o",
        reference: "accumulating resources: accumulation err='accumulating resources from '../a.yaml': security; file '/r/a.yaml' is not in or below '/r/o'': must build at directory: '/r/a.yaml': file is not directory",
        told: &[
            "hint: o/kustomization.yaml:1: '../a.yaml' lies outside of this folder, in one that builds this one: move or copy it here, or build with --load-restrictor LoadRestrictionsNone",
        ],
    },
    Broken {
        name: "a key of a generator in a file and among literals",
        files: &[
            ("kustomization.yaml", "configMapGenerator:\n- name: c\n  envs: [e.env]\n  literals: [A=1]\n"),
            ("e.env", "A=3\n"),
        ],
        folder: "",
        reference: "configmap c illegally repeats the key `A`",
        told: &["hint: kustomization.yaml:2: the key 'A' is given twice, by e.env:1 and literals[0]"],
    },
    Broken {
        name: "files of a generator that have one name",
        files: &[
            ("kustomization.yaml", "configMapGenerator:\n- name: c\n  files: [x/f, y/f]\n"),
            ("x/f", "A=3\n"),
            ("y/f", "A=3\n"),
        ],
        folder: "",
        reference: "configmap c illegally repeats the key `f`",
        told: &["hint: kustomization.yaml:2: the key 'f' is given twice, by files[0] and files[1]"],
    },
    Broken {
        name: "a strategic patch in the file that is no YAML",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatchesStrategicMerge:\n- |\n  apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: a\n   data: x\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
        ],
        folder: "",
        reference: "trouble configuring builtin PatchStrategicMergeTransformer with config: `\npaths:\n- |\n  apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: a\n   data: x\n`: evalsymlink failure on '/r/apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n data: x\n' : lstat /r/apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n data: x\n: no such file or directory",
        told: &[
            "hint: kustomization.yaml:3: line 5 of the patch: the line is indented less than the one above it, and like none before",
        ],
    },
    Broken {
        name: "a strategic patch in the file without a name",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatchesStrategicMerge:\n- |\n  apiVersion: v1\n  kind: ConfigMap\n  data: {x: z}\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
        ],
        folder: "",
        reference: "trouble configuring builtin PatchStrategicMergeTransformer with config: `\npaths:\n- |\n  apiVersion: v1\n  kind: ConfigMap\n  data: {x: z}\n`: evalsymlink failure on '/r/apiVersion: v1\nkind: ConfigMap\ndata: {x: z}\n' : lstat /r/apiVersion: v1\nkind: ConfigMap\ndata: {x: z}\n: no such file or directory",
        told: &["hint: kustomization.yaml:3: line 1 of the patch: the object has no metadata.name"],
    },
    Broken {
        name: "a transformer in the file that is no YAML",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\ntransformers:\n- |\n  apiVersion: builtin\n  kind: PrefixTransformer\n  metadata:\n    name: a\n   prefix: x\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
        ],
        folder: "",
        reference: "accumulation err='accumulating resources from 'apiVersion: builtin\nkind: PrefixTransformer\nmetadata:\n  name: a\n prefix: x\n': evalsymlink failure on '/r/apiVersion: builtin\nkind: PrefixTransformer\nmetadata:\n  name: a\n prefix: x\n' : lstat /r/apiVersion: builtin\nkind: PrefixTransformer\nmetadata:\n  name: a\n prefix: x\n: no such file or directory': must build at directory: not a valid directory: evalsymlink failure on '/r/apiVersion: builtin\nkind: PrefixTransformer\nmetadata:\n  name: a\n prefix: x\n' : lstat /r/apiVersion: builtin\nkind: PrefixTransformer\nmetadata:\n  name: a\n prefix: x\n: no such file or directory",
        told: &[
            "hint: kustomization.yaml:3: line 5 of the text: the line is indented less than the one above it, and like none before",
        ],
    },
    Broken {
        name: "a reference that is no map",
        files: &[
            ("kustomization.yaml", "namePrefix: x-\nresources: [a.yaml, d.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
            (
                "d.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  labels:\n    app: web\nspec:\n  replicas: 1\n  selector:\n    matchLabels:\n      app: web\n  template:\n    metadata:\n      labels:\n        app: web\n    spec:\n      containers:\n      - name: web\n        image: nginx:1.20 # the image\n        ports:\n        - containerPort: 80\n      volumes:\n      - name: v\n        configMap: a\n",
            ),
        ],
        folder: "",
        reference: "updating name reference in 'spec/template/spec/volumes/configMap/name' field of 'Deployment.v1.apps/x-web.[noNs]': considering field 'spec/template/spec/volumes/configMap/name' of object Deployment.v1.apps/x-web.[noNs]: visit traversal on path: [configMap name]: expected sequence or mapping node",
        told: &[
            "hint: Deployment 'x-web' (d.yaml:1): 'spec.template.spec.volumes[0].configMap' is a single value, and a map is wanted",
        ],
    },
    Broken {
        name: "a selector that is no map",
        files: &[
            ("kustomization.yaml", "commonLabels: {x: z}\nresources: [d.yaml]\n"),
            (
                "d.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  labels:\n    app: web\nspec:\n  replicas: 1\n  selector: foo\n  template:\n    metadata:\n      labels:\n        app: web\n    spec:\n      containers:\n      - name: web\n        image: nginx:1.20 # the image\n        ports:\n        - containerPort: 80\n",
            ),
        ],
        folder: "",
        reference: "considering field 'spec/selector/matchLabels' of object Deployment.v1.apps/web.[noNs]: expected sequence or mapping node",
        told: &["hint: Deployment 'web' (d.yaml:1): 'spec.selector' is a single value, and a map is wanted"],
    },
    Broken {
        name: "annotations in a list",
        files: &[
            ("kustomization.yaml", "commonAnnotations: {x: z}\nresources: [d.yaml]\n"),
            (
                "d.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  labels:\n    app: web\nspec:\n  replicas: 1\n  selector:\n    matchLabels:\n      app: web\n  template:\n    metadata: {annotations: [a]}\n    spec:\n      containers:\n      - name: web\n        image: nginx:1.20 # the image\n        ports:\n        - containerPort: 80\n",
            ),
        ],
        folder: "",
        reference: "considering field 'spec/template/metadata/annotations' of object Deployment.v1.apps/web.[noNs]: wrong node kind: expected MappingNode but got SequenceNode: node contents:\n[a]\n",
        told: &[
            "hint: Deployment 'web' (d.yaml:1): 'spec.template.metadata.annotations' is a list, and a map is wanted",
        ],
    },
    Broken {
        name: "replicas in a map",
        files: &[
            ("kustomization.yaml", "replicas: [{name: web, count: 3}]\nresources: [d.yaml]\n"),
            (
                "d.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  labels:\n    app: web\nspec:\n  replicas: {a: b}\n  selector:\n    matchLabels:\n      app: web\n  template:\n    metadata:\n      labels:\n        app: web\n    spec:\n      containers:\n      - name: web\n        image: nginx:1.20 # the image\n        ports:\n        - containerPort: 80\n",
            ),
        ],
        folder: "",
        reference: "considering field 'spec/replicas' of object Deployment.v1.apps/web.[noNs]: wrong node kind: expected ScalarNode but got MappingNode: node contents:\n{a: b}\n",
        told: &[
            "hint: kustomization.yaml:1: Deployment 'web' (d.yaml:1): 'spec.replicas' is a map, and a single value is wanted",
        ],
    },
    Broken {
        name: "subjects in a text",
        files: &[
            ("kustomization.yaml", "namespace: q\nresources: [d.yaml]\n"),
            (
                "d.yaml",
                "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: x}\nsubjects: foo\nroleRef: {kind: Role, name: r}\n",
            ),
        ],
        folder: "",
        reference: "setting namespace on (cluster)role binding subjects: wrong node kind: expected SequenceNode but got ScalarNode: node contents:\nfoo\n",
        told: &[
            "hint: kustomization.yaml:1: RoleBinding 'x' (d.yaml:1): 'subjects' is a single value, and a list is wanted",
        ],
    },
];
