//! JSON: patches, whose strings the reference compares as they are spelled, and texts that replacements lead into.

use super::{file, with_objects};
use crate::chooser::Chooser;
use crate::project::Project;

/// Strings that JSON and YAML spell in several ways, or that YAML does not have.
const OBJECT: &str = "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: cm
  annotations:
    a/b: <b>
data:
  plain: x
  url: http://x/a&b
  quoted: \"a\\tb \\u2028\"
  slash: a/b
  accent: é
  lines: |
    a
    b
  \"k&\": v
spec:
  list:
  - a&b
  - é
  number: 1.0
";

const CONTROL: &str = "  delete: \"a\\x7f\"\n  other: \"\\x80\"\n";

const PATHS: &[&str] = &[
    "/data",
    "/data/plain",
    "/data/url",
    "/data/quoted",
    "/data/slash",
    "/data/accent",
    "/data/lines",
    "/data/k&",
    "/data/k\\u0026",
    "/data/new",
    "/spec/new",
    "/spec/list",
    "/spec/list/0",
    "/spec/list/1",
    "/spec/list/-",
    "/spec/number",
    "/spec/delete",
    "\\/spec\\/other",
    "/metadata/annotations",
    "/metadata/annotations/a~1b",
];

const VALUES: &[&str] = &[
    "\"x\"",
    "\"\\u0078\"",
    "\"http://x/a&b\"",
    "\"http://x/a\\u0026b\"",
    "\"a\\tb \\u2028\"",
    "\"a/b\"",
    "\"a\\/b\"",
    "\"é\"",
    "\"\\u00e9\"",
    "\"a\\nb\\n\"",
    "\"<b>\"",
    "\"\\u003cb\\u003e\"",
    "\"\\u003Cb\\u003E\"",
    "[\"a&b\",\"é\"]",
    "[\"a\\u0026b\",\"é\"]",
    "{\"a/b\":\"<b>\"}",
    "{\"a\\/b\":\"\\u003cb\\u003e\"}",
    "\"a\\u007f\"",
    "\"\\b\\f\"",
    "\"yes\"",
    "\"1e3\"",
    "\"2020-01-01\"",
    "null",
    "1.0",
    "1",
    "1e0",
    "true",
    "{}",
    "[]",
];

/// What makes JSON of a text no longer JSON.
const BREAKS: &[(&str, &str)] = &[
    ("\"op\"", "“op”"),
    ("\"op\"", "'op'"),
    ("\"op\"", "op"),
    ("\":", "\"\u{a0}:"),
    ("}]", "},]"),
    ("}]", "}"),
    ("\"value\":", "\"value\":tru"),
    ("\"value\":", "\"value\":\"a\\x\","),
    ("\"value\":", "\"value\":\"\\u00g\","),
    ("\"value\":", "\"value\":01,"),
    ("\"path\"", "\"pa\tth\""),
    ("},{", "} {"),
    ("[{", "[[{"),
];

const NUMBERS: &[&str] = &[
    "1",
    "1.0",
    "-1",
    "1e3",
    "1.5e-7",
    "1e21",
    "123456789.123456789",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "100000000000000000000000",
    "true",
    "null",
    "\"2020-01-01\"",
    "\"a&b\"",
    "\"\\u00e9\"",
    "{}",
    "[]",
    "[1, 2]",
    "{\"b\": 1, \"a\": 2}",
];

/// Values that a replacement puts into JSON text.
pub(super) fn texts(choose: &mut Chooser) -> Project {
    let mut one = || choose.one(NUMBERS);
    let (first, second, third) = (one(), one(), one());
    let json = format!("{{\"x\": {first}, \"l\": [{second}, {{\"z\": {third}}}], \"k\": \"v\"}}");
    let json = choose.one(&[&*json, &json.replace(", ", ",\n      "), &json.replace(' ', "")]).to_owned();
    let objects = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cm\ndata:\n  json: |-\n    {json}\n  number: {}\n",
        choose.one(NUMBERS)
    );
    let source = match choose.below(3) {
        0 => "source: {kind: ConfigMap, fieldPath: data.number}".to_owned(),
        1 => "source: {kind: ConfigMap}".to_owned(),
        _ => {
            format!("sourceValue: {}", choose.one(&["x", "'1'", "'9007199254740993'", "'true'", "''", "a&b"]))
        }
    };
    let path = choose.one(&["x", "l.0", "l.1.z", "l", "k", "new", "l.-", "l.1.new"]);
    let options = choose.one(&["", ", options: {create: true}"]);
    with_objects(
        &format!(
            "replacements:\n- {source}\n  targets: [{{select: {{kind: ConfigMap}}, fieldPaths: [data.json.{path}]{options}}}]\n"
        ),
        &objects,
    )
}

/// Operations that put values in and test them.
pub(super) fn spelled(choose: &mut Chooser) -> Project {
    let operations = choose.times(1, 3, |choose| {
        let operation = choose.one(&["add", "replace", "test", "test", "test", "copy", "move", "remove"]);
        let (path, other) = (choose.one(PATHS), choose.one(PATHS));
        match operation {
            "remove" => format!("{{\"op\":\"remove\",\"path\":\"{path}\"}}"),
            "copy" | "move" => {
                format!("{{\"op\":\"{operation}\",\"from\":\"{path}\",\"path\":\"{other}\"}}")
            }
            _ => format!("{{\"op\":\"{operation}\",\"path\":\"{path}\",\"value\":{}}}", choose.one(VALUES)),
        }
    });
    let mut text = format!("[{}]", operations.join(","));
    if choose.chance(10) {
        let (sound, broken) = choose.one(BREAKS);
        text = text.replacen(sound, broken, 1);
    }
    let field = choose.one(&["patches", "patches", "patchesJson6902"]);
    let objects = if choose.chance(15) { format!("{OBJECT}{CONTROL}") } else { OBJECT.to_owned() };
    let target = "target:\n    version: v1\n    kind: ConfigMap\n    name: cm\n";
    if choose.chance(30) {
        return with_objects(&format!("{field}:\n- {target}  patch: |-\n    {text}\n"), &objects);
    }
    let mut project = with_objects(&format!("{field}:\n- {target}  path: operations.json\n"), &objects);
    file(&mut project, "operations.json", &text);
    project
}
