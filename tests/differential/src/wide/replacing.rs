//! Replacements by every form of path, and variables.

use super::{file, indented, items, with_objects, with_samples};
use crate::chooser::Chooser;
use crate::project::Project;

const PATHS: &[&str] = &[
    "metadata.name",
    "data.a",
    "data.url",
    "data.none",
    "spec.replicas",
    "spec.template.spec.containers",
    "spec.template.spec.containers.0.image",
    "spec.template.spec.containers.[name=c].image",
    "spec.template.spec.containers.[name=.*].image",
    "spec.template.spec.containers.*.image",
    "spec.template.spec.containers.9.image",
    "metadata",
    "kind",
    "metadata.namespace",
    "spec.template.spec.containers.[name=c].args.0",
    "spec.template.spec.containers.[name=c].args.[=a]",
    "spec.template.spec.containers.[name=c].env.[name=A].value",
    "spec.template.spec.containers.[name=new].image",
    "spec.new.x",
    "metadata.labels.app",
    "spec.template.spec.containers.-1.image",
    "spec.template.metadata.labels.[x.y/z]",
    "metadata.annotations",
    "metadata.annotations.note",
    "metadata.labels",
    "data",
    "data..a",
    "spec.template.spec.containers.*",
    "spec.template.spec.containers.[name=c].ports.0.containerPort",
    "spec.strategy",
];

const OPTIONS: &[&str] = &[
    "",
    "",
    "",
    "options:\n  create: true\n",
    "options:\n  delimiter: ':'\n  index: 0\n",
    "options:\n  delimiter: ':'\n  index: 1\n",
    "options:\n  delimiter: '/'\n  index: -1\n",
    "options:\n  delimiter: '/'\n  index: 9\n",
    "options:\n  create: true\n  delimiter: '-'\n  index: 1\n",
    "options:\n  index: 1\n",
];

const SELECTORS: &[&str] = &[
    "kind: Deployment",
    "kind: ConfigMap",
    "kind: ConfigMap\nname: cm",
    "name: web",
    "name: c.*",
    "kind: Service\nnamespace: x",
    "group: apps",
    "labelSelector: app=web",
    "annotationSelector: note=old",
    "kind: None",
    "version: v1\nkind: ServiceAccount",
    "kind: Dep.*",
    "name: '['",
    "labelSelector: app in web",
];

/// `replacements`, inline and in files.
pub(super) fn replacements(choose: &mut Chooser) -> Project {
    let entries = choose.times(1, 2, entry);
    let more = choose.one(&["", "", "namePrefix: p-\n", "namespace: ns\n"]);
    if choose.chance(30) {
        let is_list = entries.len() > 1 || choose.chance(50);
        let text = if is_list { items(&entries, 0) } else { entries.concat() };
        let mut project = with_samples(&format!("replacements:\n- path: replacement.yaml\n{more}"));
        let wrong = choose.one(&[
            "",
            "",
            "",
            "",
            "text\n",
            "[]\n",
            "a: [\n",
            "source:\n  kind: 5\n",
            "# nothing\n",
            "5\n",
        ]);
        file(&mut project, "replacement.yaml", if wrong.is_empty() { &text } else { wrong });
        return project;
    }
    let list = items(&entries, 0);
    with_samples(&format!("replacements:\n{list}{more}"))
}

fn entry(choose: &mut Chooser) -> String {
    let path = choose.one(PATHS);
    let options = choose.one(OPTIONS);
    let kind = if path.starts_with("data") { "ConfigMap" } else { "Deployment" };
    let source = match choose.below(10) {
        0 => "sourceValue: text\n".to_owned(),
        1 => format!(
            "sourceValue: {}\n",
            choose.one(&["5", "\"5\"", "true", "\"true\"", "\"\"", "a b", "\"1.5\"", "\"1.10\"", "\"null\""])
        ),
        2 => format!("source:\n{}", indented(choose.one(SELECTORS), 2)),
        _ => {
            let options = if choose.chance(20) { options } else { "" };
            format!("source:\n  kind: {kind}\n  fieldPath: '{path}'\n{}", indented(options, 2))
        }
    };
    let targets: String = choose
        .times(1, 2, |choose| {
            let select = choose.one(SELECTORS);
            let paths: String =
                choose.times(1, 2, |choose| format!("  - '{}'\n", choose.one(PATHS))).concat();
            let reject = if choose.chance(20) {
                format!("  reject:\n  - {}", indented(choose.one(SELECTORS), 4).trim_start())
            } else {
                String::new()
            };
            let options = indented(choose.one(OPTIONS), 2);
            format!("- select:\n{}{reject}  fieldPaths:\n{paths}{options}", indented(select, 4))
        })
        .concat();
    format!("{source}targets:\n{targets}")
}

const POD: &str = "apiVersion: v1
kind: Pod
metadata:
  name: pod
  labels:
    l: $(V)
  annotations:
    a: $(V)-x
    b: $$(V)
    c: $(UNKNOWN)
    d: $(V
    f: $(V)$(W)
    g: $()
spec:
  containers:
  - name: c
    image: $(V)
    command:
    - $(V)
    - x-$(V)
    args:
    - $(W)
    env:
    - name: E
      value: $(V)
    - name: F
      value: \"$(V)\"
";

/// `vars` of every kind of field.
pub(super) fn vars(choose: &mut Chooser) -> Project {
    let vars: Vec<String> = ["V", "W"]
        .into_iter()
        .take(1 + choose.below(2))
        .map(|name| {
            let name = if choose.chance(5) { "V" } else { name };
            let object = choose.one(&[
                "apiVersion: apps/v1\n    kind: Deployment\n    name: web",
                "apiVersion: apps/v1\n    kind: Deployment\n    name: web",
                "kind: Deployment\n    name: web",
                "apiVersion: v1\n    kind: Service\n    name: svc",
                "apiVersion: v1\n    kind: Service\n    name: svc\n    namespace: x",
                "apiVersion: v1\n    kind: Service\n    name: svc\n    namespace: other",
                "apiVersion: v1\n    kind: ConfigMap\n    name: cm",
                "apiVersion: v1\n    kind: Nothing\n    name: x",
            ]);
            let field = choose.one(&[
                "",
                "metadata.name",
                "metadata.namespace",
                "spec.replicas",
                "spec.template.spec.containers[0].image",
                "spec.template.spec.containers[0].args[1]",
                "spec.none",
                "metadata.labels.app",
                "data.b",
                "spec.ports[0].port",
                "metadata.annotations[a/b]",
                "metadata.labels",
                "metadata.annotations",
                "spec.template.spec.containers[0].args",
                "spec.strategy",
                "spec.template.spec.containers[0].resources",
                "kind",
            ]);
            let field = if field.is_empty() {
                String::new()
            } else {
                format!("  fieldref:\n    fieldPath: {field}\n")
            };
            format!("- name: {name}\n  objref:\n    {object}\n{field}")
        })
        .collect();
    let more = choose.one(&["", "", "namePrefix: p-\n", "nameSuffix: -s\nnamespace: ns\n"]);
    let objects = format!("{}---\n{POD}", super::samples::OBJECTS);
    with_objects(&format!("vars:\n{}{more}", vars.concat()), &objects)
}
