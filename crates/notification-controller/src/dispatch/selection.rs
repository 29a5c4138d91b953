//! Which alerts an event concerns.
//!
//! Pure: where labels decide, the caller fetches them and asks again.
//!
//! Contract: notification-controller §2.6.

use std::collections::BTreeMap;

use millrace_api::notification::v1beta3::Alert;

use super::source::Source;
use crate::{
    event::Event,
    go::{quote::Quoted, regex},
};

/// What the sources of an alert say about an event before labels are known.
#[derive(Debug, PartialEq, Eq)]
pub struct SourceMatch {
    /// Sources that match if the involved object has their labels, in the order they are tried.
    pub labelled: Vec<Source>,
    /// Whether a source after them matches whatever the labels.
    pub unconditional: bool,
}

/// Compares the event with the sources of an alert.
pub fn match_sources(alert: &Alert, event: &Event) -> SourceMatch {
    let mut result = SourceMatch { labelled: Vec::new(), unconditional: false };
    let least = alert.spec.event_severity.as_deref().unwrap_or("info");
    if alert.spec.suspend || (event.severity != least && least != "info") {
        return result;
    }
    let home = alert.metadata.namespace.as_deref().unwrap_or_default();
    for source in alert.spec.event_sources.iter().map(|source| Source::of(source, home)) {
        let object = &event.involved_object;
        let concerns = object.namespace == source.namespace
            && object.kind == source.kind
            && (source.name == "*" || source.name == object.name);
        match (concerns, &source.match_labels) {
            (false, _) => {}
            (true, None) => {
                result.unconditional = true;
                break;
            }
            (true, Some(_)) => result.labelled.push(source),
        }
    }
    result
}

/// Whether `labels` has every one of `wanted`.
///
/// # Errors
///
/// If a wanted label is none that an object could have.
pub fn match_labels(
    wanted: &BTreeMap<String, String>,
    labels: &BTreeMap<String, String>,
) -> Result<bool, InvalidLabel> {
    if let Some((key, value)) =
        wanted.iter().find(|(key, value)| !is_label_key(key) || !is_label_value(value))
    {
        return Err(InvalidLabel { key: key.clone(), value: value.clone() });
    }
    Ok(wanted.iter().all(|(key, value)| labels.get(key) == Some(value)))
}

/// A label that no object can have.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("label {} is not valid", Quoted(&format!("{key}={value}")))]
pub struct InvalidLabel {
    /// The label's key.
    pub key: String,
    /// The label's value.
    pub value: String,
}

fn is_label_key(key: &str) -> bool {
    let (prefix, name) = key.split_once('/').map_or((None, key), |(prefix, name)| (Some(prefix), name));
    let valid_prefix = prefix.is_none_or(|prefix| {
        !prefix.is_empty()
            && prefix.len() <= 253
            && prefix
                .split('.')
                .all(|part| is_bounded(part, |c| c == '-') && !part.bytes().any(|b| b.is_ascii_uppercase()))
    });
    valid_prefix && name.len() <= 63 && is_bounded(name, |c| "-_.".contains(c))
}

fn is_label_value(value: &str) -> bool {
    value.is_empty() || value.len() <= 63 && is_bounded(value, |c| "-_.".contains(c))
}

/// Whether `text` is alphanumeric at both ends and has only those and `inner` characters between.
fn is_bounded(text: &str, inner: impl Fn(char) -> bool) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.ends_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || inner(c))
}

/// What an alert's lists say about a message.
#[derive(Debug, PartialEq, Eq)]
pub struct MessageMatch {
    /// Whether the message passes.
    pub passes: bool,
    /// The patterns that do not compile, as the alert's owner should be told.
    pub broken: Vec<String>,
}

/// Tries the inclusion list, then the exclusion list; a list ends at its first match.
pub fn match_message(alert: &Alert, message: &str) -> MessageMatch {
    let mut broken = Vec::new();
    let mut any = |list: &str, patterns: &[String]| {
        patterns.iter().any(|pattern| match regex::compile(pattern) {
            Ok(regex) => regex.is_match(message),
            Err(error) => {
                tracing::error!(%error, "failed to compile {list} regex: {pattern}");
                broken.push(format!("failed to compile {list} regex: {pattern}"));
                false
            }
        })
    };
    let spec = &alert.spec;
    let included = spec.inclusion_list.is_empty() || any("inclusion", &spec.inclusion_list);
    let passes = included && !any("exclusion", &spec.exclusion_list);
    MessageMatch { passes, broken }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::fixtures::e1;

    fn alert(namespace: &str, spec: &str) -> Alert {
        let yaml = format!(
            r#"{{"metadata":{{"namespace":"{namespace}","name":"on-call"}},"spec":{{"providerRef":{{"name":"prov"}},{spec}}}}}"#
        );
        serde_json::from_str(&yaml).unwrap()
    }

    /// NC-016, NC-017, NC-018, NC-019, NC-020, NC-021, NC-022, NC-032
    #[test]
    fn a_source_matches_by_namespace_kind_severity_and_name() {
        let any = r#""eventSources":[{"kind":"Kustomization","name":"*"}]"#;
        let cross = r#""eventSources":[{"kind":"Kustomization","name":"*","namespace":"apps"}]"#;
        let star = r#""eventSources":[{"kind":"Kustomization","name":"*","namespace":"*"}]"#;
        let with = |extra: &str| format!("{any},{extra}");
        for (namespace, spec, severity, expected) in [
            ("apps", any.to_owned(), "error", true),
            (
                "apps",
                r#""eventSources":[{"kind":"Kustomization","name":"webapp"}]"#.to_owned(),
                "error",
                true,
            ),
            (
                "apps",
                r#""eventSources":[{"kind":"Kustomization","name":"other"}]"#.to_owned(),
                "error",
                false,
            ),
            ("apps", r#""eventSources":[{"kind":"GitRepository","name":"*"}]"#.to_owned(), "error", false),
            ("apps", r#""eventSources":[]"#.to_owned(), "error", false),
            ("flux-system", cross.to_owned(), "error", true),
            ("flux-system", any.to_owned(), "error", false),
            ("flux-system", star.to_owned(), "error", false),
            ("apps", with(r#""eventSeverity":"error""#), "info", false),
            ("apps", with(r#""eventSeverity":"error""#), "error", true),
            ("apps", with(r#""eventSeverity":"info""#), "trace", true),
            ("apps", with(r#""suspend":true"#), "error", false),
        ] {
            let mut event = e1();
            event.severity = severity.into();
            let matched = match_sources(&alert(namespace, &spec), &event);
            assert_eq!(matched.unconditional, expected, "{namespace} {spec} {severity}");
            assert_eq!(matched.labelled, [], "{spec}");
        }
    }

    /// NC-024
    #[test]
    fn labels_are_asked_for_in_the_order_of_the_sources_also_with_an_exact_name() {
        let spec = r#""eventSources":[{"kind":"Kustomization","name":"webapp","matchLabels":{"team":"a"}},
            {"kind":"Kustomization","name":"*"},{"kind":"Kustomization","name":"*","matchLabels":{"team":"b"}}]"#;
        let matched = match_sources(&alert("apps", spec), &e1());
        assert!(matched.unconditional);
        let paths: Vec<_> = matched.labelled.iter().map(Source::path).collect();
        assert_eq!(paths, ["Kustomization/apps/webapp"]);
    }

    /// NC-023
    #[test]
    fn every_wanted_label_must_be_there() {
        let map = |list: &[(&str, &str)]| -> BTreeMap<String, String> {
            list.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
        };
        let labels = map(&[("team", "a"), ("tier", "1")]);
        for (wanted, expected) in [
            (map(&[("team", "a")]), Ok(true)),
            (map(&[("team", "b")]), Ok(false)),
            (map(&[("team", "a"), ("x", "y")]), Ok(false)),
            (map(&[]), Ok(true)),
            (map(&[("app.kubernetes.io/name", "web")]), Ok(false)),
        ] {
            assert_eq!(match_labels(&wanted, &labels), expected, "{wanted:?}");
        }
        for (key, value) in
            [("team", "a b"), ("te am", "a"), ("/x", "a"), ("A/x", "a"), ("team", "-a"), ("", "a")]
        {
            assert!(match_labels(&map(&[(key, value)]), &labels).is_err(), "{key}={value}");
        }
    }

    /// NC-027, NC-028, NC-029, NC-030, NC-031
    #[test]
    fn inclusion_is_tried_before_exclusion() {
        let message = &e1().message;
        let broken = |list: &str| vec![format!("failed to compile {list} regex: [")];
        for (spec, passes, warnings) in [
            (r#""inclusionList":["^Applied"]"#, false, vec![]),
            (r#""inclusionList":["^Health","zzz"]"#, true, vec![]),
            (r#""inclusionList":["failed"],"exclusionList":["Health"]"#, false, vec![]),
            (r#""exclusionList":["(?i)NOT READY$"]"#, false, vec![]),
            (r#""inclusionList":["["]"#, false, broken("inclusion")),
            (r#""exclusionList":["["]"#, true, broken("exclusion")),
            (r#""inclusionList":["zzz"],"exclusionList":["["]"#, false, vec![]),
            (r#""inclusionList":["\\QHealth check\\E"]"#, true, vec![]),
            (r#""inclusionList":["\\QHealth.check\\E"]"#, false, vec![]),
        ] {
            let alert = alert("apps", &format!(r#""eventSources":[],{spec}"#));
            assert_eq!(match_message(&alert, message), MessageMatch { passes, broken: warnings }, "{spec}");
        }
    }
}
