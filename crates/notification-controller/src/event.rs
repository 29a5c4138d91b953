//! The event other controllers post and providers forward.
//!
//! Reading is as forgiving as Go's decoder; writing gives Go's bytes, over which `generic-hmac` signs.
//! Contract: notification-controller §0.3, §2.2.

use std::collections::BTreeMap;

use jiff::Timestamp;
use millrace_api::meta::time;
use serde::{Serialize, Serializer, de::DeserializeOwned};
use serde_json::value::RawValue;

use crate::go::json::{DecodeError, Entries, check_depth, fold_key, lenient_text, to_bytes};

/// The metadata prefix of keys that any object may set through its annotations.
pub const EVENT_GROUP: &str = "event.toolkit.fluxcd.io";

/// The severity that alerts people.
pub const SEVERITY_ERROR: &str = "error";

/// Something a controller has to tell about an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// The object the event is about.
    pub involved_object: InvolvedObject,
    /// `trace`, `info` or `error`; not validated.
    pub severity: String,
    /// When it happened; absent when the sender gave no time.
    #[serde(serialize_with = "serialize_time")]
    pub timestamp: Option<Timestamp>,
    /// The text for people.
    pub message: String,
    /// The machine-readable reason.
    pub reason: String,
    /// Facts about the event; prefixed keys at intake, plain ones once combined for a provider.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// The controller that sent it.
    pub reporting_controller: String,
    /// The process that sent it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reporting_instance: String,
}

/// A reference to the object an event is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the members are those of a core/v1 ObjectReference")]
pub struct InvolvedObject {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_version: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field_path: String,
}

impl InvolvedObject {
    /// The API group, empty for the core group and for anything that is not `group/version`.
    pub fn group(&self) -> &str {
        match self.api_version.split_once('/') {
            Some((group, version)) if !version.contains('/') => group,
            _ => "",
        }
    }

    /// `KIND/NAMESPACE/NAME`, as error texts name the object.
    pub fn path(&self) -> String {
        format!("{}/{}/{}", self.kind, self.namespace, self.name)
    }

    /// `kind/name.namespace` with the kind in lower case, as chat messages name the object.
    pub fn title(&self) -> String {
        format!("{}/{}.{}", self.kind.to_lowercase(), self.name, self.namespace)
    }
}

impl Event {
    /// Reads the body of an event request.
    ///
    /// Keys match without regard to case, unknown ones are skipped, repeated ones overwrite, `null` stands for the
    /// zero value.
    ///
    /// # Errors
    ///
    /// If the body is not one JSON object (or `null`), or a known member has another type.
    pub fn decode(body: &[u8]) -> Result<Self, DecodeError> {
        let text = lenient_text(body);
        check_depth(&text)?;
        let members: Option<Entries<Box<RawValue>>> = serde_json::from_str(&text)?;
        let mut event = Self::default();
        for (key, value) in members.unwrap_or_default().0 {
            event.set(&fold_key(&key), &value)?;
        }
        Ok(event)
    }

    /// Writes the event as the bytes that signatures cover.
    pub fn encode(&self) -> Vec<u8> {
        to_bytes(self)
    }

    /// The first line of the message.
    pub fn headline(&self) -> &str {
        self.message.split('\n').next().unwrap_or_default()
    }

    /// Whether the event only asks for the status of a commit to be updated.
    pub fn is_commit_status_update(&self) -> bool {
        self.metadata
            .get(&format!("{}/commit_status", self.involved_object.group()))
            .is_some_and(|v| v == "update")
    }

    /// About what the event occupies in memory: its texts, and what a map costs per entry.
    pub fn weight_bytes(&self) -> usize {
        const EVENT: usize = 512;
        const ENTRY: usize = 128;
        let Self { involved_object, message, metadata, .. } = self;
        let InvolvedObject { kind, namespace, name, uid, api_version, resource_version, field_path } =
            involved_object;
        let texts = [message, kind, namespace, name, uid, api_version, resource_version, field_path];
        let others = [&self.severity, &self.reason, &self.reporting_controller, &self.reporting_instance];
        let texts: usize = texts.into_iter().chain(others).map(String::len).sum();
        let facts: usize = metadata.iter().map(|(key, value)| key.len() + value.len() + ENTRY).sum();
        EVENT + texts + facts
    }

    fn set(&mut self, key: &str, value: &RawValue) -> Result<(), DecodeError> {
        match key {
            "involvedobject" => {
                for (key, value) in read::<Entries<Box<RawValue>>>(value)?.unwrap_or_default().0 {
                    self.involved_object.set(&fold_key(&key), &value)?;
                }
            }
            "severity" => overwrite(&mut self.severity, value)?,
            "timestamp" => self.timestamp = read_time(value)?,
            "message" => overwrite(&mut self.message, value)?,
            "reason" => overwrite(&mut self.reason, value)?,
            "metadata" => match read::<Entries<Option<String>>>(value)? {
                Some(entries) => {
                    let entries = entries.0.into_iter();
                    self.metadata.extend(entries.map(|(key, value)| (key, value.unwrap_or_default())));
                }
                None => self.metadata.clear(),
            },
            "reportingcontroller" => overwrite(&mut self.reporting_controller, value)?,
            "reportinginstance" => overwrite(&mut self.reporting_instance, value)?,
            _ => {}
        }
        Ok(())
    }
}

impl InvolvedObject {
    fn set(&mut self, key: &str, value: &RawValue) -> Result<(), DecodeError> {
        match key {
            "kind" => overwrite(&mut self.kind, value),
            "namespace" => overwrite(&mut self.namespace, value),
            "name" => overwrite(&mut self.name, value),
            "uid" => overwrite(&mut self.uid, value),
            "apiversion" => overwrite(&mut self.api_version, value),
            "resourceversion" => overwrite(&mut self.resource_version, value),
            "fieldpath" => overwrite(&mut self.field_path, value),
            _ => Ok(()),
        }
    }
}

fn read<T: DeserializeOwned>(value: &RawValue) -> Result<Option<T>, DecodeError> {
    Ok(serde_json::from_str(value.get())?)
}

/// Replaces `field`, unless the value is `null`.
fn overwrite(field: &mut String, value: &RawValue) -> Result<(), DecodeError> {
    if let Some(text) = read(value)? {
        *field = text;
    }
    Ok(())
}

fn read_time(value: &RawValue) -> Result<Option<Timestamp>, DecodeError> {
    let Some(text) = read::<String>(value)? else { return Ok(None) };
    let time = time::parse_rfc3339(&text).map_err(<serde_json::Error as serde::de::Error>::custom)?;
    // Go's zero time stands for "no time".
    Ok(Some(time).filter(|time| time::format_rfc3339(*time) != "0001-01-01T00:00:00Z"))
}

#[expect(clippy::ref_option, reason = "serde passes the field by reference")]
fn serialize_time<S: Serializer>(time: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    time.map(time::format_rfc3339).serialize(serializer)
}

#[cfg(test)]
pub(crate) mod fixtures {
    //! The event every example of the contract uses.

    use super::Event;

    /// E1 of the contract, as posted.
    pub(crate) const E1: &str = r#"{"involvedObject":{"kind":"Kustomization","namespace":"apps","name":"webapp","uid":"7d0cdc51-ddcf-4743-b223-83ca5c699632","apiVersion":"kustomize.toolkit.fluxcd.io/v1"},"severity":"error","timestamp":"2026-01-02T03:04:05Z","message":"Health check failed\nDeployment/apps/webapp <3/5> not ready","reason":"HealthCheckFailed","metadata":{"kustomize.toolkit.fluxcd.io/revision":"main@sha1:731f7eaddfb6af01cb2173e18f0f75b0ba780ef1"},"reportingController":"kustomize-controller","reportingInstance":"kustomize-controller-7c7b47f5f-8bhrp"}"#;

    /// D1 of the contract: the bytes a generic provider sends for E1.
    pub(crate) const D1: &str = r#"{"involvedObject":{"kind":"Kustomization","namespace":"apps","name":"webapp","uid":"7d0cdc51-ddcf-4743-b223-83ca5c699632","apiVersion":"kustomize.toolkit.fluxcd.io/v1"},"severity":"error","timestamp":"2026-01-02T03:04:05Z","message":"Health check failed\nDeployment/apps/webapp \u003c3/5\u003e not ready","reason":"HealthCheckFailed","metadata":{"cluster":"prod-1","revision":"main@sha1:731f7eaddfb6af01cb2173e18f0f75b0ba780ef1"},"reportingController":"kustomize-controller","reportingInstance":"kustomize-controller-7c7b47f5f-8bhrp"}"#;

    pub(crate) fn e1() -> Event {
        Event::decode(E1.as_bytes()).unwrap()
    }

    pub(crate) fn d1() -> Event {
        Event::decode(D1.as_bytes()).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::{fixtures::*, *};

    #[test]
    fn an_event_is_written_as_the_bytes_of_the_contract() {
        assert_eq!(String::from_utf8(d1().encode()).unwrap(), D1);
        assert_eq!(D1.len(), 534);
    }

    /// NC-012
    #[test]
    fn keys_match_in_any_case() {
        let mut shouted = E1.to_owned();
        for key in
            ["involvedObject", "kind", "namespace", "name", "uid", "apiVersion", "severity", "timestamp"]
        {
            shouted = shouted.replace(&format!("\"{key}\":"), &format!("\"{}\":", key.to_uppercase()));
        }
        for key in ["message", "reason", "metadata", "reportingController", "reportingInstance"] {
            shouted = shouted.replace(&format!("\"{key}\":"), &format!("\"{}\":", key.to_uppercase()));
        }
        assert_ne!(shouted, E1);
        assert_eq!(Event::decode(shouted.as_bytes()).unwrap(), e1());
    }

    /// NC-008
    #[test]
    fn bodies_that_are_no_event_are_refused() {
        for body in [
            "not json",
            "",
            "{}x",
            r#"{"timestamp":""}"#,
            r#"{"message":1}"#,
            r#"{"metadata":{"a":1}}"#,
            r#"{"involvedObject":[]}"#,
            "[]",
            "\"x\"",
            "{\u{fffd}}",
        ] {
            assert!(Event::decode(body.as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn nesting_is_bounded_as_in_go_and_never_by_the_stack() {
        let nested = |depth: usize| {
            format!(r#"{{"message":"[[{{\"","unknown":{}{}}}"#, "[".repeat(depth), "]".repeat(depth))
        };
        assert!(Event::decode(nested(9_999).as_bytes()).is_ok());
        assert!(Event::decode(nested(10_000).as_bytes()).is_err());
        for deep in ["[".repeat(3_000_000), "{\"a\":".repeat(500_000), nested(1_400_000)] {
            assert!(Event::decode(deep.as_bytes()).is_err());
        }
    }

    #[test]
    fn nulls_and_absent_members_are_zero_values() {
        let empty = Event::default();
        for body in [
            "{}",
            "null",
            " {} ",
            r#"{"message":null,"metadata":null,"involvedObject":null,"timestamp":null}"#,
        ] {
            assert_eq!(Event::decode(body.as_bytes()).unwrap(), empty, "{body}");
        }
        let text = String::from_utf8(empty.encode()).unwrap();
        assert_eq!(
            text,
            r#"{"involvedObject":{},"severity":"","timestamp":null,"message":"","reason":"","reportingController":""}"#
        );
    }

    #[test]
    fn repeated_members_overwrite_and_objects_merge() {
        let body = r#"{"message":"a","message":"b","metadata":{"x":"1"},"metadata":{"y":null},
            "involvedObject":{"name":"n"},"involvedObject":{"kind":"K"},"unknown":{"deep":[1,2]}}"#;
        let event = Event::decode(body.as_bytes()).unwrap();
        assert_eq!(event.message, "b");
        assert_eq!(event.metadata, BTreeMap::from([("x".into(), "1".into()), ("y".into(), String::new())]));
        assert_eq!((event.involved_object.name.as_str(), event.involved_object.kind.as_str()), ("n", "K"));
    }

    /// NC-014
    #[test]
    fn times_are_forwarded_in_utc_and_whole_seconds() {
        let event = Event::decode(br#"{"timestamp":"2026-01-02T05:04:05.9+02:00"}"#).unwrap();
        assert!(String::from_utf8(event.encode()).unwrap().contains(r#""timestamp":"2026-01-02T03:04:05Z""#));
        let zero = Event::decode(br#"{"timestamp":"0001-01-01T00:00:00Z"}"#).unwrap();
        assert_eq!(zero.timestamp, None);
    }

    #[test]
    fn the_group_is_what_stands_before_a_single_slash() {
        for (api_version, group) in [("a.b/v1", "a.b"), ("v1", ""), ("", ""), ("a/b/c", "")] {
            let object = InvolvedObject { api_version: api_version.into(), ..InvolvedObject::default() };
            assert_eq!(object.group(), group, "{api_version}");
        }
    }
}
