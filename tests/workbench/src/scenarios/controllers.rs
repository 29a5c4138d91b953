//! How the runner starts the program: all controllers in one process, with the flags of the recording.

use std::path::Path;

use anyhow::Result;
use millrace_harness::millrace::Ports;
use serde_json::{Value, json};

/// The runner's configuration; `kubeconfig` takes the place of the runner's own for the program.
pub(super) fn configuration(program: &Path, kubeconfig: Option<&Path>) -> Result<Value> {
    let ports = Ports::take()?;
    let address = |port: u16| format!("127.0.0.1:{port}");
    let arguments = [
        program.display().to_string(),
        "controllers".to_owned(),
        "--watch-all-namespaces=true".to_owned(),
        "--log-encoding=json".to_owned(),
        "--storage-path={work}/store".to_owned(),
        format!("--storage-addr={}", address(ports.storage)),
        format!("--storage-adv-addr={}", address(ports.storage)),
        format!("--notification-events-addr={}", address(ports.events)),
        format!("--receiverAddr={}", address(ports.receiver)),
        format!("--metrics-addr={}", address(ports.metrics)),
        format!("--health-addr={}", address(ports.health)),
        "--concurrent=20".to_owned(),
        "--requeue-dependency=3s".to_owned(),
        "--kube-api-qps=1000".to_owned(),
        "--kube-api-burst=2000".to_owned(),
    ];
    let environment = kubeconfig.map_or_else(|| json!({}), |path| json!({ "KUBECONFIG": path }));
    Ok(json!({
        "controllers": {"millrace": arguments},
        "addresses": {
            "storage": address(ports.storage), "events": address(ports.events), "receiver": address(ports.receiver),
        },
        "ready": [format!("http://{}/readyz", address(ports.health))],
        "variants": {
            "strict-substitution": {"millrace": ["--feature-gates=StrictPostBuildSubstitutions=true"]},
            "no-cross-namespace-refs": {"millrace": ["--no-cross-namespace-refs=true"]},
        },
        "env": environment,
    }))
}
