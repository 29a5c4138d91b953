//! Where the rows put secrets, and where those are looked for.

use anyhow::{Context as _, Result, ensure};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use kube::api::{DynamicObject, ListParams};
use kube::core::{ApiResource, GroupVersionKind};
use millrace_api::kustomize::v1::Kustomization;
use millrace_matrix::canary::Canaries;
use millrace_matrix::logs::Logs;
use serde_json::{Value, json};

use super::classes::Controllers;
use super::row::Row;
use crate::bench::{Artifact, Bench};

/// Places by name, each with the secret that is put there.
const PLACES: &[(&str, &str)] = &[
    ("user name in an artifact's URL", "canary-url-user"),
    ("password in an artifact's URL", "canary-url-password"),
    ("user name in a remote base's URL", "canary-base-user"),
    ("password in a remote base's URL", "canary-base-password"),
    ("token in the query of a remote file's URL", "canary-base-token"),
    ("variable", "canary plain 5f0e!"),
    ("variable that is short", "kn4ry!"),
    ("variable of two lines, the first", "canary first line"),
    ("variable of two lines, the last", "canary last line"),
    ("variable of which a part is used", "canary in part"),
    ("variable that is a label", "canary-label-5f0e"),
    ("variable that is no YAML", "canary broken: 5f0e: x"),
    ("data of an applied Secret", "canary data 5f0e!"),
    ("stringData of an applied Secret", "canary string data 5f0e!"),
    ("number in a Secret", "7142390518"),
    ("map in a Secret", "canary-nested-5f0e"),
    ("list in a Secret", "canary-listed-5f0e"),
    ("literal of a generated Secret", "canary-generated-5f0e"),
    ("literal of a generated Secret, without a key", "canary-literal-5f0e"),
    ("Secret that is not in Git any more", "canary-old-5f0e"),
];

/// The Secret that variables come from.
const VALUES: &str = r#"
apiVersion: v1
kind: Secret
metadata: {name: values}
stringData:
  plain: canary plain 5f0e!
  short: kn4ry!
  lines: "canary first line\n        canary last line"
  part: canary in part and more 5f0e
  label: canary-label-5f0e
  broken: "canary broken: 5f0e: x"
"#;

/// A Secret that every artifact holds, and that uses the variables.
pub(super) const HELD: (&str, &str) = (
    "zz.yaml",
    r"
apiVersion: v1
kind: Secret
metadata:
  name: held
  annotations:
    plain: ${plain}
    short: ${short}
    lines: ${lines}
    part: ${part:0:14}
data: {k: Y2FuYXJ5IGRhdGEgNWYwZSE=}
stringData: {s: canary string data 5f0e!}
",
);

const URL_LOGIN: &str = "http://canary-url-user:canary-url-password@";

/// The files of an artifact, and the Secret; `{web}` in them is where other hosts are played.
pub(super) fn with_secret(
    bench: &Bench,
    files: &[(&'static str, &'static str)],
) -> Vec<(&'static str, String)> {
    let files = files.iter().copied().chain([HELD]);
    files.map(|(path, text)| (path, text.replace("{web}", bench.web()))).collect()
}

/// The artifact at an address with a login.
pub(super) fn with_login(artifact: Artifact) -> Artifact {
    Artifact { url: artifact.url.replacen("http://", URL_LOGIN, 1), ..artifact }
}

/// How that address is shown.
pub(super) fn shown(url: &str) -> String {
    url.replacen(URL_LOGIN, "http://***@", 1)
}

/// Makes the Secret with the variables, and has the spec refer to it before all others.
pub(super) async fn with_variables(bench: &Bench, namespace: &str, spec: &mut Value) -> Result<()> {
    bench.apply(namespace, VALUES).await?;
    let references = &mut spec["postBuild"]["substituteFrom"];
    let others = references.as_array().cloned().unwrap_or_default();
    *references = [json!({ "kind": "Secret", "name": "values" })].into_iter().chain(others).collect();
    Ok(())
}

/// Looks for the secrets in everything that the controllers have said.
pub(super) async fn search(
    bench: &Bench,
    controllers: &Controllers,
    logs: &Logs,
    rows: impl Iterator<Item = &Row>,
) -> Result<Canaries> {
    let mut canaries = Canaries::new("secret canary kustomize", PLACES.iter().copied());
    give_own_key(bench, &mut canaries)?;
    for (_, text) in rows.flat_map(|row| row.files) {
        canaries.give(text);
    }
    let client = bench.plane.client();
    for secret in Api::<Secret>::all(client.clone()).list(&ListParams::default()).await? {
        canaries.give(&serde_json::to_string(&(secret.data, secret.metadata.annotations))?);
    }
    let sources =
        ApiResource::from_gvk(&GroupVersionKind::gvk("source.toolkit.fluxcd.io", "v1", "GitRepository"));
    for source in
        Api::<DynamicObject>::all_with(client.clone(), &sources).list(&ListParams::default()).await?
    {
        canaries.give(&source.data["status"].to_string());
    }
    let mut written = Vec::new();
    for object in Api::<Kustomization>::all(client).list(&ListParams::default()).await? {
        written.push(serde_json::to_string(&(object.metadata, object.status))?);
    }
    for (place, said) in [
        ("the log", logs.lines()),
        ("an event", controllers.events()),
        ("an object", written),
        ("the metrics", controllers.metrics()),
    ] {
        ensure!(said.len() > 10, "{place}: there must be something to search");
        canaries.search(place, said);
    }
    Ok(canaries)
}

/// The key with which the controllers themselves log in.
fn give_own_key(bench: &Bench, canaries: &mut Canaries) -> Result<()> {
    let kubeconfig = std::fs::read_to_string(bench.plane.kubeconfig())?;
    let encoded = kubeconfig.lines().find_map(|line| line.trim().strip_prefix("client-key-data: "));
    let key = String::from_utf8(BASE64_STANDARD.decode(encoded.context("a client certificate")?)?)?;
    canaries.add("key of the controller", key.lines().nth(1).context("a PEM file")?);
    canaries.give(&kubeconfig);
    Ok(())
}
