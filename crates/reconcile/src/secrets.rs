//! Secrets of the cluster, read live and kept out of sight.
//!
//! What a Secret holds has neither `Debug` nor `Display` and is overwritten when dropped, from the moment it is decoded.

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Request;
use kube::Client;
use millrace_net::Secret;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, Visitor};

use crate::client::error_text;

/// The data of one Secret.
#[derive(Clone)]
pub struct SecretData {
    kind: String,
    data: BTreeMap<String, Secret<Vec<u8>>>,
    resource_version: String,
}

impl SecretData {
    /// Data that doesn't come from a cluster; for tests and for values that are put together.
    pub fn from_entries<K: Into<String>>(entries: impl IntoIterator<Item = (K, Vec<u8>)>) -> Self {
        let data = entries.into_iter().map(|(key, value)| (key.into(), Secret::new(value))).collect();
        Self { kind: "Opaque".to_owned(), data, resource_version: String::new() }
    }

    /// The Secret's type, such as `Opaque`.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The version that was read, for caches of what was made from it.
    pub fn resource_version(&self) -> &str {
        &self.resource_version
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Secret<Vec<u8>>> {
        self.data.get(key)
    }

    /// The value of a key as text; `None` also where it is no UTF-8.
    pub fn text(&self, key: &str) -> Option<Secret<String>> {
        let value = self.data.get(key)?;
        std::str::from_utf8(value.expose()).ok().map(|text| Secret::new(text.to_owned()))
    }

    /// The keys, in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.data.keys().map(String::as_str)
    }

    /// Keys and values, in the order of the keys.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Secret<Vec<u8>>)> {
        self.data.iter().map(|(key, value)| (key.as_str(), value))
    }
}

/// A Secret that could not be read; the message is the API server's, as the original shows it.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// There is no such Secret.
    #[error("secrets \"{name}\" not found")]
    NotFound {
        /// The name that was asked for.
        name: String,
    },
    /// The API server gave another answer, or none.
    #[error("{message}")]
    Api {
        /// What it said.
        message: String,
    },
}

impl SecretError {
    /// Whether the Secret doesn't exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
    }
}

/// Reads a Secret.
///
/// # Errors
/// It doesn't exist, or the API server doesn't give it out.
pub async fn fetch(client: &Client, namespace: &str, name: &str) -> Result<SecretData, SecretError> {
    let api = |message: String| SecretError::Api { message };
    let path = format!("/api/v1/namespaces/{}/secrets/{}", segment(namespace), segment(name));
    let request = Request::get(path).body(Vec::new()).map_err(|error| api(error.to_string()))?;
    match client.request::<Wire>(request).await {
        Ok(Wire { metadata, kind, data }) => Ok(SecretData {
            kind: kind.unwrap_or_else(|| "Opaque".to_owned()),
            data: data.unwrap_or_default().into_iter().map(|(key, Value(value))| (key, value)).collect(),
            resource_version: metadata.resource_version,
        }),
        Err(kube::Error::Api(status)) if status.code == 404 && status.reason == "NotFound" => {
            Err(SecretError::NotFound { name: name.to_owned() })
        }
        Err(error) => Err(api(error_text(&error))),
    }
}

/// A name from a spec as one segment of a path: whatever it holds, it reaches no other resource.
fn segment(name: &str) -> String {
    url::form_urlencoded::byte_serialize(name.as_bytes()).collect::<String>().replace('+', "%20")
}

/// A Secret as the API server sends it; never printed, never written.
#[derive(Deserialize)]
struct Wire {
    #[serde(default)]
    metadata: Metadata,
    #[serde(rename = "type")]
    kind: Option<String>,
    data: Option<BTreeMap<String, Value>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    #[serde(default)]
    resource_version: String,
}

/// A base64 value, decoded into its hiding place at once.
struct Value(Secret<Vec<u8>>);

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Base64;
        impl Visitor<'_> for Base64 {
            type Value = Value;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("base64")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Value, E> {
                // The decoder's own message quotes the byte it stumbled over.
                let decoded = STANDARD.decode(text).map_err(|_| E::custom("illegal base64 data"))?;
                Ok(Value(Secret::new(decoded)))
            }

            fn visit_unit<E: serde::de::Error>(self) -> Result<Value, E> {
                Ok(Value(Secret::new(Vec::new())))
            }
        }
        deserializer.deserialize_any(Base64).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::scripted;

    #[tokio::test]
    async fn data_is_decoded_and_comes_by_key() {
        let body = r#"{"kind":"Secret","metadata":{"resourceVersion":"7"},"type":"x/y","data":{"b":"Yg==","a":null}}"#;
        let (client, requests) = scripted::answering([(200, body)]);
        let secret = fetch(&client, "ns", "s/../t").await.map_err(|error| error.to_string()).expect("secret");
        assert_eq!(secret.keys().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(secret.get("b").expect("key").expose(), b"b");
        assert_eq!(secret.text("a").expect("key").expose(), "");
        assert_eq!((secret.kind(), secret.resource_version()), ("x/y", "7"));
        assert_eq!(requests.all()[0].uri, "/api/v1/namespaces/ns/secrets/s%2F..%2Ft");
    }

    #[tokio::test]
    async fn a_missing_secret_and_a_refusal_read_as_in_the_original() {
        let missing = r#"{"kind":"Status","status":"Failure","message":"secrets \"s\" not found","reason":"NotFound","code":404}"#;
        let refused = r#"{"kind":"Status","status":"Failure","message":"secrets \"s\" is forbidden: no","reason":"Forbidden","code":403}"#;
        let (client, _) = scripted::answering([(404, missing), (403, refused)]);
        let error = fetch(&client, "ns", "s").await.err().expect("missing");
        assert!(error.is_not_found());
        assert_eq!(error.to_string(), "secrets \"s\" not found");
        let error = fetch(&client, "ns", "s").await.err().expect("refused");
        assert_eq!(error.to_string(), "secrets \"s\" is forbidden: no");
    }
}
