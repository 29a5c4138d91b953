//! The alerts, Providers and Receivers of the cluster, kept current by watches in every replica.

use std::{fmt::Debug, sync::Arc};

use k8s_openapi::NamespaceResourceScope;
use kube::{Api, Client, Resource, core::DeserializeGuard, runtime::watcher};
use millrace_api::notification::{
    v1::Receiver,
    v1beta3::{Alert, Provider},
};
use millrace_reconcile::{
    Key,
    primary::{Primary, Watched, watch_primary},
    runner::Handle,
    watch::{Index, watch},
};
use serde::de::DeserializeOwned;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// What the watches have seen.
#[derive(Default)]
pub struct Objects {
    pub(crate) alerts: Index<Arc<Alert>>,
    pub(crate) providers: Index<Arc<Provider>>,
    pub(crate) receivers: Index<Primary<Arc<Receiver>>>,
    pub(crate) alerts_changed: Notify,
    pub(crate) providers_changed: Notify,
}

impl Objects {
    /// Waits until all three kinds have been listed.
    pub async fn synced(&self) {
        tokio::join!(self.alerts.synced(), self.providers.synced(), self.receivers.synced());
    }

    /// Every alert, by namespace and name.
    pub(crate) fn alerts(&self) -> Vec<Arc<Alert>> {
        all(&self.alerts)
    }

    /// A Provider.
    pub(crate) fn provider(&self, key: &Key) -> Option<Arc<Provider>> {
        self.providers.get(key)
    }

    /// A Receiver that is called at `path`.
    pub(crate) fn receiver_at(&self, path: &str) -> Option<Arc<Receiver>> {
        let mut found = None;
        self.receivers.keys_where(|_, receiver| {
            let status = receiver.extra.status.as_ref();
            if status.and_then(|status| status.webhook_path.as_deref()) == Some(path) {
                found = Some(Arc::clone(&receiver.extra));
            }
            false
        });
        found
    }

    /// The Receivers whose token is in a Secret.
    pub(crate) fn receivers_of(&self, secret: &Key) -> Vec<Key> {
        self.receivers.keys_where(|key, receiver| {
            let reference = receiver.extra.spec.secret_ref.as_ref();
            key.namespace() == secret.namespace()
                && reference.is_some_and(|reference| reference.name == secret.name())
        })
    }

    /// Watches the three kinds until `shutdown`; `receivers` is asked for the runs that follow.
    pub(crate) async fn watch(
        &self,
        client: &Client,
        namespace: Option<&str>,
        receivers: &Handle,
        shutdown: &CancellationToken,
    ) {
        let config = watcher::Config::default;
        let watched =
            Watched { api: api::<Receiver>(client, namespace), config: config(), index: &self.receivers };
        tokio::join!(
            watch(
                api::<Alert>(client, namespace),
                config(),
                &self.alerts,
                slim,
                |_| self.alerts_changed.notify_one(),
                shutdown
            ),
            watch(
                api::<Provider>(client, namespace),
                config(),
                &self.providers,
                slim,
                |_| self.providers_changed.notify_one(),
                shutdown
            ),
            watch_primary(watched, slim, |_, _, _| {}, receivers, shutdown),
        );
    }
}

/// Every object of an index, by namespace and name.
pub(crate) fn all<K>(index: &Index<Arc<K>>) -> Vec<Arc<K>>
where
    Arc<K>: PartialEq,
{
    let mut keys = index.keys_where(|_, _| true);
    keys.sort_unstable();
    keys.iter().filter_map(|key| index.get(key)).collect()
}

/// Keeps an object without the bulk that nobody here reads.
fn slim<K: Resource<DynamicType = ()> + Clone>(object: &K) -> Arc<K> {
    let mut object = object.clone();
    object.meta_mut().managed_fields = None;
    Arc::new(object)
}

fn api<K>(client: &Client, namespace: Option<&str>) -> Api<DeserializeGuard<K>>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + Clone + Debug + DeserializeOwned,
{
    match namespace {
        Some(namespace) => Api::namespaced(client.clone(), namespace),
        None => Api::all(client.clone()),
    }
}
