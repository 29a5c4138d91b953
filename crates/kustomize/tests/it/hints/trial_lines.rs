//! Text that is no YAML: the line that a person is to mend.

use super::Broken;

pub(super) const CASES: &[Broken] = &[
    Broken {
        name: "a quote that nothing closes",
        files: &[
            ("kustomization.yaml", "namespace: 'x\nresources: [a.yaml]\nnamePrefix: y-\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: yaml: line 4: found unexpected end of stream",
        told: &["hint: kustomization.yaml:1: a quote that is opened here is never closed"],
    },
    Broken {
        name: "a quote that nothing closes, at the head of a file",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: \"v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 4: found unexpected end of stream in File: a.yaml",
        told: &["hint: a.yaml:1: a quote that is opened here is never closed"],
    },
    Broken {
        name: "a quote that the next one closes",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  replicas: \"2\n  selector: {}\n  args: [\"-v\"]\n  env: []\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 4: did not find expected key in File: a.yaml",
        told: &["hint: a.yaml:5: the quote that is opened here is closed in line 7, and text follows there"],
    },
    Broken {
        name: "a quote inside of quotes",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  greeting: 'it's me'\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 4: did not find expected key in File: a.yaml",
        told: &[
            "hint: a.yaml:5: text stands behind the quote that ends a value: inside of single quotes, ' is written twice",
        ],
    },
    Broken {
        name: "a quote that nothing closes in a patch",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- target: {kind: ConfigMap}\n  patch: |\n    - op: add\n      path: \"/data\n      value: {}\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "trouble configuring builtin PatchTransformer with config: `\npatch: |\n  - op: add\n    path: \"/data\n    value: {}\ntarget:\n  kind: ConfigMap\n`: unable to parse SM or JSON patch from [patch: \"- op: add\\n  path: \\\"/data\\n  value: {}\"]",
        told: &[
            "hint: kustomization.yaml:3: line 2 of the patch: a quote that is opened here is never closed",
        ],
    },
    Broken {
        name: "a colon without a space",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  replicas:2\n  selector:\n    matchLabels: {a: b}\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 6: mapping values are not allowed in this context in File: a.yaml",
        told: &["hint: a.yaml:5: a space is missing behind the ':' of this line"],
    },
    Broken {
        name: "a key without a colon",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name a\n  labels:\n    a: b\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 5: mapping values are not allowed in this context in File: a.yaml",
        told: &["hint: a.yaml:4: this line has no ':', so the next one goes on with its text"],
    },
    Broken {
        name: "a colon without a space in the last line",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nnameSuffix:-x\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: yaml: line 3: could not find expected ':'",
        told: &["hint: kustomization.yaml:2: a space is missing behind the ':' of this line"],
    },
    Broken {
        name: "a no-break space behind a colon",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  replicas: 2\n  selector:\n    matchLabels: {a: b}\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 6: mapping values are not allowed in this context in File: a.yaml",
        told: &["hint: a.yaml:5: a no-break space stands behind the ':': YAML wants a plain one"],
    },
    Broken {
        name: "an entry that the next line goes on with",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  args:\n  - sleep\n    image: x\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 7: mapping values are not allowed in this context in File: a.yaml",
        told: &[
            "hint: a.yaml:7: this line is indented further than the one it belongs to, or ends a value that wants quotes",
        ],
    },
    Broken {
        name: "a brace that nothing closes",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {a: b\ndata: {}\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 4: did not find expected ',' or '}' in File: a.yaml",
        told: &["hint: a.yaml:5: a '{' that is opened here is never closed"],
    },
    Broken {
        name: "a bracket that nothing closes in a patch",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- target: {kind: ConfigMap}\n  patch: |\n    - op: add\n      path: /data\n      value: [x\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "trouble configuring builtin PatchTransformer with config: `\npatch: |\n  - op: add\n    path: /data\n    value: [x\ntarget:\n  kind: ConfigMap\n`: unable to parse SM or JSON patch from [patch: \"- op: add\\n  path: /data\\n  value: [x\"]",
        told: &["hint: kustomization.yaml:3: line 3 of the patch: a '[' that is opened here is never closed"],
    },
    Broken {
        name: "a JSON patch without a comma",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- {path: p.json, target: {kind: ConfigMap}}\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
            (
                "p.json",
                "[\n{\"op\": \"add\", \"path\": \"/data\", \"value\": {}}\n{\"op\": \"remove\", \"path\": \"/data\"}\n]\n",
            ),
        ],
        folder: "",
        reference: "trouble configuring builtin PatchTransformer with config: `\npath: p.json\ntarget:\n  kind: ConfigMap\n`: unable to parse SM or JSON patch from [path: \"p.json\"]",
        told: &["hint: p.json:2: a ',' is missing at the end of this line"],
    },
    Broken {
        name: "a bracket in a value between braces",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: x[0]}\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 3: did not find expected ',' or '}' in File: a.yaml",
        told: &["hint: a.yaml:4: a value with '[' in it wants quotes where it stands between brackets"],
    },
    Broken {
        name: "a key that is indented less than its neighbours",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  template:\n    metadata: {}\n   spec: {}\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 4: did not find expected key in File: a.yaml",
        told: &["hint: a.yaml:7: the line is indented less than the one above it, and like none before"],
    },
    Broken {
        name: "a key that is indented more than its neighbours",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n data: {}\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 3: did not find expected key in File: a.yaml",
        told: &["hint: a.yaml:4: this line is indented further than the one it belongs to"],
    },
    Broken {
        name: "a patch whose text is not indented",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n  - target: {kind: ConfigMap}\n    patch: |-\n    - op: add\n      path: /data\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: yaml: line 4: did not find expected key",
        told: &["hint: kustomization.yaml:5: indent this text further than the line of its '|'"],
    },
    Broken {
        name: "a text that is not indented",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  run: |\n  echo a\n  echo b: c\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 6: could not find expected ':' in File: a.yaml",
        told: &["hint: a.yaml:6: indent this text further than the line of its '|'"],
    },
    Broken {
        name: "no-break spaces in place of spaces",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'a.yaml': missing metadata.name in object {{v1 ConfigMap} {{ } map[] map[]}}': must build at directory: '/r/a.yaml': file is not directory",
        told: &["hint: a.yaml:4: the line is indented with a no-break space: YAML takes plain spaces only"],
    },
    Broken {
        name: "a colon without a space before a comment",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  replicas:2 # two\n  selector: {}\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 5: did not find expected key in File: a.yaml",
        told: &["hint: a.yaml:5: a space is missing behind the ':' of this line"],
    },
    Broken {
        name: "an entry without a space, behind another",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: x\n    image: x\n  -name: y\n    image: y\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 9: mapping values are not allowed in this context in File: a.yaml",
        told: &["hint: a.yaml:8: the '-' that begins an entry wants a space behind it"],
    },
    Broken {
        name: "a bracket that closes nothing",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: ]\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 3: did not find expected node content in File: a.yaml",
        told: &["hint: a.yaml:4: the ']' in this line closes nothing that is open"],
    },
    Broken {
        name: "a bracket at the end of a document",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 4: did not find expected node content in File: a.yaml",
        told: &["hint: a.yaml:4: a '{' that is opened here is never closed"],
    },
    Broken {
        name: "values in no brackets",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  args: \"-a\", \"-b\"]\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 4: did not find expected key in File: a.yaml",
        told: &["hint: a.yaml:5: a ',' stands behind a value that is in no brackets"],
    },
    Broken {
        name: "a comma that is missing in braces",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a labels: {}}\n"),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 2: did not find expected ',' or '}' in File: a.yaml",
        told: &["hint: a.yaml:3: a ',' is missing in this line, or a value with ': ' in it wants quotes"],
    },
    Broken {
        name: "a key in the column of a list",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n    - name: x\n    image: x\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 5: did not find expected '-' indicator in File: a.yaml",
        told: &[
            "hint: a.yaml:7: this line stands in the column of the list that begins in line 6, and does not begin with '- '",
        ],
    },
    Broken {
        name: "an entry in the column of a key",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  args:\n    - a\n  - b\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 4: did not find expected key in File: a.yaml",
        told: &[
            "hint: a.yaml:7: this '- ' stands in the column of the map that begins in line 5, among its keys",
        ],
    },
    Broken {
        name: "a text whose first line is indented further",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  x: |\n      a\n    b\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 4: did not find expected key in File: a.yaml",
        told: &["hint: a.yaml:7: this line is indented less than line 6, the first of the text behind '|'"],
    },
    Broken {
        name: "no-break spaces far above the error",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  selector:\n    matchLabels: {}\n  template:\n    spec: {}\n",
            ),
        ],
        folder: "",
        reference: "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 6: did not find expected key in File: a.yaml",
        told: &["hint: a.yaml:5: the line is indented with a no-break space: YAML takes plain spaces only"],
    },
];
