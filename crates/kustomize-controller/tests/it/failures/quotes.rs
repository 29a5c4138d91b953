//! Rows of the catalogue in which somebody quotes a secret, and the ends that no row has.

use anyhow::{Result, ensure};
use millrace_harness::until;
use millrace_matrix::logs::Logs;
use serde_json::json;

use super::canary;
use super::classes::{Controllers, Next};
use super::row::{APPLY, BASE, Row};
use crate::bench::{Bench, CONFIG_MAP, SOON};

pub(super) const QUOTES: &[Row] = &[
    Row {
        input: "kustomize errors (a literal of a Secret without a key)",
        files: &[(
            "kustomization.yaml",
            "secretGenerator: [{name: s, literals: [k=canary-generated-5f0e, canary-literal-5f0e]}]\n",
        )],
        message: "kustomize build failed: loading KV pairs: literal sources [k=*** ***]: invalid literal source ***, expected \
                  key=value\nhint: kustomization.yaml:1: literals[1] of the generator 's' is no key=value",
        ..BASE
    },
    Row {
        input: "substituted text is not YAML (a Secret's)",
        files: &[(
            "a.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: ${broken}\n",
        )],
        message: "post build failed for 'ConfigMap.v1.[noGrp]/a': envsubst error: YAMLToJSON: yaml: …mapping values are not \
                  allowed in this context",
        ..BASE
    },
    Row {
        input: "schema violation (quotes variables)",
        files: &[(
            "a.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels:\n    plain: ${plain}\n    short: ${short}\n    lines: \
             ${lines}\n    part: ${part:0:14}\n",
        )],
        message: "ConfigMap/{ns}/a dry-run failed (Invalid): ConfigMap \"a\" is invalid: [metadata.labels: Invalid value: \
                  \"***\": …metadata.labels: Invalid value: \"***\": …metadata.labels: Invalid value: \"***\": \
                  …metadata.labels: Invalid value: \"***\": …]\n",
        ..APPLY
    },
    Row {
        input: "schema violation (quotes an applied Secret)",
        files: &[(
            "a.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels:\n    data: canary data 5f0e!\n    string: canary \
             string data 5f0e!\n",
        )],
        message: "ConfigMap/{ns}/a dry-run failed (Invalid): ConfigMap \"a\" is invalid: [metadata.labels: Invalid value: \
                  \"***\": …metadata.labels: Invalid value: \"***\": …]\n",
        ..APPLY
    },
    Row {
        input: "schema violation (a number in a Secret)",
        files: &[(
            "a.yaml",
            "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {k: 7142390518}\n",
        )],
        message: "Secret/{ns}/a dry-run failed: failed to create typed patch object ({ns}/a; /v1, Kind=Secret): \
                  .stringData.k: expected string, got …***…\n",
        ..APPLY
    },
    Row {
        input: "schema violation (a map in a Secret)",
        files: &[(
            "a.yaml",
            "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {k: {nested: canary-nested-5f0e}}\n",
        )],
        message: "Secret/{ns}/a dry-run failed: failed to create typed patch object ({ns}/a; /v1, Kind=Secret): \
                  .stringData.k: expected string, got …{\"nested\":\"***\"}…\n",
        ..APPLY
    },
    Row {
        input: "schema violation (a list in a Secret)",
        files: &[(
            "a.yaml",
            "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: [canary-listed-5f0e]\n",
        )],
        message: "Secret/{ns}/a dry-run failed: failed to create typed patch object ({ns}/a; /v1, Kind=Secret): .data: \
                  expected map, got …[***]…\n",
        ..APPLY
    },
    Row {
        input: "immutable field (quotes a variable)",
        files: &[(
            "a.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  selector: {matchLabels: {l: \
             '${label}'}}\n  template:\n    metadata: {labels: {l: '${label}'}}\n    spec: {containers: [{name: c, image: \
             i}]}\n",
        )],
        before: "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  selector: {matchLabels: {l: v0}}\n  \
                 template:\n    metadata: {labels: {l: v0}}\n    spec: {containers: [{name: c, image: i}]}\n",
        message: "Deployment/{ns}/a dry-run failed (Invalid): Deployment.apps \"a\" is invalid: spec.selector: Invalid value: \
                  …***…: field is immutable\n",
        ..APPLY
    },
    Row {
        input: "delete denied by webhook (quotes a Secret)",
        before: "apiVersion: v1\nkind: Secret\nmetadata:\n  name: old\n  labels: {kustomize.toolkit.fluxcd.io/name: app, \
                 kustomize.toolkit.fluxcd.io/namespace: '{ns}'}\nstringData: {k: canary-old-5f0e}\n",
        inventory: "{ns}_old__Secret",
        kept: "Secret/old",
        reason: "PruneFailed",
        message: "delete failed, errors: Secret/{ns}/old delete failed: …it holds ***;",
        ..BASE
    },
];

/// All goes well, and is pruned in part.
pub(super) async fn success(bench: &Bench) -> Result<()> {
    let namespace = bench.namespace("row").await?;
    let mut spec = json!({ "wait": true, "retryInterval": "1s" });
    canary::with_variables(bench, &namespace, &mut spec).await?;
    let all =
        "resources: [app.yaml, zz.yaml]\nsecretGenerator: [{name: s, literals: [k=canary-generated-5f0e]}]\n";
    let less = "resources: [app.yaml]\n";
    for (revision, file) in [("v1", all), ("v2", less)] {
        let files = [("app.yaml", CONFIG_MAP), ("kustomization.yaml", file), canary::HELD];
        bench.source(&namespace, revision, &canary::with_login(bench.artifact(&files)?)).await?;
        if revision == "v1" {
            bench.kustomization(&namespace, Next::Retry.class(), &spec).await?;
        }
        bench.ready(&namespace, revision).await?;
    }
    bench.gone(&namespace, "Secret/held").await
}

/// A policy keeps what is to go with the Kustomization, and quotes it.
pub(super) async fn refused_end(bench: &Bench, controllers: &Controllers, logs: &Logs) -> Result<()> {
    let namespace = bench.namespace("row").await?;
    let mut spec = json!({});
    canary::with_variables(bench, &namespace, &mut spec).await?;
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata: {k: '${plain}'}\n";
    let artifact = bench.artifact(&[("app.yaml", map), canary::HELD])?;
    bench.source(&namespace, "v1", &canary::with_login(artifact)).await?;
    bench.kustomization(&namespace, Next::Backoff.class(), &spec).await?;
    bench.ready(&namespace, "v1").await?;
    bench.keep(&namespace, "ConfigMap/app").await?;
    bench.delete(&namespace, "Kustomization/app").await?;
    for object in ["ConfigMap/{ns}/app", "Secret/{ns}/held"] {
        let refused = format!("{} delete failed", object.replace("{ns}", &namespace));
        until("the refusal", SOON, async || {
            (!logs.with(&["ERROR", &refused, "it holds ***"]).is_empty()).then_some(())
        })
        .await?;
    }
    let running = controllers.of(Next::Backoff);
    until("the event", SOON, async || {
        let mut events = running.events(&namespace).into_iter();
        events.find(|event| event.message == "pruning for deleted resource failed")
    })
    .await?;
    ensure!(bench.find(&namespace, "Kustomization/app").await?.is_some(), "it is gone");
    Ok(())
}
