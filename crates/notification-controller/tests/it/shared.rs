//! Recorded data next to the repository.

use std::path::PathBuf;

use serde_json::Value;

/// Reads a conformance set; `None`, loudly, where the data is not there.
pub(crate) fn conformance(set: &str) -> Option<Value> {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "../../../shared/conformance", set, "cases.yaml"].iter().collect();
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(serde_yaml::from_str(&text).expect("the set is YAML")),
        Err(error) => {
            eprintln!("skipped: {}: {error}", path.display());
            None
        }
    }
}

/// The text of a member, empty if there is none.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The members of an object, none if there is no such object.
pub(crate) fn members<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    value.get(key).and_then(Value::as_object).into_iter().flatten()
}

/// The items of a list, none if there is no such list.
pub(crate) fn items<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}
