//! Wakes Receivers whose Secret changes, where the Secret's label asks for it.
//!
//! Only metadata is watched, and only of labelled Secrets: the API server selects.
//!
//! Contract: notification-controller §1.6.

use std::{collections::HashMap, time::Duration};

use futures::{Stream, StreamExt as _};
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

/// How long a watch that has ended rests: it has no reason to, so it may have one to end again.
const REST: Duration = Duration::from_secs(5);

type Event = watcher::Result<watcher::Event<PartialObjectMeta<Secret>>>;

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
    let begin = || {
        let config = watcher::Config::default().labels(selector.as_str());
        watcher(api.clone(), config).default_backoff()
    };
    let changed = |secret: &Key| {
        for key in objects.receivers_of(secret) {
            receivers.request(&key, Lane::Change);
        }
    };
    tokio::select! {
        () = follow(begin, changed) => {}
        () = shutdown.cancelled() => {}
    }
}

/// Tells `changed` which Secrets change, for as long as it is polled: a watch that ends is begun again.
async fn follow<S: Stream<Item = Event>>(begin: impl Fn() -> S, changed: impl Fn(&Key)) {
    let mut known = Versions::default();
    loop {
        let mut events = std::pin::pin!(begin());
        while let Some(event) = events.next().await {
            match event {
                Ok(event) => known.update(event).iter().for_each(&changed),
                Err(error) => tracing::warn!(
                    kind = "Secret",
                    error = chain(&error),
                    "watch failed and will be started again"
                ),
            }
        }
        tracing::error!(kind = "Secret", "watch ended and will be started again");
        tokio::time::sleep(REST).await;
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

    /// Nobody would notice tokens that change no more: a watch that ends is told and begun again.
    #[tokio::test(start_paused = true)]
    async fn a_watch_that_ends_begins_again() {
        use watcher::Event::{Apply, Init, InitApply, InitDone};
        let rounds = std::cell::Cell::new(0);
        let woken = std::cell::Cell::new(0);
        let begin = || {
            rounds.set(rounds.get() + 1);
            let version = rounds.get().to_string();
            let listed = [Init, InitApply(secret(&version)), InitDone, Apply(secret(&format!("{version}b")))];
            futures::stream::iter(listed.map(Ok))
        };
        let following = follow(begin, |key| {
            assert_eq!(key.name(), "token");
            woken.set(woken.get() + 1);
        });
        assert!(tokio::time::timeout(REST * 5 / 2, following).await.is_err());
        assert_eq!((rounds.get(), woken.get()), (3, 6));
    }
}
