//! The certificates that a Secret holds.
//!
//! Contract: notification-controller §3.3.

use millrace_net::{Identity, Secret, Tls};
use millrace_reconcile::secrets::SecretData;

use crate::secret;

/// A Secret whose certificates can't be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("secret '{namespace}/{name}' {cause}")]
pub struct TlsSecretError {
    namespace: String,
    name: String,
    cause: &'static str,
}

/// Key, and the name it had before.
const CA: (&str, &str) = ("ca.crt", "caFile");
const CERTIFICATE: (&str, &str) = ("tls.crt", "certFile");
const KEY: (&str, &str) = ("tls.key", "keyFile");

/// Takes the certificates of a Secret; whether they parse shows when a client is made with them.
pub(super) fn config_of(data: &SecretData, namespace: &str, name: &str) -> Result<Tls, TlsSecretError> {
    let take = |(key, legacy): (&str, &str)| {
        // A standard key hides the older one even when it is empty.
        if let Some(value) = secret::bytes(data, key) {
            return Some(value).filter(|value| !value.is_empty());
        }
        let value = secret::bytes(data, legacy).filter(|value| !value.is_empty());
        if value.is_some() {
            let secret = format!("{namespace}/{name}");
            tracing::error!(secret, key = legacy, preferred = key, "using legacy key in secret data");
        }
        value
    };
    let fail = |cause| TlsSecretError { namespace: namespace.to_owned(), name: name.to_owned(), cause };
    let ca = take(CA).map(<[u8]>::to_vec);
    let identity = match (take(CERTIFICATE), take(KEY)) {
        (Some(certificate), Some(key)) => {
            Some(Identity { certificate: certificate.to_vec(), key: Secret::new(key.to_vec()) })
        }
        (Some(_), None) => return Err(fail("contains 'tls.crt' but missing 'tls.key'")),
        (None, Some(_)) => return Err(fail("contains 'tls.key' but missing 'tls.crt'")),
        (None, None) if ca.is_none() => {
            return Err(fail("must contain either 'ca.crt' or both 'tls.crt' and 'tls.key'"));
        }
        (None, None) => None,
    };
    Ok(Tls { ca, identity, ..Tls::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(entries: &[(&str, &str)]) -> Result<Tls, String> {
        let entries = entries.iter().map(|(key, value)| (*key, value.as_bytes().to_vec()));
        config_of(&SecretData::from_entries(entries), "apps", "tls").map_err(|err| err.to_string())
    }

    /// NC-049
    #[test]
    fn a_certificate_needs_its_key() {
        for (entries, cause) in [
            (&[][..], "must contain either 'ca.crt' or both 'tls.crt' and 'tls.key'"),
            (&[("ca.crt", "")], "must contain either 'ca.crt' or both 'tls.crt' and 'tls.key'"),
            (&[("tls.crt", "c"), ("ca.crt", "a")], "contains 'tls.crt' but missing 'tls.key'"),
            (&[("keyFile", "k")], "contains 'tls.key' but missing 'tls.crt'"),
        ] {
            assert_eq!(config(entries).err(), Some(format!("secret 'apps/tls' {cause}")), "{entries:?}");
        }
    }

    /// NC-047
    #[test]
    fn older_keys_count_where_the_standard_ones_are_absent() {
        let tls = config(&[("caFile", "old")]).unwrap();
        assert_eq!(tls.ca.as_deref(), Some(&b"old"[..]));
        let tls =
            config(&[("caFile", "old"), ("ca.crt", "new"), ("certFile", "c"), ("tls.key", "k")]).unwrap();
        assert_eq!(tls.ca.as_deref(), Some(&b"new"[..]));
        assert!(tls.identity.is_some());
        assert!(config(&[("caFile", "old"), ("ca.crt", "")]).is_err());
    }
}
