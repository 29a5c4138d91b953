//! The generated CRDs equal the reference, descriptions apart, and the files in `crds/` are what is generated.

use std::path::Path;

use serde_json::{Value, json};

use crate::{read_yaml, shared};

/// Removes the descriptions of schemas; a property that happens to be called `description` stays.
fn without_descriptions(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    object.remove("description");
    if let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) {
        properties.values_mut().for_each(without_descriptions);
    }
    for child in ["items", "additionalProperties"] {
        if let Some(child) = object.get_mut(child) {
            without_descriptions(child);
        }
    }
}

fn comparable(mut crd: Value) -> Value {
    for version in crd["spec"]["versions"].as_array_mut().unwrap() {
        without_descriptions(&mut version["schema"]["openAPIV3Schema"]);
    }
    crd
}

/// SC-001: names, categories, columns, subresources and schemas.
#[test]
fn every_reference_crd_is_generated_field_for_field() {
    let Some(folder) = shared("crds") else { return };
    let generated = millrace_api::crd_files();
    let mut names: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(generated.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), names);

    for (name, yaml) in generated {
        let ours = comparable(serde_yaml::from_str(&yaml).unwrap());
        let theirs = comparable(read_yaml(&folder.join(&name)));
        assert_same(&name, &ours["spec"], &theirs["spec"]);
        assert_eq!(ours["metadata"]["name"], theirs["metadata"]["name"], "{name}");
        assert_eq!(ours["metadata"]["annotations"], theirs["metadata"]["annotations"], "{name}");
    }
}

/// Compares part by part, so that a failure names the place.
fn assert_same(at: &str, ours: &Value, theirs: &Value) {
    match (ours, theirs) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = |object: &serde_json::Map<String, Value>| {
                let mut keys: Vec<_> = object.keys().cloned().collect();
                keys.sort();
                keys
            };
            assert_eq!(keys(a), keys(b), "keys of {at}");
            a.iter().for_each(|(key, value)| assert_same(&format!("{at}.{key}"), value, &b[key]));
        }
        (Value::Array(a), Value::Array(b)) if at.ends_with(".required") => {
            let sorted = |list: &[Value]| {
                let mut list: Vec<_> = list.iter().map(Value::to_string).collect();
                list.sort();
                list
            };
            assert_eq!(sorted(a), sorted(b), "{at}");
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "length of {at}");
            a.iter().zip(b).enumerate().for_each(|(i, (x, y))| assert_same(&format!("{at}[{i}]"), x, y));
        }
        _ => assert_eq!(ours, theirs, "{at}"),
    }
}

#[test]
fn every_property_is_described() {
    fn check(at: &str, schema: &Value) {
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let at = format!("{at}.{name}");
            assert!(
                property["description"].is_string() || name == "metadata" || name == "conditions",
                "{at}"
            );
            check(&at, property);
        }
        if let Some(items) = schema.get("items") {
            check(at, items);
        }
    }
    for (name, yaml) in millrace_api::crd_files() {
        let crd: Value = serde_yaml::from_str(&yaml).unwrap();
        check(&name, &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]);
    }
}

#[test]
fn every_crd_carries_the_labels_by_which_tools_find_flux() {
    for crd in millrace_api::crds() {
        let labels = json!(crd.metadata.labels);
        assert_eq!(labels["app.kubernetes.io/part-of"], "flux");
        assert_eq!(labels["app.kubernetes.io/version"], millrace_api::crd::API_LEVEL);
        // Upstream's install would ask whether to override another tool's installation.
        assert_eq!(labels.get("app.kubernetes.io/managed-by"), None);
    }
}

#[test]
fn the_files_in_the_repository_are_current() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../crds"));
    for (name, yaml) in millrace_api::crd_files() {
        let stored = std::fs::read_to_string(folder.join(&name)).unwrap_or_default();
        assert!(stored == yaml, "crds/{name} is not current: run `cargo xtask crds`");
    }
}
