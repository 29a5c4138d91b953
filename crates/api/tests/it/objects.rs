//! Objects as a cluster holds them survive reading and writing.

use kube::core::NamespaceResourceScope;
use millrace_api::kustomize::v1::Kustomization;
use millrace_api::notification::{CrossNamespaceObjectReference, v1, v1beta3};
use millrace_api::source::v1::{
    Bucket, ExternalArtifact, GitRepository, HelmChart, HelmRepository, OCIRepository,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{read_yaml, shared};

/// Every field that upstream wrote comes back, but for durations in another notation.
fn check_recorded<K>(set: &str) -> usize
where
    K: kube::Resource<DynamicType = (), Scope = NamespaceResourceScope> + Serialize + DeserializeOwned,
{
    let Some(path) = shared(&format!("conformance/cluster-state/{set}.yaml")) else { return 0 };
    let list = read_yaml(&path);
    let items = list["items"].as_array().unwrap();
    for item in items {
        let object: K = serde_json::from_value(item.clone()).unwrap_or_else(|error| panic!("{set}: {error}"));
        let written = serde_json::to_value(&object).unwrap();
        for part in ["apiVersion", "kind", "spec", "status"] {
            let name = format!("{set} {} {part}", object.meta().name.as_deref().unwrap());
            assert_eq!(normal(&written[part]), normal(&item[part]), "{name}");
        }
    }
    items.len()
}

/// Prints durations in one notation and drops fields that hold a default, which Go writes in some places.
fn normal(value: &Value) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .filter(|(_, value)| !value.is_null() && **value != json!(false))
            .map(|(key, value)| (key.clone(), normal(value)))
            .collect(),
        Value::Array(items) => items.iter().map(normal).collect(),
        Value::String(text) => match text.parse::<millrace_api::meta::GoDuration>() {
            Ok(duration) => json!(duration.to_string()),
            Err(_) => value.clone(),
        },
        _ => value.clone(),
    }
}

#[test]
fn recorded_objects_survive_reading_and_writing() {
    let total = check_recorded::<GitRepository>("gitrepositories")
        + check_recorded::<OCIRepository>("ocirepositories")
        + check_recorded::<Bucket>("buckets")
        + check_recorded::<HelmRepository>("helmrepositories")
        + check_recorded::<HelmChart>("helmcharts")
        + check_recorded::<ExternalArtifact>("externalartifacts")
        + check_recorded::<Kustomization>("kustomizations")
        + check_recorded::<v1beta3::Alert>("alerts")
        + check_recorded::<v1beta3::Provider>("providers")
        + check_recorded::<v1::Receiver>("receivers");
    assert!(total > 10 || shared("conformance").is_none(), "only {total} objects");
}

#[test]
fn an_object_without_spec_is_read_and_unknown_fields_are_no_error() {
    let object: GitRepository = serde_json::from_value(json!({
        "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository", "metadata": { "name": "a" },
        "status": { "observedGeneration": -1, "fieldOfTomorrow": true },
    }))
    .unwrap();
    assert_eq!(object.spec.url, "");
    assert!(object.spec.interval.is_zero());
    assert_eq!(object.status.unwrap().observed_generation, Some(-1));
}

#[test]
fn an_empty_ignore_is_not_an_absent_one() {
    let read = |spec: Value| {
        serde_json::from_value::<GitRepository>(json!({ "metadata": {}, "spec": spec })).unwrap()
    };
    let spec = json!({ "url": "https://x", "interval": "1m", "ignore": "" });
    assert_eq!(read(spec).spec.ignore.as_deref(), Some(""));
    assert_eq!(read(json!({ "url": "https://x", "interval": "1m" })).spec.ignore, None);
}

#[test]
fn empty_labels_are_not_absent_ones() {
    for labels in [json!(null), json!({}), json!({ "team": "a" })] {
        let mut reference = json!({ "kind": "GitRepository", "name": "*" });
        if !labels.is_null() {
            reference["matchLabels"] = labels.clone();
        }
        let read: CrossNamespaceObjectReference = serde_json::from_value(reference.clone()).unwrap();
        assert_eq!(read.match_labels.is_some(), !labels.is_null());
        assert_eq!(serde_json::to_value(&read).unwrap(), reference);
    }
}
