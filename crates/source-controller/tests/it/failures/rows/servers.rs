//! What objects of the table talk to, read and stumble over.

use std::fs;
use std::net::TcpListener;

use millrace_harness::Recorder;
use millrace_harness::git::{PASSWORD, USER};
use millrace_harness::proxy::{Fault, Refusal};
use millrace_net::{HttpClient, Masker};
use serde_json::json;

use super::super::canary::{ALONE, APP_KEY, PROXY_PASSWORD, PROXY_URL, PROXY_USER, REFUSED, TLS_KEY, TOKEN};
use super::super::others::guarded;
use crate::bench::Bench;

/// Everything that objects of the table talk to.
pub(crate) struct Servers {
    pub(super) recorder: Recorder,
    pub(super) silent: TcpListener,
    /// A port on which nobody listens.
    pub(super) closed: u16,
    pub(super) commit: String,
    pub(super) login_body: String,
    pub(super) missing_body: String,
    /// Reads that the API server refuses, as long as these live.
    _refused: [Fault; 2],
}

impl Servers {
    pub(crate) async fn prepare(bench: &Bench) -> Self {
        let repository = bench.git.create("app").unwrap();
        let commit = repository.commit("first").file("d/a", "a").link("l", "l").push().unwrap();
        bench.git.create("empty").unwrap();
        let huge = bench.git.create("huge").unwrap();
        huge.commit("first").file(".sourceignore", vec![b'x'; (4 << 20) + 1]).push().unwrap();
        secrets(bench).await;
        bench.create("lib", json!({ "url": bench.git.public_url("app") })).await;
        bench.create("idle", json!({ "url": bench.git.public_url("app"), "suspend": true })).await;
        let tls = json!({ "url": bench.git.tls_url("app"), "secretRef": { "name": "good" } });
        bench.create("private", tls).await;
        let library = bench.ready("lib").await;
        assert!(library.status.unwrap().artifact.is_some());
        block_storage(bench, &commit);
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        Self {
            recorder: Recorder::start().unwrap(),
            silent: TcpListener::bind("127.0.0.1:0").unwrap(),
            closed,
            commit,
            login_body: body(&bench.git.login_url("app")).await,
            missing_body: body(&bench.git.public_url("nope")).await,
            _refused: ["secrets", "gitrepositories"]
                .map(|kind| bench.proxy.on(guarded(kind)).refuse(Refusal::internal_error())),
        }
    }

    /// Objects beside those of the table that must be ready.
    pub(crate) fn healthy() -> [&'static str; 2] {
        ["lib", "private"]
    }
}

/// The Secrets of the table. All that is secret in them is marked, but for what the server must accept.
async fn secrets(bench: &Bench) {
    let authority = format!("canary-comment\n{}", bench.git.authority());
    let long = format!("http://{PROXY_URL}:{PROXY_URL}@{}", "x".repeat(2048));
    let ftp = format!("ftp://{PROXY_URL}:{PROXY_URL}@x");
    let bad = format!("http://{PROXY_URL}:{PROXY_URL}@[x");
    let rows: &[(&str, &[(&str, &str)])] = &[
        ("good", &[("username", USER), ("password", PASSWORD), ("caFile", &authority)]),
        ("wrong", &[("username", USER), ("password", REFUSED)]),
        ("half", &[("password", ALONE)]),
        ("token", &[("bearerToken", TOKEN)]),
        ("app-data", &[("githubAppID", "1"), ("githubAppPrivateKey", APP_KEY)]),
        ("pair", &[("tls.crt", "canary-certificate"), ("tls.key", TLS_KEY)]),
        ("proxy-none", &[("username", PROXY_USER), ("password", PROXY_PASSWORD)]),
        ("proxy-empty", &[("address", " ")]),
        ("proxy-long", &[("address", &long)]),
        ("proxy-ftp", &[("address", &ftp)]),
        ("proxy-bad", &[("address", &bad)]),
        (
            "proxy-down",
            &[("address", "http://127.0.0.1:1"), ("username", PROXY_USER), ("password", PROXY_PASSWORD)],
        ),
    ];
    for (name, entries) in rows {
        bench.secret(name, entries).await;
    }
}

/// Puts things in the way of what is to be stored.
fn block_storage(bench: &Bench, commit: &str) {
    let folder = bench.storage().join(format!("gitrepository/{}", bench.namespace));
    fs::create_dir_all(folder.join(format!("no-archive/{commit}.tar.gz/occupied"))).unwrap();
    fs::create_dir_all(folder.join(format!("no-lock/{commit}.tar.gz.lock"))).unwrap();
    fs::write(folder.join("no-folder"), "").unwrap();
}

/// What a server says to somebody who isn't let in, or to a place that isn't there; quoted.
async fn body(url: &str) -> String {
    let client = HttpClient::new(&millrace_net::Options::default()).unwrap();
    let url = format!("{url}/info/refs?service=git-upload-pack").parse().unwrap();
    let request = client.request("GET".parse().unwrap(), url).build().unwrap();
    client.send_once(request).await.unwrap().quoted(&Masker::new()).await
}
