//! One download, retried.

use std::{
    fs::File,
    io::{Seek as _, Write as _},
    path::Path,
    sync::Arc,
    time::Duration,
};

use http::{Method, StatusCode};
use millrace_api::meta::{Algorithm, Digest};
use millrace_net::{HttpError, RedactedUrl, Response};
use tokio::sync::watch;
use url::Url;

use super::{FetchError, Fetcher, backoff};
use crate::digest::Hasher;

/// Bytes that go to a thread together.
const BATCH: usize = 256 * 1024;

/// What an attempt came to.
enum Attempt {
    Done(File, Digest),
    /// Worth another one, after the wait that the server asks for, if it does.
    Retry {
        wait: Option<Duration>,
        error: Option<HttpError>,
    },
    Failed(FetchError),
}

impl Fetcher {
    /// Downloads to a file without a name, rewound, and hashes it on the way. Tells `progress` whether a server is handing
    /// it out.
    pub(super) async fn download(
        &self,
        url: &Url,
        algorithm: Algorithm,
        progress: &watch::Sender<bool>,
    ) -> Result<(File, Digest), FetchError> {
        let (mut attempts, shown) = (0, RedactedUrl::new(url.as_str()));
        loop {
            let (wait, error) = match self.attempt(url, algorithm, progress).await {
                Attempt::Done(file, digest) => return Ok((file, digest)),
                Attempt::Failed(err) => return Err(err),
                Attempt::Retry { wait, error } => (wait, error),
            };
            progress.send_replace(false);
            attempts += 1;
            let final_attempt =
                attempts > self.options.retries || error.as_ref().is_some_and(|err| !err.is_retryable());
            if final_attempt {
                let url = shown.to_string();
                return Err(match error {
                    Some(source) => FetchError::Unreachable { url, attempts, source: Arc::new(source) },
                    None => FetchError::GaveUp { url, attempts },
                });
            }
            let backoff = backoff::wait(attempts - 1, self.options.min_wait, self.options.max_wait);
            let wait = wait.unwrap_or(backoff);
            tracing::debug!(url = %shown, attempts, ?wait, "retrying artifact download");
            tokio::time::sleep(wait).await;
        }
    }

    async fn attempt(&self, url: &Url, algorithm: Algorithm, progress: &watch::Sender<bool>) -> Attempt {
        let response = match self.client.send(self.client.request(Method::GET, url.clone())).await {
            Ok(response) => response,
            Err(error) => return Attempt::Retry { wait: None, error: Some(error) },
        };
        match response.status() {
            StatusCode::OK => {
                progress.send_replace(true);
                self.save(response, algorithm).await
            }
            StatusCode::NOT_FOUND => Attempt::Failed(FetchError::NotFound),
            status if backoff::is_retryable(status) => {
                Attempt::Retry { wait: backoff::server_wait(status, response.headers()), error: None }
            }
            status => {
                let url = RedactedUrl::new(url.as_str()).to_string();
                Attempt::Failed(FetchError::Status { url, status })
            }
        }
    }

    /// Hashing and writing go to the pool, a batch at a time: nothing blocks the runtime.
    async fn save(&self, mut response: Response, algorithm: Algorithm) -> Attempt {
        let limit = self.options.max_download_bytes;
        let folder = self.trees.folder().to_owned();
        let mut spool = None;
        let mut received = 0;
        loop {
            let (batch, is_last) = match batch_of(&mut response).await {
                Ok(batch) => batch,
                Err(error) => return Attempt::Retry { wait: None, error: Some(error) },
            };
            received += batch.len() as u64;
            if received > limit {
                return Attempt::Failed(FetchError::TooLarge { limit });
            }
            let (begun, folder) = (spool.take(), folder.clone());
            let written = self.blocking(move |_| {
                let mut spool = match begun {
                    Some(spool) => spool,
                    None => Spool::open(&folder, algorithm)?,
                };
                spool.write(&batch)?;
                if is_last { spool.finish().map(Written::Whole) } else { Ok(Written::Part(spool)) }
            });
            match written.await {
                Ok(Written::Part(part)) => spool = Some(part),
                Ok(Written::Whole((file, digest))) => return Attempt::Done(file, digest),
                Err(error) => return Attempt::Failed(error),
            }
        }
    }
}

/// The next part of a body, and whether it is the last one.
async fn batch_of(response: &mut Response) -> Result<(Vec<u8>, bool), HttpError> {
    let mut batch = Vec::new();
    while batch.len() < BATCH {
        let Some(chunk) = response.chunk().await? else { return Ok((batch, true)) };
        batch.extend_from_slice(&chunk);
    }
    Ok((batch, false))
}

/// A file without a name, and the hash of what is in it.
struct Spool {
    file: File,
    hasher: Hasher,
}

enum Written {
    Part(Spool),
    Whole((File, Digest)),
}

impl Spool {
    fn open(folder: &Path, algorithm: Algorithm) -> Result<Self, FetchError> {
        let file = tempfile::tempfile_in(folder).map_err(|error| FetchError::TempFile(Arc::new(error)))?;
        Ok(Self { file, hasher: Hasher::new(algorithm) })
    }

    fn write(&mut self, batch: &[u8]) -> Result<(), FetchError> {
        self.hasher.update(batch);
        self.file.write_all(batch).map_err(FetchError::spool)
    }

    fn finish(mut self) -> Result<(File, Digest), FetchError> {
        self.file.rewind().map_err(FetchError::spool)?;
        Ok((self.file, self.hasher.finish()))
    }
}
