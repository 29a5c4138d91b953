//! Faults: which requests they hit, what happens to those, and how long.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, bail};
use tokio::sync::watch;

use super::ApiProxy;
use super::refusal::Refusal;
use super::request::{Match, Seen};
use crate::Result;

/// On which side of the API server's work something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Before the server has seen the request.
    Before,
    /// After the server has taken the request and begun to answer.
    After,
}

/// What happens to a request.
#[derive(Clone, Debug)]
pub(super) enum Effect {
    Hold(Side),
    Lose(Side),
    Delay(Duration),
    Freeze,
    Refuse(Refusal),
}

/// What becomes of held requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Pending,
    Released,
    Aborted,
}

/// A fault in force.
pub(super) struct Rule {
    matching: Match,
    /// The first match that is hit, counted from one, and how many are.
    first: usize,
    times: usize,
    pub(super) effect: Effect,
    matched: AtomicUsize,
    /// How many were hit, and the last of them.
    hits: watch::Sender<(usize, Option<Seen>)>,
    verdict: watch::Sender<Verdict>,
}

impl Rule {
    /// Notes that a request was hit.
    pub(super) fn hit(&self, seen: &Seen) {
        self.hits.send_modify(|(count, last)| {
            *count += 1;
            *last = Some(seen.clone());
        });
    }

    /// Waits until it is decided what becomes of a held request.
    pub(super) async fn verdict(&self) -> Verdict {
        let mut verdict = self.verdict.subscribe();
        verdict
            .wait_for(|verdict| *verdict != Verdict::Pending)
            .await
            .map_or(Verdict::Aborted, |verdict| *verdict)
    }

    fn takes(&self, seen: &Seen) -> bool {
        if !self.matching.fits(seen) {
            return false;
        }
        let number = self.matched.fetch_add(1, Ordering::Relaxed) + 1;
        number >= self.first && number - self.first < self.times
    }
}

/// All faults in force, the oldest first.
#[derive(Default)]
pub(super) struct Rules(Mutex<Vec<Arc<Rule>>>);

impl Rules {
    /// The fault that hits a request: the oldest one. Every fault counts its matches all the same.
    pub(super) fn take(&self, seen: &Seen) -> Option<Arc<Rule>> {
        self.with(|rules| {
            rules.iter().fold(None, |found, rule| {
                let takes = rule.takes(seen);
                found.or_else(|| takes.then(|| Arc::clone(rule)))
            })
        })
    }

    fn with<T>(&self, change: impl FnOnce(&mut Vec<Arc<Rule>>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A fault that is being described; nothing happens before it says what.
#[must_use = "a fault begins by its effect"]
pub struct On<'a> {
    proxy: &'a ApiProxy,
    matching: Match,
    first: usize,
    times: usize,
}

impl<'a> On<'a> {
    pub(super) fn new(proxy: &'a ApiProxy, matching: Match) -> Self {
        Self { proxy, matching, first: 1, times: usize::MAX }
    }

    /// Only the n-th request that fits, counted from one and from now on.
    pub fn nth(self, number: usize) -> Self {
        Self { first: number, times: 1, ..self }
    }

    /// Only the first requests that fit.
    pub fn first(self, times: usize) -> Self {
        Self { first: 1, times, ..self }
    }

    /// Holds them on one side of the server until [`Fault::release`] or [`Fault::abort`].
    pub fn hold(self, side: Side) -> Fault {
        self.begin(Effect::Hold(side))
    }

    /// Loses them on one side of the server: the client sees its stream break.
    pub fn lose(self, side: Side) -> Fault {
        self.begin(Effect::Lose(side))
    }

    /// Passes them on this much later.
    pub fn delay(self, delay: Duration) -> Fault {
        self.begin(Effect::Delay(delay))
    }

    /// Freezes the connections that they come on: those stay open, and no byte passes any more.
    pub fn freeze(self) -> Fault {
        self.begin(Effect::Freeze)
    }

    /// Answers them in the server's place.
    pub fn refuse(self, refusal: Refusal) -> Fault {
        self.begin(Effect::Refuse(refusal))
    }

    fn begin(self, effect: Effect) -> Fault {
        let Self { proxy, matching, first, times } = self;
        let rule = Rule {
            matching,
            first,
            times,
            effect,
            matched: AtomicUsize::new(0),
            hits: watch::Sender::new((0, None)),
            verdict: watch::Sender::new(Verdict::Pending),
        };
        let rule = Arc::new(rule);
        let rules = Arc::clone(&proxy.shared.rules);
        rules.with(|rules| rules.push(Arc::clone(&rule)));
        Fault { rule, rules }
    }
}

/// A fault in force. It ends when this value goes; what is held then goes on.
#[must_use = "a fault ends when this value goes"]
pub struct Fault {
    rule: Arc<Rule>,
    rules: Arc<Rules>,
}

impl Fault {
    /// How many requests it has hit.
    pub fn hits(&self) -> usize {
        self.rule.hits.borrow().0
    }

    /// Waits until it has hit a request, and returns the last one.
    ///
    /// # Errors
    /// When `limit` passes first.
    pub async fn reached(&self, limit: Duration) -> Result<Seen> {
        let mut hits = self.rule.hits.subscribe();
        let hit = tokio::time::timeout(limit, hits.wait_for(|(count, _)| *count > 0)).await;
        let Ok(hit) = hit else {
            bail!("no request was hit within {} s: {:?}", limit.as_secs(), self.rule.matching)
        };
        hit?.1.clone().context("a hit is of a request")
    }

    /// Ends it; what is held goes on.
    pub fn release(self) {
        self.end(Verdict::Released);
    }

    /// Ends it; what is held is lost.
    pub fn abort(self) {
        self.end(Verdict::Aborted);
    }

    fn end(&self, verdict: Verdict) {
        self.rules.with(|rules| rules.retain(|rule| !Arc::ptr_eq(rule, &self.rule)));
        self.rule.verdict.send_if_modified(|now| {
            let first = *now == Verdict::Pending;
            if first {
                *now = verdict;
            }
            first
        });
    }
}

impl Drop for Fault {
    fn drop(&mut self) {
        self.end(Verdict::Released);
    }
}
