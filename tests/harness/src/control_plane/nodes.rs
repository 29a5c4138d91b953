//! Nodes and pods without machines: kwok plays the kubelet.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use k8s_openapi::api::core::v1::Node;
use kube::Client;
use kube::api::{Api, ObjectMeta, PostParams};

use crate::process::{Launch, Process};
use crate::{Result, tools};

/// The pod label that chooses an outcome: `crash` (never ready), `pending` (never starts), `fail` (ends in failure).
pub const OUTCOME_LABEL: &str = "bench.millrace/outcome";

const NODE: &str = "node-0";

/// Starts kwok; it takes care of all nodes and their pods.
pub(super) fn start(work: &Path, kubeconfig: &Path) -> Result<Process> {
    let outcomes = work.join("outcomes.yaml");
    fs::write(&outcomes, outcome_stages())?;
    let stages = tools::folder()?.join("kwok-stages");
    let mut launch = Launch::new("kwok", tools::program("kwok")?, work)
        .arg(format!("--kubeconfig={}", kubeconfig.display()))
        .args([
            "--manage-all-nodes=true",
            "--node-lease-duration-seconds=40",
            "--node-ip=127.0.0.1",
            "--cidr=10.244.0.0/16",
        ])
        .args(["-v", "WARN"]);
    let entries = fs::read_dir(&stages)
        .context("the stage files are not installed: run `cargo xtask tools kwok-stages`")?;
    for entry in entries {
        launch = launch.arg("-c").arg(entry?.path());
    }
    launch.arg("-c").arg(outcomes).start()
}

/// Creates the node.
pub(super) async fn register(client: &Client) -> Result<()> {
    let nodes: Api<Node> = Api::all(client.clone());
    let labels =
        [("kubernetes.io/hostname", NODE), ("kubernetes.io/os", "linux"), ("kubernetes.io/arch", "amd64")];
    let metadata = ObjectMeta {
        name: Some(NODE.to_owned()),
        labels: Some(labels.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()),
        ..ObjectMeta::default()
    };
    nodes.create(&PostParams::default(), &Node { metadata, ..Node::default() }).await?;
    Ok(())
}

/// Whether pods can be scheduled to the node.
pub(super) async fn is_ready(client: &Client) -> bool {
    let nodes: Api<Node> = Api::all(client.clone());
    nodes.get(NODE).await.is_ok_and(|node| is_schedulable(&node))
}

fn is_schedulable(node: &Node) -> bool {
    let conditions = node.status.iter().flat_map(|status| status.conditions.iter().flatten());
    let ready =
        conditions.into_iter().any(|condition| condition.type_ == "Ready" && condition.status == "True");
    // The controller-manager taints a new node until it has seen it ready.
    let tainted =
        node.spec.as_ref().is_some_and(|spec| spec.taints.as_ref().is_some_and(|taints| !taints.is_empty()));
    ready && !tainted
}

/// Stage definitions for the outcomes; their weight beats the stages that kwok ships.
fn outcome_stages() -> String {
    let stage = |outcome: &str, delay: &str, status: &str| {
        format!(
            "apiVersion: kwok.x-k8s.io/v1alpha1\n\
             kind: Stage\n\
             metadata: {{name: outcome-{outcome}}}\n\
             spec:\n\
             \x20 resourceRef: {{apiGroup: v1, kind: Pod}}\n\
             \x20 weight: 1\n\
             \x20 selector:\n\
             \x20   matchLabels: {{{OUTCOME_LABEL}: {outcome}}}\n\
             \x20   matchExpressions:\n\
             \x20   - {{key: .metadata.deletionTimestamp, operator: DoesNotExist}}\n\
             \x20   - {{key: .status.phase, operator: In, values: [Pending]}}\n\
             {delay}\
             \x20 next:\n\
             \x20   statusTemplate: |\n{}",
            status.lines().map(|line| format!("      {line}\n")).collect::<Vec<_>>().concat()
        )
    };
    [
        stage("crash", "", CRASH),
        stage("pending", "  delay: {durationMilliseconds: 600000}\n", "phase: Pending"),
        stage("fail", "", FAIL),
    ]
    .join("---\n")
}

const CRASH: &str = r#"phase: Running
startTime: {{ Now | Quote }}
conditions:
- {type: Initialized, status: "True"}
- {type: Ready, status: "False", reason: ContainersNotReady}
- {type: ContainersReady, status: "False", reason: ContainersNotReady}
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  ready: false
  restartCount: 5
  state: {waiting: {reason: CrashLoopBackOff, message: back-off restarting failed container}}
{{ end }}"#;

const FAIL: &str = r"phase: Failed
startTime: {{ Now | Quote }}
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  ready: false
  restartCount: 0
  state: {terminated: {exitCode: 1, reason: Error, startedAt: {{ Now | Quote }}, finishedAt: {{ Now | Quote }}}}
{{ end }}";
