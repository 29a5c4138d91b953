//! Wakes Receivers whose Secret changes, where the Secret's label asks for it.
//!
//! Only metadata is watched, and only of labelled Secrets: the API server selects.
//!
//! Contract: notification-controller §1.6.

use std::collections::HashMap;

use futures::StreamExt as _;
use k8s_openapi::api::core::v1::Secret;
use kube::{
    Api, Client, ResourceExt as _,
    core::PartialObjectMeta,
    runtime::{
        WatchStreamExt as _,
        watcher::{self, watcher},
    },
};
use millrace_reconcile::{Key, args::Selector, failure::chain, queue::Lane, runner::Handle};
use tokio_util::sync::CancellationToken;

use crate::objects::Objects;

/// Watches until `shutdown` and asks `receivers` for the runs that follow.
pub(crate) async fn watch(
    client: &Client,
    namespace: Option<&str>,
    selector: &Selector,
    objects: &Objects,
    receivers: &Handle,
    shutdown: &CancellationToken,
) {
    let api: Api<PartialObjectMeta<Secret>> = match namespace {
        Some(namespace) => Api::namespaced(client.clone(), namespace),
        None => Api::all(client.clone()),
    };
    let config = watcher::Config::default().labels(selector.as_str());
    let mut events = std::pin::pin!(watcher(api, config).default_backoff());
    let mut known = Versions::default();
    loop {
        let event = tokio::select! {
            event = events.next() => event,
            () = shutdown.cancelled() => return,
        };
        let changed = match event {
            None => return,
            Some(Ok(event)) => known.update(event),
            Some(Err(error)) => {
                tracing::warn!(
                    kind = "Secret",
                    error = chain(&error),
                    "watch failed and will be started again"
                );
                None
            }
        };
        if let Some(secret) = changed {
            for key in objects.receivers_of(&secret) {
                receivers.request(&key, Lane::Change);
            }
        }
    }
}

/// The version of every Secret seen, so that a watch that starts again wakes nobody without need.
#[derive(Default)]
struct Versions {
    seen: HashMap<Key, String>,
    listed: HashMap<Key, String>,
}

impl Versions {
    /// Takes an event in and returns the Secret that changed.
    fn update(&mut self, event: watcher::Event<PartialObjectMeta<Secret>>) -> Option<Key> {
        match event {
            watcher::Event::Init => {
                self.listed.clear();
                None
            }
            watcher::Event::InitApply(secret) => {
                let (key, version) = identify(&secret);
                let changed = self.seen.get(&key) != Some(&version);
                self.listed.insert(key.clone(), version);
                changed.then_some(key)
            }
            watcher::Event::InitDone => {
                self.seen = std::mem::take(&mut self.listed);
                None
            }
            watcher::Event::Apply(secret) => {
                let (key, version) = identify(&secret);
                self.seen.insert(key.clone(), version);
                Some(key)
            }
            watcher::Event::Delete(secret) => {
                let (key, _) = identify(&secret);
                self.seen.remove(&key);
                Some(key)
            }
        }
    }
}

fn identify(secret: &PartialObjectMeta<Secret>) -> (Key, String) {
    (Key::of(secret), secret.resource_version().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use kube::{api::ObjectMeta, core::PartialObjectMetaExt as _};

    use super::*;

    fn secret(version: &str) -> PartialObjectMeta<Secret> {
        ObjectMeta {
            name: Some("token".into()),
            namespace: Some("apps".into()),
            resource_version: Some(version.into()),
            ..ObjectMeta::default()
        }
        .into_response_partial()
    }

    #[test]
    fn a_watch_that_starts_again_reports_only_what_is_new() {
        use watcher::Event::{Apply, Delete, Init, InitApply, InitDone};
        let mut known = Versions::default();
        let reported = [
            Init,
            InitApply(secret("1")),
            InitDone,
            Apply(secret("2")),
            Init,
            InitApply(secret("2")),
            InitDone,
            Init,
            InitApply(secret("3")),
            InitDone,
            Delete(secret("3")),
        ]
        .map(|event| known.update(event).is_some());
        assert_eq!(reported, [false, true, false, true, false, false, false, false, true, false, true]);
    }
}
