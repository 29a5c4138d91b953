//! YAML as it is written: scalars, documents, lists.

use super::{file, with_objects};
use crate::chooser::Chooser;
use crate::project::Project;

const SCALARS: &[&str] = &[
    "plain",
    "\"q\"",
    "'s'",
    "1",
    "01",
    "08",
    "0o7",
    "0x1f",
    "0b1",
    "1_000",
    "1.0",
    "1.50",
    "1e3",
    "1E3",
    "+1",
    "-1",
    "-0",
    ".5",
    "5.",
    "1.",
    "true",
    "True",
    "TRUE",
    "yes",
    "no",
    "on",
    "off",
    "y",
    "n",
    "null",
    "Null",
    "~",
    "\"\"",
    "2020-01-01",
    "2020-01-01T00:00:00Z",
    "2020-01-01 10:00:00",
    "2020-01-01T10:00:00+02:00",
    "12:30",
    "12:30:45",
    "190:20:30",
    "=",
    "!!str 1",
    "\"\\u263a\"",
    "\"\\x41\"",
    "'a''b'",
    "\"a\\tb\"",
    "a:b",
    "a#c",
    "-a",
    "?a",
    ":a",
    "[a]",
    "{a: b}",
    "[a, {b: c}]",
    "12345678901234567890",
    "123456789012345678901234567890",
    "9223372036854775808",
    "-9223372036854775809",
    "0.1",
    "1e-7",
    "123456789.123456789",
    "1e21",
    "1e20",
    "1__0",
    "_1",
    "0777",
    "0o8",
    "1e",
    "..",
    "é",
    "\"\\U0001F600\"",
    "a  b",
    "\" a\"",
    "\"\\n\"",
    "\"\\r\"",
    "\"a\\nb\\n\"",
    "\"a \\nb\"",
    "&a x",
    "!foo x",
];

const LINES: &[&str] = &["a", "b c", " d", "  e", "", "", "f: g", "# h", "- i", "\tj", "k l ", "m\tn"];

/// A scalar of any kind, blocks among them, indented for a key at `indent`.
fn scalar(choose: &mut Chooser, indent: usize) -> String {
    if choose.chance(60) {
        return choose.one(SCALARS).to_owned();
    }
    let header = choose.one(&["|", "|-", "|+", ">", ">-", ">+", ">", ">-", "|2", ">2"]);
    let mut lines = vec!["first"];
    lines.extend(choose.times(0, 5, |choose| choose.one(LINES)));
    if header.ends_with('2') {
        lines[0] = choose.one(&[" first", "first", "  first"]);
    }
    let mut text = header.to_owned();
    for line in lines {
        text.push('\n');
        if !line.is_empty() {
            text.push_str(&" ".repeat(indent + 2));
            text.push_str(line);
        }
    }
    text
}

/// Scalars in values, lists, annotations; then steps that leave them alone, or not.
pub(super) fn objects(choose: &mut Chooser) -> Project {
    let (data, item, note) = (scalar(choose, 2), scalar(choose, 4), scalar(choose, 4));
    let second = scalar(choose, 2);
    let object = format!(
        "apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: a\n  annotations:\n    n: {note}\nspec:\n  k: {data}\n  l: {second}\nlist:\n- m: x\n  i:\n    j: {item}\n"
    );
    let patch = "apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: a\n";
    let more = match choose.below(6) {
        0 => "namePrefix: p-\n".to_owned(),
        1 => "commonLabels:\n  l: m\n".to_owned(),
        2 => "patches:\n- target:\n    kind: Thing\n  patch: |-\n    - op: add\n      path: /z\n      value: 1\n".to_owned(),
        3 => {
            let value = scalar(choose, 2);
            let mut project = with_objects("patches:\n- path: patch.yaml\n", &object);
            file(&mut project, "patch.yaml", &format!("{patch}spec:\n  k: {value}\n"));
            return project;
        }
        4 => "commonAnnotations:\n  o: q\n".to_owned(),
        _ => String::new(),
    };
    with_objects(&more, &object)
}

/// Scalars in brackets, as keys and values, and steps that put more of them there.
pub(super) fn in_brackets(choose: &mut Chooser) -> Project {
    let mut one = || choose.one(SCALARS);
    let (value, item, key, new) = (one(), one(), one(), one());
    // What comes of nulls, texts without a letter, maps and lists as keys is told in other words (`docs/status.md`).
    let is_told_alike = !["null", "Null", "~", "\"\""].contains(&key) && !key.starts_with(['[', '{']);
    let key = choose.one(&["k", "k", "k", if is_told_alike { key } else { "k" }, "? k", "&k k"]);
    let object = format!(
        "apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: a\nspec: {{{key}: {value}, l: [{item}, x], m: , n}}\nlist: []\n"
    );
    let patch = "apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: a\n";
    let changed = match choose.below(5) {
        0 => format!("spec:\n  p: {new}\n"),
        1 => format!("spec:\n  p: {}\n", scalar(choose, 2)),
        2 => format!("spec:\n  l:\n  - {}\n", scalar(choose, 4)),
        3 => format!("list:\n- {}\n", scalar(choose, 2)),
        _ => return with_objects(choose.one(&["", "namePrefix: p-\n"]), &object),
    };
    let mut project = with_objects("patches:\n- path: patch.yaml\n", &object);
    file(&mut project, "patch.yaml", &format!("{patch}{changed}"));
    project
}

const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: @\ndata:\n  a: b\n";

/// Documents of every kind, separated in every way.
pub(super) fn documents(choose: &mut Chooser) -> Project {
    let mut text = String::new();
    for name in ["one", "two", "three"].into_iter().take(1 + choose.below(3)) {
        if !text.is_empty() || choose.chance(30) {
            text.push_str(choose.one(&[
                "---\n",
                "---\n",
                "---\n",
                "--- \n",
                "--- # c\n",
                "--- foo\n",
                "---\n---\n",
                "---\n# c\n---\n",
                "...\n",
                "...\n---\n",
                "---\nnull\n---\n",
                "---\n{}\n---\n",
                "---\n[]\n---\n",
                "---\n\"\"\n---\n",
                "----\n",
                "%YAML 1.1\n---\n",
                "\n\n---\n\n",
                "---x\n",
                "--- {}\n---\n",
                "---\n...\n---\n",
            ]));
        }
        let change = choose.one(&[
            ("", ""),
            ("", ""),
            ("", ""),
            ("a: b", "a: b\n  a: c"),
            ("a: b", "a: [b"),
            ("a: b", "a: *x"),
            ("a: b", "a: &x 1\n  c: *x"),
            ("data:", "x: &x\n  a: 1\ndata:\n  <<: *x"),
            ("a: b", "5: b"),
            ("a: b", "yes: b"),
            ("a: b", "? a\n  : b"),
            ("a: b", "a: b\nx: y"),
            ("a: b", "a: b\n5: y"),
            ("a: b", "a: b\ntrue: y"),
            ("a: b", "\"a\": 'b' # c"),
            ("  a: b", "{}"),
            ("data:", "data: # c"),
            ("  a: b\n", ""),
            ("kind: ConfigMap\n", ""),
            ("apiVersion: v1\n", ""),
            ("name: @", "generateName: x"),
            ("a: b", "\ta: b"),
            ("ConfigMap", "5"),
            ("  name: @", "  name: 5"),
            ("a: b", "a: b # x\n# y"),
            ("a: b", "a: {{ x }}"),
            ("name: @", "name: {{ .Values.name }}"),
            ("  a: b", "  a: |\n  \tb"),
            ("  a: b", "  a: |2\n    \tb\n"),
        ]);
        let map = if change.0.is_empty() { MAP.to_owned() } else { MAP.replacen(change.0, change.1, 1) };
        text.push_str(&map.replace('@', name));
    }
    if choose.chance(10) {
        text = text.replace('\n', "\r\n");
    }
    let more = choose.one(&["", "", "namePrefix: p-\n", "nameSuffix: -s\n", "sortOptions:\n  order: fifo\n"]);
    with_objects(more, &text)
}

/// Lists of kinds that end so, with items of every kind.
pub(super) fn lists(choose: &mut Chooser) -> Project {
    let list = |choose: &mut Chooser| {
        let kind = choose.one(&["List", "ConfigMapList", "ThingList", "ResourceList"]);
        let items = choose.one(&[
            "items: []", "items: null", "items: {}", "items: 5", "items:\n- null", "items:\n- 5", "items:\n- {}", "",
            "items:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: @",
            "items:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: @\n  n: 1.0\n  m: 12345678901234567890\n  o: 0777",
            "items:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: @\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: @2",
            "items:\n- apiVersion: v1\n  kind: List\n  items:\n  - apiVersion: v1\n    kind: ConfigMap\n    metadata:\n      name: @",
            "items:\n- kind: ConfigMap",
            "items:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: @\n  data:\n    f: >\n      a\n       b\n      c",
        ]);
        format!("apiVersion: v1\nkind: {kind}\n{items}\n")
    };
    let mut parts = Vec::new();
    for name in ["one", "two", "three"].into_iter().take(1 + choose.below(3)) {
        let part = if choose.chance(60) { list(choose) } else { MAP.to_owned() };
        parts.push(part.replace('@', name));
    }
    let more = choose.one(&[
        "",
        "sortOptions:\n  order: fifo\n",
        "namePrefix: p-\n",
        "sortOptions:\n  order: fifo\nnamespace: ns\n",
    ]);
    with_objects(more, &parts.join("---\n"))
}
