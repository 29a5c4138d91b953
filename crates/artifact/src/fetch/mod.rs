//! Downloads artifacts, checks them and opens them as trees.
//!
//! Contract: kustomize-controller §2.7.

mod backoff;
mod download;
mod error;
mod pool;

use std::{
    fs::File,
    io::Seek as _,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

pub use error::FetchError;
use futures::FutureExt as _;
use millrace_api::meta::{Algorithm, Digest, ParseDigestError};
use millrace_net::{HttpClient, RedactedUrl};
pub use pool::{Pool, Work};
use pool::{RuntimeThreads, Stoppable};
use tokio::sync::watch;
use url::Url;

use crate::{
    archive::Limits,
    digest,
    tree::{Place, Tree, Trees, UnderWay},
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
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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
    pool: Arc<dyn Pool>,
}

impl Fetcher {
    /// Downloads with `client` into `trees`.
    pub fn new(client: HttpClient, trees: Trees, options: Options) -> Self {
        Self { client, trees, options: Arc::new(options), pool: Arc::new(RuntimeThreads) }
    }

    /// The same fetcher, hashing and unpacking on `pool`.
    #[must_use]
    pub fn on(self, pool: Arc<dyn Pool>) -> Self {
        Self { pool, ..self }
    }

    /// The content of an artifact that is open already.
    pub fn opened(&self, expected: &str) -> Option<Arc<Tree>> {
        self.trees.get(&parse_digest(expected).ok()?)
    }

    /// Returns the content of the artifact, downloaded and checked unless it is open already.
    ///
    /// Waits between attempts as configured. Those who want the same artifact from the same place at the same time share one
    /// download and what comes of it; when the last of them has dropped its future, the download ends and leaves nothing
    /// behind.
    ///
    /// # Errors
    /// [`FetchError`], whose texts are the contract's.
    pub async fn fetch(&self, location: &Location, expected: &str) -> Result<Arc<Tree>, FetchError> {
        match self.find_or_begin(location, expected)? {
            Place::Open(tree) => Ok(tree),
            Place::UnderWay(under_way) => under_way.opening.await,
        }
    }

    /// The same, but gives up, with `None`, once `moved` is over while no server is handing the content out: before the
    /// first answer, and between attempts. A download that is under way goes on.
    ///
    /// # Errors
    /// [`FetchError`], whose texts are the contract's.
    pub async fn fetch_unless(
        &self,
        location: &Location,
        expected: &str,
        moved: impl Future<Output = ()>,
    ) -> Result<Option<Arc<Tree>>, FetchError> {
        let UnderWay { opening, mut gets_on } = match self.find_or_begin(location, expected)? {
            Place::Open(tree) => return Ok(Some(tree)),
            Place::UnderWay(under_way) => under_way,
        };
        let in_vain = async {
            moved.await;
            if gets_on.wait_for(|gets_on| !gets_on).await.is_err() {
                // It has ended, and whoever waits for it is about to know how.
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            biased;
            opened = opening => opened.map(Some),
            () = in_vain => Ok(None),
        }
    }

    fn find_or_begin(&self, location: &Location, expected: &str) -> Result<Place, FetchError> {
        let expected = parse_digest(expected)?;
        let (fetcher, place, digest) = (self.clone(), location.clone(), expected.clone());
        let open = |progress| async move { fetcher.open(&place, &digest, &progress).await }.boxed();
        Ok(self.trees.find_or_begin(&expected, location, open))
    }

    async fn open(
        &self,
        location: &Location,
        expected: &Digest,
        progress: &watch::Sender<bool>,
    ) -> Result<Tree, FetchError> {
        let (file, found) = match location {
            Location::Url(url) => {
                self.download(&self.effective_url(url)?, expected.algorithm(), progress).await?
            }
            Location::File(path) => {
                progress.send_replace(true);
                let (path, algorithm) = (path.clone(), expected.algorithm());
                self.blocking(move |stop| open_local(&path, algorithm, stop)).await?
            }
        };
        if found != *expected {
            return Err(FetchError::Mismatch(expected.to_string()));
        }
        let folder = self.trees.folder().to_owned();
        let limits = self.options.limits;
        self.blocking(move |stop| {
            let unpacked = Tree::unpack(Stoppable::new(file, stop), &folder, &limits);
            unpacked.map_err(|error| FetchError::Extract(Arc::new(error)))
        })
        .await
    }

    /// Runs blocking work on the pool.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Arc<AtomicBool>) -> Result<T, FetchError> + Send + 'static,
    ) -> Result<T, FetchError> {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let ran = self.pool.run(Box::new(move |stop| {
            // Nobody may be left to take it.
            let _ = sender.send(work(stop));
        }));
        let failed = |why: String| FetchError::spool(std::io::Error::other(why));
        ran.await.map_err(failed)?;
        receiver.await.map_err(|error| failed(error.to_string()))?
    }

    /// The URL with the host that the environment names instead.
    fn effective_url(&self, url: &str) -> Result<Url, FetchError> {
        let host = match &self.options.source_watcher_host {
            Some(host) if url.contains("//source-watcher") => Some(host),
            _ => self.options.source_controller_host.as_ref(),
        };
        let shown = || RedactedUrl::new(url).to_string();
        let invalid = |source| FetchError::InvalidUrl { url: shown(), source };
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

fn open_local(
    path: &Path,
    algorithm: Algorithm,
    stop: &Arc<AtomicBool>,
) -> Result<(File, Digest), FetchError> {
    let mut file = match File::open(path) {
        Err(err) if err.kind() == std::io::ErrorKind::NotFound => return Err(FetchError::NotFound),
        file => file.map_err(FetchError::spool)?,
    };
    let digest = digest::of_reader(algorithm, Stoppable::new(&file, stop)).map_err(FetchError::spool)?;
    file.rewind().map_err(FetchError::spool)?;
    Ok((file, digest))
}

/// Reads `<algorithm>:<hex>`; bare hex is SHA-256.
fn parse_digest(text: &str) -> Result<Digest, FetchError> {
    if text.is_empty() {
        return Err(FetchError::NoDigest);
    }
    let parsed = if text.contains(':') { text.parse() } else { Digest::from_hex(Algorithm::Sha256, text) };
    parsed.map_err(|source: ParseDigestError| FetchError::InvalidDigest { digest: text.to_owned(), source })
}
