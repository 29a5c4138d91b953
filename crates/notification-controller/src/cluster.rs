//! Objects of any kind, of which only the metadata matters.

use std::collections::BTreeMap;

use kube::{
    Api, Client,
    core::{ApiResource, DynamicObject, GroupVersionKind},
};
use millrace_reconcile::client::error_text;

use crate::event::InvolvedObject;

/// Reads the labels of the object an event is about.
///
/// # Errors
///
/// The API server's text, or that the event does not say what kind of object it is.
pub(crate) async fn fetch_labels(
    client: &Client,
    object: &InvolvedObject,
) -> Result<BTreeMap<String, String>, String> {
    let resource = resource_of(&object.api_version, &object.kind).ok_or_else(|| {
        format!("no matches for kind \"{}\" in version \"{}\"", object.kind, object.api_version)
    })?;
    let found = api(client, &object.namespace, &resource).get_metadata(&object.name).await;
    found.map(|found| found.metadata.labels.unwrap_or_default()).map_err(|error| error_text(&error))
}

/// The API of a kind in a namespace.
pub(crate) fn api(client: &Client, namespace: &str, resource: &ApiResource) -> Api<DynamicObject> {
    if namespace.is_empty() {
        Api::all_with(client.clone(), resource)
    } else {
        Api::namespaced_with(client.clone(), namespace, resource)
    }
}

/// The resource behind an API version and a kind; the plurals of all kinds of the toolkit are regular.
pub(crate) fn resource_of(api_version: &str, kind: &str) -> Option<ApiResource> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    if version.is_empty() || version.contains('/') || kind.is_empty() {
        return None;
    }
    Some(ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plurals_of_the_toolkit_are_found() {
        for (kind, plural) in [
            ("Bucket", "buckets"),
            ("GitRepository", "gitrepositories"),
            ("Kustomization", "kustomizations"),
            ("HelmRelease", "helmreleases"),
            ("HelmChart", "helmcharts"),
            ("ImagePolicy", "imagepolicies"),
            ("ImageUpdateAutomation", "imageupdateautomations"),
            ("OCIRepository", "ocirepositories"),
            ("ArtifactGenerator", "artifactgenerators"),
            ("ExternalArtifact", "externalartifacts"),
        ] {
            assert_eq!(resource_of("g/v1", kind).map(|resource| resource.plural).as_deref(), Some(plural));
        }
        assert!(resource_of("", "Bucket").is_none());
        assert!(resource_of("a/b/c", "Bucket").is_none());
    }
}
