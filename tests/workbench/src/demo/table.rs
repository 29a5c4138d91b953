//! What the cluster says about the sample.

use anyhow::Result;

use super::scene::{NAME, NAMESPACE, Scene};
use crate::objects::{KUSTOMIZE, RECEIVER, SOURCE, readiness, revision};

const HEAD: [&str; 5] = ["KIND", "NAME", "REVISION", "READY", "MESSAGE"];

/// A table of the sample's objects, read from the cluster.
pub(super) async fn of(scene: &Scene<'_>) -> Result<String> {
    let mut rows = vec![HEAD.map(str::to_owned)];
    for (api_version, kind) in
        [(SOURCE, "GitRepository"), (KUSTOMIZE, "Kustomization"), (RECEIVER, "Receiver")]
    {
        let Some(object) = scene.find(api_version, kind).await else { continue };
        let (ready, message) = readiness(&object);
        rows.push([kind, NAME, &shorten(revision(&object)), ready, message].map(str::to_owned));
    }
    if let Some(deployment) = scene.find("apps/v1", "Deployment").await {
        let count = |field: &str| {
            deployment
                .data
                .pointer(&format!("/status/{field}"))
                .and_then(serde_json::Value::as_i64)
                .unwrap_or(0)
        };
        let (available, wanted) = (count("availableReplicas"), count("replicas"));
        let ready = if available == wanted { "True" } else { "False" };
        rows.push(
            [
                "Deployment",
                NAME,
                "",
                ready,
                &format!("{available} of {wanted} replicas available in {NAMESPACE}"),
            ]
            .map(str::to_owned),
        );
    }
    Ok(align(&rows))
}

/// `main@sha1:3f2c1a9` of `main@sha1:3f2c1a9…`.
fn shorten(revision: &str) -> String {
    match revision.rsplit_once(':') {
        Some((before, hash)) => format!("{before}:{}", hash.get(..7).unwrap_or(hash)),
        None => revision.to_owned(),
    }
}

fn align(rows: &[[String; 5]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    let line = |row: &[String; 5]| {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}
