//! The Secrets that Providers and Receivers refer to.

use std::{borrow::Cow, collections::BTreeMap};

use kube::Client;
use millrace_reconcile::secrets::{self, SecretData};

/// A Secret that could not be read, in the words of the API server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SecretError(pub String);

/// The Secrets of one namespace that an object refers to, by name, read or not.
#[derive(Clone, Default)]
pub struct Secrets(BTreeMap<String, Result<SecretData, SecretError>>);

impl Secrets {
    /// Reads the Secrets of these names.
    pub async fn fetch(client: &Client, namespace: &str, names: impl Iterator<Item = &str>) -> Self {
        let mut found = BTreeMap::new();
        for name in names {
            if !found.contains_key(name) {
                found.insert(name.to_owned(), fetch(client, namespace, name).await);
            }
        }
        Self(found)
    }

    /// The Secret of this name; one that was never asked for does not exist.
    pub fn get(&self, name: &str) -> Result<&SecretData, SecretError> {
        match self.0.get(name) {
            Some(Ok(data)) => Ok(data),
            Some(Err(error)) => Err(error.clone()),
            None => Err(SecretError(format!("secrets \"{name}\" not found"))),
        }
    }
}

impl FromIterator<(String, SecretData)> for Secrets {
    fn from_iter<I: IntoIterator<Item = (String, SecretData)>>(secrets: I) -> Self {
        Self(secrets.into_iter().map(|(name, data)| (name, Ok(data))).collect())
    }
}

/// Reads one Secret.
pub async fn fetch(client: &Client, namespace: &str, name: &str) -> Result<SecretData, SecretError> {
    secrets::fetch(client, namespace, name).await.map_err(|error| SecretError(error.to_string()))
}

/// The value of a key; empty is a value, too.
pub fn bytes<'a>(secret: &'a SecretData, key: &str) -> Option<&'a [u8]> {
    secret.get(key).map(|value| value.expose().as_slice())
}

/// The value of a key as text; what is not UTF-8 in it is replaced.
pub fn text<'a>(secret: &'a SecretData, key: &str) -> Option<Cow<'a, str>> {
    bytes(secret, key).map(String::from_utf8_lossy)
}
