//! How kustomizations find each other and their files, and what they may be.

use super::file;
use crate::chooser::Chooser;
use crate::project::Project;

const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cm\ndata:\n  a: x\n";

const ENTRIES: &[&str] = &[
    "none.yaml",
    "''",
    "/abs/none.yaml",
    "../x.yaml",
    ".",
    "..",
    "./objects.yaml",
    "objects.yaml/",
    "base",
    "base/",
    "./base",
    "base/kustomization.yaml",
    "base/../objects.yaml",
    "'*.yaml'",
    "'objects.yaml#x'",
    "'odd name.yaml'",
    "'~/x'",
    "Base",
    "folder",
    "empty",
    "several",
    "part",
    "a//b",
    "'objects.yaml?ref=x'",
    "null",
    "text.txt",
    "broken.yaml",
];

/// Entries of every field that lists files and folders.
pub(super) fn entries(choose: &mut Chooser) -> Project {
    let mut project = Project::default();
    let entry = choose.one(ENTRIES);
    let objects = "resources:\n- objects.yaml\n";
    let text = match choose.below(12) {
        0..=2 => format!("resources:\n- {entry}\n"),
        3 => format!("bases:\n- {entry}\n"),
        4 => format!("{objects}components:\n- {entry}\n"),
        5 => format!("{objects}patches:\n- path: {entry}\n"),
        6 => format!("configMapGenerator:\n- name: g\n  files:\n  - {entry}\n"),
        7 => format!("configMapGenerator:\n- name: g\n  envs:\n  - {entry}\n"),
        8 => format!("{objects}configurations:\n- {entry}\n"),
        9 => format!("{objects}patchesStrategicMerge:\n- {entry}\n"),
        10 => format!("{objects}transformers:\n- {entry}\n"),
        _ => format!("{objects}replacements:\n- path: {entry}\n"),
    };
    file(&mut project, "kustomization.yaml", &text);
    around(&mut project);
    project
}

fn around(project: &mut Project) {
    for (path, text) in [
        ("objects.yaml", MAP),
        ("odd name.yaml", MAP),
        ("text.txt", "text\n"),
        ("broken.yaml", "a: [\n"),
        ("base/kustomization.yaml", "resources:\n- more.yaml\n"),
        ("base/more.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: more\n"),
        ("folder/x.txt", "x\n"),
        ("empty/kustomization.yaml", "# nothing\n"),
        ("several/kustomization.yaml", "namePrefix: x\n"),
        ("several/Kustomization", "namePrefix: x\n"),
        (
            "part/kustomization.yaml",
            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamePrefix: p-\n",
        ),
    ] {
        file(project, path, text);
    }
}

/// Kinds and versions of kustomizations, names of their files, and cycles.
pub(super) fn kinds(choose: &mut Chooser) -> Project {
    let mut project = Project::default();
    let head = choose.one(&[
        "kind: Component\n",
        "kind: Component\napiVersion: kustomize.config.k8s.io/v1beta1\n",
        "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\n",
        "kind: Kustomization\napiVersion: kustomize.config.k8s.io/v1alpha1\n",
        "apiVersion: kustomize.config.k8s.io/v1beta2\n",
        "kind: Thing\napiVersion: v1\n",
        "kind: kustomization\n",
        "kind: \"\"\n",
        "kind: null\n",
        "",
    ]);
    let body = choose.one(&[
        "resources:\n- more.yaml\n",
        "resources:\n- ../base\n",
        "resources:\n- ..\n",
        "components:\n- ../part\n",
        "namePrefix: p-\n",
        "resources: []\n",
        "",
        "unknown: x\n",
        "resources:\n- more.yaml\nnameprefix: p-\n",
        "---\nnamePrefix: p-\n",
        "namePrefix: a-\nnamePrefix: b-\nresources:\n- more.yaml\n",
        "namePrefix: &a p-\nnameSuffix: *a\nresources:\n- more.yaml\n",
        "{\n",
        "a: b: c\n",
    ]);
    let field = choose.one(&["resources", "components", "bases"]);
    let name = choose.one(&["kustomization.yaml", "kustomization.yml", "Kustomization", "kustomization"]);
    file(&mut project, &format!("inner/{name}"), &format!("{head}{body}"));
    if choose.chance(8) {
        file(&mut project, "inner/kustomization.yaml", "namePrefix: q-\n");
    }
    file(&mut project, "inner/more.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: inner\n");
    file(
        &mut project,
        "kustomization.yaml",
        &format!("{field}:\n- inner\n{}", choose.one(&["", "namePrefix: o-\n"])),
    );
    around(&mut project);
    project
}

const FIELDS: &[&str] = &[
    "namePrefix",
    "nameSuffix",
    "namespace",
    "commonLabels",
    "labels",
    "commonAnnotations",
    "patchesStrategicMerge",
    "patchesJson6902",
    "patches",
    "images",
    "imageTags",
    "replacements",
    "replicas",
    "vars",
    "sortOptions",
    "components",
    "crds",
    "configurations",
    "generators",
    "transformers",
    "validators",
    "bases",
    "configMapGenerator",
    "secretGenerator",
    "generatorOptions",
    "helmGlobals",
    "helmCharts",
    "helmChartInflationGenerator",
    "buildMetadata",
    "openapi",
    "metadata",
    "apiVersion",
    "kind",
    "inventory",
    "resources",
    "nameprefix",
];

const INNER: &[&str] = &[
    "name",
    "namespace",
    "literals",
    "files",
    "envs",
    "env",
    "options",
    "type",
    "behavior",
    "pairs",
    "includeSelectors",
    "fields",
    "path",
    "patch",
    "target",
    "newName",
    "newTag",
    "digest",
    "count",
    "objref",
    "fieldref",
    "source",
    "sourceValue",
    "targets",
    "labels",
    "annotations",
    "disableNameSuffixHash",
    "immutable",
    "order",
    "unknown",
];

const VALUES: &[&str] = &[
    "5",
    "true",
    "text",
    "[]",
    "{}",
    "[a]",
    "[5]",
    "{a: b}",
    "{a: 5}",
    "[{a: b}]",
    "null",
    "\"\"",
    "[null]",
    "[[a]]",
    "1.5",
    "[true]",
    "-1",
    "99999999999999999999",
    "{a: [b]}",
    "{a: {b: c}}",
    "[{}]",
    "\"5\"",
    "yes",
];

/// Fields with values of any type.
pub(super) fn types(choose: &mut Chooser) -> Project {
    let mut project = Project::default();
    let field = choose.one(FIELDS);
    let value = match choose.below(3) {
        0 => choose.one(VALUES).to_owned(),
        1 => format!("\n  {}: {}", choose.one(INNER), choose.one(VALUES)),
        _ => {
            let name = choose.one(&["", "\n  name: nm"]);
            format!("\n- {}: {}{name}", choose.one(INNER), choose.one(VALUES))
        }
    };
    let resources = if field == "resources" { "" } else { "resources:\n- objects.yaml\n" };
    file(&mut project, "kustomization.yaml", &format!("{resources}{field}: {value}\n"));
    file(&mut project, "objects.yaml", MAP);
    project
}
