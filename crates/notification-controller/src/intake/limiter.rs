//! Duplicate suppression: one event per key and window.
//!
//! Contract: notification-controller §2.4.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use sha2::{Digest as _, Sha256};

use crate::event::Event;

/// What a repeated event has in common with the first, hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SuppressionKey([u8; 32]);

impl SuppressionKey {
    /// Builds the key of an event whose metadata has been cleaned but still holds the token.
    pub(super) fn of(event: &Event) -> Self {
        let object = &event.involved_object;
        let mut hash = Sha256::new();
        hash.update("event");
        for (name, value) in [
            ("name", &object.name),
            ("namespace", &object.namespace),
            ("kind", &object.kind),
            ("message", &event.message),
        ] {
            hash.update(format!("/{name}="));
            hash.update(value);
        }
        for name in ["originRevision", "revision", "token"] {
            if let Some(value) = event.metadata.get(&format!("{}/{name}", object.group())) {
                hash.update(format!("/{name}="));
                hash.update(value);
            }
        }
        Self(hash.finalize().into())
    }
}

/// What the limiter makes of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decision {
    /// Whether the event is the first of its window.
    pub passes: bool,
    /// When the next window begins.
    pub reset: Timestamp,
}

/// Remembers which keys were seen in their current window; in memory only.
#[derive(Debug)]
pub(super) struct Limiter {
    interval: SignedDuration,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    windows: HashMap<SuppressionKey, Window>,
    next_sweep: Timestamp,
}

#[derive(Clone, Copy, Debug)]
struct Window {
    /// When the first window of this key began.
    origin: Timestamp,
    /// When the window began in which an event passed last.
    passed: Timestamp,
}

/// Beyond this many keys everything is forgotten: a repeated message is better than a lost one.
const MAX_KEYS: usize = 100_000;

impl Limiter {
    /// Makes a limiter with windows of `interval`; zero falls back to one second.
    pub(super) fn new(interval: Duration, now: Timestamp) -> Self {
        let interval = SignedDuration::try_from(interval).unwrap_or(SignedDuration::MAX);
        let interval = if interval.is_zero() { SignedDuration::from_secs(1) } else { interval };
        let state = State { windows: HashMap::new(), next_sweep: saturating_add(now, interval) };
        Self { interval, state: Mutex::new(state) }
    }

    /// Takes the one token of `key`'s window at `now`.
    pub(super) fn take(&self, key: SuppressionKey, now: Timestamp) -> Decision {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.sweep(self.interval, now);
        match state.windows.get_mut(&key) {
            None => {
                if state.windows.len() >= MAX_KEYS {
                    state.windows.clear();
                }
                state.windows.insert(key, Window { origin: now, passed: now });
                Decision { passes: true, reset: saturating_add(now, self.interval) }
            }
            Some(window) => {
                let start = window_start(window.origin, self.interval, now);
                let passes = start > window.passed;
                window.passed = window.passed.max(start);
                Decision { passes, reset: saturating_add(window.passed, self.interval) }
            }
        }
    }
}

impl State {
    /// Forgets keys whose last passing window began more than two intervals ago; at most once per interval.
    fn sweep(&mut self, interval: SignedDuration, now: Timestamp) {
        if now < self.next_sweep {
            return;
        }
        self.next_sweep = saturating_add(now, interval);
        let horizon = now.checked_sub(interval.saturating_mul(2)).unwrap_or(Timestamp::MIN);
        self.windows.retain(|_, window| window.passed >= horizon);
    }
}

/// The start of the window `now` falls in, windows being counted from `origin`.
fn window_start(origin: Timestamp, interval: SignedDuration, now: Timestamp) -> Timestamp {
    let elapsed = now.duration_since(origin).as_nanos().max(0);
    let into_window = elapsed % interval.as_nanos().max(1);
    now.checked_sub(SignedDuration::from_nanos_i128(into_window)).unwrap_or(origin).max(origin)
}

fn saturating_add(time: Timestamp, duration: SignedDuration) -> Timestamp {
    time.checked_add(duration).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::fixtures::e1;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millisecond(1_767_323_045_000 + millis).unwrap()
    }

    #[test]
    fn the_key_of_the_example_event_is_that_of_the_contract() {
        assert_eq!(
            crate::hex::encode(&SuppressionKey::of(&e1()).0),
            "3a38326d5951e3884404d58658086fa92d613d34522ec576eb436dd4c448606c"
        );
    }

    /// NC-004, NC-005, NC-006, NC-007, NC-009
    #[test]
    fn only_what_is_in_the_key_tells_events_apart() {
        let first = SuppressionKey::of(&e1());
        let group = "kustomize.toolkit.fluxcd.io";
        let mut quieter = e1();
        quieter.severity = "info".into();
        quieter.reason = "X".into();
        quieter.metadata.insert("event.toolkit.fluxcd.io/foo".into(), "1".into());
        assert_eq!(SuppressionKey::of(&quieter), first);
        for key in ["revision", "token", "originRevision"] {
            let mut other = e1();
            other.metadata.insert(format!("{group}/{key}"), "x".into());
            assert_ne!(SuppressionKey::of(&other), first, "{key}");
        }
        assert_eq!(
            SuppressionKey::of(&Event::decode(b"{}").unwrap()),
            SuppressionKey::of(&Event::decode(b"null").unwrap())
        );
    }

    /// NC-003
    #[test]
    fn windows_are_aligned_to_the_first_event() {
        let limiter = Limiter::new(Duration::from_secs(3), at(0));
        let key = SuppressionKey::of(&e1());
        let taken = [0, 2000, 3500, 5000, 6500].map(|millis| limiter.take(key, at(millis)).passes);
        assert_eq!(taken, [true, false, true, false, true]);
    }

    #[test]
    fn the_reset_time_is_the_end_of_the_current_window() {
        let limiter = Limiter::new(Duration::from_mins(5), at(0));
        let key = SuppressionKey::of(&e1());
        assert_eq!(limiter.take(key, at(0)), Decision { passes: true, reset: at(300_000) });
        assert_eq!(limiter.take(key, at(1000)), Decision { passes: false, reset: at(300_000) });
        assert_eq!(limiter.take(key, at(450_000)), Decision { passes: true, reset: at(600_000) });
    }

    #[test]
    fn a_swept_key_starts_afresh() {
        let limiter = Limiter::new(Duration::from_secs(10), at(0));
        let key = SuppressionKey::of(&e1());
        limiter.take(key, at(0));
        let decision = limiter.take(key, at(31_000));
        assert_eq!(decision, Decision { passes: true, reset: at(41_000) });
    }

    #[test]
    fn a_zero_interval_means_one_second() {
        let limiter = Limiter::new(Duration::ZERO, at(0));
        let key = SuppressionKey::of(&e1());
        assert_eq!([0, 999, 1000].map(|millis| limiter.take(key, at(millis)).passes), [true, false, true]);
    }
}
