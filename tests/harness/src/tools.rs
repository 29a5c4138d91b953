//! The programs of the test bench, as `cargo xtask tools` installs them.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context as _, bail};

use crate::{Result, environment};

/// The folder `cargo xtask tools` installs into.
pub fn folder() -> Result<PathBuf> {
    let cache = match environment::variable("MILLRACE_CACHE") {
        Some(path) => PathBuf::from(path),
        None => {
            PathBuf::from(environment::variable("HOME").context("neither MILLRACE_CACHE nor HOME is set")?)
                .join(".cache/millrace")
        }
    };
    Ok(cache.join("tools"))
}

/// An installed program.
///
/// # Errors
/// When it is missing; the message says how to install it.
pub fn program(name: &str) -> Result<PathBuf> {
    let path = folder()?.join("bin").join(name);
    if !path.exists() {
        bail!("{name} is not installed: run `cargo xtask tools {name}`");
    }
    Ok(path)
}

/// Runs an installed command-line program against a cluster and returns what it printed, whatever its exit status.
///
/// The program sees PATH, `KUBECONFIG` and a home of its own, nothing else of this process's environment.
pub fn run(name: &str, kubeconfig: &Path, arguments: &[&str]) -> Result<Output> {
    let home = kubeconfig.parent().context("a kubeconfig lies in a folder")?;
    let mut command = Command::new(program(name)?);
    clear(&mut command, home);
    command.args(arguments).env("KUBECONFIG", kubeconfig).stdin(Stdio::null());
    command.output().with_context(|| format!("cannot start {name}"))
}

/// Clears a child's environment: programs under test and servers must not see the machine's proxies, CAs and logins.
pub(crate) fn clear(command: &mut Command, home: &Path) {
    command.env_clear();
    command.env(
        "PATH",
        environment::variable("PATH")
            .unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin".into()),
    );
    command.env("HOME", home).env("LANG", "C.UTF-8").env("TMPDIR", std::env::temp_dir());
}

/// The top folder of the checkout.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The programs of a full control plane.
pub const CONTROL_PLANE: &[&str] =
    &["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok", "kubectl"];

/// Whether the named programs are installed; says on standard error which one is missing, so that a test can skip loudly.
pub fn available(names: &[&str]) -> bool {
    let missing = names.iter().find_map(|name| program(name).err());
    if let Some(error) = &missing {
        let _ = writeln!(std::io::stderr(), "skipped: {error}");
    }
    missing.is_none()
}
