//! The client-side limit on requests: a token bucket in which requests wait for their turn in order.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// Lets `burst` requests through at once and `qps` per second in the long run; clones share the bucket.
#[derive(Clone, Debug)]
pub(super) struct Limiter {
    qps: f64,
    burst: f64,
    bucket: Arc<Mutex<Bucket>>,
}

#[derive(Debug)]
struct Bucket {
    /// Below zero as many requests wait.
    tokens: f64,
    filled: Instant,
}

impl Limiter {
    /// A full bucket; none at all for a rate or burst that is not positive, which means no limit.
    pub(super) fn new(qps: f64, burst: u32) -> Option<Self> {
        if qps <= 0.0 || burst == 0 {
            return None;
        }
        let burst = f64::from(burst);
        let bucket = Bucket { tokens: burst, filled: Instant::now() };
        Some(Self { qps, burst, bucket: Arc::new(Mutex::new(bucket)) })
    }

    /// Waits for a token.
    pub(super) async fn acquire(&self) {
        if let Some(due) = self.reserve(Instant::now()) {
            sleep_until(due).await;
        }
    }

    /// Takes a token, if need be one of the future; then returns when that will be there.
    fn reserve(&self, now: Instant) -> Option<Instant> {
        let mut bucket = self.bucket.lock().unwrap_or_else(PoisonError::into_inner);
        let gained = now.saturating_duration_since(bucket.filled).as_secs_f64() * self.qps;
        bucket.tokens = (bucket.tokens + gained).min(self.burst) - 1.0;
        bucket.filled = now;
        (bucket.tokens < 0.0).then(|| now + Duration::from_secs_f64(-bucket.tokens / self.qps))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_burst_passes_and_the_rest_comes_at_the_rate() {
        let limiter = Limiter::new(2.0, 3).expect("limits");
        let start = Instant::now();
        for _ in 0..3 {
            limiter.acquire().await;
        }
        assert_eq!(start.elapsed(), Duration::ZERO);
        for _ in 0..4 {
            limiter.acquire().await;
        }
        // Paused time moves in whole milliseconds.
        assert!((start.elapsed().as_secs_f64() - 2.0).abs() < 0.01, "{:?}", start.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn tokens_never_pile_up_beyond_the_burst() {
        let limiter = Limiter::new(10.0, 2).expect("limits");
        tokio::time::advance(Duration::from_mins(1)).await;
        let now = Instant::now();
        assert_eq!([(); 3].map(|()| limiter.reserve(now)).map(|due| due.is_some()), [false, false, true]);
    }

    #[test]
    fn no_rate_is_no_limit() {
        assert!(Limiter::new(-1.0, 300).is_none());
        assert!(Limiter::new(50.0, 0).is_none());
    }
}
