//! Rows of the contract's table that end in `adm`: a real API server refuses such objects, because the CRDs tell it to.

use kube::api::{DynamicObject, PostParams};
use millrace_harness::{ControlPlane, Profile, tools};
use millrace_matrix::Matrix;
use serde_json::{Value, json};

use crate::{bench, hooks};

/// The programs that the API server needs.
const TOOLS: &[&str] = &["etcd", "kube-apiserver"];

/// An object, and what the API server says to it.
struct Row {
    name: &'static str,
    object: Value,
    said: &'static str,
}

/// NC-149, in so far as it is about the API server.
#[tokio::test]
async fn every_object_that_can_not_work_is_refused_by_the_api_server() {
    if !tools::available(TOOLS) {
        eprintln!("skipped: {} are not installed (cargo xtask tools)", TOOLS.join(", "));
        return;
    }
    millrace_net::install_crypto_provider();
    let plane = ControlPlane::start(Profile::Bare).await.expect("a control plane");
    plane.install_crds().await.expect("the CRDs are accepted");
    let mut matrix = Matrix::new("failures notification");
    for row in alerts().into_iter().chain(providers()).chain(receivers()) {
        matrix.row(row.name, check(&plane, &row).await);
    }
    matrix.finish().unwrap();
}

async fn check(plane: &ControlPlane, row: &Row) -> Result<(), String> {
    let text = |key: &str| row.object[key].as_str().expect("text").to_owned();
    let api =
        plane.api(&text("apiVersion"), &text("kind"), "default").await.map_err(|error| error.to_string())?;
    let mut object: DynamicObject = serde_json::from_value(row.object.clone()).expect("an object");
    object.metadata.namespace = Some("default".to_owned());
    let dry_run = PostParams { dry_run: true, ..PostParams::default() };
    match (api.create(&dry_run, &object).await, row.said) {
        (Ok(_), "") => Ok(()),
        (Ok(_), _) => Err("it was accepted".to_owned()),
        (Err(error), said) if !said.is_empty() && error.to_string().contains(said) => Ok(()),
        (Err(error), said) => Err(format!("{error}, not {said:?}")),
    }
}

fn alert(name: &'static str, fields: Value, said: &'static str) -> Row {
    Row { name, object: bench::alert("on-call", "prov", fields), said }
}

fn alerts() -> Vec<Row> {
    let mut orphan = alert("Alert: missing providerRef", json!({}), "spec.providerRef: Required value");
    orphan.object["spec"].as_object_mut().unwrap().remove("providerRef");
    vec![
        alert("Alert that can work", json!({ "summary": "x".repeat(255), "eventSeverity": "error" }), ""),
        alert(
            "Alert: unknown kind",
            json!({ "eventSources": [{ "kind": "Deployment", "name": "*" }] }),
            "spec.eventSources[0].kind: Unsupported value: \"Deployment\"",
        ),
        orphan,
        alert(
            "Alert: summary 256 chars",
            json!({ "summary": "x".repeat(256) }),
            "spec.summary: Too long: may not be more than 255 bytes",
        ),
        alert(
            "Alert: eventSeverity `warn`",
            json!({ "eventSeverity": "warn" }),
            "spec.eventSeverity: Unsupported value: \"warn\"",
        ),
    ]
}

fn providers() -> Vec<Row> {
    let row = |name, fields: Value, said| {
        let mut spec =
            json!({ "type": "slack", "address": "http://h", "timeout": "1m30s", "proxy": "http://p" });
        for (key, value) in fields.as_object().expect("fields") {
            spec[key] = value.clone();
        }
        Row { name, object: bench::provider("prov", spec), said }
    };
    let expression = "spec.commitStatusExpr is only supported for the 'github', 'gitlab', 'gitea', 'bitbucketserver', \
                      'bitbucket', 'azuredevops' provider types";
    vec![
        row("Provider that can work", json!({ "address": "x".repeat(2048) }), ""),
        row("Provider: unknown type", json!({ "type": "nope" }), "spec.type: Unsupported value: \"nope\""),
        row("Provider: `timeout: 1h`", json!({ "timeout": "1h" }), "spec.timeout: Invalid value: \"1h\""),
        row(
            "Provider: `proxy: ftp://x`",
            json!({ "proxy": "ftp://x" }),
            "spec.proxy: Invalid value: \"ftp://x\"",
        ),
        row(
            "Provider: address 2049 chars",
            json!({ "address": "x".repeat(2049) }),
            "spec.address: Too long: may not be more than 2048 bytes",
        ),
        row("Provider: commitStatusExpr on slack", json!({ "commitStatusExpr": "'x'" }), expression),
    ]
}

fn receivers() -> Vec<Row> {
    let row = |name, fields: Value, said| {
        let mut object = hooks::receiver(fields);
        object["spec"].as_object_mut().unwrap().retain(|_, value| !value.is_null());
        Row { name, object, said }
    };
    let oidc =
        json!([{ "issuerURL": "https://i", "validations": [{ "expression": "true", "message": "m" }] }]);
    vec![
        row("Receiver that can work", json!({}), ""),
        row(
            "Receiver: no secretRef on github",
            json!({ "secretRef": null }),
            "secretRef is required when type is not generic-oidc",
        ),
        row(
            "Receiver: secretRef on oidc",
            json!({ "type": "generic-oidc", "oidcProviders": oidc }),
            "secretRef cannot be set when type is generic-oidc",
        ),
        row(
            "Receiver: oidcProviders on github",
            json!({ "oidcProviders": oidc }),
            "oidcProviders can only be set when type is generic-oidc",
        ),
        row(
            "Receiver: no oidcProviders on oidc",
            json!({ "type": "generic-oidc", "secretRef": null }),
            "generic-oidc receivers must define at least one oidcProvider",
        ),
    ]
}
