//! Where texts that people write once came out otherwise than with the reference program once it had printed and read them
//! again: times and folded text in brackets, texts that begin with a tab, large numbers in JSON. All texts are the reference's.

use millrace_kustomize::{MemoryFiles, Options, build};

use super::differences_of_reading::{Case, built, check};

const IN_BRACKETS: &[Case] = &[
    Case {
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\npatches: [{path: p.yaml}]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {z: '1'}\n"),
            (
                "p.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: >\n    x\n     y\n    z\n",
            ),
        ],
        expected: Ok(
            "apiVersion: v1\ndata:\n  a: |\n    x\n     y\n    z\n  z: \"1\"\nkind: ConfigMap\nmetadata:\n  name: a\n",
        ),
    },
    Case {
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: T\nmetadata: {name: a}\nspec: {a: 2024-01-02 03:04:05, b: [2024-01-02T3:4:5Z], c: 2024-01-02, d: 2024-01-02T03:04:05Z}\ne: 2024-01-02 03:04:05\n",
            ),
        ],
        expected: Ok(
            "apiVersion: v1\ne: \"2024-01-02T03:04:05Z\"\nkind: T\nmetadata:\n  name: a\nspec:\n  a: \"2024-01-02 03:04:05\"\n  b:\n  - \"2024-01-02T3:4:5Z\"\n  c: \"2024-01-02T00:00:00Z\"\n  d: \"2024-01-02T03:04:05Z\"\n",
        ),
    },
    Case {
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: T\nmetadata: {name: a}\nspec: {2024-01-02T03:04:05Z: 1}\n"),
        ],
        expected: Ok("apiVersion: v1\nkind: T\nmetadata:\n  name: a\nspec:\n  \"2024-01-02T03:04:05Z\": 1\n"),
    },
    Case {
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: x, l: y, ? : b}\n"),
        ],
        expected: Ok(
            "apiVersion: v1\ndata:\n  \"\": b\n  k: x\n  l: \"y\"\nkind: ConfigMap\nmetadata:\n  name: a\n",
        ),
    },
    Case {
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  ? \n  : b\n"),
        ],
        expected: Ok("apiVersion: v1\ndata:\n  \"\": b\nkind: ConfigMap\nmetadata:\n  name: a\n"),
    },
    Case {
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: T\nmetadata: {name: a, labels: {&la: b}}\n"),
        ],
        expected: Ok("apiVersion: v1\nkind: T\nmetadata:\n  labels:\n    \"\": b\n  name: a\n"),
    },
    Case {
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "apiVersion: v1\nkind: FooList\nitems:\n- apiVersion: v1\n  kind: Foo\n  metadata: {name: a}\n  spec: {s: , t: 1, u: [ , 2024-01-02 03:04:05]}\n",
            ),
        ],
        expected: Err(
            "accumulating resources: accumulating resources from 'a.yaml': MalformedYAMLError: yaml: line 6: did not find expected node content in File: a.yaml",
        ),
    },
];

#[test]
fn what_stands_in_brackets_is_printed_in_quotes_and_read_again() {
    check(IN_BRACKETS);
}

const TABS: &[Case] = &[
    Case {
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- target: {kind: ConfigMap}\n  patch: |-\n    [{\"op\":\"add\",\"path\":\"/metadata/labels\",\"value\":{\"x\":\"y\"}}]\n",
            ),
            (
                "a.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: \"\\techo a\\n\\techo b\\n\"}\n",
            ),
        ],
        expected: Err("yaml: line 3: found a tab character where an indentation space is expected"),
    },
    Case {
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nnamePrefix: p-\npatches:\n- target: {kind: ConfigMap}\n  patch: |-\n    [{\"op\":\"add\",\"path\":\"/data/z\",\"value\":\"\\tx\\ny\"}]\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v, a: \"b\\nc\"}\n"),
        ],
        expected: Err("yaml: line 7: found a tab character where an indentation space is expected"),
    },
    Case {
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- target: {kind: ConfigMap}\n  patch: |-\n    [{\"op\":\"add\",\"path\":\"/metadata/labels\",\"value\":{\"x\":\"y\"}}]\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: \"\\tx\"}\n"),
        ],
        expected: Ok(
            "apiVersion: v1\ndata:\n  k: \"\\tx\"\nkind: ConfigMap\nmetadata:\n  labels:\n    x: \"y\"\n  name: a\n",
        ),
    },
    Case {
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- target: {kind: Holder}\n  patch: |-\n    [{\"op\":\"add\",\"path\":\"/x\",\"value\":\"\\tb\\nc\"}]\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: Holder\nmetadata: {name: h}\n"),
        ],
        expected: Err("yaml: line 9: found a tab character where an indentation space is expected"),
    },
    Case {
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- target: {kind: Holder}\n  patch: |-\n    [{\"op\":\"add\",\"path\":\"/x\",\"value\":\"\\tb\\nc\"}]\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: Holder\nmetadata: {name: h, labels: {a: b}}\n"),
        ],
        expected: Err("yaml: line 11: found a tab character where an indentation space is expected"),
    },
    Case {
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- target: {kind: Holder}\n  patch: |-\n    [{\"op\":\"add\",\"path\":\"/x\",\"value\":\"\\tb\\nc\"}]\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: Holder\nmetadata: {name: h, annotations: {}}\n"),
        ],
        expected: Err("yaml: line 9: found a tab character where an indentation space is expected"),
    },
    Case {
        files: &[
            (
                "kustomization.yaml",
                "resources: [base]\npatches:\n- target: {kind: Holder}\n  patch: |-\n    [{\"op\":\"add\",\"path\":\"/x\",\"value\":\"\\tb\\nc\"}]\n",
            ),
            ("base/kustomization.yaml", "resources: [a.yaml]\nnamePrefix: p-\n"),
            ("base/a.yaml", "apiVersion: v1\nkind: Holder\nmetadata: {name: h}\n"),
        ],
        expected: Err("yaml: line 10: found a tab character where an indentation space is expected"),
    },
    Case {
        files: &[
            (
                "kustomization.yaml",
                "configMapGenerator: [{name: a, files: [Makefile=f.txt], options: {disableNameSuffixHash: true}}]\npatches:\n- target: {kind: ConfigMap}\n  patch: |-\n    [{\"op\":\"remove\",\"path\":\"/data/nope\"}]\n",
            ),
            ("f.txt", "\techo a\n\techo b\n"),
        ],
        expected: Err("yaml: line 11: found a tab character where an indentation space is expected"),
    },
];

#[test]
fn a_json_patch_takes_no_text_that_begins_with_a_tab_and_goes_on() {
    check(TABS);
}

#[test]
fn numbers_in_json_text_keep_their_digits() {
    check(&[
        Case {
            files: &[
                (
                    "kustomization.yaml",
                    "resources: [a.yaml]\nreplacements:\n- sourceValue: '18446744073709551615'\n  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.j.x]}]\n",
                ),
                (
                    "a.yaml",
                    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  j: '{\"x\":\"old\",\"a\":9007199254740993,\"b\":9223372036854775807,\"d\":18446744073709551615,\"f\":-9223372036854775808,\"g\":18446744073709551616,\"h\":1e3,\"i\":1.5,\"k\":1E400}'\n",
                ),
            ],
            expected: Ok(
                "apiVersion: v1\ndata:\n  j: '{\"a\":9007199254740993,\"b\":9223372036854775807,\"d\":18446744073709551615,\"f\":-9223372036854775808,\"g\":18446744073709552000,\"h\":1000,\"i\":1.5,\"k\":\"1E400\",\"x\":\"18446744073709551615\"}'\nkind: ConfigMap\nmetadata:\n  name: a\n",
            ),
        },
        Case {
            files: &[
                (
                    "kustomization.yaml",
                    "resources: [a.yaml]\nreplacements:\n- sourceValue: new\n  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.j.x]}]\n",
                ),
                (
                    "a.yaml",
                    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  j: '{\"x\":\"old\",\"a\":9007199254740993,\"b\":1.0,\"c\":100000000000000000000000,\"e\":1e-7}'\n",
                ),
            ],
            expected: Ok(
                "apiVersion: v1\ndata:\n  j: '{\"a\":9007199254740993,\"b\":1,\"c\":1e+23,\"e\":1e-7,\"x\":\"new\"}'\nkind: ConfigMap\nmetadata:\n  name: a\n",
            ),
        },
    ]);
}

#[test]
fn places_are_noted_in_one_line_with_their_quotes() {
    check(&[
        Case {
            files: &[
                (
                    "kustomization.yaml",
                    "resources: ['w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w']\nbuildMetadata: [originAnnotations, transformerAnnotations]\nnamePrefix: p-\n",
                ),
                (
                    "w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w/kustomization.yaml",
                    "resources: [a.yaml]\nnameSuffix: -s\n",
                ),
                (
                    "w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w/a.yaml",
                    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
                ),
            ],
            expected: Ok(
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  annotations:\n    alpha.config.kubernetes.io/transformations: |\n      - configuredIn: w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w/kustomization.yaml\n        configuredBy:\n          apiVersion: builtin\n          kind: SuffixTransformer\n      - configuredIn: kustomization.yaml\n        configuredBy:\n          apiVersion: builtin\n          kind: PrefixTransformer\n    config.kubernetes.io/origin: |\n      path: w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w w/a.yaml\n  name: p-a-s\n",
            ),
        },
        Case {
            files: &[
                (
                    "kustomization.yaml",
                    "resources: ['yes', n]\nbuildMetadata: [originAnnotations, transformerAnnotations]\ntransformers: [t.yaml]\nconfigMapGenerator: [{name: 'off'}]\n",
                ),
                ("yes", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
                ("n", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n"),
                (
                    "t.yaml",
                    "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: 'on'}\nlabels: {l: m}\nfieldSpecs: [{path: metadata/labels, create: true}]\n",
                ),
            ],
            expected: Err(
                "invalid Kustomization: json: cannot unmarshal bool into Go struct field Kustomization.resources of type string",
            ),
        },
        Case {
            files: &[
                (
                    "kustomization.yaml",
                    "resources: [base]\nbuildMetadata: [transformerAnnotations]\npatches: [{target: {kind: ConfigMap}, patch: '[{\"op\":\"add\",\"path\":\"/metadata/annotations/a\",\"value\":\"b\"}]'}]\n",
                ),
                ("base/kustomization.yaml", "resources: [a.yaml]\ntransformers: [t.yaml]\n"),
                ("base/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
                (
                    "base/t.yaml",
                    "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: 'no'}\nlabels: {l: m}\nfieldSpecs: [{path: metadata/labels, create: true}]\n",
                ),
            ],
            expected: Ok(
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  annotations:\n    a: b\n    alpha.config.kubernetes.io/transformations: |\n      - configuredIn: base/t.yaml\n        configuredBy:\n          apiVersion: builtin\n          kind: LabelTransformer\n          name: \"no\"\n      - configuredIn: kustomization.yaml\n        configuredBy:\n          apiVersion: builtin\n          kind: PatchTransformer\n  labels:\n    l: m\n  name: a\n",
            ),
        },
    ]);
}

#[test]
fn a_sort_that_knows_no_order_comes_out_as_with_the_reference() {
    const SORT: &str = "resources: [a.yaml]\nsortOptions: {order: legacy, legacySortOptions: {orderFirst: [CustomResourceDefinition], orderLast: [Deployment]}}\n";
    // The core's namespaces stand before others, those before topics, and these before the core's.
    let object = |name: &str| {
        let (version, kind) = match &name[..1] {
            "n" => ("v1", "Namespace"),
            "e" => ("eventhub.azure.com/v1", "Namespace"),
            "s" => ("v1", "Service"),
            "d" => ("apps/v1", "Deployment"),
            _ => ("kafka.strimzi.io/v1", "Topic"),
        };
        format!("apiVersion: {version}\nkind: {kind}\nmetadata: {{name: {name}}}\n")
    };
    for (written, printed) in [
        (
            "n1 n0y s1x t4 d2x e3x t4x e1 n1x e5 t6 e4y t7x e2 t2x t3 n4y d3 d3y e1y d0x t0y d2y e4 d3x n2 e5y s1y t0x e0x t1y s2y s2 d0y n4 t6y s3 n3y n3x s2x t5 t5y n0 t7y n3 d0 t4y n0x n2y t2y s1 s0x t3y t0 d1y t2 e0 e1x n2x t1 s3x t6x n1y e3 s0y e5x d2 n4x s0 s3y e2x d1 e2y t7 d1x n5y e4x t3x e0y e3y n5x n5 t5x t1x",
            "e0 e0x e0y e1 e1x e1y e2 e2x e2y e3 e3x e3y e4 e4x e4y e5 e5x e5y t0 t0x t0y t1 t1x t1y t2 t2x t2y t3 t3x t3y t4 t4x t4y t5 t5x t5y t6 t6x t6y t7 t7x t7y n0 n0x n0y n1 n1x n1y n2 n2x n2y n3 n3x n3y n4 n4x n4y n5 n5x n5y s0 s0x s0y s1 s1x s1y s2 s2x s2y s3 s3x s3y d0 d0x d0y d1 d1x d1y d2 d2x d2y d3 d3x d3y",
        ),
        (
            "t3 t6 e5 e4 t2 n1 n5 t7 d3 s1 e3 d1 d0 n0 e1 t1 e0 s0 t0 s2 s3 n3 e2 n2 t4 t5 d2 n4",
            "e0 e1 e2 e3 e4 e5 t0 t1 t2 t3 t4 t5 t6 t7 n0 n1 n2 n3 n4 n5 s0 s1 s2 s3 d0 d1 d2 d3",
        ),
        (
            "n3 t0 d1 s3 n0 t4 n4 e1 s2 d0 d3 t3 s0 d2 e4 s1 t2 t6 e0 e2 e3 t1 n5 e5 t5 n2 n1 t7",
            "n0 n1 n2 n3 n4 n5 e0 e1 e2 e3 e4 e5 t0 t1 t2 t3 t4 t5 t6 t7 s0 s1 s2 s3 d0 d1 d2 d3",
        ),
        (
            "e0 t5 t2 t4 n1 n5 s0 e4 e3 s2 t7 t3 s1 n3 d0 e2 t1 n0 n2 t6 t0 s3 d3 e5 n4 d1 d2 e1",
            "t0 t1 t2 t3 t4 t5 t6 t7 n0 n1 n2 n3 n4 n5 e0 e1 e2 e3 e4 e5 s0 s1 s2 s3 d0 d1 d2 d3",
        ),
    ] {
        let objects: Vec<String> = written.split(' ').map(object).collect();
        let output =
            built(&[("kustomization.yaml", SORT), ("a.yaml", &objects.join("---\n"))]).expect(written);
        let names: Vec<&str> = output.lines().filter_map(|line| line.strip_prefix("  name: ")).collect();
        assert_eq!(names.join(" "), printed);
    }
}

#[test]
fn what_goes_to_files_of_its_own_is_not_printed_and_read_again() {
    let written = |fields: &str| {
        let mut files = MemoryFiles::new();
        files.insert("kustomization.yaml", "resources: [a.yaml]\n");
        files.insert("a.yaml", format!("apiVersion: v1\nkind: T\nmetadata: {{name: 1.50}}\n{fields}\n"));
        let options = Options { own_files: true, ..Options::cli("/r") };
        let output = build(&files, "", &options).map_err(|error| error.reference)?;
        assert_eq!(output.written_ids[0].name, "1.50");
        Ok(output.to_yaml())
    };
    let printed =
        |fields: &str| Ok(format!("apiVersion: v1\nkind: T\nmetadata:\n  name: 1.5\nspec:\n{fields}"));
    assert_eq!(
        written("spec: {f: , t: 2024-01-02 03:04:05}"),
        printed("  f: null\n  t: \"2024-01-02T03:04:05Z\"\n")
    );
    assert_eq!(written("spec:\n  f: >\n    a\n     b\n    c"), printed("  f: |\n    a\n     b\n    c\n"));
    assert_eq!(
        written("spec: .inf"),
        Err("error marshaling into JSON: json: unsupported value: +Inf".to_owned())
    );
}
