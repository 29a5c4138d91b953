//! Watches that keep a summary per object, and tell what changed.
//!
//! Summaries hold what triggers and indexes need; the full object is read at the start of a run. One malformed object is
//! skipped and reported, never fatal.

use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::sync::{PoisonError, RwLock};

use futures::StreamExt as _;
use kube::Api;
use kube::core::{DeserializeGuard, PartialObjectMeta};
use kube::runtime::WatchStreamExt as _;
use kube::runtime::watcher::{self, Event};
use serde::de::DeserializeOwned;
use tokio::sync::watch as signal;
use tokio_util::sync::CancellationToken;

use crate::key::Key;

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
pub async fn watch<W: Watched, S: Clone + PartialEq>(
    api: Api<W>,
    config: watcher::Config,
    index: &Index<S>,
    summarize: impl Fn(&W::Object) -> S,
    mut seen: impl FnMut(Seen<'_, S>),
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
                apply(index, object, first, &summarize, &mut seen);
            }
            Some(Ok(Event::InitDone)) => {
                for key in index.keys_where(|key, _| !listed.contains(key)) {
                    delete(index, &key, &mut seen);
                }
                listed = HashSet::new();
                index.synced.send_replace(true);
            }
            Some(Ok(Event::Apply(object))) => apply(index, object, false, &summarize, &mut seen),
            Some(Ok(Event::Delete(object))) => delete(index, &Key::of(&object), &mut seen),
        }
    }
}

fn report_watch_error(kind: &str, error: &watcher::Error) {
    tracing::warn!(kind, error = %crate::failure::chain(error), "watch failed and will be started again");
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
    let after = summarize(&object);
    match index.set(&key, after.clone()) {
        None if first => seen(Seen::Initial(&key, &after)),
        None => seen(Seen::Added(&key, &after)),
        Some(before) if before != after => seen(Seen::Changed { key: &key, before: &before, after: &after }),
        Some(_) => {}
    }
}

fn delete<S: Clone + PartialEq>(index: &Index<S>, key: &Key, seen: &mut impl FnMut(Seen<'_, S>)) {
    if let Some(before) = index.remove(key) {
        seen(Seen::Deleted(key, &before));
    }
}
