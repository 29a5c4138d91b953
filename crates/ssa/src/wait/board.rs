//! The state of a wait, and when it is over: pure.

use std::fmt;
use std::sync::Arc;

use super::feed::Feed;
use super::reading::{Reading, Watched};
use crate::client::Target;
use crate::health::{Status, is_settled_kind};
use crate::object::Gvk;

/// One object of a wait.
pub(super) struct Item {
    pub(super) watched: Watched,
    pub(super) target: Option<Target>,
    pub(super) reading: Option<Reading>,
    pub(super) feed: Option<Arc<Feed>>,
    /// How many gaps the feed had when the object was read last.
    pub(super) seen_gaps: u64,
}

impl Item {
    fn status(&self) -> Status {
        match &self.reading {
            Some(Reading { status: Status::NotFound, .. }) if self.watched.completes_by_deletion => {
                Status::Current
            }
            Some(reading) => reading.status,
            None => Status::Unknown,
        }
    }

    /// Whether the object is as it should be.
    pub(super) fn is_current(&self) -> bool {
        self.status() == Status::Current
    }

    /// Whether the object is current and no controller will change that.
    pub(super) fn is_settled(&self) -> bool {
        let id = &self.watched.id;
        self.is_current() && is_settled_kind(&id.group, &id.kind)
    }

    /// Whether the watch was opened at a later version than the object was read at, so that it may have missed a change.
    pub(super) fn is_behind(&self) -> bool {
        let Some(feed) = &self.feed else { return false };
        let version = self.reading.as_ref().and_then(|reading| reading.version);
        version.is_none_or(|version| version < feed.since())
    }

    /// Whether the watch has lost events since the object was read last.
    pub(super) fn has_gap(&self) -> bool {
        self.feed.as_ref().is_some_and(|feed| feed.gaps() != self.seen_gaps)
    }

    /// Whether only reading the object tells about it: no watch does, or its pods have a say.
    pub(super) fn needs_polling(&self) -> bool {
        let by_pods = self.reading.as_ref().is_some_and(|reading| reading.pods.is_some());
        by_pods || self.feed.as_ref().is_none_or(|feed| feed.is_closed())
    }

    /// Takes over what the watch has seen, unless something newer is known.
    pub(super) fn take_news(&mut self) {
        let Some(feed) = &self.feed else { return };
        let Some(news) = feed.reading(&self.watched.id.name) else { return };
        let known = self.reading.as_ref().and_then(|reading| reading.version);
        if known.is_none_or(|known| news.version.is_some_and(|version| version > known)) {
            self.reading = Some(news);
        }
    }
}

/// All objects of a wait.
pub(super) struct Board {
    pub(super) items: Vec<Item>,
    fail_fast: bool,
}

impl Board {
    pub(super) fn new(watched: &[Watched], fail_fast: bool) -> Self {
        let item = |watched: &Watched| Item {
            reading: watched.seen.clone(),
            watched: watched.clone(),
            target: None,
            feed: None,
            seen_gaps: 0,
        };
        Self { items: watched.iter().map(item).collect(), fail_fast }
    }

    /// Whether the wait is over, and how: all are current, or one has failed and nothing is still on its way (or nobody
    /// wants to wait for that).
    pub(super) fn verdict(&self) -> Option<Result<(), WaitError>> {
        let statuses: Vec<Status> = self.items.iter().map(Item::status).collect();
        if statuses.iter().all(|status| *status == Status::Current) {
            return Some(Ok(()));
        }
        let has_failed = statuses.contains(&Status::Failed);
        let is_final = statuses.iter().all(|status| matches!(status, Status::Failed | Status::Current));
        (has_failed && (self.fail_fast || is_final))
            .then(|| Err(WaitError::Failed(self.items_where(|status| status == Status::Failed))))
    }

    /// How the wait ends at its deadline.
    pub(super) fn timed_out(&self) -> Result<(), WaitError> {
        match self.verdict() {
            Some(Ok(())) => Ok(()),
            _ => Err(WaitError::TimedOut(self.items_where(|status| status != Status::Current))),
        }
    }

    fn items_where(&self, choose: impl Fn(Status) -> bool) -> Vec<WaitItem> {
        let chosen = self.items.iter().filter(|item| choose(item.status()));
        chosen
            .map(|item| WaitItem {
                subject: item.watched.id.subject(),
                status: item.status(),
                error: item.reading.as_ref().and_then(|reading| reading.error.clone()),
            })
            .collect()
    }
}

/// An object that kept a wait from ending well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitItem {
    /// The object.
    pub subject: String,
    /// Its last status.
    pub status: Status,
    /// Why the status could not be told.
    pub error: Option<String>,
}

impl fmt::Display for WaitItem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject, status, error } = self;
        write!(out, "{subject} status: '{status}'")?;
        error.iter().try_for_each(|error| write!(out, ": {error}"))
    }
}

/// Why a wait did not end well.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WaitError {
    /// Objects have failed.
    #[error("failed early due to stalled resources: [{}]", List(.0))]
    Failed(Vec<WaitItem>),
    /// Objects were not current in time.
    #[error("timeout waiting for: [{}]", List(.0))]
    TimedOut(Vec<WaitItem>),
    /// The wait could not begin.
    #[error("{0}")]
    Setup(String),
}

impl WaitError {
    pub(super) fn no_namespace(gvk: &Gvk, name: &str) -> Self {
        Self::Setup(format!("resource {gvk} {name} is namespace scoped, but namespace is not set"))
    }
}

struct List<'a>(&'a [WaitItem]);

impl fmt::Display for List<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, item) in self.0.iter().enumerate() {
            if index > 0 {
                out.write_str(", ")?;
            }
            write!(out, "{item}")?;
        }
        Ok(())
    }
}
