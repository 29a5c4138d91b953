//! A Git server on loopback: Apache with Git's own HTTP program.
//!
//! | way in | URL | may |
//! |---|---|---|
//! | anonymous | [`GitServer::public_url`] | read |
//! | user and password over http | [`GitServer::login_url`] | read and push |
//! | user and password over https | [`GitServer::tls_url`] | read and push |

mod access_log;
mod apache;
mod repository;

use std::path::Path;
use std::time::Duration;

use anyhow::bail;

use crate::process::Process;
use crate::work::WorkFolder;
use crate::{Result, pki, ports};

pub use access_log::Access;
pub use repository::{Commit, Repository};

/// The user that may read and push.
pub const USER: &str = "alice";
/// Its password.
pub const PASSWORD: &str = "s3cret";

const START_LIMIT: Duration = Duration::from_secs(20);
const STOP_GRACE: Duration = Duration::from_secs(3);

/// Bytes that can't be compressed, the same ones every time: to pack or archive them takes its time.
pub fn noise(length: usize) -> Vec<u8> {
    // SplitMix64: any sequence without a pattern will do.
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ (mixed >> 27)
    };
    let mut bytes: Vec<u8> = (0..length.div_ceil(8)).flat_map(|_| next().to_le_bytes()).collect();
    bytes.truncate(length);
    bytes
}

/// A running Git server with repositories of its own.
pub struct GitServer {
    layout: apache::Layout,
    authority: pki::Authority,
    process: Option<Process>,
    _work: WorkFolder,
}

impl GitServer {
    /// Starts a server without repositories.
    ///
    /// # Errors
    /// When Apache or Git is not installed or the server does not become ready.
    pub async fn start() -> Result<Self> {
        let work = WorkFolder::new("millrace-git-")?;
        let authority = pki::Authority::new("millrace-bench-git")?;
        let layout = apache::Layout::prepare(work.path(), ports::take()?, ports::take()?, &authority)?;
        let mut server = Self { layout, authority, process: None, _work: work };
        server.resume().await?;
        Ok(server)
    }

    /// Starts a stopped server again, on the same ports and with the same repositories.
    pub async fn resume(&mut self) -> Result<()> {
        if self.process.is_some() {
            bail!("the Git server runs already");
        }
        let mut process = apache::launch(&self.layout).start()?;
        let address = ("127.0.0.1", self.layout.tls_port);
        process.ready(START_LIMIT, async || tokio::net::TcpStream::connect(address).await.is_ok()).await?;
        self.process = Some(process);
        Ok(())
    }

    /// Stops the server: clients find nobody listening.
    pub async fn stop(&mut self) -> Result<()> {
        if let Some(mut process) = self.process.take() {
            process.stop(STOP_GRACE).await?;
        }
        Ok(())
    }

    /// Creates an empty repository.
    pub fn create(&self, name: &str) -> Result<Repository> {
        self.layout.create_repository(name)?;
        let remote = format!("http://{USER}:{PASSWORD}@127.0.0.1:{}/git/{name}.git", self.layout.plain_port);
        Repository::new(name, &self.layout.trees().join(name), &remote)
    }

    /// Where anyone reads a repository, over http.
    pub fn public_url(&self, name: &str) -> String {
        format!("http://127.0.0.1:{}/public/{name}.git", self.layout.plain_port)
    }

    /// Where [`USER`] reads and pushes, over http.
    pub fn login_url(&self, name: &str) -> String {
        format!("http://127.0.0.1:{}/git/{name}.git", self.layout.plain_port)
    }

    /// Where [`USER`] reads and pushes, over https with a certificate of [`GitServer::authority`].
    pub fn tls_url(&self, name: &str) -> String {
        format!("https://localhost:{}/git/{name}.git", self.layout.tls_port)
    }

    /// The certificate of the server's authority, as PEM.
    pub fn authority(&self) -> &str {
        self.authority.certificate()
    }

    /// Every request answered so far, in order.
    pub fn accesses(&self) -> Result<Vec<Access>> {
        access_log::read(&self.layout.run().join("access.log"))
    }

    /// The server's error log.
    pub fn error_log(&self) -> String {
        std::fs::read_to_string(self.layout.run().join("error.log")).unwrap_or_default()
    }

    /// The folder of the bare repositories.
    pub fn repositories(&self) -> &Path {
        self.layout.repositories()
    }
}
