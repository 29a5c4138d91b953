//! The watch on a controller's own kind: what of it causes a run.
//!
//! Contract: kustomize-controller §2.1, source-controller §2.10.

use std::sync::Arc;

use kube::core::DeserializeGuard;
use kube::runtime::watcher;
use kube::{Api, ResourceExt as _};
use millrace_api::meta::RECONCILE_REQUEST_ANNOTATION;
use tokio_util::sync::CancellationToken;

use crate::key::Key;
use crate::queue::Lane;
use crate::reconciler::Object;
use crate::runner::Handle;
use crate::watch::{Index, Seen, watch};

/// What is kept of an object of the own kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Primary<S> {
    generation: i64,
    requested_at: Option<Arc<str>>,
    deleting: bool,
    /// What the controller needs for its own triggers.
    pub extra: S,
}

impl<S> Primary<S> {
    fn of<O: Object>(object: &O, extra: S) -> Self {
        let requested_at = object.annotations().get(RECONCILE_REQUEST_ANNOTATION);
        Self {
            generation: object.meta().generation.unwrap_or_default(),
            requested_at: requested_at.map(|token| Arc::from(token.as_str())),
            deleting: object.meta().deletion_timestamp.is_some(),
            extra,
        }
    }

    /// The lane in which this change runs the object; status writes, labels and other annotations cause no run.
    fn lane_after(&self, before: &Self) -> Option<Lane> {
        if self.requested_at.is_some() && self.requested_at != before.requested_at {
            Some(Lane::Request)
        } else if self.generation != before.generation || self.deleting != before.deleting {
            Some(Lane::Change)
        } else {
            None
        }
    }
}

/// What is watched, and where the summaries go.
pub struct Watched<'a, O, S> {
    /// The objects: all, or those of one namespace.
    pub api: Api<DeserializeGuard<O>>,
    /// Which of them.
    pub config: watcher::Config,
    /// The summaries.
    pub index: &'a Index<Primary<S>>,
}

/// Watches the own kind until `shutdown` and asks `handle` for the runs that follow.
///
/// `changed` hears of every object whose summary changed, for triggers among objects of the kind.
pub async fn watch_primary<O: Object, S: Clone + PartialEq>(
    watched: Watched<'_, O, S>,
    extra: impl Fn(&O) -> S,
    changed: impl Fn(&Key, &S, &S),
    handle: &Handle,
    shutdown: &CancellationToken,
) {
    let Watched { api, config, index } = watched;
    let summarize = |object: &O| Primary::of(object, extra(object));
    let seen = |seen: Seen<'_, Primary<S>>| {
        trigger(handle, &seen);
        if let Seen::Changed { key, before, after } = &seen {
            changed(key, &before.extra, &after.extra);
        }
    };
    watch(api, config, index, summarize, seen, shutdown).await;
}

fn trigger<S>(handle: &Handle, seen: &Seen<'_, Primary<S>>) {
    let request = |key: &Key, lane| handle.request(key, lane);
    match seen {
        Seen::Initial(key, _) => request(key, Lane::Initial),
        Seen::Added(key, _) => request(key, Lane::Change),
        Seen::Changed { key, before, after } => {
            if let Some(lane) = after.lane_after(before) {
                request(key, lane);
            }
        }
        Seen::Deleted(key, _) => handle.forget(key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn primary(generation: i64, requested_at: Option<&str>) -> Primary<u8> {
        Primary { generation, requested_at: requested_at.map(Arc::from), deleting: false, extra: 0 }
    }

    #[test]
    fn only_spec_deletion_and_a_new_request_cause_a_run() {
        let before = primary(1, Some("a"));
        let cases = [
            ("nothing", primary(1, Some("a")), None),
            ("request removed", primary(1, None), None),
            ("new request", primary(1, Some("b")), Some(Lane::Request)),
            ("new spec", primary(2, Some("a")), Some(Lane::Change)),
            ("deletion", Primary { deleting: true, ..before.clone() }, Some(Lane::Change)),
            ("status", Primary { extra: 1, ..before.clone() }, None),
        ];
        for (what, after, lane) in cases {
            assert_eq!(after.lane_after(&before), lane, "{what}");
        }
        assert_eq!(primary(1, Some("a")).lane_after(&primary(1, None)), Some(Lane::Request), "first request");
    }
}
