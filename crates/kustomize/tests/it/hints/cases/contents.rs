//! Files that do not read, or whose content does not fit.

use super::super::Broken;

pub(super) const CASES: &[Broken] = &[
    Broken {
        name: "an unknown field",
        files: &[
            ("kustomization.yaml", "namePrefx: a-\nresources:\n- a.yaml\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"namePrefx\"",
        told: &["hint: kustomization.yaml:1: there is no field 'namePrefx': did you mean 'namePrefix'?"],
    },
    Broken {
        name: "a map where a list is wanted",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\npatches:\n  path: p.yaml\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: cannot unmarshal object into Go struct field Kustomization.patches of type []types.Patch",
        told: &[
            "hint: kustomization.yaml:3: patches is to be a list, not a map: begin its entries with '- '",
        ],
    },
    Broken {
        name: "a tab, and a colon in a value",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\n- b.yaml\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n	name: a\n"),
            ("b.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\ndata:\n  u: http://x: y\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 4: found character that cannot start any token in File: a.yaml",
        told: &[
            "hint: a.yaml:4: the line is indented with a tab: YAML takes spaces only",
            "also: b.yaml:6: a value with ': ' in it wants quotes",
        ],
    },
    Broken {
        name: "a template",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Values.name }}-x\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 3: did not find expected key in File: a.yaml",
        told: &[
            "hint: a.yaml:4: '{{' begins a map in YAML: put the value in quotes, or render the template first",
        ],
    },
    Broken {
        name: "a conflict of a merge",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n<<<<<<< HEAD\n  a: b\n=======\n  a: c\n>>>>>>> main\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 6: could not find expected ':' in File: a.yaml",
        told: &["hint: a.yaml:6: a conflict of a merge was left in the file"],
    },
    Broken {
        name: "an object in two files",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\n- b.yaml\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: b\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: y\ndata:\n  a: b\n",
            ),
            (
                "b.yaml",
                "# comment\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: z\ndata:\n  a: b\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: y\ndata:\n  a: b\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='merging resources from 'b.yaml': may not add resource with an already registered id: ConfigMap.v1.[noGrp]/y.[noNs]': must build at directory: '/r/b.yaml': file is not directory",
        told: &["hint: the object stands at a.yaml:8 and at b.yaml:9"],
    },
    Broken {
        name: "a kustomization file that is not YAML",
        files: &[("kustomization.yaml", "resources:\n- a.yaml\n images:\n- name: x\n")],
        folder: "",
        reference: "invalid Kustomization: yaml: line 3: mapping values are not allowed in this context",
        told: &[
            "hint: kustomization.yaml:3: this line is indented further than the one it belongs to, or ends a value that wants quotes",
        ],
    },
    Broken {
        name: "a text where a list is wanted",
        files: &[
            ("kustomization.yaml", "resources: a.yaml\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: cannot unmarshal string into Go struct field Kustomization.resources of type []string",
        told: &[
            "hint: kustomization.yaml:1: resources is to be a list, not text: write '- ' before each entry",
        ],
    },
    Broken {
        name: "a file that holds no object",
        files: &[
            ("kustomization.yaml", "resources:\n- values.yaml\n- a.yaml\n"),
            ("values.yaml", "replicaCount: 1\nimage: x\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'values.yaml': missing Resource metadata': must build at directory: '/r/values.yaml': file is not directory",
        told: &["hint: values.yaml:1: this is no Kubernetes object: it has no kind and no metadata"],
    },
    Broken {
        name: "a key that stands twice",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n  a: c\n"),
        ],
        folder: "",
        reference: "map[string]interface {}(nil): yaml: unmarshal errors:\n  line 7: mapping key \"a\" already defined at line 6",
        told: &["hint: a.yaml:7: the key 'a' stands a second time in this map"],
    },
    Broken {
        name: "a number where a text is wanted",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\nimages:\n- name: nginx\n  newTag: 1.20\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: web\n        image: nginx:1\n",
            ),
        ],
        folder: "",
        reference: "invalid Kustomization: json: cannot unmarshal number into Go struct field Image.images.newTag of type string",
        told: &["hint: kustomization.yaml:5: images[0].newTag is to be text, not a number: put it in quotes"],
    },
    Broken {
        name: "an object twice in one file",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: b\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: b\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'a.yaml': may not add resource with an already registered id: ConfigMap.v1.[noGrp]/x.[noNs]': must build at directory: '/r/a.yaml': file is not directory",
        told: &["hint: the object stands at a.yaml:1 and at a.yaml:8"],
    },
    Broken {
        name: "a file that states nothing",
        files: &[("kustomization.yaml", "# nothing yet\n")],
        folder: "",
        reference: "kustomization.yaml is empty",
        told: &["hint: kustomization.yaml: the file states nothing: name at least one entry of resources"],
    },
    Broken {
        name: "a component that states nothing",
        files: &[
            ("kustomization.yaml", "components: [c]\n"),
            ("c/kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"),
        ],
        folder: "",
        reference: "accumulating components: accumulateDirectory: \"couldn't make target for path '/r/c': kustomization.yaml is empty\"",
        told: &[
            "hint: c/kustomization.yaml: the component states nothing: give it patches, generators or resources",
        ],
    },
    Broken {
        name: "the apiVersion of Flux in a kustomization file",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: apps\nresources: [a.yaml]\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: b\n"),
        ],
        folder: "",
        reference: "Failed to read kustomization file under /r:\napiVersion for Kustomization should be kustomize.config.k8s.io/v1beta1",
        told: &[
            "hint: kustomization.yaml:1: leave out apiVersion and kind, or let them be 'kustomize.config.k8s.io/v1beta1' and 'Kustomization'",
        ],
    },
];
