//! Ways in: kubeconfigs and clients.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use k8s_openapi::api::authentication::v1::{TokenRequest, TokenRequestSpec};
use k8s_openapi::api::core::v1::ServiceAccount;
use kube::api::{Api, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

use super::{ControlPlane, Description};
use crate::Result;
use crate::pki::Identity;

const TOKEN_SECONDS: i64 = 24 * 60 * 60;

/// How a kubeconfig proves who its user is.
pub(super) enum Login<'a> {
    Certificate(&'a Identity),
    Token(&'a str),
}

/// A ServiceAccount's way into the cluster.
pub struct Access {
    /// A kubeconfig file that holds its token.
    pub kubeconfig: PathBuf,
    /// A client with its rights.
    pub client: Client,
    /// The name that RBAC and the audit log know it by.
    pub user: String,
}

impl ControlPlane {
    /// Requests a token for a ServiceAccount and writes a kubeconfig with it.
    pub async fn access(&self, namespace: &str, account: &str) -> Result<Access> {
        let accounts: Api<ServiceAccount> = Api::namespaced(self.client(), namespace);
        let spec =
            TokenRequestSpec { expiration_seconds: Some(TOKEN_SECONDS), ..TokenRequestSpec::default() };
        let request = TokenRequest { spec, ..TokenRequest::default() };
        let answer = accounts
            .create_token_request(account, &PostParams::default(), &request)
            .await
            .with_context(|| format!("cannot get a token for {namespace}/{account}"))?;
        let token = answer.status.context("a token request without an answer")?.token;
        let Description { server, authority, work, .. } = self.description();
        let text = kubeconfig(server, authority, &Login::Token(&token), namespace);
        let path = work.join(format!("{namespace}-{account}-{}.kubeconfig", uuid::Uuid::new_v4().simple()));
        std::fs::write(&path, text)?;
        let client = client(&path).await?;
        Ok(Access { kubeconfig: path, client, user: format!("system:serviceaccount:{namespace}:{account}") })
    }
}

/// Connects with all rights.
pub(super) async fn admin_client(description: &Description) -> Result<Client> {
    client(&description.kubeconfig).await
}

/// The API server that a kubeconfig file leads to.
pub(super) fn server_of(path: &Path) -> Result<String> {
    let kubeconfig = Kubeconfig::read_from(path)?;
    let current = kubeconfig.current_context.as_deref();
    let contexts = kubeconfig.contexts.iter().filter(|context| Some(context.name.as_str()) == current);
    let cluster = contexts
        .filter_map(|context| context.context.as_ref())
        .map(|context| context.cluster.as_str())
        .next();
    let mut clusters = kubeconfig.clusters.iter().filter(|one| Some(one.name.as_str()) == cluster);
    let server = clusters.find_map(|one| one.cluster.as_ref()?.server.clone());
    server.with_context(|| format!("{} has no current context with a server", path.display()))
}

/// Connects as a kubeconfig file says.
pub(super) async fn client(path: &Path) -> Result<Client> {
    // Two TLS providers may be linked; kube asks for a process-wide choice. A second call changes nothing.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let kubeconfig = Kubeconfig::read_from(path)?;
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    // Loopback is never reached through a proxy, whatever the environment says.
    config.proxy_url = None;
    Ok(Client::try_from(config)?)
}

/// The text of a kubeconfig.
pub(super) fn kubeconfig(server: &str, authority: &str, login: &Login<'_>, namespace: &str) -> String {
    let authority = STANDARD.encode(authority);
    let user = match login {
        Login::Certificate(identity) => format!(
            "client-certificate-data: {}\n    client-key-data: {}",
            STANDARD.encode(&identity.certificate),
            STANDARD.encode(&identity.key)
        ),
        Login::Token(token) => format!("token: {token}"),
    };
    format!(
        "apiVersion: v1\n\
         kind: Config\n\
         current-context: bench\n\
         clusters:\n\
         - name: bench\n  cluster:\n    server: {server}\n    certificate-authority-data: {authority}\n\
         users:\n\
         - name: bench\n  user:\n    {user}\n\
         contexts:\n\
         - name: bench\n  context:\n    cluster: bench\n    user: bench\n    namespace: {namespace}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kubeconfig_reads_back_as_written() {
        let text = kubeconfig("https://127.0.0.1:1", "CA", &Login::Token("t"), "apps");
        let config = Kubeconfig::from_yaml(&text).unwrap();
        assert_eq!(config.current_context.as_deref(), Some("bench"));
        let cluster = config.clusters[0].cluster.clone().unwrap();
        assert_eq!(cluster.server.as_deref(), Some("https://127.0.0.1:1"));
        assert_eq!(config.contexts[0].context.clone().unwrap().namespace.as_deref(), Some("apps"));
    }
}
