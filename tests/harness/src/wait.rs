//! Waiting for something to become true.

use std::time::{Duration, Instant};

use anyhow::bail;

use crate::Result;

const POLL: Duration = Duration::from_millis(50);

/// Polls `probe` until it returns a value.
///
/// # Errors
/// When `limit` passes first; the message names `what`.
pub async fn until<T>(what: &str, limit: Duration, mut probe: impl AsyncFnMut() -> Option<T>) -> Result<T> {
    let started = Instant::now();
    loop {
        if let Some(value) = probe().await {
            return Ok(value);
        }
        if started.elapsed() >= limit {
            bail!("waited {:.1} s for {what}", limit.as_secs_f64());
        }
        tokio::time::sleep(POLL).await;
    }
}
