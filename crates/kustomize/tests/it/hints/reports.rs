//! Mistakes that people report again and again.

use super::Broken;

const WEB: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 1\n  template: {spec: {containers: [{name: web, image: a}]}}\n";

pub(super) const CASES: &[Broken] = &[
    Broken {
        name: "a version with the group in it",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nreplacements:\n- source: {kind: Deployment, version: apps/v1, name: web}\n  targets: [{select: {kind: Service}, fieldPaths: [a]}]\n",
            ),
            ("a.yaml", WEB),
        ],
        folder: "",
        reference: "nothing selected by Deployment.apps/v1.[noGrp]/web.[noNs]",
        told: &[
            "hint: kustomization.yaml:3: Deployment 'web' (a.yaml:1) is of group 'apps' and version 'v1': each has a field of its own",
        ],
    },
    Broken {
        name: "a patch without the group",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\npatches: [{path: p.yaml}]\n"),
            ("a.yaml", WEB),
            ("p.yaml", "apiVersion: v1\nkind: Deployment\nmetadata: {name: web}\n"),
        ],
        folder: "",
        reference: "no resource matches strategic merge patch \"Deployment.v1.[noGrp]/web.[noNs]\": no matches for Id Deployment.v1.[noGrp]/web.[noNs]; failed to find unique target for patch Deployment.v1.[noGrp]/web.[noNs]",
        told: &[
            "hint: kustomization.yaml:2: Deployment 'web' (a.yaml:1) is of apiVersion 'apps/v1', 'v1' is wanted",
        ],
    },
    Broken {
        name: "slashes in the path of a target",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nreplacements:\n- sourceValue: x\n  targets: [{select: {kind: Deployment}, fieldPaths: [/spec/replicas]}]\n",
            ),
            ("a.yaml", WEB),
        ],
        folder: "",
        reference: "unable to find field \"/spec/replicas\" in replacement target",
        told: &[
            "hint: kustomization.yaml:3: Deployment 'web' (a.yaml:1): '/spec/replicas' is the name of one field: dots stand between the parts of a path, as in 'spec.replicas'",
        ],
    },
    Broken {
        name: "slashes in the path of a source",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nreplacements:\n- source: {kind: Deployment, fieldPath: spec/replicas}\n  targets: [{select: {kind: Deployment}, fieldPaths: [metadata.name]}]\n",
            ),
            ("a.yaml", WEB),
        ],
        folder: "",
        reference: "fieldPath `spec/replicas` is missing for replacement source Deployment.[noVer].[noGrp]/[noName].[noNs]",
        told: &[
            "hint: kustomization.yaml:3: Deployment 'web' (a.yaml:1): 'spec/replicas' is the name of one field: dots stand between the parts of a path, as in 'spec.replicas'",
        ],
    },
    Broken {
        name: "a generator without a name",
        files: &[("kustomization.yaml", "configMapGenerator:\n- literals: [k=v]\n")],
        folder: "",
        reference: "a configmap must have a name",
        told: &["hint: kustomization.yaml:2: the entry has no name: each needs one"],
    },
    Broken {
        name: "text in a number's place",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nreplacements:\n- sourceValue: many\n  targets: [{select: {kind: Deployment}, fieldPaths: [spec.replicas]}]\n",
            ),
            ("a.yaml", WEB),
        ],
        folder: "",
        reference: "map[string]interface {}(nil): yaml: cannot decode !!str `many` as a !!int",
        told: &[
            "hint: Deployment 'web' (a.yaml:1): 'spec.replicas' is a whole number by its type, and holds something else: in quotes it may be text",
        ],
    },
    Broken {
        name: "text in the place of true or false, in a list",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nreplacements:\n- sourceValue: maybe\n  targets: [{select: {kind: ConfigMap}, fieldPaths: [list.1.on_]}]\n",
            ),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nlist: [{on_: true}, {on_: true}]\n",
            ),
        ],
        folder: "",
        reference: "map[string]interface {}(nil): yaml: cannot decode !!str `maybe` as a !!bool",
        told: &[
            "hint: ConfigMap 'a' (a.yaml:1): 'list[1].on_' is true or false by its type, and holds something else: in quotes it may be text",
        ],
    },
    Broken {
        name: "an order that is none",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nsortOptions:\n  order: Legacy\n"),
            ("a.yaml", WEB),
        ],
        folder: "",
        reference: "the field 'sortOptions.order' must be one of [fifo, legacy]",
        told: &["hint: kustomization.yaml:3: there is no order 'Legacy': did you mean 'legacy'?"],
    },
    Broken {
        name: "kinds to sort by without an order",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nsortOptions:\n  legacySortOptions: {orderFirst: [Service]}\n",
            ),
            ("a.yaml", WEB),
        ],
        folder: "",
        reference: "the field 'sortOptions.order' must be one of [fifo, legacy]",
        told: &["hint: kustomization.yaml:2: sortOptions has no order: legacySortOptions wants 'legacy'"],
    },
    Broken {
        name: "kinds to sort by and another order",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nsortOptions:\n  order: fifo\n  legacySortOptions: {orderFirst: [Service]}\n",
            ),
            ("a.yaml", WEB),
        ],
        folder: "",
        reference: "the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', not 'legacy'",
        told: &["hint: kustomization.yaml:4: leave legacySortOptions out, or state 'order: legacy'"],
    },
    Broken {
        name: "a schema that is not built in",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nopenapi:\n  version: v1.30.0\n"),
            ("a.yaml", WEB),
        ],
        folder: "",
        reference: "the specified OpenAPI version is not built in",
        told: &[
            "hint: kustomization.yaml:3: the version that is built in is 'v1.21.2', and needs no mention",
        ],
    },
    Broken {
        name: "a schema and a version",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nopenapi:\n  path: s.json\n  version: v1.21.2\n"),
            ("a.yaml", WEB),
            ("s.json", "{}"),
        ],
        folder: "",
        reference: "builtin version and custom schema provided, cannot use both",
        told: &["hint: kustomization.yaml:4: leave either version or path out"],
    },
    Broken {
        name: "a file of patches that is empty",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\npatchesStrategicMerge: [p.yaml]\n"),
            ("a.yaml", WEB),
            ("p.yaml", "# later\n"),
        ],
        folder: "",
        reference: "trouble configuring builtin PatchStrategicMergeTransformer with config: `\npaths:\n- p.yaml\n`: patch appears to be empty; files=[p.yaml], Patch=",
        told: &["hint: p.yaml: the file holds no patch"],
    },
    Broken {
        name: "a JSON patch without operations",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatchesJson6902:\n- {target: {kind: Deployment, version: v1, name: web}, patch: \"[]\"}\n",
            ),
            ("a.yaml", WEB),
        ],
        folder: "",
        reference: "trouble configuring builtin PatchJson6902Transformer with config: `\njsonOp: '[]'\ntarget:\n  kind: Deployment\n  name: web\n  version: v1\n`: patch appears to be empty; file=, JsonOp=[]",
        told: &["hint: kustomization.yaml:3: the patch has no operations"],
    },
    Broken {
        name: "a file where a patch is to stand",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- {target: {kind: Deployment}, patch: p.yaml}\n",
            ),
            ("a.yaml", WEB),
            ("p.yaml", WEB),
        ],
        folder: "",
        reference: "trouble configuring builtin PatchTransformer with config: `\npatch: p.yaml\ntarget:\n  kind: Deployment\n`: unable to parse SM or JSON patch from [patch: \"p.yaml\"]",
        told: &["hint: kustomization.yaml:3: patch holds the patch itself: a file is named by path"],
    },
    Broken {
        name: "one operation without a list",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- target: {kind: Deployment}\n  patch: |\n    op: add\n    path: /spec/x\n    value: 1\n",
            ),
            ("a.yaml", WEB),
        ],
        folder: "",
        reference: "trouble configuring builtin PatchTransformer with config: `\npatch: |\n  op: add\n  path: /spec/x\n  value: 1\ntarget:\n  kind: Deployment\n`: unable to parse SM or JSON patch from [patch: \"op: add\\npath: /spec/x\\nvalue: 1\"]",
        told: &["hint: kustomization.yaml:3: a JSON patch is a list of operations: begin each with '- '"],
    },
    Broken {
        name: "one operation of a file without a list",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatchesJson6902:\n- {target: {kind: Deployment, version: v1, name: web}, path: p.yaml}\n",
            ),
            ("a.yaml", WEB),
            ("p.yaml", "op: add\npath: /spec/x\nvalue: 1\n"),
        ],
        folder: "",
        reference: "trouble configuring builtin PatchJson6902Transformer with config: `\npath: p.yaml\ntarget:\n  kind: Deployment\n  name: web\n  version: v1\n`: decoding {\"op\":\"add\",\"path\":\"/spec/x\",\"value\":1}: json: cannot unmarshal object into Go value of type jsonpatch.Patch",
        told: &["hint: p.yaml: a JSON patch is a list of operations: begin each with '- '"],
    },
    Broken {
        name: "a container by its name in a JSON patch",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- target: {kind: Deployment}\n  patch: \"- {op: replace, path: /spec/template/spec/containers/web/image, value: b}\"\n",
            ),
            ("a.yaml", WEB),
        ],
        folder: "",
        reference: "replace operation does not apply: doc is missing path: /spec/template/spec/containers/web/image: missing value",
        told: &[
            "hint: kustomization.yaml:3: Deployment 'web' (a.yaml:1): '/spec/template/spec/containers' is a list: the number of an item, from 0, comes next, not 'web'",
        ],
    },
    Broken {
        name: "a container by its name in a replacement",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nreplacements:\n- sourceValue: b\n  targets: [{select: {kind: Deployment}, fieldPaths: [spec.template.spec.containers.web.image]}]\n",
            ),
            ("a.yaml", WEB),
        ],
        folder: "",
        reference: "unable to find field \"spec.template.spec.containers.web.image\" in replacement target: wrong node kind: expected MappingNode but got SequenceNode: node contents:\n[{name: web, image: a}]\n",
        told: &[
            "hint: kustomization.yaml:3: Deployment 'web' (a.yaml:1): 'spec.template.spec.containers' is a list: a number, '*' or '[name=…]' comes next, not 'web'",
        ],
    },
    Broken {
        name: "an index behind the last piece",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nreplacements:\n- source: {kind: Deployment, fieldPath: metadata.name, options: {delimiter: \"-\", index: 1}}\n  targets: [{select: {kind: Deployment}, fieldPaths: [spec.x], options: {create: true}}]\n",
            ),
            ("a.yaml", WEB),
        ],
        folder: "",
        reference: "options.index 1 is out of bounds for value web",
        told: &[
            "hint: kustomization.yaml:3: Deployment 'web' (a.yaml:1): the delimiter is not in the value, and index counts from 0",
        ],
    },
    Broken {
        name: "a pattern among the resources",
        files: &[("kustomization.yaml", "resources:\n- \"*.yaml\"\n"), ("a.yaml", WEB)],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from '*.yaml': evalsymlink failure on '/r/*.yaml' : lstat /r/*.yaml: no such file or directory': must build at directory: not a valid directory: evalsymlink failure on '/r/*.yaml' : lstat /r/*.yaml: no such file or directory",
        told: &[
            "hint: kustomization.yaml:2: '*.yaml' is not there: patterns are not expanded, list each file",
        ],
    },
    Broken {
        name: "a pattern among the files of a generator",
        files: &[
            ("kustomization.yaml", "configMapGenerator:\n- name: c\n  files:\n  - conf/*\n"),
            ("conf/a.conf", "x"),
        ],
        folder: "",
        reference: "loading KV pairs: file sources: [conf/*]: evalsymlink failure on '/r/conf/*' : lstat /r/conf/*: no such file or directory",
        told: &[
            "hint: kustomization.yaml:4: 'conf/*' is not there: patterns are not expanded, list each file",
        ],
    },
    Broken {
        name: "a secret's data in its generator",
        files: &[("kustomization.yaml", "secretGenerator:\n- name: c\n  stringData: {a: b}\n")],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"stringData\"",
        told: &[
            "hint: kustomization.yaml:3: secretGenerator[0] has no field 'stringData': its entries belong into 'literals', 'files' or 'envs'",
        ],
    },
    Broken {
        name: "a chart's template",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "{{- if .Values.on }}\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n{{- end }}\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: did not find expected node content in File: a.yaml",
        told: &[
            "hint: a.yaml:1: '{{' begins a map in YAML: put the value in quotes, or render the template first",
        ],
    },
    Broken {
        name: "an anchor of another document",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: &data\n  a: b\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata: *data\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: unknown anchor 'data' referenced in File: a.yaml",
        told: &[
            "hint: a.yaml:10: the anchor 'data' stands in another document of the file, and counts there alone",
        ],
    },
    Broken {
        name: "an object with generateName",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {generateName: a-}\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'a.yaml': missing metadata.name in object {{v1 Pod} {{ } map[] map[]}}': must build at directory: '/r/a.yaml': file is not directory",
        told: &["hint: a.yaml:1: the object has no metadata.name, and generateName does not stand for it"],
    },
    Broken {
        name: "a kustomization file under another name",
        files: &[
            ("kustomization.yaml", "resources: [b.yaml]\n"),
            (
                "b.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n",
            ),
            ("a.yaml", WEB),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'b.yaml': missing metadata.name in object {{kustomize.config.k8s.io/v1beta1 Kustomization} {{ } map[] map[]}}': must build at directory: '/r/b.yaml': file is not directory",
        told: &[
            "hint: b.yaml:1: this is a kustomization file: list a folder that holds it as 'kustomization.yaml'",
        ],
    },
];
