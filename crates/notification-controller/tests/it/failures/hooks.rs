//! Rows of the contract's table that the webhook endpoint answers.

use axum::body::Body;
use http::Request;
use millrace_notification_controller::{receivers::webhook_path, signature::sign_sha256};
use serde_json::{Value, json};

use super::canary::{self, HOOK};
use crate::{
    bench::{Bench, GIT_REPOSITORIES, RECEIVERS, config},
    cluster::Cluster,
    hook_conformance::secret,
    hooks::receiver,
    logs::Logs,
};

const BODY: &str = r#"{"action":"push"}"#;
const APP: &str = "/apis/source.toolkit.fluxcd.io/v1/namespaces/apps/gitrepositories/app";
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
    logged: Vec<&'static str>,
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
            (header, format!("sha256={}", sign_sha256(HOOK.as_bytes(), BODY.as_bytes()))),
        ],
        body: BODY.to_owned(),
        status: 200,
        logged: vec!["INFO resource 'GitRepository/app.apps' annotated"],
    }
}

impl Row {
    fn fails(self, name: &'static str, status: u16, logged: &[&'static str]) -> Self {
        Self { name, status, logged: logged.to_vec(), ..self }
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

async fn run(row: Row) {
    let logs = Logs::capture();
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
    assert_eq!((answer.status.as_u16(), answer.body.as_str()), (row.status, ""), "{}", row.name);
    let annotated = !bench.cluster.get(APP)["metadata"]["annotations"].is_null();
    assert_eq!(annotated, row.status == 200, "{}", row.name);
    if !row.logged.is_empty() {
        assert_eq!(logs.with(&row.logged).len(), 1, "{}: {:?}", row.name, logs.lines());
    }
    canary::search(row.name, &bench, &logs);
}

const TYPES: [&str; 3] = ["generic", "generic-hmac", "github"];

/// NC-113, NC-119, NC-122
#[tokio::test(start_paused = true)]
async fn calls_that_reach_no_receiver_are_refused() {
    for type_ in TYPES {
        run(call(type_)).await;
        run(Row { suffix: "?a=b", ..call(type_).fails("webhook with query string", 404, &[]) }).await;
        run(Row { suffix: "0", ..call(type_).fails("webhook to unknown path", 404, &[]) }).await;
        let refused = ["ERROR receiver is suspended", "unable to process request", "\"name\":\"rcv\""];
        let row = call(type_).fails("webhook to suspended", 503, &refused);
        run(row.fields(json!({ "suspend": true }))).await;
        let unready = ["ERROR receiver is not ready", "unable to process request", "\"name\":\"rcv\""];
        run(Row { ready: false, ..call(type_).fails("webhook to unready", 503, &unready) }).await;
        let long = ["ERROR reading the request body failed", "maximum size of 3145728 bytes"];
        for suffix in ["", "none"] {
            let row = call(type_).fails("webhook body 3 MiB + 1", 413, &long);
            run(Row { suffix, body: "x".repeat(3_145_729), ..row }).await;
        }
        let secret =
            "unable to read secret, error: unable to read secret \"apps/token\": secrets \"token\" not found";
        run(Row { secret: None, ..call(type_).fails("secret unreadable", 400, &[INVALID, secret]) }).await;
        let field = "invalid \"apps/token\" secret data: required field 'token'";
        let row = call(type_).fails("`token` key missing", 400, &[INVALID, field]);
        run(Row { secret: Some(json!({ "password": HOOK })), ..row }).await;
    }
    let row = call("gitlab").fails(
        "type unknown to code",
        400,
        &[INVALID, "recevier type \"gitlab\" not supported"],
    );
    run(row).await;
}

/// Row: bad signature / token / event / payload.
///
/// NC-116, NC-117
#[tokio::test(start_paused = true)]
async fn calls_that_are_not_genuine_are_refused_with_a_reason_in_the_log_alone() {
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
            let cause: &'static str = cause.leak();
            run(call(type_).header(header, value).fails(name, 400, &[INVALID, cause])).await;
        }
    }
    let media = "the GitHub signature header is invalid, err: webhook request has unsupported Content-Type \"text/plain\"";
    run(call("github").header("content-type", "text/plain").fails("bad payload", 400, &[INVALID, media]))
        .await;
    let none = "the GitHub signature header is invalid, err: mime: no media type";
    run(call("github").header("content-type", "").fails("no media type", 400, &[INVALID, none])).await;
    let events = json!({ "events": ["push"] });
    for (value, event) in
        [("issues", "the GitHub event \"issues\" is not authorised"), ("", "the GitHub event \"\" is")]
    {
        let row = call("github").header("x-github-event", value).fields(events.clone());
        run(row.fails("bad event", 400, &[INVALID, event])).await;
    }
    let wanted = call("github").header("x-github-event", "PUSH").fields(events);
    run(Row { logged: vec!["INFO handling GitHub event: PUSH"], ..wanted }).await;
}

/// Rows: cross-namespace resource while blocked; missing apiVersion for Kustomization; `*` without labels; missing
/// target; no patch permission; filter set.
///
/// NC-134, NC-138
#[tokio::test(start_paused = true)]
async fn calls_that_can_not_be_passed_on_are_an_error_of_the_server() {
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
                "unable to read GitRepository \"apps/absent\" error: ",
            ),
            (
                "no patch permission",
                entry(json!({ "kind": "GitRepository", "name": "closed" })),
                "failed to annotate resource: 'GitRepository/closed.apps': unable to annotate GitRepository \
                 \"apps/closed\" error: ",
            ),
        ] {
            let row = call(type_).fields(fields).fails(name, 500, &[FAILED, cause, "\"name\":\"rcv\""]);
            run(row).await;
        }
        let filtered = json!({ "resourceFilter": "true" });
        let filter = ["ERROR unable to create resource filters", "spec.resourceFilter is set"];
        if type_ == "generic" {
            for body in ["", "[]", BODY] {
                let row = call(type_).fields(filtered.clone()).fails("filter set", 500, &filter);
                run(Row { body: body.to_owned(), ..row }).await;
            }
        }
        run(call(type_).fields(filtered).fails("filter set", 500, &filter)).await;
    }
}
