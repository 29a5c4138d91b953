//! How a row of the notification half is written and run.

use std::time::Duration;

use http::StatusCode;
use millrace_matrix::{canary::Canaries, logs::Logs};
use millrace_net::EgressPolicy;
use serde_json::{Value, json};

use super::canary::{self, BEARER, HEADER, PASSWORD, PATH, QUERY, TOKEN};
use crate::{
    bench::{ALERTS, Bench, E1, PROVIDERS, alert, config, provider},
    cluster::Cluster,
    hook_conformance::secret,
    server::{Reply, Server},
    tls::{Authority, TlsServer},
};

/// One row: a Provider, its Secrets, what its server does, and what must be told.
///
/// `{server}` stands for the server's URL, `{host}` for its host and port, `{closed}` for a host and port where nobody
/// listens, `{tls}` for the URL of a server with TLS, which demands a client certificate; `{ca}` for the certificate of
/// its authority, `{certificate}` and `{key}` for what the authority has given a client.
pub(super) struct Row {
    /// The contract's row, and which of its cases this is.
    pub(super) name: &'static str,
    /// The Provider's spec; none, if there is to be no Provider.
    pub(super) spec: Option<Value>,
    /// Members of the Secret `cred`; those of [`credentials`] where it names none.
    pub(super) cred: Value,
    /// Members of the Secret `px`.
    pub(super) px: Value,
    /// Members of the Secret `tls`.
    pub(super) tls: Value,
    /// What the server answers.
    pub(super) replies: Vec<Reply>,
    /// What the alert's owner is told.
    pub(super) told: Told,
    /// How many requests the server gets for it, retries included.
    pub(super) requests: usize,
}

/// What must be told: an error of the dispatch or of the sending, or nothing. A text that ends in `…` goes on.
#[derive(Clone)]
pub(super) enum Told {
    Dispatch(String),
    Send(String),
    Nothing,
}

impl Row {
    /// A row about a Provider of a type that sends to a secret address.
    pub(super) fn of(name: &'static str, type_: &str, told: Told) -> Self {
        let requests = usize::from(!matches!(told, Told::Dispatch(_)));
        Self {
            name,
            spec: Some(json!({ "type": type_, "secretRef": { "name": "cred" } })),
            cred: credentials(),
            px: Value::Null,
            tls: Value::Null,
            replies: Vec::new(),
            told,
            requests,
        }
    }

    /// Sets further fields of the spec.
    pub(super) fn spec(mut self, fields: Value) -> Self {
        merge(self.spec.get_or_insert_default(), fields);
        self
    }

    /// Sets further members of the Secret `cred`; `null` takes one away.
    pub(super) fn cred(mut self, members: Value) -> Self {
        merge(&mut self.cred, members);
        self
    }

    /// Sets how many requests the server gets.
    pub(super) fn requests(self, requests: usize) -> Self {
        Self { requests, ..self }
    }

    /// The row with the type it is tried with.
    pub(super) fn title(&self) -> String {
        let type_ = self.spec.as_ref().and_then(|spec| spec["type"].as_str()).unwrap_or("no Provider");
        format!("{} ({type_})", self.name)
    }

    pub(super) fn replies(mut self, replies: Vec<Reply>) -> Self {
        self.replies = replies;
        self
    }
}

/// A Secret whose every member is a canary.
fn credentials() -> Value {
    json!({
        "token": TOKEN, "username": "me", "password": PASSWORD,
        "headers": format!("X-Mark: {HEADER}\nX-Auth: Bearer {BEARER}"),
        "address": format!("{{server}}/{PATH}?key={QUERY}"),
    })
}

fn merge(into: &mut Value, members: Value) {
    for (key, value) in members.as_object().cloned().unwrap_or_default() {
        into[key] = value;
    }
    if let Some(all) = into.as_object_mut() {
        all.retain(|_, value| !value.is_null());
    }
}

/// Runs a row; `authority` is the one of its server with TLS.
pub(super) async fn run(row: Row, authority: &Authority, canaries: &mut Canaries) {
    let logs = Logs::of_thread();
    let server = Server::start(row.replies.clone()).await;
    let tls = TlsServer::start(authority, true).await;
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let pem = |text: &str| text.replace('\n', "\\n");
    let fill = |text: &str| {
        text.replace("{server}", &server.url())
            .replace("{host}", &server.address.to_string())
            .replace("{closed}", &closed.to_string())
            .replace("{tls}", &tls.url())
            .replace("{ca}", &pem(authority.certificate()))
            .replace("{certificate}", &pem(authority.client().0))
            .replace("{key}", &pem(authority.client().1))
    };
    let mut filled = |value: &Value| -> Value {
        let value = serde_json::from_str(&fill(&value.to_string())).unwrap();
        canaries.give(&texts(&value));
        value
    };
    let cluster = Cluster::new();
    for (name, members) in [("cred", &row.cred), ("px", &row.px), ("tls", &row.tls)] {
        if !members.is_null() {
            cluster.put("/api/v1/secrets", secret(name, &filled(members)));
        }
    }
    if let Some(spec) = &row.spec {
        cluster.put(PROVIDERS, provider("prov", filled(spec)));
    }
    cluster.put(ALERTS, alert("on-call", "prov", json!({})));
    let (bench, _leader) = Bench::follow_within(cluster, config(), EgressPolicy::default()).await;
    assert_eq!(bench.post(E1).await.status, StatusCode::ACCEPTED);
    check(&row, &fill, &bench, &logs).await;
    // Whatever happens is told once, and nothing is tried again beyond its deadline.
    tokio::time::sleep(Duration::from_mins(10)).await;
    let told = usize::from(!matches!(row.told, Told::Nothing));
    assert_eq!(bench.events_about("on-call").len(), told, "events");
    assert_eq!(server.recorded().len() + tls.served(), row.requests, "requests");
    canary::search(canaries, &row.title(), &bench, &logs);
}

/// The texts of a value, one per line.
fn texts(value: &Value) -> String {
    let members = value.as_object().into_iter().flatten();
    let texts: Vec<_> = members.filter_map(|(_, value)| value.as_str()).collect();
    texts.join("\n")
}

async fn check(row: &Row, fill: &impl Fn(&str) -> String, bench: &Bench, logs: &Logs) {
    let (verb, expected) = match &row.told {
        Told::Dispatch(text) => ("dispatch", fill(text)),
        Told::Send(text) => ("send", fill(text)),
        Told::Nothing => return,
    };
    let event = told(bench).await;
    let start = format!(
        "Error NotificationDispatchFailed failed to {verb} notification for Kustomization/apps/webapp: "
    );
    let error = event.strip_prefix(&start).unwrap_or_else(|| panic!("{event}"));
    match expected.strip_suffix('…') {
        Some(beginning) => assert!(error.starts_with(beginning), "{error}, not {expected}"),
        None => assert_eq!(error, expected),
    }
    let message = format!("failed to {verb} notification");
    let alert = r#""name":"on-call","namespace":"apps","providerName":"prov""#;
    assert_eq!(logs.with(&["ERROR ", &message, error, alert]).len(), 1, "{:?}", logs.with(&["ERROR "]));
}

/// Waits for the alert's Event, for as long as the longest Provider may try.
async fn told(bench: &Bench) -> String {
    for _ in 0..200 {
        if let Some(event) = bench.events_about("on-call").pop() {
            return event;
        }
        // The clock goes on whenever nothing is ready, also where only the kernel is late: it gets a moment for each second.
        std::thread::sleep(Duration::from_millis(2));
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    panic!("nothing was told");
}
