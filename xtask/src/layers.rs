//! The layer check: dependencies between the workspace's crates point down, never sideways.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use crate::cargo::cargo;
use crate::job;
use crate::say::say;
use crate::workspace::Workspace;

/// Layer of what stands beside the crates: tests, harness, xtask. It may use everything; only tests may use it.
const BESIDE: u32 = 0;

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    #[serde(default)]
    metadata: Option<PackageMetadata>,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct PackageMetadata {
    millrace: Option<Millrace>,
}

#[derive(Deserialize)]
struct Millrace {
    layer: u32,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    kind: Option<String>,
}

/// Checks every edge between crates of the workspace.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let text = job::output(&mut cargo(workspace, &["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Metadata =
        serde_json::from_str(&text).context("cargo metadata printed something else than expected")?;
    let wrong = wrong_edges(&metadata)?;
    for edge in &wrong {
        say!("  {edge}");
    }
    if !wrong.is_empty() {
        bail!("{} dependencies do not point down", wrong.len());
    }
    Ok(())
}

fn wrong_edges(metadata: &Metadata) -> Result<Vec<String>> {
    let mut layers = BTreeMap::new();
    for package in &metadata.packages {
        let layer = package
            .metadata
            .as_ref()
            .and_then(|metadata| metadata.millrace.as_ref())
            .map(|millrace| millrace.layer);
        let layer = layer
            .with_context(|| format!("{} states no layer ([package.metadata.millrace])", package.name))?;
        layers.insert(package.name.as_str(), layer);
    }
    let mut wrong = Vec::new();
    for package in &metadata.packages {
        let from = layers[package.name.as_str()];
        for dependency in &package.dependencies {
            let Some(&to) = layers.get(dependency.name.as_str()) else { continue };
            let for_tests = dependency.kind.as_deref() == Some("dev");
            if !is_allowed(from, to, for_tests) {
                wrong.push(format!(
                    "{} (layer {from}) depends on {} (layer {to})",
                    package.name, dependency.name
                ));
            }
        }
    }
    Ok(wrong)
}

fn is_allowed(from: u32, to: u32, for_tests: bool) -> bool {
    match (from, to) {
        (BESIDE, _) => true,
        (_, BESIDE) => for_tests,
        (from, to) => to < from,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_point_down_and_tests_may_use_the_harness() {
        for (from, to, for_tests, allowed) in [
            (5, 4, false, true),
            (5, 1, false, true),
            (3, 3, false, false),
            (3, 3, true, false),
            (3, 4, false, false),
            (0, 6, false, true),
            (4, 0, false, false),
            (4, 0, true, true),
        ] {
            assert_eq!(is_allowed(from, to, for_tests), allowed, "{from} -> {to}, for tests: {for_tests}");
        }
    }

    #[test]
    fn a_sideways_edge_is_named() {
        let text = r#"{"packages": [
            {"name": "git", "metadata": {"millrace": {"layer": 3}}, "dependencies": [{"name": "ssa", "kind": null}, {"name": "serde", "kind": null}]},
            {"name": "ssa", "metadata": {"millrace": {"layer": 3}}, "dependencies": []}]}"#;
        let wrong = wrong_edges(&serde_json::from_str(text).unwrap()).unwrap();
        assert_eq!(wrong, ["git (layer 3) depends on ssa (layer 3)"]);
    }
}
