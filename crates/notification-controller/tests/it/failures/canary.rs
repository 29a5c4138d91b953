//! Where the rows put secrets, and where those are looked for.

use millrace_matrix::{canary::Canaries, logs::Logs};

use crate::bench::Bench;

/// Places by name, each with the secret that is put there.
pub(super) type Places = &'static [(&'static str, &'static str)];

pub(super) const TOKEN: &str = "canary-token-5f0e";
pub(super) const PASSWORD: &str = "canary-password-5f0e";
pub(super) const HEADER: &str = "canary-header-5f0e";
pub(super) const BEARER: &str = "canary-bearer-5f0e";
pub(super) const PATH: &str = "canary-path-of-a-webhook";
pub(super) const QUERY: &str = "canary-query-5f0e";
pub(super) const LOGIN: &str = "canary-login-5f0e";
pub(super) const SPEC_LOGIN: &str = "canary-spec-login-5f0e";
pub(super) const SPEC_PASSWORD: &str = "canary-spec-password-5f0e";
pub(super) const SPEC_QUERY: &str = "canary-spec-query-5f0e";
pub(super) const SPEC_PROXY: &str = "canary-spec-proxy-5f0e";
pub(super) const OLD_PROXY: &str = "canary-old-proxy-5f0e";
pub(super) const PROXY: &str = "canary-proxy-5f0e";
pub(super) const PROXY_LOGIN: &str = "canary-proxy-login-5f0e";
pub(super) const PROXY_PASSWORD: &str = "canary-proxy-password-5f0e";
pub(super) const EVENT: &str = "canary-event-5f0e";
pub(super) const HOOK: &str = "canary-hook-5f0e";
pub(super) const CALL: &str = "canary-call-5f0e";

/// The places around a Provider; its private key is made at run time.
pub(super) const OF_PROVIDERS: Places = &[
    ("token of a Secret", TOKEN),
    ("password of a Secret", PASSWORD),
    ("header of a Secret", HEADER),
    ("bearer token among the headers of a Secret", BEARER),
    ("path of the address in a Secret", PATH),
    ("query of the address in a Secret", QUERY),
    ("login in the address of a Secret", LOGIN),
    ("user name in spec.address", SPEC_LOGIN),
    ("password in spec.address", SPEC_PASSWORD),
    ("query of spec.address", SPEC_QUERY),
    ("password in spec.proxy", SPEC_PROXY),
    ("password in the outdated proxy of a Secret", OLD_PROXY),
    ("address of a proxy's Secret", PROXY),
    ("user name of a proxy's Secret", PROXY_LOGIN),
    ("password of a proxy's Secret", PROXY_PASSWORD),
];

pub(super) const OF_EVENTS: Places = &[("token of an event", EVENT)];

pub(super) const OF_RECEIVERS: Places = &[("token of a Receiver that is reconciled", HOOK)];

pub(super) const OF_CALLS: Places =
    &[("token of a Receiver that is called", HOOK), ("token in the body of a call", CALL)];

/// Looks for secrets in log lines, events, what is written to objects, metrics and answers.
pub(super) fn search(canaries: &mut Canaries, row: &str, bench: &Bench, logs: &Logs) {
    let written = bench.cluster.objects().into_iter().map(|mut object| {
        // Secrets hold them, and a Provider's spec may; what is written to objects may not.
        if let Some(fields) = object.as_object_mut() {
            fields.retain(|field, _| matches!(field.as_str(), "metadata" | "status"));
        }
        object.to_string()
    });
    canaries.search(&format!("{row}: the log"), logs.lines());
    canaries.search(&format!("{row}: an event"), bench.everything_recorded());
    canaries.search(&format!("{row}: an object"), written);
    canaries.search(&format!("{row}: the metrics"), [bench.metrics.render()]);
    canaries.search(&format!("{row}: an answer"), bench.answers());
}
