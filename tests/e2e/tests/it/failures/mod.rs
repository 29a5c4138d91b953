//! What goes wrong shows as the contract says, loses nothing, and mends without a restart.

mod digest;
mod kustomizations;
mod sources;

use anyhow::{Context as _, Result, ensure};
use millrace_e2e::{Story, Verdict, config_map};
use millrace_harness::git::Repository;
use serde_json::{Value, json};

/// A source and a Kustomization that has applied it.
struct Site {
    repository: Repository,
    commit: String,
    /// The identity of the applied object: one that was deleted and made again has another.
    uid: Value,
}

impl Site {
    async fn deploy(story: &Story) -> Result<Self> {
        let repository = story.git.create("site")?;
        let commit = repository.commit("first").file("deploy/a.yaml", config_map("a", "1")).push()?;
        story.git_repository("site").await?;
        story.kustomization("site", "site", "  path: ./deploy\n").await?;
        story.ready_with("Kustomization/site", &commit).await?;
        let uid = story.get("ConfigMap/a").await?["metadata"]["uid"].clone();
        Ok(Self { repository, commit, uid })
    }

    fn revision(&self) -> String {
        format!("main@sha1:{}", self.commit)
    }

    /// What was applied is as it was, and still known to be ours.
    async fn is_intact(&self, story: &Story) -> Result<()> {
        let applied = story.get("ConfigMap/a").await?;
        ensure!(applied["data"] == json!({ "value": "1" }), "ConfigMap/a holds {}", applied["data"]);
        ensure!(applied["metadata"]["uid"] == self.uid, "ConfigMap/a was deleted and made again");
        let status = story.get("Kustomization/site").await?["status"].clone();
        let id = format!("{}_a__ConfigMap", story.namespace);
        let entries = &status["inventory"]["entries"];
        ensure!(*entries == json!([{ "id": id, "v": "v1" }]), "the inventory holds {entries}");
        ensure!(
            status["lastAppliedRevision"] == self.revision().as_str(),
            "{}",
            status["lastAppliedRevision"]
        );
        Ok(())
    }

    /// The source failed for now: the condition and `Ready` say the same, the artifact stays and is served, and what depends
    /// on it goes on with it.
    async fn source_fails(&self, story: &Story, reason: &str, message: &str) -> Result<()> {
        let object = "GitRepository/site";
        let failed = Verdict { type_: "FetchFailed", status: "True", reason, message };
        story.retried(object, Verdict { type_: "Ready", status: "False", ..failed }).await?;
        story.verdict(object, failed).await?;
        let stored = format!("stored artifact for revision '{}'", self.revision());
        // It may have been set for an earlier generation: what it says counts.
        let found =
            story.condition(object, "ArtifactInStorage").await?.context("ArtifactInStorage is gone")?;
        ensure!((found.status.as_str(), found.message.as_str()) == ("True", stored.as_str()), "{found:?}");
        self.is_served(story).await?;
        let applied = format!("Applied revision: {}", self.revision());
        let ready =
            Verdict { type_: "Ready", status: "True", reason: "ReconciliationSucceeded", message: &applied };
        story.verdict("Kustomization/site", ready).await?;
        self.is_intact(story).await
    }

    /// The advertised artifact is the one of the revision, and can be fetched.
    async fn is_served(&self, story: &Story) -> Result<()> {
        let artifact = story.get("GitRepository/site").await?["status"]["artifact"].clone();
        ensure!(artifact["revision"] == self.revision().as_str(), "{artifact}");
        let url = artifact["url"].as_str().context("an artifact without a URL")?;
        let client = reqwest::Client::builder().no_proxy().build()?;
        let answer = client.get(url).send().await?.status();
        ensure!(answer == reqwest::StatusCode::OK, "{url} answers {answer}");
        Ok(())
    }

    /// The Kustomization failed for now, with nothing lost.
    async fn kustomization_fails(&self, story: &Story, reason: &str, message: &str) -> Result<()> {
        story
            .retried("Kustomization/site", Verdict { type_: "Ready", status: "False", reason, message })
            .await?;
        self.is_intact(story).await
    }

    /// All is well again at a commit: the conditions of success, and no other.
    async fn mends(&self, story: &Story, commit: &str) -> Result<()> {
        let revision = format!("main@sha1:{commit}");
        let stored = format!("stored artifact for revision '{revision}'");
        let applied = format!("Applied revision: {revision}");
        for (object, reason, message, types) in [
            ("GitRepository/site", "Succeeded", &stored, &["Ready", "ArtifactInStorage"][..]),
            ("Kustomization/site", "ReconciliationSucceeded", &applied, &["Ready"][..]),
        ] {
            story.ready_with(object, message).await?;
            story.verdict(object, Verdict { type_: "Ready", status: "True", reason, message }).await?;
            let conditions = story.get(object).await?["status"]["conditions"].clone();
            let left = conditions.as_array().into_iter().flatten().filter_map(|one| one["type"].as_str());
            ensure!(left.eq(types.iter().copied()), "{object} has {conditions}");
        }
        Ok(())
    }
}
