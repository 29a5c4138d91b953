//! Waiting until objects are healthy: told by watches, one for all that wait for the same kind in the same namespace
//! under the same identity.
//!
//! Contract: kustomize-controller §6.2.

mod board;
mod feed;
mod reading;
mod watches;

use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt as _, stream};
use tokio::sync::Notify;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep_until, timeout};

use self::board::Board;
pub use self::board::{WaitError, WaitItem};
use self::reading::Reading;
pub use self::reading::Watched;
pub(crate) use self::watches::Watches;
use crate::client::{ApiError, Mapping, Target};
use crate::engine::Engine;
use crate::health::Status;

/// How often a deleted object is asked for.
pub(crate) const DELETION_POLL: Duration = Duration::from_secs(2);
/// How often an object is read that no watch tells about.
const POLL: Duration = Duration::from_secs(5);
/// How many polls pass until an object is read again although a watch tells about it.
const POLLS_PER_CHECK: u32 = 6;
/// How long the last look at the deadline may take.
const LAST_LOOK: Duration = Duration::from_secs(2);
/// How many objects are read at a time.
const READS: usize = 4;

/// How to wait.
#[derive(Clone, Copy, Debug)]
pub struct WaitOptions {
    /// When to give up.
    pub timeout: Duration,
    /// Whether the first failed object ends the wait; else one that failed is told when no other is still on its way.
    pub fail_fast: bool,
}

impl Engine {
    /// Waits until all objects are current. Dropping the future ends the wait and what was opened for it.
    pub async fn wait(&self, watched: &[Watched], options: &WaitOptions) -> Result<(), WaitError> {
        let deadline = Instant::now() + options.timeout;
        let mut board = Board::new(watched, options.fail_fast);
        if let Some(end) = board.verdict() {
            return end;
        }
        let mut wait = Wait { engine: self, board: &mut board, wake: Arc::new(Notify::new()) };
        let outcome = tokio::select! {
            biased;
            outcome = wait.run() => Some(outcome),
            () = sleep_until(deadline) => None,
        };
        if let Some(outcome) = outcome {
            return outcome;
        }
        // No timeout is told from what a watch may have missed.
        let last_look = wait.read(|item| !item.is_current());
        let _ = timeout(LAST_LOOK, last_look).await;
        board.timed_out()
    }
}

struct Wait<'a> {
    engine: &'a Engine,
    board: &'a mut Board,
    wake: Arc<Notify>,
}

impl Wait<'_> {
    /// Looks up where the objects are. A namespaced object without a namespace ends the wait; a kind that is unknown may
    /// become known.
    async fn find_targets(&mut self) -> Result<(), WaitError> {
        for item in &mut self.board.items {
            let gvk = item.watched.id.gvk(&item.watched.version);
            let id = &item.watched.id;
            match self.engine.cluster.discovery().mapping_of_any_version(&gvk).await {
                Ok(Some(mapping)) => match Target::new(mapping, &id.namespace, &id.name) {
                    Ok(target) => item.target = Some(target),
                    Err(_) => return Err(WaitError::no_namespace(&gvk, &id.name)),
                },
                Ok(None) => item.reading = Some(Reading::unknown(&ApiError::NoMatch(Box::new(gvk)))),
                Err(error) => item.reading = Some(Reading::unknown(&error)),
            }
        }
        Ok(())
    }

    /// Opens or joins a watch for each kind and namespace with an object that may still change.
    fn subscribe(&mut self) {
        let mut groups: Vec<(Mapping, String)> = Vec::new();
        for item in self.board.items.iter().filter(|item| !item.is_settled()) {
            let Some(target) = &item.target else { continue };
            let group = (target.mapping.clone(), target.namespace.clone());
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
        for (mapping, namespace) in groups {
            let in_group = |item: &&mut board::Item| {
                item.target
                    .as_ref()
                    .is_some_and(|target| target.mapping == mapping && target.namespace == namespace)
            };
            let mut items: Vec<&mut board::Item> = self.board.items.iter_mut().filter(in_group).collect();
            // Only the answer to a write is sure to be recent enough to watch from.
            let start = items
                .iter()
                .filter(|item| !item.is_settled())
                .map(|item| {
                    item.reading.as_ref().filter(|_| item.watched.is_written).and_then(|seen| seen.version)
                })
                .min()
                .flatten();
            let feed = self.engine.shared.watches.join(self.engine, &mapping, &namespace, start, &self.wake);
            for item in &mut items {
                item.feed = Some(Arc::clone(&feed));
            }
        }
    }

    async fn run(&mut self) -> Result<(), WaitError> {
        self.find_targets().await?;
        self.subscribe();
        self.read(|item| item.reading.is_none() || item.is_behind()).await;
        self.until_end().await
    }

    /// Until the board has a verdict.
    async fn until_end(&mut self) -> Result<(), WaitError> {
        let mut ticks = interval_at(Instant::now() + POLL, POLL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut count = 0_u32;
        loop {
            self.take_news();
            self.read(board::Item::has_gap).await;
            if let Some(end) = self.board.verdict() {
                return end;
            }
            tokio::select! {
                () = self.wake.notified() => {}
                _ = ticks.tick() => {
                    count += 1;
                    if self.board.items.iter().any(|item| item.target.is_none()) {
                        self.find_targets().await?;
                    }
                    let all = count.is_multiple_of(POLLS_PER_CHECK);
                    self.read(|item| !item.is_settled() && (all || item.needs_polling())).await;
                }
            }
        }
    }

    /// Takes over what the watches have seen.
    fn take_news(&mut self) {
        for item in &mut self.board.items {
            item.take_news();
        }
    }

    /// Reads the chosen objects.
    async fn read(&mut self, choose: impl Fn(&board::Item) -> bool) {
        let engine = self.engine;
        let chosen: Vec<usize> =
            (0..self.board.items.len()).filter(|index| choose(&self.board.items[*index])).collect();
        let items = &self.board.items;
        let reads = chosen.into_iter().map(|index| {
            let item = &items[index];
            let gaps = item.feed.as_ref().map_or(0, |feed| feed.gaps());
            async move { (index, gaps, read(engine, item).await) }
        });
        let readings: Vec<(usize, u64, Reading)> = stream::iter(reads).buffered(READS).collect().await;
        for (index, gaps, reading) in readings {
            let item = &mut self.board.items[index];
            item.reading = Some(reading);
            item.seen_gaps = gaps;
        }
    }
}

/// The object as it is now, its pods included where they matter.
async fn read(engine: &Engine, item: &board::Item) -> Reading {
    let Some(target) = &item.target else {
        return item.reading.clone().unwrap_or_else(Reading::missing);
    };
    let live = match engine.cluster.fetch(target).await {
        Ok(live) => live,
        Err(error) if error.is_not_found() => return Reading::missing(),
        Err(error) => return Reading::unknown(&error),
    };
    engine.remember(&live);
    let reading = Reading::of(&live, engine.now());
    match &reading.pods {
        Some(_) if reading.status == Status::InProgress => {
            reading::with_pods(engine, reading, &target.namespace).await
        }
        _ => reading,
    }
}
