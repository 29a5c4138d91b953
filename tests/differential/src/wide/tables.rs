//! Files of `configurations`, and `images`.

use std::fmt::Write as _;

use super::{file, with_objects, with_samples};
use crate::chooser::Chooser;
use crate::project::Project;

const TABLES: &[&str] = &[
    "namePrefix",
    "nameSuffix",
    "namespace",
    "commonLabels",
    "labels",
    "templateLabels",
    "commonAnnotations",
    "nameReference",
    "varReference",
    "images",
    "replicas",
    "unknown",
];

const ROWS: &[&str] = &[
    "[]",
    "null",
    "{}",
    "5",
    "[{path: data/a}]",
    "[{path: data/a, create: true}]",
    "[{path: data/new, create: true, kind: ConfigMap}]",
    "[{path: metadata/name}]",
    "[{path: metadata/name, kind: ConfigMap}]",
    "[{path: metadata/labels, create: false}]",
    "[{path: metadata/labels, create: true}]",
    "[{path: spec/replicas, kind: Deployment}]",
    "[{path: spec/template/spec/containers/image, kind: Deployment}]",
    "[{path: 'spec/template/spec/containers[]/image', group: apps, version: v1, kind: Deployment, create: true}]",
    "[{foo: bar}]",
    "[{path: 5}]",
    "[{create: true}]",
    "[{path: /data/a}]",
    "[{path: 'metadata/annotations/a\\/b', kind: Deployment}]",
    "[a]",
    "[{kind: ConfigMap, version: v1, fieldSpecs: [{path: data/path, kind: ConfigMap}]}]",
    "[{kind: ServiceAccount, fieldSpecs: [{path: metadata/annotations/note, kind: Deployment}]}]",
    "[{fieldSpecs: [{path: data/a}]}]",
    "[{kind: ConfigMap, fieldSpecs: []}]",
    "[{kind: ConfigMap}]",
    "[{path: spec/selector, kind: Service, create: true}]",
    "[{Path: data/a}]",
    "[{path: data/a, group: null, skip: true}]",
];

const FIELDS: &[&str] = &[
    "namePrefix: p-\n",
    "nameSuffix: -s\n",
    "namespace: ns\n",
    "commonLabels:\n  l: m\n",
    "labels:\n- pairs:\n    l2: m2\n",
    "labels:\n- pairs:\n    l3: m3\n  includeTemplates: true\n",
    "commonAnnotations:\n  an: 'no'\n",
    "images:\n- name: x\n  newName: z\n- name: nginx\n  newTag: z\n",
    "replicas:\n- name: web\n  count: 7\n",
];

/// One or two files with rows for any table, right and wrong.
pub(super) fn configurations(choose: &mut Chooser) -> Project {
    let files = 1 + choose.below(2);
    let mut kustomization = "configurations:\n".to_owned();
    let mut texts = Vec::new();
    for index in 0..files {
        _ = writeln!(kustomization, "- tables-{index}.yaml");
        texts.push(
            choose.times(1, 2, |choose| format!("{}: {}\n", choose.one(TABLES), choose.one(ROWS))).concat(),
        );
    }
    let mut fields = FIELDS.to_vec();
    choose.shuffle(&mut fields);
    fields.truncate(1 + choose.below(4));
    // A field stands once.
    fields.sort_unstable();
    fields.dedup_by_key(|field| field.split(':').next().unwrap_or_default().to_owned());
    kustomization.push_str(&fields.concat());
    let mut project = with_samples(&kustomization);
    for (index, text) in texts.iter().enumerate() {
        file(&mut project, &format!("tables-{index}.yaml"), text);
    }
    project
}

const IMAGES: &[&str] = &[
    "nginx",
    "nginx:1.2",
    "nginx:1.2@sha256:ab",
    "nginx@sha256:ab",
    "reg:5000/nginx",
    "reg:5000/nginx:1",
    "docker.io/library/nginx",
    "a/nginx",
    "\"nginx:\"",
    "nginx@",
    "nginx:1:2",
    "\"nginx:1.2\"",
    "'nginx'",
    "5",
    "true",
    "null",
    "\"\"",
    "nginx@sha512:ab",
    "NGINX",
    "nginx-x",
    "nginx:a_b.c-d",
    "nginx:$(V)",
    "nginx:{v}",
    "xnginx",
];

/// Images of every form, and entries for them.
pub(super) fn images(choose: &mut Chooser) -> Project {
    let objects: Vec<String> = choose
        .times(1, 4, |choose| choose.one(IMAGES))
        .into_iter()
        .enumerate()
        .map(|(index, image)| {
            let list = choose.one(&["containers", "containers", "initContainers", "ephemeralContainers", "volumes"]);
            let (kind, place) = choose.one(&[("v1\nkind: Pod", "spec"), ("example.com/v1\nkind: Thing", "any")]);
            let image = if list == "volumes" { format!("image:\n      reference: {image}") } else { format!("image: {image}") };
            format!("apiVersion: {kind}\nmetadata:\n  name: p{index}\n{place}:\n  {list}:\n  - name: c\n    {image}\n")
        })
        .collect();
    let entries: String = choose
        .times(1, 2, |choose| {
            let name = choose.one(&[
                "nginx",
                "nginx",
                "reg:5000/nginx",
                "ngin.",
                "'nginx|xnginx'",
                "'.*'",
                "a/nginx",
                "'(ngin)x'",
            ]);
            let changes = choose.times(1, 2, |choose| {
                choose.one(&[
                    "newTag: \"2\"",
                    "newName: o",
                    "digest: sha256:zz",
                    "tagSuffix: -x",
                    "newTag: \"1e5\"",
                    "newName: \"5\"",
                    "newName: \"true\"",
                    "newTag: \"\"",
                    "newName: reg:5000/x",
                ])
            });
            let mut changes = changes;
            changes.dedup_by_key(|change| change.split(':').next().unwrap_or_default().to_owned());
            format!("- name: {name}\n  {}\n", changes.join("\n  "))
        })
        .concat();
    with_objects(&format!("images:\n{entries}"), &objects.join("---\n"))
}
