//! Values of other forms than steps want, and files that name what does not fit.

use super::Broken;

pub(super) const CASES: &[Broken] = &[
    Broken {
        name: "a subject that is text",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nnamespace: p\n"),
            (
                "a.yaml",
                "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: w}\nroleRef: {kind: Role, name: x, apiGroup: rbac.authorization.k8s.io}\nsubjects:\n- {kind: ServiceAccount, name: app}\n- app\n",
            ),
        ],
        folder: "",
        reference: "setting namespace on (cluster)role binding subjects: looking up name on (cluster)role binding subject: wrong node kind: expected MappingNode but got ScalarNode: node contents:\napp\n",
        told: &[
            "hint: kustomization.yaml:2: RoleBinding 'w' (a.yaml:1): 'subjects[1]' is a single value, and a map is wanted",
        ],
    },
    Broken {
        name: "a namespace of a subject that is a list",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nnamespace: p\n"),
            (
                "a.yaml",
                "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: w}\nroleRef: {kind: Role, name: x, apiGroup: rbac.authorization.k8s.io}\nsubjects:\n- {kind: ServiceAccount, name: default, namespace: [x]}\n",
            ),
        ],
        folder: "",
        reference: "setting namespace on (cluster)role binding subjects: wrong node kind: expected ScalarNode but got SequenceNode: node contents:\n[x]\n",
        told: &[
            "hint: kustomization.yaml:2: RoleBinding 'w' (a.yaml:1): 'subjects[0].namespace' is a list, and a single value is wanted",
        ],
    },
    Broken {
        name: "a name that is a map",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nnamePrefix: p-\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: w}\nspec: {volumeName: {}}\n",
            ),
        ],
        folder: "",
        reference: "updating name reference in 'spec/volumeName' field of 'PersistentVolumeClaim.v1.[noGrp]/p-w.[noNs]': considering field 'spec/volumeName' of object PersistentVolumeClaim.v1.[noGrp]/p-w.[noNs]: path config error; no 'name' field in node",
        told: &[
            "hint: PersistentVolumeClaim 'p-w' (a.yaml:1): 'spec.volumeName' is a map, and a single value is wanted",
        ],
    },
    Broken {
        name: "names of a role that are maps",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nnamePrefix: p-\n"),
            (
                "a.yaml",
                "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: w}\nrules:\n- resourceNames: [{a: b}]\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n",
            ),
        ],
        folder: "",
        reference: "updating name reference in 'rules/resourceNames' field of 'Role.v1.rbac.authorization.k8s.io/p-w.[noNs]': considering field 'rules/resourceNames' of object Role.v1.rbac.authorization.k8s.io/p-w.[noNs]: visit traversal on path: [resourceNames]: path config error; no 'name' field in node",
        told: &[
            "hint: Role 'p-w' (a.yaml:1): 'rules[0].resourceNames[0]' is a map, and a single value is wanted",
        ],
    },
    Broken {
        name: "a subject without a name",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nnamePrefix: p-\n"),
            (
                "a.yaml",
                "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: w}\nroleRef: {kind: Role, name: x, apiGroup: rbac.authorization.k8s.io}\nsubjects:\n- kind: ServiceAccount\n",
            ),
        ],
        folder: "",
        reference: "updating name reference in 'subjects' field of 'RoleBinding.v1.rbac.authorization.k8s.io/p-w.[noNs]': considering field 'subjects' of object RoleBinding.v1.rbac.authorization.k8s.io/p-w.[noNs]: path config error; no 'name' field in node",
        told: &["hint: RoleBinding 'p-w' (a.yaml:1): 'subjects[0]' has no name"],
    },
    Broken {
        name: "text where a list is to be",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nnamePrefix: p-\n"),
            (
                "a.yaml",
                "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i}\nspec: {tls: shop}\n",
            ),
        ],
        folder: "",
        reference: "updating name reference in 'spec/tls/secretName' field of 'Ingress.v1.networking.k8s.io/p-i.[noNs]': considering field 'spec/tls/secretName' of object Ingress.v1.networking.k8s.io/p-i.[noNs]: expected sequence or mapping node",
        told: &["hint: Ingress 'p-i' (a.yaml:1): 'spec.tls' is a single value, and a list is wanted"],
    },
    Broken {
        name: "a second item of another form",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nnamePrefix: p-\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: Pod\nmetadata: {name: w}\nspec:\n  containers:\n  - envFrom:\n    - configMapRef: {name: c}\n    - configMapRef: c\n",
            ),
        ],
        folder: "",
        reference: "updating name reference in 'spec/containers/envFrom/configMapRef/name' field of 'Pod.v1.[noGrp]/p-w.[noNs]': considering field 'spec/containers/envFrom/configMapRef/name' of object Pod.v1.[noGrp]/p-w.[noNs]: visit traversal on path: [envFrom configMapRef name]: visit traversal on path: [configMapRef name]: expected sequence or mapping node",
        told: &[
            "hint: Pod 'p-w' (a.yaml:1): 'spec.containers[0].envFrom[1].configMapRef' is a single value, and a map is wanted",
        ],
    },
    Broken {
        name: "a container that is text, and a patch of something else",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- patch: |\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata: {name: d}\n    spec: {replicas: 2}\n",
            ),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {template: {spec: {containers: [{name: c}, envoy]}}}\n",
            ),
        ],
        folder: "",
        reference: "wrong node kind: expected MappingNode but got ScalarNode: node contents:\nenvoy\n",
        told: &[
            "hint: kustomization.yaml:3: Deployment 'd' (a.yaml:1): 'spec.template.spec.containers[1]' is a single value, and a map is wanted",
        ],
    },
    Broken {
        name: "a port that is a number, and a patch of it",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- patch: |\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata: {name: d}\n    spec: {template: {spec: {containers: [{name: c, ports: [{containerPort: 8080}]}]}}}\n",
            ),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {template: {spec: {containers: [{name: c, ports: [8080]}]}}}\n",
            ),
        ],
        folder: "",
        reference: "wrong node kind: expected MappingNode but got ScalarNode: node contents:\n8080\n",
        told: &[
            "hint: kustomization.yaml:3: Deployment 'd' (a.yaml:1): 'spec.template.spec.containers[0].ports[0]' is a single value, and a map is wanted",
        ],
    },
    Broken {
        name: "a list of a container that is a map in a patch",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- patch: |\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata: {name: d}\n    spec: {template: {spec: {containers: [{name: c, env: {A: c}}]}}}\n",
            ),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {template: {spec: {containers: [{name: c, env: [{name: A, value: b}]}]}}}\n",
            ),
        ],
        folder: "",
        reference: "wrong node kind: expected SequenceNode but got MappingNode: node contents:\n{A: c}\n",
        told: &[
            "hint: kustomization.yaml:3: Deployment 'd' (a.yaml:1): 'spec.template.spec.containers[0].env' is a list, but a map in the patch",
        ],
    },
    Broken {
        name: "a port of a patch that is a number",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- patch: |\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata: {name: d}\n    spec: {template: {spec: {containers: [{name: c, ports: [8080]}]}}}\n",
            ),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {template: {spec: {containers: [{name: c}]}}}\n",
            ),
        ],
        folder: "",
        reference: "wrong node kind: expected MappingNode but got ScalarNode: node contents:\n8080\n",
        told: &[
            "hint: kustomization.yaml:3: Deployment 'd' (a.yaml:1): in the patch of it, 'spec.template.spec.containers[0].ports[0]' is a single value, and a map is wanted",
        ],
    },
    Broken {
        name: "a file of a generator in a file of its own",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\ngenerators: [g.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
            (
                "g.yaml",
                "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: x}\nfiles: [nope.txt]\n",
            ),
        ],
        folder: "",
        reference: "loading KV pairs: file sources: [nope.txt]: evalsymlink failure on '/r/nope.txt' : lstat /r/nope.txt: no such file or directory",
        told: &["hint: g.yaml:4: 'nope.txt' is not there: the folder has 'a.yaml', 'g.yaml'"],
    },
    Broken {
        name: "rows that differ from the built-in ones",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nconfigurations: [c.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
            ("c.yaml", "commonLabels: [{path: metadata/labels, create: false}]\n"),
        ],
        folder: "",
        reference: "failed to merge CommonLabels fieldSpec: conflicting fieldspecs",
        told: &[
            "hint: kustomization.yaml:2: an entry of these files and the built-in one for its path differ in 'create'",
        ],
    },
    Broken {
        name: "rows of two files that differ",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nconfigurations: [c.yaml, d.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
            ("c.yaml", "images: [{path: spec/x, create: true}]\n"),
            ("d.yaml", "images: [{path: spec/x}]\n"),
        ],
        folder: "",
        reference: "failed to merge Images fieldSpec: conflicting fieldspecs",
        told: &["hint: kustomization.yaml:2: two entries for one path differ in 'create'"],
    },
    Broken {
        name: "an env file that is listed twice",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nconfigMapGenerator:\n- {name: c, envs: [e.env, e.env]}\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
            ("e.env", "A=b\n"),
        ],
        folder: "",
        reference: "configmap c illegally repeats the key `A`",
        told: &[
            "hint: kustomization.yaml:3: the key 'A' is given twice, by e.env:1 and envs[1], which is the same file",
        ],
    },
    Broken {
        name: "an object that has swallowed the next one",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nreplacements:\n- source: {kind: Ingress, name: i}\n  targets: [{select: {kind: Service}}]\n",
            ),
            (
                "a.yaml",
                "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i}\n",
            ),
        ],
        folder: "",
        reference: "nothing selected by Ingress.[noVer].[noGrp]/i.[noNs]",
        told: &[
            "hint: kustomization.yaml:3: there is no Ingress 'i': Service 's' (a.yaml:1) states its kind twice, as where '---' is missing between two objects",
        ],
    },
    Broken {
        name: "an object that has swallowed the next one of its name",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- patch: '{apiVersion: v1, kind: Service, metadata: {name: web}}'\n",
            ),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n\napiVersion: v1\nkind: Service\nmetadata: {name: web}\n",
            ),
        ],
        folder: "",
        reference: "no resource matches strategic merge patch \"Service.v1.[noGrp]/web.[noNs]\": no matches for Id Service.v1.[noGrp]/web.[noNs]; failed to find unique target for patch Service.v1.[noGrp]/web.[noNs]",
        told: &[
            "hint: kustomization.yaml:3: there is no Service 'web': Deployment 'web' (a.yaml:1) states its kind twice, as where '---' is missing between two objects",
        ],
    },
];
