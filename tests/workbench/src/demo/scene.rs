//! The servers of the demo, the program, and the sample.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kube::api::DynamicObject;
use millrace_harness::git::{PASSWORD, Repository, USER};
use millrace_harness::millrace::{Millrace, Options};
use millrace_harness::{GitServer, Recorder, tools, until};

use super::hook::{Hook, TOKEN};
use super::place::Place;
use crate::logs;
use crate::objects::{KUSTOMIZE, RECEIVER, SOURCE, is_ready, revision, text};
use crate::say::say;

/// The namespace of the sample.
pub(super) const NAMESPACE: &str = "shop";
/// The name of its objects.
pub(super) const NAME: &str = "shop";
/// Where chat messages go.
pub(super) const CHAT: &str = "/chat";

/// Everything that runs during the demo, besides the cluster.
pub(super) struct Scene<'a> {
    // The program goes first: it must not see its servers vanish.
    program: Millrace,
    pub(super) repository: Repository,
    git: GitServer,
    pub(super) chat: Recorder,
    place: &'a Place,
}

impl<'a> Scene<'a> {
    /// Starts what is needed in a place; `kubeconfig` is the program's.
    pub(super) async fn set(place: &'a Place, kubeconfig: &Path) -> Result<Self> {
        let git = GitServer::start().await?;
        let repository = git.create(NAME)?;
        say!("✔ Git server at {}", git.tls_url(NAME));
        let chat = Recorder::start()?;
        say!("✔ chat receiver at {}{CHAT}", chat.url());
        // Whatever else reconciles in that cluster is left alone.
        let program = Millrace::start(Options::new(kubeconfig).scoped(NAMESPACE)).await?;
        say!("✔ millrace, process {}; all of this is there as long as the demo is:", program.id());
        say!("    webhooks    {}", program.receiver_url());
        say!("    metrics     {}", program.metrics_url());
        say!("    health      {}", program.health_url());
        say!("    log         {}", program.log_path().display());
        say!("    kubeconfig  {}", place.cluster.kubeconfig().display());
        Ok(Self { program, repository, git, chat, place })
    }

    /// Pushes the sample repository and returns the commit.
    pub(super) fn push_sample(&self) -> Result<String> {
        self.repository.commit("Open the shop").folder(&example().join("repository"))?.push()
    }

    /// Applies the sample's objects, with this scene's addresses in place of the words in capitals.
    pub(super) async fn apply_objects(&self) -> Result<()> {
        let template =
            fs::read_to_string(example().join("objects.yaml")).context("cannot read the sample's objects")?;
        let values = [
            ("GIT_USER", USER.to_owned()),
            ("GIT_PASSWORD", PASSWORD.to_owned()),
            ("GIT_CA", STANDARD.encode(self.git.authority())),
            ("GIT_URL", self.git.tls_url(NAME)),
            ("WEBHOOK_TOKEN", TOKEN.to_owned()),
            ("CHAT_URL", format!("{}{CHAT}", self.chat.url())),
            ("NAMESPACE", NAMESPACE.to_owned()),
        ];
        let yaml = values.iter().fold(template, |yaml, (word, value)| yaml.replace(word, value));
        self.place.cluster.apply(NAMESPACE, &yaml).await.map(drop)
    }

    /// Waits until the Kustomization is ready with a commit and the Receiver has its path.
    pub(super) async fn wait_ready(&self, commit: &str, limit: Duration) -> Result<()> {
        until("the first commit to be applied and healthy", limit, async || {
            let kustomization = self.kustomization().await?;
            let receiver = self.find(RECEIVER, "Receiver").await?;
            let applied = is_ready(&kustomization) && revision(&kustomization).ends_with(commit);
            (applied && !text(&receiver, "/status/webhookPath").is_empty()).then_some(())
        })
        .await
    }

    /// Starts to call the webhook on every push.
    pub(super) async fn start_hook(&self) -> Result<Arc<Hook>> {
        let receiver = self.find(RECEIVER, "Receiver").await.context("there is no Receiver")?;
        let url = format!("{}{}", self.program.receiver_url(), text(&receiver, "/status/webhookPath"));
        Hook::start(&self.git.repositories().join(format!("{NAME}.git")), url)
    }

    pub(super) async fn source(&self) -> Option<DynamicObject> {
        self.find(SOURCE, "GitRepository").await
    }

    pub(super) async fn kustomization(&self) -> Option<DynamicObject> {
        self.find(KUSTOMIZE, "Kustomization").await
    }

    /// Reads an object of the sample from the cluster.
    pub(super) async fn find(&self, api_version: &str, kind: &str) -> Option<DynamicObject> {
        self.place.cluster.find(api_version, kind, NAMESPACE, NAME).await.ok().flatten()
    }

    /// What to try now.
    pub(super) fn hints(&self) -> String {
        let kubectl = self.place.kubectl();
        let alias = if kubectl == "kubectl" { String::new() } else { format!("alias kubectl={kubectl}\n") };
        let tree = self.repository.work_tree().display();
        let kubeconfig = self.place.cluster.kubeconfig().display();
        format!(
            "\nexport KUBECONFIG={kubeconfig}\n\
             {alias}\n\
             Four things to try:\n\
             1. Scale by hand and watch it corrected within 15 s; Ctrl-C ends the watch (-w):\n\
             \x20    kubectl -n {NAMESPACE} scale deployment {NAME} --replicas=5 && kubectl -n {NAMESPACE} get deployment {NAME} -w\n\
             2. Delete a file and read how its object was pruned:\n\
             \x20    cd {tree} && sed -i /service.yaml/d deploy/kustomization.yaml && git rm -q deploy/service.yaml \
             && git commit -qam 'Close the door' && git push -q origin main && sleep 3 \
             && kubectl -n {NAMESPACE} events --for kustomization/{NAME}\n\
             3. Break a manifest and read the message, with what to do about it:\n\
             \x20    cd {tree} && echo 'kind: [' > deploy/page.yaml && git commit -qam 'Oops' && git push -q origin main && sleep 3 \
             && kubectl -n {NAMESPACE} describe kustomization {NAME}\n\
             4. Mend it:\n\
             \x20    cd {tree} && git revert --no-edit HEAD && git push -q origin main && sleep 3 \
             && kubectl -n {NAMESPACE} get gitrepository,kustomization"
        )
    }

    /// Copies the logs to a folder that stays, and returns it.
    pub(super) fn keep_logs(&self) -> Result<PathBuf> {
        let servers = self.place.cluster.logs();
        let folder =
            logs::keep("demo-logs", servers.iter().map(PathBuf::as_path).chain([self.program.log_path()]))?;
        fs::write(folder.join("git-server.log"), self.git.error_log())?;
        Ok(folder)
    }
}

fn example() -> PathBuf {
    tools::repository().join("docs/examples/first-light")
}
