//! Secret values, and everything that could show them.

use anyhow::{Result, ensure};
use millrace_harness::until;
use millrace_matrix::logs::Logs;
use serde_json::json;

use crate::bench::{SOON, same};
use crate::live::World;

/// The API server quotes a label that it refuses, 422: the label is made of a Secret's value, wholly or in part, or stands
/// in an applied Secret as well.
pub(crate) async fn secret_values_are_shown_nowhere(w: &World, logs: &Logs) -> Result<()> {
    let from = json!({ "postBuild": { "substituteFrom": [{ "kind": "Secret", "name": "values" }] } });
    let rows = [
        ("a variable", "", "${password}", from.clone()),
        ("a part of a variable", "", "${password:0:13}", from),
        (
            "an applied value",
            "stringData: {p: 'correct horse battery!'}",
            "correct horse battery!",
            json!({}),
        ),
        (
            "an applied value in base64",
            "data: {p: Y29ycmVjdCBob3JzZSBiYXR0ZXJ5IQ==}",
            "correct horse battery!",
            json!({}),
        ),
    ];
    for (row, secret, label, spec) in rows {
        let namespace = w.bench.namespace("secret").await?;
        let values = "apiVersion: v1\nkind: Secret\nmetadata: {name: values}\nstringData: {password: 'correct horse \
                      battery!'}\n";
        w.bench.apply(&namespace, values).await?;
        let map = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "app", "labels": { "l": label } },
        });
        let secret = format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\n{secret}\n");
        let files = [("app.yaml", &*map.to_string()), ("secret.yaml", &*secret)];
        w.bench.source(&namespace, "v1", &w.bench.artifact(&files)?).await?;
        w.bench.kustomization(&namespace, "", &spec).await?;
        let message = w.bench.failed(&namespace, "ReconciliationFailed").await?;
        let expected = format!(
            "ConfigMap/{namespace}/app dry-run failed (Invalid): ConfigMap \"app\" is invalid: metadata.labels: Invalid \
             value: \"***\": a valid label must …\n"
        );
        same(row, &message, &expected)?;
        let event = until("the event", SOON, async || {
            w.running.events(&namespace).into_iter().find(|event| event.message.contains("***"))
        });
        event.await.map_err(|error| error.context(row))?;
        let events = format!("{:?}", w.running.events(&namespace));
        let app = w.bench.get(&namespace, "Kustomization/app").await?.to_string();
        for (place, text) in [("the object", app), ("events", events), ("the log", logs.lines().join("\n"))] {
            for value in ["correct horse", "Y29ycmVjdCBob3JzZSB"] {
                ensure!(!text.contains(value), "{row}: {place} shows {value:?}: {text}");
            }
        }
    }
    Ok(())
}

/// A policy refuses to let objects go, and quotes what is in them: a variable's value, and what an applied Secret holds.
pub(crate) async fn secret_values_are_not_shown_at_the_end_either(w: &World, logs: &Logs) -> Result<()> {
    let namespace = w.bench.namespace("secret-end").await?;
    let values = "apiVersion: v1\nkind: Secret\nmetadata: {name: values}\nstringData: {password: 'swordfish and chips'}\n";
    w.bench.apply(&namespace, values).await?;
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata: {k: '${password}'}\n";
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {k: 'rumpelstiltskin'}\n";
    w.bench.source(&namespace, "v1", &w.bench.artifact(&[("app.yaml", map), ("s.yaml", secret)])?).await?;
    let spec = json!({ "postBuild": { "substituteFrom": [{ "kind": "Secret", "name": "values" }] } });
    w.bench.kustomization(&namespace, "", &spec).await?;
    w.bench.ready(&namespace, "v1").await?;
    w.bench.keep(&namespace, "ConfigMap/app").await?;
    w.bench.delete(&namespace, "Kustomization/app").await?;
    let refused = |object: &str| {
        format!("{object}/{namespace}/{} delete failed", if object == "Secret" { "s" } else { "app" })
    };
    until("the refusal", SOON, async || {
        let is_refused = |object| !logs.with(&[&refused(object)]).is_empty();
        (is_refused("ConfigMap") && is_refused("Secret")).then_some(())
    })
    .await?;
    let told = until("the event", SOON, async || {
        w.running
            .events(&namespace)
            .into_iter()
            .find(|event| event.message == "pruning for deleted resource failed")
    });
    ensure!(told.await?.is_warning);
    let (events, text) = (format!("{:?}", w.running.events(&namespace)), logs.lines().join("\n"));
    ensure!(!logs.with(&[&refused("ConfigMap"), "it holds ***"]).is_empty(), "{text}");
    for value in ["swordfish and chips", "rumpelstiltskin", "cnVtcGVsc3RpbHRza2lu"] {
        ensure!(!text.contains(value), "the log shows {value:?}");
        ensure!(!events.contains(value), "events show {value:?}: {events}");
    }
    w.bench.delete("", &format!("ValidatingAdmissionPolicyBinding/{namespace}")).await
}
