//! The fence: nothing is written by a process that may no longer hold its leases.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use http::Method;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A lease is gone, or nobody knows whether it still is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the lease is no longer held, so nothing may be written")]
pub struct Fenced;

/// Lets requests that change a cluster through only while every lease is held; clones are one fence.
///
/// Without leases it stays open. A held lease is good until a moment that each renewal puts off. So a process that was
/// frozen, and wakes up after that moment, writes nothing even before anybody in it has noticed the loss. Once closed, the
/// fence stays closed, and what was under way is cut.
#[derive(Clone, Debug, Default)]
pub struct Fence(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    closed: CancellationToken,
    held: Mutex<HashMap<String, Instant>>,
}

impl Fence {
    /// Notes that `lease` is held, and counts as held until `until`.
    pub fn hold(&self, lease: &str, until: Instant) {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner).insert(lease.to_owned(), until);
    }

    /// Lets nothing through any more.
    pub fn close(&self) {
        self.0.closed.cancel();
    }

    /// Whether every lease is held at this moment.
    pub fn is_open(&self) -> bool {
        let held = self.0.held.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        !self.0.closed.is_cancelled() && held.values().all(|until| now < *until)
    }

    /// Fails unless every lease is held.
    pub(super) fn check(&self) -> Result<(), Fenced> {
        if self.is_open() { Ok(()) } else { Err(Fenced) }
    }

    /// Drives a request until the fence closes.
    pub(super) async fn guard<T>(&self, request: impl Future<Output = T>) -> Result<T, Fenced> {
        tokio::select! {
            biased;
            () = self.0.closed.cancelled() => Err(Fenced),
            outcome = request => Ok(outcome),
        }
    }
}

/// Whether a request may change something.
pub(super) fn is_write(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_is_open_until_the_first_of_its_leases_runs_out() {
        let fence = Fence::default();
        assert!(fence.is_open(), "without leases nothing is held back");
        let start = Instant::now();
        fence.hold("a", start + Duration::from_secs(10));
        fence.hold("b", start + Duration::from_secs(5));
        tokio::time::advance(Duration::from_secs(4)).await;
        fence.hold("b", start + Duration::from_secs(12));
        tokio::time::advance(Duration::from_secs(5)).await;
        assert!(fence.is_open(), "a renewal puts the end off");
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(!fence.is_open());
    }

    #[tokio::test(start_paused = true)]
    async fn a_closed_fence_stays_closed_and_cuts_what_is_under_way() {
        let fence = Fence::default();
        let (closing, under_way) = (fence.clone(), fence.guard(std::future::pending::<()>()));
        tokio::pin!(under_way);
        assert!(futures::poll!(&mut under_way).is_pending());
        closing.close();
        assert_eq!(under_way.await, Err(Fenced));
        fence.hold("a", Instant::now() + Duration::from_secs(10));
        assert_eq!(fence.check(), Err(Fenced));
    }
}
