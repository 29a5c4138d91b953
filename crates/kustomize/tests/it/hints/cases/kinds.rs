//! Files that are of another kind than where they are listed.

use super::super::Broken;

use super::WEB;

pub(super) const CASES: &[Broken] = &[
    Broken {
        name: "a component of the version of a kustomization",
        files: &[
            ("kustomization.yaml", "resources: [d.yaml]\ncomponents: [c]\n"),
            (
                "c/kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Component\nnamePrefix: x-\n",
            ),
            ("d.yaml", WEB),
        ],
        folder: "",
        reference: "accumulating components: accumulateDirectory: \"couldn't make target for path '/r/c': Failed to read kustomization file under /r/c:\\napiVersion for Component should be kustomize.config.k8s.io/v1alpha1\"",
        told: &[
            "hint: c/kustomization.yaml:1: a component states 'apiVersion: kustomize.config.k8s.io/v1alpha1' and 'kind: Component'",
        ],
    },
    Broken {
        name: "a component with its kind in small letters",
        files: &[
            ("kustomization.yaml", "resources: [d.yaml]\ncomponents: [c]\n"),
            (
                "c/kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: component\nnamePrefix: x-\n",
            ),
            ("d.yaml", WEB),
        ],
        folder: "",
        reference: "accumulating components: accumulateDirectory: \"couldn't make target for path '/r/c': Failed to read kustomization file under /r/c:\\nkind should be Kustomization or Component\\napiVersion for component should be kustomize.config.k8s.io/v1beta1\"",
        told: &[
            "hint: c/kustomization.yaml:2: a component states 'apiVersion: kustomize.config.k8s.io/v1alpha1' and 'kind: Component'",
        ],
    },
    Broken {
        name: "a component without a kind",
        files: &[
            ("kustomization.yaml", "resources: [d.yaml]\ncomponents: [c]\n"),
            ("c/kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1alpha1\nnamePrefix: x-\n"),
            ("d.yaml", WEB),
        ],
        folder: "",
        reference: "accumulating components: accumulateDirectory: \"couldn't make target for path '/r/c': Failed to read kustomization file under /r/c:\\napiVersion for Kustomization should be kustomize.config.k8s.io/v1beta1\"",
        told: &[
            "hint: c/kustomization.yaml:1: a component states 'apiVersion: kustomize.config.k8s.io/v1alpha1' and 'kind: Component'",
        ],
    },
    Broken {
        name: "a component without apiVersion and kind",
        files: &[
            ("kustomization.yaml", "resources: [d.yaml]\ncomponents: [c]\n"),
            ("c/kustomization.yaml", "namePrefix: x-\n"),
            ("d.yaml", WEB),
        ],
        folder: "",
        reference: "accumulating components: accumulateDirectory: \"expected kind 'Component' for path '/r/c' but got 'Kustomization'\"",
        told: &[
            "hint: kustomization.yaml:2: 'c' is no component: list it under resources, or state 'apiVersion: kustomize.config.k8s.io/v1alpha1' and 'kind: Component' in it",
        ],
    },
    Broken {
        name: "a component of another version that is built itself",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Component\nresources: [d.yaml]\n",
            ),
            ("d.yaml", WEB),
        ],
        folder: "",
        reference: "Failed to read kustomization file under /r:\napiVersion for Component should be kustomize.config.k8s.io/v1alpha1",
        told: &[
            "hint: kustomization.yaml:1: a component states 'apiVersion: kustomize.config.k8s.io/v1alpha1' and 'kind: Component'",
        ],
    },
    Broken {
        name: "a kind with a letter changed",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomisation\nresources: [d.yaml]\n",
            ),
            ("d.yaml", WEB),
        ],
        folder: "",
        reference: "Failed to read kustomization file under /r:\nkind should be Kustomization or Component",
        told: &[
            "hint: kustomization.yaml:1: leave out apiVersion and kind, or let them be 'kustomize.config.k8s.io/v1beta1' and 'Kustomization'",
        ],
    },
    Broken {
        name: "an object of another program with fields of its own",
        files: &[(
            "kustomization.yaml",
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: x}\nspec: {project: default}\n",
        )],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"spec\"",
        told: &[
            "hint: kustomization.yaml:1: this is an Application of argoproj.io, not a kustomization file: rename the file, and list it under resources",
        ],
    },
    Broken {
        name: "an object of another program without any",
        files: &[(
            "kustomization.yaml",
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: x}\n",
        )],
        folder: "",
        reference: "Failed to read kustomization file under /r:\nkind should be Kustomization or Component\napiVersion for Application should be kustomize.config.k8s.io/v1beta1",
        told: &[
            "hint: kustomization.yaml:1: this is an Application of argoproj.io, not a kustomization file: rename the file, and list it under resources",
        ],
    },
    Broken {
        name: "a definition of the cluster among crds",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\ncrds: [crd.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
            (
                "crd.yaml",
                "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: foos.x.io\nspec:\n  group: x.io\n",
            ),
        ],
        folder: "",
        reference: "loading CRDs [crd.yaml]: unable to parse open API definition from 'crd.yaml': error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go value of type accumulator.OpenAPIDefinition",
        told: &[
            "hint: kustomization.yaml:2: 'crd.yaml' is a CustomResourceDefinition, and crds takes OpenAPI definitions: list it under resources",
        ],
    },
    Broken {
        name: "a builtin transformer with a letter left out",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\ntransformers: [t.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
            ("t.yaml", "apiVersion: builtin\nkind: PrefixTransfomer\nmetadata: {name: a}\nprefix: x\n"),
        ],
        folder: "",
        reference: "unable to load builtin PrefixTransfomer.builtin.[noGrp]",
        told: &[
            "hint: PrefixTransfomer 'a' (t.yaml:1): there is no builtin kind 'PrefixTransfomer': did you mean 'PrefixTransformer'?",
        ],
    },
    Broken {
        name: "a builtin transformer of another version",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\ntransformers: [t.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
            ("t.yaml", "apiVersion: builtin/v1\nkind: PrefixTransformer\nmetadata: {name: a}\nprefix: x\n"),
        ],
        folder: "",
        reference: "external plugins disabled; unable to load external plugin 'PrefixTransformer'",
        told: &[
            "hint: PrefixTransformer 'a' (t.yaml:1): the apiVersion of a builtin kind is 'builtin', not 'builtin/v1'",
        ],
    },
    Broken {
        name: "a transformer that is a program",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\ntransformers: [t.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
            ("t.yaml", "apiVersion: viaduct.ai/v1\nkind: ksops\nmetadata: {name: a}\nprefix: x\n"),
        ],
        folder: "",
        reference: "external plugins disabled; unable to load external plugin 'ksops'",
        told: &[
            "hint: ksops 'a' (t.yaml:1): 'ksops' is no builtin kind, and programs are not run: keep what it makes among your files",
        ],
    },
    Broken {
        name: "a list for the map of a transformer",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\ntransformers: [t.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
            ("t.yaml", "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: a}\nlabels: [a]\n"),
        ],
        folder: "",
        reference: "plugin LabelTransformer.builtin.[noGrp]/a.[noNs] fails configuration: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go struct field LabelTransformerPlugin.labels of type map[string]string",
        told: &["hint: LabelTransformer 'a' (t.yaml:1): labels is to be a map, not a list"],
    },
    Broken {
        name: "a map for the list of a transformer",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\ntransformers: [t.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
            (
                "t.yaml",
                "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: a}\nlabels: {a: b}\nfieldSpecs: {path: x}\n",
            ),
        ],
        folder: "",
        reference: "plugin LabelTransformer.builtin.[noGrp]/a.[noNs] fails configuration: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal object into Go struct field LabelTransformerPlugin.fieldSpecs of type []types.FieldSpec",
        told: &[
            "hint: LabelTransformer 'a' (t.yaml:1): fieldSpecs is to be a list, not a map: begin its entries with '- '",
        ],
    },
    Broken {
        name: "a builtin generator with a letter changed",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\ngenerators: [t.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
            ("t.yaml", "apiVersion: builtin\nkind: ConfigMapGenerater\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "loading generator plugins: failed to load generator: unable to load builtin ConfigMapGenerater.builtin.[noGrp]",
        told: &[
            "hint: ConfigMapGenerater 'a' (t.yaml:1): there is no builtin kind 'ConfigMapGenerater': did you mean 'ConfigMapGenerator'?",
        ],
    },
    Broken {
        name: "a transformer among generators",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\ngenerators: [t.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
            ("t.yaml", "apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: a}\nprefix: x\n"),
        ],
        folder: "",
        reference: "loading generator plugins: failed to load generator: plugin PrefixTransformer.builtin.[noGrp]/a.[noNs] fails configuration: fieldSpecs is not expected to be nil",
        told: &["hint: PrefixTransformer 'a' (t.yaml:1): this is a transformer: list it under transformers"],
    },
    Broken {
        name: "a validator with a letter changed",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nvalidators: [t.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
            ("t.yaml", "apiVersion: builtin\nkind: ConfigMapGenerater\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "unable to load builtin ConfigMapGenerater.builtin.[noGrp]",
        told: &[
            "hint: ConfigMapGenerater 'a' (t.yaml:1): there is no builtin kind 'ConfigMapGenerater': did you mean 'ConfigMapGenerator'?",
        ],
    },
    Broken {
        name: "a patch without apiVersion",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\npatches:\n- path: p.yaml\n"),
            ("a.yaml", WEB),
            ("p.yaml", "kind: Deployment\nmetadata: {name: web}\nspec: {replicas: 2}\n"),
        ],
        folder: "",
        reference: "no resource matches strategic merge patch \"Deployment.[noVer].[noGrp]/web.[noNs]\": no matches for Id Deployment.[noVer].[noGrp]/web.[noNs]; failed to find unique target for patch Deployment.[noVer].[noGrp]/web.[noNs]",
        told: &[
            "hint: kustomization.yaml:3: Deployment 'web' (a.yaml:1) is of apiVersion 'apps/v1', and the patch states none",
        ],
    },
    Broken {
        name: "a variable whose object has no apiVersion",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nvars:\n- name: X\n  objref: {kind: Deployment, name: web}\n",
            ),
            ("a.yaml", WEB),
        ],
        folder: "",
        reference: "var '{X Deployment.[noVer].[noGrp] {metadata.name}}' cannot be mapped to a field in the set of known resources",
        told: &[
            "hint: kustomization.yaml:3: Deployment 'web' (a.yaml:1) is of apiVersion 'apps/v1', and objref states none",
        ],
    },
];
