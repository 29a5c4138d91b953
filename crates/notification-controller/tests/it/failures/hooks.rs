//! Rows of the contract's table that the webhook endpoint answers.

use axum::body::Body;
use http::Request;
use millrace_matrix::{canary::Canaries, logs::Logs};
use millrace_notification_controller::{receivers::webhook_path, signature::sign_sha256};
use serde_json::{Value, json};

use super::{
    canary::{self, CALL, HOOK},
    catalogue::Catalogue,
};
use crate::{
    bench::{Bench, GIT_REPOSITORIES, RECEIVERS, config},
    cluster::Cluster,
    hook_conformance::secret,
    hooks::{APP, receiver},
};

/// What a service sends, with a token among it.
fn body() -> String {
    json!({ "action": "push", "token": CALL }).to_string()
}

const INVALID: &str = "ERROR unable to validate payload";
const FAILED: &str = "ERROR unable to request reconciliation";

/// A call of a Receiver that another process made ready, and what must come of it.
struct Row {
    name: &'static str,
    /// The Receiver's fields.
    fields: Value,
    /// Its conditions.
    ready: bool,
    /// The members of its Secret; none, if there is to be no Secret.
    secret: Option<Value>,
    /// What follows the path.
    suffix: &'static str,
    headers: Vec<(&'static str, String)>,
    body: String,
    status: u16,
    /// Texts of the log line that says why.
    logged: Vec<String>,
}

/// A call that counts.
fn call(type_: &str) -> Row {
    let header = if type_ == "github" { "x-hub-signature-256" } else { "x-signature" };
    Row {
        name: "success",
        fields: json!({ "type": type_ }),
        ready: true,
        secret: Some(json!({ "token": HOOK })),
        suffix: "",
        headers: vec![
            ("content-type", "application/json".to_owned()),
            (header, format!("sha256={}", sign_sha256(HOOK.as_bytes(), body().as_bytes()))),
        ],
        body: body(),
        status: 200,
        logged: vec!["INFO resource 'GitRepository/app.apps' annotated".to_owned()],
    }
}

impl Row {
    fn title(&self) -> String {
        format!("{} ({})", self.name, self.fields["type"].as_str().unwrap_or_default())
    }

    fn fails(self, name: &'static str, status: u16, logged: &[&str]) -> Self {
        Self { name, status, logged: logged.iter().map(ToString::to_string).collect(), ..self }
    }

    fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        if !value.is_empty() {
            self.headers.push((name, value.to_owned()));
        }
        self
    }

    fn fields(mut self, fields: Value) -> Self {
        for (key, value) in fields.as_object().expect("fields") {
            self.fields[key] = value.clone();
        }
        self
    }
}

async fn run(row: Row, canaries: &mut Canaries) {
    let logs = Logs::of_thread();
    canaries.give(&format!("{} {:?} {}", row.secret.clone().unwrap_or_default(), row.headers, row.body));
    let title = row.title();
    let path = webhook_path(HOOK.as_bytes(), "rcv", "apps");
    let cluster = Cluster::new();
    if let Some(data) = &row.secret {
        cluster.put("/api/v1/secrets", secret("token", data));
    }
    cluster.put(GIT_REPOSITORIES, json!({ "metadata": { "namespace": "apps", "name": "app" } }));
    cluster.put(GIT_REPOSITORIES, json!({ "metadata": { "namespace": "apps", "name": "closed" } }));
    cluster.forbid("/apis/source.toolkit.fluxcd.io/v1/namespaces/apps/gitrepositories/closed");
    let mut object = receiver(row.fields);
    let status = if row.ready { "True" } else { "False" };
    object["status"] = json!({ "webhookPath": path, "conditions": [{
        "type": "Ready", "status": status, "reason": "R", "message": "m",
        "lastTransitionTime": "2026-01-02T03:04:05Z",
    }] });
    cluster.put(RECEIVERS, object);
    let mut config = config();
    config.policy.no_cross_namespace_refs = true;
    let (bench, _leader) = Bench::follow(cluster, config).await;
    let mut request = Request::post(format!("{path}{}", row.suffix));
    for (name, value) in &row.headers {
        request = request.header(*name, value);
    }
    let answer = bench.hook(request.body(Body::from(row.body)).unwrap()).await;
    assert_eq!((answer.status.as_u16(), answer.body.as_str()), (row.status, ""));
    let annotated = !bench.cluster.get(APP)["metadata"]["annotations"].is_null();
    assert_eq!(annotated, row.status == 200, "annotated");
    if !row.logged.is_empty() {
        let logged: Vec<_> = row.logged.iter().map(String::as_str).collect();
        assert_eq!(logs.with(&logged).len(), 1, "{:?}", logs.with(&["ERROR "]));
    }
    // Whoever knows the path of a `generic` Receiver may call it: calls do not write it into the log.
    assert_eq!(logs.with(&[&path]), [] as [&str; 0]);
    canary::search(canaries, &title, &bench, &logs);
}

const TYPES: [&str; 3] = ["generic", "generic-hmac", "github"];

/// NC-113, NC-116, NC-117, NC-119, NC-122, NC-134, NC-138
#[tokio::test(start_paused = true)]
async fn every_failure_of_a_call_is_answered_as_the_contract_says_and_shows_no_secret() {
    let mut catalogue = Catalogue::new(canary::OF_CALLS);
    for row in [unreached(), not_genuine(), not_passed_on()].into_iter().flatten() {
        catalogue.row(&row.title(), async |canaries| run(row, canaries).await).await;
    }
    catalogue.finish();
}

/// Calls that reach no Receiver.
fn unreached() -> Vec<Row> {
    let mut rows = Vec::new();
    for type_ in TYPES {
        rows.push(call(type_));
        rows.push(Row { suffix: "?a=b", ..call(type_).fails("webhook with query string", 404, &[]) });
        rows.push(Row { suffix: "0", ..call(type_).fails("webhook to unknown path", 404, &[]) });
        let refused = ["ERROR receiver is suspended", "unable to process request", "\"name\":\"rcv\""];
        let row = call(type_).fails("webhook to suspended", 503, &refused);
        rows.push(row.fields(json!({ "suspend": true })));
        let unready = ["ERROR receiver is not ready", "unable to process request", "\"name\":\"rcv\""];
        rows.push(Row { ready: false, ..call(type_).fails("webhook to unready", 503, &unready) });
        let long = ["ERROR reading the request body failed", "maximum size of 3145728 bytes"];
        for suffix in ["", "none"] {
            let row = call(type_).fails("webhook body 3 MiB + 1", 413, &long);
            rows.push(Row { suffix, body: "x".repeat(3_145_729), ..row });
        }
        let secret =
            "unable to read secret, error: unable to read secret \"apps/token\": secrets \"token\" not found";
        rows.push(Row { secret: None, ..call(type_).fails("secret unreadable", 400, &[INVALID, secret]) });
        let field = "invalid \"apps/token\" secret data: required field 'token'";
        let row = call(type_).fails("`token` key missing", 400, &[INVALID, field]);
        rows.push(Row { secret: Some(json!({ "password": HOOK })), ..row });
    }
    let row = call("gitlab").fails(
        "type unknown to code",
        400,
        &[INVALID, "recevier type \"gitlab\" not supported"],
    );
    rows.push(row);
    rows
}

/// Row: bad signature / token / event / payload. The reason stands in the log alone.
fn not_genuine() -> Vec<Row> {
    let mut rows = Vec::new();
    let prefix = [
        ("github", "x-hub-signature-256", "the GitHub signature header is invalid, err: "),
        ("generic-hmac", "x-signature", "unable to validate HMAC signature: "),
    ];
    let forged = format!("sha256={}", "0".repeat(64));
    for (type_, header, start) in prefix {
        for (name, value, cause) in [
            ("bad signature", forged.as_str(), "payload signature check failed"),
            ("no signature", "", "missing signature"),
            ("unknown hash", "md5=00", "unknown hash type prefix: \"md5\""),
            ("no hash", "junk", "error parsing signature \"junk\""),
            ("no hexadecimal digits", "sha256=zz", "error decoding signature \"sha256=zz\": …"),
            ("the token instead of a signature", HOOK, "error parsing signature \"***\""),
        ] {
            let cause = format!("{start}{}", cause.trim_end_matches('…'));
            rows.push(call(type_).header(header, value).fails(name, 400, &[INVALID, &cause]));
        }
    }
    let media = "the GitHub signature header is invalid, err: webhook request has unsupported Content-Type \"text/plain\"";
    rows.push(call("github").header("content-type", "text/plain").fails(
        "bad payload",
        400,
        &[INVALID, media],
    ));
    let none = "the GitHub signature header is invalid, err: mime: no media type";
    rows.push(call("github").header("content-type", "").fails("no media type", 400, &[INVALID, none]));
    let events = json!({ "events": ["push"] });
    for (value, event) in
        [("issues", "the GitHub event \"issues\" is not authorised"), ("", "the GitHub event \"\" is")]
    {
        let row = call("github").header("x-github-event", value).fields(events.clone());
        rows.push(row.fails("bad event", 400, &[INVALID, event]));
    }
    let wanted = call("github").header("x-github-event", "PUSH").fields(events);
    rows.push(Row { logged: vec!["INFO handling GitHub event: PUSH".to_owned()], ..wanted });
    rows
}

/// Rows: cross-namespace resource while blocked; missing apiVersion for Kustomization; `*` without labels; missing
/// target; no patch permission; filter set.
fn not_passed_on() -> Vec<Row> {
    let mut rows = Vec::new();
    let entry = |fields: Value| json!({ "resources": [fields] });
    for type_ in TYPES {
        for (name, fields, cause) in [
            (
                "cross-namespace resource while blocked",
                entry(json!({ "kind": "GitRepository", "name": "app", "namespace": "other" })),
                "cross-namespace references are not allowed",
            ),
            (
                "missing apiVersion for Kustomization",
                entry(json!({ "kind": "Kustomization", "name": "app" })),
                "apiVersion must be specified for kind \"Kustomization\"",
            ),
            (
                "`*` without labels",
                entry(json!({ "kind": "GitRepository", "name": "*" })),
                "matchLabels field not set when using wildcard '*' as name",
            ),
            (
                "missing target",
                entry(json!({ "kind": "GitRepository", "name": "absent" })),
                "unable to read GitRepository \"apps/absent\" error: GitRepository.source.toolkit.fluxcd.io \"absent\" not found",
            ),
            (
                "no patch permission",
                entry(json!({ "kind": "GitRepository", "name": "closed" })),
                "failed to annotate resource: 'GitRepository/closed.apps': unable to annotate GitRepository \
                 \"apps/closed\" error: ",
            ),
        ] {
            let row = call(type_).fields(fields).fails(name, 500, &[FAILED, cause, "\"name\":\"rcv\""]);
            rows.push(row);
        }
        let filtered = json!({ "resourceFilter": "true" });
        let filter = ["ERROR unable to create resource filters", "spec.resourceFilter is set"];
        if type_ == "generic" {
            for body in [String::new(), "[]".to_owned(), body()] {
                let row = call(type_).fields(filtered.clone()).fails("filter set", 500, &filter);
                rows.push(Row { body, ..row });
            }
        }
        rows.push(call(type_).fields(filtered).fails("filter set", 500, &filter));
    }
    rows
}
