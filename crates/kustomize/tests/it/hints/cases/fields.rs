//! Kustomization files whose fields stand at the wrong place, or hold something else.

use super::super::Broken;

use super::WEB;

pub(super) const CASES: &[Broken] = &[
    Broken {
        name: "a path in a map among strategic patches",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\npatchesStrategicMerge:\n- path: p.yaml\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
            ("p.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: cannot unmarshal object into Go struct field Kustomization.patchesStrategicMerge of type types.PatchStrategicMerge",
        told: &[
            "hint: kustomization.yaml:3: patchesStrategicMerge[0] is to be text, not a map: write '- p.yaml' alone",
        ],
    },
    Broken {
        name: "a patch in a map among strategic patches",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\npatchesStrategicMerge:\n- patch: |\n    kind: x\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: cannot unmarshal object into Go struct field Kustomization.patchesStrategicMerge of type types.PatchStrategicMerge",
        told: &[
            "hint: kustomization.yaml:3: patchesStrategicMerge[0] is to be text, not a map: list the entry under patches",
        ],
    },
    Broken {
        name: "a map for the rows of a configuration",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nconfigurations: [c.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
            ("c.yaml", "varReference:\n  path: x\n"),
        ],
        folder: "",
        reference: "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal object into Go struct field TransformerConfig.varReference of type types.FsSlice",
        told: &["hint: c.yaml:1: varReference is to be a list, not a map: begin its entries with '- '"],
    },
    Broken {
        name: "a number for the rows of a configuration",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nconfigurations: [c.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
            ("c.yaml", "namePrefix: 5\n"),
        ],
        folder: "",
        reference: "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal number into Go struct field TransformerConfig.namePrefix of type types.FsSlice",
        told: &["hint: c.yaml:1: namePrefix is to be a list, not a number: write '- ' before each entry"],
    },
    Broken {
        name: "a map for the references of a configuration",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nconfigurations: [c.yaml]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
            ("c.yaml", "nameReference:\n  kind: x\n"),
        ],
        folder: "",
        reference: "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal object into Go struct field TransformerConfig.nameReference of type builtinconfig.nbrSlice",
        told: &["hint: c.yaml:1: nameReference is to be a list, not a map: begin its entries with '- '"],
    },
    Broken {
        name: "replicas that are no whole number",
        files: &[
            ("kustomization.yaml", "resources: [d.yaml]\nreplicas:\n- name: web\n  count: 1.5\n"),
            ("d.yaml", WEB),
        ],
        folder: "",
        reference: "invalid Kustomization: json: cannot unmarshal number 1.5 into Go struct field Replica.replicas.count of type int64",
        told: &["hint: kustomization.yaml:4: replicas[0].count is to be a whole number"],
    },
    Broken {
        name: "a field of labels that is indented too far",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\nlabels:\n- pairs:\n    env: p\n    includeSelectors: true\n",
            ),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: cannot unmarshal bool into Go struct field Label.labels.pairs of type string",
        told: &[
            "hint: kustomization.yaml:5: labels[0].pairs.includeSelectors: 'includeSelectors' belongs beside 'pairs': indent it less",
        ],
    },
    Broken {
        name: "a number for a label",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nlabels:\n- pairs:\n    env: 5\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: cannot unmarshal number into Go struct field Label.labels.pairs of type string",
        told: &[
            "hint: kustomization.yaml:4: labels[0].pairs.env is to be text, not a number: put it in quotes",
        ],
    },
    Broken {
        name: "a field of a generator that is indented too little",
        files: &[("kustomization.yaml", "configMapGenerator:\n- name: c\nliterals: [A=1]\n")],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"literals\"",
        told: &[
            "hint: kustomization.yaml:3: there is no field 'literals': it belongs into an entry of 'configMapGenerator': indent it further",
        ],
    },
    Broken {
        name: "a field of an image that is indented too little",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nimages:\n- name: c\nnewTag: \"1\"\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"newTag\"",
        told: &[
            "hint: kustomization.yaml:4: there is no field 'newTag': it belongs into an entry of 'images': indent it further",
        ],
    },
    Broken {
        name: "a field of a target beside it",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\npatches:\n- path: p.yaml\n  kind: ConfigMap\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
            ("p.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"kind\"",
        told: &["hint: kustomization.yaml:4: patches[0] has no field 'kind': it belongs into 'target'"],
    },
    Broken {
        name: "an option of a generator beside its options",
        files: &[(
            "kustomization.yaml",
            "configMapGenerator:\n- name: c\n  literals: [A=1]\n  disableNameSuffixHash: true\n",
        )],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"disableNameSuffixHash\"",
        told: &[
            "hint: kustomization.yaml:4: configMapGenerator[0] has no field 'disableNameSuffixHash': it belongs into 'options'",
        ],
    },
    Broken {
        name: "a field that no entry of the file has",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nfieldPaths: [x]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"fieldPaths\"",
        told: &["hint: kustomization.yaml:2: there is no field 'fieldPaths'"],
    },
    Broken {
        name: "a dash without a space before the first field",
        files: &[
            ("kustomization.yaml", "resources: [a.yaml]\nconfigMapGenerator:\n-name: c\n  literals: [A=1]\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: yaml: line 4: mapping values are not allowed in this context",
        told: &["hint: kustomization.yaml:3: the '-' that begins an entry wants a space behind it"],
    },
    Broken {
        name: "a dash without a space before a file",
        files: &[
            ("kustomization.yaml", "resources:\n-a.yaml\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: yaml: line 3: could not find expected ':'",
        told: &["hint: kustomization.yaml:2: the '-' that begins an entry wants a space behind it"],
    },
    Broken {
        name: "a dash without a space in a file that reads",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\nimages:\n- name: x\n  newTag: y\n-name: c\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"-name\"",
        told: &[
            "hint: kustomization.yaml:6: there is no field '-name': the '-' that begins an entry wants a space behind it",
            "also: kustomization.yaml:5: images[0].newTag is to be text, not true or false: put it in quotes",
        ],
    },
    Broken {
        name: "markers of a merge with three sides",
        files: &[
            ("kustomization.yaml", "resources:\n||||||| parent\n- a.yaml\n=======\n- b.yaml\n>>>>>>> x\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: yaml: line 2: did not find expected comment or line break",
        told: &["hint: kustomization.yaml:2: a conflict of a merge was left in the file"],
    },
    Broken {
        name: "the middle marker of a merge",
        files: &[
            ("kustomization.yaml", "resources:\n- a.yaml\n=======\n- b.yaml\n"),
            ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"),
        ],
        folder: "",
        reference: "invalid Kustomization: yaml: line 4: could not find expected ':'",
        told: &["hint: kustomization.yaml:3: a conflict of a merge was left in the file"],
    },
];
