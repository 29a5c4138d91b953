//! Values in other forms than are wanted, text that is not read, and entries that lead nowhere.

use super::Broken;

pub(super) const CASES: &[Broken] = &[
    Broken {
        name: "a patch whose text is read as fields",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- patch: |-\n  apiVersion: v1\n  kind: ConfigMap\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"apiVersion\"",
        told: &[
            "hint: kustomization.yaml:4: patches[0] has no field 'apiVersion': 'patch' is empty: indent its text further than the key",
        ],
    },
    Broken {
        name: "a kustomization file whose first line is indented",
        files: &[
            (
                "kustomization.yaml",
                " apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "kustomization.yaml is empty",
        told: &[
            "hint: kustomization.yaml:2: this line is indented less than the first one, and nothing is read from here on",
        ],
    },
    Broken {
        name: "an object whose first line is indented",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", " apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'a.yaml': missing kind in object {{v1 } {{ } map[] map[]}}': must build at directory: '/r/a.yaml': file is not directory",
        told: &[
            "hint: a.yaml:2: this line is indented less than the first one, and nothing is read from here on",
        ],
    },
    Broken {
        name: "a kustomization file with a name and another group",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.k8s.io/v1\nkind: Kustomization\nmetadata: {name: x}\nresources: [a.yaml]\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "Failed to read kustomization file under /r:\napiVersion for Kustomization should be kustomize.config.k8s.io/v1beta1",
        told: &[
            "hint: kustomization.yaml:1: leave out apiVersion and kind, or let them be 'kustomize.config.k8s.io/v1beta1' and 'Kustomization'",
        ],
    },
    Broken {
        name: "an apiVersion in a target",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- target: {apiVersion: batch/v1, kind: Job}\n  patch: '[]'\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"apiVersion\"",
        told: &[
            "hint: kustomization.yaml:3: patches[0].target has no field 'apiVersion': state 'group: batch' and 'version: v1'",
        ],
    },
    Broken {
        name: "an apiVersion without a group in a source",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nreplacements:\n- source: {apiVersion: v1, kind: ConfigMap}\n  targets: []\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"apiVersion\"",
        told: &[
            "hint: kustomization.yaml:3: replacements[0].source has no field 'apiVersion': state 'version: v1'",
        ],
    },
    Broken {
        name: "a variable without an apiVersion in a namespace",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nnamespace: x\nvars:\n- name: A\n  objref: {kind: ConfigMap, name: a}\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {x: $(A)}}\n"),
        ],
        folder: "",
        reference: "var '{A ConfigMap.[noVer].[noGrp] {metadata.name}}' cannot be mapped to a field in the set of known resources",
        told: &[
            "hint: kustomization.yaml:4: ConfigMap 'a' (a.yaml:1) is of apiVersion 'v1', and objref states none",
        ],
    },
    Broken {
        name: "an operation in labels that are not there",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- target: {kind: ConfigMap}\n  patch: '[{\"op\": \"add\", \"path\": \"/metadata/labels/x\", \"value\": \"y\"}]'\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "add operation does not apply: doc is missing path: \"/metadata/labels/x\": missing value",
        told: &[
            "hint: kustomization.yaml:3: ConfigMap 'a' (a.yaml:1): '/metadata' has no 'labels': it has 'name'; add makes the last part of a path only",
        ],
    },
    Broken {
        name: "a patch without a name beside a target",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- path: p.yaml\n  target: {kind: ConfigMap}\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
            ("p.yaml", "apiVersion: v1\nkind: ConfigMap\ndata: {a: b}\n"),
        ],
        folder: "",
        reference: "trouble configuring builtin PatchTransformer with config: `\npath: p.yaml\ntarget:\n  kind: ConfigMap\n`: unable to parse SM or JSON patch from [path: \"p.yaml\"]",
        told: &["hint: p.yaml:1: the object has no metadata.name: with a target, any name does"],
    },
    Broken {
        name: "containers that are text",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nimages: [{name: x, newTag: z}]\n"),
            ("a.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: x}\n"),
        ],
        folder: "",
        reference: "considering field 'spec/containers[]/image' of object Pod.v1.[noGrp]/a.[noNs]: expected sequence or mapping node",
        told: &["hint: Pod 'a' (a.yaml:1): 'spec.containers' is a single value, and a list is wanted"],
    },
    Broken {
        name: "volumes that are a map",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nnamePrefix: x-\n"),
            ("a.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {volumes: {configMap: x}}\n"),
        ],
        folder: "",
        reference: "updating name reference in 'spec/volumes/configMap/name' field of 'Pod.v1.[noGrp]/x-a.[noNs]': considering field 'spec/volumes/configMap/name' of object Pod.v1.[noGrp]/x-a.[noNs]: expected sequence or mapping node",
        told: &["hint: Pod 'x-a' (a.yaml:1): 'spec.volumes' is a map, and a list is wanted"],
    },
    Broken {
        name: "an image that is a map",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nimages: [{name: x, newTag: z}]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{image: {name: x}}]}\n",
            ),
        ],
        folder: "",
        reference: "wrong node kind: expected ScalarNode but got MappingNode: node contents:\n{name: x}\n",
        told: &[
            "hint: Pod 'a' (a.yaml:1): 'spec.containers[0].image' is a map, and a single value is wanted",
        ],
    },
    Broken {
        name: "a container that is text",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nimages: [{name: x, newTag: z}]\n"),
            ("a.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [x]}\n"),
        ],
        folder: "",
        reference: "wrong node kind: expected MappingNode but got ScalarNode: node contents:\nx\n",
        told: &["hint: Pod 'a' (a.yaml:1): 'spec.containers[0]' is a single value, and a map is wanted"],
    },
    Broken {
        name: "an alias of an item in a list",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: List\nitems:\n- &x {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n- *x\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'a.yaml': may not add resource with an already registered id: ConfigMap.v1.[noGrp]/a.[noNs]': must build at directory: '/r/a.yaml': file is not directory",
        told: &["hint: the object stands at a.yaml:4, and an alias of that file repeats it"],
    },
    Broken {
        name: "a key that is a number",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {1: x}\n"),
        ],
        folder: "",
        reference: "map[string]interface {}{\"apiVersion\":\"v1\", \"data\":map[interface {}]interface {}{1:\"x\"}, \"kind\":\"ConfigMap\", \"metadata\":map[string]interface {}{\"name\":\"a\"}}: json: unsupported type: map[interface {}]interface {}",
        told: &[
            "hint: ConfigMap 'a' (a.yaml:1): 'data' has the key '1', which is read as a number, not as text",
        ],
    },
    Broken {
        name: "a number without end",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: [.inf]}\n"),
        ],
        folder: "",
        reference: "map[string]interface {}{\"apiVersion\":\"v1\", \"data\":map[string]interface {}{\"x\":[]interface {}{+Inf}}, \"kind\":\"ConfigMap\", \"metadata\":map[string]interface {}{\"name\":\"a\"}}: json: unsupported value: +Inf",
        told: &[
            "hint: ConfigMap 'a' (a.yaml:1): 'data.x[0]' is a number without end or none at all: in quotes it is text",
        ],
    },
    Broken {
        name: "a key that becomes true",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\ncommonAnnotations: {y: x}\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "map[string]interface {}{\"apiVersion\":\"v1\", \"kind\":\"ConfigMap\", \"metadata\":map[string]interface {}{\"annotations\":map[interface {}]interface {}{true:\"x\"}, \"name\":\"a\"}}: json: unsupported type: map[interface {}]interface {}",
        told: &[
            "hint: kustomization.yaml:2: commonAnnotations has the key 'y', which is read as true or false, not as text: put it in quotes",
        ],
    },
    Broken {
        name: "a name that is a list",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: [a]\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'a.yaml': missing metadata.name in object {{v1 ConfigMap} {{ } map[] map[]}}': must build at directory: '/r/a.yaml': file is not directory",
        told: &["hint: a.yaml:4: metadata.name is to be text, not a list"],
    },
    Broken {
        name: "a kind that is a map",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: {a: b}\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'a.yaml': missing kind in object {{v1 } {{a } map[] map[]}}': must build at directory: '/r/a.yaml': file is not directory",
        told: &["hint: a.yaml:2: kind is to be text, not a map"],
    },
    Broken {
        name: "metadata that are a list",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n- name: a\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'a.yaml': missing metadata.name in object {{v1 ConfigMap} {{ } map[] map[]}}': must build at directory: '/r/a.yaml': file is not directory",
        told: &["hint: a.yaml:3: metadata is to be a map, not a list"],
    },
    Broken {
        name: "a name without a space",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name:a\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'a.yaml': missing metadata.name in object {{v1 ConfigMap} {{ } map[] map[]}}': must build at directory: '/r/a.yaml': file is not directory",
        told: &["hint: a.yaml:4: a space is missing behind the ':' of this line"],
    },
    Broken {
        name: "a name beside metadata",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\nname: a\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'a.yaml': missing metadata.name in object {{v1 ConfigMap} {{ } map[] map[]}}': must build at directory: '/r/a.yaml': file is not directory",
        told: &["hint: a.yaml:4: name stands beside metadata, not in it: indent it further"],
    },
    Broken {
        name: "a name that is not there, beside a template in a text",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\ndata:\n  x: |\n    {{ .y }}\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'a.yaml': missing metadata.name in object {{v1 ConfigMap} {{ } map[] map[]}}': must build at directory: '/r/a.yaml': file is not directory",
        told: &["hint: a.yaml:1: the object has no metadata.name"],
    },
    Broken {
        name: "a path that begins with a tilde",
        files: &[("kustomization.yaml", "resources: [~/base]\n")],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from '~/base': evalsymlink failure on '/r/~/base' : lstat /r/~: no such file or directory': must build at directory: not a valid directory: evalsymlink failure on '/r/~/base' : lstat /r/~: no such file or directory",
        told: &[
            "hint: kustomization.yaml:1: '~/base' is not there: '~' is not expanded, name it by its way from here",
        ],
    },
    Broken {
        name: "a path with backslashes",
        files: &[("kustomization.yaml", "resources: ['..\\base']\n")],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from '..\\base': evalsymlink failure on '/r/..\\base' : lstat /r/..\\base: no such file or directory': must build at directory: not a valid directory: evalsymlink failure on '/r/..\\base' : lstat /r/..\\base: no such file or directory",
        told: &["hint: kustomization.yaml:1: '..\\base' is not there: '/' stands between folders, not '\\'"],
    },
    Broken {
        name: "an object without a name that quotes a kustomization file",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  annotations: {x: '{{kustomize.config.k8s.io/v1'}\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'a.yaml': missing metadata.name in object {{v1 ConfigMap} {{ } map[] map[x:{{kustomize.config.k8s.io/v1]}}': must build at directory: '/r/a.yaml': file is not directory",
        told: &["hint: a.yaml:1: the object has no metadata.name"],
    },
    Broken {
        name: "a component under resources",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamePrefix: x-\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'a.yaml': missing metadata.name in object {{kustomize.config.k8s.io/v1alpha1 Component} {{ } map[] map[]}}': must build at directory: '/r/a.yaml': file is not directory",
        told: &[
            "hint: a.yaml:1: this is a kustomization file: list a folder that holds it as 'kustomization.yaml' under components",
        ],
    },
    Broken {
        name: "a strategic patch that is a comment",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\npatchesStrategicMerge: ['# x']\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "trouble configuring builtin PatchStrategicMergeTransformer with config: `\npaths:\n- '# x'\n`: patch appears to be empty; files=[# x], Patch=",
        told: &[],
    },
    Broken {
        name: "a field path that is a slash",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nreplacements:\n- sourceValue: x\n  targets: [{select: {kind: ConfigMap}, fieldPaths: [/]}]\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "unable to find field \"/\" in replacement target",
        told: &[
            "hint: kustomization.yaml:3: ConfigMap 'a' (a.yaml:1): the object has no '/': it has 'apiVersion', 'kind', 'metadata'; options: {create: true} makes it",
        ],
    },
    Broken {
        name: "an alias whose anchor is text",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: |\n  &x y\nb: *x\n---\n- &x z\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: unknown anchor 'x' referenced in File: a.yaml",
        told: &[
            "hint: a.yaml:6: the anchor 'x' stands in another document of the file, and counts there alone",
        ],
    },
    Broken {
        name: "an alias before its anchor in braces",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: *x\nb: {c: &x y}\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: unknown anchor 'x' referenced in File: a.yaml",
        told: &["hint: a.yaml:4: the anchor 'x' stands further down: it is to come first"],
    },
    Broken {
        name: "a list whose items are a map",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: List\nitems:\n  a: b\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'a.yaml': missing Resource metadata': must build at directory: '/r/a.yaml': file is not directory",
        told: &["hint: a.yaml:4: items is to be a list: begin each of its objects with '- '"],
    },
];
