//! Which objects an entry of a Receiver means.
//!
//! Pure. Contract: notification-controller §4.7.

use std::collections::BTreeMap;

use kube::core::ApiResource;
use millrace_api::notification::v1::ReceiverResource;

use crate::{cluster::resource_of, dispatch::Source, go::quote::Quoted};

/// The API versions of kinds that need not name one.
const DEFAULT_API_VERSIONS: &[(&str, &[&str])] = &[
    (
        "source.toolkit.fluxcd.io/v1",
        &["Bucket", "HelmChart", "HelmRepository", "GitRepository", "OCIRepository"],
    ),
    ("image.toolkit.fluxcd.io/v1", &["ImageRepository"]),
    ("source.extensions.fluxcd.io/v1beta1", &["ArtifactGenerator"]),
];

/// The objects an entry means.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Their resource.
    pub resource: ApiResource,
    /// Their namespace.
    pub namespace: String,
    /// Which of them.
    pub choice: Choice,
}

/// One object or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The one of this name.
    Named(String),
    /// All that have these labels.
    Labelled(BTreeMap<String, String>),
}

/// An entry that means no object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// The entry names another namespace, which the operator forbids.
    #[error("cross-namespace references are not allowed")]
    CrossNamespace,
    /// The kind has no default API version.
    #[error("apiVersion must be specified for kind {}", Quoted(.0))]
    NoApiVersion(String),
    /// The API version is malformed.
    #[error("unexpected GroupVersion string: {0}")]
    ApiVersion(String),
    /// Every object of a kind is too much to ask for by accident.
    #[error("matchLabels field not set when using wildcard '*' as name")]
    NoLabels,
}

/// Finds out what an entry of a Receiver in the namespace `home` means.
pub fn resolve(
    resource: &ReceiverResource,
    home: &str,
    no_cross_namespace_refs: bool,
) -> Result<Target, TargetError> {
    let Source { kind, namespace, name, match_labels } = Source::of(&resource.object, home);
    if no_cross_namespace_refs && namespace != home {
        return Err(TargetError::CrossNamespace);
    }
    let api_version = match resource.object.api_version.as_deref().filter(|version| !version.is_empty()) {
        Some(version) => version,
        None => default_api_version(&kind).ok_or_else(|| TargetError::NoApiVersion(kind.clone()))?,
    };
    let resource =
        resource_of(api_version, &kind).ok_or_else(|| TargetError::ApiVersion(api_version.to_owned()))?;
    let choice = match (name.as_str(), match_labels) {
        ("*", None) => return Err(TargetError::NoLabels),
        ("*", Some(labels)) => Choice::Labelled(labels),
        _ => Choice::Named(name),
    };
    Ok(Target { resource, namespace, choice })
}

fn default_api_version(kind: &str) -> Option<&'static str> {
    DEFAULT_API_VERSIONS.iter().find(|(_, kinds)| kinds.contains(&kind)).map(|(version, _)| *version)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(entry: &str, no_cross: bool) -> Result<String, TargetError> {
        let resource: ReceiverResource = serde_json::from_str(entry).unwrap();
        resolve(&resource, "apps", no_cross).map(|target| {
            let choice = match &target.choice {
                Choice::Named(name) => name.clone(),
                Choice::Labelled(labels) => format!("{labels:?}"),
            };
            format!(
                "{} {} {} {choice}",
                target.resource.api_version, target.resource.plural, target.namespace
            )
        })
    }

    /// NC-134, NC-138
    #[test]
    fn an_entry_means_objects_or_says_why_not() {
        let crossing = r#"{"kind":"GitRepository","name":"x","namespace":"other"}"#;
        for (entry, no_cross, expected) in [
            (
                r#"{"kind":"GitRepository","name":"app"}"#,
                false,
                Ok("source.toolkit.fluxcd.io/v1 gitrepositories apps app"),
            ),
            (
                r#"{"kind":"ImageRepository","name":"app","matchLabels":{"a":"b"}}"#,
                false,
                Ok("image.toolkit.fluxcd.io/v1 imagerepositories apps app"),
            ),
            (
                r#"{"kind":"HelmRelease","name":"app","apiVersion":"helm.toolkit.fluxcd.io/v2"}"#,
                false,
                Ok("helm.toolkit.fluxcd.io/v2 helmreleases apps app"),
            ),
            (
                r#"{"kind":"Bucket","name":"*","matchLabels":{"a":"b"}}"#,
                false,
                Ok(r#"source.toolkit.fluxcd.io/v1 buckets apps {"a": "b"}"#),
            ),
            (
                r#"{"kind":"Bucket","name":"*","matchLabels":{}}"#,
                false,
                Ok("source.toolkit.fluxcd.io/v1 buckets apps {}"),
            ),
            (r#"{"kind":"Bucket","name":"*"}"#, false, Err(TargetError::NoLabels)),
            (
                r#"{"kind":"Kustomization","name":"x"}"#,
                false,
                Err(TargetError::NoApiVersion("Kustomization".into())),
            ),
            (
                r#"{"kind":"Bucket","name":"x","apiVersion":"a/b/c"}"#,
                false,
                Err(TargetError::ApiVersion("a/b/c".into())),
            ),
            (crossing, false, Ok("source.toolkit.fluxcd.io/v1 gitrepositories other x")),
            (crossing, true, Err(TargetError::CrossNamespace)),
            (
                r#"{"kind":"GitRepository","name":"x","namespace":"apps"}"#,
                true,
                Ok("source.toolkit.fluxcd.io/v1 gitrepositories apps x"),
            ),
        ] {
            assert_eq!(target(entry, no_cross), expected.map(str::to_owned), "{entry}");
        }
    }
}
