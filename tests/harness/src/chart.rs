//! The rights that the Helm chart gives to the program.

use anyhow::{Context as _, ensure};

use crate::control_plane::{Access, ControlPlane, RUNTIME_NAMESPACE};
use crate::{Result, tools};

/// The chart's ServiceAccount when everything is one process.
pub const ACCOUNT: &str = "millrace";
/// Takes away what lets the program apply anything by itself: it has to act for others, where it may.
pub const CONFINED: &str = "rbac.clusterAdmin=false";
/// Kinds of the chart that are about rights.
const KINDS: [&str; 3] = ["ServiceAccount", "ClusterRole", "ClusterRoleBinding"];

/// Installs the ServiceAccount of the topology `single` with the rights that the chart gives it, and logs in with it.
///
/// # Errors
/// When `helm` is not installed or does not render the chart.
pub async fn access(cluster: &ControlPlane) -> Result<Access> {
    install(cluster, &[]).await
}

/// The same without any right of a cluster's admin, see [`CONFINED`].
///
/// # Errors
/// When `helm` is not installed or does not render the chart.
pub async fn confined_access(cluster: &ControlPlane) -> Result<Access> {
    install(cluster, &["--set", CONFINED]).await
}

async fn install(cluster: &ControlPlane, values: &[&str]) -> Result<Access> {
    cluster.create_namespace(RUNTIME_NAMESPACE).await?;
    for document in render(cluster, values)?.split("\n---").filter(|document| is_about_rights(document)) {
        cluster.apply(RUNTIME_NAMESPACE, document).await?;
    }
    cluster.access(RUNTIME_NAMESPACE, ACCOUNT).await
}

fn render(cluster: &ControlPlane, values: &[&str]) -> Result<String> {
    let chart = tools::repository().join("charts/millrace");
    let chart = chart.to_str().context("the checkout's path is not UTF-8")?;
    let arguments =
        ["template", "millrace", chart, "--namespace", RUNTIME_NAMESPACE, "--set", "topology=single"];
    let rendered = tools::run("helm", cluster.kubeconfig(), &[&arguments, values].concat())?;
    ensure!(rendered.status.success(), "helm: {}", String::from_utf8_lossy(&rendered.stderr).trim());
    Ok(String::from_utf8(rendered.stdout)?)
}

fn is_about_rights(document: &str) -> bool {
    document.lines().filter_map(|line| line.strip_prefix("kind: ")).any(|kind| KINDS.contains(&kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_accounts_and_roles_are_about_rights() {
        for (document, expected) in [
            ("apiVersion: v1\nkind: ServiceAccount\nmetadata: {}", true),
            ("# Source: x\nkind: ClusterRoleBinding\nroleRef:\n  kind: ClusterRole", true),
            ("kind: Deployment\nspec:\n  kind: ServiceAccount", false),
        ] {
            assert_eq!(is_about_rights(document), expected, "{document}");
        }
    }
}
