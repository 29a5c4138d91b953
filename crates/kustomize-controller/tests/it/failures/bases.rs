//! Remote bases that are not to be had. Addresses have logins and tokens wherever they can.

use std::time::Duration;

use anyhow::Result;
use millrace_harness::recorder::Answer;
use serde_json::json;

use super::row::{BASE, Row};
use crate::bench::{Bench, CONFIG_MAP, SOON};
use crate::controller::Running;

/// Answers for hosts that have no status of their own to give.
pub(super) fn play_hosts(bench: &Bench) -> Result<()> {
    bench.answer("/silent/", Answer::status(200)?.delay(Duration::from_mins(5)));
    bench.answer("/page/r.git/info/refs", Answer::status(200)?.body("<html>no repository</html>"));
    bench.answer("/page/", Answer::status(404)?);
    bench.answer("/gone", Answer::status(404)?);
    bench.answer("/away/", Answer::status(302)?.header("location", "http://169.254.169.254/latest/")?);
    Ok(())
}

macro_rules! entry {
    ($entry:literal) => {
        &[("kustomization.yaml", concat!("resources: ['", $entry, "']\n"))]
    };
}

pub(super) const BASES: &[Row] = &[
    Row {
        input: "remote base, server down",
        files: entry!("http://canary-base-user:canary-base-password@127.0.0.1:1/o/r.git//b?ref=main"),
        message: "kustomize build failed: accumulating resources: accumulation err='accumulating resources from \
                  'http://***@127.0.0.1:1/o/r.git//b?ref=main': Get \"http://***@127.0.0.1:1/o/r.git//b?ref=main\": dial tcp \
                  127.0.0.1:1: connect: connection refused': failed to run 'git fetch --depth=1 \
                  http://***@127.0.0.1:1/o/r.git main': fatal: unable to access 'http://***@127.0.0.1:1/o/r.git/': dial tcp \
                  127.0.0.1:1: connect: connection refused: exit status 128…",
        ..BASE
    },
    Row {
        input: "remote base, 404",
        files: entry!("http://canary-base-user:canary-base-password@{web}/answer/404/r.git//b"),
        message: "kustomize build failed: accumulating resources: accumulation err='accumulating resources from \
                  'http://***@{web}/answer/404/r.git//b': URL is a git repository': failed to run 'git fetch --depth=1 \
                  http://***@{web}/answer/404/r.git HEAD': fatal: repository 'http://***@{web}/answer/404/r.git/' not found: \
                  exit status 128…",
        ..BASE
    },
    Row {
        input: "remote base, 401 with a login",
        files: entry!("http://canary-base-user:canary-base-password@{web}/answer/401/r.git//b"),
        message: "kustomize build failed: …: fatal: Authentication failed for 'http://***@{web}/answer/401/r.git/': exit status \
                  128…",
        ..BASE
    },
    Row {
        input: "remote base, 401 without a login",
        files: entry!("http://{web}/answer/401/r.git//b"),
        message: "kustomize build failed: …: fatal: could not read Username for 'http://{web}': terminal prompts disabled: exit \
                  status 128…",
        ..BASE
    },
    Row {
        input: "remote base, 500",
        files: entry!("http://canary-base-user:canary-base-password@{web}/answer/500/r.git//b"),
        message: "kustomize build failed: …: fatal: unable to access 'http://***@{web}/answer/500/r.git/': The requested URL \
                  returned error: 500: exit status 128…",
        ..BASE
    },
    Row {
        input: "remote base, silent server",
        files: entry!("http://canary-base-user:canary-base-password@{web}/silent/r.git//b?timeout=1"),
        message: "kustomize build failed: …: Get \"http://***@{web}/silent/r.git//b?timeout=1\": context deadline exceeded': hit \
                  1s timeout running 'git fetch --depth=1 http://***@{web}/silent/r.git HEAD'…",
        ..BASE
    },
    Row {
        input: "remote base, no repository",
        files: entry!("http://canary-base-user:canary-base-password@{web}/page/r.git//b"),
        message: "kustomize build failed: …: URL is a git repository': failed to run 'git fetch --depth=1 \
                  http://***@{web}/page/r.git HEAD': fatal: …: exit status 128…",
        ..BASE
    },
    Row {
        input: "remote base, address that egress refuses",
        files: entry!("http://169.254.169.254/o/r.git//b"),
        message: "kustomize build failed: …Get \"http://169.254.169.254/o/r.git//b\": address 169.254.169.254 of \
                  '169.254.169.254' is refused by the egress policy\n…",
        ..BASE
    },
    Row {
        input: "remote file, redirect that egress refuses",
        files: entry!("http://canary-base-user:canary-base-password@{web}/away/a.yaml"),
        message: "kustomize build failed: …: Get \"http://***@{web}/away/a.yaml\": address 169.254.169.254 of '169.254.169.254' \
                  is refused by the egress policy\n…",
        ..BASE
    },
    Row {
        input: "remote file, 404",
        files: entry!("http://{web}/gone?token=canary-base-token"),
        message: "kustomize build failed: accumulating resources: accumulating resources from \
                  'http://{web}/gone?token=***': HTTP Error: status code 404 (Not Found)…",
        ..BASE
    },
    Row {
        input: "remote base over ssh",
        files: entry!("git@127.0.0.1:o/r.git//b"),
        message: "kustomize build failed: …: failed to run 'git fetch --depth=1 git@127.0.0.1:o/r.git HEAD': fatal: transport \
                  'ssh' not allowed: exit status 128\nhint: kustomization.yaml:1: 'git@127.0.0.1:o/r.git//b': the controller \
                  fetches repositories over http and https only: write it as 'https://127.0.0.1/o/r.git', or keep a copy of \
                  the base among the files of the source, for instance with the field spec.include of its GitRepository",
        ..BASE
    },
    Row {
        input: "remote base, reference that is an option",
        files: entry!("http://{web}/page/r.git//b?ref=--upload-pack=x"),
        message: "kustomize build failed: …: the reference '--upload-pack=x' is refused: no name in git begins with '-'…",
        ..BASE
    },
    Row {
        input: "remote base, patch with a token that is not there",
        files: &[(
            "kustomization.yaml",
            "patches: [{path: 'http://{web}/gone?token=canary-base-token', target: {kind: ConfigMap}}]\n",
        )],
        message: "kustomize build failed: …HTTP Error: status code 404 (Not Found)…",
        ..BASE
    },
];

/// Who waits for a server that says nothing keeps nobody from work, and is not kept from what has changed.
pub(super) async fn waiting(bench: &Bench) -> Result<()> {
    let flags = ["--watch-label-selector=class=one", "--concurrent=1"];
    let _running = Running::start(bench, &flags).await?;
    let namespace = bench.namespace("row").await?;
    let entry = format!("resources: ['http://{}/silent/{namespace}.git//b?timeout=10m']\n", bench.web());
    bench.source(&namespace, "v1", &bench.artifact(&[("kustomization.yaml", &entry)])?).await?;
    bench.kustomization(&namespace, "one", &json!({ "timeout": "10m" })).await?;
    let asked = format!("/silent/{namespace}.git//b");
    bench.artifacts.wait_for(SOON, |request| request.path() == asked).await?;

    let other = bench.namespace("row").await?;
    bench.source(&other, "v1", &bench.artifact(&[("app.yaml", CONFIG_MAP)])?).await?;
    bench.kustomization(&other, "one", &json!({})).await?;
    bench.ready(&other, "v1").await?;

    bench.source(&namespace, "v2", &bench.artifact(&[("app.yaml", CONFIG_MAP)])?).await?;
    bench.ready(&namespace, "v2").await.map(drop)
}
