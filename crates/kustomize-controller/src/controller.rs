//! The controller as the program sees it: what it needs, its watches, and its runner.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Client;
use kube::core::{DeserializeGuard, PartialObjectMeta};
use kube::runtime::watcher;
use millrace_api::kustomize::v1::{Kustomization, KustomizationStatus};
use millrace_api::meta::Artifact;
use millrace_artifact::fetch::{Fetcher, Location, Pool, Work};
use millrace_net::EgressPolicy;
use millrace_reconcile::args::ConfigError;
use millrace_reconcile::impersonation::{Impersonator, user_name};
use millrace_reconcile::pflag::Environment;
use millrace_reconcile::primary::{Primary, Watched, watch_primary};
use millrace_reconcile::queue::{Backoff, Lane};
use millrace_reconcile::runner::{Handle, Options};
use millrace_reconcile::watch::{Index, Seen, watch};
use millrace_reconcile::{Context, Key, Reconciler, Report, Run, Runner};
use millrace_ssa::client::{Cluster, Discovery, Mask};
use millrace_ssa::drift::managers::Cleanup;
use millrace_ssa::engine::{self, Engine};

use crate::args::{Args, Settings};
use crate::bases::Bases;
use crate::kustomization;
use crate::sources::{Place, SourceId, SourceKind, Sources, scoped};
use crate::triggers::{ConfigKind, Summary, sort_by_dependency, source_of};

/// Who applies objects.
const APPLY_MANAGER: &str = "kustomize-controller";

/// What the controller needs from the program.
pub struct Needs {
    /// The services of the process.
    pub context: Context,
    /// Clients by ServiceAccount.
    pub impersonator: Impersonator,
    /// Opens artifacts.
    pub fetcher: Fetcher,
    /// Where remote bases may be.
    pub egress: Arc<EgressPolicy>,
    /// The artifact store of this process, if it serves one.
    pub local_store: Option<LocalStore>,
    /// The environment of the process.
    pub environment: Environment,
}

/// An artifact store that this process serves itself, so that its files need no HTTP.
#[derive(Clone, Debug)]
pub struct LocalStore {
    /// Where its artifacts' URLs begin, such as `http://source-controller.flux-system.svc.cluster.local./`.
    pub base_url: String,
    /// The folder behind them.
    pub folder: PathBuf,
}

impl LocalStore {
    /// The file behind `url`, if that is one of ours. The digest is checked whichever way the content comes.
    fn locate(&self, url: &str) -> Option<PathBuf> {
        let path = url.strip_prefix(&self.base_url)?;
        let plain = path.split('/').all(|part| !matches!(part, "" | "." | ".."))
            && !path.contains(['?', '#', '%', '\\']);
        plain.then(|| self.folder.join(path))
    }
}

/// What all runs of this controller share.
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) sources: Sources,
    pub(crate) impersonator: Impersonator,
    pub(crate) fetcher: Fetcher,
    pub(crate) bases: Bases,
    discovery: Arc<Discovery>,
    engine: Arc<engine::Shared>,
    local_store: Option<LocalStore>,
    pub(crate) temp_folder: String,
}

impl Shared {
    /// Where an artifact is read from.
    pub(crate) fn location(&self, url: &str) -> Location {
        match self.local_store.as_ref().and_then(|store| store.locate(url)) {
            Some(file) => Location::File(file),
            None => Location::Url(url.to_owned()),
        }
    }

    /// Waits until the source of `object` offers something else than `artifact`, or the same elsewhere.
    pub(crate) async fn moved(&self, object: &Kustomization, artifact: &Artifact) {
        let Some(source) = source_of(object) else { return std::future::pending().await };
        // What was read from the API server may be newer than what the watch has seen so far.
        let is_behind = self.settings.direct_source_fetch;
        let before = self.sources.get(&source).and_then(|state| state.artifact).filter(|_| is_behind);
        let moved = |now: &Artifact| {
            let differs = |from: &Artifact| (&now.url, &now.digest) != (&from.url, &from.digest);
            differs(artifact) && before.as_ref().is_none_or(differs)
        };
        self.sources.until(&source, |state| state.artifact.as_ref().is_some_and(moved)).await;
    }

    /// The engine with the identity under which `object` is applied; what its cluster says passes `mask`.
    pub(crate) fn engine(&self, object: &Kustomization, mask: Mask) -> Engine {
        let namespace = object.metadata.namespace.as_deref().unwrap_or_default();
        let named = object.spec.service_account_name.as_deref();
        let client = self.impersonator.client(namespace, named);
        let identity = self.impersonator.service_account(named).map(|account| user_name(namespace, account));
        let identity = identity.unwrap_or_default();
        let cluster = Cluster::new(client, Arc::clone(&self.discovery), &identity, APPLY_MANAGER);
        Engine::new(cluster.masked(mask), Arc::clone(&self.engine))
    }

    /// What the root of an object's build is called in messages: a stable name, so that equal failures read alike.
    pub(crate) fn build_root(&self, object: &Kustomization) -> String {
        let key = Key::of(object);
        format!("{}/kustomization-{}-{}", self.temp_folder, key.namespace(), key.name())
    }
}

/// The kustomize-controller.
pub struct Controller {
    context: Context,
    shared: Arc<Shared>,
    options: Options,
    namespace: Option<String>,
    selector: String,
    configs_selector: String,
}

impl Controller {
    /// A controller that does nothing before [`Self::run`].
    ///
    /// # Errors
    /// A flag has a value that can't work.
    pub fn new(args: &Args, needs: Needs) -> Result<Self, ConfigError> {
        let Needs { context, impersonator, fetcher, egress, local_store, environment } = needs;
        let settings = args.settings()?;
        let backoff = Backoff {
            base: args.controller.min_retry_delay.into(),
            cap: args.controller.max_retry_delay.into(),
        };
        let options = Options {
            concurrent: args.concurrent,
            backoff,
            interval_jitter_percentage: args.shard.jitter()?,
        };
        let temp_folder = environment.get("TMPDIR").filter(|folder| !folder.is_empty());
        let temp_folder = temp_folder.map_or("/tmp", |folder| folder.trim_end_matches('/')).to_owned();
        let shared = Shared {
            sources: Sources::default(),
            discovery: Arc::new(Discovery::new(context.client.clone())),
            engine: engine_of(&settings, &context),
            settings,
            impersonator,
            fetcher: fetcher.on(Arc::new(Threads(context.clone()))),
            bases: Bases::new(Path::new(&temp_folder), egress, args.concurrent),
            local_store,
            temp_folder,
        };
        Ok(Self {
            context,
            shared: Arc::new(shared),
            options,
            namespace: args.controller.watched_namespace(&environment),
            selector: args.shard.selector()?.to_string(),
            configs_selector: args.controller.configs_selector()?.to_string(),
        })
    }

    /// Runs until the process is to end.
    pub async fn run(self) {
        let index: Arc<Index<Primary<Summary>>> = Arc::default();
        let reconciler = Kustomizations { shared: Arc::clone(&self.shared) };
        let runner = Runner::new(self.context.clone(), reconciler, self.options);
        let triggers = Triggers { index: Arc::clone(&index), handle: runner.handle() };
        let mut kinds = SourceKind::ALL.to_vec();
        kinds.retain(|kind| *kind != SourceKind::ExternalArtifact || self.shared.settings.external_artifacts);
        for kind in &kinds {
            self.watch_source(*kind, triggers.clone());
        }
        for kind in &kinds {
            tokio::select! {
                () = self.shared.sources.synced(*kind) => {}
                () = self.context.tasks.shutdown().cancelled() => return,
            }
        }
        if self.shared.settings.watch_configs {
            self.watch_configs::<ConfigMap>(ConfigKind::ConfigMap, &triggers);
            self.watch_configs::<Secret>(ConfigKind::Secret, &triggers);
        }
        let watching = self.watch_own(&triggers);
        tokio::join!(watching, runner.run());
    }

    fn watch_source(&self, kind: SourceKind, triggers: Triggers) {
        let (shared, client, tasks) =
            (Arc::clone(&self.shared), self.context.client.clone(), self.context.tasks.clone());
        let namespace = self.namespace.clone();
        let shutdown = tasks.shutdown().clone();
        tasks.spawn(async move {
            let place = Place { client, namespace: namespace.as_deref(), shutdown: &shutdown };
            let revised = |source: &SourceId, revision: &str| triggers.source_revised(source, revision);
            shared.sources.watch(kind, place, revised).await;
        });
    }

    fn watch_configs<K>(&self, kind: ConfigKind, triggers: &Triggers)
    where
        K: kube::Resource<DynamicType = (), Scope = kube::core::NamespaceResourceScope>
            + Clone
            + std::fmt::Debug
            + Send
            + Sync
            + 'static,
    {
        let api = scoped::<PartialObjectMeta<K>>(self.context.client.clone(), self.namespace.as_deref());
        let config = watcher::Config::default().labels(&self.configs_selector);
        let (triggers, tasks) = (triggers.clone(), self.context.tasks.clone());
        let shutdown = tasks.shutdown().clone();
        tasks.spawn(async move {
            let index = Index::default();
            let version = |object: &PartialObjectMeta<K>| object.metadata.resource_version.clone();
            let seen = |seen: Seen<'_, Option<String>>| match seen {
                Seen::Initial(..) => {}
                Seen::Added(key, _) | Seen::Changed { key, .. } | Seen::Deleted(key, _) => {
                    triggers.config_changed(kind, key);
                }
            };
            watch(api, config, &index, version, seen, &shutdown).await;
        });
    }

    async fn watch_own(&self, triggers: &Triggers) {
        let api =
            scoped::<DeserializeGuard<Kustomization>>(self.context.client.clone(), self.namespace.as_deref());
        let config = watcher::Config::default().labels(&self.selector);
        let shutdown = self.context.tasks.shutdown();
        let changed = |key: &Key, before: &Summary, after: &Summary| triggers.own_changed(key, before, after);
        let watched = Watched { api, config, index: &triggers.index };
        watch_primary(watched, Summary::of, changed, &triggers.handle, shutdown).await;
    }
}

/// The process's threads for CPU-bound work, as fetching sees them.
struct Threads(Context);

impl Pool for Threads {
    fn run(&self, work: Work) -> BoxFuture<'static, Result<(), String>> {
        let Context { cpu, tasks, .. } = self.0.clone();
        async move {
            let ran = cpu.run(tasks.shutdown(), move |interrupt| work(&interrupt.flag())).await;
            ran.map_err(|error| error.to_string())
        }
        .boxed()
    }
}

/// The apply engine that all Kustomizations share.
fn engine_of(settings: &Settings, context: &Context) -> Arc<engine::Shared> {
    let settings = engine::Settings {
        cleanup: Cleanup::for_kustomize_controller(&settings.override_managers),
        concurrency: settings.concurrent_ssa,
        custom_stage_kinds: settings.custom_stage_kinds.clone(),
        migrate_api_version: settings.migrate_api_version,
        ..engine::Settings::default()
    };
    let clock = Arc::clone(&context.clock);
    let tasks = &context.tasks;
    engine::Shared::until(
        tasks.shutdown().clone(),
        settings,
        Arc::new(move || clock.now()),
        tasks.tracker().clone(),
    )
}

/// Turns what happens elsewhere into runs.
#[derive(Clone)]
struct Triggers {
    index: Arc<Index<Primary<Summary>>>,
    handle: Handle,
}

impl Triggers {
    fn source_revised(&self, source: &SourceId, revision: &str) {
        let wanted = self.index.keys_where(|_, known| known.extra.wants(source, revision));
        self.request(wanted, "failed to sort dependencies for revision change");
    }

    fn config_changed(&self, kind: ConfigKind, config: &Key) {
        let wanted = self.index.keys_where(|key, known| {
            key.namespace() == config.namespace() && known.extra.uses(kind, config.name())
        });
        self.request(wanted, "failed to sort dependencies for config dependency change");
    }

    /// Wakes those that wait for `key`, once it looks different to them, and `key` itself if what it waits for came first.
    fn own_changed(&self, key: &Key, before: &Summary, after: &Summary) {
        if after.readiness_changed(before) {
            for dependent in self.index.keys_where(|_, known| known.extra.waits_for(key)) {
                self.handle.request(&dependent, Lane::Change);
            }
        }
        if after.missed_its_wake_up(before, |other| Some(self.index.get(other)?.extra)) {
            self.handle.request(key, Lane::Change);
        }
    }

    /// Asks for runs, dependencies first; a cycle asks for none, as in the original.
    fn request(&self, wanted: Vec<Key>, failure: &'static str) {
        let dependencies = |key: &Key| Some(self.index.get(key)?.extra.depends_on().to_vec());
        match sort_by_dependency(wanted, dependencies) {
            Ok(order) => order.iter().for_each(|key| self.handle.request(key, Lane::Change)),
            Err(error) => tracing::error!(error, "{failure}"),
        }
    }
}

/// The reconciler of Kustomizations.
struct Kustomizations {
    shared: Arc<Shared>,
}

impl Reconciler for Kustomizations {
    type Object = Kustomization;

    const CONTROLLER: &'static str = "kustomization";
    const FIELD_MANAGER: &'static str = "gotk-kustomize-controller";
    const OWNED_CONDITIONS: &'static [&'static str] = kustomization::OWNED_CONDITIONS;

    async fn reconcile(&self, run: &Run, object: &Kustomization) -> Report<KustomizationStatus> {
        Box::pin(kustomization::reconcile(&self.shared, run, object)).await
    }

    async fn finalize(&self, run: &Run, object: &Kustomization) -> Report<KustomizationStatus> {
        kustomization::finalize(&self.shared, run, object).await
    }
}

/// The client with the controller's own identity.
pub(crate) fn own_client(run: &Run) -> &Client {
    &run.context().client
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_urls_of_the_own_store_are_read_from_its_folder() {
        let store = LocalStore { base_url: "http://127.0.0.1:9790/".to_owned(), folder: "/data".into() };
        let located = |url: &str| store.locate(url).map(|path| path.display().to_string());
        assert_eq!(
            located("http://127.0.0.1:9790/gitrepository/apps/site/1.tar.gz").as_deref(),
            Some("/data/gitrepository/apps/site/1.tar.gz")
        );
        for url in [
            "http://127.0.0.1:9791/gitrepository/apps/site/1.tar.gz",
            "http://127.0.0.1:9790/../etc/passwd",
            "http://127.0.0.1:9790/a/%2e%2e/b",
            "http://127.0.0.1:9790//etc/passwd",
            "http://127.0.0.1:9790/",
        ] {
            assert_eq!(located(url), None, "{url}");
        }
    }
}
