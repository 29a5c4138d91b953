//! Manifests that are no YAML, or other YAML than was meant.

use super::Broken;

pub(super) const CASES: &[Broken] = &[
    Broken {
        name: "a template in a text above what is wrong",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: r}\nspec:\n  groups:\n  - rules:\n    - annotations:\n        description: |\n          value: {{ $value }}\n      expr: sum(up): 1\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 10: mapping values are not allowed in this context in File: a.yaml",
        told: &["hint: a.yaml:10: a value with ': ' in it wants quotes"],
    },
    Broken {
        name: "a template in a text above a bracket",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  t: >-\n    more\n    x: {{ y }}\n  g: [a, b\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 7: did not find expected ',' or ']' in File: a.yaml",
        told: &["hint: a.yaml:8: a '[' that is opened here is never closed"],
    },
    Broken {
        name: "a template in a text of a patch",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- patch: |\n    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: a}\n    data:\n      t: |\n        x: {{ y }}\n      g: x: y\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "trouble configuring builtin PatchTransformer with config: `\npatch: |\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n  data:\n    t: |\n      x: {{ y }}\n    g: x: y\n`: unable to parse SM or JSON patch from [patch: \"apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: a}\\ndata:\\n  t: |\\n    x: {{ y }}\\n  g: x: y\"]",
        told: &["hint: kustomization.yaml:3: line 7 of the patch: a value with ': ' in it wants quotes"],
    },
    Broken {
        name: "a tab in a text above what is wrong",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  t: |\n    all:\n    \tmake\n  g: x: y\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 8: mapping values are not allowed in this context in File: a.yaml",
        told: &["hint: a.yaml:8: a value with ': ' in it wants quotes"],
    },
    Broken {
        name: "a merge with an anchor that is not there",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  <<: *base\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: unknown anchor 'base' referenced in File: a.yaml",
        told: &["hint: a.yaml:5: no anchor 'base' is in this document"],
    },
    Broken {
        name: "an anchor that is not there",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  args: *args\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: unknown anchor 'args' referenced in File: a.yaml",
        told: &[
            "hint: a.yaml:5: no anchor of this name is in the document: text that begins with '*' wants quotes",
        ],
    },
    Broken {
        name: "an anchor whose value holds itself",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nconfigurations: [c.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
            ("c.yaml", "a: &x [*x]\n"),
        ],
        folder: "",
        reference: "error converting YAML to JSON: yaml: anchor 'x' value contains itself",
        told: &["hint: c.yaml:1: an alias stands within the value of its own anchor"],
    },
    Broken {
        name: "an item that wants quotes",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: [x, @y]\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 5: found character that cannot start any token in File: a.yaml",
        told: &["hint: a.yaml:5: text that begins with '@' wants quotes"],
    },
    Broken {
        name: "a file that begins with a fence",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "```yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n```\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: found character that cannot start any token in File: a.yaml",
        told: &["hint: a.yaml:1: this line is of Markdown, not of YAML: leave it out"],
    },
    Broken {
        name: "a file that begins with a command",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "$ kubectl get cm\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 2: mapping values are not allowed in this context in File: a.yaml",
        told: &["hint: a.yaml:1: this line has no ':', so the next one goes on with its text"],
    },
    Broken {
        name: "a map that is never closed at the end",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  b: {c: d,\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 5: did not find expected node content in File: a.yaml",
        told: &["hint: a.yaml:5: a '{' that is opened here is never closed"],
    },
    Broken {
        name: "a bracket too many",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: [1, 2]]\n  b: c\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 4: did not find expected key in File: a.yaml",
        told: &["hint: a.yaml:5: the ']' in this line closes nothing that is open"],
    },
    Broken {
        name: "a comma that is missing behind a quote",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  command: [\"sh\" \"-c\"]\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 4: did not find expected ',' or ']' in File: a.yaml",
        told: &["hint: a.yaml:5: a ',' is missing behind the quote that ends a value"],
    },
    Broken {
        name: "a last line without a colon",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: b\n  c\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 6: could not find expected ':' in File: a.yaml",
        told: &["hint: a.yaml:6: this line has no ':'"],
    },
    Broken {
        name: "a chart's template with a backquote",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: {{`{{ x }}`}}\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 5: found character that cannot start any token in File: a.yaml",
        told: &[
            "hint: a.yaml:5: '{{' begins a map in YAML: put the value in quotes, or render the template first",
        ],
    },
    Broken {
        name: "a template with a quote",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: {{ \"x\" | quote }}\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 5: found character that cannot start any token in File: a.yaml",
        told: &[
            "hint: a.yaml:5: '{{' begins a map in YAML: put the value in quotes, or render the template first",
        ],
    },
    Broken {
        name: "a template of another kind",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "{% if x %}\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n{% endif %}\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: found character that cannot start any token in File: a.yaml",
        told: &["hint: a.yaml:1: '{' begins a map in YAML: render the template first"],
    },
    Broken {
        name: "a merge with what is no map",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  <<: [a]\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'a.yaml': map merge requires map or sequence of maps as the value': must build at directory: '/r/a.yaml': file is not directory",
        told: &["hint: a.yaml:5: '<<' takes a map, or a list of maps"],
    },
    Broken {
        name: "a key of a kustomization file that is null",
        files: &[("kustomization.yaml", "labels:\n- pairs: {null: x}\n")],
        folder: "",
        reference: "invalid Kustomization: unsupported map key of type: %!s(<nil>), key: <nil>, value: \"x\"",
        told: &["hint: kustomization.yaml:2: a key is to be text, and one here is null"],
    },
    Broken {
        name: "a key of a kustomization file that is a list",
        files: &[("kustomization.yaml", "? [a]\n: b\n")],
        folder: "",
        reference: "invalid Kustomization: yaml: invalid map key: []interface {}{\"a\"}",
        told: &["hint: kustomization.yaml:1: a key is to be text, and one here is a map or a list"],
    },
    Broken {
        name: "a value of a kustomization file that its tag does not fit",
        files: &[("kustomization.yaml", "namePrefix: !!int x\n")],
        folder: "",
        reference: "invalid Kustomization: yaml: cannot decode !!str `x` as a !!int",
        told: &["hint: kustomization.yaml:1: a value here is not what its tag says"],
    },
    Broken {
        name: "a key that is a map",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  ? {a: \"\"}\n  : b\n"),
        ],
        folder: "",
        reference: "map[string]interface {}(nil): yaml: invalid map key: map[string]interface {}{\"a\":\"\"}",
        told: &["hint: a.yaml:5: a key is to be text, and one of this object's is a map or a list"],
    },
    Broken {
        name: "two merge signs in a map",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: T\nmetadata: {name: a}\nx:\n  <<: {a: b}\n  <<: {c: d}\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'a.yaml': duplicate merge key': must build at directory: '/r/a.yaml': file is not directory",
        told: &["hint: a.yaml:6: '<<' stands twice in this map"],
    },
];
