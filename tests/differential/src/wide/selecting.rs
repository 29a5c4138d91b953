//! Targets of patches, and operations of JSON patches.

use super::{file, indented, with_samples};
use crate::chooser::Chooser;
use crate::project::Project;

const EXPRESSIONS: &[&str] = &[
    "cm",
    "'.*'",
    "'c'",
    "'c|web'",
    "'^cm$'",
    "'(?i)CM'",
    "'[a-z]+'",
    "'\\w+'",
    "'\\d'",
    "'c{1}m'",
    "'[['",
    "'*'",
    "'(?=x)'",
    "'a{2,1}'",
    "'\\'",
    "'(a'",
    "'a)'",
    "'[z-a]'",
    "'a**'",
    "'x{1001}'",
    "'\\q'",
    "'(?P<n'",
    "'[[:lower:]]+'",
    "'(?P<n>c)m'",
    "'\\Qcm\\E'",
    "'a{,2}'",
    "'[a[c]m'",
    "'[^x]+'",
    "''",
    "'\\pL+'",
    "'\\p{Nothing}'",
    "'c+?m'",
    "'(?s-i:cm)'",
    "'(?z)'",
];

const SELECTORS: &[&str] = &[
    "app=web",
    "app==web",
    "app!=web",
    "app in (web)",
    "app in (web,db)",
    "app notin (web, db)",
    "app",
    "'!app'",
    "app=",
    "app in ()",
    "'app in (,)'",
    "a b",
    "'app=web,tier=x'",
    "'app=web,'",
    "'='",
    "app in web",
    "app=a b",
    "/a=b",
    "app/=b",
    "a/b/c=d",
    "app=$",
    "(app)",
    "'!'",
    "app!",
    "app in (a b)",
    "'app in (a,'",
    "app in",
    "notin=x",
    "in",
    "notin in (in)",
    "-a=b",
    "app=-b",
    "'app in (web,)'",
    "' app = web '",
    "app===web",
    "app=!web",
    "app>=5",
    "app<x",
    "app>-5",
    "app<+5",
    "A.b/c=d",
    "'!app=x'",
    "note=old",
    "note",
];

/// Targets by every part.
pub(super) fn targets(choose: &mut Chooser) -> Project {
    let parts = choose.times(1, 2, |choose| match choose.below(7) {
        0 | 1 => format!("name: {}", choose.one(EXPRESSIONS)),
        2 => format!("{}: {}", choose.one(&["kind", "group", "version"]), choose.one(EXPRESSIONS)),
        3 => format!(
            "kind: {}",
            choose.one(&["Deployment", "'Dep.*|ConfigMap'", "Config", "'(Role|Cluster).*'"])
        ),
        4 => format!(
            "namespace: {}",
            choose.one(&["x", "default", "'.*'", "''", "_non_namespaceable_", "'def'"])
        ),
        5 => format!("labelSelector: {}", choose.one(SELECTORS)),
        _ => format!("annotationSelector: {}", choose.one(SELECTORS)),
    });
    // A part stands once.
    let mut parts = parts;
    parts.dedup_by(|one, other| one.split(':').next() == other.split(':').next());
    let target = indented(&parts.join("\n"), 4);
    let kustomization = if choose.chance(25) {
        format!(
            "replacements:\n- sourceValue: v\n  targets:\n  - select:\n{}    fieldPaths:\n    - metadata.labels.new\n    options:\n      create: true\n",
            indented(&target, 2)
        )
    } else {
        format!("patches:\n- patch: |-\n    - op: add\n      path: /new\n      value: v\n  target:\n{target}")
    };
    with_samples(&kustomization)
}

const PATHS: &[&str] = &[
    "",
    "/",
    "/spec",
    "/spec/",
    "/spec/replicas",
    "/spec/none",
    "/spec/none/x",
    "/spec/replicas/x",
    "/metadata/annotations/a~1b",
    "/metadata/annotations/a/b",
    "/metadata/finalizers/0",
    "/metadata/finalizers/2",
    "/metadata/finalizers/3",
    "/metadata/finalizers/-",
    "/metadata/finalizers/-1",
    "/metadata/finalizers/-3",
    "/metadata/finalizers/01",
    "/metadata/finalizers/x",
    "/metadata/finalizers/",
    "/metadata/finalizers",
    "/metadata/name",
    "/kind",
    "/apiVersion",
    "/metadata",
    "/metadata/namespace",
    "spec/replicas",
    "/spec/template/spec/containers/0/image",
    "/spec/template/spec/containers/9/image",
    "/spec/template/spec/containers/-/image",
    "/spec/template/spec/containers/0",
    "/spec/template/spec/containers/1/ports/0",
    "/metadata/labels",
    "/metadata/labels/app",
    "//",
    "/spec//x",
    "/metadata/finalizers/99999999999999999999",
];

const VALUES: &[&str] = &[
    "v",
    "5",
    "\"5\"",
    "null",
    "true",
    "yes",
    "0777",
    "2020-01-01",
    "1.0",
    "1e3",
    "12345678901234567890",
    "[1, a]",
    "{a: [null]}",
    "{y: n}",
    "|-\n    a\n    b",
    "1_000",
    "''",
    "",
];

/// Operations of every kind at paths of every kind, in every form.
pub(super) fn operations(choose: &mut Chooser) -> Project {
    let operations = choose.times(1, 2, |choose| {
        let operation = choose.one(&["add", "replace", "remove", "test", "move", "copy", "move", "bogus"]);
        let (path, other) = (choose.one(PATHS), choose.one(PATHS));
        match operation {
            "remove" => format!("- op: remove\n  path: {path}\n"),
            "move" | "copy" if choose.chance(50) => {
                format!("- op: {operation}\n  from: {path}\n  path: /spec/moved\n")
            }
            "move" | "copy" => format!(
                "- op: {operation}\n  from: /spec/{}\n  path: {other}\n",
                choose.one(&["replicas", "strategy"])
            ),
            _ => format!("- op: {operation}\n  path: {path}\n  value: {}\n", choose.one(VALUES)),
        }
    });
    let mut text = operations.concat();
    if choose.chance(12) {
        choose
            .one(&[
                "[]\n",
                "{}\n",
                "null\n",
                "text\n",
                "# nothing\n",
                "- text\n",
                "- null\n",
                "- op: add\n",
                "- path: /a\n",
                "[{\"op\":\"add\",\"path\":\"/spec/q\",\"value\":1.50}]\n",
                "[{\"op\":\"add\",\"path\":\"/spec/q\",\"value\":1},]\n",
                "{\"op\":\"add\",\"path\":\"/spec/q\",\"value\":1}\n",
                "- op: add\n  path: /spec/q\n  value: 1\n---\n- op: bogus\n",
            ])
            .clone_into(&mut text);
    }
    let more = choose.one(&["", "", "namePrefix: p-\n"]);
    let is_old = choose.chance(40);
    let target = "  target:\n    kind: Deployment\n    name: web\n";
    let field = if is_old { "patchesJson6902" } else { "patches" };
    if choose.chance(40) {
        return with_samples(&format!("{field}:\n- patch: |\n{}{target}{more}", indented(&text, 4)));
    }
    let mut project = with_samples(&format!("{field}:\n- path: operations.yaml\n{target}{more}"));
    file(&mut project, "operations.yaml", &text);
    project
}
