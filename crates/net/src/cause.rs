//! Why a request got no answer, in the words users know from the original controllers.

use std::{error::Error, fmt, io};

use crate::{egress::EgressRefused, resolver::ResolveError};

/// What kept a request from being answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// Nobody listens at the address.
    Refused {
        /// Host and port that were tried.
        address: String,
    },
    /// The name has no address.
    NoSuchHost {
        /// The name.
        host: String,
    },
    /// The egress policy closes the address.
    Egress(EgressRefused),
    /// The proxy could not be reached.
    Proxy(Box<Self>),
    /// TLS: the peer isn't trusted, or doesn't trust us.
    Tls(String),
    /// A time limit passed.
    Timeout,
    /// The connection broke off.
    Closed,
    /// Anything else, innermost text.
    Other(String),
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { address } => write!(f, "dial tcp {address}: connect: connection refused"),
            Self::NoSuchHost { host } => write!(f, "dial tcp: lookup {host}: no such host"),
            Self::Egress(refused) => refused.fmt(f),
            Self::Proxy(cause) => write!(f, "proxyconnect tcp: {cause}"),
            Self::Tls(text) | Self::Other(text) => f.write_str(text),
            Self::Timeout => f.write_str("context deadline exceeded"),
            Self::Closed => f.write_str("unexpected EOF"),
        }
    }
}

impl Cause {
    /// Says whether the same request may be answered later without anyone changing it.
    ///
    /// Untrusted certificates and refused addresses stay what they are.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Tls(_) | Self::Egress(_) => false,
            Self::Proxy(cause) => cause.is_retryable(),
            Self::Refused { .. }
            | Self::NoSuchHost { .. }
            | Self::Timeout
            | Self::Closed
            | Self::Other(_) => true,
        }
    }

    /// The same cause, where all connections are the proxy's: what can't be reached is the proxy.
    pub(crate) fn through_proxy(self) -> Self {
        match self {
            Self::Refused { .. } | Self::NoSuchHost { .. } | Self::Egress(_) => Self::Proxy(Box::new(self)),
            other => other,
        }
    }

    /// Finds the cause in the chain of `error`, for a request to `host:port`.
    pub(crate) fn of(error: &reqwest::Error, address: &str) -> Self {
        if error.is_timeout() {
            return Self::Timeout;
        }
        let mut innermost = error.to_string();
        let mut link: Option<&(dyn Error + 'static)> = error.source();
        while let Some(err) = link {
            if let Some(cause) = Self::of_link(err, address) {
                return cause;
            }
            innermost = err.to_string();
            // The payload of an I/O error is not its source, so step into it by hand.
            link = match err.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
                Some(inner) => Some(inner),
                None => err.source(),
            };
        }
        Self::Other(innermost)
    }

    fn of_link(err: &(dyn Error + 'static), address: &str) -> Option<Self> {
        if let Some(err) = err.downcast_ref::<ResolveError>() {
            return Some(match err {
                ResolveError::NoSuchHost { host, .. } => Self::NoSuchHost { host: host.clone() },
                ResolveError::Refused(refused) => Self::Egress(refused.clone()),
            });
        }
        if let Some(err) = err.downcast_ref::<rustls::Error>() {
            return Some(Self::Tls(tls_text(err)));
        }
        let err = err.downcast_ref::<io::Error>()?;
        match err.kind() {
            io::ErrorKind::ConnectionRefused => Some(Self::Refused { address: address.to_owned() }),
            io::ErrorKind::TimedOut => Some(Self::Timeout),
            io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::UnexpectedEof
                if err.get_ref().is_none_or(|inner| !inner.is::<rustls::Error>()) =>
            {
                Some(Self::Closed)
            }
            _ => None,
        }
    }
}

fn tls_text(err: &rustls::Error) -> String {
    use rustls::{AlertDescription, CertificateError, Error};
    match err {
        Error::InvalidCertificate(reason) => {
            let reason = match reason {
                CertificateError::UnknownIssuer => "certificate signed by unknown authority".to_owned(),
                CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                    "certificate has expired or is not yet valid".to_owned()
                }
                other => other.to_string(),
            };
            format!("tls: failed to verify certificate: x509: {reason}")
        }
        Error::AlertReceived(alert) => match alert {
            AlertDescription::CertificateRequired => "remote error: tls: certificate required".to_owned(),
            AlertDescription::BadCertificate => "remote error: tls: bad certificate".to_owned(),
            AlertDescription::UnknownCA => "remote error: tls: unknown certificate authority".to_owned(),
            AlertDescription::HandshakeFailure => "remote error: tls: handshake failure".to_owned(),
            other => format!("remote error: tls: {other:?}"),
        },
        other => format!("tls: {other}"),
    }
}
