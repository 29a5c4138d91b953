//! What a Secret and a URL say about logging in to an HTTP remote.
//!
//! Pure. Contract: source-controller §3.7.1.

use millrace_git::Auth;
use millrace_net::{Identity, Secret, Tls, Trust};
use millrace_reconcile::secrets::SecretData;
use url::Url;

/// How to get in. Name and password in the URL are filled in by the engine.
#[derive(Clone)]
pub(crate) struct Access {
    pub(crate) auth: Auth,
    pub(crate) tls: Tls,
}

/// Credentials that make no sense.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CredentialError {
    #[error("invalid '{scheme}' auth option: 'password' requires 'username' to be set")]
    PasswordAlone { scheme: String },
    #[error("secret key '{key}' is not valid UTF-8")]
    NotText { key: &'static str },
}

/// Puts together what the Secret and the URL give.
///
/// A `bearerToken` makes name and password of the Secret count for nothing; together with a name in the URL it is a
/// contradiction, which the engine reports as a failed Git operation, like the original.
pub(crate) fn access(url: &Url, secret: Option<&SecretData>) -> Result<Access, CredentialError> {
    let token = text(secret, "bearerToken")?;
    let of_secret = |key| if token.is_some() { Ok(None) } else { text(secret, key) };
    let username = of_secret("username")?.map(|name| name.expose().clone()).unwrap_or_default();
    let password = of_secret("password")?.unwrap_or_else(|| Secret::new(String::new()));

    let has_username = !username.is_empty() || !url.username().is_empty();
    let has_password = !password.expose().is_empty() || url.password().is_some_and(|text| !text.is_empty());
    if has_password && !has_username {
        return Err(CredentialError::PasswordAlone { scheme: url.scheme().to_owned() });
    }
    let auth = match token.filter(|token| !token.expose().is_empty()) {
        Some(token) => Auth::Bearer(token),
        None if username.is_empty() && password.expose().is_empty() => Auth::None,
        None => Auth::Basic { username, password },
    };
    Ok(Access { auth, tls: tls(secret) })
}

fn text(secret: Option<&SecretData>, key: &'static str) -> Result<Option<Secret<String>>, CredentialError> {
    let Some(secret) = secret.filter(|secret| secret.get(key).is_some()) else { return Ok(None) };
    secret.text(key).map(Some).ok_or(CredentialError::NotText { key })
}

/// A bundle without a certificate is ignored, and so is a certificate without its key.
fn tls(secret: Option<&SecretData>) -> Tls {
    let value = |key: &str| secret?.get(key).filter(|value| !value.expose().is_empty());
    let ca = value("ca.crt").or_else(|| value("caFile")).map(|pem| pem.expose().clone());
    let identity = match (value("tls.crt"), value("tls.key")) {
        (Some(certificate), Some(key)) => {
            Some(Identity { certificate: certificate.expose().clone(), key: key.clone() })
        }
        (Some(_), None) | (None, _) => None,
    };
    Tls {
        ca: ca.filter(|pem| holds_certificate(pem)),
        trust: Trust::Additional,
        identity,
        insecure_skip_verify: false,
    }
}

fn holds_certificate(pem: &[u8]) -> bool {
    const BEGIN: &[u8] = b"-----BEGIN CERTIFICATE-----";
    pem.windows(BEGIN.len()).any(|window| window == BEGIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// URL, entries of the Secret, login.
    type Row<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str);

    fn shown(url: &str, entries: &[(&str, &str)]) -> String {
        let secret =
            SecretData::from_entries(entries.iter().map(|(key, value)| (*key, value.as_bytes().to_vec())));
        match access(&url.parse().unwrap(), Some(&secret)).map(|access| access.auth) {
            Ok(Auth::None) => "url".to_owned(),
            Ok(Auth::Basic { username, password }) => format!("basic {username}:{}", password.expose()),
            Ok(Auth::Bearer(token)) => format!("bearer {}", token.expose()),
            Err(error) => error.to_string(),
        }
    }

    // Part of SC-041.
    #[test]
    fn secret_and_url_together_make_the_login() {
        let alone = "invalid 'https' auth option: 'password' requires 'username' to be set";
        let (u, p, t) = (("username", "u"), ("password", "p"), ("bearerToken", "t"));
        let rows: &[Row<'_>] = &[
            ("https://h/r", &[], "url"),
            ("https://h/r", &[u, p], "basic u:p"),
            ("https://h/r", &[u], "basic u:"),
            ("https://h/r", &[p], alone),
            ("https://:x@h/r", &[], alone),
            ("https://a:b@h/r", &[], "url"),
            ("https://a:b@h/r", &[u, p], "basic u:p"),
            ("https://a@h/r", &[p], "basic :p"),
            ("https://:b@h/r", &[u], "basic u:"),
            ("https://h/r", &[t], "bearer t"),
            ("https://h/r", &[t, u, p], "bearer t"),
            ("https://h/r", &[("bearerToken", ""), u, p], "url"),
            ("https://h/r", &[("unrelated", "x")], "url"),
        ];
        for (url, entries, expected) in rows {
            assert_eq!(shown(url, entries), *expected, "{url} {entries:?}");
        }
        assert_eq!(shown("http://h/r", &[p]), alone.replace("https", "http"));
    }

    #[test]
    fn a_legacy_key_gives_the_bundle_and_half_a_pair_gives_nothing() {
        let pem = b"-----BEGIN CERTIFICATE-----\n".to_vec();
        let of = |entries: Vec<(&str, Vec<u8>)>| {
            let secret = SecretData::from_entries(entries);
            access(&"https://h".parse().unwrap(), Some(&secret)).ok().map(|access| access.tls).unwrap()
        };
        let legacy = of(vec![("caFile", pem.clone()), ("tls.crt", pem.clone())]);
        assert!(legacy.ca == Some(pem.clone()) && legacy.identity.is_none());
        assert_eq!(legacy.trust, Trust::Additional);
        let current = of(vec![("ca.crt", b"garbage".to_vec()), ("caFile", pem)]);
        assert!(current.ca.is_none());
    }
}
