//! Writes the annotation that asks an object to reconcile.
//!
//! Contract: notification-controller §4.7.

use futures::{StreamExt as _, stream};
use kube::{
    Api, Client,
    api::{ListParams, Patch, PatchParams},
    core::{ApiResource, DynamicObject},
};
use millrace_api::meta::RECONCILE_REQUEST_ANNOTATION;
use millrace_reconcile::{client::error_text, clock::Clock};
use serde_json::json;

use super::{
    Log,
    target::{Choice, Target},
};
use crate::cluster;

/// How many objects of one entry are written at a time.
const MAX_WRITES: usize = 8;

/// Asks the objects of a target to reconcile.
///
/// # Errors
///
/// One text per object that could not be asked; the others have been.
pub(super) async fn wake(
    client: &Client,
    clock: &dyn Clock,
    target: &Target,
    log: &Log<'_>,
) -> Result<(), Vec<String>> {
    let api = cluster::api(client, &target.namespace, &target.resource);
    let names = match &target.choice {
        Choice::Named(name) => vec![name.clone()],
        Choice::Labelled(labels) => {
            let pairs: Vec<_> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
            let names = list(&api, target, &pairs.join(",")).await.map_err(|error| vec![error])?;
            if names.is_empty() {
                log.error("error annotating resources", &none_found(target, labels));
            }
            names
        }
    };
    let results =
        stream::iter(names).map(|name| annotate(&api, clock, target, name)).buffer_unordered(MAX_WRITES);
    let mut errors = Vec::new();
    for result in results.collect::<Vec<_>>().await {
        match result {
            Ok(woken) => log.info(&format!("resource '{woken}' annotated")),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

async fn list(api: &Api<DynamicObject>, target: &Target, selector: &str) -> Result<Vec<String>, String> {
    let found = api.list_metadata(&ListParams::default().labels(selector)).await.map_err(|error| {
        format!(
            "failed listing resources in namespace \"{}\" by matching labels \"{selector}\": {}",
            target.namespace,
            error_text(&error)
        )
    })?;
    Ok(found.items.into_iter().filter_map(|item| item.metadata.name).collect())
}

fn none_found(target: &Target, labels: &std::collections::BTreeMap<String, String>) -> String {
    format!(
        "no \"{}\" resources found with matching labels {labels:?} in \"{}\" namespace",
        target.resource.kind, target.namespace
    )
}

/// Writes the annotation without reading the object first: the write itself tells whether it exists.
async fn annotate(
    api: &Api<DynamicObject>,
    clock: &dyn Clock,
    target: &Target,
    name: String,
) -> Result<String, String> {
    let Target { resource, namespace, .. } = target;
    let kind = &resource.kind;
    let request = json!({ "metadata": { "annotations": { RECONCILE_REQUEST_ANNOTATION: format!("{:.9}", clock.now()) } } });
    let outcome = api.patch_metadata(&name, &PatchParams::default(), &Patch::Merge(request)).await;
    let woken = format!("{kind}/{name}.{namespace}");
    match outcome {
        Ok(_) => Ok(woken),
        Err(kube::Error::Api(status)) if status.code == 404 => Err(format!(
            "unable to read {kind} \"{namespace}/{name}\" error: {}",
            absence(resource, &name, &status.message)
        )),
        Err(error) => Err(format!(
            "failed to annotate resource: '{woken}': unable to annotate {kind} \"{namespace}/{name}\" error: {}",
            error_text(&error)
        )),
    }
}

/// What is said of an object that isn't there: the original reads from a cache, which names the kind, and not from the API
/// server, which names the plural. Other texts, such as that of a kind that isn't there, stay.
fn absence(resource: &ApiResource, name: &str, said: &str) -> String {
    let ApiResource { group, kind, plural, .. } = resource;
    let of_group = |what: &str| if group.is_empty() { what.to_owned() } else { format!("{what}.{group}") };
    if said == format!("{} \"{name}\" not found", of_group(plural)) {
        return format!("{} \"{name}\" not found", of_group(kind));
    }
    said.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::resource_of;

    #[test]
    fn an_object_that_is_absent_is_named_by_its_kind() {
        for (api_version, kind, said, expected) in [
            ("g.io/v1", "Bucket", "buckets.g.io \"a\" not found", "Bucket.g.io \"a\" not found"),
            ("v1", "Secret", "secrets \"a\" not found", "Secret \"a\" not found"),
            ("g.io/v1", "Bucket", "the server could not find the requested resource", ""),
            ("g.io/v1", "Bucket", "buckets.g.io \"b\" not found", ""),
        ] {
            let resource = resource_of(api_version, kind).expect("a resource");
            let expected = if expected.is_empty() { said } else { expected };
            assert_eq!(absence(&resource, "a", said), expected);
        }
    }
}
