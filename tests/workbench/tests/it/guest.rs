//! The demo in a cluster of somebody else: it plays there, leaves nothing behind, and stays out where it would be in the way.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use kube::api::ListParams;
use millrace_harness::millrace::{PROGRAM_VARIABLE, find_program};
use millrace_harness::{ControlPlane, Profile, tools, until};

/// What the test leaves of the tools: nothing. A guest needs none.
const CACHE_VARIABLE: &str = "MILLRACE_CACHE";
const LAST_LINE: &str = "Ctrl-C ends the demo and everything it started.";

macro_rules! cluster {
    ($profile:expr) => {{
        if !tools::available(tools::CONTROL_PLANE) {
            return Ok(());
        }
        ControlPlane::start($profile).await?
    }};
}

/// The demo's command, with a tool cache that is empty.
fn demo(kubeconfig: &Path, empty: &Path) -> Result<Command> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_millrace-workbench"));
    command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin").env("HOME", empty);
    command.env(CACHE_VARIABLE, empty).env(PROGRAM_VARIABLE, find_program()?);
    command.args(["demo", "--cluster"]).arg(kubeconfig).stdin(Stdio::null());
    Ok(command)
}

/// A demo that ends with the test, whatever becomes of that.
struct Guarded(Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Names of what a cluster has that a guest might leave behind.
async fn inventory(cluster: &ControlPlane) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for (api_version, kind) in [
        ("v1", "Namespace"),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        ("rbac.authorization.k8s.io/v1", "ClusterRole"),
        ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"),
    ] {
        for object in cluster.api(api_version, kind, "").await?.list(&ListParams::default()).await? {
            names.insert(format!("{kind}/{}", object.metadata.name.unwrap_or_default()));
        }
    }
    Ok(names)
}

/// Does what the demo says is worth trying, and sees it come true: long before the next look at the repository, so the push
/// was told.
async fn deletes_the_service(cluster: &ControlPlane, said: &[String]) -> Result<()> {
    let hint = said.iter().find(|line| line.contains("git rm -q")).context("there is no such hint")?;
    let (command, _) = hint.split_once(" && kubectl").context("it ends with a look at the cluster")?;
    let pushed = Command::new("sh").args(["-c", command]).status()?;
    ensure!(pushed.success(), "{command}: {pushed}");
    until("the Service is pruned", Duration::from_secs(30), async || {
        cluster.find("v1", "Service", "shop", "shop").await.is_ok_and(|found| found.is_none()).then_some(())
    })
    .await?;
    Ok(())
}

/// Follows what the demo says about where things are, and how to get out of what it says is worth trying.
async fn finds_everything(said: &[String]) -> Result<()> {
    let place = |what: &str| {
        let line = said.iter().find_map(|line| line.trim_start().strip_prefix(what));
        line.map(str::trim).with_context(|| format!("the demo does not say where its {what} is: {said:#?}"))
    };
    for what in ["metrics", "health"] {
        let client = reqwest::Client::builder().no_proxy().build()?;
        let answer = client.get(place(what)?).send().await?;
        ensure!(answer.status().is_success(), "{what}: {}", answer.status());
    }
    let log = std::fs::read_to_string(place("log ")?)?;
    ensure!(log.contains("\"msg\":\"starting manager\""), "that is no log: {log}");
    ensure!(Path::new(place("kubeconfig")?).is_file(), "there is no kubeconfig");
    let watches = said.iter().position(|line| line.ends_with(" -w")).context("no hint watches")?;
    ensure!(
        said[..watches].iter().any(|line| line.contains("Ctrl-C ends the watch")),
        "no way out: {said:#?}"
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_without_definitions_sees_the_demo_and_is_then_as_it_was() -> Result<()> {
    let cluster = cluster!(Profile::Full);
    let empty = tempfile::tempdir()?;
    let before = inventory(&cluster).await?;
    let output = demo(cluster.kubeconfig(), empty.path())?.arg("--exit").output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let installed =
        format!("✔ installed {} CRDs that the cluster did not have\n", millrace_api::crds().len());
    assert!(text.contains(&installed), "{text}");
    assert!(text.contains(" → webhook 200 → artifact "), "{text}");
    assert!(text.ends_with("✔ the cluster is as it was\n"), "{text}");
    assert_eq!(inventory(&cluster).await?, before);

    // Definitions of the cluster's own stay, and Ctrl-C tidies up as well as the end does.
    cluster.install_crds().await?;
    let before = inventory(&cluster).await?;
    let child = demo(cluster.kubeconfig(), empty.path())?.stdout(Stdio::piped()).spawn()?;
    let Guarded(child) = &mut Guarded(child);
    let mut lines = BufReader::new(child.stdout.take().context("the output is piped")?).lines();
    let mut said = Vec::new();
    while said.last().is_none_or(|line| line != LAST_LINE) {
        said.push(lines.next().context("the demo ended before it stayed")??);
    }
    finds_everything(&said).await?;
    deletes_the_service(&cluster, &said).await?;
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status()?;
    ensure!(interrupted.success(), "the demo can't be interrupted");
    let rest: Vec<String> = lines.collect::<Result<_, _>>()?;
    assert!(child.wait()?.success());
    assert_eq!(rest, ["✔ the cluster is as it was"]);
    assert_eq!(inventory(&cluster).await?, before);
    assert_eq!(std::fs::read_dir(empty.path())?.count(), 0, "a guest installs no tool");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_where_the_demo_would_be_in_the_way_is_left_alone_with_a_clear_word() -> Result<()> {
    let cluster = cluster!(Profile::Bare);
    let empty = tempfile::tempdir()?;
    cluster.create_namespace("tools").await?;
    cluster.apply("tools", "{apiVersion: v1, kind: ServiceAccount, metadata: {name: weak}}").await?;
    let weak = cluster.access("tools", "weak").await?.kubeconfig;
    let known = std::fs::read_to_string(&weak)?;
    let changed = |name: &str, from: &str, to: &str| {
        let path = empty.path().join(name);
        std::fs::write(&path, known.replace(from, to)).map(|()| path)
    };
    let unknown = changed("unknown", "token: ", "token: x")?;
    let nobody = changed("nobody", cluster.server(), "https://127.0.0.1:1")?;
    let refused = async |kubeconfig: &Path, words: &str| -> Result<()> {
        let before = inventory(&cluster).await?;
        let output = demo(kubeconfig, empty.path())?.arg("--exit").output()?;
        let text = String::from_utf8_lossy(&output.stderr);
        ensure!(!output.status.success(), "the demo played: {}", String::from_utf8_lossy(&output.stdout));
        ensure!(text.contains(words), "no {words:?} in {text}");
        ensure!(inventory(&cluster).await? == before, "{words}: the cluster has changed");
        Ok(())
    };

    refused(&empty.path().join("absent"), "leads to no cluster").await?;
    refused(&nobody, "https://127.0.0.1:1 can't be reached").await?;
    refused(&unknown, &format!("does not accept the login of {}", unknown.display())).await?;
    refused(&weak, "may not do everything in that namespace, create namespaces, delete namespaces").await?;

    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: kustomize-controller}\nspec:\n  \
                      selector: {matchLabels: {app: a}}\n  template:\n    metadata: {labels: {app: a}}\n    spec: \
                      {containers: [{name: a, image: a}]}\n";
    cluster.apply("tools", deployment).await?;
    refused(cluster.kubeconfig(), "the cluster runs Deployment/tools/kustomize-controller").await?;
    cluster.delete("apps/v1", "Deployment", "tools", "kustomize-controller").await?;

    cluster.create_namespace("shop").await?;
    refused(cluster.kubeconfig(), "the cluster has a namespace \"shop\"").await
}
