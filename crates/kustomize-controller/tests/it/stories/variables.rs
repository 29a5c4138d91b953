//! Variables from ConfigMaps, Secrets and the spec.

use anyhow::{Result, ensure};
use millrace_harness::until;
use serde_json::json;

use super::{applied, config_map};
use crate::bench::{CONFIG_MAP, SOON};
use crate::live::World;

pub(crate) async fn later_references_win_and_the_spec_over_all(w: &World) -> Result<()> {
    let namespace = w.bench.namespace("variables").await?;
    let values = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: first}\ndata: {a: '1', lines: \"line1\\nline2\\n\"}\n---\n\
                  apiVersion: v1\nkind: Secret\nmetadata: {name: second}\nstringData: {a: '2', t: token}\n";
    w.bench.apply(&namespace, values).await?;
    let secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\nstringData:\n  token: ${t}\n";
    let files = [("app.yaml", &*config_map("app", "x-${a}-${lines}")), ("secret.yaml", secret)];
    w.bench.source(&namespace, "v1", &w.bench.artifact(&files)?).await?;
    let from = json!([{ "kind": "ConfigMap", "name": "first" }, { "kind": "Secret", "name": "second" }]);
    let spec = json!({ "postBuild": { "substituteFrom": from, "substitute": { "a": "3" } } });
    w.bench.kustomization(&namespace, "", &spec).await?;
    w.bench.ready(&namespace, "v1").await?;
    let value = |live: serde_json::Value| live["data"]["k"].as_str().unwrap_or_default().to_owned();
    let live = value(w.bench.get(&namespace, "ConfigMap/app").await?);
    ensure!(live == "x-3-line1line2", "{live}");
    ensure!(w.bench.get(&namespace, "Secret/app").await?["data"] == json!({ "token": "dG9rZW4=" }));
    w.bench.respec(&namespace, json!({ "postBuild": { "substitute": null } })).await?;
    w.bench.ready(&namespace, "v1").await?;
    let live = value(w.bench.get(&namespace, "ConfigMap/app").await?);
    ensure!(live == "x-2-line1line2", "{live}");
    Ok(())
}

pub(crate) async fn what_is_optional_may_be_missing(w: &World) -> Result<()> {
    let from = |optional: bool| {
        let from = json!([{ "kind": "ConfigMap", "name": "x", "optional": optional }]);
        json!({ "postBuild": { "substituteFrom": from } })
    };
    let namespace = applied(w, "optional", &[("app.yaml", CONFIG_MAP)], &from(true)).await?;
    w.bench.ready(&namespace, "v1").await?;
    w.bench.respec(&namespace, from(false)).await?;
    let message = w.bench.failed(&namespace, "BuildFailed").await?;
    ensure!(message.contains("substitute from 'ConfigMap/x' error: configmaps \"x\" not found"), "{message}");
    let unusable = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a-b: c}\n";
    w.bench.apply(&namespace, unusable).await?;
    let app = w.bench.reconcile(&namespace, "t1").await?;
    let message = crate::bench::condition(&app, "Ready").message;
    let expected = "'a-b' var name is invalid, must match '^[_[:alpha:]][_[:alpha:][:digit:]]*$'";
    ensure!(message.contains(expected), "{message}");
    Ok(())
}

const WATCHED: &str = "reconcile.fluxcd.io/watch: Enabled";

pub(crate) async fn labelled_references_are_watched(w: &World) -> Result<()> {
    let namespace = w.bench.namespace("watched").await?;
    let map = |name: &str, label: &str, value: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, labels: {{{label}}}}}\ndata: {{{name}: '{value}'}}\n"
        )
    };
    w.bench.apply(&namespace, &map("plain", "", "1")).await?;
    w.bench.apply(&namespace, &map("watched", WATCHED, "1")).await?;
    let manifest = config_map("app", "x-${plain}-${watched:=none}");
    w.bench.source(&namespace, "v1", &w.bench.artifact(&[("app.yaml", &manifest)])?).await?;
    let from = json!([
        { "kind": "ConfigMap", "name": "plain" },
        { "kind": "ConfigMap", "name": "watched", "optional": true },
    ]);
    w.bench.kustomization(&namespace, "", &json!({ "postBuild": { "substituteFrom": from } })).await?;
    w.bench.ready(&namespace, "v1").await?;
    w.bench.apply(&namespace, &map("plain", "", "2")).await?;
    w.quiet(&namespace).await?;
    w.bench.apply(&namespace, &map("watched", WATCHED, "2")).await?;
    live(w, &namespace, "x-2-2").await?;
    w.bench.delete(&namespace, "ConfigMap/watched").await?;
    live(w, &namespace, "x-2-none").await
}

async fn live(w: &World, namespace: &str, value: &str) -> Result<()> {
    until("the value", SOON, async || {
        let live = w.bench.get(namespace, "ConfigMap/app").await.ok()?;
        (live["data"]["k"] == value).then_some(())
    })
    .await
}
