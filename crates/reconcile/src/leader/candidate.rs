//! One participant of one election.

use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

use super::lock::{Lock, Record};
use crate::client::error_text;
use crate::clock::Clock;

/// Who wants a lease, and what it has seen of it.
pub(super) struct Candidate {
    lock: Lock,
    identity: String,
    lease_duration: Duration,
    seen: Option<Seen>,
}

/// A record, and when it was first seen.
struct Seen {
    record: Record,
    at: Instant,
}

impl Seen {
    /// Whether its holder may still count on it.
    fn is_valid(&self, now: Instant) -> bool {
        let duration = u64::try_from(self.record.duration_seconds).unwrap_or(0);
        now < self.at + Duration::from_secs(duration)
    }
}

impl Candidate {
    pub(super) fn new(lock: Lock, identity: String, lease_duration: Duration) -> Self {
        Self { lock, identity, lease_duration, seen: None }
    }

    pub(super) fn lock(&self) -> &Lock {
        &self.lock
    }

    /// Takes or renews the lease, if that is possible now.
    pub(super) async fn try_to_lead(&mut self, clock: &dyn Clock) -> bool {
        let now = clock.now();
        // The holder writes at once: what it wrote last is what is there, unless something went wrong.
        if let Some(seen) =
            self.seen.as_ref().filter(|seen| self.is_mine(&seen.record) && seen.is_valid(Instant::now()))
        {
            let renewed = Record { renewed: Some(now), ..seen.record.clone() };
            if self.write(renewed).await {
                return true;
            }
        }
        let found = match self.look().await {
            Ok(found) => found,
            Err(error) => {
                tracing::error!(
                    logger = "runtime",
                    error = error_text(&error),
                    "Error retrieving lease lock"
                );
                return false;
            }
        };
        let Some(found) = found else { return self.write(self.fresh(now, 0)).await };
        let valid = self.seen.as_ref().is_some_and(|seen| seen.is_valid(Instant::now()));
        if self.is_mine(&found) {
            let renewed = Record { acquired: found.acquired, ..self.fresh(now, found.transitions) };
            return self.write(renewed).await;
        }
        if !found.holder.is_empty() && valid {
            return false;
        }
        self.write(self.fresh(now, found.transitions.saturating_add(1))).await
    }

    /// Reads the lease, and notes when it was first seen like that: the time until it expires begins to run.
    pub(super) async fn look(&mut self) -> Result<Option<Record>, kube::Error> {
        let found = self.lock.read().await?;
        if let Some(found) = &found
            && self.seen.as_ref().is_none_or(|seen| seen.record != *found)
        {
            self.seen = Some(Seen { record: found.clone(), at: Instant::now() });
        }
        Ok(found)
    }

    /// Gives the lease up, if it is still ours, so that another need not wait for its end.
    pub(super) async fn release(&mut self, clock: &dyn Clock) -> Result<(), kube::Error> {
        let Some(found) = self.lock.read().await? else { return Ok(()) };
        if !self.is_mine(&found) {
            return Ok(());
        }
        let now = Some(clock.now());
        let released = Record {
            holder: String::new(),
            duration_seconds: 1,
            acquired: now,
            renewed: now,
            transitions: found.transitions,
        };
        self.seen = None;
        self.lock.write(&released).await
    }

    fn is_mine(&self, record: &Record) -> bool {
        record.holder == self.identity
    }

    fn fresh(&self, now: Timestamp, transitions: i32) -> Record {
        Record {
            holder: self.identity.clone(),
            duration_seconds: i32::try_from(self.lease_duration.as_secs()).unwrap_or(i32::MAX),
            acquired: Some(now),
            renewed: Some(now),
            transitions,
        }
    }

    async fn write(&mut self, record: Record) -> bool {
        match self.lock.write(&record).await {
            Ok(()) => {
                self.seen = Some(Seen { record, at: Instant::now() });
                true
            }
            Err(error) => {
                tracing::debug!(logger = "runtime", error = error_text(&error), "Failed to update lease");
                false
            }
        }
    }
}
