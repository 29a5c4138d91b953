//! Owner labels and inventories that lie.

use anyhow::{Result, ensure};
use millrace_e2e::config_map;
use serde_json::json;

use super::world::File::Text;
use super::world::{ALICE, MALLORY, Rows, World, kustomization};

pub(super) async fn rows(world: &World) -> Rows {
    vec![
        ("an inventory that claims another tenant's object", claimed(world).await),
        ("the same when the Kustomization is deleted", claimed_at_the_end(world).await),
        ("the same with labels that agree, by an account with all rights", mislabelled(world).await),
        ("another tenant's object that is labelled as one's own", labelled(world).await),
        ("an object that is labelled as another tenant's", pretended(world).await),
    ]
}

/// The id of an object of Alice's in an inventory.
fn alices(name: &str) -> serde_json::Value {
    json!({ "id": format!("{ALICE}_{name}__ConfigMap"), "v": "v1" })
}

/// A ConfigMap of Alice's, made by hand, that says who owns it.
async fn labelled_map(world: &World, name: &str, owner: (&str, &str)) -> Result<serde_json::Value> {
    let (namespace, kustomization) = owner;
    let map = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  labels:\n    kustomize.toolkit.fluxcd.io/name: \
         {kustomization}\n    kustomize.toolkit.fluxcd.io/namespace: {namespace}\n"
    );
    world.story.cluster.apply(ALICE, &map).await?;
    world.read(ALICE, "ConfigMap", name).await
}

/// Labels and inventory agree that it is Mallory's: what stands between is her account's rights.
async fn claimed(world: &World) -> Result<()> {
    let map = config_map("claim", "1");
    world.attempt("claim", "", &[("claim.yaml", Text(&map))]).await?;
    world.story.ready("Kustomization/claim").await?;
    let before = labelled_map(world, "forged", (MALLORY, "claim")).await?;
    claim(world, "claim", "forged").await?;
    let message = format!(
        "delete failed, errors: ConfigMap/{ALICE}/forged query failed: configmaps \"forged\" is forbidden: User \
         \"system:serviceaccount:mallory:tenant\" cannot get resource \"configmaps\" in API group \"\" in the namespace \
         \"{ALICE}\";"
    );
    world.fails("claim", "PruneFailed", &message).await?;
    ensure!(world.read(ALICE, "ConfigMap", "forged").await? == before, "it was touched");
    world.is_unharmed().await
}

/// The Kustomization can't go as long as it claims what it may not delete.
async fn claimed_at_the_end(world: &World) -> Result<()> {
    let map = config_map("last-claim", "1");
    world.attempt("last-claim", "", &[("map.yaml", Text(&map))]).await?;
    world.story.ready("Kustomization/last-claim").await?;
    let before = labelled_map(world, "forged-too", (MALLORY, "last-claim")).await?;
    let own = json!({ "id": format!("{MALLORY}_last-claim__ConfigMap"), "v": "v1" });
    let inventory = |entries: serde_json::Value| json!({ "inventory": { "entries": entries } });
    let object = "Kustomization/last-claim";
    world.story.patch_status(object, &inventory(json!([own, alices("forged-too")]))).await?;
    let (_, name) = object.split_once('/').unwrap_or_default();
    let api = world.story.cluster.api("kustomize.toolkit.fluxcd.io/v1", "Kustomization", MALLORY).await?;
    api.delete(name, &kube::api::DeleteParams::default()).await?;
    world
        .story
        .event(object, |type_, _, message| {
            (type_, message) == ("Warning", "pruning for deleted resource failed")
        })
        .await?;
    ensure!(world.story.find(object).await?.is_some(), "the Kustomization is gone");
    ensure!(world.read(ALICE, "ConfigMap", "forged-too").await? == before, "it was touched");
    world.story.patch_status(object, &inventory(json!([own]))).await?;
    world.story.gone(object).await?;
    world.is_unharmed().await
}

/// Adds an object of Alice's to the inventory of a Kustomization and has it reconciled.
async fn claim(world: &World, kustomization: &str, name: &str) -> Result<()> {
    let object = format!("Kustomization/{kustomization}");
    let own = json!({ "id": format!("{MALLORY}_{kustomization}__ConfigMap"), "v": "v1" });
    let inventory = json!({ "inventory": { "entries": [own, alices(name)] } });
    world.story.patch_status(&object, &inventory).await?;
    world.story.request(&object).await.map(drop)
}

/// An account with all rights: what stands between is that the labels name another owner, or one of that name elsewhere.
async fn mislabelled(world: &World) -> Result<()> {
    let account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: almighty}\n---\napiVersion: \
                   rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: almighty}\nroleRef: {apiGroup: \
                   rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}\nsubjects: [{kind: ServiceAccount, name: \
                   almighty, namespace: mallory}]\n";
    world.story.apply(account).await?;
    let map = config_map("platform", "1");
    world.attempt("platform", "  serviceAccountName: almighty\n", &[("platform.yaml", Text(&map))]).await?;
    world.story.ready("Kustomization/platform").await?;
    for (name, owner) in
        [("theirs", (ALICE, "app")), ("namesake", (ALICE, "platform")), ("sibling", (MALLORY, "claim"))]
    {
        let before = labelled_map(world, name, owner).await?;
        claim(world, "platform", name).await?;
        let skipped = format!("ConfigMap/{ALICE}/{name} skipped");
        world.story.told("Kustomization/platform", ("Normal", "Progressing", &skipped)).await?;
        ensure!(world.read(ALICE, "ConfigMap", name).await? == before, "{name} was touched");
    }
    world.is_unharmed().await
}

/// What is not in the inventory is nobody's business, whatever its labels say: not on the way, and not at the end.
async fn labelled(world: &World) -> Result<()> {
    let before = labelled_map(world, "adopted", (MALLORY, "owner")).await?;
    let map = config_map("owner", "1");
    world.attempt("owner", "  serviceAccountName: almighty\n", &[("owner.yaml", Text(&map))]).await?;
    world.story.ready("Kustomization/owner").await?;
    world.story.reconcile("Kustomization/owner").await?;
    world.story.delete("Kustomization/owner").await?;
    ensure!(world.story.find("ConfigMap/owner").await?.is_none(), "what it owned is still there");
    ensure!(world.read(ALICE, "ConfigMap", "adopted").await? == before, "it was touched");
    world.is_unharmed().await
}

/// Mallory's object says that it is Alice's: Alice's Kustomization neither adopts it nor takes it along when it goes.
async fn pretended(world: &World) -> Result<()> {
    let repository = world.story.git.create("short")?;
    repository.commit("first").file("short.yaml", config_map("short", "1")).push()?;
    world.story.cluster.apply(ALICE, &world.source("short", "short")).await?;
    world.story.cluster.apply(ALICE, &kustomization(ALICE, "short", "")).await?;
    let kind = ("kustomize.toolkit.fluxcd.io/v1", "Kustomization");
    world.alices(kind.0, kind.1, "short", |found| found["status"]["lastAppliedRevision"].is_string()).await?;

    let labels = format!(
        "  commonMetadata:\n    labels:\n      kustomize.toolkit.fluxcd.io/name: short\n      \
         kustomize.toolkit.fluxcd.io/namespace: {ALICE}\n"
    );
    let map = config_map("pretence", "1");
    world.attempt("pretence", &labels, &[("pretence.yaml", Text(&map))]).await?;
    world.story.ready("Kustomization/pretence").await?;
    let before = world.read(MALLORY, "ConfigMap", "pretence").await?;
    ensure!(before["metadata"]["labels"]["kustomize.toolkit.fluxcd.io/namespace"] == ALICE, "{before}");
    world.story.cluster.delete(kind.0, kind.1, ALICE, "short").await?;
    ensure!(
        world.story.cluster.find("v1", "ConfigMap", ALICE, "short").await?.is_none(),
        "Alice's object is left"
    );
    ensure!(world.read(MALLORY, "ConfigMap", "pretence").await? == before, "it was touched");
    world.is_unharmed().await
}
