//! `flux tree`.

use anyhow::Result;
use millrace_e2e::config_map;
use serde_json::{Value, json};

use super::fixture;
use super::objects::Fixture;
use super::said::Said;

// CLI-040, but for a HelmRelease: this control plane has none.
#[tokio::test(flavor = "multi_thread")]
async fn a_tree_shows_the_inventory_of_nested_kustomizations() -> Result<()> {
    let fixture = fixture!("tree");
    nest(&fixture).await?;
    let namespace = fixture.namespace();
    let text = format!(
        "Kustomization/{namespace}/root\n├── ConfigMap/{namespace}/root\n└── Kustomization/{namespace}/child\n    \
         ├── ConfigMap/{namespace}/c-settings\n    └── Deployment/{namespace}/c-web\n\n"
    );
    assert_eq!(fixture.flux(&["tree", "ks", "root"])?, Said::prints(text.as_str()));
    assert_eq!(fixture.flux(&["tree", "kustomization", "root", "-o", "other"])?, Said::prints(text));
    let compact = format!("Kustomization/{namespace}/root\n└── Kustomization/{namespace}/child\n\n");
    assert_eq!(fixture.flux(&["tree", "ks", "root", "--compact"])?, Said::prints(compact));

    let group = "kustomize.toolkit.fluxcd.io";
    let node = |group: &str, kind: &str, name: &str| {
        let kind = json!({ "Group": group, "Kind": kind });
        json!({ "Namespace": namespace, "Name": name, "GroupKind": kind })
    };
    let tree = json!({
        "resource": node(group, "Kustomization", "root"),
        "resources": [
            { "resource": node("", "ConfigMap", "root") },
            {
                "resource": node(group, "Kustomization", "child"),
                "resources": [
                    { "resource": node("", "ConfigMap", "c-settings") },
                    { "resource": node("apps", "Deployment", "c-web") },
                ],
            },
        ],
    });
    let said = fixture.flux(&["tree", "ks", "root", "-o", "json"])?;
    assert!(said.stdout.starts_with("{\n  \"resource\": {\n    \"Namespace\": "), "{}", said.stdout);
    assert_eq!(serde_json::from_str::<Value>(&said.stdout)?, tree);
    assert_eq!((said.exit, said.stderr.as_str()), (Some(0), ""));
    let yaml = format!(
        "resource:\n  GroupKind:\n    Group: {group}\n    Kind: Kustomization\n  Name: root\n  Namespace: {namespace}\n\
         resources:\n- resource:\n    GroupKind:\n      Group: \"\"\n      Kind: ConfigMap\n    Name: root\n    \
         Namespace: {namespace}\n- resource:\n    GroupKind:\n      Group: {group}\n      Kind: Kustomization\n    \
         Name: child\n    Namespace: {namespace}\n  resources:\n  - resource:\n      GroupKind:\n        Group: \
         \"\"\n        Kind: ConfigMap\n      Name: c-settings\n      Namespace: {namespace}\n  - resource:\n      \
         GroupKind:\n        Group: apps\n        Kind: Deployment\n      Name: c-web\n      Namespace: \
         {namespace}\n\n"
    );
    assert_eq!(fixture.flux(&["tree", "ks", "root", "-o", "yaml"])?, Said::prints(yaml));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kustomization_that_applied_nothing_is_a_tree_of_one() -> Result<()> {
    let fixture = fixture!("leaf");
    let alone = format!("Kustomization/{}/broken\n\n", fixture.namespace());
    assert_eq!(fixture.flux(&["tree", "ks", "broken"])?, Said::prints(alone));
    let error = "kustomizations.kustomize.toolkit.fluxcd.io \"nope\" not found";
    assert_eq!(fixture.flux(&["tree", "ks", "nope"])?, Said::refuses(error));
    assert_eq!(fixture.flux(&["tree", "ks"])?, Said::refuses("kustomization name is required"));
    Ok(())
}

/// A Kustomization `root` that applies a ConfigMap and the Kustomization `child`.
async fn nest(fixture: &Fixture) -> Result<()> {
    let child = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: child\nspec:\n  \
                 interval: 1h\n  prune: true\n  path: ./deploy\n  namePrefix: c-\n  targetNamespace: {ns}\n  \
                 sourceRef:\n    kind: GitRepository\n    name: infra\n";
    let second = fixture
        .repository
        .commit("nest")
        .file("clusters/child.yaml", child.replace("{ns}", fixture.namespace()))
        .file("clusters/root.yaml", config_map("root", "1"))
        .push()?;
    let story = &fixture.story;
    story.reconcile("GitRepository/infra").await?;
    story.kustomization("root", "infra", "  path: ./clusters\n").await?;
    story.ready_with("Kustomization/root", &second).await?;
    story.ready_with("Kustomization/child", &second).await?;
    Ok(())
}
