//! One pass of the runner over some stories.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, ensure};
use millrace_harness::millrace::find_program;
use millrace_harness::proxy::Match;
use millrace_harness::{ApiProxy, ControlPlane, tools};

use super::pardons::Pardons;
use super::verdict::{self, Outcome};
use super::{controllers, restarts};

/// Which stories are played, and how.
pub(super) struct Play {
    /// Their ids; all if absent.
    pub(super) only: Option<Vec<String>>,
    /// How many at a time.
    pub(super) jobs: u32,
    /// How much every request to the API server is held back.
    pub(super) delay: Duration,
    /// Whether the controllers are restarted after every step.
    pub(super) restarts: bool,
}

impl Play {
    /// What is harder than in the recording.
    pub(super) fn mode(&self) -> Option<String> {
        let delay = (!self.delay.is_zero())
            .then(|| format!("with an API server that answers {} ms later", self.delay.as_millis()));
        let restarts = self.restarts.then(|| "with a restart after every step".to_owned());
        let modes: Vec<String> = delay.into_iter().chain(restarts).collect();
        (!modes.is_empty()).then(|| modes.join(", "))
    }
}

/// What all plays share.
pub(super) struct Stage<'a> {
    pub(super) control_plane: &'a ControlPlane,
    /// The folder of the runner.
    pub(super) runner: PathBuf,
    /// The folders of the stories.
    pub(super) folders: Vec<PathBuf>,
    /// Where logs go.
    pub(super) work: PathBuf,
}

impl Stage<'_> {
    /// Plays, with logs below `work`.
    pub(super) async fn play(&self, play: &Play, work: &Path) -> Result<Outcome> {
        std::fs::create_dir_all(work)?;
        let proxy = self.proxy(play.delay).await?;
        // It holds requests back for as long as it lives.
        let _delay = proxy.as_ref().map(|proxy| proxy.on(Match::any()).delay(play.delay));
        let kubeconfig = proxy.as_ref().map(ApiProxy::kubeconfig);
        let configuration = controllers::configuration(&find_program()?, kubeconfig.as_deref())?;
        let controllers = work.join("controllers.json");
        std::fs::write(&controllers, serde_json::to_string_pretty(&configuration)?)?;

        let mut command = self.runner(work)?;
        command.arg("--kubeconfig").arg(self.control_plane.kubeconfig());
        command.arg("--controllers").arg(&controllers);
        let folders =
            if play.restarts { restarts::rewrite(&self.folders, work)? } else { self.folders.clone() };
        for (flag, file) in [("--cases", "cases.yaml"), ("--check", "expect.yaml")] {
            command.arg(flag).args(folders.iter().map(|folder| folder.join(file)));
        }
        if let Some(only) = &play.only {
            command.args(["--only", &only.join(",")]);
        }
        // A restart is everybody's.
        let jobs = if play.restarts { 1 } else { play.jobs };
        command.args(["--jobs", &jobs.to_string()]);
        let pardons = if play.restarts { Some(Pardons::read(&folders)?) } else { None };
        verdict::run(command, pardons.as_ref())
    }

    async fn proxy(&self, delay: Duration) -> Result<Option<ApiProxy>> {
        if delay.is_zero() {
            return Ok(None);
        }
        let access = self.control_plane.unlimited_access().await?;
        Ok(Some(ApiProxy::start(&access.kubeconfig).await?))
    }

    /// The runner, with the environment it needs and no more.
    fn runner(&self, work: &Path) -> Result<Command> {
        let tools = tools::folder()?;
        let python = tools.join("scenario-python/bin/python");
        ensure!(
            python.exists(),
            "the runner's Python is not installed: run `cargo xtask tools scenario-python`"
        );
        let mut command = Command::new(python);
        command
            .env_clear()
            .env("HOME", &self.work)
            .env("LANG", "C.UTF-8")
            .env("PYTHONDONTWRITEBYTECODE", "1");
        // The runner calls kubectl and git by name.
        command.env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", tools.join("bin").display()));
        command.arg(self.runner.join("run.py")).arg("--work").arg(work);
        Ok(command)
    }
}
