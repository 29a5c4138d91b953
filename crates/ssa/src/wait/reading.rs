//! An object's health as it was seen last.

use jiff::Timestamp;
use millrace_yaml::Node;

use crate::client::ApiError;
use crate::engine::Engine;
use crate::health::{
    Health, PodSelector, Status, awaited, is_pod_owner, pod_selector, with_pods as judge_by_pods,
};
use crate::id::ObjectId;
use crate::object::{Gvk, Object as _};

/// An object to wait for.
#[derive(Clone, Debug)]
pub struct Watched {
    /// The object.
    pub id: ObjectId,
    /// Its API version, without the group.
    pub version: String,
    /// Whether it may delete itself when it is done: a Job with `ttlSecondsAfterFinished`.
    pub completes_by_deletion: bool,
    /// Whether the run has just written it.
    pub(crate) is_written: bool,
    /// What the answer to the run's last request for it said.
    pub(crate) seen: Option<Reading>,
}

impl Watched {
    /// An object of which nothing is known yet.
    pub fn named(id: ObjectId, version: impl Into<String>) -> Self {
        Self { id, version: version.into(), completes_by_deletion: false, is_written: false, seen: None }
    }

    /// An object that the API server has just answered.
    pub(crate) fn applied(engine: &Engine, live: &Node, is_written: bool) -> Self {
        Self {
            id: ObjectId::of(live),
            version: live.gvk().version,
            completes_by_deletion: live.is_kind("batch", "Job")
                && live.at(&["spec", "ttlSecondsAfterFinished"]).is_some_and(|seconds| !seconds.is_null()),
            is_written,
            seen: Some(Reading::of(live, engine.now())),
        }
    }
}

/// A status, and from which version of the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) status: Status,
    /// Why nothing can be told.
    pub(crate) error: Option<String>,
    /// The resource version; none where the object was not there or not readable.
    pub(crate) version: Option<u64>,
    /// The pods that have a say.
    pub(crate) pods: Option<PodSelector>,
}

impl Reading {
    /// The health of a live object.
    pub(crate) fn of(live: &Node, now: Timestamp) -> Self {
        let version = live.meta("resourceVersion").parse().ok();
        let pods = if is_pod_owner(live) { pod_selector(live).map(Some) } else { Ok(None) };
        let judged = pods.and_then(|pods| Ok((awaited(live, now)?, pods)));
        match judged {
            Ok((health, pods)) => Self { status: health.status, error: None, version, pods },
            Err(error) => {
                Self { status: Status::Unknown, error: Some(error.to_string()), version, pods: None }
            }
        }
    }

    /// The object is not there.
    pub(crate) fn missing() -> Self {
        Self { status: Status::NotFound, error: None, version: None, pods: None }
    }

    /// The object was deleted; `version` is that of the deletion.
    pub(crate) fn deleted(version: Option<u64>) -> Self {
        Self { version, ..Self::missing() }
    }

    /// The object can't be read.
    pub(crate) fn unknown(error: &ApiError) -> Self {
        Self { status: Status::Unknown, error: Some(error.to_string()), version: None, pods: None }
    }
}

/// What the selected pods make of a reading.
pub(crate) async fn with_pods(engine: &Engine, reading: Reading, namespace: &str) -> Reading {
    let Some(selector) = &reading.pods else { return reading };
    let pods = async {
        let mapping = engine.cluster.discovery().mapping(&Gvk::new("v1", "Pod")).await?;
        engine.cluster.list(&mapping, namespace, selector.as_str()).await
    };
    match pods.await {
        Ok(pods) => {
            let own = Health { status: reading.status, message: String::new(), condition: None };
            Reading { status: judge_by_pods(own, &pods, engine.now()).status, ..reading }
        }
        Err(error) => Reading { status: Status::Unknown, error: Some(error.to_string()), ..reading },
    }
}
