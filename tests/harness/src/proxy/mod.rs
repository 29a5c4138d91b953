//! An API proxy: stands between the program under test and the API server, counts what passes, and breaks what it is told to.
//!
//! ```ignore
//! let proxy = ApiProxy::start(&access.kubeconfig).await?;
//! let millrace = Millrace::start(Options::new(proxy.kubeconfig())).await?;
//! let fault = proxy.on(Match::writes().resource("configmaps")).nth(3).hold(Side::Before);
//! fault.reached(SOON).await?;
//! millrace.kill()?;
//! fault.abort();
//! ```
//!
//! What is not hit by a fault passes unchanged, watches as streams. Both sides speak TLS and HTTP/2 or HTTP/1.1, as the client
//! likes. Tokens and impersonation pass; a client certificate can't, so the way in is a ServiceAccount's. Upgraded connections
//! (`kubectl exec`, `port-forward`) are not supported.

mod connection;
mod fault;
mod gate;
mod refusal;
mod request;
mod watches;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use anyhow::{Context as _, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kube::Config;
use kube::client::ConfigExt as _;
use kube::config::{KubeConfigOptions, Kubeconfig};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use tokio_rustls::TlsAcceptor;

use crate::background::Background;
use crate::work::WorkFolder;
use crate::{Result, pki, ports};
use connection::{Control, Upstream};

pub use fault::{Fault, On, Side};
pub use refusal::Refusal;
pub use request::{Match, Seen, Verb};

/// A running proxy. It runs on a thread of its own, so a test that blocks does not stop it.
pub struct ApiProxy {
    shared: Arc<Shared>,
    work: WorkFolder,
    /// Its end closes all connections.
    _background: Background,
}

/// What all connections share.
struct Shared {
    upstream: Upstream,
    rules: Arc<fault::Rules>,
    watches: watches::Watches,
    seen: Mutex<Vec<Seen>>,
    connections: Mutex<Vec<Weak<Control>>>,
}

impl Shared {
    fn note(&self, seen: &Seen) {
        lock(&self.seen).push(seen.clone());
    }

    /// The connections that are open now.
    fn open(&self) -> Vec<Arc<Control>> {
        lock(&self.connections).iter().filter_map(Weak::upgrade).collect()
    }

    /// A control for a new connection.
    fn connection(&self) -> Arc<Control> {
        let control = Arc::new(Control::default());
        let mut connections = lock(&self.connections);
        connections.retain(|control| control.strong_count() > 0);
        connections.push(Arc::downgrade(&control));
        control
    }
}

impl ApiProxy {
    /// Starts a proxy to the API server of a kubeconfig whose user has a token.
    ///
    /// # Errors
    /// When the kubeconfig can't be used, or its user proves itself by a certificate.
    pub async fn start(kubeconfig: &Path) -> Result<Self> {
        let work = WorkFolder::new("millrace-proxy-")?;
        let authority = pki::Authority::new("millrace-bench-proxy")?;
        let port = ports::take()?;
        let copy = redirected(kubeconfig, &format!("https://127.0.0.1:{port}"), authority.certificate())?;
        std::fs::write(work.path().join("kubeconfig"), copy)?;
        let shared = Arc::new(Shared {
            upstream: upstream(kubeconfig).await?,
            rules: Arc::default(),
            watches: watches::Watches::default(),
            seen: Mutex::default(),
            connections: Mutex::default(),
        });
        let tls = acceptor(&authority.server(&[])?)?;
        let served = Arc::clone(&shared);
        let background = Background::start("api-proxy", port, move |listener| accept(listener, tls, served))?;
        Ok(Self { shared, work, _background: background })
    }

    /// The kubeconfig that leads through the proxy, for the same user.
    pub fn kubeconfig(&self) -> PathBuf {
        self.work.path().join("kubeconfig")
    }

    /// Describes a fault for the requests that fit.
    pub fn on(&self, matching: Match) -> On<'_> {
        On::new(self, matching)
    }

    /// Every request so far, in order of arrival.
    pub fn seen(&self) -> Vec<Seen> {
        lock(&self.shared.seen).clone()
    }

    /// How many requests so far fit.
    pub fn count(&self, matching: &Match) -> usize {
        lock(&self.shared.seen).iter().filter(|seen| matching.fits(seen)).count()
    }

    /// Forgets the requests so far.
    pub fn clear(&self) {
        lock(&self.shared.seen).clear();
    }

    /// Freezes all connections: they stay open, and no byte passes any more. New ones work. Returns how many they were.
    pub fn freeze(&self) -> usize {
        let open = self.shared.open();
        for control in &open {
            control.frozen.store(true, std::sync::atomic::Ordering::Release);
        }
        open.len()
    }

    /// Closes all connections without a word. New ones work. Returns how many they were.
    pub fn cut(&self) -> usize {
        let open = self.shared.open();
        for control in &open {
            control.closed.cancel();
        }
        open.len()
    }

    /// Ends the watches that fit, as the API server does after some minutes. Returns how many they were.
    pub fn end_watches(&self, matching: &Match) -> usize {
        self.shared.watches.end(matching)
    }
}

async fn accept(listener: tokio::net::TcpListener, tls: TlsAcceptor, shared: Arc<Shared>) {
    let mut connections = tokio::task::JoinSet::new();
    loop {
        tokio::select! {
            Ok((stream, _)) = listener.accept() => {
                // Small answers must not wait for more.
                let _ = stream.set_nodelay(true);
                let control = shared.connection();
                connections.spawn(connection::serve(stream, tls.clone(), Arc::clone(&shared), control));
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// The TLS side that clients see.
fn acceptor(identity: &pki::Identity) -> Result<TlsAcceptor> {
    let certificates = CertificateDer::pem_slice_iter(identity.certificate.as_bytes());
    let certificates = certificates.collect::<std::result::Result<Vec<_>, _>>()?;
    let key = PrivateKeyDer::from_pem_slice(identity.key.as_bytes())?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(certificates, key)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// The API server of a kubeconfig.
async fn upstream(kubeconfig: &Path) -> Result<Upstream> {
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let kubeconfig = Kubeconfig::read_from(kubeconfig)?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    let authority =
        config.cluster_url.authority().cloned().context("the API server's address has no host")?;
    Ok(Upstream { authority, tls: config.rustls_client_config()? })
}

/// A kubeconfig with another server in it. It comes as JSON, which is YAML, too.
fn redirected(path: &Path, server: &str, authority: &str) -> Result<String> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut config: Value = serde_yaml::from_str(&text)?;
    let users = config["users"].as_array().map(Vec::as_slice).unwrap_or_default();
    ensure!(
        users.iter().all(|user| user["user"]["client-certificate-data"].is_null()),
        "{}: a client certificate does not pass a proxy; use a token",
        path.display()
    );
    let clusters = config["clusters"].as_array_mut().context("a kubeconfig without clusters")?;
    for cluster in clusters {
        cluster["cluster"] =
            json!({ "server": server, "certificate-authority-data": STANDARD.encode(authority) });
    }
    Ok(config.to_string())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(user: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kubeconfig");
        let text = format!(
            "current-context: c\nclusters: [{{name: k, cluster: {{server: 'https://127.0.0.1:1'}}}}]\n\
             users: [{{name: u, user: {user}}}]\n"
        );
        std::fs::write(&path, text).unwrap();
        (folder, path)
    }

    #[test]
    fn a_kubeconfig_is_redirected_and_keeps_its_user() {
        let (_folder, path) = written("{token: t}");
        let copy: Value =
            serde_json::from_str(&redirected(&path, "https://127.0.0.1:2", "CA").unwrap()).unwrap();
        assert_eq!(copy["users"][0]["user"]["token"], "t");
        let cluster = &copy["clusters"][0]["cluster"];
        assert_eq!(cluster["server"], "https://127.0.0.1:2");
        assert_eq!(cluster["certificate-authority-data"], STANDARD.encode("CA"));
    }

    #[test]
    fn a_client_certificate_is_refused() {
        let (_folder, path) = written("{client-certificate-data: x}");
        let error = redirected(&path, "https://127.0.0.1:2", "CA").unwrap_err().to_string();
        assert!(error.ends_with("a client certificate does not pass a proxy; use a token"), "{error}");
    }
}
