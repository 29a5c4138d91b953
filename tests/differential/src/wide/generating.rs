//! Generators: what they read, how they merge, and annotations that mean something to the engine.

use std::fmt::Write as _;

use super::{file, items, with_objects};
use crate::chooser::Chooser;
use crate::project::Project;

const LINES: &[&str] = &[
    "A=1",
    "A",
    "A=",
    "=1",
    " B=1",
    "C =1",
    "D= 1",
    "export E=1",
    "# c",
    "#F=1",
    "G=1 # c",
    "H=\"1\"",
    "I='1'",
    "J=1\r",
    "K=a=b",
    "L=$B",
    "a b=c",
    "",
    "\u{e9}=1",
    "M=\u{e9}",
    "a.b=1",
    "a/b=1",
    "-a=1",
    "..=1",
    "N=1\r",
    "\u{feff}O=1",
    "P;Q=2",
    "R=true",
    "S=null",
    "T= \"",
];

const LITERALS: &[&str] = &[
    "a=1",
    "b=",
    "c='x'",
    "d=\"x\"",
    "e='x",
    "f=x=y",
    "\"g= x \"",
    "h=true",
    "\"i=x\\ny\"",
    "a=2",
    "j=\u{e9}",
    "k=  l",
    "\"m=\\tn\"",
];
const CONTENTS: &[&str] = &[
    "text\n",
    "a\n b\n",
    "\n\n",
    "a\n\n\n",
    " a\n",
    "trailing \n",
    "\u{1f600}\n",
    "a\rb\n",
    "",
    "a",
    "key: value\nlist:\n- a\n",
    "#!/bin/sh\nexit 0\n",
    "\u{e9}\n",
    "a\u{1b}b\n",
];
const FILES: &[&str] = &[
    "notes.txt",
    "notes.txt",
    "k=notes.txt",
    "./notes.txt",
    "k2=none.txt",
    "a=b=notes.txt",
    "=notes.txt",
    "k=",
    "folder",
];

/// Literals, files and files of variables, the odd ones too.
pub(super) fn sources(choose: &mut Chooser) -> Project {
    let mut project = Project::default();
    let kind = choose.one(&["configMapGenerator", "configMapGenerator", "secretGenerator"]);
    let mut text = format!("{kind}:\n- name: g\n");
    if choose.chance(50) {
        let lines = choose.times(1, 4, |choose| choose.one(LINES).to_owned());
        project.lines("values.env", lines);
        text += choose.one(&[
            "  envs:\n  - values.env\n",
            "  env: values.env\n",
            "  envs:\n  - values.env\n  - values.env\n",
        ]);
    }
    if choose.chance(50) {
        let mut literals = choose.times(1, 2, |choose| choose.one(LITERALS));
        // What is wrong with a secret's literal is not shown.
        if kind == "configMapGenerator" && choose.chance(10) {
            literals.push(choose.one(&["w", "=w"]));
        }
        text += "  literals:\n";
        text += &items(&literals, 2);
    }
    if choose.chance(50) {
        let content = choose.one(CONTENTS);
        project.lines("notes.txt", content.split('\n').map(str::to_owned).collect());
        text += "  files:\n";
        text += &items(&choose.times(1, 2, |choose| choose.one(FILES)), 2);
        file(&mut project, "folder/x", "x");
    }
    text += choose.one(&[
        "",
        "",
        "  options:\n    immutable: true\n",
        "  options:\n    labels:\n      a: b\n",
        "  type: x\n",
        "  namespace: ns\n",
    ]);
    text += choose.one(&[
        "",
        "",
        "",
        "generatorOptions:\n  disableNameSuffixHash: true\n",
        "generatorOptions:\n  labels:\n    a: c\n  annotations:\n    d: e\n",
    ]);
    file(&mut project, "kustomization.yaml", &text);
    project
}

/// Overlays that merge into what bases generate, or have.
pub(super) fn merged(choose: &mut Chooser) -> Project {
    let kind = choose.one(&["ConfigMap", "Secret"]);
    let field = if kind == "Secret" { "secretGenerator" } else { "configMapGenerator" };
    let mut project = Project::default();
    let options = |choose: &mut Chooser| {
        choose.one(&[
            "",
            "",
            "  options:\n    disableNameSuffixHash: true\n",
            "  options:\n    immutable: true\n    labels:\n      a: b\n",
            "  namespace: ns\n",
            "  options:\n    annotations:\n      c: d\n",
        ])
    };
    let names = |choose: &mut Chooser| {
        choose.one(&[
            "",
            "",
            "namePrefix: p-\n",
            "nameSuffix: -s\n",
            "namespace: ns\n",
            "namespace: ns\nnamePrefix: q-\n",
            "commonLabels:\n  l: m\n",
        ])
    };
    let mut base = names(choose).to_owned();
    if choose.chance(60) {
        _ = write!(base, "{field}:\n- name: g\n  literals:\n  - a=1\n  - b=2\n{}", options(choose));
    } else {
        let body = choose.one(&[
            "data:\n  a: \"1\"\n",
            "data:\n  a: 1\n  b: null\n",
            "binaryData:\n  a: aGk=\n",
            "data: {}\n",
            "data: null\n",
            "immutable: true\n",
            "stringData:\n  a: b\n",
            "type: x\n",
            "data: text\n",
            "",
            "data:\n  a: >\n    x\n     y\n    z\n",
        ]);
        base.push_str("resources:\n- objects.yaml\n");
        file(
            &mut project,
            "base/objects.yaml",
            &format!("apiVersion: v1\nkind: {kind}\nmetadata:\n  name: g\n{body}"),
        );
    }
    file(&mut project, "base/kustomization.yaml", &base);
    let behavior = choose.one(&[
        "",
        "  behavior: create\n",
        "  behavior: merge\n",
        "  behavior: merge\n",
        "  behavior: replace\n",
        "  behavior: bogus\n",
    ]);
    let overlay = format!(
        "resources:\n- base\n{}{field}:\n- name: {}\n{behavior}  literals:\n  - a=2\n  - z=3\n{}",
        names(choose),
        choose.one(&["g", "g", "g", "p-g"]),
        options(choose)
    );
    file(&mut project, "kustomization.yaml", &overlay);
    project
}

const ANNOTATIONS: &[&str] = &[
    "config.kubernetes.io/local-config: \"true\"",
    "config.kubernetes.io/local-config: \"false\"",
    "config.kubernetes.io/local-config: \"\"",
    "kustomize.config.k8s.io/behavior: merge",
    "kustomize.config.k8s.io/needs-hash: \"true\"",
    "kustomize.config.k8s.io/id: \"1\"",
    "internal.config.kubernetes.io/needsHashSuffix: enabled",
    "internal.config.kubernetes.io/generatorBehavior: merge",
    "internal.config.kubernetes.io/previousNames: old",
    "internal.config.kubernetes.io/prefixes: x-",
    "internal.config.kubernetes.io/refBy: x",
    "internal.config.kubernetes.io/foo: x",
    "internal.config.kubernetes.io/helm-generated: \"true\"",
    "config.kubernetes.io/index: \"0\"",
    "config.kubernetes.io/path: x",
    "config.k8s.io/id: x",
    "internal.config.kubernetes.io/allowNameChange: allowed",
    "kustomize.toolkit.fluxcd.io/prune: disabled",
    "config.kubernetes.io/origin: \"path: x\"",
];

/// Objects with annotations of the engine's own.
pub(super) fn annotated(choose: &mut Chooser) -> Project {
    let annotation = choose.one(ANNOTATIONS);
    let objects = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cm\n  annotations:\n    {annotation}\ndata:\n  a: b\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  volumes:\n  - name: v\n    configMap:\n      name: cm\n"
    );
    let fields = [
        "namePrefix: x-\n",
        "namespace: ns\n",
        "configMapGenerator:\n- name: cm\n  behavior: merge\n  literals:\n  - z=1\n",
        "buildMetadata:\n- originAnnotations\n",
        "buildMetadata:\n- transformerAnnotations\n- managedByLabel\n",
        "commonAnnotations:\n  x: z\n",
        "nameSuffix: -s\n",
        "patches:\n- patch: |-\n    apiVersion: v1\n    kind: ConfigMap\n    metadata:\n      name: cm\n    data:\n      q: r\n",
    ];
    let mut fields = fields.to_vec();
    choose.shuffle(&mut fields);
    fields.truncate(choose.below(4));
    fields.sort_unstable();
    fields.dedup_by_key(|field| field.split(':').next().unwrap_or_default().to_owned());
    with_objects(&fields.concat(), &objects)
}
