//! What a proxy Secret says.
//!
//! Pure. Contract: source-controller §3.8.

use millrace_net::Secret;
use millrace_reconcile::secrets::SecretData;
use url::Url;

/// The longest address that is taken.
const MAX_ADDRESS_CHARS: usize = 2048;

/// A proxy Secret that can't be used. The message goes behind the Secret's name.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ProxyError {
    #[error("key 'address' not found")]
    NoAddress,
    #[error("proxy address is empty")]
    EmptyAddress,
    #[error("proxy URL exceeds maximum length of {MAX_ADDRESS_CHARS} characters")]
    TooLong,
    #[error("proxy URL must use one of the supported schemes (http, https, socks5), got '{0}'")]
    Scheme(String),
    #[error("failed to parse proxy address '{address}': {source}")]
    Unparsable { address: millrace_net::RedactedUrl, source: url::ParseError },
}

/// Returns the URL of the proxy, with its credentials in it.
pub(crate) fn proxy_url(secret: &SecretData) -> Result<Secret<String>, ProxyError> {
    let text = |key: &str| secret.get(key).map(|value| String::from_utf8_lossy(value.expose()).into_owned());
    let address = text("address").ok_or(ProxyError::NoAddress)?;
    let address = address.trim();
    if address.is_empty() {
        return Err(ProxyError::EmptyAddress);
    }
    if address.chars().count() > MAX_ADDRESS_CHARS {
        return Err(ProxyError::TooLong);
    }
    let mut url = Url::parse(address).map_err(|source| ProxyError::Unparsable {
        address: millrace_net::RedactedUrl::new(address),
        source,
    })?;
    if !matches!(url.scheme(), "http" | "https" | "socks5") {
        return Err(ProxyError::Scheme(url.scheme().to_owned()));
    }
    let username = text("username").filter(|name| !name.is_empty());
    if let Some(username) = username {
        // A URL of these schemes has a host, so both succeed.
        let _ = url.set_username(&username);
        let _ = url.set_password(text("password").as_deref().filter(|password| !password.is_empty()));
    }
    Ok(Secret::new(url.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(entries: &[(&str, &str)]) -> String {
        let secret =
            SecretData::from_entries(entries.iter().map(|(key, value)| (*key, value.as_bytes().to_vec())));
        match proxy_url(&secret) {
            Ok(url) => url.expose().clone(),
            Err(error) => error.to_string(),
        }
    }

    // Part of SC-045, and the texts of §3.8.
    #[test]
    fn the_address_is_checked_and_gets_the_credentials() {
        let long = format!("http://{}", "x".repeat(MAX_ADDRESS_CHARS));
        let schemes = "proxy URL must use one of the supported schemes (http, https, socks5), got 'ftp'";
        let rows: &[(&[(&str, &str)], &str)] = &[
            (&[], "key 'address' not found"),
            (&[("address", " ")], "proxy address is empty"),
            (&[("address", &long)], "proxy URL exceeds maximum length of 2048 characters"),
            (&[("address", "ftp://x")], schemes),
            (&[("address", "http://p:3128")], "http://p:3128/"),
            (
                &[("address", "http://p:3128"), ("username", "u"), ("password", "a/b")],
                "http://u:a%2Fb@p:3128/",
            ),
            (&[("address", "socks5://p:1080"), ("username", "u")], "socks5://u@p:1080"),
        ];
        for (entries, expected) in rows {
            assert_eq!(shown(entries), *expected);
        }
    }
}
