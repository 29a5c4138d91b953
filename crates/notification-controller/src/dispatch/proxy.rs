//! The proxy that a Secret describes.
//!
//! Contract: notification-controller §3.3.

use millrace_net::RedactedUrl;
use millrace_reconcile::secrets::SecretData;
use url::Url;

use crate::{go::quote::Quoted, secret};

const MAX_URL_BYTES: usize = 2048;
const SCHEMES: [&str; 3] = ["http", "https", "socks5"];

/// A Secret that does not describe a proxy.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("secret '{namespace}/{name}': {cause}")]
pub struct ProxyError {
    namespace: String,
    name: String,
    cause: Cause,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum Cause {
    #[error("key 'address' not found")]
    Missing,
    #[error("proxy address is empty")]
    Empty,
    #[error("proxy URL exceeds maximum length of {MAX_URL_BYTES} characters")]
    TooLong,
    #[error("failed to parse proxy address '{0}': parse {quoted}: {1}", quoted = Quoted(.0))]
    Malformed(String, url::ParseError),
    #[error("proxy URL must use one of the supported schemes ({schemes}), got '{0}'", schemes = SCHEMES.join(", "))]
    Scheme(String),
}

/// Returns the proxy's URL with its login.
pub(super) fn url_of(data: &SecretData, namespace: &str, name: &str) -> Result<String, ProxyError> {
    build(data).map_err(|cause| ProxyError { namespace: namespace.to_owned(), name: name.to_owned(), cause })
}

fn build(data: &SecretData) -> Result<String, Cause> {
    let address = secret::text(data, "address").ok_or(Cause::Missing)?;
    if address.is_empty() {
        return Err(Cause::Empty);
    }
    if address.len() > MAX_URL_BYTES {
        return Err(Cause::TooLong);
    }
    let mut url = match Url::parse(&address) {
        Ok(url) => url,
        Err(url::ParseError::RelativeUrlWithoutBase) => return Err(Cause::Scheme(String::new())),
        Err(cause) => return Err(Cause::Malformed(RedactedUrl::new(&address).to_string(), cause)),
    };
    if !SCHEMES.contains(&url.scheme()) {
        return Err(Cause::Scheme(url.scheme().to_owned()));
    }
    if let Some(username) = secret::text(data, "username") {
        let password = secret::text(data, "password");
        // Only a URL without a host refuses a login; it fails when it is dialled.
        let _ = url.set_username(&username);
        let _ = url.set_password(password.as_deref());
    }
    Ok(url.into())
}

/// Whether a text could be a URL; relative ones pass.
pub(super) fn is_url(text: &str) -> bool {
    matches!(
        Url::parse(text),
        Ok(_) | Err(url::ParseError::RelativeUrlWithoutBase | url::ParseError::EmptyHost)
    ) && !text.chars().any(|c| c.is_ascii_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(entries: &[(&str, &str)]) -> Result<String, String> {
        let entries = entries.iter().map(|(key, value)| (*key, value.as_bytes().to_vec()));
        url_of(&SecretData::from_entries(entries), "apps", "px").map_err(|err| err.to_string())
    }

    #[test]
    fn a_proxy_needs_an_address_with_a_known_scheme() {
        let long = format!("http://{}", "x".repeat(2042));
        for (address, cause) in [
            (None, "key 'address' not found"),
            (Some(""), "proxy address is empty"),
            (
                Some("ftp://h"),
                "proxy URL must use one of the supported schemes (http, https, socks5), got 'ftp'",
            ),
            (Some("h"), "proxy URL must use one of the supported schemes (http, https, socks5), got ''"),
            (Some(&long), "proxy URL exceeds maximum length of 2048 characters"),
        ] {
            let entries: Vec<_> = address.map(|address| ("address", address)).into_iter().collect();
            assert_eq!(url(&entries), Err(format!("secret 'apps/px': {cause}")));
        }
        let malformed = url(&[("address", "http://me:pw@h:port")]).unwrap_err();
        let start = "secret 'apps/px': failed to parse proxy address 'http://***@h:port': ";
        assert!(malformed.starts_with(start), "{malformed}");
        assert!(!malformed.contains("pw"), "{malformed}");
    }

    #[test]
    fn a_password_counts_only_with_a_user_name() {
        let address = ("address", "socks5://h:1080");
        for (login, expected) in [
            (vec![], "socks5://h:1080"),
            (vec![("username", "u")], "socks5://u@h:1080"),
            (vec![("username", "u"), ("password", "p@")], "socks5://u:p%40@h:1080"),
            (vec![("password", "p")], "socks5://h:1080"),
        ] {
            let entries = [vec![address], login].concat();
            assert_eq!(url(&entries).as_deref(), Ok(expected));
        }
    }
}
