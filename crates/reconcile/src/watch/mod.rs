//! Watches that keep a summary per object, and tell what changed.
//!
//! Summaries hold what triggers and indexes need; the full object is read at the start of a run. One malformed object is
//! skipped and reported, never fatal. A watch goes on until the process ends: should it break, it is started again.

use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use futures::{FutureExt as _, StreamExt as _};
use kube::Api;
use kube::core::{DeserializeGuard, PartialObjectMeta};
use kube::runtime::WatchStreamExt as _;
use kube::runtime::watcher::{self, Event};
use serde::de::DeserializeOwned;
use tokio::sync::watch as signal;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::client::error_text;
use crate::failure::panic_text;
use crate::key::Key;
use crate::metrics::background;
use crate::queue::Backoff;

/// How long a watch that broke waits before it is started again.
const RESTART: Backoff = Backoff { base: Duration::from_secs(1), cap: Duration::from_secs(30) };

/// What happened to an object.
#[derive(Debug, PartialEq, Eq)]
pub enum Seen<'a, S> {
    /// It was there when the watch began.
    Initial(&'a Key, &'a S),
    /// It is new.
    Added(&'a Key, &'a S),
    /// Its summary changed.
    Changed {
        /// Which one.
        key: &'a Key,
        /// The summary before.
        before: &'a S,
        /// The summary now.
        after: &'a S,
    },
    /// It is gone.
    Deleted(&'a Key, &'a S),
}

/// The summaries of one kind.
#[derive(Debug)]
pub struct Index<S> {
    entries: RwLock<HashMap<Key, S>>,
    synced: signal::Sender<bool>,
}

impl<S> Default for Index<S> {
    fn default() -> Self {
        Self { entries: RwLock::default(), synced: signal::Sender::new(false) }
    }
}

impl<S: Clone + PartialEq> Index<S> {
    /// The summary of `key`.
    pub fn get(&self, key: &Key) -> Option<S> {
        self.entries.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    /// The keys whose summaries match.
    pub fn keys_where(&self, mut matches: impl FnMut(&Key, &S) -> bool) -> Vec<Key> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        entries.iter().filter(|(key, summary)| matches(key, summary)).map(|(key, _)| key.clone()).collect()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.entries.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Waits until the first list is complete.
    pub async fn synced(&self) {
        let mut synced = self.synced.subscribe();
        // The sender lives as long as `self`, so that the wait can't fail.
        let _ = synced.wait_for(|synced| *synced).await;
    }

    /// Stores a summary and returns the one before.
    fn set(&self, key: &Key, summary: S) -> Option<S> {
        self.entries.write().unwrap_or_else(PoisonError::into_inner).insert(key.clone(), summary)
    }

    fn remove(&self, key: &Key) -> Option<S> {
        self.entries.write().unwrap_or_else(PoisonError::into_inner).remove(key)
    }
}

/// What a watch may hand out: whole objects, or their metadata alone.
pub trait Watched:
    kube::Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + Sync + 'static
{
    /// The object that is summarized.
    type Object;

    /// The object, or what is wrong with it.
    fn parsed(self) -> Result<Self::Object, String>;
}

impl<K> Watched for DeserializeGuard<K>
where
    K: kube::Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + Sync + 'static,
{
    type Object = K;

    fn parsed(self) -> Result<K, String> {
        self.0.map_err(|invalid| invalid.error)
    }
}

impl<K> Watched for PartialObjectMeta<K>
where
    K: kube::Resource<DynamicType = ()> + Clone + Debug + Send + Sync + 'static,
{
    type Object = Self;

    fn parsed(self) -> Result<Self, String> {
        Ok(self)
    }
}

/// Watches one kind until `shutdown`, keeping `index` current and telling `seen` what changed.
///
/// An object that makes `summarize` or `seen` panic is skipped and reported like a malformed one. A watch that panics
/// itself, or ends, is reported, counted, and started again with a new list.
pub async fn watch<W: Watched, S: Clone + PartialEq>(
    api: Api<W>,
    config: watcher::Config,
    index: &Index<S>,
    summarize: impl Fn(&W::Object) -> S,
    mut seen: impl FnMut(Seen<'_, S>),
    shutdown: &CancellationToken,
) {
    let mut failures = 0;
    while !shutdown.is_cancelled() {
        let began = Instant::now();
        let following = follow(api.clone(), config.clone(), index, &summarize, &mut seen, shutdown);
        let reason = match AssertUnwindSafe(following).catch_unwind().await {
            Ok(()) if shutdown.is_cancelled() => return,
            Ok(()) => "the stream of events ended".to_owned(),
            Err(payload) => format!("panic: {}", panic_text(payload.as_ref())),
        };
        report_failure(&W::kind(&()), &reason);
        failures = if began.elapsed() > RESTART.cap { 1 } else { failures + 1 };
        tokio::select! {
            () = tokio::time::sleep(RESTART.delay(failures)) => {}
            () = shutdown.cancelled() => return,
        }
    }
}

/// Logs and counts that a watch broke, or choked on an object.
fn report_failure(kind: &str, reason: &str) {
    background::count_failure(&format!("watch {kind}"));
    tracing::error!(kind, error = reason, "watch broke and will be started again");
}

/// Follows the events of one stream until `shutdown`, or until it ends.
async fn follow<W: Watched, S: Clone + PartialEq>(
    api: Api<W>,
    config: watcher::Config,
    index: &Index<S>,
    summarize: &impl Fn(&W::Object) -> S,
    seen: &mut impl FnMut(Seen<'_, S>),
    shutdown: &CancellationToken,
) {
    let mut events = std::pin::pin!(watcher::watcher(api, config).default_backoff());
    let mut listed = HashSet::new();
    loop {
        let event = tokio::select! {
            event = events.next() => event,
            () = shutdown.cancelled() => return,
        };
        match event {
            None => return,
            Some(Err(error)) => report_watch_error(&W::kind(&()), &error),
            Some(Ok(Event::Init)) => listed.clear(),
            Some(Ok(Event::InitApply(object))) => {
                listed.insert(Key::of(&object));
                let first = !*index.synced.borrow();
                apply(index, object, first, summarize, seen);
            }
            Some(Ok(Event::InitDone)) => {
                for key in index.keys_where(|key, _| !listed.contains(key)) {
                    delete::<W, S>(index, &key, seen);
                }
                listed = HashSet::new();
                index.synced.send_replace(true);
            }
            Some(Ok(Event::Apply(object))) => apply(index, object, false, summarize, seen),
            Some(Ok(Event::Delete(object))) => delete::<W, S>(index, &Key::of(&object), seen),
        }
    }
}

fn report_watch_error(kind: &str, error: &watcher::Error) {
    tracing::warn!(kind, error = watch_error_text(error), "watch failed and will be started again");
}

/// What the API server said, once: the library repeats causes in its texts.
fn watch_error_text(error: &watcher::Error) -> String {
    match error {
        watcher::Error::InitialListFailed(cause) => format!("failed to list objects: {}", error_text(cause)),
        watcher::Error::WatchStartFailed(cause) => {
            format!("failed to start the watch: {}", error_text(cause))
        }
        watcher::Error::WatchFailed(cause) => format!("the watch broke: {}", error_text(cause)),
        watcher::Error::WatchError(status) => format!("the watch was ended: {}", status.message),
        watcher::Error::NoResourceVersion => error.to_string(),
    }
}

fn apply<W: Watched, S: Clone + PartialEq>(
    index: &Index<S>,
    object: W,
    first: bool,
    summarize: &impl Fn(&W::Object) -> S,
    seen: &mut impl FnMut(Seen<'_, S>),
) {
    let key = Key::of(&object);
    let object = match object.parsed() {
        Ok(object) => object,
        Err(error) => {
            tracing::error!(kind = %W::kind(&()), object = %key, error, "object is malformed and is skipped");
            return;
        }
    };
    skipping_panics(&W::kind(&()), &key, || {
        let after = summarize(&object);
        match index.set(&key, after.clone()) {
            None if first => seen(Seen::Initial(&key, &after)),
            None => seen(Seen::Added(&key, &after)),
            Some(before) if before != after => {
                seen(Seen::Changed { key: &key, before: &before, after: &after });
            }
            Some(_) => {}
        }
    });
}

fn delete<W: Watched, S: Clone + PartialEq>(index: &Index<S>, key: &Key, seen: &mut impl FnMut(Seen<'_, S>)) {
    if let Some(before) = index.remove(key) {
        skipping_panics(&W::kind(&()), key, || seen(Seen::Deleted(key, &before)));
    }
}

/// Runs what is done for one object; should that panic, the watch goes on with the next.
fn skipping_panics(kind: &str, key: &Key, work: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(work)) {
        background::count_failure(&format!("watch {kind}"));
        let error = format!("panic: {}", panic_text(payload.as_ref()));
        tracing::error!(kind, object = %key, error, "object can't be handled and is skipped");
    }
}

#[cfg(test)]
mod tests;
