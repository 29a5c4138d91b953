//! The cluster against Git, once everything has come to rest.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use kube::api::{DynamicObject, ListParams};
use millrace_harness::ControlPlane;
use serde_json::Value;

use super::manifest::{Key, Kind};
use super::world::NAMESPACE;
use crate::objects::{KUSTOMIZE, SOURCE, text};

const OWNER: &str = "kustomize.toolkit.fluxcd.io/name";

/// What is wrong, each as one line. The same thing found twice counts once.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Git holds it, and the cluster has it not, or otherwise.
    pub(super) lost: BTreeSet<String>,
    /// The cluster has it from us, and Git or every inventory knows nothing of it.
    pub(super) untracked: BTreeSet<String>,
    /// Deleted, though Git held it or nobody asked us to look after it.
    pub(super) deleted: BTreeSet<String>,
    /// Artifacts that a status names and nobody serves.
    pub(super) unserved: BTreeSet<String>,
}

impl Findings {
    pub(super) fn count(&self) -> usize {
        self.lost.len() + self.untracked.len() + self.deleted.len() + self.unserved.len()
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &String> {
        [&self.lost, &self.untracked, &self.deleted, &self.unserved].into_iter().flatten()
    }
}

/// The cluster as it is.
#[derive(Debug, Default)]
struct Seen {
    objects: BTreeMap<Key, Value>,
    inventory: BTreeSet<Key>,
}

/// Looks at everything and adds what is wrong.
pub(super) async fn verify(
    cluster: &ControlPlane,
    wanted: &BTreeMap<Key, u64>,
    bystanders: &BTreeSet<Key>,
    findings: &mut Findings,
) -> Result<()> {
    compare(&look(cluster).await?, wanted, bystanders, findings);
    let sources = cluster.api(SOURCE, "GitRepository", NAMESPACE).await?;
    for source in sources.list(&ListParams::default()).await? {
        let url = text(&source, "/status/artifact/url");
        let client = reqwest::Client::builder().no_proxy().build()?;
        let status = client.get(url).send().await.map(|answer| answer.status().as_u16());
        if !matches!(status, Ok(200)) {
            findings.unserved.insert(format!("{url} is advertised and answers {status:?}"));
        }
    }
    Ok(())
}

async fn look(cluster: &ControlPlane) -> Result<Seen> {
    let mut seen = Seen::default();
    for kind in Kind::ALL {
        let api = cluster.api(kind.api_version(), kind.name(), NAMESPACE).await?;
        for object in api.list(&ListParams::default()).await? {
            let name = object.metadata.name.clone().unwrap_or_default();
            seen.objects.insert(Key { kind, name }, serde_json::to_value(object)?);
        }
    }
    let kustomizations = cluster.api(KUSTOMIZE, "Kustomization", NAMESPACE).await?;
    for object in kustomizations.list(&ListParams::default()).await? {
        seen.inventory.extend(entries(&object));
    }
    Ok(seen)
}

fn entries(kustomization: &DynamicObject) -> Vec<Key> {
    let entries = kustomization.data.pointer("/status/inventory/entries").and_then(Value::as_array);
    let ids = entries.into_iter().flatten().filter_map(|entry| entry["id"].as_str());
    ids.filter_map(Key::of_entry).collect()
}

fn compare(seen: &Seen, wanted: &BTreeMap<Key, u64>, bystanders: &BTreeSet<Key>, findings: &mut Findings) {
    let is_owned = |live: &Value| live["metadata"]["labels"][OWNER].is_string();
    for (key, value) in wanted {
        match seen.objects.get(key) {
            None => drop(findings.lost.insert(format!("{key} is in Git and not in the cluster"))),
            Some(live) if !is_owned(live) || !key.agrees(live, *value) => {
                findings.lost.insert(format!("{key} is not as Git holds it"));
            }
            Some(_) => {}
        }
        if !seen.inventory.contains(key) {
            findings.untracked.insert(format!("{key} is in Git and in no inventory"));
        }
    }
    for (key, _) in seen.objects.iter().filter(|(_, live)| is_owned(live)) {
        if !wanted.contains_key(key) {
            findings.untracked.insert(format!("{key} is in the cluster and not in Git any more"));
        }
    }
    for key in seen.inventory.iter().filter(|key| !wanted.contains_key(key)) {
        findings.untracked.insert(format!("{key} is in an inventory and not in Git any more"));
    }
    for key in bystanders.iter().filter(|key| !seen.objects.contains_key(key)) {
        findings.deleted.insert(format!("{key} was made by hand and is gone"));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn key(name: &str) -> Key {
        Key { kind: Kind::ConfigMap, name: name.to_owned() }
    }

    fn live(name: &str, value: u64, labels: &Value) -> (Key, Value) {
        let mut object = key(name).manifest(value);
        object["metadata"]["labels"] = labels.clone();
        (key(name), object)
    }

    #[test]
    fn everything_that_can_be_wrong_is_found() {
        let owned = json!({OWNER: "app"});
        let seen = Seen {
            objects: [
                live("good", 1, &owned),
                live("old-value", 1, &owned),
                live("not-owned", 1, &Value::Null),
                live("unlisted", 1, &owned),
                live("left", 1, &owned),
                live("stranger", 1, &Value::Null),
            ]
            .into(),
            inventory: ["good", "old-value", "not-owned", "missing", "left", "ghost"].map(key).into(),
        };
        let keys = ["good", "old-value", "not-owned", "unlisted", "missing"].map(key);
        let wanted: BTreeMap<Key, u64> = keys.into_iter().zip([1, 2, 1, 1, 1]).collect();
        let mut findings = Findings::default();
        compare(&seen, &wanted, &[key("stranger"), key("gone")].into(), &mut findings);
        let lines: Vec<&str> = findings.lines().map(String::as_str).collect();
        assert_eq!(
            lines,
            [
                "ConfigMap/missing is in Git and not in the cluster",
                "ConfigMap/not-owned is not as Git holds it",
                "ConfigMap/old-value is not as Git holds it",
                "ConfigMap/ghost is in an inventory and not in Git any more",
                "ConfigMap/left is in an inventory and not in Git any more",
                "ConfigMap/left is in the cluster and not in Git any more",
                "ConfigMap/unlisted is in Git and in no inventory",
                "ConfigMap/gone was made by hand and is gone",
            ]
        );
        assert_eq!(findings.count(), 8);
    }
}
