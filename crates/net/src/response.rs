//! Answers, read within limits.

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode};
use url::Url;

use crate::{Cause, HttpError, Masker, quote};

/// An answer whose body has not been read yet.
pub struct Response {
    inner: reqwest::Response,
    address: String,
}

impl Response {
    pub(crate) fn new(inner: reqwest::Response, address: String) -> Self {
        Self { inner, address }
    }

    /// The status code.
    pub fn status(&self) -> StatusCode {
        self.inner.status()
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        self.inner.headers()
    }

    /// The URL that answered, which differs from the requested one after redirects.
    pub fn url(&self) -> &Url {
        self.inner.url()
    }

    /// The body's length, when the server says it and the body isn't compressed.
    pub fn content_length(&self) -> Option<u64> {
        self.inner.content_length()
    }

    /// Reads the next piece of the body; `None` at its end. Safe to cancel.
    ///
    /// # Errors
    /// [`HttpError::Transport`] when the connection breaks or a time limit passes.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, HttpError> {
        self.inner.chunk().await.map_err(|err| HttpError::Transport(Cause::of(&err, &self.address)))
    }

    /// Reads the whole body, which may be at most `limit` bytes long.
    ///
    /// # Errors
    /// [`HttpError::BodyTooLarge`] beyond the limit, without reading on; [`HttpError::Transport`] as for
    /// [`chunk`](Self::chunk).
    pub async fn bytes(mut self, limit: usize) -> Result<Bytes, HttpError> {
        if self.content_length().is_some_and(|length| length > limit as u64) {
            return Err(HttpError::BodyTooLarge { limit });
        }
        let mut body = BytesMut::new();
        while let Some(chunk) = self.chunk().await? {
            if body.len() + chunk.len() > limit {
                return Err(HttpError::BodyTooLarge { limit });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body.freeze())
    }

    /// Reads the start of an error body and returns it as it may be shown; what can't be read is left out.
    pub async fn quoted(mut self, masker: &Masker) -> String {
        let mut start = BytesMut::new();
        // Twice the excerpt, so that a secret at its edge is seen whole by the masker.
        while start.len() < 2 * quote::MAX_QUOTE_BYTES {
            match self.chunk().await {
                Ok(Some(chunk)) => start.extend_from_slice(&chunk),
                Ok(None) | Err(_) => break,
            }
        }
        start.truncate(4 * quote::MAX_QUOTE_BYTES);
        masker.quote(&start)
    }
}
