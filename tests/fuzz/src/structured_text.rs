//! Text that is changed in one place and printed again, by itself and inside of an object: the sections `text`, `path` and
//! `value`.

use millrace_kustomize::{Limits, MemoryFiles, Options, build};
use millrace_yaml::read::{self, Resolver};
use millrace_yaml::styled::Document;
use millrace_yaml::{Map, Node, json};

use crate::kustomize_build::{check, check_error};
use crate::sections::{sections, text_of};

const LIMITS: read::Limits = read::Limits { depth: 50, text_bytes: 1 << 16, values: 5_000 };
const MAX_PRINTED: usize = 1 << 20;
const MAX_INPUT: usize = 1 << 15;

pub(crate) fn run(data: &[u8]) {
    if data.len() > MAX_INPUT {
        return;
    }
    let sections = sections(data);
    let text = text_of(&sections, "text");
    print(&text);
    for create in [false, true] {
        replace(&text, &text_of(&sections, "path"), &text_of(&sections, "value"), create);
    }
}

/// The reader that keeps comments reads what the other one does, but for aliases and keys, which it leaves as they are.
fn print(text: &str) {
    let Ok(document) = Document::read(text, &LIMITS) else {
        let other = read::one(text, Resolver::Kustomize, &LIMITS);
        assert!(other.is_err(), "{text:?} is read where comments do not matter");
        return;
    };
    if let Some(document) = document
        && let Ok(printed) = document.print(MAX_PRINTED)
    {
        assert!(printed.len() <= MAX_PRINTED);
        assert_eq!(document.clone().print(printed.len()).as_deref(), Ok(printed.as_str()));
    }
}

fn replace(text: &str, path: &str, value: &str, create: bool) {
    let object = map(&[
        ("apiVersion", Node::string("v1")),
        ("kind", Node::string("ConfigMap")),
        ("metadata", map(&[("name", Node::string("a"))])),
        ("data", map(&[("text", Node::string(text))])),
    ]);
    let target = map(&[
        ("select", map(&[("kind", Node::string("ConfigMap"))])),
        ("fieldPaths", Node::list(vec![Node::string(format!("data.text.{}", path.trim_end()))])),
        ("options", map(&[("create", Node::bool(create))])),
    ]);
    let replacement =
        map(&[("sourceValue", Node::string(value.trim_end())), ("targets", Node::list(vec![target]))]);
    let kustomization = map(&[
        ("resources", Node::list(vec![Node::string("a.yaml")])),
        ("replacements", Node::list(vec![replacement])),
    ]);
    let mut files = MemoryFiles::new();
    files.insert("a.yaml", json::to_string(&object));
    files.insert("kustomization.yaml", json::to_string(&kustomization));
    let limits = Limits { bytes: 1 << 18, ..Limits::default() };
    match build(&files, "", &Options { limits, ..Options::cli("/srv") }) {
        Ok(output) => check(&output, &limits),
        Err(error) => check_error(&error),
    }
}

fn map(entries: &[(&str, Node)]) -> Node {
    let mut map = Map::default();
    for (key, value) in entries {
        map.insert(*key, value.clone());
    }
    Node::Map(map)
}
