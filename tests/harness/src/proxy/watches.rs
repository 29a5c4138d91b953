//! Watches under way, so that they can be ended as the API server ends them.

use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame};
use hyper::body::Incoming;
use tokio_util::sync::{CancellationToken, DropGuard, WaitForCancellationFutureOwned};

use super::request::{Match, Seen};

/// The watches under way.
#[derive(Default)]
pub(super) struct Watches(Mutex<Vec<(Seen, CancellationToken)>>);

impl Watches {
    /// Follows a watch through its answer's body.
    pub(super) fn follow(&self, seen: &Seen, body: Incoming) -> Watched {
        let end = CancellationToken::new();
        let mut under_way = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        under_way.retain(|(_, end)| !end.is_cancelled());
        under_way.push((seen.clone(), end.clone()));
        Watched { body, ended: Box::pin(end.clone().cancelled_owned()), _gone: end.drop_guard() }
    }

    /// Ends those that fit, and returns how many they were.
    pub(super) fn end(&self, matching: &Match) -> usize {
        let under_way = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = under_way.iter().filter(|(seen, end)| !end.is_cancelled() && matching.fits(seen));
        ended.map(|(_, end)| end.cancel()).count()
    }
}

/// The body of a watch: the server's, until it is ended.
pub(super) struct Watched {
    body: Incoming,
    ended: Pin<Box<WaitForCancellationFutureOwned>>,
    _gone: DropGuard,
}

impl Body for Watched {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        if self.ended.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.body).poll_frame(context)
    }
}
