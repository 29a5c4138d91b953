//! Which finalizers Alerts and Providers should have, and which Providers can't work.
//!
//! Pure. Contract: notification-controller §1.6.

use kube::{Resource, ResourceExt as _};
use millrace_api::{
    meta::FINALIZER,
    notification::v1beta3::{Alert, Provider},
};

use crate::{go::quote::Quoted, providers};

/// The finalizers an object should have instead of those it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    /// All of them.
    pub(super) finalizers: Vec<String>,
}

/// Alerts lose the finalizer of earlier versions, unless they are suspended and here to stay.
pub(super) fn of_alert(alert: &Alert) -> Option<Edit> {
    let deleted = alert.metadata.deletion_timestamp.is_some();
    if alert.spec.suspend && !deleted { None } else { without(alert) }
}

/// Providers have the finalizer until they are deleted, suspended or not.
pub(super) fn of_provider(provider: &Provider) -> Option<Edit> {
    if provider.metadata.deletion_timestamp.is_some() {
        return without(provider);
    }
    let mut finalizers = provider.finalizers().to_vec();
    if finalizers.iter().any(|finalizer| finalizer == FINALIZER) {
        return None;
    }
    finalizers.push(FINALIZER.to_owned());
    Some(Edit { finalizers })
}

/// Says of a Provider that is in use and not to be deleted that its type isn't built in.
pub(super) fn fault_of_provider(provider: &Provider) -> Option<String> {
    let type_ = &provider.spec.type_;
    let is_idle = provider.spec.suspend || provider.metadata.deletion_timestamp.is_some();
    if is_idle || providers::find(type_).is_some() {
        return None;
    }
    let (shown, known) = (Quoted(type_), providers::known());
    Some(format!("provider type {shown} is not supported by this version\nspec.type must be one of: {known}"))
}

fn without(object: &impl Resource) -> Option<Edit> {
    let finalizers: Vec<_> = object.finalizers().iter().filter(|name| *name != FINALIZER).cloned().collect();
    (finalizers.len() < object.finalizers().len()).then_some(Edit { finalizers })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &str = r#""finalizers":["a","finalizers.fluxcd.io"]"#;
    const DELETED: &str = r#""deletionTimestamp":"2026-01-02T03:04:05Z""#;

    fn finalizers(edit: Option<Edit>) -> Option<Vec<String>> {
        edit.map(|edit| edit.finalizers)
    }

    /// NC-141
    #[test]
    fn alerts_are_migrated_unless_suspended() {
        for (metadata, suspend, expected) in [
            (OURS.to_owned(), false, Some(vec!["a".to_owned()])),
            (OURS.to_owned(), true, None),
            (format!("{OURS},{DELETED}"), true, Some(vec!["a".to_owned()])),
            (r#""finalizers":["a"]"#.to_owned(), false, None),
        ] {
            let json = format!(
                r#"{{"metadata":{{{metadata}}},"spec":{{"providerRef":{{"name":"p"}},"eventSources":[],"suspend":{suspend}}}}}"#
            );
            let alert = serde_json::from_str(&json).unwrap();
            assert_eq!(finalizers(of_alert(&alert)), expected, "{json}");
        }
    }

    /// NC-140
    #[test]
    fn providers_have_the_finalizer_until_they_are_deleted() {
        for (metadata, suspend, expected) in [
            (r#""finalizers":["a"]"#.to_owned(), true, Some(vec!["a".to_owned(), FINALIZER.to_owned()])),
            (OURS.to_owned(), false, None),
            (format!("{OURS},{DELETED}"), false, Some(vec!["a".to_owned()])),
            (format!(r#""finalizers":["a"],{DELETED}"#), false, None),
        ] {
            let json =
                format!(r#"{{"metadata":{{{metadata}}},"spec":{{"type":"generic","suspend":{suspend}}}}}"#);
            let provider = serde_json::from_str(&json).unwrap();
            assert_eq!(finalizers(of_provider(&provider)), expected, "{json}");
        }
    }
}
