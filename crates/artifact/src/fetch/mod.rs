//! Downloads artifacts, checks them and opens them as trees.
//!
//! Contract: kustomize-controller §2.7.

mod backoff;
mod download;
mod error;

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

pub use error::FetchError;
use millrace_api::meta::{Algorithm, Digest, ParseDigestError};
use millrace_net::HttpClient;
use url::Url;

use crate::{
    archive::Limits,
    digest,
    tree::{Tree, Trees},
};

/// Settings of a [`Fetcher`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Requests after the first one (`--http-retry`).
    pub retries: u32,
    /// The first wait between requests; it doubles.
    pub min_wait: Duration,
    /// The longest wait between requests.
    pub max_wait: Duration,
    /// Bounds of archives.
    pub limits: Limits,
    /// Bytes of a download.
    pub max_download_bytes: u64,
    /// Replaces host and port of artifact URLs (`SOURCE_CONTROLLER_LOCALHOST`).
    pub source_controller_host: Option<String>,
    /// The same for URLs of the source watcher (`SOURCE_WATCHER_LOCALHOST`).
    pub source_watcher_host: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            retries: 9,
            min_wait: Duration::from_secs(5),
            max_wait: Duration::from_secs(30),
            limits: Limits::default(),
            max_download_bytes: 4 << 30,
            source_controller_host: None,
            source_watcher_host: None,
        }
    }
}

/// Where an artifact is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// On an artifact server.
    Url(String),
    /// In the store of this process.
    File(PathBuf),
}

/// Opens artifacts, each digest once.
#[derive(Clone)]
pub struct Fetcher {
    client: HttpClient,
    trees: Trees,
    options: Arc<Options>,
}

impl Fetcher {
    /// Downloads with `client` into `trees`.
    pub fn new(client: HttpClient, trees: Trees, options: Options) -> Self {
        Self { client, trees, options: Arc::new(options) }
    }

    /// Returns the content of the artifact, downloaded and checked unless it is open already.
    ///
    /// Waits between attempts as configured; dropping the future ends everything and leaves nothing behind.
    ///
    /// # Errors
    /// [`FetchError`], whose texts are the contract's.
    pub async fn fetch(&self, location: &Location, expected: &str) -> Result<Arc<Tree>, FetchError> {
        let expected = parse_digest(expected)?;
        self.trees.get_or_open(&expected, self.open(location, &expected)).await
    }

    async fn open(&self, location: &Location, expected: &Digest) -> Result<Tree, FetchError> {
        let (file, found) = match location {
            Location::Url(url) => self.download(&self.effective_url(url)?, expected.algorithm()).await?,
            Location::File(path) => {
                let (path, algorithm) = (path.clone(), expected.algorithm());
                blocking(move || open_local(&path, algorithm)).await?
            }
        };
        if found != *expected {
            return Err(FetchError::Mismatch(expected.to_string()));
        }
        let folder = self.trees.folder().to_owned();
        let limits = self.options.limits;
        blocking(move || Tree::unpack(file, &folder, &limits).map_err(FetchError::Extract)).await
    }

    /// The URL with the host that the environment names instead.
    fn effective_url(&self, url: &str) -> Result<Url, FetchError> {
        let host = match &self.options.source_watcher_host {
            Some(host) if url.contains("//source-watcher") => Some(host),
            _ => self.options.source_controller_host.as_ref(),
        };
        let invalid = |source| FetchError::InvalidUrl { url: url.to_owned(), source };
        let parsed: Url = url.parse().map_err(invalid)?;
        match host {
            Some(host) => {
                let rest = &parsed[url::Position::BeforePath..];
                format!("{}://{host}{rest}", parsed.scheme()).parse().map_err(invalid)
            }
            None => Ok(parsed),
        }
    }
}

fn open_local(path: &Path, algorithm: Algorithm) -> Result<(File, Digest), FetchError> {
    let file = match File::open(path) {
        Err(err) if err.kind() == std::io::ErrorKind::NotFound => return Err(FetchError::NotFound),
        file => file.map_err(FetchError::Spool)?,
    };
    let digest = digest::of_reader(algorithm, &file).map_err(FetchError::Spool)?;
    rewind(file).map(|file| (file, digest))
}

fn rewind(mut file: File) -> Result<File, FetchError> {
    use std::io::Seek as _;
    file.rewind().map_err(FetchError::Spool)?;
    Ok(file)
}

/// Reads `<algorithm>:<hex>`; bare hex is SHA-256.
fn parse_digest(text: &str) -> Result<Digest, FetchError> {
    if text.is_empty() {
        return Err(FetchError::NoDigest);
    }
    let parsed = if text.contains(':') { text.parse() } else { Digest::from_hex(Algorithm::Sha256, text) };
    parsed.map_err(|source: ParseDigestError| FetchError::InvalidDigest { digest: text.to_owned(), source })
}

/// Runs blocking work on the runtime's pool.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, FetchError> + Send + 'static,
) -> Result<T, FetchError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(err) => Err(FetchError::Spool(std::io::Error::other(err))),
    }
}
