//! Programs that come from the system's packages.

use std::path::Path;

use anyhow::{Context as _, Result, bail};

use super::install;
use crate::workspace::Workspace;
use crate::{environment, job};

/// Installs a Debian package where that is possible; else says which one to install.
pub(super) fn install(workspace: &Workspace, package: &str) -> Result<()> {
    let user = job::output(environment::command("id").arg("-u"))?;
    let has_apt = job::output(environment::command("apt-get").arg("--version")).is_ok();
    if user != "0" || !has_apt {
        bail!(
            "install the package {package} ({}) with your system's package manager, then run this again",
            purpose(package)
        );
    }
    let _lock = install::lock(workspace, "apt")?;
    let log = workspace.tools().join("logs").join(format!("apt-{package}"));
    let apt = |arguments: &[&str]| {
        let mut command = environment::command("apt-get");
        command
            .env("DEBIAN_FRONTEND", "noninteractive")
            .args(["-o", "DPkg::Lock::Timeout=120"])
            .args(arguments);
        command
    };
    job::run("refreshing the package lists", &mut apt(&["update"]), &log)?;
    let mut command = apt(&["install", "-y", "--no-install-recommends", package]);
    job::run(&format!("installing {package}"), &mut command, &log)
        .with_context(|| format!("apt-get install {package}"))
}

fn purpose(package: &str) -> &'static str {
    match package {
        "apache2-bin" => "Apache, which serves Git over HTTP",
        "git" => "Git with git-http-backend",
        "python3-venv" => "Python 3 with venv, which unpacks wheels",
        _ => "needed by the tests",
    }
}

/// Whether Git is there, with the program that serves repositories over HTTP.
pub(super) fn has_git() -> bool {
    job::output(environment::command("git").arg("--exec-path"))
        .is_ok_and(|folder| Path::new(&folder).join("git-http-backend").exists())
}
