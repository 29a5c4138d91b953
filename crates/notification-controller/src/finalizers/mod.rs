//! Sees to the finalizers of Alerts and Providers, which have no status and need nothing else.
//!
//! Level-triggered: whenever something changes, every object is compared with what it should be, so a missed event or
//! a failed write is made good at the next pass. On the way it logs which Providers no message can be sent to: the first
//! event would tell, but by then that message is lost.
//!
//! Contract: notification-controller §1.6.

mod plan;

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Debug,
    sync::Arc,
};

use kube::{
    Api, Resource, ResourceExt as _,
    api::{Patch, PatchParams},
    core::NamespaceResourceScope,
};
use millrace_api::notification::v1beta3::{Alert, Provider};
use millrace_reconcile::{
    Context, Key, Reason,
    client::error_text,
    events::{Event, Severity},
    queue::Backoff,
    watch::Index,
};
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::sync::Notify;

use self::plan::{Edit, fault_of_provider, of_alert, of_provider};
use crate::objects::{Objects, all};

const MIGRATION: Reason = Reason::new("Migration");
const MIGRATED: &str = "removed finalizer from Alert to migrate to static Alert";

/// Keeps both kinds in line until the process is to end.
pub(crate) async fn run(context: &Context, objects: &Objects, backoff: Backoff) {
    let alerts =
        Keeper { context, controller: "alert", backoff, plan: of_alert, done: migrated, fault: |_| None };
    let providers = Keeper {
        context,
        controller: "provider",
        backoff,
        plan: of_provider,
        done: |_, _: &Provider| {},
        fault: fault_of_provider,
    };
    tokio::join!(
        alerts.run(&objects.alerts, &objects.alerts_changed),
        providers.run(&objects.providers, &objects.providers_changed),
    );
}

fn migrated(context: &Context, alert: &Alert) {
    tracing::info!(
        controller = "alert",
        controllerGroup = %Alert::group(&()),
        controllerKind = %Alert::kind(&()),
        namespace = alert.namespace().unwrap_or_default(),
        name = alert.name_any(),
        "{MIGRATED}"
    );
    let event = Event {
        severity: Severity::Trace,
        reason: MIGRATION,
        message: MIGRATED.to_owned(),
        metadata: BTreeMap::new(),
    };
    context.events.record(&alert.object_ref(&()), alert.annotations(), event);
}

/// Keeps one kind in line.
struct Keeper<'a, K> {
    context: &'a Context,
    /// The name of its reconciler, as logs show it.
    controller: &'static str,
    backoff: Backoff,
    /// What an object's finalizers should become.
    plan: fn(&K) -> Option<Edit>,
    /// What to tell once they are.
    done: fn(&Context, &K),
    /// What keeps an object from ever working.
    fault: fn(&K) -> Option<String>,
}

impl<K> Keeper<'_, K>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
        + Clone
        + Debug
        + PartialEq
        + DeserializeOwned
        + Send
        + Sync
        + 'static,
{
    async fn run(&self, index: &Index<Arc<K>>, changed: &Notify) {
        let shutdown = self.context.tasks.shutdown();
        // The version of each object this keeper has written to, until the watch shows the next one.
        let mut written: HashMap<Key, String> = HashMap::new();
        let mut faults: HashMap<Key, String> = HashMap::new();
        let mut failures = 0;
        loop {
            self.tell_faults(index, &mut faults);
            let pass = self.pass(index, &mut written);
            let failed = tokio::select! {
                failed = pass => failed,
                () = shutdown.cancelled() => return,
            };
            failures = if failed { failures + 1 } else { 0 };
            let retry = async {
                match failures {
                    0 => std::future::pending().await,
                    failures => tokio::time::sleep(self.backoff.delay(failures)).await,
                }
            };
            tokio::select! {
                () = changed.notified() => {}
                () = retry => {}
                () = shutdown.cancelled() => return,
            }
        }
    }

    /// Looks at every object once and says whether a write failed.
    async fn pass(&self, index: &Index<Arc<K>>, written: &mut HashMap<Key, String>) -> bool {
        let objects = all(index);
        let mut failed = false;
        let mut seen = HashMap::new();
        for object in objects {
            let Some(edit) = (self.plan)(&object) else { continue };
            let key = Key::of(&*object);
            let version = object.resource_version().unwrap_or_default();
            if written.get(&key) != Some(&version) {
                match self.write(&object, edit).await {
                    Ok(()) => (self.done)(self.context, &object),
                    // Somebody else wrote first, or the object is gone: the watch will tell.
                    Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => {}
                    Err(error) => {
                        let error = error_text(&error);
                        tracing::error!(
                            controller = self.controller,
                            controllerGroup = %K::group(&()),
                            controllerKind = %K::kind(&()),
                            namespace = key.namespace(),
                            name = key.name(),
                            error,
                            "Reconciler error"
                        );
                        failed = true;
                        continue;
                    }
                }
            }
            seen.insert(key, version);
        }
        *written = seen;
        failed
    }

    /// Logs every fault once; one that was mended may be logged again. Events on these kinds are not the contract's.
    fn tell_faults(&self, index: &Index<Arc<K>>, known: &mut HashMap<Key, String>) {
        let mut found = HashMap::new();
        for object in all(index) {
            let Some(fault) = (self.fault)(&object) else { continue };
            let key = Key::of(&*object);
            if known.get(&key) != Some(&fault) {
                tracing::error!(
                    controller = self.controller,
                    controllerGroup = %K::group(&()),
                    controllerKind = %K::kind(&()),
                    namespace = key.namespace(),
                    name = key.name(),
                    error = fault,
                    "provider can't work"
                );
            }
            found.insert(key, fault);
        }
        *known = found;
    }

    async fn write(&self, object: &K, edit: Edit) -> Result<(), kube::Error> {
        let namespace = object.namespace().unwrap_or_default();
        let api: Api<K> = Api::namespaced(self.context.client.clone(), &namespace);
        let body = json!({ "metadata": {
            "resourceVersion": object.resource_version(),
            "finalizers": edit.finalizers,
        } });
        api.patch_metadata(&object.name_any(), &PatchParams::default(), &Patch::Merge(body)).await?;
        Ok(())
    }
}
