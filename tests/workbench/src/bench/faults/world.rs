//! The servers, the program behind the API proxy, and what Git holds.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};
use futures::{StreamExt as _, TryStreamExt as _};
use kube::Api;
use kube::api::{DynamicObject, Patch, PatchParams};
use millrace_harness::git::Repository;
use millrace_harness::millrace::{Millrace, Options};
use millrace_harness::proxy::ApiProxy;
use millrace_harness::{ControlPlane, GitServer, Profile, chart};
use tokio::sync::Mutex;

use super::deletions::Deletions;
use super::manifest::Key;
use super::memory::Memory;
use super::model::{Change, Model};
use super::verify::Findings;
use crate::logs;
use crate::objects::{KUSTOMIZE, SOURCE, requested};

pub(super) const NAMESPACE: &str = "bench";
const REPOSITORY: &str = "bench";
/// How many requests of the benchmark itself are under way.
const WRITERS: usize = 8;
/// Starts that a supervisor would try.
const STARTS: usize = 5;

/// How often something was done to the program and its servers.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Counts {
    pub(super) commits: usize,
    pub(super) edits: usize,
    pub(super) faults: usize,
    pub(super) kills: usize,
}

/// Everything that runs, and the book about it. One task alone works on it.
pub(super) struct World {
    // The program goes first: it must not see its servers vanish.
    pub(super) program: Mutex<Millrace>,
    pub(super) proxy: ApiProxy,
    pub(super) repository: Repository,
    git: GitServer,
    pub(super) cluster: ControlPlane,
    pub(super) model: RefCell<Model>,
    /// Objects made by hand that are nobody's.
    pub(super) bystanders: RefCell<BTreeSet<Key>>,
    pub(super) deletions: RefCell<Deletions>,
    pub(super) findings: RefCell<Findings>,
    pub(super) memory: RefCell<Memory>,
    pub(super) counts: RefCell<Counts>,
}

impl World {
    /// Starts everything; no Kustomization is there yet.
    pub(super) async fn start(count: usize, flags: &[String]) -> Result<Self> {
        let cluster = ControlPlane::start(Profile::Full).await?;
        cluster.install_crds().await?;
        cluster.create_namespace(NAMESPACE).await?;
        let access = chart::access(&cluster).await?;
        let git = GitServer::start().await?;
        let repository = git.create(REPOSITORY)?;
        let proxy = ApiProxy::start(&access.kubeconfig).await?;
        let options = flags.iter().fold(Options::new(&proxy.kubeconfig()), Options::arg);
        let program = Mutex::new(Millrace::start(options).await?);
        let (model, first) = Model::new(count);
        let deletions = RefCell::new(Deletions::follow(&cluster, &access.user, NAMESPACE)?);
        let world = Self {
            program,
            proxy,
            repository,
            git,
            cluster,
            model: RefCell::new(model),
            bystanders: RefCell::default(),
            deletions,
            findings: RefCell::default(),
            memory: RefCell::default(),
            counts: RefCell::default(),
        };
        world.push("first", first)?;
        Ok(world)
    }

    /// Creates the GitRepository, and a Kustomization for every folder.
    pub(super) async fn create_all(&self) -> Result<()> {
        let source = format!(
            "apiVersion: {SOURCE}\nkind: GitRepository\nmetadata: {{name: {REPOSITORY}}}\n\
             spec: {{interval: 10s, url: '{}', ref: {{branch: main}}}}\n",
            self.git.public_url(REPOSITORY)
        );
        self.cluster.apply(NAMESPACE, &source).await?;
        let apps: Vec<usize> = self.model.borrow().apps().collect();
        let creations = futures::stream::iter(apps).map(|index| self.create(index));
        creations.buffer_unordered(WRITERS).try_collect().await
    }

    /// Creates the Kustomization of a folder.
    pub(super) async fn create(&self, index: usize) -> Result<()> {
        let yaml = format!(
            "apiVersion: {KUSTOMIZE}\nkind: Kustomization\nmetadata: {{name: {}}}\n\
             spec: {{interval: 1m, retryInterval: 2s, timeout: 1m, prune: true, wait: true, path: ./apps/{index:04}, \
             targetNamespace: {NAMESPACE}, sourceRef: {{kind: GitRepository, name: {REPOSITORY}}}}}\n",
            name(index)
        );
        self.cluster.apply(NAMESPACE, &yaml).await.map(drop)
    }

    /// Commits and pushes; returns the commit.
    pub(super) fn push(&self, subject: &str, change: Change) -> Result<String> {
        let commit = change.files.into_iter().fold(
            self.repository.commit(subject),
            |commit, (path, text)| match text {
                Some(text) => commit.file(&path, text),
                None => commit.delete(&path),
            },
        );
        commit.push()
    }

    /// Requests a reconcile of the source, as a webhook would.
    pub(super) async fn request_source(&self, token: &str) -> Result<()> {
        let sources = self.sources().await?;
        sources.patch(REPOSITORY, &PatchParams::default(), &Patch::Merge(requested(token))).await?;
        Ok(())
    }

    /// Requests a reconcile of every Kustomization.
    pub(super) async fn request_all(&self, token: &str) -> Result<()> {
        let kustomizations = self.kustomizations().await?;
        let (api, patch) = (&kustomizations, &requested(token));
        let apps: Vec<usize> = self.model.borrow().apps().collect();
        let requests = futures::stream::iter(apps).map(async |index| {
            api.patch(&name(index), &PatchParams::default(), &Patch::Merge(patch)).await.map(drop)
        });
        Ok(requests.buffer_unordered(WRITERS).try_collect().await?)
    }

    pub(super) async fn sources(&self) -> Result<Api<DynamicObject>> {
        self.cluster.api(SOURCE, "GitRepository", NAMESPACE).await
    }

    pub(super) async fn kustomizations(&self) -> Result<Api<DynamicObject>> {
        self.cluster.api(KUSTOMIZE, "Kustomization", NAMESPACE).await
    }

    /// Notes what the program has deleted and Git holds. To be called before Git drops anything.
    pub(super) fn check_deletions(&self) -> Result<()> {
        let model = self.model.borrow();
        let wrong = self.deletions.borrow_mut().next()?.into_iter().filter(|key| model.holds(key));
        self.findings
            .borrow_mut()
            .deleted
            .extend(wrong.map(|key| format!("{key} is in Git and was deleted by the program")));
        Ok(())
    }

    /// Starts the program after its end, again and again as a supervisor would if faults keep it from coming up.
    pub(super) async fn restart(&self, program: &mut Millrace) -> Result<()> {
        for _ in 1..STARTS {
            if program.restart().await.is_ok() {
                return Ok(());
            }
            program.kill()?;
        }
        program.restart().await.with_context(|| format!("the program did not start {STARTS} times"))
    }

    /// Notes the program's memory, and that it lives.
    pub(super) async fn sample(&self, at: Duration) -> Result<()> {
        let program = self.program.lock().await;
        let (now, _) = program.memory_kib().context("the program ended by itself")?;
        self.memory.borrow_mut().add(at, now);
        Ok(())
    }

    /// Copies the logs to a folder that stays, and returns it.
    pub(super) async fn keep_logs(&self) -> Result<PathBuf> {
        let program = self.program.lock().await;
        let servers = self.cluster.logs();
        logs::keep("faults-logs", servers.iter().map(PathBuf::as_path).chain([program.log_path()]))
    }
}

/// The name of the Kustomization of a folder.
pub(super) fn name(index: usize) -> String {
    format!("app-{index:04}")
}
