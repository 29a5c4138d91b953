//! Settings that make no sense, and Secrets that are missing or bad.

use serde_json::json;

use super::super::others::GUARDED;
use super::{API, Row, Servers, git, hidden, named, retried, stalled, with_user};
use crate::bench::Bench;

const DENIED: &str = "AuthenticationFailed";

pub(super) fn settings(bench: &Bench) -> Vec<Row> {
    let bad = "https://canary:canary@[bad";
    let gate = "to use spec.serviceAccountName for provider authentication please enable the \
                ObjectLevelWorkloadIdentity feature gate in the controller";
    let app = format!(
        "secretRef '{}/app-data' has github app data but provider is not set to github",
        bench.namespace
    );
    let reason = "InvalidProviderConfiguration";
    vec![
        stalled(
            "7.2 unparsable URL",
            "bad-url",
            "URLInvalid",
            json!({ "url": bad }),
            &format!("failed to parse url 'https://***@[bad': {}", url::Url::parse(bad).unwrap_err()),
        ),
        stalled(
            "7.2 provider github without secretRef",
            "github",
            reason,
            json!({ "url": with_user("http://h/r"), "provider": "github" }),
            "secretRef with github app data must be specified when provider is set to github",
        ),
        retried(
            "7.2 generic with app data",
            "app-data",
            reason,
            json!({ "secretRef": { "name": "app-data" } }),
            app,
        ),
        stalled(
            "7.2 serviceAccountName, gate off",
            "gate",
            "FeatureGateDisabled",
            json!({ "provider": "azure", "serviceAccountName": "x" }),
            gate,
        ),
    ]
}

/// §3.8.
pub(super) fn proxies(bench: &Bench) -> Vec<Row> {
    let ns = &bench.namespace;
    let bad = |name: &str, text: &str| {
        let spec = json!({ "url": with_user("http://h/r"), "proxySecretRef": { "name": name } });
        let message = format!("failed to configure proxy options: {text}");
        retried("7.2 proxy Secret missing or bad", name, DENIED, spec, message)
    };
    let of = |name: &str, text: &str| bad(name, &format!("secret '{ns}/{name}'{text}"));
    let schemes = ": proxy URL must use one of the supported schemes (http, https, socks5), got 'ftp'";
    let app = bench.git.public_url("app");
    vec![
        of("proxy-absent", " not found"),
        named("proxy-guarded", bad(GUARDED, &format!("failed to get secret '{ns}/{GUARDED}': {API}"))),
        of("proxy-none", ": key 'address' not found"),
        of("proxy-empty", ": proxy address is empty"),
        of("proxy-long", ": proxy URL exceeds maximum length of 2048 characters"),
        of("proxy-ftp", schemes),
        of("proxy-bad", ": failed to parse proxy address 'http://***@[x': invalid IPv6 address"),
        git(
            "7.2 proxy that is down",
            "proxy-down",
            json!({ "url": app, "proxySecretRef": { "name": "proxy-down" } }),
            &format!(
                "unable to clone '{app}': Get \"{app}/info/refs?service=git-upload-pack\": proxyconnect tcp: \
                 dial tcp 127.0.0.1:1: connect: connection refused"
            ),
        ),
    ]
}

/// §3.7.1.
pub(super) fn logins(bench: &Bench, servers: &Servers) -> Vec<Row> {
    let ns = &bench.namespace;
    let (login, tls) = (bench.git.login_url("app"), bench.git.tls_url("app"));
    let in_url = with_user(&login);
    let with = |url: &str, secret: &str| json!({ "url": url, "secretRef": { "name": secret } });
    let missing = |name: &str, secret: &str, text: &str| {
        let id = format!("'{ns}/{secret}'");
        let message = format!("failed to get secret {id}: failed to get secret {id}: {text}");
        retried("7.2 secretRef missing", name, DENIED, with(&with_user("http://h/r"), secret), message)
    };
    let alone = "invalid 'https' auth option: 'password' requires 'username' to be set";
    let refused =
        |url: &str| format!("unable to clone '{url}': authentication required: {}", servers.login_body);
    let unparsable = "failed to parse TLS certificate and key: builder error: unexpected error: private key or \
                      certificate not found";
    vec![
        missing("no-secret", "absent", "secrets \"absent\" not found"),
        missing("secret-guarded", GUARDED, API),
        retried(
            "3.7.1 password without username",
            "half",
            DENIED,
            with(&tls, "half"),
            format!("failed to configure authentication options: {alone}"),
        ),
        git(
            "7.2 token and credentials in the URL",
            "both",
            with(&in_url, "token"),
            "basic auth and bearer token cannot be set at the same time",
        ),
        git("7.2 401, wrong password", "wrong", with(&login, "wrong"), &refused(&login)),
        git(
            "7.2 401, credentials in the URL",
            "url-login",
            json!({ "url": in_url }),
            &refused(&hidden(&login)),
        ),
        git("7.2 401, token", "url-token", with(&login, "token"), &refused(&login)),
        git(
            "3.7.1 a pair that does not parse",
            "pair",
            with(&tls, "pair"),
            &format!("unable to clone '{tls}': {unparsable}"),
        ),
    ]
}
