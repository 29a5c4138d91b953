//! Where texts that people write once came out otherwise than with the reference program: keys of templates, blanks that look like
//! others, marks at the start of a file, selectors. All texts are the reference's.

use millrace_kustomize::{MemoryFiles, Options, build};

pub(crate) struct Case {
    pub(crate) files: &'static [(&'static str, &'static str)],
    pub(crate) expected: Result<&'static str, &'static str>,
}

pub(crate) fn built(files: &[(&str, &str)]) -> Result<String, String> {
    let mut memory = MemoryFiles::new();
    for (path, text) in files {
        memory.insert(path, *text);
    }
    build(&memory, "", &Options::cli("/r")).map(|output| output.to_yaml()).map_err(|error| error.reference)
}

pub(crate) fn check(cases: &[Case]) {
    for case in cases {
        assert_eq!(built(case.files).as_deref().map_err(String::as_str), case.expected, "{:?}", case.files);
    }
}

const COMPLEX_KEYS: &[Case] = &[
    Case {
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  {{ a }}: b\n  {{ c }}: d\n",
            ),
        ],
        expected: Err(
            "map[string]interface {}(nil): yaml: unmarshal errors:\n  line 7: mapping key \"\" already defined at line 5",
        ),
    },
    Case {
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  {{ a }}: b\n  k: l\n  {{ c }}: d\n  {{ e }}: d\n  k: m\n",
            ),
        ],
        expected: Err(
            "map[string]interface {}(nil): yaml: unmarshal errors:\n  line 8: mapping key \"\" already defined at line 5\n  line 10: mapping key \"\" already defined at line 5\n  line 12: mapping key \"k\" already defined at line 7\n  line 10: mapping key \"\" already defined at line 8",
        ),
    },
    Case {
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n{{ x }}: c\n"),
        ],
        expected: Err(
            "map[string]interface {}(nil): yaml: unmarshal errors:\n  line 4: cannot unmarshal !!map into string",
        ),
    },
    Case {
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n[a]: c\n"),
        ],
        expected: Err(
            "map[string]interface {}(nil): yaml: unmarshal errors:\n  line 4: cannot unmarshal !!seq into string",
        ),
    },
    Case {
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n[a]: c\n{{ x }}: d\n"),
        ],
        expected: Err(
            "map[string]interface {}(nil): yaml: unmarshal errors:\n  line 4: cannot unmarshal !!seq into string\n  line 6: cannot unmarshal !!map into string",
        ),
    },
    Case {
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n[a]: c\n[b]: d\n"),
        ],
        expected: Err(
            "map[string]interface {}(nil): yaml: unmarshal errors:\n  line 6: mapping key \"\" already defined at line 4",
        ),
    },
    Case {
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n{{ x }}: c\ndata:\n  {{ y }}: d\n",
            ),
        ],
        expected: Err(
            "map[string]interface {}(nil): yaml: invalid map key: map[string]interface {}{\"y\":\"\"}",
        ),
    },
    Case {
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  {{ y }}: d\n{{ x }}: c\n",
            ),
        ],
        expected: Err(
            "map[string]interface {}(nil): yaml: invalid map key: map[string]interface {}{\"y\":\"\"}",
        ),
    },
    Case {
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  {{ y }}: d\n  [a]: c\n",
            ),
        ],
        expected: Err(
            "map[string]interface {}(nil): yaml: invalid map key: map[string]interface {}{\"y\":\"\"}",
        ),
    },
    Case {
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  x:\n    {{ y }}: d\n  y:\n    {{ z }}: c\n",
            ),
        ],
        expected: Err(
            "map[string]interface {}(nil): yaml: invalid map key: map[string]interface {}{\"y\":\"\"}",
        ),
    },
    Case {
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n{{ x }}: c\na: b\na: c\n"),
        ],
        expected: Err(
            "map[string]interface {}(nil): yaml: unmarshal errors:\n  line 7: mapping key \"a\" already defined at line 6",
        ),
    },
    Case {
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  {{ y }}: d\n  {{- end }}: x\n",
            ),
        ],
        expected: Err(
            "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 5: did not find expected node content in File: a.yaml",
        ),
    },
    Case {
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n? {{a}: b}\n: {{c}: d}\n"),
        ],
        expected: Err(
            "map[string]interface {}(nil): yaml: unmarshal errors:\n  line 4: cannot unmarshal !!map into string",
        ),
    },
    Case {
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nspec:\n  a: {{x}: y, {z}: w}\nk: {{q}: w, {r}: t}\n",
            ),
        ],
        expected: Err(
            "map[string]interface {}(nil): yaml: unmarshal errors:\n  line 5: mapping key \"\" already defined at line 5\n  line 6: mapping key \"\" already defined at line 6",
        ),
    },
];

#[test]
fn keys_that_are_maps_or_lists_are_told_as_go_comes_to_them() {
    check(COMPLEX_KEYS);
}

#[test]
fn names_are_quoted_as_go_quotes_them() {
    check(&[
        Case {
            files: &[
                ("kustomization.yaml", "\u{a0}resources: [a.yaml]\n"),
                ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
            ],
            expected: Err("invalid Kustomization: json: unknown field \"\\u00a0resources\""),
        },
        Case {
            files: &[
                ("kustomization.yaml", "resources: [a.yaml]\n"),
                (
                    "a.yaml",
                    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a\u{a0}b: c\n  a\u{a0}b: d\n",
                ),
            ],
            expected: Err(
                "map[string]interface {}(nil): yaml: unmarshal errors:\n  line 6: mapping key \"a\\u00a0b\" already defined at line 5",
            ),
        },
        Case {
            files: &[
                ("kustomization.yaml", "resources: [a.yaml]\n"),
                (
                    "a.yaml",
                    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  {{ a\u{a0}b }}: c\n",
                ),
            ],
            expected: Err(
                "map[string]interface {}(nil): yaml: invalid map key: map[string]interface {}{\"a\\u00a0b\":\"\"}",
            ),
        },
    ]);
}

#[test]
fn a_blank_selector_rejects_all() {
    check(&[Case {
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nreplacements:\n- sourceValue: v\n  targets:\n  - {select: {kind: '.*'}, reject: [{labelSelector: ' '}], fieldPaths: [metadata.annotations.q], options: {create: true}}\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        expected: Ok("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"),
    }]);
}

#[test]
fn one_byte_order_mark_is_taken_off_and_a_next_line_folds_what_stands_before_it() {
    check(&[
        Case {
            files: &[
                (
                    "kustomization.yaml",
                    "configMapGenerator: [{name: a, envs: [e.env], options: {disableNameSuffixHash: true}}]\n",
                ),
                ("e.env", "\u{feff}\u{feff}A=b\n"),
            ],
            expected: Ok(
                "apiVersion: v1\ndata:\n  \"\\uFEFF\\x41\": b\nkind: ConfigMap\nmetadata:\n  name: a\n",
            ),
        },
        Case {
            files: &[
                ("kustomization.yaml", "resources: [a.yaml]\n"),
                (
                    "a.yaml",
                    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: \"a\\u0085b \", l: \"x\\u0085: \", m: \"a \\u0085 b \\u0085\"}\n",
                ),
            ],
            expected: Ok(
                "apiVersion: v1\ndata:\n  k: 'a b '\n  l: 'x : '\n  m: 'a b '\nkind: ConfigMap\nmetadata:\n  name: a\n",
            ),
        },
    ]);
}

#[test]
fn flags_of_an_expression_may_stand_twice() {
    check(&[Case {
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- target: {name: '(?ii)A'}\n  patch: '[{\"op\":\"add\",\"path\":\"/x\",\"value\":1}]'\n- target: {name: '(?i-i)a'}\n  patch: '[{\"op\":\"add\",\"path\":\"/y\",\"value\":1}]'\n- target: {name: '[\\p{L}-]{1,9}'}\n  patch: '[{\"op\":\"add\",\"path\":\"/z\",\"value\":1}]'\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ],
        expected: Ok("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\nx: 1\n\"y\": 1\nz: 1\n"),
    }]);
}

#[test]
fn subjects_that_cannot_be_decoded_are_none() {
    check(&[Case {
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- target: {name: db}\n  patch: |-\n    - {op: replace, path: /subjects/0/namespace, value: 0}\nreplacements:\n- source: {name: web}\n  targets: [{select: {name: db}, fieldPaths: [subjects.0.namespace]}]\n",
            ),
            (
                "a.yaml",
                "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: db}\nsubjects:\n- kind: ServiceAccount\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: sa}\n",
            ),
        ],
        expected: Err(
            "updating name reference in 'subjects' field of 'RoleBinding.v1.rbac.authorization.k8s.io/db.[noNs]': considering field 'subjects' of object RoleBinding.v1.rbac.authorization.k8s.io/db.[noNs]: path config error; no 'name' field in node",
        ),
    }]);
}
