//! What is sent for an event: Provider, Secrets, Alert and event against the requests that follow.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::StatusCode;
use millrace_api::notification::v1beta3::{Alert, Provider};
use millrace_harness::Recorder;
use millrace_harness::pki::Authority;
use millrace_harness::recorder::{Answer, Recorded, Rule};
use millrace_notification_controller::dispatch::{
    Delivery, Policy, Sender, build, check_namespace, check_provider, match_message, match_sources,
    secret_names,
};
use millrace_notification_controller::event::Event;
use millrace_notification_controller::intake;
use millrace_notification_controller::secret::Secrets;
use millrace_reconcile::clock::SystemClock;
use millrace_reconcile::secrets::SecretData;
use serde_json::{Value, json};

use super::values::{items, members, text};
use crate::cases::{Case, File, to_json};

/// Headers that a client library chooses; the set leaves them out.
const LEFT_OUT: &[&str] =
    &["host", "user-agent", "accept-encoding", "content-length", "accept", "proxy-authorization"];

pub(super) fn check(file: &File, case: &Case) -> Result<(), String> {
    millrace_net::install_crypto_provider();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    runtime.block_on(dispatch(&to_json(&file.head)?["defaultAlert"], &to_json(&case.node)?))
}

/// What comes of an event before anything is sent.
enum Outcome {
    Dropped,
    Refused(String),
    Built(Box<Delivery>),
}

async fn dispatch(default_alert: &Value, case: &Value) -> Result<(), String> {
    let server = Recorder::start().map_err(|error| error.to_string())?;
    for response in items(case, "responses") {
        server.rule(rule(response)?);
    }
    let case = filled(case, &server)?;
    let expect = &case["expect"];
    let sender = Sender::new(Arc::new(SystemClock), Arc::default());
    match decide(default_alert, &case, &sender)? {
        Outcome::Dropped if expect.get("dropped").is_some() => Ok(()),
        Outcome::Dropped => Err("the event was dropped".to_owned()),
        Outcome::Refused(error) => same_error("dispatchError", &error, text(expect, "dispatchError")),
        Outcome::Built(delivery) if delivery.message.request.url.starts_with(&server.url()) => {
            let sent = sender.send(&delivery.message, &delivery.transport, delivery.timeout).await;
            let error = sent.err().map(|error| delivery.masks.apply(&error.to_string())).unwrap_or_default();
            same_error("sendError", &error, text(expect, "sendError"))?;
            let found: Vec<Value> =
                server.requests().iter().map(|request| of_recorded(request, &server.url())).collect();
            same_requests(&found, expect)
        }
        // A host outside: what would be sent, and how the scripted answer would be judged.
        Outcome::Built(delivery) => {
            let response = items(&case, "responses").next();
            let status = response.and_then(|response| response["status"].as_u64()).unwrap_or(200);
            let status = u16::try_from(status)
                .ok()
                .and_then(|code| StatusCode::from_u16(code).ok())
                .ok_or("no HTTP status")?;
            let body = response.and_then(|response| response["body"].as_str()).unwrap_or("{}");
            let verdict = (delivery.message.judge)(status, body.as_bytes());
            let error = verdict
                .err()
                .map(|error| format!("{}request failed: {error}", delivery.message.failure_prefix));
            same_error("sendError", &error.unwrap_or_default(), text(expect, "sendError"))?;
            same_requests(&[of_built(&delivery)], expect)
        }
    }
}

/// The case with this run's addresses in place of its placeholders.
fn filled(case: &Value, server: &Recorder) -> Result<Value, String> {
    let url = server.url();
    let host = url.trim_start_matches("http://");
    let authority = Authority::new("recorded").map_err(|error| error.to_string())?;
    let text = case.to_string().replace("{server}", &url).replace("{host}", host).replace("{proxy}", host);
    let text = text.replace("{caPEM}", &authority.certificate().replace('\n', "\\n"));
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

/// The way of an event from its body to a message.
fn decide(default_alert: &Value, case: &Value, sender: &Sender) -> Result<Outcome, String> {
    let mut event =
        Event::decode(case["event"].to_string().as_bytes()).map_err(|_| "the event cannot be read")?;
    intake::clean(&mut event);
    intake::drop_token(&mut event);
    let alert = alert(default_alert, case)?;
    let provider = json!({
        "metadata": {"namespace": "apps", "name": "prov", "uid": "0c9c2e41-d2f9-4f9b-9c41-bebc1984d67a"},
        "spec": case["provider"],
    });
    let provider: Provider =
        serde_json::from_value(provider).map_err(|error| format!("the Provider cannot be read: {error}"))?;
    if !match_sources(&alert, &event).unconditional || !match_message(&alert, &event.message).passes {
        return Ok(Outcome::Dropped);
    }
    let policy = Policy::default();
    match check_namespace(policy, &alert, &event).and_then(|()| check_provider(policy, &provider, &event)) {
        Err(error) => return Ok(Outcome::Refused(error.to_string())),
        Ok(Some(_)) => return Ok(Outcome::Dropped),
        Ok(None) => {}
    }
    let wanted: Vec<&str> = secret_names(&provider.spec).collect();
    let secrets: Secrets = members(case, "secrets")
        .filter(|(name, _)| wanted.contains(&name.as_str()))
        .map(|(name, data)| (name.clone(), secret(data)))
        .collect();
    Ok(match build(&provider, &secrets, &alert, &event, sender) {
        Ok(delivery) => Outcome::Built(Box::new(delivery)),
        Err(failed) => Outcome::Refused(failed.told()),
    })
}

fn secret(data: &Value) -> SecretData {
    let entries = data.as_object().into_iter().flatten();
    SecretData::from_entries(
        entries.map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default().as_bytes().to_vec())),
    )
}

fn alert(default_alert: &Value, case: &Value) -> Result<Alert, String> {
    let mut spec = default_alert.clone();
    spec["providerRef"] = json!({"name": "prov"});
    for (key, value) in members(case, "alert") {
        match spec.as_object_mut() {
            Some(spec) if value.is_null() => drop(spec.remove(key)),
            _ => spec[key] = value.clone(),
        }
    }
    let metadata =
        json!({"namespace": "apps", "name": "on-call", "uid": "1f0c0b52-8a51-4d35-9f9e-6a1f6a3b2c4d"});
    serde_json::from_value(json!({"metadata": metadata, "spec": spec}))
        .map_err(|error| format!("the Alert cannot be read: {error}"))
}

fn rule(response: &Value) -> Result<Rule, String> {
    let failed = |error: &dyn std::fmt::Display| format!("a scripted answer cannot be read: {error}");
    let number = |key: &str| response[key].as_u64();
    let status = number("status").map_or(Ok(200), u16::try_from).map_err(|error| failed(&error))?;
    let body = response["body"].as_str().unwrap_or("{}").to_owned();
    let mut answer = Answer::status(status).map_err(|error| failed(&error))?.body(body);
    for (name, value) in members(response, "headers") {
        answer = answer.header(name, value.as_str().unwrap_or_default()).map_err(|error| failed(&error))?;
    }
    let method = text(response, "method");
    Ok(Rule {
        method: if method.is_empty() { None } else { Some(method.parse().map_err(|error| failed(&error))?) },
        target_contains: text(response, "path").to_owned(),
        times: number("times").and_then(|times| usize::try_from(times).ok()).unwrap_or(usize::MAX),
        answer,
    })
}

/// The texts of other libraries may differ; the part before them must not.
fn same_error(what: &str, found: &str, expected: &str) -> Result<(), String> {
    const FOREIGN: &[&str] = &[": parse \"", ": json: "];
    // A hint for the reader may follow the recorded text on a line of its own.
    let first_line = found.split('\n').next().unwrap_or_default();
    let found = if expected.contains('\n') { found } else { first_line };
    let own = |text: &str| {
        let end = FOREIGN.iter().filter_map(|mark| text.find(mark)).min().unwrap_or(text.len());
        text[..end].to_owned()
    };
    if own(found) == own(expected) { Ok(()) } else { Err(format!("{what}:\n- {expected:?}\n+ {found:?}")) }
}

/// A request in the form of the set, its body as base64.
fn of_recorded(request: &Recorded, server: &str) -> Value {
    let via_proxy = request.target.starts_with("http");
    let url = if via_proxy { request.target.clone() } else { format!("{server}{}", request.target) };
    let headers: BTreeMap<&str, &str> = request
        .headers
        .keys()
        .map(|name| (name.as_str(), request.header(name.as_str())))
        .filter(|(name, _)| !LEFT_OUT.contains(name))
        .collect();
    let login = request.headers.get("proxy-authorization").and_then(|value| value.to_str().ok());
    json!({
        "method": request.method.as_str(), "url": url, "headers": headers, "viaProxy": via_proxy, "proxyAuthorization": login,
        "body": STANDARD.encode(&request.body),
    })
}

fn of_built(delivery: &Delivery) -> Value {
    let request = &delivery.message.request;
    let headers: BTreeMap<String, &str> =
        request.headers.iter().map(|(name, value)| (name.to_lowercase(), value)).collect();
    json!({
        "method": request.method.as_str(), "url": request.url, "headers": headers, "viaProxy": false, "proxyAuthorization": null,
        "body": STANDARD.encode(&request.body),
    })
}

fn same_requests(found: &[Value], expect: &Value) -> Result<(), String> {
    let expected: Vec<&Value> = items(expect, "requests").collect();
    if expected.len() != found.len() {
        return Err(format!("{} requests instead of {}", found.len(), expected.len()));
    }
    found.iter().zip(expected).try_for_each(|(found, expected)| same_request(found, expected))
}

fn same_request(found: &Value, expected: &Value) -> Result<(), String> {
    let headers: BTreeMap<String, &Value> =
        members(expected, "headers").map(|(name, value)| (name.to_lowercase(), value)).collect();
    let head = json!({
        "method": expected["method"], "url": expected["url"], "headers": headers,
        "viaProxy": expected["viaProxy"] == true, "proxyAuthorization": expected["proxyAuthorization"],
    });
    let mut rest = found.clone();
    let body = rest.as_object_mut().and_then(|rest| rest.remove("body")).unwrap_or_default();
    let body = STANDARD.decode(body.as_str().unwrap_or_default()).map_err(|error| error.to_string())?;
    if rest != head {
        return Err(format!("request:\n- {head}\n+ {rest}"));
    }
    same_body(&body, expected)
}

fn same_body(body: &[u8], expected: &Value) -> Result<(), String> {
    if let Some(expected) = expected["text"].as_str() {
        let found = String::from_utf8_lossy(body);
        return if found == expected { Ok(()) } else { Err(format!("body:\n- {expected:?}\n+ {found:?}")) };
    }
    let other = ["form", "envelope", "otlp", "connect"].iter().find(|form| expected.get(**form).is_some());
    if let Some(form) = other {
        return Err(format!("no check for a body in the form {form:?} yet"));
    }
    let mut wanted = expected.get("json").cloned().unwrap_or_default();
    let mut sent: Value = serde_json::from_slice(body).unwrap_or_default();
    for path in items(expected, "anyOrder").filter_map(Value::as_str) {
        let pointer = format!("/{}", path.trim_start_matches("json.").replace('.', "/"));
        for value in [&mut wanted, &mut sent] {
            if let Some(list) = value.pointer_mut(&pointer).and_then(Value::as_array_mut) {
                list.sort_by_key(ToString::to_string);
            }
        }
    }
    if wanted == sent { Ok(()) } else { Err(format!("body:\n- {wanted}\n+ {sent}")) }
}
