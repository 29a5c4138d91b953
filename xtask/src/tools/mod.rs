//! `cargo xtask tools`: installs what a run needs into the cache, once.
//!
//! A program counts as installed when its stamp holds the digest of its pin and recipe and its file is there. Everything is
//! built beside its place and renamed into it, so an interrupted install starts over cheaply and never leaves half a program;
//! a file lock per program keeps two runs apart.

mod catalog;
mod debian;
mod go;
mod install;
mod python;

use anyhow::{Result, bail};

use crate::say::{say, spell};
use crate::workspace::Workspace;
use catalog::{CATALOG, Tool};

/// The programs of a control plane with nodes, and of the Git server.
pub(crate) const BENCH: &[&str] = &[
    "git",
    "apache2",
    "etcd",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kwok",
    "kwok-stages",
];

/// What the demo needs beside the cluster of somebody else.
pub(crate) const GUEST: &[&str] = &["git", "apache2"];

/// Installs the named programs, or all.
pub(crate) fn run(workspace: &Workspace, names: &[String]) -> Result<()> {
    let wanted: Vec<&str> = match names {
        [] => CATALOG.iter().map(|tool| tool.name).collect(),
        names => names.iter().map(String::as_str).collect(),
    };
    let installed = ensure(workspace, &wanted)?;
    say!(
        "{} tools ready in {}, {installed} of them installed now",
        wanted.len(),
        workspace.tools().display()
    );
    Ok(())
}

/// Prints every program, whether it is there, and what a cold install costs.
pub(crate) fn list(workspace: &Workspace) -> Result<()> {
    for tool in CATALOG {
        let state = if install::is_installed(workspace, tool)? { "installed" } else { "missing" };
        say!(
            "{:<26}{state:<12}cold {}",
            tool.name,
            spell(std::time::Duration::from_secs(u64::from(tool.cold_seconds)))
        );
    }
    Ok(())
}

/// Makes sure that the named programs are installed; returns how many had to be.
///
/// # Errors
/// When a name is unknown or an install fails; the message says what to do.
pub(crate) fn ensure(workspace: &Workspace, names: &[&str]) -> Result<usize> {
    if let Some(unknown) = names.iter().find(|name| !CATALOG.iter().any(|tool| tool.name == **name)) {
        let known: Vec<&str> = CATALOG.iter().map(|tool| tool.name).collect();
        bail!("there is no tool {unknown:?}; the tools are {}", known.join(", "));
    }
    let mut missing = Vec::new();
    for tool in CATALOG.iter().filter(|tool| names.contains(&tool.name)) {
        if !install::is_installed(workspace, tool)? {
            missing.push(tool);
        }
    }
    if missing.len() > 1 {
        announce(&missing);
    }
    for tool in &missing {
        install::install(workspace, tool)?;
    }
    Ok(missing.len())
}

fn announce(missing: &[&Tool]) {
    let names: Vec<&str> = missing.iter().map(|tool| tool.name).collect();
    let seconds = missing.iter().map(|tool| u64::from(tool.cold_seconds)).sum();
    say!(
        "installing {} (about {} when nothing is cached)",
        names.join(", "),
        spell(std::time::Duration::from_secs(seconds))
    );
}

/// Returns the seconds that a cold install of what is missing of the named programs takes.
pub(crate) fn missing_seconds(workspace: &Workspace, names: &[&str]) -> Result<u32> {
    let mut seconds = 0;
    for tool in CATALOG.iter().filter(|tool| names.contains(&tool.name)) {
        if !install::is_installed(workspace, tool)? {
            seconds += tool.cold_seconds;
        }
    }
    Ok(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::Recipe;

    #[test]
    fn beside_a_borrowed_cluster_nothing_is_built_or_put_into_the_cache() {
        for name in GUEST {
            let tool = CATALOG.iter().find(|tool| tool.name == *name).expect("a tool of the catalogue");
            assert!(matches!(tool.recipe, Recipe::Git | Recipe::Debian { .. }), "{name}: {:?}", tool.recipe);
        }
    }
}
