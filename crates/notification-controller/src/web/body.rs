//! Request bodies, read within limits: of one body, of its time, and of all bodies together.
//!
//! A body that nobody is going to look at is only counted, and so takes nothing from the others.

use std::{ops::Deref, sync::Arc, time::Duration};

use axum::{
    body::Body,
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
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
#[derive(Debug, Default)]
pub(crate) struct Held {
    /// Its capacity is what has been taken.
    bytes: Vec<u8>,
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
        let mut held = Held::default();
        self.receive(body, |piece| {
            let more = held.shortage(piece.len());
            held.grow(more, self.take(more)?);
            held.bytes.extend_from_slice(&piece);
            Ok(())
        })
        .await?;
        Ok(held)
    }

    /// Receives a whole body within the same limits and throws it away.
    ///
    /// # Errors
    ///
    /// The status to answer with, after the cause has been logged.
    pub(crate) async fn discard(&self, body: Body) -> Result<(), Refused> {
        self.receive(body, |_| Ok(())).await
    }

    async fn receive(
        &self,
        body: Body,
        take: impl FnMut(Bytes) -> Result<(), BodyError>,
    ) -> Result<(), Refused> {
        let received = tokio::time::timeout(READ_TIMEOUT, each_piece(body, take)).await;
        received.unwrap_or(Err(BodyError::TooSlow)).map_err(|error| {
            tracing::error!(logger = self.logger, %error, "reading the request body failed");
            Refused(error.status())
        })
    }

    /// Takes memory without waiting: whoever waited would hold what others wait for.
    fn take(&self, bytes: usize) -> Result<OwnedSemaphorePermit, BodyError> {
        let bytes = u32::try_from(bytes).map_err(|_| BodyError::NoMemory)?;
        Arc::clone(&self.free_bytes).try_acquire_many_owned(bytes).map_err(|_| BodyError::NoMemory)
    }
}

/// Hands over the pieces of a body that is no longer than it may be.
async fn each_piece(
    mut body: Body,
    mut take: impl FnMut(Bytes) -> Result<(), BodyError>,
) -> Result<(), BodyError> {
    // Who announces too much is not even asked to send it.
    if body.size_hint().lower() > MAX_BODY_BYTES as u64 {
        return Err(BodyError::TooLong);
    }
    let mut length = 0;
    while let Some(frame) = body.frame().await {
        let Ok(piece) = frame.map_err(BodyError::Broken)?.into_data() else { continue };
        length += piece.len();
        if length > MAX_BODY_BYTES {
            return Err(BodyError::TooLong);
        }
        take(piece)?;
    }
    Ok(())
}

impl Held {
    /// How much more memory so many more bytes need: a body that goes on gets twice what it has.
    fn shortage(&self, more: usize) -> usize {
        let wanted = self.bytes.len() + more;
        if wanted <= self.bytes.capacity() {
            return 0;
        }
        wanted.next_power_of_two().min(MAX_BODY_BYTES) - self.bytes.capacity()
    }

    fn grow(&mut self, more: usize, memory: OwnedSemaphorePermit) {
        match &mut self.memory {
            Some(held) => held.merge(memory),
            none => *none = Some(memory),
        }
        self.bytes.reserve_exact(self.bytes.capacity() + more - self.bytes.len());
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

    /// NC-010, NC-122
    #[tokio::test]
    async fn the_longest_body_has_three_mebibytes() {
        let bodies = Bodies::new("test");
        let longest = || Body::from(vec![b' '; MAX_BODY_BYTES]);
        let longer = || Body::from(vec![b' '; MAX_BODY_BYTES + 1]);
        assert_eq!(status(&bodies, longest()).await, Ok(3_145_728));
        assert_eq!(status(&bodies, longer()).await, Err(StatusCode::PAYLOAD_TOO_LARGE));
        assert_eq!(bodies.discard(longest()).await, Ok(()));
        assert_eq!(bodies.discard(longer()).await, Err(Refused(StatusCode::PAYLOAD_TOO_LARGE)));
    }

    #[tokio::test]
    async fn a_body_without_end_is_read_no_further_than_its_limit() {
        let piece = Bytes::from(vec![b'x'; 1024 * 1024]);
        let endless = || {
            let piece = piece.clone();
            Body::from_stream(stream::iter(0..).map(move |at| {
                assert!(at <= 3, "read on after the limit");
                Ok::<_, Infallible>(piece.clone())
            }))
        };
        let bodies = Bodies::new("test");
        assert_eq!(status(&bodies, endless()).await, Err(StatusCode::PAYLOAD_TOO_LARGE));
        assert_eq!(bodies.discard(endless()).await, Err(Refused(StatusCode::PAYLOAD_TOO_LARGE)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_trickles_is_given_up_after_thirty_seconds() {
        let drops = || {
            Body::from_stream(stream::unfold((), |()| async {
                sleep(Duration::from_secs(1)).await;
                Some((Ok::<_, Infallible>(Bytes::from_static(b" ")), ()))
            }))
        };
        let bodies = Bodies::new("test");
        let began = Instant::now();
        assert_eq!(status(&bodies, drops()).await, Err(StatusCode::BAD_REQUEST));
        assert_eq!(began.elapsed(), READ_TIMEOUT);
        assert_eq!(bodies.discard(drops()).await, Err(Refused(StatusCode::BAD_REQUEST)));
        assert_eq!(began.elapsed(), READ_TIMEOUT * 2);
    }

    #[tokio::test]
    async fn a_body_occupies_no_more_than_it_has_taken() {
        let bodies = Bodies::new("test");
        let pieces =
            || stream::iter((0..1000).map(|_| Ok::<_, Infallible>(Bytes::from_static(&[b'x'; 3000]))));
        let held = bodies.read(Body::from_stream(pieces())).await.unwrap();
        let taken = MAX_BYTES_AT_A_TIME - bodies.free_bytes.available_permits();
        assert_eq!(held.len(), 3_000_000);
        assert!(held.bytes.capacity() <= taken, "{} of {taken}", held.bytes.capacity());
        assert!(taken <= MAX_BODY_BYTES, "{taken}");
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
        assert_eq!(bodies.discard(full()).await, Ok(()), "what is thrown away needs no memory");
        assert_eq!(status(&bodies, Body::from("{}")).await, Ok(2), "what is left is for others");
        held.pop();
        assert_eq!(status(&bodies, full()).await, Ok(MAX_BODY_BYTES));
        drop(held);
        assert_eq!(bodies.free_bytes.available_permits(), MAX_BYTES_AT_A_TIME);
    }
}
