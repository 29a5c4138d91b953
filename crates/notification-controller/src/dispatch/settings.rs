//! A Provider and its Secrets as one set of settings.
//!
//! Pure: the Secrets are arguments. The first thing that is wrong, in the contract's order, is the error.
//!
//! Contract: notification-controller §3.1–3.3.

use std::collections::BTreeMap;

use millrace_api::notification::v1beta3::{Provider, ProviderSpec};
use millrace_net::{self as net, HttpClient, Proxy, Secret, Tls};
use millrace_reconcile::secrets::SecretData;
use millrace_yaml::{
    Node,
    read::{self, Limits, Resolver},
};

use super::{
    proxy::{self, ProxyError},
    tls::{self, TlsSecretError},
};
use crate::{
    providers::Options,
    secret::{self, SecretError, Secrets},
};

/// How a provider presents itself, as the original does: some endpoints treat unknown agents differently.
const USER_AGENT: &str = "Go-http-client/1.1";

const MAX_ADDRESS_BYTES: usize = 2048;

/// What sending needs besides the event.
pub(super) struct Settings {
    /// The provider's own options.
    pub options: Options,
    /// How its server is reached.
    pub transport: net::Options,
    /// Outdated settings in use, as they are complained of.
    pub deprecations: Vec<&'static str>,
}

/// A Provider that can't be used as it is.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// A Secret can't be read.
    #[error("failed to get secret '{namespace}/{name}': {source}")]
    Secret {
        /// The namespace of Provider and Secret.
        namespace: String,
        /// The Secret's name.
        name: String,
        /// Why.
        source: SecretError,
    },
    /// The Secret's address is longer than a Provider's may be.
    #[error("invalid address in secret: address exceeds maximum length of {MAX_ADDRESS_BYTES} bytes")]
    AddressTooLong,
    /// The outdated proxy address in the Secret is no URL.
    #[error("invalid 'proxy' in secret '{namespace}/{name}'")]
    SecretProxy {
        /// The namespace of Provider and Secret.
        namespace: String,
        /// The Secret's name.
        name: String,
    },
    /// The Secret's headers are no map of strings.
    #[error("failed to read headers from secret: {0}")]
    Headers(String),
    /// The proxy's Secret does not describe a proxy.
    #[error("failed to get proxy URL: {0}")]
    Proxy(ProxyError),
    /// The certificates' Secret can't be used.
    #[error("failed to get TLS config: {0}")]
    Tls(TlsSecretError),
}

/// The Secrets a Provider refers to.
pub fn secret_names(spec: &ProviderSpec) -> impl Iterator<Item = &str> {
    [&spec.secret_ref, &spec.proxy_secret_ref, &spec.cert_secret_ref]
        .into_iter()
        .flatten()
        .map(|reference| reference.name.as_str())
}

/// Combines the spec with its Secrets.
pub(super) fn assemble(provider: &Provider, secrets: &Secrets) -> Result<Settings, SettingsError> {
    let spec = &provider.spec;
    let namespace = provider.metadata.namespace.as_deref().unwrap_or_default();
    let read = |name: &str| {
        secrets.get(name).map_err(|source| SettingsError::Secret {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            source,
        })
    };
    let mut settings = Settings::of_spec(spec);
    if let Some(reference) = &spec.secret_ref {
        settings.add_secret(read(&reference.name)?, namespace, &reference.name)?;
    }
    if let Some(reference) = &spec.proxy_secret_ref {
        let url = proxy::url_of(read(&reference.name)?, namespace, &reference.name)
            .map_err(SettingsError::Proxy)?;
        settings.transport.proxy = Proxy::Url(Secret::new(url));
    }
    if let Some(reference) = &spec.cert_secret_ref {
        settings.transport.tls =
            tls::config_of(read(&reference.name)?, namespace, &reference.name).map_err(SettingsError::Tls)?;
    }
    Ok(settings)
}

impl Settings {
    fn of_spec(spec: &ProviderSpec) -> Self {
        let text = |field: &Option<String>| field.clone().unwrap_or_default();
        let mut transport = net::Options { user_agent: USER_AGENT.to_owned(), ..net::Options::default() };
        let mut deprecations = Vec::new();
        if let Some(proxy) = spec.proxy.as_ref().filter(|proxy| !proxy.is_empty()) {
            transport.proxy = Proxy::Url(Secret::new(proxy.clone()));
            deprecations.push(
                "warning: spec.proxy is deprecated, please use spec.proxySecretRef instead. Support for this field \
                 will be removed in v1.",
            );
        }
        let options = Options {
            address: text(&spec.address),
            channel: text(&spec.channel),
            username: text(&spec.username),
            ..Options::default()
        };
        Self { options, transport, deprecations }
    }

    fn add_secret(&mut self, data: &SecretData, namespace: &str, name: &str) -> Result<(), SettingsError> {
        if secret::bytes(data, "address").is_some_and(|address| address.len() > MAX_ADDRESS_BYTES) {
            return Err(SettingsError::AddressTooLong);
        }
        if let Some(proxy) = secret::text(data, "proxy") {
            let proxy = proxy.trim().to_owned();
            if !proxy::is_url(&proxy) {
                return Err(SettingsError::SecretProxy {
                    namespace: namespace.to_owned(),
                    name: name.to_owned(),
                });
            }
            if !proxy.is_empty() {
                self.transport.proxy = Proxy::Url(Secret::new(proxy));
            }
            self.deprecations.push(
                "warning: specifying proxy with 'proxy' key in the referenced secret is deprecated, use \
                 spec.proxySecretRef with 'address' key instead. Support for the 'proxy' key will be removed in v1.",
            );
        }
        if let Some(headers) = secret::text(data, "headers") {
            self.options.headers = read_headers(&headers).map_err(SettingsError::Headers)?;
        }
        if is_well_formed(data, namespace, name) {
            let text = |key| secret::text(data, key).unwrap_or_default().into_owned();
            self.options.token = Secret::new(text("token"));
            if data.get("username").is_some() {
                self.options.username = text("username");
                self.options.password = Secret::new(text("password"));
            }
        }
        // Present but empty means that there is no address, not that the spec's counts.
        if let Some(address) = secret::text(data, "address") {
            address.trim().clone_into(&mut self.options.address);
        }
        Ok(())
    }
}

/// Whether the credentials in a Secret are taken at all: they are read as one unit, so half a basic login or an unusable
/// certificate makes the token count for nothing, too.
fn is_well_formed(data: &SecretData, namespace: &str, name: &str) -> bool {
    let has = |key| data.get(key).is_some();
    let basic = has("username") == has("password");
    let app = !(has("githubAppID") && has("githubAppPrivateKey"))
        || has("githubAppInstallationOwner") != has("githubAppInstallationID");
    let tls = match tls::config_of(data, namespace, name) {
        Err(_) => true,
        Ok(tls) => is_usable(tls),
    };
    basic && app && tls
}

fn is_usable(tls: Tls) -> bool {
    HttpClient::new(&net::Options { tls, ..net::Options::default() }).is_ok()
}

/// Reads a map of strings; numbers and booleans in it become strings.
fn read_headers(text: &str) -> Result<BTreeMap<String, String>, String> {
    let document = read::one(text, Resolver::Kubernetes, &Limits::default())
        .map_err(|err| format!("error converting YAML to JSON: {err}"))?;
    let mismatch = |found: &Node, wanted: &str| {
        format!(
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {} into Go value of type {wanted}",
            json_type(found)
        )
    };
    match &document.node {
        Node::Map(map) => map
            .iter()
            .map(|(key, value)| match value {
                Node::Scalar(_) if value.is_null() => Ok((key.to_owned(), String::new())),
                Node::Scalar(scalar) => Ok((key.to_owned(), scalar.text().to_owned())),
                Node::List(_) | Node::Map(_) => Err(mismatch(value, "string")),
            })
            .collect(),
        node if node.is_null() => Ok(BTreeMap::new()),
        node => Err(mismatch(node, "map[string]string")),
    }
}

fn json_type(node: &Node) -> &'static str {
    match node {
        Node::List(_) => "array",
        Node::Map(_) => "object",
        Node::Scalar(_) if node.as_bool().is_some() => "bool",
        Node::Scalar(_) if node.as_f64().is_some() => "number",
        Node::Scalar(_) => "string",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(entries: &[(&str, &str)]) -> SecretData {
        SecretData::from_entries(entries.iter().map(|(key, value)| (*key, value.as_bytes().to_vec())))
    }

    fn provider(spec: &str) -> Provider {
        let json = format!(
            r#"{{"metadata":{{"namespace":"apps","name":"prov"}},"spec":{{"type":"slack",{spec}}}}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    fn with_secret(entries: &[(&str, &str)]) -> Result<Settings, SettingsError> {
        let provider = provider(r#""address":"http://spec","username":"bot","secretRef":{"name":"cred"}"#);
        assemble(&provider, &[("cred".to_owned(), data(entries))].into_iter().collect())
    }

    fn error(entries: &[(&str, &str)]) -> String {
        with_secret(entries).err().unwrap().to_string()
    }

    /// NC-043, NC-044
    #[test]
    fn the_address_of_the_secret_is_trimmed_and_bounded() {
        assert_eq!(with_secret(&[("address", " http://s/y \n")]).unwrap().options.address, "http://s/y");
        assert_eq!(with_secret(&[("address", "")]).unwrap().options.address, "");
        assert_eq!(with_secret(&[]).unwrap().options.address, "http://spec");
        let long = "x".repeat(2049);
        let text = "invalid address in secret: address exceeds maximum length of 2048 bytes";
        assert_eq!(error(&[("address", &long)]), text);
        assert!(with_secret(&[("address", &long[..2048])]).is_ok());
    }

    /// NC-045
    #[test]
    fn what_can_not_be_read_is_named() {
        assert!(error(&[("headers", "foo")]).starts_with("failed to read headers from secret: "));
        let provider = provider(r#""secretRef":{"name":"n"}"#);
        let missing = assemble(&provider, &Secrets::default()).err().unwrap();
        assert_eq!(missing.to_string(), "failed to get secret 'apps/n': secrets \"n\" not found");
    }

    #[test]
    fn headers_are_strings_whatever_they_look_like() {
        let settings = with_secret(&[("headers", "A: t\nX-N: 12\nB: yes\nE:\nQ: '1'\n")]).unwrap();
        let headers: Vec<_> =
            settings.options.headers.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!(headers, [("A", "t"), ("B", "true"), ("E", ""), ("Q", "1"), ("X-N", "12")]);
        let broken = error(&[("headers", "A: [1")]);
        let start = "failed to read headers from secret: error converting YAML to JSON: yaml: line 1: ";
        assert!(broken.starts_with(start), "{broken}");
        let nested = error(&[("headers", "A: [1]")]);
        assert!(nested.ends_with("json: cannot unmarshal array into Go value of type string"), "{nested}");
    }

    /// NC-059
    #[test]
    fn half_a_login_makes_the_token_count_for_nothing() {
        let whole = with_secret(&[("token", " t\n"), ("username", "u"), ("password", "p")]).unwrap();
        assert_eq!((whole.options.token.expose().as_str(), whole.options.username.as_str()), (" t\n", "u"));
        for half in [
            [("token", "t0ken"), ("username", "u")],
            [("token", "t0ken"), ("password", "p")],
            [("token", "t0ken"), ("ca.crt", "no certificate")],
        ] {
            let settings = with_secret(&half).unwrap();
            assert_eq!(settings.options.token.expose(), "", "{half:?}");
            assert_eq!(settings.options.username, "bot");
        }
        let lone = with_secret(&[("token", "t"), ("tls.crt", "x"), ("githubAppID", "1")]).unwrap();
        assert_eq!(lone.options.token.expose(), "t");
    }

    /// NC-051
    #[test]
    fn of_three_proxies_the_reference_wins() {
        let spec = r#""proxy":"http://spec:1","secretRef":{"name":"cred"}"#;
        let secrets = |name: &str| -> Secrets {
            [
                ("cred".to_owned(), data(if name == "spec" { &[] } else { &[("proxy", "http://secret:2")] })),
                ("px".to_owned(), data(&[("address", "http://ref:3"), ("username", "u"), ("password", "p")])),
            ]
            .into_iter()
            .collect()
        };
        let proxy =
            |spec: &str, secrets: &Secrets| match assemble(&provider(spec), secrets).unwrap().transport.proxy
            {
                Proxy::Url(url) => url.expose().clone(),
                _ => String::new(),
            };
        assert_eq!(proxy(spec, &secrets("spec")), "http://spec:1");
        assert_eq!(proxy(spec, &secrets("secret")), "http://secret:2");
        let all = format!(r#"{spec},"proxySecretRef":{{"name":"px"}}"#);
        assert_eq!(proxy(&all, &secrets("ref")), "http://u:p@ref:3/");
        assert_eq!(assemble(&provider(&all), &secrets("ref")).unwrap().deprecations.len(), 2);
    }
}
