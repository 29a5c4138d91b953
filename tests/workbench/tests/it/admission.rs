//! The chart's pods where a cluster lets in only what is harmless.

use anyhow::{Context as _, Result, ensure};
use k8s_openapi::api::core::v1::{Namespace, Pod, ServiceAccount};
use kube::api::{Api, Patch, PatchParams, PostParams};
use millrace_harness::{ControlPlane, tools};
use serde_json::{Value, json};

const NAMESPACE: &str = "admission";

/// The chart's Deployments.
fn deployments(cluster: &ControlPlane, topology: &str) -> Result<Vec<Value>> {
    let chart = tools::repository().join("charts/millrace");
    let chart = chart.to_str().context("the checkout's path is not UTF-8")?;
    let topology = format!("topology={topology}");
    let arguments =
        ["template", "millrace", chart, "--namespace", NAMESPACE, "--set", "crds.install=false", "--set"];
    let rendered = tools::run("helm", cluster.kubeconfig(), &[&arguments[..], &[&topology]].concat())?;
    ensure!(rendered.status.success(), "helm: {}", String::from_utf8_lossy(&rendered.stderr).trim());
    let documents: Vec<Value> = serde_yaml::from_multiple(std::str::from_utf8(&rendered.stdout)?)?;
    Ok(documents.into_iter().filter(|document| document["kind"] == "Deployment").collect())
}

/// CLI-090: a namespace that enforces `restricted` admits all pods of the chart.
#[tokio::test(flavor = "multi_thread")]
async fn a_namespace_with_restricted_pod_security_admits_all_pods_of_the_chart() -> Result<()> {
    if !tools::available(&[tools::CONTROL_PLANE, &["helm"]].concat()) {
        return Ok(());
    }
    let cluster = ControlPlane::shared().await?;
    cluster.create_namespace(NAMESPACE).await?;
    let labels = json!({"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "restricted"}}});
    let namespaces: Api<Namespace> = Api::all(cluster.client());
    namespaces.patch(NAMESPACE, &PatchParams::default(), &Patch::Merge(labels)).await?;

    let pods: Api<Pod> = Api::namespaced(cluster.client(), NAMESPACE);
    let accounts: Api<ServiceAccount> = Api::namespaced(cluster.client(), NAMESPACE);
    let only_asked = PostParams { dry_run: true, ..PostParams::default() };
    let mut admitted = Vec::new();
    for topology in ["split", "single"] {
        for deployment in deployments(&cluster, topology)? {
            let template = &deployment["spec"]["template"];
            let account =
                template["spec"]["serviceAccountName"].as_str().context("every pod has an account")?;
            let metadata =
                json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account}});
            let manager = PatchParams::apply("admission-test");
            accounts.patch(account, &manager, &Patch::Apply(metadata)).await?;
            let name = format!("{topology}-{account}");
            let mut pod: Pod = serde_json::from_value(template.clone())?;
            pod.metadata.name = Some(name.clone());
            pods.create(&only_asked, &pod).await.with_context(|| format!("{name} is refused"))?;
            // That somebody is at the door is seen in whom he refuses.
            let mut spec = pod.spec.take().context("a pod has a spec")?;
            for container in &mut spec.containers {
                container.security_context = None;
            }
            pod.spec = Some(spec);
            let refused = pods.create(&only_asked, &pod).await.err().map(|error| error.to_string());
            ensure!(
                refused.as_ref().is_some_and(|text| text.contains("violates PodSecurity \"restricted")),
                "{name} without its security context: {refused:?}"
            );
            admitted.push(name);
        }
    }
    let expected = [
        "split-kustomize-controller",
        "split-notification-controller",
        "split-source-controller",
        "single-millrace",
    ];
    admitted.sort_by_key(|name| expected.iter().position(|known| known == name));
    assert_eq!(admitted, expected);
    Ok(())
}
