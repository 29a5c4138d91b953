//! Where the table puts secrets, and where those are looked for.

use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use kube::api::ListParams;
use millrace_harness::git::PASSWORD;
use millrace_matrix::canary::Canaries;
use millrace_matrix::logs::Logs;

use crate::bench::Bench;

pub(super) const URL_USER: &str = "canary-url-user";
pub(super) const URL_PASSWORD: &str = "canary-url-password";
pub(super) const REFUSED: &str = "canary-refused";
pub(super) const ALONE: &str = "canary-alone";
pub(super) const TOKEN: &str = "canary-token";
pub(super) const APP_KEY: &str = "canary-app-key";
pub(super) const TLS_KEY: &str = "canary-tls-key";
pub(super) const PROXY_USER: &str = "canary-proxy-user";
pub(super) const PROXY_PASSWORD: &str = "canary-proxy-password";
pub(super) const PROXY_URL: &str = "canary-in-a-proxy";

/// Places by name, each with the secret that is put there.
const PLACES: &[(&str, &str)] = &[
    ("user name in spec.url", URL_USER),
    ("password in spec.url", URL_PASSWORD),
    ("password that the server takes", PASSWORD),
    ("password that the server refuses", REFUSED),
    ("password without a user name", ALONE),
    ("bearer token", TOKEN),
    ("key of a GitHub app", APP_KEY),
    ("key of a client certificate", TLS_KEY),
    ("user name of a proxy", PROXY_USER),
    ("password of a proxy", PROXY_PASSWORD),
    ("login in the address of a proxy", PROXY_URL),
];

/// Looks for the secrets of the table in everything that the controller has said.
pub(super) async fn search(bench: &Bench, logs: &Logs) -> Canaries {
    let mut canaries = Canaries::new("secret canary source", PLACES.iter().copied());
    let secrets: Api<Secret> = Api::namespaced(bench.client(), &bench.namespace);
    for secret in secrets.list(&ListParams::default()).await.unwrap() {
        canaries.give(&serde_json::to_string(&secret.data).unwrap());
    }
    let mut statuses = Vec::new();
    for object in bench.api().list(&ListParams::default()).await.unwrap() {
        canaries.give(&serde_json::to_string(&object.spec).unwrap());
        statuses.push(serde_json::to_string(&object.status).unwrap());
    }
    let events = bench.all_events().iter().map(|event| format!("{event:?}")).collect();
    let metrics = bench.metrics().lines().map(str::to_owned).collect();
    for (place, said) in
        [("the log", logs.lines()), ("an event", events), ("a status", statuses), ("the metrics", metrics)]
    {
        assert!(said.len() > 10, "{place}: there must be something to search");
        canaries.search(place, said);
    }
    canaries
}
