//! One download, retried.

use std::{fs::File, io::Write as _, time::Duration};

use http::{Method, StatusCode};
use millrace_api::meta::{Algorithm, Digest};
use millrace_net::{HttpError, Response};
use url::Url;

use super::{FetchError, Fetcher, backoff, blocking, rewind};
use crate::digest::Hasher;

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
    /// Downloads to a file without a name, rewound, and hashes it on the way.
    pub(super) async fn download(
        &self,
        url: &Url,
        algorithm: Algorithm,
    ) -> Result<(File, Digest), FetchError> {
        let mut attempts = 0;
        loop {
            let (wait, error) = match self.attempt(url, algorithm).await {
                Attempt::Done(file, digest) => return Ok((file, digest)),
                Attempt::Failed(err) => return Err(err),
                Attempt::Retry { wait, error } => (wait, error),
            };
            attempts += 1;
            let final_attempt =
                attempts > self.options.retries || error.as_ref().is_some_and(|err| !err.is_retryable());
            if final_attempt {
                let url = url.to_string();
                return Err(match error {
                    Some(source) => FetchError::Unreachable { url, attempts, source },
                    None => FetchError::GaveUp { url, attempts },
                });
            }
            let backoff = backoff::wait(attempts - 1, self.options.min_wait, self.options.max_wait);
            let wait = wait.unwrap_or(backoff);
            tracing::debug!(%url, attempts, ?wait, "retrying artifact download");
            tokio::time::sleep(wait).await;
        }
    }

    async fn attempt(&self, url: &Url, algorithm: Algorithm) -> Attempt {
        let response = match self.client.send(self.client.request(Method::GET, url.clone())).await {
            Ok(response) => response,
            Err(error) => return Attempt::Retry { wait: None, error: Some(error) },
        };
        match response.status() {
            StatusCode::OK => self.save(response, algorithm).await,
            StatusCode::NOT_FOUND => Attempt::Failed(FetchError::NotFound),
            status if backoff::is_retryable(status) => {
                Attempt::Retry { wait: backoff::server_wait(status, response.headers()), error: None }
            }
            status => Attempt::Failed(FetchError::Status { url: url.to_string(), status }),
        }
    }

    async fn save(&self, mut response: Response, algorithm: Algorithm) -> Attempt {
        let limit = self.options.max_download_bytes;
        let folder = self.trees.folder().to_owned();
        let opened = blocking(move || tempfile::tempfile_in(folder).map_err(FetchError::Spool)).await;
        let (mut file, mut hasher, mut received) = match opened {
            Ok(file) => (file, Hasher::new(algorithm), 0),
            Err(err) => return Attempt::Failed(err),
        };
        loop {
            let chunk = match response.chunk().await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                Err(error) => return Attempt::Retry { wait: None, error: Some(error) },
            };
            received += chunk.len() as u64;
            if received > limit {
                return Attempt::Failed(FetchError::TooLarge { limit });
            }
            // Hashing and writing go to the pool together: one trip per chunk, nothing blocks the runtime.
            let written = blocking(move || {
                hasher.update(&chunk);
                file.write_all(&chunk).map_err(FetchError::Spool)?;
                Ok((file, hasher))
            });
            (file, hasher) = match written.await {
                Ok(state) => state,
                Err(err) => return Attempt::Failed(err),
            };
        }
        match rewind(file) {
            Ok(file) => Attempt::Done(file, hasher.finish()),
            Err(err) => Attempt::Failed(err),
        }
    }
}
