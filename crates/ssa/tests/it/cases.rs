//! Recorded cases, read in place.

use std::path::PathBuf;

use millrace_yaml::read::{Limits, Resolver, documents};
use millrace_yaml::{Node, json};

/// One recorded case.
pub(crate) struct Case(pub(crate) Node);

impl Case {
    pub(crate) fn id(&self) -> &str {
        self.0.str_at(&["id"]).expect("a case has an id")
    }

    pub(crate) fn area(&self) -> &str {
        self.0.str_at(&["area"]).expect("a case has an area")
    }

    pub(crate) fn text(&self, field: &str) -> Option<&str> {
        self.0.str_at(&[field])
    }

    /// The object whose YAML is the text of `field`.
    pub(crate) fn object(&self, field: &str) -> Option<Node> {
        self.text(field).map(|text| objects(text).remove(0))
    }

    pub(crate) fn expect(&self, field: &str) -> Option<&Node> {
        self.0.at(&["expect", field])
    }
}

/// The documents of a text, whatever they are.
pub(crate) fn objects(text: &str) -> Vec<Node> {
    let found = documents(text, Resolver::Kubernetes, &Limits::default()).expect("a case holds valid YAML");
    found.into_iter().map(|document| document.node).collect()
}

/// The cases of a set; `None`, said aloud, where the recorded data is not there.
pub(crate) fn load(set: &str) -> Option<Vec<Case>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/conformance")
        .join(set)
        .join("cases.yaml");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: no recorded data at {}", path.display());
        return None;
    };
    let mut file = objects(&text).remove(0);
    let cases = file.as_map_mut().and_then(|file| file.remove("cases")).expect("a set has cases");
    let Node::List(cases) = cases else { panic!("cases are a list") };
    Some(cases.into_iter().map(Case).collect())
}

/// Checks the cases of some areas and names all that differ.
pub(crate) fn check(set: &str, areas: &[&str], check: impl Fn(&Case) -> Result<(), String>) {
    let Some(cases) = load(set) else { return };
    let chosen: Vec<&Case> =
        cases.iter().filter(|case| areas.is_empty() || areas.contains(&case.area())).collect();
    assert!(!chosen.is_empty(), "no case in {areas:?}");
    let failures: Vec<String> = chosen
        .iter()
        .filter_map(|case| check(case).err().map(|message| format!("{}: {message}", case.id())))
        .collect();
    assert!(failures.is_empty(), "{} of {} differ:\n{}", failures.len(), chosen.len(), failures.join("\n"));
}

/// An error with both sides unless the values are the same.
pub(crate) fn same(what: &str, found: &Node, expected: &Node) -> Result<(), String> {
    if found.same_value(expected) {
        return Ok(());
    }
    Err(format!("{what}\n   found {}\nexpected {}", json::to_string(found), json::to_string(expected)))
}

/// Like [`same`], for texts.
pub(crate) fn same_text(what: &str, found: &str, expected: &str) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}\n   found {found:?}\nexpected {expected:?}")) }
}
