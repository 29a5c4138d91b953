//! Tenants: ServiceAccounts that may do anything in their own namespace, and nothing elsewhere.
//!
//! Where all stories are told of tenants, the program is no admin of the cluster either: it may act for these accounts.

use anyhow::{Result, ensure};
use millrace_harness::control_plane::{Access, RUNTIME_NAMESPACE};
use millrace_harness::millrace::Options;
use millrace_harness::{ControlPlane, Profile, chart};
use millrace_matrix::Matrix;

/// The variable that makes every story one of tenants.
pub const TENANTS_VARIABLE: &str = "MILLRACE_TENANTS";

/// The account of Kustomizations that name none.
pub const DEFAULT_ACCOUNT: &str = "tenant";
/// The account that Kustomizations of a story name.
pub const NAMED_ACCOUNT: &str = "deployer";

/// What makes the program an admin of the cluster, unless the chart's release is confined.
pub const ADMIN: &str = "cluster-reconciler-flux-system";

/// Whether stories are told of tenants.
#[expect(clippy::disallowed_methods, reason = "the one setting of these tests")]
pub fn are_wanted() -> bool {
    std::env::var_os(TENANTS_VARIABLE).is_some_and(|value| !value.is_empty())
}

/// A matrix of this name; told of tenants, it is one of its own.
pub fn matrix(name: &str) -> Matrix {
    if are_wanted() { Matrix::new(&format!("{name} of tenants")) } else { Matrix::new(name) }
}

/// The program's way in, with the rights that the chart gives it; where stories are told of tenants, without those of an admin.
pub async fn access(cluster: &ControlPlane) -> Result<Access> {
    if !are_wanted() {
        return chart::access(cluster).await;
    }
    let access = chart::confined_access(cluster).await?;
    let admin = cluster.find("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "", ADMIN).await?;
    ensure!(admin.is_none(), "the program is an admin of this cluster by {ADMIN}");
    Ok(access)
}

/// Makes a namespace a tenant's, and lets the program act for the tenant there.
pub async fn settle(cluster: &ControlPlane, namespace: &str) -> Result<()> {
    for account in [DEFAULT_ACCOUNT, NAMED_ACCOUNT] {
        admit(cluster, namespace, account).await?;
    }
    let program = chart::ACCOUNT;
    let objects = format!(
        "apiVersion: rbac.authorization.k8s.io/v1\n\
         kind: Role\n\
         metadata: {{name: {program}}}\n\
         rules:\n\
         - apiGroups: ['']\n  resources: [serviceaccounts]\n  resourceNames: [{DEFAULT_ACCOUNT}, {NAMED_ACCOUNT}]\n  \
         verbs: [impersonate]\n\
         ---\n\
         apiVersion: rbac.authorization.k8s.io/v1\n\
         kind: RoleBinding\n\
         metadata: {{name: {program}}}\n\
         roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: Role, name: {program}}}\n\
         subjects: [{{kind: ServiceAccount, name: {program}, namespace: {RUNTIME_NAMESPACE}}}]\n"
    );
    cluster.apply(namespace, &objects).await.map(drop)
}

/// The program as it has to run where there are tenants: whoever names no account gets the tenant's.
pub fn confine(options: Options) -> Options {
    options.arg(format!("--kustomize-default-service-account={DEFAULT_ACCOUNT}"))
}

/// Creates a ServiceAccount that is admin of the namespace it is in.
async fn admit(cluster: &ControlPlane, namespace: &str, account: &str) -> Result<()> {
    let role = match cluster.description().profile {
        Profile::Full => "admin",
        // What `admin` may do is put together by a controller that a bare control plane has none of. Bound in a namespace,
        // this role ends there, too; it is what `flux create tenant` binds.
        Profile::Bare => "cluster-admin",
    };
    let objects = format!(
        "apiVersion: v1\n\
         kind: ServiceAccount\n\
         metadata: {{name: {account}}}\n\
         ---\n\
         apiVersion: rbac.authorization.k8s.io/v1\n\
         kind: RoleBinding\n\
         metadata: {{name: {account}}}\n\
         roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {role}}}\n\
         subjects: [{{kind: ServiceAccount, name: {account}, namespace: {namespace}}}]\n"
    );
    cluster.apply(namespace, &objects).await.map(drop)
}
