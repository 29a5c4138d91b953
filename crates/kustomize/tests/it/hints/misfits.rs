//! Kustomization files with several fields that do not fit: each is told.

use super::Broken;

const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

pub(super) const CASES: &[Broken] = &[
    Broken {
        name: "fields that are misspelt",
        files: &[
            (
                "kustomization.yaml",
                "resource:\n- a.yaml\nnamesuffix: x\npatch:\n- path: p.yaml\nconfigMapGenerators:\n- name: x\n",
            ),
            ("a.yaml", MAP),
        ],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"configMapGenerators\"",
        told: &[
            "hint: kustomization.yaml:6: there is no field 'configMapGenerators': did you mean 'configMapGenerator'?",
            "also: kustomization.yaml:4: there is no field 'patch': did you mean 'patches'?",
            "also: kustomization.yaml:1: there is no field 'resource': did you mean 'resources'?",
        ],
    },
    Broken {
        name: "values of wrong types",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml, 1]\nnamePrefix: [x]\nconfigMapGenerator:\n- name: x\n  literals: a=b\n- name: 2\n  behaviour: merge\n",
            ),
            ("a.yaml", MAP),
        ],
        folder: "",
        reference: "invalid Kustomization: json: cannot unmarshal string into Go struct field ConfigMapArgs.configMapGenerator.GeneratorArgs.KvPairSources.literals of type []string",
        told: &[
            "hint: kustomization.yaml:5: configMapGenerator[0].literals is to be a list, not text: write '- ' before each entry",
            "also: kustomization.yaml:7: configMapGenerator[1] has no field 'behaviour': did you mean 'behavior'?",
            "also: kustomization.yaml:2: namePrefix is to be text, not a list",
            "also: kustomization.yaml:1: resources[1] is to be text, not a number: put it in quotes",
        ],
    },
    Broken {
        name: "fields of one entry that are indented too little",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- path: p.yaml\n  target:\n  kind: ConfigMap\n  name: a\n",
            ),
            ("a.yaml", MAP),
            ("p.yaml", MAP),
        ],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"kind\"",
        told: &[
            "hint: kustomization.yaml:5: patches[0] has no field 'kind': it belongs into 'target': indent it further",
        ],
    },
    Broken {
        name: "a field that is misspelt beside a file that is missing",
        files: &[("kustomization.yaml", "resources: [b.yaml]\nnamePrefixes: x\n"), ("a.yaml", MAP)],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"namePrefixes\"",
        told: &[
            "hint: kustomization.yaml:2: there is no field 'namePrefixes': did you mean 'namePrefix'?",
            "also: kustomization.yaml:1: 'b.yaml' is not there: the folder has 'a.yaml'",
        ],
    },
    Broken {
        name: "a base whose fields are misspelt",
        files: &[
            ("kustomization.yaml", "resources: [base]\n"),
            ("base/kustomization.yaml", "resource: [a.yaml]\nnamePrefixes: x\n"),
            ("base/a.yaml", MAP),
        ],
        folder: "",
        reference: "accumulating resources: accumulation err='accumulating resources from 'base': '/r/base' must resolve to a file': couldn't make target for path '/r/base': invalid Kustomization: json: unknown field \"namePrefixes\"",
        told: &[
            "hint: base/kustomization.yaml:2: there is no field 'namePrefixes': did you mean 'namePrefix'?",
            "also: base/kustomization.yaml:1: there is no field 'resource': did you mean 'resources'?",
        ],
    },
    Broken {
        name: "a patch that is the path of a file",
        files: &[("kustomization.yaml", "resources: [a.yaml]\npatches:\n- p.yaml\n"), ("a.yaml", MAP)],
        folder: "",
        reference: "invalid Kustomization: json: cannot unmarshal string into Go struct field Kustomization.patches of type types.Patch",
        told: &["hint: kustomization.yaml:3: patches[0] is to be a map, not text: write '- path: p.yaml'"],
    },
    Broken {
        name: "a patch that is text",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\npatches:\n- |-\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n",
            ),
            ("a.yaml", MAP),
        ],
        folder: "",
        reference: "invalid Kustomization: json: cannot unmarshal string into Go struct field Kustomization.patches of type types.Patch",
        told: &[
            "hint: kustomization.yaml:3: patches[0] is to be a map, not text: its fields are 'path', 'patch', 'target', 'options'",
        ],
    },
    Broken {
        name: "an image that is a name",
        files: &[("kustomization.yaml", "images: [x]\nreplacements: [r.yaml]\n")],
        folder: "",
        reference: "invalid Kustomization: json: cannot unmarshal string into Go struct field Kustomization.images of type types.Image",
        told: &[
            "hint: kustomization.yaml:1: images[0] is to be a map, not text: its fields are 'name', 'newName', 'tagSuffix', 'newTag', 'digest'",
            "also: kustomization.yaml:2: replacements[0] is to be a map, not text: write '- path: r.yaml'",
        ],
    },
    Broken {
        name: "fields of a Kustomization of Flux",
        files: &[
            (
                "kustomization.yaml",
                "resources: [a.yaml]\ninterval: 10m\npath: ./apps\nprune: true\nsourceRef: {kind: GitRepository, name: x}\nnameprefixes: x\n",
            ),
            ("a.yaml", MAP),
        ],
        folder: "",
        reference: "invalid Kustomization: json: unknown field \"interval\"",
        told: &[
            "hint: kustomization.yaml:2: there is no field 'interval': it belongs into the spec of a Kustomization of Flux, an object in a file of its own",
            "also: kustomization.yaml:6: there is no field 'nameprefixes': did you mean 'namePrefix'?",
        ],
    },
];
