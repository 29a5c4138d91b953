//! What a client trusts and how it identifies itself.

use crate::Secret;

/// A client certificate with its private key, both PEM.
#[derive(Clone, PartialEq, Eq)]
pub struct Identity {
    /// The certificate, followed by its intermediates.
    pub certificate: Vec<u8>,
    /// The private key.
    pub key: Secret<Vec<u8>>,
}

/// What a CA bundle means for the certificates that the system trusts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Only the bundle counts.
    #[default]
    Only,
    /// It is trusted in addition to the system's.
    Additional,
}

/// TLS settings of a client. The default trusts the system's certificates and shows none.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Tls {
    /// PEM certificates of authorities; without them, only the system's are trusted.
    pub ca: Option<Vec<u8>>,
    /// Whether `ca` stands for itself or adds to the system's certificates; nothing without `ca`.
    pub trust: Trust,
    /// The certificate shown to servers that ask for one.
    pub identity: Option<Identity>,
    /// Accept any certificate. Only where a field named `insecure` says so.
    pub insecure_skip_verify: bool,
}

/// TLS settings that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The CA bundle holds no certificate.
    #[error("failed to parse CA certificate")]
    Ca,
    /// Certificate and key don't parse or don't belong together.
    #[error("failed to parse TLS certificate and key")]
    Identity(#[source] reqwest::Error),
}

impl Tls {
    /// Adds these settings to a client under construction.
    pub(crate) fn configure(
        &self,
        mut builder: reqwest::ClientBuilder,
    ) -> Result<reqwest::ClientBuilder, TlsError> {
        if let Some(pem) = &self.ca {
            let certificates = reqwest::Certificate::from_pem_bundle(pem).map_err(|_| TlsError::Ca)?;
            if certificates.is_empty() {
                return Err(TlsError::Ca);
            }
            builder = match self.trust {
                Trust::Only => builder.tls_certs_only(certificates),
                Trust::Additional => builder.tls_certs_merge(certificates),
            };
        }
        if let Some(identity) = &self.identity {
            let mut pem = identity.key.expose().clone();
            pem.push(b'\n');
            pem.extend_from_slice(&identity.certificate);
            let pem = Secret::new(pem);
            let parsed = reqwest::Identity::from_pem(pem.expose()).map_err(TlsError::Identity)?;
            builder = builder.identity(parsed);
        }
        Ok(builder.tls_danger_accept_invalid_certs(self.insecure_skip_verify))
    }
}
