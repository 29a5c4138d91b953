//! Request bodies, read within limits: of one body, of its time, and of all bodies together.

use std::{ops::Deref, sync::Arc, time::Duration};

use axum::{
    body::Body,
    response::{IntoResponse as _, Response},
};
use bytes::BytesMut;
use http::{HeaderValue, StatusCode, header};
use http_body::Body as _;
use http_body_util::BodyExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The longest body that is accepted.
const MAX_BODY_BYTES: usize = 3 * 1024 * 1024;

/// What the bodies of one server may occupy together; senders are asked to come back when it is used up.
const MAX_BYTES_AT_A_TIME: usize = 64 * 1024 * 1024;

/// How long a sender may take for its body.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Reads the bodies of one server; clones share its memory.
#[derive(Clone, Debug)]
pub(crate) struct Bodies {
    free_bytes: Arc<Semaphore>,
    logger: &'static str,
}

/// A body in memory, which is given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    bytes: BytesMut,
    memory: Option<OwnedSemaphorePermit>,
}

impl Deref for Held {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

/// A body that is not read to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused(pub(crate) StatusCode);

impl Refused {
    /// The answer: nobody knows where in the stream the next request would begin, so the connection ends with it.
    pub(crate) fn response(&self) -> Response {
        let mut response = self.0.into_response();
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        response
    }
}

/// What is wrong with a body.
#[derive(Debug, thiserror::Error)]
enum BodyError {
    #[error("request body exceeds the maximum size of {MAX_BODY_BYTES} bytes")]
    TooLong,
    #[error("{0}")]
    Broken(axum::Error),
    #[error("request body took longer than {} seconds", READ_TIMEOUT.as_secs())]
    TooSlow,
    #[error("request bodies under way exceed {MAX_BYTES_AT_A_TIME} bytes")]
    NoMemory,
}

impl BodyError {
    fn status(&self) -> StatusCode {
        match self {
            Self::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Broken(_) | Self::TooSlow => StatusCode::BAD_REQUEST,
            Self::NoMemory => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

impl Bodies {
    /// Makes a reader whose refusals are logged for `logger`.
    pub(crate) fn new(logger: &'static str) -> Self {
        Self { free_bytes: Arc::new(Semaphore::new(MAX_BYTES_AT_A_TIME)), logger }
    }

    /// Reads a whole body.
    ///
    /// # Errors
    ///
    /// The status to answer with, after the cause has been logged.
    pub(crate) async fn read(&self, body: Body) -> Result<Held, Refused> {
        let read = tokio::time::timeout(READ_TIMEOUT, self.collect(body)).await;
        read.unwrap_or(Err(BodyError::TooSlow)).map_err(|error| {
            tracing::error!(logger = self.logger, %error, "reading the request body failed");
            Refused(error.status())
        })
    }

    async fn collect(&self, mut body: Body) -> Result<Held, BodyError> {
        // Who announces too much is not even asked to send it.
        if body.size_hint().lower() > MAX_BODY_BYTES as u64 {
            return Err(BodyError::TooLong);
        }
        let mut held = Held { bytes: BytesMut::new(), memory: None };
        while let Some(frame) = body.frame().await {
            let Ok(piece) = frame.map_err(BodyError::Broken)?.into_data() else { continue };
            if held.bytes.len() + piece.len() > MAX_BODY_BYTES {
                return Err(BodyError::TooLong);
            }
            held.occupy(self.take(piece.len())?);
            held.bytes.extend_from_slice(&piece);
        }
        Ok(held)
    }

    /// Takes memory without waiting: whoever waited would hold what others wait for.
    fn take(&self, bytes: usize) -> Result<OwnedSemaphorePermit, BodyError> {
        let bytes = u32::try_from(bytes).map_err(|_| BodyError::NoMemory)?;
        Arc::clone(&self.free_bytes).try_acquire_many_owned(bytes).map_err(|_| BodyError::NoMemory)
    }
}

impl Held {
    fn occupy(&mut self, more: OwnedSemaphorePermit) {
        match &mut self.memory {
            Some(memory) => memory.merge(more),
            none => *none = Some(more),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use bytes::Bytes;
    use futures::{StreamExt as _, stream};
    use tokio::time::{Instant, sleep};

    use super::*;

    async fn status(bodies: &Bodies, body: Body) -> Result<usize, StatusCode> {
        bodies.read(body).await.map(|held| held.len()).map_err(|refused| refused.0)
    }

    /// NC-010
    #[tokio::test]
    async fn the_longest_body_has_three_mebibytes() {
        let bodies = Bodies::new("test");
        let longest = status(&bodies, Body::from(vec![b' '; MAX_BODY_BYTES])).await;
        assert_eq!(longest, Ok(3_145_728));
        let longer = status(&bodies, Body::from(vec![b' '; MAX_BODY_BYTES + 1])).await;
        assert_eq!(longer, Err(StatusCode::PAYLOAD_TOO_LARGE));
    }

    #[tokio::test]
    async fn a_body_without_end_is_read_no_further_than_its_limit() {
        let piece = Bytes::from(vec![b'x'; 1024 * 1024]);
        let pieces = stream::iter(0..).map(move |at| {
            assert!(at <= 3, "read on after the limit");
            Ok::<_, Infallible>(piece.clone())
        });
        let refused = status(&Bodies::new("test"), Body::from_stream(pieces)).await;
        assert_eq!(refused, Err(StatusCode::PAYLOAD_TOO_LARGE));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_trickles_is_given_up_after_thirty_seconds() {
        let drops = stream::unfold((), |()| async {
            sleep(Duration::from_secs(1)).await;
            Some((Ok::<_, Infallible>(Bytes::from_static(b" ")), ()))
        });
        let began = Instant::now();
        assert_eq!(
            status(&Bodies::new("test"), Body::from_stream(drops)).await,
            Err(StatusCode::BAD_REQUEST)
        );
        assert_eq!(began.elapsed(), READ_TIMEOUT);
    }

    #[tokio::test]
    async fn all_bodies_together_have_a_limit_and_give_their_memory_back() {
        let bodies = Bodies::new("test");
        let full = || Body::from(vec![b' '; MAX_BODY_BYTES]);
        let mut held = Vec::new();
        for _ in 0..MAX_BYTES_AT_A_TIME / MAX_BODY_BYTES {
            held.push(bodies.read(full()).await.unwrap());
        }
        assert_eq!(status(&bodies, full()).await, Err(StatusCode::SERVICE_UNAVAILABLE));
        assert_eq!(status(&bodies, Body::from("{}")).await, Ok(2), "what is left is for others");
        held.pop();
        assert_eq!(status(&bodies, full()).await, Ok(MAX_BODY_BYTES));
        drop(held);
        assert_eq!(bodies.free_bytes.available_permits(), MAX_BYTES_AT_A_TIME);
    }
}
