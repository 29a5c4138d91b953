//! Bodies of answers that have to be complete in time: a server that begins to answer and falls silent must not hold a run.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt as _;
use tokio::time::Sleep;
use tower::BoxError;

use super::transport::AnyBody;

/// The rest of an answer did not come in time.
#[derive(Debug, thiserror::Error)]
#[error("the answer of the API server was not complete within {} seconds", .0.as_secs())]
struct Incomplete(Duration);

struct Timed {
    body: AnyBody,
    limit: Duration,
    end: Pin<Box<Sleep>>,
}

/// `body`, which fails unless it is complete within `limit` from now on.
pub(super) fn within(limit: Duration, body: AnyBody) -> AnyBody {
    Timed { body, limit, end: Box::pin(tokio::time::sleep(limit)) }.boxed_unsync()
}

impl Body for Timed {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        // The clock comes first: a body that trickles for ever always has a frame ready.
        if self.end.as_mut().poll(context).is_ready() {
            return Poll::Ready(Some(Err(Incomplete(self.limit).into())));
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::{Full, StreamBody};

    use super::*;

    const LIMIT: Duration = Duration::from_secs(10);

    /// A body of one byte every `pause`.
    fn trickle(pause: Duration) -> AnyBody {
        let frames = futures::stream::unfold((), move |()| async move {
            tokio::time::sleep(pause).await;
            Some((Ok::<_, BoxError>(Frame::data(Bytes::from_static(b"x"))), ()))
        });
        StreamBody::new(frames).boxed_unsync()
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_stalls_or_never_ends_fails_when_its_time_is_up() {
        for pause in [Duration::from_hours(1), Duration::from_millis(1)] {
            let start = tokio::time::Instant::now();
            let error = within(LIMIT, trickle(pause)).collect().await.expect_err("too slow");
            assert_eq!(error.to_string(), "the answer of the API server was not complete within 10 seconds");
            assert_eq!(start.elapsed().as_secs(), 10, "{pause:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_is_complete_in_time_passes() {
        let body = Full::new(Bytes::from_static(b"all of it")).map_err(BoxError::from).boxed_unsync();
        assert_eq!(&within(LIMIT, body).collect().await.expect("complete").to_bytes()[..], b"all of it");
    }
}
