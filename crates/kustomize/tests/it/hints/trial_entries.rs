//! Entries of kustomization files that fit nothing, and what they fit instead.

use super::Broken;

pub(super) const CASES: &[Broken] = &[
    Broken {
        name: "a source of another group in a namespace",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nnamespace: shop\nreplacements:\n- source: {kind: Certificate, group: certmanager.k8s.io, name: c}\n  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.a]}]\n",
            ),
            (
                "a.yaml",
                "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: c}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}\n",
            ),
        ],
        folder: "",
        reference: "nothing selected by Certificate.[noVer].certmanager.k8s.io/c.[noNs]",
        told: &[
            "hint: kustomization.yaml:4: Certificate 'c' (a.yaml:1) is of group 'cert-manager.io', 'certmanager.k8s.io' is wanted",
        ],
    },
    Broken {
        name: "an item of a source in brackets",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nreplacements:\n- source: {kind: Ingress, fieldPath: \"spec.rules[0].host\"}\n  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.a]}]\n",
            ),
            (
                "a.yaml",
                "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i, annotations: {a.b/c: d}}\nspec: {rules: [{host: h}]}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}\n",
            ),
        ],
        folder: "",
        reference: "fieldPath `spec.rules[0].host` is missing for replacement source Ingress.[noVer].[noGrp]/[noName].[noNs]",
        told: &[
            "hint: kustomization.yaml:3: Ingress 'i' (a.yaml:1): 'spec' has no 'rules[0]': the number of an item stands behind a '.': 'rules.0'",
        ],
    },
    Broken {
        name: "a key of a source in brackets",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nreplacements:\n- source: {kind: Ingress, fieldPath: \"metadata.annotations[a.b/c]\"}\n  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.a]}]\n",
            ),
            (
                "a.yaml",
                "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i, annotations: {a.b/c: d}}\nspec: {rules: [{host: h}]}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}\n",
            ),
        ],
        folder: "",
        reference: "fieldPath `metadata.annotations[a.b/c]` is missing for replacement source Ingress.[noVer].[noGrp]/[noName].[noNs]",
        told: &[
            "hint: kustomization.yaml:3: Ingress 'i' (a.yaml:1): 'metadata' has no 'annotations[a.b/c]': a key stands behind a '.': 'annotations.a\\.b/c'",
        ],
    },
    Broken {
        name: "brackets behind what is not there",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nreplacements:\n- source: {kind: Ingress, fieldPath: \"spec.tls[]\"}\n  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.a]}]\n",
            ),
            (
                "a.yaml",
                "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i, annotations: {a.b/c: d}}\nspec: {rules: [{host: h}]}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}\n",
            ),
        ],
        folder: "",
        reference: "fieldPath `spec.tls[]` is missing for replacement source Ingress.[noVer].[noGrp]/[noName].[noNs]",
        told: &["hint: kustomization.yaml:3: Ingress 'i' (a.yaml:1): 'spec' has no 'tls': it has 'rules'"],
    },
    Broken {
        name: "an item of a source in brackets behind a dot",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nreplacements:\n- source: {kind: Ingress, fieldPath: \"spec.rules.[0].host\"}\n  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.a]}]\n",
            ),
            (
                "a.yaml",
                "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i, annotations: {a.b/c: d}}\nspec: {rules: [{host: h}]}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}\n",
            ),
        ],
        folder: "",
        reference: "error looking up replacement source: list path element must contain fieldName=fieldValue for element to match",
        told: &[
            "hint: kustomization.yaml:3: Ingress 'i' (a.yaml:1): 'spec.rules' is a list: a number or '[name=…]' comes next, not '[0]'",
        ],
    },
    Broken {
        name: "every item of a source",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nreplacements:\n- source: {kind: Ingress, fieldPath: \"spec.rules.*.host\"}\n  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.a]}]\n",
            ),
            (
                "a.yaml",
                "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i, annotations: {a.b/c: d}}\nspec: {rules: [{host: h}]}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}\n",
            ),
        ],
        folder: "",
        reference: "error looking up replacement source: wildcard is not supported in PathGetter",
        told: &[
            "hint: kustomization.yaml:3: Ingress 'i' (a.yaml:1): 'spec.rules' is a list: a number or '[name=…]' comes next, not '*'",
        ],
    },
    Broken {
        name: "an item of a variable by its name",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nvars:\n- name: A\n  objref: {apiVersion: v1, kind: Pod, name: p}\n  fieldref: {fieldPath: \"spec.containers[c].image\"}\n",
            ),
            (
                "a.yaml",
                "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: $(A)}]}\n",
            ),
        ],
        folder: "",
        reference: "field specified in var '{A Pod.v1.[noGrp] {spec.containers[c].image}}' not found in corresponding resource",
        told: &[
            "hint: kustomization.yaml:3: Pod 'p' (a.yaml:1): 'containers' is a list: a '.' and then a number or '[name=…]' comes next",
        ],
    },
    Broken {
        name: "a label whose key is no text",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nlabels:\n- pairs:\n    x: z\n    y: \"1\"\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "map[string]interface {}{\"apiVersion\":\"v1\", \"kind\":\"ConfigMap\", \"metadata\":map[string]interface {}{\"labels\":map[interface {}]interface {}{\"x\":\"z\", true:\"1\"}, \"name\":\"a\"}}: json: unsupported type: map[interface {}]interface {}",
        told: &[
            "hint: kustomization.yaml:5: labels[0].pairs has the key 'y', which is read as true or false, not as text: put it in quotes",
        ],
    },
    Broken {
        name: "an annotation of a generator whose key is no text",
        files: &[(
            "kustomization.yaml",
            "configMapGenerator:\n- name: a\n  options: {annotations: {\"5\": b}}\n",
        )],
        folder: "",
        reference: "map[string]interface {}{\"apiVersion\":\"v1\", \"kind\":\"ConfigMap\", \"metadata\":map[string]interface {}{\"annotations\":map[interface {}]interface {}{5:\"b\"}, \"name\":\"a-6ct58987ht\"}}: json: unsupported type: map[interface {}]interface {}",
        told: &[
            "hint: kustomization.yaml:3: configMapGenerator[0].options.annotations has the key '5', which is read as a number, not as text",
        ],
    },
    Broken {
        name: "a label whose key is no text beside one in quotes",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nlabels:\n- pairs: {\"y\": z, off: \"1\"}\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "map[string]interface {}{\"apiVersion\":\"v1\", \"kind\":\"ConfigMap\", \"metadata\":map[string]interface {}{\"labels\":map[interface {}]interface {}{\"y\":\"z\", false:\"1\"}, \"name\":\"a\"}}: json: unsupported type: map[interface {}]interface {}",
        told: &[
            "hint: kustomization.yaml:3: labels[0].pairs has the key 'off', which is read as true or false, not as text: put it in quotes",
        ],
    },
    Broken {
        name: "data in a generator",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nconfigMapGenerator:\n- {name: b, data: {x: y}}\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"data\"",
        told: &[
            "hint: kustomization.yaml:3: configMapGenerator[0] has no field 'data': its entries belong into 'literals', 'files' or 'envs'",
        ],
    },
    Broken {
        name: "a field of a generator that there is none of",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nconfigMapGenerator:\n- {name: b, envFiles: [x]}\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"envFiles\"",
        told: &[
            "hint: kustomization.yaml:3: configMapGenerator[0] has no field 'envFiles': its fields are 'namespace', 'name', 'behavior', 'literals', 'files', 'envs', 'env', 'options'",
        ],
    },
    Broken {
        name: "a label for what has a list of them",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- target: {kind: Service}\n  patch: |\n    - {op: add, path: /spec/selector/matchLabels/x, value: y}\n",
            ),
            (
                "a.yaml",
                "apiVersion: x/v1\nkind: Service\nmetadata: {name: a}\nspec: {selector: {matchLabels: [b]}}\n",
            ),
        ],
        folder: "",
        reference: "error in add for path: '/spec/selector/matchLabels/x': value was not a proper array index: 'x': strconv.Atoi: parsing \"x\": invalid syntax",
        told: &[
            "hint: kustomization.yaml:3: Service 'a' (a.yaml:1): '/spec/selector/matchLabels' is a list, and a map is wanted",
        ],
    },
    Broken {
        name: "annotations in an entry of labels",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nlabels:\n- pairs: {a: b}\n  commonAnnotations: {x: y}\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"commonAnnotations\"",
        told: &[
            "hint: kustomization.yaml:4: labels[0] has no field 'commonAnnotations': it belongs beside 'labels': indent it less",
        ],
    },
    Broken {
        name: "an entry within itself",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nreplicas:\n- name: a\n  replicas: 2\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"replicas\"",
        told: &[
            "hint: kustomization.yaml:4: replicas[0] has no field 'replicas': its fields are 'name', 'count'",
        ],
    },
    Broken {
        name: "labels in a generator",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nconfigMapGenerator:\n- name: b\n  labels: {x: y}\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"labels\"",
        told: &[
            "hint: kustomization.yaml:4: configMapGenerator[0] has no field 'labels': it belongs into 'options', or beside 'configMapGenerator': indent it less",
        ],
    },
    Broken {
        name: "options of all generators in one",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nconfigMapGenerator:\n- name: b\n  generatorOptions: {disableNameSuffixHash: true}\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"generatorOptions\"",
        told: &[
            "hint: kustomization.yaml:4: configMapGenerator[0] has no field 'generatorOptions': here it is called 'options', or it belongs beside 'configMapGenerator': indent it less",
        ],
    },
    Broken {
        name: "a patch that fits objects with two names",
        files: &[
            (
                "kustomization.yaml",
                "resources: [x, z]\npatches:\n- patch: |\n    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: a}\n",
            ),
            ("x/kustomization.yaml", "resources: [a.yaml]\nnamePrefix: x-\n"),
            ("x/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
            ("z/kustomization.yaml", "resources: [a.yaml]\nnamePrefix: z-\n"),
            ("z/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "no resource matches strategic merge patch \"ConfigMap.v1.[noGrp]/a.[noNs]\": multiple matches for Id ConfigMap.v1.[noGrp]/a.[noNs]; failed to find unique target for patch ConfigMap.v1.[noGrp]/a.[noNs]",
        told: &[
            "hint: kustomization.yaml:3: more than one object fits: ConfigMap 'x-a' (x/a.yaml:1) and ConfigMap 'z-a' (z/a.yaml:1): a patch with one of these names tells them apart",
        ],
    },
    Broken {
        // The reference panics with the last part of this text.
        name: "a replacement that makes two names one",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nreplacements:\n- sourceValue: b\n  targets: [{select: {kind: ConfigMap}, fieldPaths: [metadata.name]}]\n",
            ),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n",
            ),
        ],
        folder: "",
        reference: "SortOrderTransformer: Failed to append to resources: may not add resource with an already registered id: ConfigMap.v1.[noGrp]/b.[noNs]",
        told: &["hint: the object stands at a.yaml:5, and another one is called so by now"],
    },
    Broken {
        name: "a patch that is a list of objects",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\npatches: [{path: p.yaml}]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
            ("p.yaml", "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n"),
        ],
        folder: "",
        reference: "must specify a target for JSON patch [path: \"p.yaml\"]",
        told: &[
            "hint: kustomization.yaml:2: this is a list of objects: leave out the '- ' before each, and put '---' between them",
        ],
    },
    Broken {
        name: "a list of objects for what a target selects",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- target: {kind: ConfigMap}\n  patch: |\n    - apiVersion: v1\n      kind: ConfigMap\n      metadata: {name: a}\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "Unexpected kind: unknown",
        told: &[
            "hint: kustomization.yaml:3: ConfigMap 'a' (a.yaml:1): this is an object, not an operation: leave out the '- ' before it",
        ],
    },
];
