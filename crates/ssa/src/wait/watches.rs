//! Open watches, shared by all who wait.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::io::{AsyncBufRead, AsyncBufReadExt as _};
use millrace_yaml::{Node, json};
use tokio::sync::Notify;
use tokio::time::{interval, sleep};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::feed::Feed;
use super::reading::Reading;
use crate::client::{ApiError, Mapping};
use crate::engine::Engine;
use crate::object::Object as _;

/// How long a watch stays open after the last one who waited.
const LINGER: Duration = Duration::from_secs(5);
/// How long the server keeps a watch open.
const WATCH_SECONDS: u32 = 290;
/// How long to wait before a watch is opened again.
const RETRY: Duration = Duration::from_secs(1);
/// The longest event that is read: more than any object that the API server stores.
const LONGEST_EVENT: usize = 16 << 20;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    identity: Arc<str>,
    mapping: Mapping,
    namespace: String,
}

/// The open watches of the process.
pub(crate) struct Watches {
    open: Arc<Mutex<HashMap<Key, Arc<Feed>>>>,
    tasks: TaskTracker,
    shutdown: CancellationToken,
}

impl Watches {
    pub(crate) fn new(tasks: TaskTracker, shutdown: CancellationToken) -> Self {
        Self { open: Arc::default(), tasks, shutdown }
    }

    /// The feed of a kind in a namespace as the engine's identity sees it. One that is opened for this begins at version
    /// `start`, or with all objects there are.
    pub(super) fn join(
        &self,
        engine: &Engine,
        mapping: &Mapping,
        namespace: &str,
        start: Option<u64>,
        waiter: &Arc<Notify>,
    ) -> Arc<Feed> {
        let identity = Arc::clone(engine.cluster.identity());
        let key = Key { identity, mapping: mapping.clone(), namespace: namespace.to_owned() };
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let feed = match open.entry(key.clone()) {
            Entry::Occupied(entry) => Arc::clone(entry.get()),
            Entry::Vacant(entry) => {
                let feed = Arc::clone(entry.insert(Arc::new(Feed::new(start.unwrap_or(0)))));
                let task = Watch {
                    engine: engine.clone(),
                    key,
                    feed: Arc::clone(&feed),
                    open: Arc::clone(&self.open),
                };
                self.tasks.spawn(self.shutdown.clone().run_until_cancelled_owned(task.run()));
                feed
            }
        };
        // Under the lock, so that the watch can't find itself unused in between.
        feed.add_waiter(waiter);
        feed
    }
}

/// The task behind a feed.
struct Watch {
    engine: Engine,
    key: Key,
    feed: Arc<Feed>,
    open: Arc<Mutex<HashMap<Key, Arc<Feed>>>>,
}

impl Watch {
    async fn run(self) {
        let mut from = self.feed.since();
        loop {
            let outcome = tokio::select! {
                biased;
                () = self.until_unused() => {
                    if self.leave_if_unused() {
                        return;
                    }
                    continue;
                }
                outcome = self.follow_on(&mut from) => outcome,
            };
            // Those who wait read their objects themselves.
            tracing::debug!(
                kind = %self.key.mapping.gvk, namespace = self.key.namespace, error = %outcome, "cannot watch"
            );
            self.open().remove(&self.key);
            self.feed.close();
            return;
        }
    }

    fn open(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Arc<Feed>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the feed out, unless someone has joined in the meantime.
    fn leave_if_unused(&self) -> bool {
        let mut open = self.open();
        if self.feed.has_waiters() {
            return false;
        }
        open.remove(&self.key);
        true
    }

    /// Follows one watch after the other until that is refused.
    async fn follow_on(&self, from: &mut u64) -> ApiError {
        loop {
            match self.follow(from).await {
                Err(error) if error.is_gone() => {
                    *from = 0;
                    self.feed.mark_gap();
                }
                Ok(()) | Err(ApiError::Transport { .. }) => {}
                Err(error) => return error,
            }
            // The next one begins where this one ended, so nothing is missed by not hurrying.
            sleep(RETRY).await;
        }
    }

    /// Until nobody has waited for a while.
    async fn until_unused(&self) {
        let mut ticks = interval(LINGER);
        ticks.tick().await;
        let mut was_unused = false;
        loop {
            ticks.tick().await;
            let is_unused = !self.feed.has_waiters();
            if is_unused && was_unused {
                return;
            }
            was_unused = is_unused;
        }
    }

    /// Reads one watch to its end, moving `from` along.
    async fn follow(&self, from: &mut u64) -> Result<(), ApiError> {
        let Key { mapping, namespace, identity: _ } = &self.key;
        let version = from.to_string();
        let mut events = self.engine.cluster.watch(mapping, namespace, &version, WATCH_SECONDS).await?;
        let mut line = Vec::new();
        while next_line(&mut events, &mut line).await? {
            let event = json::from_slice(&line)
                .map_err(|error| ApiError::Transport { message: error.to_string() })?;
            self.take(&event, from)?;
        }
        Ok(())
    }

    fn take(&self, event: &Node, from: &mut u64) -> Result<(), ApiError> {
        let kind = event.str_at(&["type"]).unwrap_or_default();
        let Some(object) = event.get("object") else { return Ok(()) };
        if kind == "ERROR" {
            let code = object.get("code").and_then(Node::as_i64).and_then(|code| u16::try_from(code).ok());
            let (status, mask) = (json::to_string(object), self.engine.cluster.mask());
            return Err(ApiError::from_answer(code.unwrap_or(500), status.as_bytes(), mask));
        }
        let version = object.meta("resourceVersion").parse::<u64>().ok();
        match kind {
            "ADDED" | "MODIFIED" => {
                if self.is_applied_by_us(object) {
                    self.engine.remember(object);
                }
                self.feed.publish(object.name(), Reading::of(object, self.engine.now()));
            }
            "DELETED" => self.feed.publish(object.name(), Reading::deleted(version)),
            _ => {} // a bookmark
        }
        *from = version.map_or(*from, |version| version.max(*from));
        Ok(())
    }

    /// Only such objects will be compared with a dry run's answer.
    fn is_applied_by_us(&self, object: &Node) -> bool {
        let managers = object.at(&["metadata", "managedFields"]).and_then(Node::as_list).unwrap_or_default();
        managers.iter().any(|entry| entry.str_at(&["manager"]) == Some(self.engine.cluster.manager()))
    }
}

/// Reads a line into `line`; false at the end of the stream.
async fn next_line(stream: &mut (impl AsyncBufRead + Unpin), line: &mut Vec<u8>) -> Result<bool, ApiError> {
    let failed = |message: String| ApiError::Transport { message };
    line.clear();
    loop {
        let chunk = stream.fill_buf().await.map_err(|error| failed(error.to_string()))?;
        if chunk.is_empty() {
            return Ok(false);
        }
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(chunk.len(), |end| end + 1);
        line.extend_from_slice(&chunk[..end.unwrap_or(used)]);
        stream.consume_unpin(used);
        if end.is_some() {
            return Ok(true);
        }
        if line.len() > LONGEST_EVENT {
            return Err(failed(format!("a watch event exceeds {LONGEST_EVENT} bytes")));
        }
    }
}
