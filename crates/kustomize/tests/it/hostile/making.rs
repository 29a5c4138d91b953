//! What steps put into objects: a short target may ask for a long text in very many places.

use millrace_kustomize::Limits;

use super::{Expected, Row, config_map, config_maps};

/// The length of the text that is put everywhere.
const LONG: usize = 100_000;
const OBJECTS: usize = 100;
/// Enough for the text in some of the objects.
const FEW: Limits =
    Limits { depth: 10, resources: 1000, bytes: 1 << 30, targets: 100, made_bytes: 2_000_000 };
const MADE: Expected = Expected::Limit("the steps of the build make more than the limit of 2000000 bytes");

fn long() -> String {
    "x".repeat(LONG)
}

/// A target over many objects.
fn over_many(name: &'static str, kustomization: &str) -> Row {
    let kustomization = format!("resources: [many.yaml]\n{}", kustomization.replace("LONG", &long()));
    Row::new(name, &[("kustomization.yaml", kustomization), ("many.yaml", config_maps(OBJECTS))], MADE)
        .under(FEW)
}

fn deployment(containers: usize) -> String {
    let list: String =
        (0..containers).map(|number| format!("      - {{name: c{number}, image: i}}\n")).collect();
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d}}\nspec:\n  template:\n    spec:\n      containers:\n{list}"
    )
}

/// A target over one object of many parts.
fn over_one(name: &'static str, kustomization: &str, expected: Expected) -> Row {
    let kustomization = format!("resources: [d.yaml]\n{}", kustomization.replace("LONG", &long()));
    Row::new(name, &[("kustomization.yaml", kustomization), ("d.yaml", deployment(OBJECTS))], expected)
        .under(FEW)
}

/// A target over one object, many places of which share a label.
fn sharing_a_label(name: &'static str, kustomization: &str) -> Row {
    let object = format!(
        "apiVersion: e.com/v1\nkind: T\nmetadata: {{name: a}}\ny: {{m: {{}}}}\nx:\n{}",
        "- {m: {}}\n".repeat(OBJECTS)
    );
    let labels = "resources: [a.yaml]\nlabels: [{pairs: {app: l}, fields: [{path: x/m, kind: T, create: true}, {path: y/m, kind: T, create: true}]}]";
    let files = [
        ("kustomization.yaml", format!("resources: [b]\n{}", kustomization.replace("LONG", &long()))),
        ("b/kustomization.yaml", labels.to_owned()),
        ("b/a.yaml", object),
    ];
    Row::new(name, &files, MADE).under(FEW)
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = step_rows();
    rows.extend(limit_rows());
    rows.extend(patch_rows());
    rows.extend(replacement_rows());
    rows.extend(variable_rows());
    rows
}

/// A text at the limit and over it: two objects, the key, and what the step counts as.
fn limit_rows() -> Vec<Row> {
    let exact = 2 * (1 + 1000) + 2 * 2 * 32;
    let target = format!("resources: [a.yaml]\nlabels: [{{pairs: {{k: {}}}}}]\n", "v".repeat(1000));
    let files = [("kustomization.yaml", target), ("a.yaml", config_maps(2))];
    let limits = |made_bytes| Limits { made_bytes, ..Limits::default() };
    vec![
        Row::new("made text at the limit", &files, Expected::Objects(2)).under(limits(exact)),
        Row::new(
            "made text over the limit",
            &files,
            Expected::Limit("the steps of the build make more than the limit of 2129 bytes"),
        )
        .under(limits(exact - 1)),
    ]
}

fn step_rows() -> Vec<Row> {
    vec![
        over_many("a long label", "labels: [{pairs: {k: LONG}}]"),
        over_many("a long common label", "commonLabels: {k: LONG}"),
        over_many("a long annotation", "commonAnnotations: {k: LONG}"),
        over_many("a long prefix", "namePrefix: LONG"),
        over_many("a long suffix", "nameSuffix: LONG"),
        over_many("a long namespace", "namespace: LONG"),
        over_one("a long image", "images: [{name: i, newName: LONG}]", MADE),
        over_one("a long tag", "images: [{name: i, newTag: LONG}]", MADE),
        over_many(
            "a long value that a plugin adds",
            "transformers:\n- |-\n  apiVersion: builtin\n  kind: ValueAddTransformer\n  metadata: {name: v}\n  value: LONG\n  targets: [{fieldPath: data/k}]",
        ),
        Row::new(
            "a long label of generators",
            &[(
                "kustomization.yaml",
                format!(
                    "generatorOptions: {{labels: {{k: {}}}}}\nconfigMapGenerator:\n{}",
                    long(),
                    (0..OBJECTS).map(|name| format!("- {{name: g{name}}}\n")).collect::<String>()
                ),
            )],
            MADE,
        )
        .under(FEW),
        over_many(
            "many steps that are recorded",
            &format!(
                "buildMetadata: [transformerAnnotations]\nlabels:\n{}",
                (0..150).map(|key| format!("- {{pairs: {{k{key}: v}}}}\n")).collect::<String>()
            ),
        ),
        Row::new(
            "a long name with many references",
            &[
                ("kustomization.yaml", "resources: [c, d.yaml]".to_owned()),
                ("c/kustomization.yaml", "resources: [d.yaml, a.yaml]\nnamePrefix: p-".to_owned()),
                ("c/a.yaml", config_map(&long())),
                (
                    "c/d.yaml",
                    format!(
                        "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  containers:\n{}",
                        (0..20)
                            .map(|number| format!(
                                "  - {{name: c{number}, envFrom: [{{configMapRef: {{name: {}}}}}]}}\n",
                                long()
                            ))
                            .collect::<String>()
                    ),
                ),
                ("d.yaml", config_map("d")),
            ],
            MADE,
        )
        .under(FEW),
    ]
}

fn patch_rows() -> Vec<Row> {
    let doubling: String = (0..40)
        .map(|step| format!("- {{op: copy, from: /data, path: /data/k{step}}}\n"))
        .collect::<String>()
        .replace('\n', "\n    ");
    let copied = Expected::Limit("the steps of the build copy more than 1000000 values");
    vec![
        over_many(
            "a long strategic patch",
            "patches:\n- target: {kind: ConfigMap}\n  patch: |-\n    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: x}\n    data: {k: LONG}",
        ),
        over_many(
            "a long JSON patch",
            "patches: [{target: {kind: ConfigMap}, patch: '[{\"op\": \"add\", \"path\": \"/data/x\", \"value\": \"LONG\"}]'}]",
        ),
        Row::new(
            "a patch of an object with a very long list",
            &[
                (
                    "kustomization.yaml",
                    "resources: [d.yaml]\npatches:\n- patch: |-\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata: {name: d, labels: {a: b}}"
                        .to_owned(),
                ),
                ("d.yaml", deployment(20_000)),
            ],
            Expected::Input("lists of 20000 and 0 items are too long to merge"),
        ),
        Row::new(
            "a JSON patch that doubles the object",
            &[
                (
                    "kustomization.yaml",
                    format!(
                        "resources: [a.yaml]\npatches:\n- target: {{kind: ConfigMap}}\n  patch: |-\n    {doubling}"
                    ),
                ),
                ("a.yaml", config_map("a")),
            ],
            copied,
        ),
    ]
}

fn replacement_rows() -> Vec<Row> {
    vec![
        over_one(
            "a long replacement in many places",
            "replacements: [{sourceValue: LONG, targets: [{select: {kind: Deployment}, fieldPaths: [spec.template.spec.containers.*.image]}]}]",
            MADE,
        ),
        over_one(
            "a replacement that a field repeats",
            &format!(
                "replacements: [{{sourceValue: LONG, targets: [{{select: {{kind: Deployment}}, options: {{delimiter: ':', index: 99}}, fieldPaths: [{}]}}]}}]",
                vec!["spec.template.spec.containers.0.image"; 50].join(", ")
            ),
            MADE,
        ),
        Row::new(
            "replacements in a long text that is YAML itself",
            &[
                (
                    "kustomization.yaml",
                    format!(
                        "resources: [a.yaml]\nreplacements: [{{sourceValue: x, targets: [{{select: {{name: a}}, fieldPaths: [{}]}}]}}]",
                        vec!["data.text.a"; 100].join(", ")
                    ),
                ),
                (
                    "a.yaml",
                    format!(
                        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n  text: |\n    a: b\n    c: {}\n",
                        long()
                    ),
                ),
            ],
            MADE,
        )
        .under(FEW),
        sharing_a_label(
            "a long replacement of a label that many places share",
            "replacements: [{sourceValue: LONG, targets: [{select: {kind: T}, fieldPaths: [x.0.m.app]}]}]",
        ),
        sharing_a_label(
            "a long label in place of one that many places share",
            "labels: [{pairs: {app: LONG}, fields: [{path: y/m, kind: T}]}]",
        ),
        Row::new(
            "a value that doubles in each of its own places",
            &[
                (
                    "kustomization.yaml",
                    "resources: [a.yaml]\nreplacements: [{source: {fieldPath: x}, targets: [{select: {name: a}, options: {create: true}, fieldPaths: ['x.*.0']}]}]"
                        .to_owned(),
                ),
                ("a.yaml", format!("x: [{}]\n{}", vec!["[]"; 100].join(", "), config_map("a"))),
            ],
            Expected::Limit("the steps of the build copy more than 1000000 values"),
        ),
    ]
}

fn variable_rows() -> Vec<Row> {
    let vars = "vars: [{name: V, objref: {apiVersion: v1, kind: ConfigMap, name: v}, fieldref: {fieldpath: data.k}}]";
    let target = |args: String| {
        [
            ("kustomization.yaml", format!("resources: [v.yaml, d.yaml]\n{vars}\n")),
            (
                "v.yaml",
                format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: v}}\ndata: {{k: {}}}\n", long()),
            ),
            (
                "d.yaml",
                format!(
                    "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec: {{containers: [{{name: c, args: [{args}]}}]}}\n"
                ),
            ),
        ]
    };
    vec![
        Row::new("a variable in many places", &target(vec!["$(V)"; 100].join(", ")), MADE).under(FEW),
        Row::new("a variable many times in one place", &target(format!("x{}", "$(V)".repeat(100))), MADE)
            .under(FEW),
    ]
}
