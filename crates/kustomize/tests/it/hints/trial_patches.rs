//! Patches that a new user broke.

use super::Broken;
use super::trial::WEB;

pub(super) const CASES: &[Broken] = &[
    Broken {
        name: "a slash in a key of a JSON patch",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [dep.yaml]\npatches:\n- target: {kind: Deployment}\n  patch: |-\n    - op: remove\n      path: /metadata/annotations/a.b/c\n",
            ),
            ("dep.yaml", WEB),
        ],
        folder: "",
        reference: "remove operation does not apply: doc is missing path: \"/metadata/annotations/a.b/c\": missing value",
        told: &[
            "hint: kustomization.yaml:5: Deployment 'web' (dep.yaml:1): '/metadata' has no 'annotations': it has 'labels', 'name'; a '/' in a key is written '~1': 'a.b~1c'",
        ],
    },
    Broken {
        name: "a JSON patch with a comma too many",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [dep.yaml]\npatches:\n- path: p.json\n  target: {kind: Deployment}\n",
            ),
            ("dep.yaml", WEB),
            ("p.json", "[{\"op\": \"add\", \"path\": \"/metadata/labels/x\", \"value\": \"y\",}]\n"),
        ],
        folder: "",
        reference: "trouble configuring builtin PatchTransformer with config: `\npath: p.json\ntarget:\n  kind: Deployment\n`: unable to parse SM or JSON patch from [path: \"p.json\"]",
        told: &[
            "hint: p.json:1: a JSON patch that begins with '[' is strict JSON: names and texts in double quotes, no ',' before a bracket that closes",
        ],
    },
    Broken {
        name: "operations in braces without quotes",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [dep.yaml]\ncomponents: [c1, c2]\n",
            ),
            (
                "c1/kustomization.yaml",
                "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\nnameSuffix: -c1\n",
            ),
            (
                "c2/kustomization.yaml",
                "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\npatches:\n- target: {kind: Deployment, name: \"we.*\"}\n  patch: \"[{op: add, path: /spec/paused, value: true}]\"\nreplicas: [{name: web-c1, count: 4}]\n",
            ),
            ("dep.yaml", WEB),
        ],
        folder: "",
        reference: "accumulating components: accumulateDirectory: \"recursed accumulation of path '/r/c2': trouble configuring builtin PatchTransformer with config: `\\npatch: '[{op: add, path: /spec/paused, value: true}]'\\ntarget:\\n  kind: Deployment\\n  name: we.*\\n`: unable to parse SM or JSON patch from [patch: \\\"[{op: add, path: /spec/paused, value: true}]\\\"]\"",
        told: &[
            "hint: c2/kustomization.yaml:4: a JSON patch that begins with '[' is strict JSON: names and texts in double quotes, no ',' before a bracket that closes",
        ],
    },
    Broken {
        name: "an operation with letters changed",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [dep.yaml]\npatches:\n- target: {kind: Deployment}\n  patch: |-\n    - op: replce\n      path: /spec/replicas\n      value: 2\n",
            ),
            ("dep.yaml", WEB),
        ],
        folder: "",
        reference: "Unexpected kind: replce",
        told: &[
            "hint: kustomization.yaml:5: Deployment 'web' (dep.yaml:1): there is no operation 'replce': did you mean 'replace'?",
        ],
    },
    Broken {
        name: "a test that finds another value",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [dep.yaml]\npatches:\n- path: p.yaml\n  target: {kind: Deployment}\n",
            ),
            ("dep.yaml", WEB),
            ("p.yaml", "- op: test\n  path: /spec/replicas\n  value: 7\n"),
        ],
        folder: "",
        reference: "testing value /spec/replicas failed: test failed",
        told: &["hint: kustomization.yaml:5: Deployment 'web' (dep.yaml:1): '/spec/replicas' is 1, not 7"],
    },
    Broken {
        name: "an operation without op",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [dep.yaml]\npatches:\n- target: {kind: Deployment}\n  patch: |-\n    - path: /spec/replicas\n      value: 3\n",
            ),
            ("dep.yaml", WEB),
        ],
        folder: "",
        reference: "Unexpected kind: unknown",
        told: &[
            "hint: kustomization.yaml:5: Deployment 'web' (dep.yaml:1): the operation on '/spec/replicas' has no 'op': it is one of add, remove, replace, move, copy, test",
        ],
    },
    Broken {
        name: "an operation with op misspelt",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [dep.yaml]\npatches:\n- target: {kind: Deployment}\n  patch: |-\n    - opp: replace\n      path: /spec/replicas\n      value: 3\n",
            ),
            ("dep.yaml", WEB),
        ],
        folder: "",
        reference: "Unexpected kind: unknown",
        told: &[
            "hint: kustomization.yaml:5: Deployment 'web' (dep.yaml:1): the operation on '/spec/replicas' has 'opp': did you mean 'op'?",
        ],
    },
    Broken {
        name: "a patch with text for a map",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [dep.yaml]\npatches:\n- path: p.yaml\n",
            ),
            ("dep.yaml", WEB),
            (
                "p.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  template: foo\n",
            ),
        ],
        folder: "",
        reference: "wrong node kind: expected MappingNode but got ScalarNode: node contents:\nfoo\n",
        told: &[
            "hint: kustomization.yaml:5: Deployment 'web' (dep.yaml:1): 'spec.template' is a map, but a single value in the patch",
        ],
    },
    Broken {
        name: "a patch with a map for a list",
        files: &[
            (
                "kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [dep.yaml]\npatches:\n- patch: |-\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata: {name: web}\n    spec: {template: {spec: {containers: {name: web}}}}\n",
            ),
            ("dep.yaml", WEB),
        ],
        folder: "",
        reference: "wrong node kind: expected SequenceNode but got MappingNode: node contents:\n{name: web}\n",
        told: &[
            "hint: kustomization.yaml:5: Deployment 'web' (dep.yaml:1): 'spec.template.spec.containers' is a list, but a map in the patch",
        ],
    },
];
