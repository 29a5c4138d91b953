//! The load of the benchmarks: one repository with a folder per Kustomization, and the means to measure.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use futures::{StreamExt as _, TryStreamExt as _};
use kube::Api;
use kube::api::{DynamicObject, ListParams, Patch, PatchParams};
use millrace_harness::control_plane::Mark;
use millrace_harness::git::Repository;
use millrace_harness::millrace::{Millrace, Options};
use millrace_harness::{ControlPlane, GitServer, Profile, chart, until};

use crate::objects::{KUSTOMIZE, SOURCE, is_ready, requested, text};

const NAMESPACE: &str = "bench";
const SOURCE_LIMIT: Duration = Duration::from_secs(30);
const READY_LIMIT: Duration = Duration::from_mins(5);
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How many requests of the benchmark itself are under way.
const WRITERS: usize = 8;

/// A control plane, the program, and a repository that holds folders for `size` Kustomizations.
pub(super) struct Load {
    pub(super) program: Millrace,
    control_plane: ControlPlane,
    user: String,
    _repository: Repository,
    _git: GitServer,
}

/// What the program used between two moments.
pub(super) struct Usage {
    pub(super) wall: Duration,
    pub(super) cpu: Duration,
    /// Resident memory at the end and at its highest ever, KiB.
    pub(super) memory_kib: (u64, u64),
    /// API requests by verb; dry runs apart.
    pub(super) requests: BTreeMap<String, usize>,
}

/// The beginning of a measurement.
pub(super) struct Start {
    at: Instant,
    cpu: Duration,
    mark: Mark,
}

impl Load {
    /// Starts everything, the program with these flags, and waits until the source is ready; no Kustomization is there yet.
    pub(super) async fn start(size: usize, flags: &[String]) -> Result<Self> {
        let control_plane = ControlPlane::start(Profile::Full).await?;
        control_plane.install_crds().await?;
        control_plane.create_namespace(NAMESPACE).await?;
        let access = chart::access(&control_plane).await?;
        let git = GitServer::start().await?;
        let repository = git.create("bench")?;
        let mut commit = repository.commit("load");
        for index in 0..size {
            commit = commit.file(&format!("apps/{index:04}/objects.yaml"), manifests(index));
        }
        commit.push()?;
        let program =
            Millrace::start(flags.iter().fold(Options::new(&access.kubeconfig), Options::arg)).await?;
        let source = format!(
            "apiVersion: {SOURCE}\nkind: GitRepository\nmetadata: {{name: bench}}\n\
             spec: {{interval: 10m, url: '{}', ref: {{branch: main}}}}\n",
            git.public_url("bench")
        );
        control_plane.apply(NAMESPACE, &source).await?;
        let load = Self { program, control_plane, user: access.user, _repository: repository, _git: git };
        until("the source", SOURCE_LIMIT, async || {
            let found = load.control_plane.find(SOURCE, "GitRepository", NAMESPACE, "bench").await.ok()??;
            is_ready(&found).then_some(())
        })
        .await?;
        Ok(load)
    }

    /// Creates the Kustomizations `from..to`.
    pub(super) async fn create(&self, from: usize, to: usize) -> Result<()> {
        futures::stream::iter(from..to)
            .map(|index| async move {
                let yaml = format!(
                    "apiVersion: {KUSTOMIZE}\nkind: Kustomization\nmetadata: {{name: app-{index:04}}}\n\
                     spec: {{interval: 10m, timeout: 4m, prune: true, wait: true, path: ./apps/{index:04}, targetNamespace: {NAMESPACE},\n\
                     \x20 sourceRef: {{kind: GitRepository, name: bench}}}}\n"
                );
                self.control_plane.apply(NAMESPACE, &yaml).await.map(drop)
            })
            .buffer_unordered(WRITERS)
            .try_collect()
            .await
    }

    /// Waits until `count` Kustomizations are ready.
    pub(super) async fn wait_ready(&self, count: usize) -> Result<()> {
        self.wait(count, is_ready).await
    }

    /// Requests a reconcile of every Kustomization and waits until all are handled and ready.
    pub(super) async fn request_all(&self, count: usize) -> Result<()> {
        let value = format!("bench-{count}");
        let kustomizations = self.kustomizations().await?;
        let patch = requested(&value);
        futures::stream::iter(0..count)
            .map(|index| {
                let (kustomizations, patch) = (&kustomizations, &patch);
                async move {
                    let name = format!("app-{index:04}");
                    kustomizations.patch(&name, &PatchParams::default(), &Patch::Merge(patch)).await
                }
            })
            .buffer_unordered(WRITERS)
            .try_collect::<Vec<_>>()
            .await?;
        self.wait(count, |object| is_ready(object) && text(object, "/status/lastHandledReconcileAt") == value)
            .await
    }

    async fn wait(&self, count: usize, done: impl Fn(&DynamicObject) -> bool) -> Result<()> {
        let kustomizations = self.kustomizations().await?;
        let started = Instant::now();
        loop {
            let all = kustomizations.list(&ListParams::default()).await?;
            if all.items.iter().filter(|object| done(object)).count() >= count {
                return Ok(());
            }
            ensure!(
                started.elapsed() < READY_LIMIT,
                "waited {} s for {count} Kustomizations",
                READY_LIMIT.as_secs()
            );
            // A list of hundreds costs the API server much: it must not slow what is measured.
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    async fn kustomizations(&self) -> Result<Api<DynamicObject>> {
        self.control_plane.api(KUSTOMIZE, "Kustomization", NAMESPACE).await
    }

    /// Begins to measure.
    pub(super) fn begin(&self) -> Result<Start> {
        Ok(Start { at: Instant::now(), cpu: self.program.cpu()?, mark: self.control_plane.audit().mark()? })
    }

    /// Ends a measurement.
    pub(super) fn end(&self, start: &Start) -> Result<Usage> {
        let wall = start.at.elapsed();
        let mut requests = BTreeMap::new();
        let events = self
            .control_plane
            .audit()
            .by_user(start.mark, &self.user)
            .context("cannot read the audit log")?;
        // A watch is told twice: when it starts and when it ends.
        for event in events.iter().filter(|event| event.verb != "watch" || event.stage == "ResponseStarted") {
            let verb =
                if event.is_dry_run() { format!("{} (dry run)", event.verb) } else { event.verb.clone() };
            *requests.entry(verb).or_default() += 1;
        }
        Ok(Usage {
            wall,
            cpu: self.program.cpu()?.saturating_sub(start.cpu),
            memory_kib: self.program.memory_kib()?,
            requests,
        })
    }
}

impl Usage {
    /// All requests.
    pub(super) fn total(&self) -> usize {
        self.requests.values().sum()
    }

    /// `get 12, list 3`.
    pub(super) fn by_verb(&self) -> String {
        let parts: Vec<String> =
            self.requests.iter().map(|(verb, count)| format!("{verb} {count}")).collect();
        parts.join(", ")
    }
}

/// KiB as MiB.
pub(super) fn mib(kib: u64) -> String {
    format!("{}.{} MiB", kib / 1024, kib % 1024 * 10 / 1024)
}

fn manifests(index: usize) -> String {
    let name = format!("app-{index:04}");
    format!(
        "apiVersion: v1\nkind: ServiceAccount\nmetadata: {{name: {name}}}\n---\n\
         apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{key: value}}\n---\n\
         apiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\n\
         spec: {{selector: {{app: {name}}}, ports: [{{port: 80, protocol: TCP}}]}}\n---\n\
         apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\n\
         spec:\n  replicas: 0\n  selector: {{matchLabels: {{app: {name}}}}}\n  template:\n\
         \x20   metadata: {{labels: {{app: {name}}}}}\n    spec: {{serviceAccountName: {name}, containers: [{{name: app, image: app}}]}}\n"
    )
}
