//! Recorded cases: Provider, Secrets, alert and event against the requests that follow.

use std::{collections::BTreeMap, sync::Arc};

use base64::Engine as _;
use http::StatusCode;
use millrace_api::notification::v1beta3::{Alert, Provider};
use millrace_notification_controller::{
    dispatch::{
        Delivery, Policy, Sender, build, check_namespace, check_provider, match_message, match_sources,
        secret_names,
    },
    event::Event,
    intake,
    secret::Secrets,
};
use millrace_reconcile::{clock::SystemClock, secrets::SecretData};
use serde_json::{Value, json};

use crate::{
    server::{Recorded, Reply, Server},
    shared::{conformance, items, members, text},
};

const TYPES: [&str; 4] = ["generic", "generic-hmac", "msteams", "slack"];

/// What came of a case.
enum Outcome {
    Dropped,
    DispatchError(String),
    Built(Box<Delivery>),
}

/// Among the cases: NC-015, NC-041, NC-050, NC-061, NC-067
#[tokio::test]
async fn events_become_the_recorded_requests() {
    let Some(set) = conformance("provider-requests") else { return };
    millrace_net::install_crypto_provider();
    let mut failures = Vec::new();
    let mut ran = 0;
    for case in items(&set, "cases").filter(|case| TYPES.contains(&text(case, "area"))) {
        ran += 1;
        if let Err(difference) = check(&set["defaultAlert"], case).await {
            failures.push(format!("{}: {difference}", text(case, "id")));
        }
    }
    assert!(failures.is_empty(), "{} of {ran} cases:\n{}", failures.len(), failures.join("\n"));
    assert!(ran >= 46, "only {ran} cases");
}

async fn check(default_alert: &Value, case: &Value) -> Result<(), String> {
    let server = Server::start(items(case, "responses").map(reply).collect()).await;
    let filled =
        case.to_string().replace("{server}", &server.url()).replace("{host}", &server.address.to_string());
    let filled = filled.replace("{proxy}", &server.address.to_string()).replace("{caPEM}", &ca_pem());
    let case: Value = serde_json::from_str(&filled).expect("placeholders are plain text");
    let expect = &case["expect"];
    let sender = Sender::new(Arc::new(SystemClock), Arc::default());
    match decide(default_alert, &case, &sender) {
        Outcome::Dropped if expect.get("dropped").is_some() => Ok(()),
        Outcome::Dropped => Err("dropped".to_owned()),
        Outcome::DispatchError(error) => same_error(text(expect, "dispatchError"), &error),
        Outcome::Built(delivery) if delivery.message.request.url.starts_with(&server.url()) => {
            let sent = sender.send(&delivery.message, &delivery.transport, delivery.timeout).await;
            let error = sent.err().map(|error| delivery.masks.apply(&error.to_string()));
            same_error(text(expect, "sendError"), &error.unwrap_or_default())?;
            same_requests(
                expect,
                &server.recorded().iter().map(|r| of_recorded(r, &server)).collect::<Vec<_>>(),
            )
        }
        // A host outside: what would be sent, and how the scripted answer would be judged.
        Outcome::Built(delivery) => {
            let answer = items(&case, "responses").next().map_or_else(|| Reply::status(200, "{}"), reply);
            let status = StatusCode::from_u16(answer.status).expect("a status");
            let verdict = (delivery.message.judge)(status, answer.body.as_bytes());
            let error = verdict
                .err()
                .map(|error| format!("{}request failed: {error}", delivery.message.failure_prefix));
            same_error(text(expect, "sendError"), &error.unwrap_or_default())?;
            same_requests(expect, &[of_built(&delivery)])
        }
    }
}

/// The way of an event from its body to a message, without a cluster.
fn decide(default_alert: &Value, case: &Value, sender: &Sender) -> Outcome {
    let mut event = Event::decode(case["event"].to_string().as_bytes()).expect("the event decodes");
    intake::clean(&mut event);
    intake::drop_token(&mut event);
    let alert = alert(default_alert, case);
    let provider: Provider = serde_json::from_value(json!({
        "metadata": { "namespace": "apps", "name": "prov", "uid": "0c9c2e41-d2f9-4f9b-9c41-bebc1984d67a" },
        "spec": case["provider"],
    }))
    .expect("the Provider decodes");
    if !match_sources(&alert, &event).unconditional || !match_message(&alert, &event.message).passes {
        return Outcome::Dropped;
    }
    let policy = Policy::default();
    let checked =
        check_namespace(policy, &alert, &event).and_then(|()| check_provider(policy, &provider, &event));
    match checked {
        Err(error) => return Outcome::DispatchError(error.to_string()),
        Ok(Some(_)) => return Outcome::Dropped,
        Ok(None) => {}
    }
    let wanted: Vec<_> = secret_names(&provider.spec).collect();
    let secrets: Secrets = members(case, "secrets")
        .filter(|(name, _)| wanted.contains(&name.as_str()))
        .map(|(name, data)| {
            let entries = data.as_object().expect("data").iter();
            let entries =
                entries.map(|(key, value)| (key.as_str(), value.as_str().expect("text").as_bytes().to_vec()));
            (name.clone(), SecretData::from_entries(entries))
        })
        .collect();
    match build(&provider, &secrets, &alert, &event, sender) {
        Ok(delivery) => Outcome::Built(Box::new(delivery)),
        Err(failed) => Outcome::DispatchError(failed.told()),
    }
}

fn alert(default_alert: &Value, case: &Value) -> Alert {
    let mut spec = default_alert.clone();
    spec["providerRef"] = json!({ "name": "prov" });
    for (key, value) in members(case, "alert") {
        if value.is_null() {
            spec.as_object_mut().expect("a spec").remove(key);
        } else {
            spec[key] = value.clone();
        }
    }
    let uid = "1f0c0b52-8a51-4d35-9f9e-6a1f6a3b2c4d";
    serde_json::from_value(
        json!({ "metadata": { "namespace": "apps", "name": "on-call", "uid": uid }, "spec": spec }),
    )
    .expect("the alert decodes")
}

fn reply(response: &Value) -> Reply {
    let number = |key: &str| response.get(key).and_then(Value::as_u64);
    Reply {
        path: text(response, "path").to_owned(),
        method: text(response, "method").to_owned(),
        times: number("times").map_or(usize::MAX, |times| times.try_into().expect("a count")),
        status: number("status").map_or(200, |status| status.try_into().expect("a status")),
        headers: members(response, "headers")
            .map(|(name, value)| (name.clone(), value.as_str().expect("text").to_owned()))
            .collect(),
        body: response.get("body").and_then(Value::as_str).unwrap_or("{}").to_owned(),
        ..Reply::default()
    }
}

/// A certificate authority, JSON-escaped.
fn ca_pem() -> String {
    let key = rcgen::KeyPair::generate().expect("a key");
    let mut params = rcgen::CertificateParams::default();
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    params.self_signed(&key).expect("a certificate").pem().replace('\n', "\\n")
}

/// Texts of other libraries may differ behind the last colon before them.
/// Compares the contract's text; a hint for the reader may follow it on a line of its own.
fn same_error(expected: &str, actual: &str) -> Result<(), String> {
    const FOREIGN: [&str; 2] = [": parse \"", ": json: "];
    let actual = if expected.contains('\n') { actual } else { actual.split('\n').next().unwrap_or_default() };
    let stem = |text: &str| {
        let cut = FOREIGN.iter().filter_map(|mark| text.find(mark)).min();
        text[..cut.unwrap_or(text.len())].to_owned()
    };
    if stem(expected) == stem(actual) {
        Ok(())
    } else {
        Err(format!("error {actual:?} instead of {expected:?}"))
    }
}

/// A request in the form of the set.
fn of_recorded(recorded: &Recorded, server: &Server) -> Value {
    const UNINTERESTING: [&str; 6] =
        ["host", "user-agent", "accept-encoding", "content-length", "accept", "proxy-authorization"];
    let via_proxy = recorded.target.starts_with("http");
    let url =
        if via_proxy { recorded.target.clone() } else { format!("{}{}", server.url(), recorded.target) };
    let headers: BTreeMap<_, _> =
        recorded.headers.iter().filter(|(name, _)| !UNINTERESTING.contains(&name.as_str())).collect();
    json!({
        "method": recorded.method, "url": url, "headers": headers,
        "viaProxy": via_proxy, "proxyAuthorization": recorded.headers.get("proxy-authorization"),
        "body": base64::prelude::BASE64_STANDARD.encode(&recorded.body),
    })
}

fn of_built(delivery: &Delivery) -> Value {
    let request = &delivery.message.request;
    let headers: BTreeMap<_, _> =
        request.headers.iter().map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
    json!({
        "method": request.method.as_str(), "url": request.url, "headers": headers,
        "viaProxy": false, "proxyAuthorization": null,
        "body": base64::prelude::BASE64_STANDARD.encode(&request.body),
    })
}

fn same_requests(expect: &Value, actual: &[Value]) -> Result<(), String> {
    let expected: Vec<_> = items(expect, "requests").collect();
    if expected.len() != actual.len() {
        return Err(format!("{} requests instead of {}", actual.len(), expected.len()));
    }
    expected.into_iter().zip(actual).try_for_each(|(expected, actual)| same_request(expected, actual))
}

fn same_request(expected: &Value, actual: &Value) -> Result<(), String> {
    let headers: BTreeMap<_, _> =
        members(expected, "headers").map(|(name, value)| (name.to_lowercase(), value.clone())).collect();
    let facts = json!({
        "method": expected["method"], "url": expected["url"], "headers": headers,
        "viaProxy": expected.get("viaProxy").unwrap_or(&json!(false)),
        "proxyAuthorization": expected.get("proxyAuthorization"),
    });
    let mut rest = actual.clone();
    let body = rest.as_object_mut().expect("an object").remove("body").expect("a body");
    let body = base64::prelude::BASE64_STANDARD.decode(body.as_str().expect("text")).expect("base64");
    if rest != facts {
        return Err(format!("{rest} instead of {facts}"));
    }
    if let Some(expected) = expected.get("text") {
        let actual = String::from_utf8(body).map_err(|error| error.to_string())?;
        return if actual == expected.as_str().unwrap_or_default() {
            Ok(())
        } else {
            Err(format!("body {actual} instead of {expected}"))
        };
    }
    let mut wanted = expected.get("json").cloned().unwrap_or_default();
    let mut sent: Value = serde_json::from_slice(&body).unwrap_or_default();
    for path in items(expected, "anyOrder").filter_map(Value::as_str) {
        let pointer = format!("/{}", path.trim_start_matches("json.").replace('.', "/"));
        for value in [&mut wanted, &mut sent] {
            if let Some(list) = value.pointer_mut(&pointer).and_then(Value::as_array_mut) {
                list.sort_by_key(ToString::to_string);
            }
        }
    }
    if wanted == sent { Ok(()) } else { Err(format!("body {sent} instead of {wanted}")) }
}
