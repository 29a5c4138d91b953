//! The Secrets that Providers and Receivers refer to.

use std::{borrow::Cow, collections::BTreeMap};

use k8s_openapi::api::core::v1::Secret as KubeSecret;
use millrace_net::Secret;

/// The data of one Secret.
#[derive(Clone, Default)]
pub struct SecretData(BTreeMap<String, Secret<Vec<u8>>>);

impl SecretData {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&[u8]> {
        self.0.get(key).map(|value| value.expose().as_slice())
    }

    /// The value of a key as text; what is not UTF-8 in it is replaced.
    pub fn text(&self, key: &str) -> Option<Cow<'_, str>> {
        self.get(key).map(String::from_utf8_lossy)
    }

    /// Whether the key is there, possibly empty.
    pub fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// The value of a key that is there and not empty.
    pub fn filled(&self, key: &str) -> Option<&[u8]> {
        self.get(key).filter(|value| !value.is_empty())
    }
}

impl From<KubeSecret> for SecretData {
    fn from(secret: KubeSecret) -> Self {
        secret.data.unwrap_or_default().into_iter().map(|(key, value)| (key, value.0)).collect()
    }
}

impl FromIterator<(String, Vec<u8>)> for SecretData {
    fn from_iter<I: IntoIterator<Item = (String, Vec<u8>)>>(entries: I) -> Self {
        Self(entries.into_iter().map(|(key, value)| (key, Secret::new(value))).collect())
    }
}

/// A Secret that could not be read, in the words of the API server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SecretError(pub String);

impl SecretError {
    /// The Secret does not exist.
    pub fn not_found(name: &str) -> Self {
        Self(format!("secrets \"{name}\" not found"))
    }
}

/// The Secrets of one namespace that an object refers to, by name, read or not.
#[derive(Clone, Default)]
pub struct Secrets(BTreeMap<String, Result<SecretData, SecretError>>);

impl Secrets {
    /// The Secret of this name; one that was never asked for does not exist.
    pub fn get(&self, name: &str) -> Result<&SecretData, SecretError> {
        match self.0.get(name) {
            Some(Ok(data)) => Ok(data),
            Some(Err(error)) => Err(error.clone()),
            None => Err(SecretError::not_found(name)),
        }
    }
}

impl FromIterator<(String, Result<SecretData, SecretError>)> for Secrets {
    fn from_iter<I: IntoIterator<Item = (String, Result<SecretData, SecretError>)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}
