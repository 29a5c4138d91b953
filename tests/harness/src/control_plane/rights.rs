//! The rights that the program has in a cluster.

use super::{Access, ControlPlane};
use crate::Result;

/// Where the program runs.
pub const RUNTIME_NAMESPACE: &str = "flux-system";
const ACCOUNT: &str = "millrace";

impl ControlPlane {
    /// Makes a ServiceAccount for the program, bound to all rights, and returns its way in.
    ///
    /// For the recorded stories of the original, which ran with all rights, and for tests of the harness; everything else uses
    /// the chart's rights ([`crate::chart::access`]).
    pub async fn unlimited_access(&self) -> Result<Access> {
        self.create_namespace(RUNTIME_NAMESPACE).await?;
        let objects = format!(
            "apiVersion: v1\n\
             kind: ServiceAccount\n\
             metadata: {{name: {ACCOUNT}, namespace: {RUNTIME_NAMESPACE}}}\n\
             ---\n\
             apiVersion: rbac.authorization.k8s.io/v1\n\
             kind: ClusterRoleBinding\n\
             metadata: {{name: {ACCOUNT}}}\n\
             roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}}\n\
             subjects: [{{kind: ServiceAccount, name: {ACCOUNT}, namespace: {RUNTIME_NAMESPACE}}}]\n"
        );
        self.apply(RUNTIME_NAMESPACE, &objects).await?;
        self.access(RUNTIME_NAMESPACE, ACCOUNT).await
    }
}
