//! Servers that don't let anybody in, aren't there, or don't answer.

use serde_json::json;

use super::{Row, Servers, git, hidden, with_user};
use crate::bench::Bench;

pub(super) fn rows(bench: &Bench, servers: &Servers) -> Vec<Row> {
    let refs = "/info/refs?service=git-upload-pack";
    let row = |contract: &'static str, name: &str, url: &str, text: &str| {
        let spec = json!({ "url": with_user(url), "timeout": "1s" });
        git(contract, name, spec, &format!("unable to clone '{}': {text}", hidden(url)))
    };
    let answer = |code: u16| format!("{}/answer/{code}/app.git", servers.recorder.url());
    let closed = format!("http://127.0.0.1:{}/app.git", servers.closed);
    let silent = format!("http://{}/app.git", servers.silent.local_addr().unwrap());
    let unknown = "http://nowhere.invalid/app.git";
    let tls = bench.git.tls_url("app");
    let untrusted = "tls: failed to verify certificate: x509: certificate signed by unknown authority";
    vec![
        row("7.2 403", "forbidden", &answer(403), "authorization failed: {}"),
        row(
            "7.2 404",
            "missing",
            &bench.git.public_url("nope"),
            &format!("repository not found: {}", servers.missing_body),
        ),
        row(
            "7.2 another status",
            "broken",
            &answer(500),
            &format!(
                "unexpected client error: unexpected requesting \"{}{refs}\" status code: 500: {{}}",
                answer(500)
            ),
        ),
        row(
            "7.2 DNS",
            "no-host",
            unknown,
            &format!("Get \"{unknown}{refs}\": dial tcp: lookup nowhere.invalid: no such host"),
        ),
        row(
            "7.2 nobody listens",
            "refused",
            &closed,
            &format!(
                "Get \"{closed}{refs}\": dial tcp 127.0.0.1:{}: connect: connection refused",
                servers.closed
            ),
        ),
        row("7.2 TLS", "untrusted", &tls, &format!("Get \"{tls}{refs}\": {untrusted}")),
        row("7.2 timeout", "silent", &silent, "context deadline exceeded"),
    ]
}
