//! A repository with ConfigMaps in it, its GitRepository and its Kustomization, and what must be true of them.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, bail, ensure};
use kube::ResourceExt as _;
use millrace_e2e::{config_map, tenants};
use millrace_harness::git::Repository;
use serde_json::Value;

use super::world::{KUSTOMIZE, SOURCE, World};

/// What a commit does to the ConfigMap of a name: sets its value, or deletes its file.
pub(super) type Change = (&'static str, Option<&'static str>);

/// A repository and what Git holds in it.
pub(super) struct Site {
    pub(super) name: String,
    repository: Repository,
    /// The ConfigMaps at the head, with their values.
    held: BTreeMap<String, String>,
    head: String,
}

impl Site {
    /// Makes a repository with a first commit.
    pub(super) fn create(world: &World, name: &str, changes: &[Change]) -> Result<Self> {
        let repository = world.git.create(name)?;
        let mut site = Self { name: name.to_owned(), repository, held: BTreeMap::new(), head: String::new() };
        site.commit(changes)?;
        Ok(site)
    }

    /// Commits and pushes.
    pub(super) fn commit(&mut self, changes: &[Change]) -> Result<()> {
        let mut commit = self.repository.commit("change");
        for (name, value) in changes {
            let file = format!("{name}.yaml");
            if let Some(value) = value {
                commit = commit.file(&file, config_map(&self.object(name), value));
                self.held.insert(self.object(name), (*value).to_owned());
            } else {
                commit = commit.delete(&file);
                self.held.remove(&self.object(name));
            }
        }
        self.head = commit.push()?;
        Ok(())
    }

    /// Commits a file that is large and can't be compressed.
    pub(super) fn commit_blob(&mut self, name: &str, blob: Vec<u8>) -> Result<()> {
        self.head = self.repository.commit("blob").file(name, blob).push()?;
        Ok(())
    }

    /// The head's hash.
    pub(super) fn head(&self) -> &str {
        &self.head
    }

    /// The name of a ConfigMap: sites of a namespace don't share any.
    fn object(&self, name: &str) -> String {
        format!("{}-{name}", self.name)
    }

    pub(super) async fn apply_source(&self, world: &World) -> Result<()> {
        let (name, url) = (&self.name, world.git.public_url(&self.name));
        world
            .apply(&format!(
                "apiVersion: {SOURCE}\nkind: GitRepository\nmetadata: {{name: {name}}}\nspec:\n  interval: 1h\n  url: \
                 {url}\n  ref: {{branch: main}}\n"
            ))
            .await
    }

    pub(super) async fn apply_kustomization(&self, world: &World) -> Result<()> {
        let (name, namespace) = (&self.name, &world.namespace);
        let account = if tenants::are_wanted() {
            format!("  serviceAccountName: {}\n", tenants::NAMED_ACCOUNT)
        } else {
            String::new()
        };
        world
            .apply(&format!(
                "apiVersion: {KUSTOMIZE}\nkind: Kustomization\nmetadata: {{name: {name}}}\nspec:\n  interval: 1h\n  \
                 retryInterval: 2s\n  prune: true\n  targetNamespace: {namespace}\n  sourceRef: {{kind: GitRepository, \
                 name: {name}}}\n{account}"
            ))
            .await
    }

    /// Asks for a look at the repository.
    pub(super) async fn request(&self, world: &World) -> Result<()> {
        world.request(SOURCE, "GitRepository", &self.name).await
    }

    /// Asks for the end of the Kustomization or GitRepository.
    pub(super) async fn delete(&self, world: &World, api_version: &str, kind: &str) -> Result<()> {
        let api = world.cluster.api(api_version, kind, &world.namespace).await?;
        match api.delete(&self.name, &kube::api::DeleteParams::default()).await {
            Ok(_) => Ok(()),
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether the source has reached the head, and its artifact can be fetched.
    pub(super) async fn source_is_current(&self, world: &World) -> Result<()> {
        let source = world.get(SOURCE, "GitRepository", &self.name).await?;
        is_ready(&source)?;
        let revision = source["status"]["artifact"]["revision"].as_str().unwrap_or_default();
        ensure!(revision.ends_with(&self.head), "the source is at {revision}");
        self.artifact_is_served(world).await
    }

    /// Whether the artifact that the source advertises, if any, can be fetched.
    pub(super) async fn artifact_is_served(&self, world: &World) -> Result<()> {
        let source = world.get(SOURCE, "GitRepository", &self.name).await?;
        let artifact = &source["status"]["artifact"];
        let Some(url) = artifact["url"].as_str() else { return Ok(()) };
        let (status, size) = world.download(url).await?;
        ensure!(status == 200, "{url} is advertised and answers {status}");
        ensure!(Some(size) == artifact["size"].as_u64(), "{url} has {size} bytes");
        Ok(())
    }

    /// Whether the cluster has exactly what Git holds, and the Kustomization says so.
    pub(super) async fn is_applied(&self, world: &World) -> Result<()> {
        let kustomization = world.get(KUSTOMIZE, "Kustomization", &self.name).await?;
        is_ready(&kustomization)?;
        let revision = kustomization["status"]["lastAppliedRevision"].as_str().unwrap_or_default();
        ensure!(revision.ends_with(&self.head), "the Kustomization is at {revision}");
        let mut found = BTreeMap::new();
        for object in world.owned_by(&self.name).await? {
            let value = object.data["data"]["value"].as_str().unwrap_or_default().to_owned();
            found.insert(object.name_any(), value);
        }
        ensure!(found == self.held, "the cluster has {found:?}, Git holds {:?}", self.held);
        let tracked = inventory(&kustomization);
        ensure!(tracked == found.into_keys().collect(), "the inventory has {tracked:?}");
        world.writes_for_tenants()
    }

    /// Whether every object that bears the Kustomization's labels is in its inventory.
    pub(super) async fn nothing_is_untracked(&self, world: &World) -> Result<()> {
        // Read in this order: what is applied in between is in an inventory that was written before.
        let owned = world.owned_by(&self.name).await?;
        let kustomization = world.get(KUSTOMIZE, "Kustomization", &self.name).await?;
        let tracked = inventory(&kustomization);
        for object in owned {
            let name = object.name_any();
            ensure!(tracked.contains(&name), "ConfigMap/{name} is in no inventory; that has {tracked:?}");
        }
        Ok(())
    }

    /// Whether the Kustomization is gone with everything it owned.
    pub(super) async fn is_gone(&self, world: &World) -> Result<()> {
        let kustomization = world.get(KUSTOMIZE, "Kustomization", &self.name).await?;
        let owned = world.owned_by(&self.name).await?;
        ensure!(kustomization.is_null(), "the Kustomization is there");
        if let Some(left) = owned.first() {
            bail!("ConfigMap/{} outlives its Kustomization", left.name_any());
        }
        world.writes_for_tenants()
    }

    /// Whether the GitRepository is gone with its artifacts.
    pub(super) async fn source_is_gone(&self, world: &World) -> Result<()> {
        let source = world.get(SOURCE, "GitRepository", &self.name).await?;
        ensure!(source.is_null(), "the GitRepository is there");
        let folder = world.millrace.storage().join("gitrepository").join(&world.namespace).join(&self.name);
        ensure!(!folder.exists(), "{} is there", folder.display());
        Ok(())
    }

    /// The identities of the objects that there are, by name.
    pub(super) async fn identities(&self, world: &World) -> Result<BTreeMap<String, String>> {
        let owned = world.owned_by(&self.name).await?;
        Ok(owned.iter().map(|object| (object.name_any(), object.uid().unwrap_or_default())).collect())
    }

    /// Whether no object that Git held all the time was deleted, or deleted and made anew.
    pub(super) async fn nothing_was_lost(
        &self,
        world: &World,
        before: &BTreeMap<String, String>,
    ) -> Result<()> {
        let now = self.identities(world).await?;
        for (name, uid) in before.iter().filter(|(name, _)| self.held.contains_key(*name)) {
            let found = now.get(name).with_context(|| format!("ConfigMap/{name} was lost"))?;
            ensure!(found == uid, "ConfigMap/{name} was deleted and made anew");
        }
        Ok(())
    }
}

/// The names in an inventory.
fn inventory(kustomization: &Value) -> BTreeSet<String> {
    let entries = kustomization["status"]["inventory"]["entries"].as_array();
    let name = |entry: &Value| Some(entry["id"].as_str()?.split('_').nth(1)?.to_owned());
    entries.into_iter().flatten().filter_map(name).collect()
}

/// Whether an object is Ready at its generation with nothing under way.
pub(super) fn is_ready(object: &Value) -> Result<()> {
    let generation = object["metadata"]["generation"].as_i64().context("it is not there")?;
    let conditions = object["status"]["conditions"].as_array().context("it has no conditions")?;
    let condition = |name: &str| conditions.iter().find(|condition| condition["type"] == name);
    let ready = condition("Ready").context("it has no Ready condition")?;
    ensure!(ready["status"] == "True", "Ready is {}: {}", ready["status"], ready["message"]);
    ensure!(ready["observedGeneration"].as_i64() == Some(generation), "Ready is of an older generation");
    ensure!(
        object["status"]["observedGeneration"].as_i64() == Some(generation),
        "an older generation is observed"
    );
    ensure!(condition("Reconciling").is_none(), "it is reconciling");
    Ok(())
}
