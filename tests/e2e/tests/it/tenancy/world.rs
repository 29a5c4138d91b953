//! Two tenants of one cluster, and words for what one of them tries.

use anyhow::{Result, ensure};
use kube::api::{Patch, PatchParams};
use millrace_e2e::{SOON, Story, Verdict, config_map, tenants};
use millrace_harness::millrace::Options;
use millrace_harness::until;
use serde_json::{Value, json};

/// Who attacks. Her namespace is the story's.
pub(super) const MALLORY: &str = "mallory";
/// Who is attacked.
pub(super) const ALICE: &str = "alice";
/// What must not be seen or changed.
const SECRET: &str = "alices-secret-value";

/// The cluster.
pub(super) struct World {
    pub(super) story: Story,
    /// Alice's object as it was: a change or a new one shows.
    treasure: Value,
}

/// What was tried, and what came of it.
pub(super) type Rows = Vec<(&'static str, Result<()>)>;

/// A file of a repository.
#[derive(Clone, Copy)]
pub(super) enum File<'a> {
    Text(&'a str),
    Link(&'a str),
}

impl World {
    pub(super) async fn begin() -> Result<Self> {
        let lockdown = [
            "--kustomize-no-cross-namespace-refs=true",
            "--kustomize-no-remote-bases=true",
            "--notification-no-cross-namespace-refs=true",
        ];
        let locked = |options| lockdown.into_iter().fold(tenants::confine(options), Options::arg);
        let story = Story::begin_alone(MALLORY, locked).await?;
        story.cluster.create_namespace(ALICE).await?;
        for namespace in [MALLORY, ALICE] {
            tenants::settle(&story.cluster, namespace).await?;
        }
        let mut world = Self { story, treasure: Value::Null };
        world.settle_alice().await?;
        Ok(world)
    }

    /// Alice deploys an application and keeps a Secret.
    async fn settle_alice(&mut self) -> Result<()> {
        let repository = self.story.git.create("app")?;
        repository.commit("first").file("app.yaml", config_map("treasure", SECRET)).push()?;
        let secret = format!(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: token\nstringData:\n  token: {SECRET}\n  address: \
             http://127.0.0.1:1/{SECRET}\n"
        );
        self.story.cluster.apply(ALICE, &secret).await?;
        self.story.cluster.apply(ALICE, &self.source("app", "app")).await?;
        self.story.cluster.apply(ALICE, &kustomization(ALICE, "app", "")).await?;
        let ready = self.alices("kustomize.toolkit.fluxcd.io/v1", "Kustomization", "app", |found| {
            let conditions = found["status"]["conditions"].as_array().cloned().unwrap_or_default();
            conditions.iter().any(|one| one["type"] == "Ready" && one["status"] == "True")
        });
        ready.await?;
        self.treasure = self.read(ALICE, "ConfigMap", "treasure").await?;
        Ok(())
    }

    /// Alice's next commit arrives, and her object has never been anybody else's.
    pub(super) async fn alice_is_well(&self) -> Result<()> {
        self.is_unharmed().await?;
        let app = self.alices("kustomize.toolkit.fluxcd.io/v1", "Kustomization", "app", |_| true).await?;
        let token = "after-all";
        let request = json!({ "metadata": { "annotations": { "reconcile.fluxcd.io/requestedAt": token } } });
        let api = self.story.cluster.api("kustomize.toolkit.fluxcd.io/v1", "Kustomization", ALICE).await?;
        api.patch("app", &PatchParams::default(), &Patch::Merge(&request)).await?;
        self.alices("kustomize.toolkit.fluxcd.io/v1", "Kustomization", "app", |found| {
            found["status"]["lastHandledReconcileAt"] == token
        })
        .await?;
        ensure!(app["status"]["inventory"]["entries"].as_array().map(Vec::len) == Some(1), "{app}");
        self.is_unharmed().await
    }

    /// Alice's object is the one it was, and what is hers stands nowhere in Mallory's objects or in the log.
    pub(super) async fn is_unharmed(&self) -> Result<()> {
        let now = self.read(ALICE, "ConfigMap", "treasure").await?;
        ensure!(now == self.treasure, "Alice's object became {now}");
        ensure!(!self.story.millrace.log().contains(SECRET), "Alice's secret is in the log");
        for (api_version, kind) in [
            ("kustomize.toolkit.fluxcd.io/v1", "Kustomization"),
            ("source.toolkit.fluxcd.io/v1", "GitRepository"),
            ("v1", "ConfigMap"),
            ("v1", "Event"),
        ] {
            let api = self.story.cluster.api(api_version, kind, MALLORY).await?;
            let all = serde_json::to_string(&api.list(&kube::api::ListParams::default()).await?.items)?;
            ensure!(!all.contains(SECRET), "Alice's secret is in a {kind} of Mallory's");
        }
        Ok(())
    }

    /// Commits files and makes a source and a Kustomization of them, all of this name.
    pub(super) async fn attempt(&self, name: &str, more: &str, files: &[(&str, File<'_>)]) -> Result<()> {
        let repository = self.story.git.create(name)?;
        let commit = files.iter().fold(repository.commit("an attempt"), |commit, (path, file)| match file {
            File::Text(text) => commit.file(path, *text),
            File::Link(target) => commit.link(path, target),
        });
        commit.push()?;
        self.story.apply(&self.source(name, name)).await?;
        self.story.apply(&kustomization(MALLORY, name, more)).await
    }

    /// Waits for a Kustomization's failure, and for no harm done by it.
    pub(super) async fn fails(&self, name: &str, reason: &str, message: &str) -> Result<()> {
        let verdict = Verdict { type_: "Ready", status: "False", reason, message };
        self.story.verdict(&format!("Kustomization/{name}"), verdict).await?;
        self.is_unharmed().await
    }

    /// Waits until a Kustomization is given up for good.
    pub(super) async fn is_stopped(&self, name: &str, reason: &str, message: &str) -> Result<()> {
        let verdict = Verdict { type_: "Ready", status: "False", reason, message };
        self.story.stalled(&format!("Kustomization/{name}"), verdict).await?;
        self.is_unharmed().await
    }

    /// What messages call the root of the artifact that a Kustomization of Mallory's builds.
    pub(super) fn root(&self, name: &str) -> String {
        let folder = self.story.millrace.storage().with_file_name(format!("kustomization-{MALLORY}-{name}"));
        folder.display().to_string()
    }

    /// A file that isn't there unless somebody has made the program run a command.
    pub(super) fn mark(&self, name: &str) -> std::path::PathBuf {
        self.story.millrace.storage().with_file_name(format!("mark-{name}"))
    }

    /// A manifest of a source of a repository on the test's Git server.
    pub(super) fn source(&self, name: &str, repository: &str) -> String {
        format!(
            "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata:\n  name: {name}\nspec:\n  interval: \
             1h\n  url: {}\n  ref:\n    branch: main\n",
            self.story.git.public_url(repository)
        )
    }

    /// Reads an object that has to be there.
    pub(super) async fn read(&self, namespace: &str, kind: &str, name: &str) -> Result<Value> {
        let found = self.story.cluster.find("v1", kind, namespace, name).await?;
        ensure!(found.is_some(), "{kind}/{namespace}/{name} is gone");
        Ok(serde_json::to_value(found)?)
    }

    /// Waits for an object of Alice's.
    pub(super) async fn alices(
        &self,
        api_version: &str,
        kind: &str,
        name: &str,
        wanted: impl Fn(&Value) -> bool,
    ) -> Result<Value> {
        until(&format!("{kind}/{name} of Alice's"), SOON, async || {
            let found = self.story.cluster.find(api_version, kind, ALICE, name).await.ok()??;
            Some(serde_json::to_value(found).ok()?).filter(|found| wanted(found))
        })
        .await
    }
}

/// A manifest of a Kustomization; `more` is added to its spec, indented by two. What it applies goes to `namespace`, unless
/// `more` says where.
pub(super) fn kustomization(namespace: &str, name: &str, more: &str) -> String {
    let target = if more.contains("targetNamespace:") {
        String::new()
    } else {
        format!("  targetNamespace: {namespace}\n")
    };
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: {name}\nspec:\n  interval: \
         1h\n  retryInterval: 2s\n  prune: true\n{target}{more}{}",
        if more.contains("sourceRef:") {
            String::new()
        } else {
            format!("  sourceRef:\n    kind: GitRepository\n    name: {name}\n")
        }
    )
}
