//! How long a failing key waits.

use std::time::Duration;

/// Exponential delays: `base`, twice that, and so on up to `cap`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The first delay.
    pub base: Duration,
    /// The longest delay.
    pub cap: Duration,
}

impl Default for Backoff {
    /// The defaults of `--min-retry-delay` and `--max-retry-delay`.
    fn default() -> Self {
        Self { base: Duration::from_millis(750), cap: Duration::from_mins(15) }
    }
}

impl Backoff {
    /// The delay after `failures` failures in a row, of which there is at least one.
    pub fn delay(&self, failures: u32) -> Duration {
        let doublings = failures.saturating_sub(1).min(31);
        self.base.saturating_mul(1 << doublings).min(self.cap)
    }
}
