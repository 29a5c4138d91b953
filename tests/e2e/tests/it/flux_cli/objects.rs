//! The objects that the contract's checks begin with (cli, part C).

use anyhow::Result;
use millrace_e2e::{Story, config_map, deployment};
use millrace_harness::git::Repository;
use serde_json::json;

use super::said::Said;

const NOTIFICATIONS: &str = "
apiVersion: v1
kind: Secret
metadata:
  name: token
stringData:
  token: t
---
apiVersion: notification.toolkit.fluxcd.io/v1
kind: Receiver
metadata:
  name: hook
spec:
  type: generic
  secretRef:
    name: token
  resources:
  - kind: GitRepository
    name: infra
---
apiVersion: notification.toolkit.fluxcd.io/v1beta3
kind: Provider
metadata:
  name: p1
spec:
  type: generic
  address: {sink}
---
apiVersion: notification.toolkit.fluxcd.io/v1beta3
kind: Alert
metadata:
  name: a1
spec:
  providerRef:
    name: p1
  eventSources:
  - kind: GitRepository
    name: '*'
";

/// A GitRepository `infra`; Kustomizations `apps` (with a label), `broken` (its path is missing) and `parked` (suspended once
/// it was Ready); Receiver `hook`, Provider `p1`, Alert `a1`.
pub(super) struct Fixture {
    pub(super) story: Story,
    pub(super) repository: Repository,
    /// The commit that everything is at.
    pub(super) commit: String,
}

impl Fixture {
    /// Makes the objects and waits until each is as described.
    pub(super) async fn begin(story: Story) -> Result<Self> {
        let repository = story.git.create("infra")?;
        let commit = repository
            .commit("first")
            .file("deploy/web.yaml", deployment("web", 1))
            .file("deploy/settings.yaml", config_map("settings", "1"))
            .push()?;
        story.git_repository("infra").await?;
        story.apply(NOTIFICATIONS).await?;
        story.ready("GitRepository/infra").await?;
        story.kustomization("apps", "infra", "  path: ./deploy\n").await?;
        story.kustomization("broken", "infra", "  path: ./nope\n").await?;
        story.kustomization("parked", "infra", "  path: ./deploy\n  namePrefix: p-\n").await?;
        story.patch("Kustomization/apps", &json!({ "metadata": { "labels": { "sharding": "a" } } })).await?;
        story.ready("Kustomization/apps").await?;
        story.failing("Kustomization/broken", "ArtifactFailed").await?;
        story.ready("Kustomization/parked").await?;
        story.ready("Receiver/hook").await?;
        story.patch("Kustomization/parked", &json!({ "spec": { "suspend": true } })).await?;
        Ok(Self { story, repository, commit })
    }

    /// Runs `flux` in the namespace.
    pub(super) fn flux(&self, arguments: &[&str]) -> Result<Said> {
        Said::new(self.story.flux(arguments)?)
    }

    /// The namespace.
    pub(super) fn namespace(&self) -> &str {
        &self.story.namespace
    }

    /// The revision of everything, as it stands in status.
    pub(super) fn revision(&self) -> String {
        format!("main@sha1:{}", self.commit)
    }

    /// The revision of everything, as tables shorten it.
    pub(super) fn short(&self) -> String {
        format!("main@sha1:{}", &self.commit[..8])
    }

    /// What `broken` says; the folder in the middle is a temporary one, and a hint may follow.
    pub(super) async fn broken(&self) -> Result<String> {
        let ready = self.story.failing("Kustomization/broken", "ArtifactFailed").await?;
        let told = ready.message.lines().next().unwrap_or_default();
        assert!(told.starts_with("kustomization path not found: stat /"), "{}", ready.message);
        assert!(told.ends_with("/nope: no such file or directory"), "{}", ready.message);
        Ok(ready.message)
    }

    /// The same as tables show it, where revisions are shortened.
    pub(super) async fn broken_in_tables(&self) -> Result<String> {
        Ok(self.broken().await?.replace(&self.revision(), &self.short()))
    }

    /// Runs `flux` in a namespace without objects.
    pub(super) async fn flux_in_empty(&self, calls: &[&[&str]]) -> Result<(String, Vec<Said>)> {
        let empty = self.story.cluster.namespace("empty").await?.name().to_owned();
        let said = calls.iter().map(|arguments| Said::new(self.story.flux_in(&empty, arguments)?));
        let said = said.collect::<Result<_>>()?;
        Ok((empty, said))
    }
}
