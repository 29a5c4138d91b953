//! The servers of the demo, the program, and the sample.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kube::api::{DeleteParams, DynamicObject};
use millrace_harness::git::{PASSWORD, Repository, USER};
use millrace_harness::millrace::{Millrace, Options};
use millrace_harness::{ControlPlane, GitServer, Profile, Recorder, tools, until};

use super::hook::{Hook, TOKEN};
use crate::objects::{KUSTOMIZE, RECEIVER, SOURCE, is_ready, revision, text};
use crate::say::say;

/// The namespace of the sample.
pub(super) const NAMESPACE: &str = "shop";
/// The name of its objects.
pub(super) const NAME: &str = "shop";
/// Where chat messages go.
pub(super) const CHAT: &str = "/chat";

const DELETE_LIMIT: Duration = Duration::from_secs(30);

/// Everything that runs during the demo.
pub(super) struct Scene {
    // The program goes first: it must not see its servers vanish.
    program: Millrace,
    pub(super) repository: Repository,
    git: GitServer,
    pub(super) chat: Recorder,
    pub(super) control_plane: ControlPlane,
    is_borrowed: bool,
}

impl Scene {
    /// Starts what is needed; `cluster` is a kubeconfig to use instead of a control plane of our own.
    pub(super) async fn set(cluster: Option<&Path>) -> Result<Self> {
        let control_plane = match cluster {
            Some(kubeconfig) => ControlPlane::existing(kubeconfig).await?,
            None => ControlPlane::start(Profile::Full).await?,
        };
        say!("✔ control plane at {}", control_plane.server());
        if cluster.is_some() {
            be_a_guest(&control_plane).await?;
        } else {
            control_plane.install_crds().await?;
        }
        control_plane.create_namespace(NAMESPACE).await?;
        let kubeconfig = match cluster {
            Some(kubeconfig) => kubeconfig.to_owned(),
            None => control_plane.unlimited_access().await?.kubeconfig,
        };
        let git = GitServer::start().await?;
        let repository = git.create(NAME)?;
        say!("✔ Git server at {}", git.tls_url(NAME));
        let chat = Recorder::start()?;
        say!("✔ chat receiver at {}{CHAT}", chat.url());
        // Whatever else reconciles in that cluster is left alone.
        let program = Millrace::start(Options::new(&kubeconfig).scoped(NAMESPACE)).await?;
        say!("✔ millrace, process {}, webhooks at {}", program.id(), program.receiver_url());
        Ok(Self { program, repository, git, chat, control_plane, is_borrowed: cluster.is_some() })
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
        self.control_plane.apply(NAMESPACE, &yaml).await.map(drop)
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
        Hook::start(self.git.repositories().join(format!("{NAME}.git")), url)
    }

    pub(super) async fn source(&self) -> Option<DynamicObject> {
        self.find(SOURCE, "GitRepository").await
    }

    pub(super) async fn kustomization(&self) -> Option<DynamicObject> {
        self.find(KUSTOMIZE, "Kustomization").await
    }

    /// Reads an object of the sample from the cluster.
    pub(super) async fn find(&self, api_version: &str, kind: &str) -> Option<DynamicObject> {
        self.control_plane.find(api_version, kind, NAMESPACE, NAME).await.ok().flatten()
    }

    /// What to try now.
    pub(super) fn hints(&self) -> String {
        let kubectl = tools::program("kubectl")
            .map_or_else(|_| "kubectl".to_owned(), |path| path.display().to_string());
        let tree = self.repository.work_tree().display();
        let kubeconfig = self.control_plane.kubeconfig().display();
        format!(
            "\nexport KUBECONFIG={kubeconfig}\n\
             alias kubectl={kubectl}\n\n\
             Three things to try:\n\
             1. Scale by hand and watch it corrected within 15 s:\n\
             \x20    kubectl -n {NAMESPACE} scale deployment {NAME} --replicas=5 && kubectl -n {NAMESPACE} get deployment {NAME} -w\n\
             2. Delete a file and watch its object pruned:\n\
             \x20    cd {tree} && sed -i /service.yaml/d deploy/kustomization.yaml && git rm -q deploy/service.yaml \
             && git commit -qam 'Close the door' && git push -q origin main && kubectl -n {NAMESPACE} get service -w\n\
             3. Break a manifest and read the message:\n\
             \x20    cd {tree} && echo 'kind: [' > deploy/page.yaml && git commit -qam 'Oops' && git push -q origin main \
             && kubectl -n {NAMESPACE} get kustomization {NAME} -w"
        )
    }

    /// Copies the logs to a folder that stays, and returns it.
    pub(super) fn keep_logs(&self) -> Result<PathBuf> {
        let program = std::env::current_exe()?;
        let folder = program.parent().context("a program lies in a folder")?.join("demo-logs");
        fs::create_dir_all(&folder)?;
        for log in self.control_plane.logs().iter().map(PathBuf::as_path).chain([self.program.log_path()]) {
            fs::copy(log, folder.join(log.file_name().context("a log has a name")?))?;
        }
        fs::write(folder.join("git-server.log"), self.git.error_log())?;
        Ok(folder)
    }

    /// Takes away what a borrowed cluster should not keep; a control plane of our own ends with this value.
    pub(super) async fn clean(self) -> Result<()> {
        if self.is_borrowed {
            for (api_version, kind) in
                [(KUSTOMIZE, "Kustomization"), (SOURCE, "GitRepository"), (RECEIVER, "Receiver")]
            {
                let objects = self.control_plane.api(api_version, kind, NAMESPACE).await?;
                let _ = objects.delete(NAME, &DeleteParams::default()).await;
                until(&format!("the end of {kind}/{NAME}"), DELETE_LIMIT, async || {
                    self.find(api_version, kind).await.is_none().then_some(())
                })
                .await?;
            }
            self.control_plane.kubectl(&["delete", "namespace", NAMESPACE, "--wait=false"])?;
        }
        Ok(())
    }
}

/// Makes sure that nothing of somebody else's cluster is changed: its CRDs stay as they are, and so does a namespace of ours
/// that it has already.
async fn be_a_guest(control_plane: &ControlPlane) -> Result<()> {
    let taken = control_plane.find("v1", "Namespace", "", NAMESPACE).await?.is_some();
    ensure!(
        !taken,
        "the cluster has a namespace {NAMESPACE:?}, which the demo would take over and delete: remove it first"
    );
    match control_plane.api(KUSTOMIZE, "Kustomization", NAMESPACE).await {
        Ok(_) => Ok(()),
        Err(_) => control_plane.install_crds().await,
    }
}

fn example() -> PathBuf {
    tools::repository().join("docs/examples/first-light")
}
