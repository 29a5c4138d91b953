//! Collections in brackets and in blocks, what steps leave of either, and values without text that are put into them.

use std::fmt::Write as _;

use super::{indented, items, with_objects};
use crate::chooser::Chooser;
use crate::project::Project;

/// What a field of the object or of a patch holds.
const VALUES: &[&str] = &[
    "{}",
    "[]",
    "[{}]",
    "[[]]",
    "{new: {}}",
    "{a: b}",
    "{a: }",
    "[a]",
    "[{a: b}]",
    "\n  a: b",
    "\n  new: {}",
    "\n  new: []",
    "\n  a:",
    "\n- a",
    "\n- {}",
    "\n- a: b",
    "\n- a:",
    "null",
    "<<",
    "'<<'",
    "&x {a: b}",
    "&x\n  a: b",
    "*x",
    "{<<: *x}",
    "\n  <<: *x",
    "[*x]",
];

const PATHS: &[&str] =
    &["x.new", "x.new.deeper", "x.0", "x.0.new", "x.1", "x.a", "x.[a=b].new", "y.new", "y.x.new", "new"];

const OPERATIONS: &[&str] = &[
    "{op: add, path: /x, value: {}}",
    "{op: add, path: /x, value: []}",
    "{op: add, path: /x/new, value: {}}",
    "{op: add, path: /x/-, value: {}}",
    "{op: add, path: /x/0, value: [{}]}",
    "{op: add, path: /y, value: <<}",
    "{op: add, path: /y, value: null}",
    "{op: copy, from: /x, path: /y}",
    "{op: remove, path: /x/a}",
    "{op: test, path: /y, value: {}}",
];

/// An object, up to two steps, and replacements that make values. Half of the objects have the fields where lists are merged.
pub(super) fn made(choose: &mut Chooser) -> Project {
    let fields = if choose.chance(50) { Fields::Known } else { Fields::Own };
    let kind = match fields {
        Fields::Known => "v1\nkind: Pod",
        Fields::Own => choose.one(&[
            "v1\nkind: ConfigMap",
            "rbac.authorization.k8s.io/v1\nkind: Role",
            "example.com/v1\nkind: Thing",
        ]),
    };
    let id = format!("apiVersion: {kind}\nmetadata: {{name: one}}\n");
    let object = format!("{id}{}", fields.text(choose));
    let mut kustomization = String::new();
    if choose.chance(60) {
        let patches = choose.times(1, 2, |choose| fields.patch(choose, &id));
        _ = write!(kustomization, "patches:\n{}", items(&patches, 0));
    }
    let replacements = choose.times(0, 2, |choose| fields.replacement(choose));
    if !replacements.is_empty() {
        _ = write!(kustomization, "replacements:\n{}", items(&replacements, 0));
    }
    kustomization.push_str(choose.one(&[
        "",
        "",
        "",
        "namePrefix: p-\n",
        "commonLabels: {l: m}\n",
        "namespace: other\n",
    ]));
    with_objects(&kustomization, &object)
}

/// What the fields of an object are called.
#[derive(Clone, Copy)]
enum Fields {
    /// `x` and `y`.
    Own,
    /// Lists in the specification of a pod.
    Known,
}

impl Fields {
    fn text(self, choose: &mut Chooser) -> String {
        let first = choose.one(VALUES);
        let second = if choose.chance(50) { format!("y: {}\n", choose.one(VALUES)) } else { String::new() };
        match self {
            Self::Own => format!("x: {first}\n{second}"),
            Self::Known => {
                let list = choose.one(&["tolerations", "containers", "volumes"]);
                format!("spec:\n{}", indented(&format!("{list}: {first}\n{second}"), 2))
            }
        }
    }

    fn patch(self, choose: &mut Chooser, id: &str) -> String {
        if choose.chance(40) {
            let operations = choose.times(1, 2, |choose| {
                let operation = choose.one(OPERATIONS);
                match self {
                    Self::Own => operation.to_owned(),
                    Self::Known => operation.replace("/x", "/spec/tolerations").replace("/y", "/spec/y"),
                }
            });
            return format!("target: {{name: one}}\npatch: |-\n{}", indented(&items(&operations, 0), 2));
        }
        format!("patch: |-\n{}", indented(&format!("{id}{}", self.text(choose)), 2))
    }

    fn path(self, path: &str) -> String {
        match (self, path.strip_prefix('x')) {
            (Self::Known, Some(rest)) => format!("spec.tolerations{rest}"),
            (Self::Known, None) => format!("spec.{path}"),
            (Self::Own, _) => path.to_owned(),
        }
    }

    fn replacement(self, choose: &mut Chooser) -> String {
        let source = match choose.below(7) {
            0 | 1 => "sourceValue: ''".to_owned(),
            2 => "sourceValue: a".to_owned(),
            3 => "sourceValue: <<".to_owned(),
            _ => {
                let path = self.path(choose.one(&["x", "y", "x.a", "x.0"]));
                format!("source: {{name: one, fieldPath: {path}}}")
            }
        };
        let path = self.path(choose.one(PATHS));
        let create = choose.chance(80);
        format!(
            "{source}\ntargets:\n- select: {{name: one}}\n  fieldPaths: ['{path}']\n  options: {{create: {create}}}\n"
        )
    }
}
