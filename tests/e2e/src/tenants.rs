//! Tenants: ServiceAccounts that may do anything in their own namespace, and nothing elsewhere.

use anyhow::Result;
use millrace_harness::ControlPlane;

/// The variable that makes every story one of tenants.
pub const TENANTS_VARIABLE: &str = "MILLRACE_TENANTS";

/// The account of Kustomizations that name none.
pub const DEFAULT_ACCOUNT: &str = "tenant";
/// The account that Kustomizations of a story name.
pub const NAMED_ACCOUNT: &str = "deployer";

#[expect(clippy::disallowed_methods, reason = "the one setting of these tests")]
pub(crate) fn are_wanted() -> bool {
    std::env::var_os(TENANTS_VARIABLE).is_some_and(|value| !value.is_empty())
}

/// Creates ServiceAccounts that are admins of the namespace they are in.
pub async fn admit(cluster: &ControlPlane, namespace: &str, accounts: &[&str]) -> Result<()> {
    for account in accounts {
        let objects = format!(
            "apiVersion: v1\n\
             kind: ServiceAccount\n\
             metadata: {{name: {account}}}\n\
             ---\n\
             apiVersion: rbac.authorization.k8s.io/v1\n\
             kind: RoleBinding\n\
             metadata: {{name: {account}}}\n\
             roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: admin}}\n\
             subjects: [{{kind: ServiceAccount, name: {account}, namespace: {namespace}}}]\n"
        );
        cluster.apply(namespace, &objects).await?;
    }
    Ok(())
}
